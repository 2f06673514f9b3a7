/** After the end: what the console says, what a person says, and whether policies shall learn from it. */
import { Alert, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { IconCheck, IconX } from "../icons";
import { useState } from "react";

import { api } from "../api/client";
import type { SessionView } from "../api/types";
import { useVerb } from "../api/verbs";
import { useAsk } from "../components/ask";
import { OutcomeBadge, StateBadge } from "../components/badges";
import { To } from "../components/page";
import { KeyHint } from "../components/KeyHint";
import { Said } from "../components/Said";
import { useKeys } from "../keys";
import { useWords } from "../words";
import { Checks } from "./Checks";
import type { Judged } from "./undo";
import { UndoVerdict } from "./UndoVerdict";

export function EndedPanel({ view, reviewed }: { view: SessionView; reviewed?: (judged: Judged) => void }) {
  const { t } = useWords();
  return (
    <Paper component="section" aria-label={t("word.outcome")}>
      <Stack gap="sm">
        <Group gap="xs">
          <StateBadge state={view.state} />
          <OutcomeBadge outcome={view.outcome} />
          {view.trajectory_hash && view.review_state === "accepted" && (
            <To to={`/trajectories/${view.trajectory_hash}`}>{t("ended.trajectory")}</To>
          )}
        </Group>
        {view.end_reason && (
          <Text fz="sm">
            <Said>{view.end_reason}</Said>
          </Text>
        )}
        {view.answer && (
          <Text fz="sm">
            <Text span c="dimmed">
              {t("ended.answer")}:{" "}
            </Text>
            <b>
              <Said>{view.answer}</Said>
            </b>
          </Text>
        )}
        {view.verification && <Checks verification={view.verification} />}
        <Review view={view} reviewed={reviewed} />
      </Stack>
    </Paper>
  );
}

function Review({ view, reviewed }: { view: SessionView; reviewed?: ((judged: Judged) => void) | undefined }) {
  const { t } = useWords();
  const ask = useAsk();
  const [judged, setJudged] = useState<Judged | null>(null);
  const review = useVerb(
    (given: { verdict: "accept" | "reject"; note: string }) => api.post(`/sessions/${view.id}/review`, { ...given, labels: [] }),
    {
      touches: ["session", "review"],
      done: (_, { verdict }) => (reviewed ?? setJudged)({ session: view.id, title: view.ticket.title, verdict, at: Date.now() }),
    },
  );
  const may = view.can.review && !review.isPending;
  const accept = () => review.mutate({ verdict: "accept", note: "" });
  async function refuse(): Promise<void> {
    const answer = await ask({
      title: t("ended.rejectReview"),
      verb: t("ended.rejectReview"),
      reason: "wanted",
    });
    if (answer) review.mutate({ verdict: "reject", note: answer.reason });
  }
  useKeys([
    { key: "a", label: t("ended.accept"), run: accept, off: !may },
    { key: "r", label: t("ended.rejectReview"), run: () => void refuse(), off: !may },
  ]);
  if (view.review_state === "accepted" || view.review_state === "rejected") {
    const isAccepted = view.review_state === "accepted";
    return (
      <>
      <Alert color={isAccepted ? "green" : "gray"} title={t(isAccepted ? "ended.accepted" : "ended.rejected")}>
        <Said>{[view.reviewed_by, view.review_note].filter(Boolean).join(" · ")}</Said>
      </Alert>
      {judged && <UndoVerdict key={judged.at} judged={judged} />}
      </>
    );
  }
  if (view.review_state !== "waiting") return null;
  if (!view.can.review) return <Text fz="sm">{t("ended.waiting")}</Text>;
  return (
    <Stack gap={6}>
      <Text fz="xs" c="dimmed">
        {t("ended.reviewHint")}
      </Text>
      <Group gap={6} grow>
        <Button leftSection={<IconCheck size={15} />} rightSection={<KeyHint of="a" />} onClick={accept} loading={review.isPending}>
          {t("ended.accept")}
        </Button>
        <Button variant="default" leftSection={<IconX size={15} />} rightSection={<KeyHint of="r" />} onClick={() => void refuse()} disabled={!may}>
          {t("ended.rejectReview")}
        </Button>
      </Group>
    </Stack>
  );
}
