/** Times for people: how long ago, how long since, how long it took. */
import { Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";

import { useWords } from "../words";

export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

export function agoText(at: string, now: number, lang: string): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const [unit, size] = UNITS.find(([, unitSize]) => Math.abs(seconds) >= unitSize) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(lang, { numeric: "auto", style: "short" }).format(Math.trunc(seconds / size), unit);
}

export function Ago({ at }: { at: string | null | undefined }) {
  const { lang } = useWords();
  const now = useNow(15_000);
  if (!at) return <Text span c="dimmed">—</Text>;
  return (
    <Tooltip label={new Date(at).toLocaleString(lang)}>
      <Text span fz="sm" style={{ whiteSpace: "nowrap" }} component="time" dateTime={at}>
        {agoText(at, now, lang)}
      </Text>
    </Tooltip>
  );
}

export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (n: number) => String(n).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${two(minutes)}:${two(seconds % 60)}`;
}

/** Running clock since a moment. */
export function Since({ at }: { at: string }) {
  const now = useNow(1000);
  return (
    <Text span ff="monospace" fz="sm">
      {clockText(now - new Date(at).getTime())}
    </Text>
  );
}

export function durationText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return clockText(ms);
}
