/** `/review`: ended sessions, one after the other, each to be accepted for training or kept out. */
import { Badge, Group, List, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "../api/client";
import type { Listed, Me, SessionRow, SessionView } from "../api/types";
import { OutcomeBadge, PolicyName, StateBadge } from "../components/badges";
import { ChoiceFilter, useFilters } from "../components/listing";
import { Empty, Loaded, Page, To } from "../components/page";
import { Said } from "../components/Said";
import { SessionTable, useEnvironments } from "../components/tickets";
import { useKeys } from "../keys";
import { useSession } from "../live/session";
import { usePlayer } from "../session/replay";
import { SessionDesk } from "../session/SessionDesk";
import type { Judged } from "../session/undo";
import { UndoVerdict } from "../session/UndoVerdict";
import { useWords, type WordKey } from "../words";

const RUBRIC: WordKey[] = ["review.rubric.1", "review.rubric.2", "review.rubric.3", "review.rubric.4"];

export default function ReviewPage({ me }: { me: Me }) {
  const { t, word } = useWords();
  const filters = useFilters(["environment", "template", "outcome"]);
  const environments = useEnvironments().data ?? [];
  const [judged, setJudged] = useState<Judged | null>(null);
  const query = useQuery({
    queryKey: ["review", filters.values],
    queryFn: () => api.get<Listed<SessionRow>>("/review", filters.values),
  });
  return (
    <Page
      full
      title={t("nav.review")}
      beside={query.data && <Badge color="gray">{t("approvals.waiting", { n: query.data.count })}</Badge>}
      actions={
        <>
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
        </>
      }
    >
      {judged && <UndoVerdict key={judged.at} judged={judged} />}
      <Loaded query={query}>
        {({ items }) =>
          items.length > 0 ? <Queue items={items} me={me} onJudged={setJudged} /> : <Empty title={t("review.empty")}>{t("review.emptyBody")}</Empty>
        }
      </Loaded>
    </Page>
  );
}

interface QueueProps {
  items: SessionRow[];
  me: Me;
  onJudged: (judged: Judged) => void;
}

function Queue({ items, me, onJudged }: QueueProps) {
  const { t } = useWords();
  const [wanted, setWanted] = useState<number | null>(null);
  const active = items.find((item) => item.id === wanted) ?? items[0];
  const at = items.findIndex((item) => item.id === active?.id);
  const go = (to: number) => setWanted(items[Math.min(Math.max(to, 0), items.length - 1)]?.id ?? null);
  function judged(verdict: Judged): void {
    setWanted(null);
    onJudged(verdict);
  }
  useKeys([
    { key: "j", label: t("approvals.next"), run: () => go(at + 1) },
    { key: "k", label: t("approvals.previous"), run: () => go(at - 1) },
  ]);
  return (
    <Stack gap="sm">
      {active && <OpenSession key={active.id} id={active.id} me={me} reviewed={judged} />}
      <Paper>
        <Text fz="xs" c="dimmed" mb={4}>
          {t("review.rubric")}
        </Text>
        <List size="sm" spacing={2}>
          {RUBRIC.map((line) => (
            <List.Item key={line}>{t(line)}</List.Item>
          ))}
        </List>
      </Paper>
      {items.length > 1 && <SessionTable label={t("nav.review")} rows={items} empty={null} withTicket />}
    </Stack>
  );
}

function OpenSession({ id, me, reviewed }: { id: number; me: Me; reviewed: (judged: Judged) => void }) {
  const { link, query } = useSession(id);
  return (
    <Loaded query={query}>
      {(view) => <ReviewOf view={view} me={me} link={link} reviewed={reviewed} />}
    </Loaded>
  );
}

interface ReviewOfProps {
  view: SessionView;
  me: Me;
  link: ReturnType<typeof useSession>["link"];
  reviewed: (judged: Judged) => void;
}

function ReviewOf({ view, me, link, reviewed }: ReviewOfProps) {
  const { t } = useWords();
  const player = usePlayer(view.steps, false);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <To to={`/sessions/${view.id}`}>{t("session.title", { ticket: view.ticket.id, id: view.id })}</To>
        <Text fz="sm">
          <Said>{view.ticket.title}</Said>
        </Text>
        <StateBadge state={view.state} />
        <OutcomeBadge outcome={view.outcome} />
        <PolicyName policy={view.policy} arm={view.arm} />
      </Group>
      <SessionDesk view={view} me={me} link={link} player={player} reviewed={reviewed} />
    </Stack>
  );
}
