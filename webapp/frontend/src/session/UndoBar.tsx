/** For five seconds after a decision, as long as nothing was done because of it: take it back. */
import { useState } from "react";

import { api } from "../api/client";
import type { StepView } from "../api/types";
import { useVerb } from "../api/verbs";
import { Said } from "../components/Said";
import { useWords } from "../words";
import { TakeBack } from "./TakeBack";
import { canTakeBack, type Made } from "./undo";

interface UndoBarProps {
  session: number;
  made: Made;
  /** The session's steps as the page knows them; none where it shows only questions. */
  steps: StepView[];
}

export function UndoBar({ session, made, steps }: UndoBarProps) {
  const { word } = useWords();
  const [isDone, setDone] = useState(false);
  const undo = useVerb(() => api.post<StepView>(`/sessions/${session}/undo`, { proposal_id: made.step.proposal_id }), {
    touches: ["session", "approvals"],
    done: () => setDone(true),
  });
  return (
    <TakeBack at={made.at} run={() => undo.mutate(undefined)} isPending={undo.isPending} isOver={isDone || !canTakeBack(made.step, steps)}>
      {word("decision", made.step.decision)}: <Said>{made.step.summary}</Said>
    </TakeBack>
  );
}
