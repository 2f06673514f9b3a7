import { describe, expect, it } from "vitest";

import { fold, type LiveEvent } from "./fold";
import { aStep, aView } from "./builders";

describe("fold", () => {
  it("ignores an event that was already folded", () => {
    const view = aView({ seq: 7 });
    const event: LiveEvent = { seq: 7, kind: "session_changed", data: { state: "paused" } };
    expect(fold(view, event)).toBe(view);
  });

  it("reports a gap where an event is missing", () => {
    expect(fold(aView({ seq: 7 }), { seq: 9, kind: "marks_changed", data: { marks: [] } })).toBe("gap");
  });

  it("changes only the keys that the event names", () => {
    const view = aView({ seq: 1, state: "running", answer: "kept" });
    const after = fold(view, { seq: 2, kind: "session_changed", data: { state: "paused" } });
    expect(after).toEqual({ ...view, seq: 2, state: "paused" });
  });

  it("inserts a step in order of index", () => {
    const view = aView({ seq: 1, steps: [aStep({ index: 0 }), aStep({ index: 2 })] });
    const after = fold(view, { seq: 2, kind: "step_changed", data: { step: aStep({ index: 1 }) } });
    expect(after).toMatchObject({ steps: [{ index: 0 }, { index: 1 }, { index: 2 }] });
  });

  it("replaces a step of the same index", () => {
    const view = aView({ seq: 1, steps: [aStep({ index: 0, state: "proposed" })] });
    const after = fold(view, { seq: 2, kind: "step_changed", data: { step: aStep({ index: 0, state: "done" }) } });
    expect(after).toMatchObject({ seq: 2, steps: [{ index: 0, state: "done" }] });
  });

  it("leaves the view it was given as it was", () => {
    const view = aView({ seq: 1, steps: [aStep({ index: 0, state: "proposed" })] });
    const before = structuredClone(view);
    fold(view, { seq: 2, kind: "step_changed", data: { step: aStep({ index: 0, state: "done" }) } });
    expect(view).toEqual(before);
  });

  it("takes an approval away", () => {
    const view = aView({ seq: 4 });
    expect(fold(view, { seq: 5, kind: "approval_changed", data: { approval: null } })).toMatchObject({
      seq: 5,
      approval: null,
    });
  });
});
