/** `/`: the work at hand, by role. */
import { Button, Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "../icons";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";

import { api } from "../api/client";
import type { Home, Me } from "../api/types";
import { Mono } from "../components/badges";
import { Empty, Loaded, Page, To } from "../components/page";
import { TicketTable } from "../components/tickets";
import { useWords, type WordKey } from "../words";

const ORDER: Record<Me["role"], string[]> = {
  operator: ["tickets", "running", "approvals", "verified", "reviews", "accepted"],
  reviewer: ["approvals", "reviews", "running", "tickets", "verified", "accepted"],
  admin: ["verified", "accepted", "approvals", "reviews", "running", "tickets"],
};

export function HomePage({ me }: { me: Me }) {
  const { t } = useWords();
  const query = useQuery({ queryKey: ["home"], queryFn: () => api.get<Home>("/home") });
  return (
    <Page title={t("nav.home")} actions={<Verbs me={me} />}>
      <Loaded query={query}>
        {(home) => (
          <Stack gap="md">
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
              {ORDER[me.role].map((name) => (
                <Figure key={name} name={name} home={home} />
              ))}
            </SimpleGrid>
            <Serving home={home} />
            <div>
              <Group justify="space-between" mb={6}>
                <Title order={2}>{t("home.recent")}</Title>
                <To to="/tickets">{t("home.all")}</To>
              </Group>
              <TicketTable rows={home.recent} empty={<Empty title={t("home.first")}>{t("home.firstBody")}</Empty>} />
            </div>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Verbs({ me }: { me: Me }) {
  const { t } = useWords();
  return (
    <>
      {me.role !== "operator" && (
        <>
          <Button component={Link} to="/review" variant="default">
            {t("home.judge")}
          </Button>
          <Button component={Link} to="/approvals" variant="default">
            {t("home.decide")}
          </Button>
        </>
      )}
      <Button component={Link} to="/tickets/new" leftSection={<IconPlus size={14} />}>
        {t("tickets.new")}
      </Button>
    </>
  );
}

function Figure({ name, home }: { name: string; home: Home }) {
  const { t } = useWords();
  const rate = home.verified_rate_7d;
  const figures: Record<string, [WordKey, ReactNode, string]> = {
    tickets: ["home.openTickets", home.open_tickets, "/tickets?state=open"],
    running: ["home.running", home.running_sessions, "/tickets?state=open"],
    approvals: ["home.approvals", home.waiting_approvals, "/approvals"],
    reviews: ["home.reviews", home.waiting_reviews, "/review"],
    verified: ["home.verified", rate === null ? "—" : `${Math.round(rate * 100)} %`, "/tickets?outcome=verified"],
    accepted: ["home.accepted", home.accepted_since_training, "/trajectories?source=session"],
  };
  const [label, value, to] = figures[name] ?? ["home.openTickets", "", "/"];
  return (
    <Paper component={Link} to={to} style={{ color: "inherit", textDecoration: "none" }} px="sm" py={10}>
      <Text fz="xs" c="dimmed" lineClamp={1}>
        {t(label)}
      </Text>
      <div className="number">{value}</div>
      {name === "accepted" && (
        <>
          <Progress value={(100 * home.accepted_since_training) / Math.max(home.train_after, 1)} size={4} mt={6} aria-label={t("home.accepted")} />
          <Text fz={10.5} c="dimmed" mt={3}>
            {t("home.acceptedOf", { n: home.accepted_since_training, max: home.train_after })}
          </Text>
        </>
      )}
    </Paper>
  );
}

function Serving({ home }: { home: Home }) {
  const { t } = useWords();
  const { rollout } = home;
  const champion = home.champion ? String(home.champion).replace(/^v/, "") : "";
  return (
    <Paper py={8}>
      <Group gap="xl">
        <Text fz="sm">
          {t("home.champion")}: {champion ? <To to={`/policies/${champion}`}><Mono>v{champion}</Mono></To> : t("word.none")}
        </Text>
        {rollout !== null && (
          <Text fz="sm">
            {t("home.rollout")}: <To to={`/rollouts/${rollout}`}>{t("rollout.heading", { id: rollout })}</To>
          </Text>
        )}
      </Group>
    </Paper>
  );
}
