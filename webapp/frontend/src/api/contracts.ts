/** The vocabulary that actions, pages and templates are written in; mirrors `sandbox/contracts`. */

export type Risk = "read" | "reversible" | "cost" | "credential" | "destructive" | "unknown";
export const RISKS: readonly Risk[] = ["read", "reversible", "cost", "credential", "destructive", "unknown"];

export const KEYS = ["Enter", "Escape", "Tab", "Backspace", "Delete", "ArrowUp", "ArrowDown", "Space"] as const;
export type Key = (typeof KEYS)[number];

export type Action =
  | { kind: "click"; element: number }
  | { kind: "type"; element: number; text: string }
  | { kind: "select"; element: number; option: string }
  | { kind: "press"; key: Key }
  | { kind: "scroll"; direction: "up" | "down" }
  | { kind: "navigate"; url: string }
  | { kind: "wait" }
  | { kind: "finish"; answer: string }
  | { kind: "give_up"; reason: string };

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

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PageElement {
  ref: number;
  role: string;
  name: string;
  value: string;
  states: string[];
  box: Box;
  group: string;
  row: string;
  label: string;
  options: string[];
  region: string;
  frame: number;
  actionable: boolean;
}

export interface Observation {
  url: string;
  title: string;
  elements: PageElement[];
  dialogs: string[];
  toasts: string[];
  pending: number;
  viewport: [number, number];
  fingerprint: string;
}

export interface Alternative {
  action: Action;
  probability: number;
}

export interface Proposal {
  action: Action;
  probability: number;
  alternatives: Alternative[];
  value: number;
  policy: string;
  why: string;
}

export interface ActResult {
  outcome: string;
  detail: string;
  requests: string[];
  elapsed_ms: number;
}

export interface Goal {
  text: string;
  fields: [string, string][];
}

export type Outcome = "verified" | "failed" | "unverified";

export interface Verification {
  outcome: Outcome;
  checks: { name: string; holds: boolean; detail: string }[];
}

export interface Parameter {
  name: string;
  title: string;
  kind: "text" | "integer" | "choice";
  help: string;
  pattern: string;
  pattern_help: string;
  minimum: number | null;
  maximum: number | null;
  max_length: number;
  choices: string[];
  unit: string;
  example: string;
}

export interface Template {
  id: string;
  environment: string;
  title: string;
  summary: string;
  parameters: Parameter[];
  phrases: string[];
  risk: Risk;
  answers: boolean;
  max_steps: number;
}

export interface TrajectoryStep {
  observation: Observation;
  proposal: Proposal | null;
  actor: Actor;
  decision: string | null;
  source: string | null;
  risk: Risk;
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

export type Actor = "policy" | "operator" | "oracle";

/** One act of the person at the wheel; mirrors `sandbox/contracts/takeover.py`. */
export type HandEvent =
  | { kind: "pointer"; x: number; y: number; clicks: number }
  | { kind: "key"; key: string }
  | { kind: "text"; text: string }
  | { kind: "wheel"; x: number; y: number; dy: number }
  | { kind: "select"; element: number; option: string };
