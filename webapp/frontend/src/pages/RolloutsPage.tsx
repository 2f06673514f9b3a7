/** `/rollouts`: every gray release, newest first. */
import { useQuery } from "@tanstack/react-query";

import { api } from "../api/client";
import type { Listed, RolloutRow } from "../api/types";
import { Mono, StateBadge } from "../components/badges";
import { Listing, PAGE_SIZE, Pager, useFilters } from "../components/listing";
import { Empty, Loaded, Page, To } from "../components/page";
import { Ago } from "../components/time";
import { useWords } from "../words";

export default function RolloutsPage() {
  const { t } = useWords();
  const filters = useFilters([]);
  const query = useQuery({
    queryKey: ["rollouts", filters.offset],
    queryFn: () => api.get<Listed<RolloutRow>>("/rollouts", { limit: PAGE_SIZE, offset: filters.offset }),
  });
  return (
    <Page title={t("nav.rollouts")}>
      <Loaded query={query}>
        {({ items, count }) => (
          <>
            <Listing
              label={t("nav.rollouts")}
              rows={items}
              keyOf={(row) => row.id}
              to={(row) => `/rollouts/${row.id}`}
              empty={
                <Empty title={t("rollouts.empty")}>
                  <To to="/policies">{t("nav.policies")}</To>: {t("rollouts.emptyBody")}
                </Empty>
              }
              columns={[
                { name: t("word.id"), cell: (row) => <To to={`/rollouts/${row.id}`}>{t("rollout.heading", { id: row.id })}</To> },
                { name: t("word.state"), cell: (row) => <StateBadge state={row.state} /> },
                { name: t("arm.challenger"), cell: (row) => <To to={`/policies/${row.challenger}`}><Mono>v{row.challenger}</Mono></To> },
                { name: t("arm.champion"), cell: (row) => <To to={`/policies/${row.champion}`}><Mono>v{row.champion}</Mono></To> },
                { name: t("rollout.weight"), right: true, cell: (row) => `${row.weight} %` },
                { name: t("word.by"), cell: (row) => row.started_by ?? "—" },
                { name: t("rollout.started"), cell: (row) => <Ago at={row.started_at} /> },
                { name: t("rollout.ended"), cell: (row) => <Ago at={row.ended_at} /> },
                { name: t("word.reason"), cell: (row) => row.reason },
              ]}
            />
            <Pager filters={filters} count={count} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
