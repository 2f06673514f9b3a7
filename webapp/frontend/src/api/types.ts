/** What the HTTP API answers with. */
import type {
  Action,
  ActResult,
  Actor,
  Box,
  Goal,
  Outcome,
  PageElement,
  Proposal,
  Risk,
  Template,
  Verification,
} from "./contracts";

export type Role = "operator" | "reviewer" | "admin";
export type SessionState =
  | "queued"
  | "starting"
  | "running"
  | "awaiting_approval"
  | "paused"
  | "user_control"
  | "completed"
  | "failed"
  | "rejected"
  | "cancelled"
  | "timed_out";
export type Control = "agent" | "user_pending" | "user";
export type StepState = "proposed" | "decided" | "intent" | "done" | "uncertain" | "withdrawn";
export type ReviewState = "" | "waiting" | "accepted" | "rejected";
export type TicketState = "open" | "done" | "failed" | "cancelled";
export type Decision = "approved" | "corrected" | "rejected";

export interface Listed<T> {
  items: T[];
  count: number;
}

export interface Me {
  id: number;
  username: string;
  role: Role;
}

export interface TicketBrief {
  id: number;
  title: string;
  filed_by: string;
}

export interface SessionRow {
  id: number;
  attempt?: number;
  ticket?: TicketBrief;
  environment?: string;
  template?: string;
  state: SessionState;
  outcome: Outcome | "";
  policy: string;
  arm: string;
  step_count: number;
  review_state?: ReviewState;
  verdict?: string;
  corrections?: number;
  started_at?: string | null;
  ended_at?: string | null;
  created_at?: string;
}

export interface TicketRow {
  id: number;
  title: string;
  environment: string;
  template: string;
  state: TicketState;
  priority: number;
  filed_by: string;
  created_at: string;
  session: SessionRow | null;
}

export interface Ticket extends TicketRow {
  text: string;
  parameters: Record<string, string>;
  goal: Goal;
  sessions: SessionRow[];
}

export interface Target {
  ref: number;
  role: string;
  name: string;
  box: Box;
}

export interface StepView {
  id: number;
  index: number;
  proposal_id: string;
  fingerprint: string;
  actor: Actor;
  state: StepState;
  risk: Risk;
  proposal: Proposal | null;
  decision: string;
  source: string;
  decided_by: string | null;
  decided_at: string | null;
  reason: string;
  action: Action | null;
  target: Target | null;
  result: ActResult | null;
  before: string;
  after: string;
  proposed_at: string;
  done_at: string | null;
  duration_ms: number | null;
  summary: string;
  labels: string[];
}

export interface ApprovalView {
  id: number;
  session_id: number;
  step_id: number;
  proposal_id: string;
  fingerprint: string;
  state: string;
  risk: Risk;
  asked_at: string;
  due_at: string;
  claimed_by: string | null;
  claimed_until: string | null;
  summary: string;
  ticket: TicketBrief;
  environment: string;
  blocked_reason: string;
}

export interface QueuedApproval extends ApprovalView {
  step: StepView;
  goal: Goal;
}

export interface Mark {
  id: number;
  label: string;
  step_id: number | null;
  by: string;
  note: string;
  at: string;
}

export interface Can {
  decide: boolean;
  take_over: boolean;
  hand_back: boolean;
  pause: boolean;
  resume: boolean;
  stop: boolean;
  review: boolean;
  label: boolean;
}

export interface SessionView {
  id: number;
  seq: number;
  ticket: TicketBrief;
  environment: string;
  template: string;
  goal: Goal;
  state: SessionState;
  control: Control;
  controlled_by: string | null;
  policy: string;
  arm: string;
  step_count: number;
  max_steps: number;
  outcome: Outcome | "";
  verification: Verification | null;
  answer: string;
  verdict: string;
  review_state: ReviewState;
  trajectory_hash: string;
  started_at: string | null;
  ended_at: string | null;
  end_reason: string;
  reviewed_by: string;
  review_note: string;
  elements: PageElement[];
  url: string;
  title: string;
  viewport: [number, number];
  fingerprint: string;
  steps: StepView[];
  approval: ApprovalView | null;
  marks: Mark[];
  can: Can;
}

export interface ApprovalPolicy {
  auto_approve_up_to: "nothing" | "read" | "reversible" | "cost";
  approval_timeout_s: number;
  version: number;
}

export interface EnvironmentView {
  id: string;
  title: string;
  summary: string;
  real: boolean;
  protected: boolean;
  approval_policy: ApprovalPolicy;
  templates: Template[];
}

export interface LabelView {
  key: string;
  title: string;
  description: string;
  severity: number;
  position: number;
  archived: boolean;
}

export interface TrajectoryRow {
  content_hash: string;
  session_id: number | null;
  source: string;
  environment: string;
  template: string;
  goal: string;
  steps: number;
  corrections: number;
  demonstrations: number;
  outcome: string;
  policy: string;
  appended_at: string;
  size_bytes: number;
}

export interface DatasetRow {
  number: number;
  reason: string;
  count: number;
  added: number;
  manifest_hash: string;
  created_at: string;
  created_by: string | null;
}

export interface RunRow {
  id: number;
  algorithm: string;
  trigger: string;
  state: "queued" | "running" | "completed" | "failed" | "cancelled";
  phase: string;
  progress: number;
  dataset: number;
  parent: string | null;
  policy: string | null;
  policy_number: number | null;
  created_by: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  error: string;
}

export interface Metric {
  step: number;
  values: Record<string, number>;
}

export interface Run extends RunRow {
  spec: Record<string, unknown>;
  seed: number;
  commit: string;
  metrics: Metric[];
}

export interface PolicyRow {
  number: number;
  name: string;
  source: string;
  parent: number | null;
  created_at: string;
  aliases: string[];
  evaluation: Record<string, unknown>;
  content_hash: string;
  dataset: number | null;
}

export interface PolicyDetail extends PolicyRow {
  card: string;
  lineage: Record<string, unknown>;
  spec: Record<string, unknown>;
  note: string;
}

export interface Arm {
  policy: number;
  tickets: number;
  share: number;
  verified: number;
  failed: number;
  unverified: number;
  verified_rate: number | null;
  interval: [number, number] | null;
  corrections: number;
  takeovers: number;
  mean_steps: number | null;
}

export interface RolloutView {
  id: number;
  champion: number;
  challenger: number;
  weight: number;
  state: "running" | "paused" | "promoted" | "rolled_back";
  started_by: string | null;
  started_at: string;
  ended_by: string | null;
  ended_at: string | null;
  reason: string;
  arms?: { champion: Arm; challenger: Arm };
}

export interface HumanOnly {
  on: boolean;
  reason: string;
  changed_by: string | null;
  changed_at: string | null;
}

export interface AuditRow {
  id: number;
  at: string;
  actor: string;
  how: string;
  verb: string;
  object_kind: string;
  object_id: string;
  before: unknown;
  after: unknown;
  digest: string;
}

export interface Home {
  open_tickets: number;
  waiting_approvals: number;
  waiting_reviews: number;
  running_sessions: number;
  verified_rate_7d: number | null;
  accepted_since_training: number;
  train_after: number;
  champion: string | null;
  rollout: RolloutView | null;
  recent: TicketRow[];
}

export interface Person {
  id: number;
  username: string;
  role: Role;
  is_active: boolean;
  last_login?: string | null;
}

export interface Token {
  id: number;
  name: string;
  prefix: string;
  scopes: string[];
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
  revoked_at?: string | null;
  token?: string;
}
