/** `/approvals`: one column of cards, the oldest and riskiest first; the next one opens by itself. */
import { Badge, Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { api, frameUrl } from "../api/client";
import { RISKS, type Observation } from "../api/contracts";
import type { EnvironmentView, Listed, Me, QueuedApproval } from "../api/types";
import { useIsAtLeast } from "../api/verbs";
import { RiskBadge } from "../components/badges";
import { ChoiceFilter, useFilters } from "../components/listing";
import { Empty, Loaded, Page, To } from "../components/page";
import { Said } from "../components/Said";
import { useEnvironments, useNames } from "../components/tickets";
import { Since } from "../components/time";
import { useKeys } from "../keys";
import { DecisionPanel } from "../session/DecisionPanel";
import { Screen } from "../session/Screen";
import { proposalRings } from "../session/SessionDesk";
import type { Made } from "../session/undo";
import { UndoBar } from "../session/UndoBar";
import { useDesk } from "../session/useDesk";
import { useWords } from "../words";

const RENEW_MS = 10_000;

export default function ApprovalsPage({ me }: { me: Me }) {
  const { t, word } = useWords();
  const filters = useFilters(["environment", "risk"]);
  const [made, setMade] = useState<(Made & { session: number }) | null>(null);
  const environments: EnvironmentView[] = useEnvironments().data ?? [];
  const query = useQuery({
    queryKey: ["approvals", filters.values],
    queryFn: () => api.get<Listed<QueuedApproval>>("/approvals", filters.values),
    refetchInterval: 15_000,
  });
  return (
    <Page
      title={t("nav.approvals")}
      beside={query.data && <Badge color="gray">{t("approvals.waiting", { n: query.data.count })}</Badge>}
      actions={
        <>
          <ChoiceFilter filters={filters} name="environment" label={t("word.environment")} options={environments.map(({ id, title }) => ({ value: id, label: title }))} />
          <ChoiceFilter filters={filters} name="risk" label={t("word.risk")} options={RISKS.map((risk) => ({ value: risk, label: word("risk", risk) }))} />
        </>
      }
    >
      <Loaded query={query}>
        {({ items }) => (
          <>
            {made && <UndoBar key={made.step.id} session={made.session} made={made} steps={[]} />}
            {items.length > 0 ? (
              <Queue items={items} me={me} onMade={(session, last) => setMade({ ...last, session })} />
            ) : (
              <Empty title={t("approvals.empty")}>{t("approvals.emptyBody")}</Empty>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface QueueProps {
  items: QueuedApproval[];
  me: Me;
  onMade: (session: number, made: Made) => void;
}

function Queue({ items, me, onMade }: QueueProps) {
  const { t } = useWords();
  const [wanted, setWanted] = useState<number | null>(null);
  const free = (item: QueuedApproval) => !item.claimed_by || item.claimed_by === me.username;
  const active = items.find((item) => item.id === wanted) ?? items.find(free) ?? items[0];
  const at = items.findIndex((item) => item.id === active?.id);
  const go = (to: number) => setWanted(items[Math.min(Math.max(to, 0), items.length - 1)]?.id ?? null);
  function decided(item: QueuedApproval, made: Made): void {
    setWanted(null);
    // What was allowed is done within a moment; only a no can be taken back from here.
    if (made.step.decision === "rejected") onMade(item.session_id, made);
  }
  useKeys([
    { key: "j", label: t("approvals.next"), run: () => go(at + 1) },
    { key: "k", label: t("approvals.previous"), run: () => go(at - 1) },
  ]);
  return (
    <Stack gap="xs" maw={1180} mx="auto" w="100%" component="ol" p={0} m={0} style={{ listStyle: "none" }}>
      {items.map((item) => (
        <li key={item.id}>
          <QueueCard item={item} isActive={item.id === active?.id} me={me} onOpen={() => setWanted(item.id)} onDecided={(made) => decided(item, made)} />
        </li>
      ))}
    </Stack>
  );
}

interface CardProps {
  item: QueuedApproval;
  isActive: boolean;
  me: Me;
  onOpen: () => void;
  onDecided: (made: Made) => void;
}

function QueueCard({ item, isActive, me, onOpen, onDecided }: CardProps) {
  const card = useRef<HTMLDivElement>(null);
  const names = useNames();
  useEffect(() => {
    if (isActive) card.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <Paper ref={card} className="card-queue" data-active={isActive} aria-current={isActive || undefined} onClick={isActive ? undefined : onOpen}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <RiskBadge risk={item.risk} />
          <button type="button" className="linklike" aria-expanded={isActive} onClick={onOpen}>
            <Said>{item.summary}</Said>
          </button>
        </Group>
        <Group gap="sm">
          <Claim item={item} me={me} />
          <Text fz="xs" c="dimmed">
            <Said>{item.ticket.title}</Said> · {names.environment(item.environment)}
          </Text>
          <Since at={item.asked_at} />
        </Group>
      </Group>
      {isActive && <OpenCard key={`${item.id}:${item.fingerprint}`} item={item} me={me} onDecided={onDecided} />}
    </Paper>
  );
}

function Claim({ item, me }: { item: QueuedApproval; me: Me }) {
  const { t } = useWords();
  if (!item.claimed_by) return null;
  const isMine = item.claimed_by === me.username;
  return (
    <Badge color={isMine ? "rope" : "blue"}>{isMine ? t("approvals.yours") : t("approvals.claimedBy", { who: item.claimed_by })}</Badge>
  );
}

/** Holds the claim on a card while it is open with somebody who may decide. */
function useClaim(id: number, may: boolean): void {
  useEffect(() => {
    if (!may) return undefined;
    // A refused claim needs no notice: the card shows who has it.
    const claim = () => void api.post(`/approvals/${id}/claim`).catch(() => undefined);
    claim();
    const timer = window.setInterval(claim, RENEW_MS);
    return () => {
      window.clearInterval(timer);
      void api.post(`/approvals/${id}/release`).catch(() => undefined);
    };
  }, [id, may]);
}

function OpenCard({ item, me, onDecided }: { item: QueuedApproval; me: Me; onDecided: (made: Made) => void }) {
  const { t } = useWords();
  const canDecide = useIsAtLeast("reviewer");
  useClaim(item.id, canDecide && !item.blocked_reason);
  const desk = useDesk(item, item.step, onDecided);
  const page = useQuery({
    queryKey: ["observation", item.session_id, item.step.index],
    queryFn: () => api.get<Observation>(`/sessions/${item.session_id}/steps/${item.step.index}/observation`),
    staleTime: Infinity,
  });
  const elements = page.data?.elements ?? [];
  return (
    <div className="session" style={{ marginTop: 10 }}>
      <div>
        <Screen
          label={t("approvals.picture")}
          viewport={page.data?.viewport ?? [1280, 720]}
          picture={{ still: item.step.before ? frameUrl(item.step.before) : "" }}
          rings={proposalRings(item.step, elements)}
          {...(desk.mode === "correct"
            ? { pick: { elements: elements.filter(({ actionable }) => actionable), picked: desk.draft.element, hot: desk.hot, onHot: desk.setHot, onPick: desk.pick } }
            : {})}
        />
        <Group gap="sm" mt={6} justify="space-between">
          <Text fz="xs" c="dimmed" ff="monospace" truncate>
            <Said>{page.data?.url}</Said>
          </Text>
          <To to={`/sessions/${item.session_id}`}>{t("approvals.openSession")}</To>
        </Group>
      </div>
      <Stack gap="xs">
        <Text fz="sm">
          <Said>{item.goal.text}</Said>
        </Text>
        <DecisionPanel desk={desk} approval={item} step={item.step} elements={elements} goal={item.goal} canDecide={canDecide} me={me.username} />
      </Stack>
    </div>
  );
}
