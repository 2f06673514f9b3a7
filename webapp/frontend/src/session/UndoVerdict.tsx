/** For five seconds after a verdict: take it back; until then nothing goes into the dataset. */
import { useState } from "react";

import { api } from "../api/client";
import { useVerb } from "../api/verbs";
import { Said } from "../components/Said";
import { useWords } from "../words";
import { TakeBack } from "./TakeBack";
import type { Judged } from "./undo";

export function UndoVerdict({ judged }: { judged: Judged }) {
  const { t } = useWords();
  const [isDone, setDone] = useState(false);
  const undo = useVerb(() => api.post(`/sessions/${judged.session}/review/undo`), {
    touches: ["session", "review"],
    done: () => setDone(true),
  });
  return (
    <TakeBack at={judged.at} run={() => undo.mutate(undefined)} isPending={undo.isPending} isOver={isDone}>
      {t(judged.verdict === "accept" ? "ended.accepted" : "ended.rejected")}: <Said>{judged.title}</Said>
    </TakeBack>
  );
}
