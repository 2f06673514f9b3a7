/** Tickets as rows. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { api } from "../api/client";
import type { Attempt, EnvironmentView, SessionRow, TicketRow } from "../api/types";
import { useWords } from "../words";
import { Mono, OutcomeBadge, PolicyName, StateBadge } from "./badges";
import { Listing } from "./listing";
import { To } from "./page";
import { Said } from "./Said";
import { Ago } from "./time";

export function useEnvironments() {
  return useQuery({
    queryKey: ["environments"],
    queryFn: () => api.get<EnvironmentView[]>("/environments"),
    staleTime: 60_000,
  });
}

/** Titles of environments and templates by id; the id itself where none has it. */
export function useNames(): { environment: (id: string) => string; template: (id: string) => string } {
  const { t } = useWords();
  const { data, isPending } = useEnvironments();
  const unknown = (id: string) => (isPending ? "…" : id);
  return {
    environment: (id) => data?.find((environment) => environment.id === id)?.title ?? unknown(id),
    template: (id) => {
      if (!id) return t("word.freeText");
      const templates = data?.flatMap((environment) => environment.templates);
      return templates?.find((template) => template.id === id)?.title ?? unknown(id);
    },
  };
}

export function TicketTable({ rows, empty }: { rows: TicketRow[]; empty: ReactNode }) {
  const { t, word } = useWords();
  const names = useNames();
  return (
    <Listing
      label={t("nav.tickets")}
      rows={rows}
      keyOf={(row) => row.id}
      to={(row) => `/tickets/${row.id}`}
      empty={empty}
      columns={[
        { name: t("word.id"), cell: (row) => <Mono>{row.id}</Mono>, width: 56 },
        {
          name: t("word.title"),
          cell: (row) => (
            <>
              <To to={`/tickets/${row.id}`}>
                <Said>{row.title}</Said>
              </To>
              <Text fz="xs" c="dimmed">
                {names.environment(row.environment)} · {names.template(row.template)}
              </Text>
            </>
          ),
        },
        { name: t("word.state"), cell: (row) => <StateBadge state={row.state} /> },
        { name: t("word.session"), cell: (row) => <SessionCell session={row.session} /> },
        { name: t("word.outcome"), cell: (row) => <OutcomeBadge outcome={row.session?.outcome ?? ""} /> },
        { name: t("word.policy"), wide: true, cell: (row) => <PolicyName policy={row.session?.policy ?? ""} arm={row.session?.arm ?? ""} /> },
        { name: t("word.priority"), wide: true, cell: (row) => word("priority", String(row.priority)) },
        { name: t("word.filedBy"), wide: true, cell: (row) => row.filed_by },
        { name: t("word.when"), cell: (row) => <Ago at={row.created_at} /> },
      ]}
    />
  );
}

function SessionCell({ session }: { session: TicketRow["session"] }) {
  if (!session) return <Text c="dimmed" span>—</Text>;
  return (
    <To to={`/sessions/${session.id}`} label={`session ${session.id}`}>
      <StateBadge state={session.state} />
    </To>
  );
}

type Tried = Attempt & Partial<SessionRow>;

interface SessionTableProps {
  rows: Tried[];
  label: string;
  empty: ReactNode;
  withTicket?: boolean;
}

export function SessionTable({ rows, label, empty, withTicket = false }: SessionTableProps) {
  const { t } = useWords();
  const names = useNames();
  return (
    <Listing
      label={label}
      rows={rows}
      keyOf={(row) => row.id}
      to={(row) => `/sessions/${row.id}`}
      empty={empty}
      columns={[
        { name: t("word.session"), cell: (row) => <To to={`/sessions/${row.id}`}><Mono>{row.id}</Mono></To>, width: 70 },
        ...(withTicket
          ? [
              {
                name: t("word.ticket"),
                cell: (row: Tried) => (
                  <>
                    <Said>{row.ticket?.title}</Said>
                    <Text fz="xs" c="dimmed">
                      {names.environment(row.environment ?? "")} · {names.template(row.template ?? "")}
                    </Text>
                  </>
                ),
              },
            ]
          : [{ name: t("ticket.attempt"), cell: (row: Tried) => row.attempt }]),
        { name: t("word.state"), cell: (row) => <StateBadge state={row.state} /> },
        { name: t("word.outcome"), cell: (row) => <OutcomeBadge outcome={row.outcome} /> },
        { name: t("word.policy"), cell: (row) => <PolicyName policy={row.policy} arm={row.arm} /> },
        { name: t("word.steps"), wide: withTicket, right: true, cell: (row) => row.step_count },
        { name: t("word.corrections"), right: true, cell: (row) => row.corrections ?? 0 },
        { name: t("word.when"), cell: (row) => <Ago at={row.ended_at ?? row.started_at ?? row.created_at} /> },
      ]}
    />
  );
}
