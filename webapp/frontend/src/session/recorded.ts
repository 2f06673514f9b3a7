/** Steps of a stored trajectory in the shape that the timeline and the replay show. Pure. */
import type { Trajectory } from "../api/contracts";
import type { StepView, Target } from "../api/types";
import { elementOf } from "./actions";

export function recordedSteps(trajectory: Trajectory): StepView[] {
  return trajectory.steps.map((step, at) => {
    const ref = elementOf(step.action);
    const element = step.observation.elements.find((each) => each.ref === ref);
    const target: Target | null = element
      ? { ref: element.ref, role: element.role, name: element.name, box: element.box }
      : null;
    return {
      id: at,
      index: at + 1,
      proposal_id: "",
      fingerprint: step.observation.fingerprint,
      actor: step.actor,
      state: "done",
      risk: step.risk,
      proposal: step.proposal,
      decision: step.decision ?? "",
      source: step.source ?? "",
      decided_by: "",
      decided_at: null,
      reason: "",
      action: step.action,
      target,
      result: step.result,
      before: step.before,
      after: step.after,
      proposed_at: "",
      done_at: null,
      duration_ms: step.result.elapsed_ms,
      summary: "",
      labels: step.labels,
    };
  });
}
