import { describe, expect, it } from "vitest";

import { edgeOf } from "./Screen";

const box = (x: number, y: number) => ({ x, y, width: 20, height: 10 });

describe("edgeOf", () => {
  it("is null for what the picture shows", () => {
    expect(edgeOf(box(100, 100), [1280, 720])).toBeNull();
    expect(edgeOf(box(1265, 712), [1280, 720])).toBeNull();
  });

  it("is the nearest place of the edge for what lies beyond it", () => {
    expect(edgeOf(box(1400, 300), [1280, 720])).toEqual({ x: 1280, y: 305 });
    expect(edgeOf(box(100, -80), [1280, 720])).toEqual({ x: 110, y: 0 });
    expect(edgeOf(box(2000, 2000), [1280, 720])).toEqual({ x: 1280, y: 720 });
  });
});
