// Many pages as frames of one, each with this script of its own: one call acts in all, lets them settle, and looks.
const pressAt = ({ x, y, hit: target }) => {
  const at = { bubbles: true, cancelable: true, composed: true, view: target.ownerDocument.defaultView, button: 0, detail: 1, clientX: x, clientY: y };
  target.dispatchEvent(new PointerEvent("pointerdown", at));
  const goesOn = target.dispatchEvent(new MouseEvent("mousedown", { ...at, buttons: 1 }));
  if (goesOn) {
    const takes = closest(target, "input, select, textarea, button, a[href], [tabindex], [contenteditable]");
    if (takes) takes.focus({ preventScroll: true });
    else target.ownerDocument.activeElement?.blur?.();
  }
  target.dispatchEvent(new PointerEvent("pointerup", at));
  target.dispatchEvent(new MouseEvent("mouseup", at));
  target.dispatchEvent(new MouseEvent("click", at));
};

const KEYS = { Enter: 13, Escape: 27, Tab: 9, Backspace: 8, Delete: 46, ArrowUp: 38, ArrowDown: 40, Space: 32 };

const pressKey = (name) => {
  const target = document.activeElement ?? document.body;
  const key = name === "Space" ? " " : name;
  const event = { key, code: name, keyCode: KEYS[name], which: KEYS[name], bubbles: true, cancelable: true };
  const goesOn = target.dispatchEvent(new KeyboardEvent("keydown", event));
  if (goesOn && (key === "Enter" || key === " ")) {
    target.dispatchEvent(new KeyboardEvent("keypress", event));
    if (target.matches("button, input[type=submit], input[type=button]") || (key === " " && isChoice(target))) target.click();
  }
  target.dispatchEvent(new KeyboardEvent("keyup", event));
};

const scriptedType = (element, text) => {
  const kind = kindOf(element);
  if (kind === "" || kind === "select") return "not_editable";
  element.focus({ preventScroll: true });
  element.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true }));
  if (element.isContentEditable) { element.textContent = text; element.dispatchEvent(new Event("input", { bubbles: true })); } else { element.value = text; told(element); }
  element.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true, cancelable: true }));
  return "done";
};

// One action by the page's own events, in a fraction of the time of trusted input; the outcome's name.
const scripted = ({ kind, element, text, option, key, direction }) => {
  if (kind === "press") { pressKey(key); return "done"; }
  if (kind === "scroll") return scrolled(direction) ? "done" : "no_effect";
  if (kind !== "click" && kind !== "type" && kind !== "select") return "done";
  const place = reach(element);
  if (place.outcome !== "ready") return place.outcome;
  if (kind === "click") { pressAt(place.point); return "done"; }
  if (kind === "type") return scriptedType(place.element, text);
  if (kindOf(place.element) !== "select") return "not_editable";
  const chosen = choose(element, option);
  return chosen.outcome === "ready" ? "done" : chosen.outcome;
};

// `steps` has one entry for each frame: {action} or {seed} (begin anew), or null to leave it as it is.
const batch = async (steps) => {
  const frames = [...document.querySelectorAll("iframe")].map((frame) => frame.contentWindow);
  for (const frame of frames) frame.belay.undraw();
  const outcomes = steps.map((step, index) => {
    const { document: page, belay: its } = frames[index];
    if (step?.action) return its.scripted(step.action);
    if (step) page.dispatchEvent(new CustomEvent("belay-begin", { detail: step.seed }));
    return "done";
  });
  await turn();
  const told = frames.map(({ document: page, belay: its }, index) => {
    const { done, raw, utterance, fields } = page.documentElement.dataset;
    const rest = JSON.stringify({ outcome: outcomes[index], done: done === "1", raw: Number(raw), utterance, fields });
    return `{"seen":${its.glance()},${rest.slice(1)}`;
  });
  return `[${told.join(",")}]`;
};
