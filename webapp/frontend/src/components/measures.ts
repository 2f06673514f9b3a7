/** What a training measures: in which part of it, and beside which others it is drawn. Pure. */
import type { WordKey } from "../words";

export const BY_TASK = "success/"; // what a metric of one task is called before its name

const PARTS: [string, RegExp][] = [
  ["midtrain", /^(forward|inverse|told)$/],
  ["offline", /^(critic|policy|weight)$/],
  ["distill", /^divergence$/],
  ["train", /^(loss|held_out_accuracy)$/],
  ["play", /./],
];

const KINDS: [WordKey, RegExp][] = [
  ["training.loss", /loss|^(forward|inverse|told|critic|policy|divergence)$/],
  ["training.accuracy", /accuracy|verified|success|^trial$/],
  ["training.reward", /reward|return/],
  ["training.leash", /kl|leash|entropy|clip/],
  ["training.value", /explained/],
  ["training.speed", /per_s$|_used$/],
  ["training.other", /./],
];

const APART: WordKey[] = ["training.leash", "training.speed", "training.other"];

export interface Chart {
  part: string;
  kind: WordKey;
  names: string[];
  /** Not on one scale: each is drawn by itself. */
  isApart: boolean;
}

const first = <T>(found: [T, RegExp][], name: string): T | undefined => found.find(([, pattern]) => pattern.test(name))?.[0];

/** Parts in the order in which they run: their steps are counted anew, so no two share an axis. */
export function chartsOf(names: string[]): Chart[] {
  return PARTS.flatMap(([part]) =>
    KINDS.map(([kind]) => ({
      part,
      kind,
      names: names.filter((name) => !name.startsWith(BY_TASK) && first(PARTS, name) === part && first(KINDS, name) === kind),
      isApart: APART.includes(kind),
    })),
  )
    .filter((chart) => chart.names.length > 0)
    .map((chart) => ({ ...chart, isApart: chart.isApart && chart.names.length > 1 }));
}
