/** `/training`: runs, newest first. */
import { useQuery } from "@tanstack/react-query";

import { api } from "../api/client";
import type { Listed, RunRow } from "../api/types";
import { Mono, StateBadge } from "../components/badges";
import { Listing, PAGE_SIZE, Pager, useFilters } from "../components/listing";
import { NewRun } from "../components/NewRun";
import { Empty, Loaded, Page, To } from "../components/page";
import { Progressing } from "../components/Progressing";
import { Ago } from "../components/time";
import { Plan } from "../components/TrainingPlan";
import { useWords } from "../words";

export default function TrainingPage() {
  const { t, word } = useWords();
  const filters = useFilters([]);
  const query = useQuery({
    queryKey: ["training", filters.offset],
    queryFn: () => api.get<Listed<RunRow>>("/training", { limit: PAGE_SIZE, offset: filters.offset }),
  });
  return (
    <Page title={t("nav.training")} actions={<NewRun />}>
      <Loaded query={query}>
        {({ items, count }) => (
          <>
            <Plan />
            <Listing
              label={t("nav.training")}
              rows={items}
              keyOf={(row) => row.id}
              to={(row) => `/training/${row.id}`}
              empty={<Empty title={t("training.empty")}>{t("training.emptyBody")}</Empty>}
              columns={[
                { name: t("training.run"), cell: (row) => <To to={`/training/${row.id}`}>{t("training.heading", { id: row.id })}</To> },
                { name: t("word.state"), cell: (row) => <StateBadge state={row.state} /> },
                { name: t("training.progress"), width: 170, cell: (row) => <Progressing job={row} /> },
                { name: t("training.kind"), cell: (row) => <Algorithm run={row} /> },
                { name: t("word.reason"), cell: (row) => word("trigger", row.trigger) },
                { name: t("training.dataset"), cell: (row) => <To to={`/datasets/${row.dataset}`}><Mono>{row.dataset}</Mono></To> },
                { name: t("training.parent"), cell: (row) => (row.parent_number === null ? "—" : <To to={`/policies/${row.parent_number}`}><Mono>{row.parent}</Mono></To>) },
                {
                  name: t("training.result"),
                  cell: (row) => (row.policy_number === null ? "—" : <To to={`/policies/${row.policy_number}`}><Mono>{row.policy}</Mono></To>),
                },
                { name: t("word.when"), cell: (row) => <Ago at={row.created_at} /> },
              ]}
            />
            <Pager filters={filters} count={count} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** What a run does, part after part. */
export function Algorithm({ run }: { run: RunRow }) {
  const { word } = useWords();
  return <>{run.algorithm.split("+").map((part) => word("algorithm", part)).join(" → ")}</>;
}
