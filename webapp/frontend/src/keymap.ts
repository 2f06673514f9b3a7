/** Which key a person presses for which key of the pages: a swap for each change, so no two ever collide. Pure. */

/** Key of the pages -> key that the person chose for it; keys that are not in it are themselves. */
export type Keymap = Readonly<Record<string, string>>;

/** Letters and signs may change place; Space, Enter, Esc, arrows, digits and the key of the help stay. */
export function isChangeable(key: string): boolean {
  return /^[^\s\d?]$/u.test(key);
}

/** The key to press for a key of the pages ("a", "g t"). */
export function pressedFor(keymap: Keymap, key: string): string {
  return key
    .split(/ (?=.)/u)
    .map((part) => keymap[part] ?? part)
    .join(" ");
}

/** The key of the pages that a pressed key stands for. */
export function standsFor(keymap: Keymap, pressed: string): string {
  const found = Object.entries(keymap).find(([, chosen]) => chosen === pressed);
  return found?.[0] ?? pressed;
}

/** The keymap in which `pressed` stands for `key`; what it stood for gets the key that is now free. */
export function changed(keymap: Keymap, key: string, pressed: string): Keymap {
  const freed = pressedFor(keymap, key);
  const other = standsFor(keymap, pressed);
  const next = { ...keymap, [other]: freed, [key]: pressed };
  return Object.fromEntries(Object.entries(next).filter(([from, to]) => from !== to));
}

/** A keymap out of storage; the usual keys where it is no keymap. */
export function parsed(text: string | null): Keymap {
  try {
    const found: unknown = JSON.parse(text ?? "{}");
    if (typeof found !== "object" || found === null) return {};
    const pairs = Object.entries(found).filter((pair): pair is [string, string] => typeof pair[1] === "string");
    const isSwap = pairs.every(([from, to]) => isChangeable(from) && isChangeable(to));
    const from = pairs.map(([key]) => key).sort();
    const to = pairs.map(([, key]) => key).sort();
    return isSwap && from.join() === to.join() ? Object.fromEntries(pairs) : {};
  } catch {
    return {}; // somebody else wrote there
  }
}
