/** Texts of strangers, made safe to decide by: what draws nothing or turns the order of letters is written out. */

// Drawn as nothing, or as an instruction on how to draw the rest. Tabs and line breaks are only layout.
const UNDRAWN = /(?![\t\n\r])(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|[\u17b4\u17b5]|[\u180b-\u180d\u180f]|\u034f)/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

/** The text with every such character as its number: "\u202e". */
export function visible(text: string): string {
  return text.replace(UNDRAWN, (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

/** The same, kept from changing the order of what stands around it. */
export function apart(text: string): string {
  const shown = visible(text);
  return RIGHT_TO_LEFT.test(shown) ? `\u2068${shown}\u2069` : shown;
}
