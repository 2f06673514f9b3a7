/** A long list made short: what has the words one types, and a screenful of it until more is asked for. */
import { Button, TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";

import { IconSearch } from "../icons";
import { useWords } from "../words";

/** The items whose text has each of the words, in any order. Pure. */
export function found<T>(items: readonly T[], wanted: string, textOf: (item: T) => string): T[] {
  const words = wanted.toLowerCase().split(/\s+/u).filter(Boolean);
  return items.filter((item) => {
    const text = textOf(item).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

interface Finding<T> {
  shown: T[];
  /** Where to type; null where everything is in sight anyway. */
  field: ReactNode;
  /** The button that shows the rest; null where there is none. */
  more: ReactNode;
}

export function useFinding<T>(items: readonly T[], textOf: (item: T) => string, { label, most }: { label: string; most: number }): Finding<T> {
  const { t } = useWords();
  const [wanted, setWanted] = useState("");
  const [isWhole, setWhole] = useState(false);
  const matching = found(items, wanted, textOf);
  const shown = isWhole ? matching : matching.slice(0, most);
  return {
    shown,
    field:
      items.length > most ? (
        <TextInput
          aria-label={label}
          placeholder={label}
          leftSection={<IconSearch size={13} aria-hidden />}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          w={260}
        />
      ) : null,
    more:
      shown.length < matching.length ? (
        <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
          {t("finding.more", { n: matching.length - shown.length })}
        </Button>
      ) : null,
  };
}
