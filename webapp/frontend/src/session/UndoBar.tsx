/** For five seconds after a decision, as long as nothing was done because of it: take it back. */
import { Button, Group, Paper, Text } from "@mantine/core";
import { useEffect, useState } from "react";

import { api } from "../api/client";
import type { StepView } from "../api/types";
import { useVerb } from "../api/verbs";
import { KeyHint } from "../components/KeyHint";
import { useKeys } from "../keys";
import { useWords } from "../words";
import { canTakeBack, UNDO_MS, type Made } from "./undo";

interface UndoBarProps {
  session: number;
  made: Made;
  /** The session's steps as the page knows them; none where it shows only questions. */
  steps: StepView[];
}

export function UndoBar({ session, made, steps }: UndoBarProps) {
  const { t, word } = useWords();
  const [isOver, setOver] = useState(false);
  const undo = useVerb(() => api.post<StepView>(`/sessions/${session}/undo`, { proposal_id: made.step.proposal_id }), {
    touches: ["session", "approvals"],
    done: () => setOver(true),
  });
  useEffect(() => {
    const timer = window.setTimeout(() => setOver(true), Math.max(0, made.at + UNDO_MS - Date.now()));
    return () => window.clearTimeout(timer);
  }, [made.at]);
  const isOffered = !isOver && canTakeBack(made.step, steps);
  const run = () => undo.mutate(undefined);
  useKeys([{ key: "u", label: t("undo.verb"), run, off: !isOffered || undo.isPending }]);
  if (!isOffered) return null;
  return (
    <Paper role="status" py={6}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text fz="sm" truncate>
          {word("decision", made.step.decision)}: {made.step.summary}
        </Text>
        <Button size="compact-xs" variant="default" loading={undo.isPending} onClick={run} rightSection={<KeyHint of="u" />}>
          {t("undo.verb")}
        </Button>
      </Group>
    </Paper>
  );
}
