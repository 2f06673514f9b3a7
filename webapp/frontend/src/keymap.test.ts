import { describe, expect, it } from "vitest";

import { changed, isChangeable, parsed, pressedFor, standsFor } from "./keymap";

describe("keymap", () => {
  it("starts with every key as itself", () => {
    expect([pressedFor({}, "a"), standsFor({}, "a"), pressedFor({}, " ")]).toEqual(["a", "a", " "]);
  });

  it("swaps with the key that was there, so that none is lost", () => {
    const keymap = changed({}, "a", "c");
    expect([standsFor(keymap, "c"), standsFor(keymap, "a")]).toEqual(["a", "c"]);
  });

  it("changes a changed key again, each key still standing for one", () => {
    const keymap = changed(changed({}, "a", "y"), "a", "c");
    const keys = ["a", "c", "y"];
    expect(standsFor(keymap, "c")).toBe("a");
    expect(keys.map((key) => standsFor(keymap, key)).sort()).toEqual(keys);
  });

  it("is the usual one again after a change back", () => {
    expect(changed(changed({}, "a", "y"), "a", "a")).toEqual({});
  });

  it("shows both keys of a sequence as they are pressed", () => {
    expect(pressedFor(changed({}, "g", "x"), "g t")).toBe("x t");
  });

  it("leaves Space, digits, Enter and the help's own key alone", () => {
    expect([" ", "1", "enter", "?", "a", "/"].filter(isChangeable)).toEqual(["a", "/"]);
  });

  it("reads what was kept, and takes nonsense for the usual keys", () => {
    expect(parsed('{"a":"y","y":"a"}')).toEqual({ a: "y", y: "a" });
    expect([parsed(null), parsed("{"), parsed("[1]"), parsed('{"a":"y"}'), parsed('{"a":" "," ":"a"}')]).toEqual([{}, {}, {}, {}, {}]);
  });
});
