import { describe, expect, it } from "vitest";

import { drawn, family, NODE } from "./lineage";

const v = (number: number, parent: number | null) => ({ number, parent });
const numbers = (versions: { number: number }[]) => versions.map(({ number }) => number).sort((a, b) => a - b);

describe("family", () => {
  const known = [v(6, 4), v(5, 2), v(4, 2), v(3, 1), v(2, 1), v(1, null)];

  it("keeps ancestors, what else was trained from them, and descendants", () => {
    expect(numbers(family(known, 2))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("leaves out what was trained from a sibling", () => {
    expect(numbers(family(known, 3))).toEqual([1, 2, 3]);
  });

  it("ends at a parent that is not known", () => {
    expect(numbers(family([v(9, 8)], 9))).toEqual([9]);
  });
});

describe("drawn", () => {
  it("places a generation a column, children beside each other, and links each to its parent", () => {
    const { nodes, edges, width, height } = drawn([v(1, null), v(2, 1), v(3, 1), v(4, 2)]);
    const at = Object.fromEntries(nodes.map(({ version, x, y }) => [version.number, { x, y }]));
    expect(at[2]?.x).toBe(at[3]?.x);
    expect((at[4]?.x ?? 0) - (at[1]?.x ?? 0)).toBe(2 * NODE.across);
    expect(Math.abs((at[2]?.y ?? 0) - (at[3]?.y ?? 0))).toBe(NODE.down);
    expect(edges.map(([from, to]) => [from.version.number, to.version.number])).toEqual([[1, 2], [1, 3], [2, 4]]);
    expect(width).toBe(2 * NODE.across + NODE.width);
    expect(height).toBe(NODE.down + NODE.height);
  });

  it("draws one version alone", () => {
    expect(drawn([v(7, null)])).toMatchObject({ nodes: [{ x: NODE.width / 2, y: NODE.height / 2 }], edges: [] });
  });

  it("draws a family whose first parent is not known", () => {
    expect(drawn([v(9, 8), v(10, 9)]).edges).toHaveLength(1);
  });
});
