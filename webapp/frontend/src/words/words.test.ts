import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import schema from "../../openapi.json";
import { common } from "./common";
import { judging } from "./judging";
import { pages } from "./pages";
import { session } from "./session";

const parts: Record<string, readonly [string, string]>[] = [common, session, pages, judging];
const catalogue = Object.assign({}, ...parts) as Record<string, readonly [string, string]>;
const entries = Object.entries(catalogue);
const blanks = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

/** All of our sources but tests and generated files. */
function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name);
    if (each.isDirectory()) return sources(path);
    return /(?<!\.test|\.d)\.tsx?$/.test(each.name) ? [{ path, text: readFileSync(path, "utf8") }] : [];
  });
}

const code = sources(join(import.meta.dirname, ".."));

describe("the catalogue", () => {
  it("has each key once", () => {
    expect(entries).toHaveLength(parts.reduce((sum, part) => sum + Object.keys(part).length, 0));
  });

  it("says everything in both languages", () => {
    expect(entries.filter(([, [english, chinese]]) => !english.trim() || !chinese.trim())).toEqual([]);
    const untranslated = entries.filter(([, [english, chinese]]) => english === chinese && /\p{L}{2}/u.test(english));
    expect(untranslated.map(([key]) => key)).toEqual(["app.name"]);
  });

  it("has the same blanks in both languages", () => {
    expect(entries.filter(([, [english, chinese]]) => blanks(english).join() !== blanks(chinese).join())).toEqual([]);
  });

  it("keeps no string that no page uses", () => {
    const text = code.filter(({ path }) => !path.includes("/words/")).map((each) => each.text).join("\n");
    const prefixes = [...text.matchAll(/word\("([\w.]+)"/g)].map(([, prefix]) => `${prefix}.`);
    const templates = [...text.matchAll(/`([\w.]+\.)\$\{/g)].map(([, prefix]) => prefix ?? "");
    const isUsed = (key: string) => text.includes(`"${key}"`) || [...prefixes, ...templates].some((prefix) => key.startsWith(prefix));
    expect(entries.map(([key]) => key).filter((key) => !isUsed(key))).toEqual([]);
  });

  it("is the only place with text for people", () => {
    // Two words between tags, or in an attribute that is read out.
    const loose = /(>\s*[A-Z][a-z]+ [a-z][^<{}=;]*<\/|(?:label|title|placeholder|alt)="[A-Z][^"]* [^"]*")/;
    expect(code.filter(({ text }) => loose.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

const named = schema.components.schemas;

describe("words for what the server names", () => {
  it.each([
    ["result", named.ActOutcome.enum],
    ["actor", ["operator", "oracle", "policy"]],
    ["decision", named.DecideIn.properties.decision.enum],
    ["outcome", named.Outcome.enum],
    ["state", ["queued", "starting", "running", "awaiting_approval", "paused", "user_control", "completed", "failed", "rejected", "cancelled", "timed_out"]],
    ["phase", ["load", "read", "featurise", "wander", "midtrain", "offline", "distill", "train", "play", "judge", "export", "evaluate", "register"]],
    ["training.kind", named.NewRun.properties.kind.enum],
    ["split", named.NewEvaluation.properties.splits.items.enum],
  ])("%s", (prefix, values) => {
    expect(values).not.toEqual([]);
    expect(values.filter((value) => !(`${prefix}.${value}` in catalogue))).toEqual([]);
  });
});
