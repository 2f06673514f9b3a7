/** Whether a decision can still be taken back. Pure; the server has the last word. */
import type { StepView } from "../api/types";

export const UNDO_MS = 5000;

/** A decision that was made here, and when by this window's clock. */
export interface Made {
  step: StepView;
  at: number;
}

/** A verdict that was given here, and when by this window's clock. */
export interface Judged {
  session: number;
  title: string;
  verdict: "accept" | "reject";
  at: number;
}

/** Nothing may have been done because of it: not the act itself, and no decision on what came next. */
export function canTakeBack(made: StepView, steps: StepView[]): boolean {
  const step = steps.find(({ id }) => id === made.id) ?? made;
  const isOpen = step.state === "decided" || (step.state === "withdrawn" && step.decision === "rejected");
  const later = steps.filter(({ index }) => index > step.index);
  return isOpen && later.every(({ state }) => state === "proposed" || state === "withdrawn");
}
