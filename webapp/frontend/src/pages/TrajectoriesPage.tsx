/** `/trajectories`: what policies learn from. */
import { Group } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { api } from "../api/client";
import type { Listed, TrajectoryRow } from "../api/types";
import { ChoiceFilter, PAGE_SIZE, Pager, SearchFilter, useFilters } from "../components/listing";
import { Empty, Loaded, Page } from "../components/page";
import { useEnvironments } from "../components/tickets";
import { TrajectoryTable } from "../components/trajectories";
import { useWords } from "../words";

export default function TrajectoriesPage() {
  const { t, word } = useWords();
  const filters = useFilters(["q", "environment", "template", "outcome", "source"]);
  const environments = useEnvironments().data ?? [];
  const query = useQuery({
    queryKey: ["trajectories", filters.values, filters.offset],
    queryFn: () => api.get<Listed<TrajectoryRow>>("/trajectories", { ...filters.values, limit: PAGE_SIZE, offset: filters.offset }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t("nav.trajectories")}>
      <Group gap="xs" role="search">
        <SearchFilter filters={filters} label={t("trajectories.find")} />
        <ChoiceFilter filters={filters} name="environment" label={t("word.environment")} options={environments.map(({ id, title }) => ({ value: id, label: title }))} />
        <ChoiceFilter
          filters={filters}
          name="template"
          label={t("word.template")}
          options={environments.flatMap(({ templates }) => templates).map(({ id, title }) => ({ value: id, label: title }))}
        />
        <ChoiceFilter
          filters={filters}
          name="outcome"
          label={t("word.outcome")}
          options={["verified", "failed", "unverified"].map((value) => ({ value, label: word("outcome", value) }))}
        />
        <ChoiceFilter filters={filters} name="source" label={t("word.source")} options={["session", "starter"].map((value) => ({ value, label: word("source", value) }))} />
      </Group>
      <Loaded query={query}>
        {({ items, count }) => (
          <>
            <TrajectoryTable rows={items} empty={<Empty title={t("trajectories.empty")}>{t("trajectories.emptyBody")}</Empty>} />
            <Pager filters={filters} count={count} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
