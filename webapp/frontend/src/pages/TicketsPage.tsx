/** `/tickets`: every ticket, filtered by the address. */
import { Button, Group } from "@mantine/core";
import { IconPlus } from "../icons";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "react-router";

import { api } from "../api/client";
import type { Listed, TicketRow } from "../api/types";
import { ChoiceFilter, PAGE_SIZE, Pager, SearchFilter, useFilters } from "../components/listing";
import { Empty, Loaded, Page } from "../components/page";
import { TicketTable, useEnvironments } from "../components/tickets";
import { useWords } from "../words";

const FILTERS = ["q", "state", "outcome", "environment", "template", "filed_by"] as const;

export default function TicketsPage() {
  const { t, word } = useWords();
  const filters = useFilters(FILTERS);
  const environments = useEnvironments().data ?? [];
  const query = useQuery({
    queryKey: ["tickets", filters.values, filters.offset],
    queryFn: () => api.get<Listed<TicketRow>>("/tickets", { ...filters.values, limit: PAGE_SIZE, offset: filters.offset }),
    placeholderData: keepPreviousData,
  });
  const templates = environments
    .filter((environment) => !filters.values.environment || environment.id === filters.values.environment)
    .flatMap((environment) => environment.templates);
  return (
    <Page
      title={t("nav.tickets")}
      actions={
        <Button component={Link} to="/tickets/new" leftSection={<IconPlus size={14} />}>
          {t("tickets.new")}
        </Button>
      }
    >
      <Group gap="xs" role="search">
        <SearchFilter filters={filters} label={t("tickets.find")} />
        <ChoiceFilter
          filters={filters}
          name="state"
          label={t("word.state")}
          options={["open", "done", "failed", "cancelled"].map((value) => ({ value, label: word("state", value) }))}
        />
        <ChoiceFilter
          filters={filters}
          name="outcome"
          label={t("word.outcome")}
          options={["verified", "failed", "unverified"].map((value) => ({ value, label: word("outcome", value) }))}
        />
        <ChoiceFilter
          filters={filters}
          name="environment"
          label={t("word.environment")}
          options={environments.map(({ id, title }) => ({ value: id, label: title }))}
        />
        <ChoiceFilter
          filters={filters}
          name="template"
          label={t("word.template")}
          options={templates.map(({ id, title }) => ({ value: id, label: title }))}
        />
      </Group>
      <Loaded query={query}>
        {({ items, count }) => (
          <>
            <TicketTable rows={items} empty={<Empty title={t("tickets.none")}>{t("tickets.noneBody")}</Empty>} />
            <Pager filters={filters} count={count} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
