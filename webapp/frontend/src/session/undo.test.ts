import { describe, expect, it } from "vitest";

import { aStep } from "../live/builders";
import { canTakeBack } from "./undo";

const rejected = aStep({ index: 1, state: "withdrawn", decision: "rejected" });
const allowed = aStep({ index: 1, state: "decided", decision: "approved" });

describe("canTakeBack", () => {
  it("holds while nothing came of it", () => {
    expect(canTakeBack(rejected, [rejected])).toBe(true);
    expect(canTakeBack(allowed, [allowed])).toBe(true);
    expect(canTakeBack(rejected, [rejected, aStep({ index: 2, state: "proposed" })])).toBe(true);
  });

  it("ends once the act is under way or done, by what the page knows now", () => {
    expect(canTakeBack(allowed, [{ ...allowed, state: "intent" }])).toBe(false);
    expect(canTakeBack(allowed, [{ ...allowed, state: "done" }])).toBe(false);
  });

  it("ends once the next step was decided", () => {
    expect(canTakeBack(rejected, [rejected, aStep({ index: 2, state: "decided" })])).toBe(false);
  });

  it("goes by the answer itself where the steps are not on the page", () => {
    expect(canTakeBack(rejected, [])).toBe(true);
    expect(canTakeBack({ ...allowed, state: "done" }, [])).toBe(false);
  });
});
