/** The state of one decision: what is proposed, what a person puts in its place, and the commands. */
import { useState } from "react";

import { api } from "../api/client";
import type { Action, PageElement } from "../api/contracts";
import type { ApprovalView, Decision, StepView } from "../api/types";
import { useVerb } from "../api/verbs";
import { actionOf, draftOf, picked, type Draft } from "./actions";
import type { Made } from "./undo";

export interface Desk {
  mode: "decide" | "correct";
  draft: Draft;
  setDraft: (draft: Draft) => void;
  hot: number | null;
  setHot: (ref: number | null) => void;
  pick: (element: PageElement) => void;
  correct: (from?: Action | null) => void;
  back: () => void;
  /** What the draft stands for, null while something is lacking. */
  action: Action | null;
  approve: () => void;
  sendCorrection: () => void;
  reject: (reason: string) => void;
  isSending: boolean;
  /** The question was replaced while a correction was being put together. */
  wasReplaced: boolean;
}

interface Given {
  decision: Decision;
  action?: Action;
  reason?: string;
}

interface Work {
  key: string;
  mode: Desk["mode"];
  draft: Draft;
  wasReplaced: boolean;
}

const work = (key: string, proposal: Action | null | undefined, wasReplaced = false): Work => ({
  key,
  mode: "decide",
  draft: draftOf(proposal),
  wasReplaced,
});

export function useDesk(
  approval: ApprovalView | null,
  step: StepView | undefined,
  decided: ((made: Made) => void) | undefined = undefined,
): Desk {
  const key = approval ? `${approval.id}:${approval.fingerprint}` : "";
  const proposal = step?.proposal?.action;
  const [state, setState] = useState<Work>(() => work(key, proposal));
  const [hot, setHot] = useState<number | null>(null);
  const [answered, setAnswered] = useState(""); // the question that was answered here: it is not asked twice
  // A new question starts with an empty desk; who was in the middle of the old one is told.
  if (state.key !== key) setState(work(key, proposal, state.mode === "correct" && key !== ""));

  const decide = useVerb(
    (given: Given) =>
      api.post<StepView>(`/sessions/${approval?.session_id ?? 0}/decide`, {
        proposal_id: approval?.proposal_id,
        fingerprint: approval?.fingerprint,
        ...given,
      }),
    {
      touches: ["session", "approvals"],
      done: (answer) => {
        setAnswered(key);
        decided?.({ step: answer, at: Date.now() });
      },
    },
  );
  const action = actionOf(state.draft);
  const setDraft = (draft: Draft) => setState({ ...state, draft });
  return {
    mode: state.mode,
    draft: state.draft,
    setDraft,
    hot,
    setHot,
    pick: (element) => setDraft(picked(state.draft, element)),
    correct: (from) => setState({ ...state, mode: "correct", draft: draftOf(from ?? proposal), wasReplaced: false }),
    back: () => setState({ ...state, mode: "decide", wasReplaced: false }),
    action,
    approve: () => decide.mutate({ decision: "approved" }),
    sendCorrection: () => {
      if (action) decide.mutate({ decision: "corrected", action });
    },
    reject: (reason) => decide.mutate({ decision: "rejected", reason }),
    isSending: decide.isPending || (key !== "" && answered === key),
    wasReplaced: state.wasReplaced,
  };
}
