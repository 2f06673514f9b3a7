import { describe, expect, it } from "vitest";

import { apart, visible } from "./visible";

describe("visible", () => {
  it("writes out what turns, hides or steers", () => {
    expect(visible("abc\u202egnp.exe")).toBe("abc\\u202egnp.exe");
    expect(visible("pay\u200bpal\u0000\u00ad\u3164")).toBe("pay\\u200bpal\\u0000\\u00ad\\u3164");
    expect(visible("\u{e0041}")).toBe("\\ue0041");
  });

  it("leaves words of every language, and layout, as they are", () => {
    for (const text of ["Save", "日本 ünïcode", "two\nlines\t.", "שלום"]) expect(visible(text)).toBe(text);
  });
});

describe("apart", () => {
  it("keeps letters that run the other way to themselves", () => {
    expect(apart("שלום")).toBe("\u2068שלום\u2069");
    expect(apart("Save")).toBe("Save");
  });

  it("lets nobody out of it", () => {
    expect(apart("ש\u2069\u202e")).toBe("\u2068ש\\u2069\\u202e\u2069");
  });
});
