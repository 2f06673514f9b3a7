/** Keys of a page: off while typing and behind dialogs, and known to the help that `?` opens. */
import { createContext, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";

import { changed, parsed, pressedFor, standsFor, type Keymap } from "./keymap";

export interface KeyBinding {
  /** KeyboardEvent.key in lower case ("a", " ", "enter", "?"), or two keys in a row: "g t". */
  key: string;
  label: string;
  run: () => void;
  /** Bound, but does nothing now; the help still lists it. */
  off?: boolean;
  /** Group in the help. */
  everywhere?: boolean;
  /** Goes before others of the same key: something is open that wants it. */
  first?: boolean;
}

interface Registry {
  add: (owner: object, bindings: KeyBinding[]) => void;
  remove: (owner: object) => void;
  all: () => KeyBinding[];
}

interface Keys {
  registry: Registry;
  keymap: Keymap;
  setKeymap: (keymap: Keymap) => void;
}

const KeysContext = createContext<Keys | null>(null);
const STORED = "belay-keys";
const SEQUENCE_MS = 1200;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input:not([type=radio]):not([type=checkbox]):not([type=range]), textarea, select, [data-keys=off]") !== null;
}

/** Space, Enter and arrows belong to the control that has the focus. */
function belongsToControl(event: KeyboardEvent): boolean {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (!target) return false;
  if (event.key === " " || event.key === "Enter") {
    return target.closest("button, a, [role=button], [role=slider], [role=radio], input, summary") !== null;
  }
  return event.key.startsWith("Arrow") && target.closest("[role=slider], [role=radio], [role=tab], [role=menu], input") !== null;
}

function isBehindDialog(): boolean {
  return document.querySelector("[role=dialog][aria-modal=true]") !== null;
}

export function KeysProvider({ children }: { children: ReactNode }) {
  const [keymap, setKeymap] = useState<Keymap>(() => parsed(window.localStorage.getItem(STORED)));
  const owners = useRef(new Map<object, KeyBinding[]>());
  const registry = useMemo<Registry>(
    () => ({
      add: (owner, bindings) => {
        owners.current.set(owner, bindings);
      },
      remove: (owner) => {
        owners.current.delete(owner);
      },
      all: () => [...owners.current.values()].flat(),
    }),
    [],
  );
  useEffect(() => {
    let first = "";
    let firstAt = 0;
    function onKey(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (isTyping(event.target) || belongsToControl(event) || isBehindDialog()) return;
      const key = standsFor(keymap, event.key.toLowerCase());
      const inSequence = first !== "" && event.timeStamp - firstAt < SEQUENCE_MS;
      const wanted = inSequence ? `${first} ${key}` : key;
      const bindings = registry.all();
      // The newest owner wins: a page's own keys before those of the frame around it.
      const fitting = bindings.filter((binding) => binding.key === wanted && !binding.off);
      const found = fitting.find((binding) => binding.first) ?? fitting.at(-1);
      const opensSequence = bindings.some((binding) => binding.key.startsWith(`${wanted} `));
      first = opensSequence && !inSequence ? wanted : "";
      firstAt = event.timeStamp;
      if (found) {
        event.preventDefault();
        found.run();
      }
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [registry, keymap]);
  const keys = useMemo<Keys>(() => {
    const keep = (next: Keymap) => {
      window.localStorage.setItem(STORED, JSON.stringify(next));
      setKeymap(next);
    };
    return { registry, keymap, setKeymap: keep };
  }, [registry, keymap]);
  return <KeysContext.Provider value={keys}>{children}</KeysContext.Provider>;
}

function useProvided(): Keys {
  const keys = useContext(KeysContext);
  if (!keys) throw new Error("keys outside KeysProvider");
  return keys;
}

/** The person's own keys, and how to change them. */
export function useKeymap() {
  const { keymap, setKeymap } = useProvided();
  return {
    isUsual: Object.keys(keymap).length === 0,
    pressed: (key: string) => pressedFor(keymap, key),
    change: (key: string, to: string) => setKeymap(changed(keymap, key, to)),
    reset: () => setKeymap({}),
  };
}

/** Bind these keys while the calling component is on the page. */
export function useKeys(bindings: KeyBinding[]): void {
  const { registry } = useProvided();
  const [owner] = useState(() => ({}));
  // Before it is painted: what a person sees must take its keys.
  useLayoutEffect(() => {
    registry.add(owner, bindings);
  });
  useLayoutEffect(
    () => () => {
      registry.remove(owner);
    },
    [registry, owner],
  );
}

/** What is bound now, for the help. */
export function useBoundKeys(): () => KeyBinding[] {
  return useProvided().registry.all;
}
