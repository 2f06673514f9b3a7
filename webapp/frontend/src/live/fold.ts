/** A live session is a snapshot plus a pure fold over numbered events. */
import type { PageElement } from "../api/contracts";
import type { ApprovalView, Mark, SessionView, StepView } from "../api/types";

/** The keys of a session that an event may change. */
export type SessionChange = Partial<
  Pick<
    SessionView,
    | "state"
    | "control"
    | "controlled_by"
    | "outcome"
    | "verification"
    | "answer"
    | "verdict"
    | "review_state"
    | "started_at"
    | "ended_at"
    | "end_reason"
    | "step_count"
    | "trajectory_hash"
    | "reviewed_by"
    | "review_note"
    | "policy"
    | "arm"
  >
>;

export type LiveEvent = { seq: number; at?: string } & (
  | { kind: "session_changed"; data: SessionChange }
  | {
      kind: "page_changed";
      data: { elements: PageElement[]; url: string; title: string; fingerprint: string; viewport: [number, number] };
    }
  | { kind: "step_changed"; data: { step: StepView } }
  | { kind: "approval_changed"; data: { approval: ApprovalView | null } }
  | { kind: "marks_changed"; data: { marks: Mark[] } }
);

function placed(steps: StepView[], step: StepView): StepView[] {
  const others = steps.filter((other) => other.index !== step.index);
  return [...others, step].sort((a, b) => a.index - b.index);
}

/** The view after this event; the same view for a repeated one; "gap" where one before it was missed. */
export function fold(view: SessionView, event: LiveEvent): SessionView | "gap" {
  if (event.seq <= view.seq) return view;
  if (event.seq > view.seq + 1) return "gap";
  const seq = event.seq;
  switch (event.kind) {
    case "session_changed":
      return { ...view, ...event.data, seq };
    case "page_changed":
      return { ...view, ...event.data, seq };
    case "step_changed":
      return { ...view, seq, steps: placed(view.steps, event.data.step) };
    case "approval_changed":
      return { ...view, seq, approval: event.data.approval };
    case "marks_changed":
      return { ...view, seq, marks: event.data.marks };
    default:
      return event satisfies never;
  }
}
