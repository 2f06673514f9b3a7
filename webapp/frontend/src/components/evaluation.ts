/** What an evaluation file says, as rows of shares with their intervals. Pure. */

export interface ShareRow {
  name: string;
  rate: number;
  low: number;
  high: number;
  verified: number;
  n: number;
}

type Bag = Record<string, unknown>;

const isBag = (value: unknown): value is Bag => typeof value === "object" && value !== null && !Array.isArray(value);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** 95 % Wilson interval of a share; the server's own figure where the file lacks one. */
export function wilson(successes: number, n: number): [number, number] {
  if (n === 0) return [0, 1];
  const z = 1.959964;
  const share = successes / n;
  const centre = share + (z * z) / (2 * n);
  const spread = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  // The ends are whole by the formula; rounding would leave them a hair beside.
  return [successes === 0 ? 0 : (centre - spread) / scale, successes === n ? 1 : (centre + spread) / scale];
}

function rowOf(name: string, found: Bag): ShareRow | null {
  const n = number(found.episodes) ?? number(found.n) ?? number(found.all);
  const verified = number(found.verified) ?? number(found.right);
  if (n === undefined || verified === undefined) return null;
  const given = found.interval;
  const [low, high] = Array.isArray(given) && given.length === 2 ? (given as [number, number]) : wilson(verified, n);
  return { name, rate: n > 0 ? verified / n : 0, low, high, verified, n };
}

/** Rows by template, in the file's order. */
export function shareRows(evaluation: Bag): ShareRow[] {
  const holder = evaluation.templates ?? evaluation;
  const entries: [string, unknown][] = Array.isArray(holder)
    ? holder.map((each: unknown): [string, unknown] => [isBag(each) ? String(each.template ?? each.name ?? "") : "", each])
    : isBag(holder)
      ? Object.entries(holder)
      : [];
  return entries.flatMap(([name, value]) => {
    const row = isBag(value) ? rowOf(name, value) : null;
    return row ? [row] : [];
  });
}

const part = (evaluation: Bag, name: string): Bag => {
  const found = evaluation[name];
  return isBag(found) ? found : {};
};

/** Tasks that ended verified in a browser, nobody correcting. */
export const liveRows = (evaluation: Bag): ShareRow[] => shareRows(part(evaluation, "live"));

/** Actions of held-out demonstrations that the policy would have taken too. */
export const heldOutRows = (evaluation: Bag): ShareRow[] => shareRows(part(evaluation, "held_out"));

/** All rows as one. */
export function total(rows: ShareRow[]): ShareRow | null {
  if (rows.length === 0) return null;
  const verified = rows.reduce((sum, row) => sum + row.verified, 0);
  const n = rows.reduce((sum, row) => sum + row.n, 0);
  const [low, high] = wilson(verified, n);
  return { name: "", rate: n > 0 ? verified / n : 0, low, high, verified, n };
}

/** Rounded; with one decimal near the ends, and never "100 %" of what is not whole. */
export function percent(share: number): string {
  if (share > 0.99 && share < 1) return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}
