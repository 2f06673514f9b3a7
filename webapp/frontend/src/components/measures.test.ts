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

  it("keeps what is not on one scale apart", () => {
    expect(chartsOf(["episodes", "lost"])).toEqual([{ part: "play", kind: "training.other", names: ["episodes", "lost"], isApart: true }]);
  });
});
