import { describe, expect, it } from "vitest";

import type { Action, PageElement } from "../api/contracts";
import { actionOf, chanceText, draftOf, EMPTY_DRAFT, likelyKind, picked, worthShowing } from "./actions";

const element = (changes: Partial<PageElement>): PageElement => ({
  ref: 4,
  role: "button",
  name: "Create",
  value: "",
  states: [],
  box: { x: 0, y: 0, width: 10, height: 10 },
  group: "",
  row: "",
  label: "",
  options: [],
  region: "main",
  frame: 0,
  actionable: true,
  ...changes,
});

const ACTIONS: Action[] = [
  { kind: "click", element: 3 },
  { kind: "type", element: 3, text: "logs" },
  { kind: "select", element: 3, option: "GB" },
  { kind: "press", key: "Tab" },
  { kind: "scroll", direction: "up" },
  { kind: "navigate", url: "http://127.0.0.1/" },
  { kind: "wait" },
  { kind: "finish", answer: "7" },
  { kind: "give_up", reason: "gone" },
];

describe("drafts", () => {
  it.each(ACTIONS)("of $kind give the same action back", (action) => {
    expect(actionOf(draftOf(action))).toEqual(action);
  });

  it("stand for nothing while the element is lacking", () => {
    expect(actionOf(EMPTY_DRAFT)).toBeNull();
  });

  it("stand for nothing while a list's option is lacking", () => {
    expect(actionOf({ ...EMPTY_DRAFT, kind: "select", element: 2 })).toBeNull();
  });

  it("keep their text when a field is picked", () => {
    const draft = picked({ ...EMPTY_DRAFT, text: "logs-eu" }, element({ role: "textbox" }));
    expect(actionOf(draft)).toEqual({ kind: "type", element: 4, text: "logs-eu" });
  });

  it("drop an option that the picked list lacks", () => {
    const draft = picked({ ...EMPTY_DRAFT, option: "TB" }, element({ role: "combobox", options: ["MB", "GB"] }));
    expect(draft.option).toBe("");
  });
});

describe("likelyKind", () => {
  it.each([
    ["button", [], "click"],
    ["textbox", [], "type"],
    ["combobox", ["MB"], "select"],
    ["combobox", [], "click"],
  ] as const)("of %s with options %j is %s", (role, options, kind) => {
    expect(likelyKind(element({ role, options: [...options] }))).toBe(kind);
  });
});

describe("chanceText", () => {
  it("rounds, and never calls certain or impossible what is not", () => {
    expect([0.004, 0.0999, 0.5, 0.985, 0.996, 1].map(chanceText)).toEqual(["<1 %", "10 %", "50 %", "99 %", ">99 %", "100 %"]);
  });
});

describe("worthShowing", () => {
  it("leaves out what the policy all but rules out", () => {
    const alternatives = [0.02, 0.0002, 0.00001].map((probability) => ({ action: { kind: "wait" as const }, probability }));
    const proposal = { action: { kind: "wait" as const }, probability: 0.97, alternatives, value: 1, policy: "v1", why: "" };
    expect(worthShowing(proposal).map(({ probability }) => probability)).toEqual([0.02, 0.0002]);
  });
});
