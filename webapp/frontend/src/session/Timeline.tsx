/** The steps of a session, each with what was seen, proposed, decided and done. */
import { Badge, Code, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconBolt, IconCheck, IconClock, IconHandStop, IconPencil, IconX } from "../icons";
import { useEffect, useRef, useState, type ReactNode } from "react";

import { frameUrl } from "../api/client";
import type { StepView } from "../api/types";
import { RiskBadge } from "../components/badges";
import { Facts } from "../components/page";
import { Said } from "../components/Said";
import { durationText } from "../components/time";
import { apart, visible } from "../visible";
import { useWords, type Words } from "../words";
import { actionText, chanceText, type Find } from "./actions";

interface TimelineProps {
  steps: StepView[];
  open: number | null;
  onOpen: (index: number | null) => void;
  me: string;
  /** Element names for actions whose own element is not with the step. */
  find: (step: StepView) => Find;
}

export function Timeline({ steps, open, onOpen, me, find }: TimelineProps) {
  const words = useWords();
  const { t } = words;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (open === null) return;
    const item = list.current?.querySelector<HTMLElement>("[data-open=true]");
    // Only the list scrolls: the picture and the answers stay where they are.
    if (item && list.current) list.current.scrollTop = Math.max(0, item.offsetTop - 60);
  }, [open]);
  if (steps.length === 0) {
    return (
      <Text fz="sm" c="dimmed" p="sm">
        {t("timeline.empty")}
      </Text>
    );
  }
  return (
    <ol ref={list} aria-label={t("timeline.title")} className="timeline">
      {steps.map((step) => (
        <li key={step.index} className="step" data-open={step.index === open}>
          <UnstyledButton
            aria-expanded={step.index === open}
            onClick={() => onOpen(step.index === open ? null : step.index)}
          >
            <Text fz="xs" c="dimmed" ff="monospace" ta="right">
              {step.index}
            </Text>
            <Text fz="sm" lineClamp={step.index === open ? 6 : 1} td={step.state === "withdrawn" ? "line-through" : undefined}>
              {actionText(step.action ?? step.proposal?.action ?? null, find(step), words)}
            </Text>
            <Who step={step} me={me} />
          </UnstyledButton>
          {step.index === open && <StepDetail step={step} find={find(step)} me={me} />}
        </li>
      ))}
    </ol>
  );
}

function icon(step: StepView): { mark: ReactNode; color: string } {
  if (step.state === "withdrawn") return { mark: <IconX size={13} />, color: step.decision === "rejected" ? "red" : "gray" };
  if (step.state === "uncertain") return { mark: <IconAlertTriangle size={13} />, color: "orange" };
  if (step.state === "proposed") return { mark: <IconClock size={13} />, color: "yellow" };
  if (step.actor === "operator" && !step.proposal) return { mark: <IconHandStop size={13} />, color: "red" };
  if (step.decision === "corrected") return { mark: <IconPencil size={13} />, color: "violet" };
  if (step.decision === "approved" && step.source === "user") return { mark: <IconCheck size={13} />, color: "green" };
  if (step.decision === "approved") return { mark: <IconBolt size={13} />, color: "gray" };
  return { mark: <IconCheck size={13} />, color: "gray" };
}

function who(step: StepView, me: string, { t, word }: Words): string {
  if (step.state === "proposed") return word("stepState", step.state);
  // Allowed, and yet not carried out: the page had changed, or somebody stepped in.
  if (step.state === "withdrawn" && step.decision !== "rejected") return word("stepState", step.state);
  if (step.source.startsWith("auto")) return t("source.auto");
  const name = step.decided_by !== "" && step.decided_by === me ? t("word.you") : step.decided_by;
  if (step.actor === "operator" && !step.proposal) return name || t("actor.operator");
  if (step.source === "user") return name || t("actor.operator");
  return name || (step.decision ? word("decision", step.decision) : word("actor", step.actor));
}

function Who({ step, me }: { step: StepView; me: string }) {
  const words = useWords();
  const { mark, color } = icon(step);
  const label = step.decision ? words.word("decision", step.decision) : words.word("stepState", step.state);
  return (
    <Group gap={4} wrap="nowrap">
      {step.labels.length > 0 && (
        <Badge size="xs" color="red">
          {step.labels.length}
        </Badge>
      )}
      {step.result && step.result.outcome !== "done" && (
        <Badge size="xs" color="orange">
          {words.word("result", step.result.outcome)}
        </Badge>
      )}
      <Badge size="sm" color={color} leftSection={mark} title={label}>
        {who(step, me, words)}
      </Badge>
    </Group>
  );
}

function Picture({ hash, label }: { hash: string; label: string }) {
  const { t } = useWords();
  const [isLost, setLost] = useState(false);
  return (
    <figure style={{ margin: 0 }}>
      {hash && !isLost ? (
        <a href={frameUrl(hash)} target="_blank" rel="noreferrer">
          <img src={frameUrl(hash)} alt={label} loading="lazy" onError={() => setLost(true)} />
        </a>
      ) : (
        <Text fz="xs" c="dimmed">
          {t(isLost ? "session.lostPicture" : "session.noPicture")}
        </Text>
      )}
      <Text component="figcaption" fz="xs" c="dimmed">
        {label}
      </Text>
    </figure>
  );
}

function StepDetail({ step, find, me }: { step: StepView; find: Find; me: string }) {
  const words = useWords();
  const { t, word, lang } = words;
  const decided = [
    step.decision ? word("decision", step.decision) : word("stepState", step.state),
    step.source.startsWith("auto") ? word("source", step.source) : step.source === "user" ? who(step, me, words) : "",
    step.decided_at ? new Date(step.decided_at).toLocaleTimeString(lang) : "",
  ];
  const facts: [string, ReactNode][] = [
    [
      t("timeline.proposed"),
      step.proposal
        ? `${actionText(step.proposal.action, find, words)} · ${chanceText(step.proposal.probability)}`
        : t("timeline.nothing"),
    ],
    [t("timeline.did"), actionText(step.action, find, words)],
    [t("timeline.decision"), decided.filter(Boolean).join(" · ")],
    [t("timeline.result"), step.result ? `${word("result", step.result.outcome)} ${apart(step.result.detail)}`.trim() : "—"],
    [t("timeline.took"), durationText(step.duration_ms) || "—"],
    [t("word.risk"), <RiskBadge key="risk" risk={step.risk} />],
  ];
  if (step.reason) facts.push([t("word.reason"), <Said key="reason">{step.reason}</Said>]);
  if (step.labels.length > 0) facts.push([t("labels.title"), step.labels.join(", ")]);
  return (
    <Stack gap="xs" p="xs" pt={4}>
      <div className="pictures">
        <Picture hash={step.before} label={t("timeline.before", { n: step.index })} />
        <Picture hash={step.after} label={t("timeline.after", { n: step.index })} />
      </div>
      <Facts facts={facts} />
      {step.result && step.result.requests.length > 0 && (
        <div>
          <Text fz="xs" c="dimmed">
            {t("timeline.requests")}
          </Text>
          {step.result.requests.map((request, at) => (
            <Code key={at} block fz="xs">
              {visible(request)}
            </Code>
          ))}
        </div>
      )}
    </Stack>
  );
}
