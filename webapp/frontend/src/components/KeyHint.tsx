/** The key of a button, as this person has it. */
import { Kbd } from "@mantine/core";

import { useKeymap } from "../keys";

const SHOWN: Record<string, string> = { " ": "Space", arrowleft: "←", arrowright: "→", escape: "Esc", enter: "Enter" };

/** The keys to press, one after the other, as they stand on a keyboard. */
export function shownKeys(pressed: string): string[] {
  const named = SHOWN[pressed];
  return named ? [named] : pressed.split(" ").map((part) => part.toUpperCase());
}

export function KeyHint({ of }: { of: string }) {
  const { pressed } = useKeymap();
  return <Kbd aria-hidden>{shownKeys(pressed(of)).join(" ")}</Kbd>;
}
