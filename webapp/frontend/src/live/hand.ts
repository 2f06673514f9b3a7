/** Input of the person at the wheel: gathered for a moment, sent in order, one request at a time. */
import { useEffect, useState } from "react";

import { api } from "../api/client";
import type { HandEvent } from "../api/contracts";

const GATHER_MS = 50;

/** Wheel turns at one place add up; everything else stays in order. */
export function gathered(events: HandEvent[], next: HandEvent): HandEvent[] {
  const last = events.at(-1);
  if (last?.kind === "wheel" && next.kind === "wheel") {
    return [...events.slice(0, -1), { ...next, dy: last.dy + next.dy }];
  }
  return [...events, next];
}

function sender(session: number, onProblem: (problem: unknown) => void) {
  let waiting: HandEvent[] = [];
  let timer = 0;
  let isSending = false;

  async function flush(): Promise<void> {
    timer = 0;
    if (isSending || waiting.length === 0) return;
    const events = waiting;
    waiting = [];
    isSending = true;
    try {
      await api.post(`/sessions/${session}/hand`, { events });
    } catch (problem) {
      onProblem(problem);
    }
    isSending = false;
    if (waiting.length > 0) void flush();
  }

  return {
    push(event: HandEvent): void {
      waiting = gathered(waiting, event);
      if (!timer && !isSending) timer = window.setTimeout(() => void flush(), GATHER_MS);
    },
    stop(): void {
      window.clearTimeout(timer);
      void flush();
    },
  };
}

/** A function that hands one event on to the session's browser. */
export function useHand(session: number, onProblem: (problem: unknown) => void): (event: HandEvent) => void {
  const [hand] = useState(() => sender(session, onProblem));
  useEffect(() => () => hand.stop(), [hand]);
  return hand.push;
}
