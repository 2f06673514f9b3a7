import { describe, expect, it } from "vitest";

import { gathered } from "./hand";

describe("gathered", () => {
  it("adds wheel turns up", () => {
    const first = gathered([], { kind: "wheel", x: 1, y: 1, dy: 40 });
    expect(gathered(first, { kind: "wheel", x: 2, y: 3, dy: 60 })).toEqual([{ kind: "wheel", x: 2, y: 3, dy: 100 }]);
  });

  it("keeps keys apart and in order", () => {
    const first = gathered([], { kind: "key", key: "a" });
    expect(gathered(first, { kind: "key", key: "a" })).toEqual([
      { kind: "key", key: "a" },
      { kind: "key", key: "a" },
    ]);
  });
});
