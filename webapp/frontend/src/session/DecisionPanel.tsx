/** What is proposed, and the person's answers to it. */
import { Alert, Badge, Box, Button, Group, Kbd, Paper, Progress, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconArrowsExchange } from "../icons";

import type { Goal, PageElement, Proposal } from "../api/contracts";
import type { ApprovalView, StepView } from "../api/types";
import { useAsk } from "../components/ask";
import { RiskBadge } from "../components/badges";
import { Said } from "../components/Said";
import { agoText, useNow } from "../components/time";
import { KeyHint } from "../components/KeyHint";
import { useKeys } from "../keys";
import { useWords } from "../words";
import { actionText, chanceText, finder, objectText, verbText, worthShowing, type Find } from "./actions";
import { CorrectForm } from "./CorrectForm";
import type { Desk } from "./useDesk";

interface DecisionPanelProps {
  desk: Desk;
  approval: ApprovalView;
  step: StepView | undefined;
  elements: PageElement[];
  goal: Goal;
  maxSteps?: number;
  canDecide: boolean;
  me: string;
  /** Absent where one cannot take over from here. */
  takeOver?: () => void;
}

export function stepFind(step: StepView | undefined, elements: PageElement[]): Find {
  const onPage = finder(elements);
  return (ref) => (step?.target?.ref === ref ? step.target : onPage(ref));
}

export function DecisionPanel(props: DecisionPanelProps) {
  const { desk, approval, step, elements, goal, maxSteps, canDecide, me } = props;
  const { t, lang } = useWords();
  const now = useNow(10_000);
  const find = stepFind(step, elements);
  const claimedByOther = approval.claimed_by && approval.claimed_by !== me ? approval.claimed_by : "";
  const mayDecide = canDecide && !approval.blocked_reason;
  return (
    <Paper component="section" aria-label={t("decide.panel")}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Text fz="sm" c="dimmed">
            {step && maxSteps ? t("session.step", { n: step.index, max: maxSteps }) : ""}
          </Text>
          <RiskBadge risk={approval.risk} named />
        </Group>
        {desk.wasReplaced && <Alert color="yellow">{t("decide.changed")}</Alert>}
        {step?.proposal ? (
          <ProposalText proposal={step.proposal} find={find} />
        ) : (
          <Text fz="sm">{t("decide.noProposal")}</Text>
        )}
        {claimedByOther && <Alert color="blue">{t("decide.claimed", { who: claimedByOther })}</Alert>}
        {approval.blocked_reason && (
          <Alert color="orange" title={t("decide.notYou")}>
            <Said>{approval.blocked_reason}</Said>
          </Alert>
        )}
        {desk.mode === "correct" ? (
          <CorrectForm desk={desk} elements={elements} goal={goal} find={find} />
        ) : (
          <Answers {...props} mayDecide={mayDecide} find={find} />
        )}
        <Text fz="xs" c="dimmed">
          {t("decide.due", { when: agoText(approval.due_at, now, lang) })}
        </Text>
      </Stack>
    </Paper>
  );
}

function ProposalText({ proposal, find }: { proposal: Proposal; find: Find }) {
  const words = useWords();
  const { t } = words;
  return (
    <Stack gap={6}>
      <Group gap="xs" align="baseline" wrap="nowrap" justify="space-between">
        <Text className="action" component="p" m={0}>
          <b>{verbText(proposal.action, words)}</b> {objectText(proposal.action, find, words)}
        </Text>
        <Text ff="monospace" fw={600} style={{ whiteSpace: "nowrap" }}>
          {chanceText(proposal.probability)}
        </Text>
      </Group>
      <Progress value={proposal.probability * 100} size={5} aria-label={t("decide.probability")} />
      {proposal.why && (
        <Text fz="sm" c="dimmed">
          {t("session.why")}: <Said>{proposal.why}</Said>
        </Text>
      )}
      <Text fz="xs" c="dimmed">
        {proposal.policy} · {t("session.value")}: {chanceText(proposal.value)}
      </Text>
    </Stack>
  );
}

function Answers(props: DecisionPanelProps & { mayDecide: boolean; find: Find }) {
  const { desk, step, mayDecide, takeOver, find } = props;
  const words = useWords();
  const { t } = words;
  const ask = useAsk();
  const proposal = step?.proposal;
  const canApprove = mayDecide && Boolean(proposal) && !desk.isSending;
  const canAnswer = mayDecide && !desk.isSending;

  async function reject(): Promise<void> {
    const what = actionText(proposal?.action ?? null, find, words);
    const answer = await ask({
      title: t("reject.title"),
      body: t("reject.body", { what }),
      verb: t("reject.verb"),
      danger: true,
      reason: "needed",
    });
    if (answer) desk.reject(answer.reason);
  }

  const alternatives = proposal ? worthShowing(proposal) : [];
  useKeys([
    { key: "a", label: t("decide.approve"), run: desk.approve, off: !canApprove },
    { key: "c", label: t("decide.correct"), run: () => desk.correct(), off: !canAnswer },
    { key: "r", label: t("decide.reject"), run: () => void reject(), off: !canAnswer },
    { key: "t", label: t("decide.takeOver"), run: () => takeOver?.(), off: !takeOver },
    ...alternatives.map((other, at) => ({
      key: String(at + 2),
      label: actionText(other.action, find, words),
      run: () => desk.correct(other.action),
      off: !canAnswer,
    })),
  ]);

  return (
    <Stack gap="sm">
      <div className="answers">
        <Button rightSection={<KeyHint of="a" />} disabled={!canApprove} loading={desk.isSending} onClick={desk.approve}>
          {t("decide.approve")}
        </Button>
        <Button variant="default" rightSection={<KeyHint of="c" />} disabled={!canAnswer} onClick={() => desk.correct()}>
          {t("decide.correct")}
        </Button>
        <Button variant="default" rightSection={<KeyHint of="r" />} disabled={!canAnswer} onClick={() => void reject()}>
          {t("decide.reject")}
        </Button>
        {takeOver && (
          <Button variant="default" rightSection={<KeyHint of="t" />} onClick={takeOver}>
            {t("decide.takeOver")}
          </Button>
        )}
      </div>
      {alternatives.length > 0 && (
        <Box>
          <Text fz="xs" c="dimmed" mb={2}>
            <IconArrowsExchange size={12} aria-hidden /> {t("session.others")}
          </Text>
          {alternatives.map((other, at) => (
            <UnstyledButton key={at} className="choice" disabled={!canAnswer} onClick={() => desk.correct(other.action)}>
              <Kbd>{at + 2}</Kbd>
              <Text fz="sm" flex={1} lineClamp={2}>
                {actionText(other.action, find, words)}
              </Text>
              <Badge color="gray">{chanceText(other.probability)}</Badge>
            </UnstyledButton>
          ))}
        </Box>
      )}
    </Stack>
  );
}
