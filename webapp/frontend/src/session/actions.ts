/** Actions in words, and as a form being filled. Pure. */
import type { Action, ActionKind, Key, PageElement, Proposal } from "../api/contracts";
import { apart } from "../visible";
import type { Words } from "../words";

export interface Named {
  role: string;
  name: string;
}

export type Find = (ref: number) => Named | undefined;

const quoted = (text: string): string => `“${apart(text)}”`;

/** An element as a person would call it. */
export function elementText(element: Named | undefined, ref: number, { t }: Words): string {
  if (!element) return t("action.gone", { ref });
  return element.name ? `${quoted(element.name)} (${element.role})` : `${element.role} ${ref}`;
}

/** What an action does, without its verb. */
export function objectText(action: Action, find: Find, words: Words): string {
  const { t } = words;
  switch (action.kind) {
    case "click":
      return elementText(find(action.element), action.element, words);
    case "type":
      return t("action.into", {
        text: quoted(action.text),
        target: elementText(find(action.element), action.element, words),
      });
    case "select":
      return t("action.in", {
        text: quoted(action.option),
        target: elementText(find(action.element), action.element, words),
      });
    case "press":
      return action.key;
    case "scroll":
      return t(`action.${action.direction}`);
    case "navigate":
      return apart(action.url);
    case "wait":
      return "";
    case "finish":
      return action.answer && t("action.answer", { text: quoted(action.answer) });
    case "give_up":
      return apart(action.reason);
    default:
      return action satisfies never;
  }
}

export function verbText(action: Action, { t }: Words): string {
  return t(`action.${action.kind}`);
}

export function actionText(action: Action | null, find: Find, words: Words): string {
  if (!action) return words.t("action.none");
  return `${verbText(action, words)} ${objectText(action, find, words)}`.trim();
}

export const finder =
  (elements: PageElement[]): Find =>
  (ref) =>
    elements.find((element) => element.ref === ref);

/** The element an action points at. */
export function elementOf(action: Action | null | undefined): number | null {
  return action && "element" in action ? action.element : null;
}

/** A probability as a person reads it: never a certainty that is none. */
export function chanceText(probability: number): string {
  if (probability < 0.01) return "<1 %";
  if (probability > 0.99 && probability < 1) return ">99 %";
  return `${Math.round(probability * 100)} %`;
}

const LEAST_CHANCE = 0.0001; // what the policy holds for less likely than this is no help to anybody

/** The alternatives worth showing, as they are numbered from 2. */
export const worthShowing = (proposal: Proposal): Proposal["alternatives"] =>
  proposal.alternatives.filter(({ probability }) => probability >= LEAST_CHANCE);

/** An action that is being put together. */
export interface Draft {
  kind: ActionKind;
  element: number | null;
  text: string;
  option: string;
  key: Key;
  direction: "up" | "down";
  url: string;
}

export const EMPTY_DRAFT: Draft = {
  kind: "click",
  element: null,
  text: "",
  option: "",
  key: "Enter",
  direction: "down",
  url: "",
};

export function draftOf(action: Action | null | undefined): Draft {
  if (!action) return EMPTY_DRAFT;
  const draft = { ...EMPTY_DRAFT, kind: action.kind, element: elementOf(action) };
  switch (action.kind) {
    case "type":
      return { ...draft, text: action.text };
    case "select":
      return { ...draft, option: action.option };
    case "press":
      return { ...draft, key: action.key };
    case "scroll":
      return { ...draft, direction: action.direction };
    case "navigate":
      return { ...draft, url: action.url };
    case "finish":
      return { ...draft, text: action.answer };
    case "give_up":
      return { ...draft, text: action.reason };
    case "click":
    case "wait":
      return draft;
    default:
      return action satisfies never;
  }
}

/** The action a draft stands for, or null while something is lacking. */
export function actionOf(draft: Draft): Action | null {
  const { kind, element } = draft;
  switch (kind) {
    case "click":
      return element === null ? null : { kind, element };
    case "type":
      return element === null ? null : { kind, element, text: draft.text };
    case "select":
      return element === null || !draft.option ? null : { kind, element, option: draft.option };
    case "press":
      return { kind, key: draft.key };
    case "scroll":
      return { kind, direction: draft.direction };
    case "navigate":
      return draft.url ? { kind, url: draft.url } : null;
    case "wait":
      return { kind };
    case "finish":
      return { kind, answer: draft.text };
    case "give_up":
      return { kind, reason: draft.text };
    default:
      return kind satisfies never;
  }
}

const TEXT_ROLES = new Set(["textbox", "searchbox", "spinbutton"]);

/** What one most likely wants to do with an element. */
export function likelyKind(element: PageElement): ActionKind {
  if (element.role === "combobox" && element.options.length > 0) return "select";
  if (TEXT_ROLES.has(element.role) || element.states.includes("editable")) return "type";
  return "click";
}

/** The draft after an element was picked. */
export function picked(draft: Draft, element: PageElement): Draft {
  const kind = likelyKind(element);
  const option = kind === "select" && element.options.includes(draft.option) ? draft.option : "";
  return { ...draft, kind, element: element.ref, option };
}

export const NEEDS_ELEMENT = new Set<ActionKind>(["click", "type", "select"]);
