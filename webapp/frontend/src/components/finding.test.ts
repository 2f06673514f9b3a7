import { describe, expect, it } from "vitest";

import { found } from "./finding";

describe("found", () => {
  const items = ["Create a disk", "Delete a disk", "Create a network"];
  const of = (wanted: string) => found(items, wanted, (item) => item);

  it("is everything while nothing is typed", () => {
    expect(of("  ")).toEqual(items);
  });

  it("has every word, in any order and case", () => {
    expect(of("disk CREATE")).toEqual(["Create a disk"]);
    expect(of("a")).toEqual(items);
    expect(of("disk network")).toEqual([]);
  });
});
