import { describe, expect, it } from "vitest";

import { aStep } from "../live/builders";
import { holdMs, pictureAt, ringsAt } from "./replay";

describe("pictureAt", () => {
  const steps = [aStep({ index: 0, before: "a", after: "b" }), aStep({ index: 1 }), aStep({ index: 2, after: "d" })];

  it("shows a step's own picture", () => {
    expect(pictureAt(steps, 0)).toBe("a");
  });

  it("falls back to what came of the step before", () => {
    expect(pictureAt(steps, 1)).toBe("b");
    expect(pictureAt(steps, 2)).toBe("b");
  });

  it("ends with what came of the last step", () => {
    expect(pictureAt(steps, 3)).toBe("d");
  });

  it("is empty where none was taken", () => {
    expect(pictureAt([aStep()], 1)).toBe("");
  });
});

describe("holdMs", () => {
  it("skips waiting", () => {
    expect(holdMs(aStep({ duration_ms: 60_000 }))).toBe(2500);
  });

  it("lets a quick step be seen", () => {
    expect(holdMs(aStep({ duration_ms: 3 }))).toBe(700);
  });
});

describe("ringsAt", () => {
  const box = { x: 1, y: 2, width: 3, height: 4 };
  const target = { ref: 7, role: "button", name: "Create", box };

  it("rings the element that was acted on, by the step's number", () => {
    const steps = [aStep({ index: 4, action: { kind: "click", element: 7 }, target })];
    expect(ringsAt(steps, 0)).toEqual([{ box, number: 4, main: true }]);
  });

  it("rings nothing for an act without an element", () => {
    expect(ringsAt([aStep({ action: { kind: "wait" }, target })], 0)).toEqual([]);
  });

  it("rings nothing after the end", () => {
    expect(ringsAt([], 0)).toEqual([]);
  });
});
