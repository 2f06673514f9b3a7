/** One session, whole: its browser on the left, what is asked and what happened on the right. */
import { Alert, Tabs, Text } from "@mantine/core";
import { IconPlugConnectedX } from "../icons";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, frameUrl } from "../api/client";
import type { Action, Observation, PageElement } from "../api/contracts";
import type { Me, SessionView, StepView } from "../api/types";
import { notifyProblem } from "../api/verbs";
import { Facts } from "../components/page";
import { Said } from "../components/Said";
import { useHand } from "../live/hand";
import type { Link } from "../live/socket";
import { visible } from "../visible";
import { useWords } from "../words";
import { elementOf, worthShowing } from "./actions";
import { DialogPanel } from "./DialogPanel";
import { DrivingPanel, PendingPanel, StatePanel, useCommand } from "./Controls";
import { DecisionPanel, stepFind } from "./DecisionPanel";
import { ElementsTable } from "./ElementsTable";
import { EndedPanel } from "./EndedPanel";
import { Labels } from "./Labels";
import { pictureAt, ringsAt, type Player } from "./replay";
import { ReplayBar } from "./ReplayBar";
import { Screen, type Ring } from "./Screen";
import { Timeline } from "./Timeline";
import type { Judged, Made } from "./undo";
import { UndoBar } from "./UndoBar";
import { useDesk } from "./useDesk";

export const ENDED = new Set(["completed", "failed", "rejected", "cancelled", "timed_out"]);

/** Rings of a proposal and of its alternatives, numbered as the keys are. */
export function proposalRings(step: StepView | undefined, elements: PageElement[]): Ring[] {
  if (!step?.proposal) return [];
  const boxOf = (action: Action) => {
    const ref = elementOf(action);
    if (ref === null) return undefined;
    return step.target?.ref === ref ? step.target.box : elements.find((element) => element.ref === ref)?.box;
  };
  const actions = [step.proposal.action, ...worthShowing(step.proposal).map(({ action }) => action)];
  const rings = actions.map((action, at) => ({ box: boxOf(action), number: at + 1, main: at === 0 }));
  const seen = new Set<string>();
  return rings.filter((ring): ring is Ring => {
    const place = JSON.stringify(ring.box);
    if (!ring.box || seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

interface SessionDeskProps {
  view: SessionView;
  me: Me;
  link: Link;
  player: Player;
  reviewed?: (judged: Judged) => void;
}

export function SessionDesk({ view, me, link, player, reviewed }: SessionDeskProps) {
  const words = useWords();
  const { t } = words;
  const isEnded = ENDED.has(view.state);
  const isLive = !isEnded && view.state !== "queued";
  const { approval } = view;
  const asked = view.steps.find((step) => step.id === approval?.step_id);
  const [made, setMade] = useState<Made | null>(null);
  const desk = useDesk(approval, asked, setMade);
  const command = useCommand(view.id);
  const hand = useHand(view.id, (problem) => notifyProblem(problem, words));
  const [open, setOpen] = useState<number | null>(null);
  const [hot, setHot] = useState<PageElement | null>(null);
  const isMine = view.control === "user" && view.controlled_by === me.username;
  const takeOver = view.can.take_over ? () => command.mutate({ command: "take-over" }) : undefined;
  const isShowingNow = player.at === null;

  // A step that is opened is shown; a position that is played opens its step.
  const openStep = isShowingNow ? open : (view.steps[player.at ?? 0]?.index ?? open);
  function onOpen(index: number | null): void {
    setOpen(index);
    if (index !== null) player.go(view.steps.findIndex((step) => step.index === index));
    else if (isLive) player.go(null);
  }

  const rings: Ring[] = hot
    ? [{ box: hot.box, number: hot.ref, main: true }]
    : isShowingNow
      ? proposalRings(asked, view.elements)
      : ringsAt(view.steps, player.at ?? 0);
  const still = frameUrlOrEmpty(pictureAt(view.steps, player.at ?? view.steps.length));

  return (
    <div className="session">
      <div className="session-screen">
        {isLive && link === "lost" && (
          <Alert color="red" icon={<IconPlugConnectedX size={16} />} mb={6} role="status">
            {t("session.lost")}
          </Alert>
        )}
        <Screen
          label={t("session.screen", { id: view.id })}
          viewport={view.viewport}
          picture={isShowingNow && isLive ? { live: view.id } : { still }}
          rings={rings}
          {...(isShowingNow && desk.mode === "correct" && approval
            ? { pick: { elements: view.elements.filter(({ actionable }) => actionable), picked: desk.draft.element, hot: desk.hot, onHot: desk.setHot, onPick: desk.pick } }
            : {})}
          {...(isShowingNow && isMine
            ? { drive: { elements: view.elements, onEvent: hand, onLeave: () => document.getElementById("hand-back")?.focus() } }
            : {})}
        />
        <ReplayBar player={player} isLive={isLive} withSpace={isEnded || !isShowingNow} />
        <Text fz="xs" c="dimmed" ff="monospace" mt={4} truncate title={visible(view.url)}>
          <Said>{view.url}</Said>
        </Text>
        <div className="wide-only">
          <GoalPanel view={view} />
        </div>
      </div>
      <div className="session-side">
        {made && !isEnded && <UndoBar key={made.step.id} session={view.id} made={made} steps={view.steps} />}
        {view.control === "user_pending" && <PendingPanel view={view} />}
        {!isEnded && view.control === "user" && <DrivingPanel view={view} isMine={isMine} />}
        {!isEnded && isMine && <DialogPanel step={view.steps.at(-1)} onEvent={hand} />}
        {!isEnded && view.control === "agent" && approval && (
          <DecisionPanel
            desk={desk}
            approval={approval}
            step={asked}
            elements={view.elements}
            goal={view.goal}
            maxSteps={view.max_steps}
            canDecide={view.can.decide}
            me={me.username}
            {...(takeOver ? { takeOver } : {})}
          />
        )}
        {!isEnded && view.control === "agent" && !approval && <StatePanel view={view} takeOver={takeOver} />}
        {isEnded && <EndedPanel view={view} {...(reviewed ? { reviewed } : {})} />}
        <div className="narrow-only">
          <GoalPanel view={view} />
        </div>
        <Labels view={view} openStep={openStep} />
        <div className="panel">
          <Tabs defaultValue="timeline" keepMounted={false}>
            <Tabs.List>
              <Tabs.Tab value="timeline">
                {t("timeline.title")} ({view.steps.length})
              </Tabs.Tab>
              <Tabs.Tab value="elements">{t("elements.title")}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="timeline">
              <Timeline steps={view.steps} open={openStep} onOpen={onOpen} me={me.username} find={(step) => stepFind(step, view.elements)} />
            </Tabs.Panel>
            <Tabs.Panel value="elements">
              <ElementsNow view={view} step={isShowingNow ? undefined : view.steps[player.at ?? 0]} onHot={setHot} />
            </Tabs.Panel>
          </Tabs>
        </div>
      </div>
    </div>
  );
}

const frameUrlOrEmpty = (hash: string): string => (hash ? frameUrl(hash) : "");

function GoalPanel({ view }: { view: SessionView }) {
  const { t } = useWords();
  return (
    <div className="panel" style={{ padding: 10 }}>
      <Text fz="xs" c="dimmed">
        {t("session.goal")}
      </Text>
      <Text fz="sm" mb={view.goal.fields.length > 0 ? 6 : 0}>
        <Said>{view.goal.text}</Said>
      </Text>
      {view.goal.fields.length > 0 && <Facts facts={view.goal.fields} />}
    </div>
  );
}

interface ElementsNowProps {
  view: SessionView;
  step: StepView | undefined;
  onHot: (element: PageElement | null) => void;
}

function ElementsNow({ view, step, onHot }: ElementsNowProps) {
  const past = useQuery({
    queryKey: ["observation", view.id, step?.index],
    queryFn: () => api.get<Observation>(`/sessions/${view.id}/steps/${step?.index ?? 0}/observation`),
    enabled: step !== undefined,
    staleTime: Infinity,
  });
  if (step) return <ElementsTable elements={past.data?.elements ?? []} url={past.data?.url ?? ""} onHot={onHot} />;
  return <ElementsTable elements={view.elements} url={view.url} onHot={onHot} />;
}

