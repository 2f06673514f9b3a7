/** What the HTTP API answers with: names for the generated schema. */
import type { components } from "./schema";

type S = components["schemas"];

export interface Listed<T> {
  items: T[];
  count: number;
}

export type Me = S["Me"];
export type Role = S["Role"];
export type Person = S["Person"];
export type Token = S["TokenRow"];
export type CreatedToken = S["CreatedToken"];

export type TicketRow = S["TicketRow"];
export type Ticket = S["TicketView"];
export type Attempt = S["Attempt"];
export type EnvironmentView = S["EnvironmentView"];
export type ApprovalPolicy = S["ApprovalPolicyView"];
export type Home = S["Home"];

export type SessionRow = S["SessionRow"];
export type SessionView = S["SessionView"];
export type StepView = S["StepView"];
export type Target = S["Target"];
export type ApprovalView = S["ApprovalView"];
export type QueuedApproval = S["ApprovalRow"];
export type Mark = S["Mark"];
export type LabelView = S["LabelView"];
export type Decision = S["DecideIn"]["decision"];

export type TrajectoryRow = S["TrajectoryRow"];
export type DatasetRow = S["DatasetRow"];
export type Dataset = S["DatasetView"];
export type RunRow = S["RunRow"];
export type Run = S["RunView"];
export type Metric = S["Metric"];
export type TrainingPlan = S["PlanView"];
export type TrainingKind = NonNullable<S["NewRun"]["kind"]>;
export type EvaluationRow = S["EvaluationRow"];
export type Evaluation = S["EvaluationView"];
export type NewEvaluation = S["NewEvaluation"];
export type Judgement = S["Judgement"];
export type SplitRates = S["SplitRates"];
export type Consistency = S["Consistency"];
export type Against = S["Against"];
export type Simulated = S["Simulated"];
export type PolicyRow = S["PolicyRow"];
export type PolicyDetail = S["PolicyView"];
export type Arm = S["ArmView"];
export type RolloutRow = S["RolloutRow"];
export type RolloutView = S["RolloutView"];
export type HumanOnly = S["HumanOnlyView"];
export type AuditRow = S["EntryRow"];
export type ChainView = S["ChainView"];
