import { describe, expect, it } from "vitest";

import { heldOutRows, liveRows, percent, shareRows, total, wilson } from "./evaluation";

describe("wilson", () => {
  it("gives the known interval of 42 of 50", () => {
    const [low, high] = wilson(42, 50);
    expect(low).toBeCloseTo(0.715, 3);
    expect(high).toBeCloseTo(0.917, 3);
  });

  it.each([4, 7, 116])("ends exactly at the ends where all or none of %d succeeded", (n) => {
    expect(wilson(n, n)[1]).toBe(1);
    expect(wilson(0, n)[0]).toBe(0);
  });

  it("says nothing where nothing was tried", () => {
    expect(wilson(0, 0)).toEqual([0, 1]);
  });
});

describe("shareRows", () => {
  it("reads templates by name", () => {
    const rows = shareRows({ templates: { "cloud/a": { episodes: 10, verified: 9, interval: [0.6, 0.98] } } });
    expect(rows).toEqual([{ name: "cloud/a", rate: 0.9, low: 0.6, high: 0.98, verified: 9, n: 10 }]);
  });

  it("reads a list of templates", () => {
    const rows = shareRows({ templates: [{ template: "cloud/b", n: 4, verified: 2 }] });
    expect(rows).toMatchObject([{ name: "cloud/b", rate: 0.5, n: 4 }]);
  });

  it("keeps what was tried in a browser apart from held-out actions", () => {
    const evaluation = {
      live: { templates: { a: { episodes: 5, verified: 5 } } },
      held_out: { templates: { a: { all: 9, right: 8 } } },
    };
    expect(liveRows(evaluation)).toMatchObject([{ verified: 5, n: 5 }]);
    expect(heldOutRows(evaluation)).toMatchObject([{ verified: 8, n: 9 }]);
  });

  it("finds nothing in an empty evaluation", () => {
    expect(shareRows({})).toEqual([]);
  });

  it("adds rows up", () => {
    const rows = shareRows({ a: { n: 10, verified: 10 }, b: { n: 10, verified: 0 } });
    expect(total(rows)).toMatchObject({ verified: 10, n: 20, rate: 0.5 });
  });
});

describe("percent", () => {
  it.each([
    [619 / 622, "99.5 %"],
    [0.99999, "99.9 %"],
    [1, "100 %"],
    [0.82, "82 %"],
    [0.034, "3.4 %"],
    [0, "0 %"],
  ])("says %d as %s", (share, said) => {
    expect(percent(share)).toBe(said);
  });
});
