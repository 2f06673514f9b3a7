// Many pages as frames of one, each with this script of its own: one call acts in all, lets them settle, and looks.
// What was seen last holds until something stirs: then only values, states and places are read again.
let seen = null; // the last whole look
let stirred = true; // whether anything that it rests on may have changed since
const READ_AGAIN = /^(?:data-tampered|aria-value(?:now|min|max|text))$/; // what a page notes for itself, and values
const hear = (records) => { if (!stirred) stirred = records.some(({ attributeName }) => !READ_AGAIN.test(attributeName ?? "")); };
const stirs = new MutationObserver(hear);

// States that come without a mutation, and pictures that a style puts in an element's place, whose coming nobody is told
// of. Where a page's styles have one of them it is always looked at anew.
const STATE = /:(?:checked|indeterminate|default|valid|invalid|user-|in-range|out-of-range|placeholder-shown|autofill|open|popover|modal|has\()/;
const isRestless = (rule) =>
  STATE.test(rule.selectorText ?? "") || /url\((?!"?data:)/.test((rule.style?.content ?? "") + (rule.style?.listStyleImage ?? "")) || [...(rule.cssRules ?? [])].some(isRestless);

const stylesAreStill = () => {
  try { return ![...document.styleSheets].some((sheet) => [...sheet.cssRules].some(isRestless)); } catch { return false; }
};
const judged = { sheets: -1, still: false };
const canBeStill = () => {
  if (judged.sheets !== document.styleSheets.length) Object.assign(judged, { sheets: document.styleSheets.length, still: stylesAreStill() });
  return judged.still && !shadows && !secrets.length;
};

// What is on its way takes its place without a mutation; what moves by itself does so at any time.
const isAtRest = () => document.getAnimations().length === 0 && document.fonts.status === "loaded" && [...document.images].every((each) => each.complete);

const isStill = () => {
  hear(stirs.takeRecords());
  return seen !== null && !stirred && document.getAnimations().length === 0;
};

const isWhereItWas = ({ face, rect }) => {
  const now = face.getBoundingClientRect();
  return now.x === rect.x && now.y === rect.y && now.width === rect.width && now.height === rect.height;
};

// Where to press what was seen a moment ago, as `reach` tells it; null where that must be found out anew.
const inSight = (ref) => {
  const it = isStill() ? seen.byRef.get(ref) : null;
  if (it?.point && !isDisabled(it.node) && isWhereItWas(it)) return { outcome: "ready", detail: "", element: it.node, face: it.face, point: it.point };
  stirred = true; // finding it may scroll
  return null;
};

// What has changed since the whole look, as [index, value, states]; null where that is not enough.
const changes = () => {
  if (!isStill() || location.href !== seen.url) return null;
  const found = [];
  for (const [index, it] of seen.taken.entries()) {
    if (!isWhereItWas(it)) return null;
    const { node, element, place, secret, lookAtKeys } = it;
    if (!element.actionable) continue;
    const value = shownValue(node, element.role, secret, lookAtKeys), states = statesOf(node, element.role, place, secret);
    if (value === element.value && states.join() === element.states.join()) continue;
    Object.assign(element, { value, states });
    found.push([index, value, states]);
  }
  return found;
};

const wholeLook = () => {
  const pass = passOver();
  const told = look(pass);
  seen = null;
  if (canBeStill() && pass.frames === 0 && isAtRest()) {
    seen = { url: location.href, taken: pass.taken, byRef: new Map(pass.taken.map((it) => [it.element.ref, it])) };
  }
  stirs.takeRecords();
  stirred = false;
  return told;
};

// A frame's part of the answer, as JSON; `whole` where nobody holds what was told last.
const tell = (outcome, whole) => {
  const changed = whole ? null : changes();
  if (changed) return JSON.stringify({ outcome, changed });
  const { done, raw, utterance, fields } = document.documentElement.dataset;
  return JSON.stringify({ outcome, seen: { ...wholeLook(), effect: "" }, done: done === "1", raw: Number(raw), utterance, fields });
};

const attend = () => {
  if (!drawn) return;
  drawn = false;
  observer.disconnect();
  clearInterval(fields);
  stirs.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
};

const begin = (seed) => {
  document.dispatchEvent(new CustomEvent("belay-begin", { detail: seed }));
  return "done";
};

// `steps` has one entry for each frame: {action} or {seed} (begin anew), or null to leave it as it is.
const batch = async (steps, whole) => {
  const frames = [...document.querySelectorAll("iframe")].map((frame) => frame.contentWindow.belay);
  for (const its of frames) its.attend();
  const outcomes = steps.map((step, index) => (!step ? "done" : step.action ? frames[index].scripted(step.action) : frames[index].begin(step.seed)));
  await turn();
  return `[${frames.map((its, index) => its.tell(outcomes[index], whole)).join(",")}]`;
};
