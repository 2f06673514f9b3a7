/** `/training`: runs, newest first. */
import { Button, Progress, Text } from "@mantine/core";
import { IconPlayerPlay } from "../icons";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "react-router";

import { api } from "../api/client";
import type { Listed, RunRow } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { useAsk } from "../components/ask";
import { Mono, StateBadge } from "../components/badges";
import { Listing, PAGE_SIZE, Pager, useFilters } from "../components/listing";
import { Empty, Loaded, Page, To } from "../components/page";
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
    <Page title={t("nav.training")} actions={<Start />}>
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
                { name: t("training.progress"), width: 170, cell: (row) => <RunProgress run={row} /> },
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

export function RunProgress({ run }: { run: RunRow }) {
  const { t, word } = useWords();
  // How far it came is of interest while it goes on, and where it stopped before its end.
  if (run.state === "completed") return <Text c="dimmed" fz="sm">{word("state", "done")}</Text>;
  return (
    <div>
      <Progress
        value={run.progress * 100}
        color={run.state === "failed" ? "red" : undefined}
        animated={run.state === "running"}
        size={6}
        aria-label={t("training.progress")}
      />
      <Text fz="xs" c="dimmed">
        {run.phase ? word("phase", run.phase) : ""} {Math.round(run.progress * 100)} %
      </Text>
    </div>
  );
}

function Start() {
  const { t } = useWords();
  const ask = useAsk();
  const navigate = useNavigate();
  const isAdmin = useIsAtLeast("admin");
  const start = useVerb(() => api.post<RunRow>("/training", {}), {
    touches: ["training", "datasets"],
    done: (run) => void navigate(`/training/${run.id}`),
  });
  if (!isAdmin) return null;
  async function confirm(): Promise<void> {
    if (await ask({ title: t("training.startTitle"), body: t("training.startBody"), verb: t("training.start") })) start.mutate(undefined);
  }
  return (
    <Button leftSection={<IconPlayerPlay size={14} />} loading={start.isPending} onClick={() => void confirm()}>
      {t("training.start")}
    </Button>
  );
}
