import { describe, expect, it } from "vitest";

import { chartsOf } from "./measures";

describe("chartsOf", () => {
  it("draws no two parts of a run on one axis", () => {
    const charts = chartsOf(["loss", "policy_loss", "value_loss", "success", "success/cloud/a"]);
    expect(charts.map(({ part, kind, names }) => [part, kind, names])).toEqual([
      ["train", "training.loss", ["loss"]],
      ["play", "training.loss", ["policy_loss", "value_loss"]],
      ["play", "training.accuracy", ["success"]],
    ]);
  });

  it("gives a measure that is alone the whole chart, and a trial its place beside the success it is a trial of", () => {
    const charts = chartsOf(["gpu_used", "steps_per_s", "success", "trial"]);
    expect(charts.map(({ kind, names, isApart }) => [kind, names, isApart])).toEqual([
      ["training.accuracy", ["success", "trial"], false],
      ["training.speed", ["gpu_used", "steps_per_s"], true],
    ]);
    expect(chartsOf(["steps_per_s"])[0]?.isApart).toBe(false);
  });

  it("keeps what is not on one scale apart", () => {
    expect(chartsOf(["episodes", "lost"])).toEqual([{ part: "play", kind: "training.other", names: ["episodes", "lost"], isApart: true }]);
  });
});
