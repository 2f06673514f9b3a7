/** `/tickets/:id`: what was asked for, and every attempt at it. */
import { Badge, Button, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "react-router";

import { api } from "../api/client";
import type { Attempt, Ticket } from "../api/types";
import { useVerb } from "../api/verbs";
import { useAsk } from "../components/ask";
import { StateBadge } from "../components/badges";
import { Empty, Facts, Loaded, Page } from "../components/page";
import { Said } from "../components/Said";
import { SessionTable, useNames } from "../components/tickets";
import { Ago } from "../components/time";
import { apart } from "../visible";
import { useWords } from "../words";

export default function TicketPage() {
  const id = Number(useParams().id);
  const query = useQuery({ queryKey: ["ticket", id], queryFn: () => api.get<Ticket>(`/tickets/${id}`) });
  return <Loaded query={query}>{(ticket) => <TicketOf ticket={ticket} />}</Loaded>;
}

function TicketOf({ ticket }: { ticket: Ticket }) {
  const { t, word } = useWords();
  const names = useNames();
  const parameters = Object.entries(ticket.parameters).map(([name, value]): [string, string] => [name, String(value)]);
  return (
    <Page title={t("ticket.heading", { id: ticket.id })} beside={<StateBadge state={ticket.state} />} actions={<Verbs ticket={ticket} />}>
      <Stack gap="md">
        <Paper>
          <Stack gap="sm">
            <Title order={2}>
              <Said>{ticket.title}</Said>
            </Title>
            <Text fz="sm" style={{ whiteSpace: "pre-line" }}>
              <Said>{ticket.text}</Said>
            </Text>
            <Facts
              facts={[
                [t("word.environment"), names.environment(ticket.environment)],
                [t("word.template"), names.template(ticket.template)],
                [t("word.priority"), word("priority", String(ticket.priority))],
                [t("word.filedBy"), ticket.filed_by],
                [t("word.when"), <Ago key="when" at={ticket.created_at} />],
              ]}
            />
            {parameters.length > 0 && (
              <div>
                <Badge color="gray" mb={6}>
                  {t("ticket.parameters")}
                </Badge>
                <Facts facts={parameters} />
              </div>
            )}
          </Stack>
        </Paper>
        <div>
          <Title order={2} mb={6}>
            {t("ticket.sessions")}
          </Title>
          <SessionTable label={t("ticket.sessions")} rows={ticket.sessions} empty={<Empty title={t("ticket.noSession")} />} />
        </div>
      </Stack>
    </Page>
  );
}

function Verbs({ ticket }: { ticket: Ticket }) {
  const { t } = useWords();
  const ask = useAsk();
  const navigate = useNavigate();
  const cancel = useVerb(() => api.post(`/tickets/${ticket.id}/cancel`), { touches: ["ticket", "tickets"] });
  const rerun = useVerb(() => api.post<Attempt>(`/tickets/${ticket.id}/rerun`), {
    touches: ["ticket", "tickets"],
    done: (session) => void navigate(`/sessions/${session.id}`),
  });
  async function askToCancel(): Promise<void> {
    const answer = await ask({
      title: t("ticket.cancelTitle", { id: ticket.id }),
      body: t("ticket.cancelBody", { title: apart(ticket.title) }),
      verb: t("ticket.cancel"),
      danger: true,
    });
    if (answer) cancel.mutate(undefined);
  }
  return (
    <>
      {ticket.state === "open" ? (
        <Button variant="light" color="red" onClick={() => void askToCancel()} loading={cancel.isPending}>
          {t("ticket.cancel")}
        </Button>
      ) : (
        <Button variant="default" onClick={() => rerun.mutate(undefined)} loading={rerun.isPending}>
          {t("ticket.rerun")}
        </Button>
      )}
      {ticket.session && (
        <Button component={Link} to={`/sessions/${ticket.session.id}`}>
          {t("ticket.watch")}
        </Button>
      )}
    </>
  );
}
