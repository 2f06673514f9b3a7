/** Positions in a recording: before each step, and after the last. Pure, but for the player's clock. */
import { useEffect, useState } from "react";

import type { StepView } from "../api/types";
import type { Ring } from "./Screen";
import { elementOf } from "./actions";

export const SPEEDS = [1, 2, 4, 8] as const;
const LEAST_MS = 700;
const MOST_MS = 2500; // waiting is skipped

/** How long a position stays at normal speed. */
export function holdMs(step: StepView | undefined): number {
  return Math.min(Math.max(step?.duration_ms ?? LEAST_MS, LEAST_MS), MOST_MS);
}

/** The picture at a position: the step's own, else the nearest one taken before it. */
export function pictureAt(steps: StepView[], position: number): string {
  const exact = steps[position]?.before;
  if (exact) return exact;
  const earlier = steps.slice(0, position).reverse();
  const found = earlier.find((step) => step.after || step.before);
  return found ? found.after || found.before : "";
}

/** What is ringed at a position: the element that was acted on. */
export function ringsAt(steps: StepView[], position: number): Ring[] {
  const step = steps[position];
  if (!step?.target || elementOf(step.action ?? step.proposal?.action) === null) return [];
  return [{ box: step.target.box, number: step.index, main: true }];
}

export interface Player {
  /** null: live. */
  at: number | null;
  count: number;
  isPlaying: boolean;
  speed: number;
  setSpeed: (speed: number) => void;
  go: (position: number | null) => void;
  by: (steps: number) => void;
  toggle: () => void;
}

export function usePlayer(steps: StepView[], isLive: boolean): Player {
  const count = steps.length;
  const [wanted, setWanted] = useState<number | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const at = isLive && wanted === null ? null : Math.min(wanted ?? count, count);
  const hold = holdMs(at === null ? undefined : steps[at]) / speed;
  const runs = isPlaying && at !== null && at < count;

  useEffect(() => {
    if (!runs || at === null) return undefined;
    const timer = window.setTimeout(() => {
      setWanted(at + 1);
      if (at + 1 >= count) setPlaying(false);
    }, hold);
    return () => window.clearTimeout(timer);
  }, [runs, at, hold, count]);

  return {
    at,
    count,
    isPlaying: runs,
    speed,
    setSpeed,
    go: (position) => {
      setPlaying(false);
      setWanted(position);
    },
    by: (steps_) => {
      setPlaying(false);
      setWanted(Math.min(Math.max((at ?? count) + steps_, 0), count));
    },
    toggle: () => {
      if (at === null || at >= count) setWanted(0);
      setPlaying(!runs);
    },
  };
}
