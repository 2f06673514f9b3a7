/** The vocabulary that actions, pages and templates are written in: names for the generated schema. */
import type { components } from "./schema";

type S = components["schemas"];

export const RISKS = ["read", "reversible", "cost", "credential", "destructive", "unknown"] as const;

export type Key = S["PressSchema"]["key"];
export const KEYS: readonly Key[] = ["Enter", "Escape", "Tab", "Backspace", "Delete", "ArrowUp", "ArrowDown", "Space"];

export type Action =
  | S["ClickSchema"]
  | S["TypeSchema"]
  | S["SelectSchema"]
  | S["PressSchema"]
  | S["ScrollSchema"]
  | S["NavigateSchema"]
  | S["WaitSchema"]
  | S["FinishSchema"]
  | S["GiveUpSchema"];

export type ActionKind = Action["kind"];
export const ACTION_KINDS: readonly ActionKind[] = [
  "click",
  "type",
  "select",
  "press",
  "scroll",
  "navigate",
  "wait",
  "finish",
  "give_up",
];

export type Box = S["BoxSchema"];
export type PageElement = S["ElementSchema"];
export type Observation = S["ObservationSchema"];
export type Proposal = S["ProposalSchema"];
export type ActResult = S["ActResultSchema"];
export type Goal = S["GoalSchema"];
export type Verification = S["VerificationSchema"];
export type Parameter = S["ParameterView"];
export type Template = S["TemplateView"];
export type Actor = S["StepView"]["actor"];

/** A stored trajectory, as `sandbox/contracts/trajectories.py` has it. */
export interface TrajectoryStep {
  observation: Observation;
  proposal: Proposal | null;
  actor: Actor;
  decision: string | null;
  source: string | null;
  risk: string;
  action: Action;
  result: ActResult;
  labels: string[];
  before: string;
  after: string;
}

export interface Trajectory {
  id: string;
  task: { environment: string; template: string; goal: Goal; seed: number; max_steps: number };
  steps: TrajectoryStep[];
  verification: Verification;
  policy: string;
  answer: string;
  verdict: string;
  labels: string[];
}

/** One act of the person at the wheel; mirrors `sandbox/contracts/takeover.py`. */
export type HandEvent =
  | { kind: "pointer"; x: number; y: number; clicks: number }
  | { kind: "key"; key: string }
  | { kind: "text"; text: string }
  | { kind: "wheel"; x: number; y: number; dy: number }
  | { kind: "select"; element: number; option: string }
  | { kind: "agree" };
