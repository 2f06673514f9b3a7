// One action by the page's own events, in a fraction of the time of trusted input.
const pressAt = ({ x, y, hit: target }) => {
  const at = { bubbles: true, cancelable: true, composed: true, view: target.ownerDocument.defaultView, button: 0, detail: 1, clientX: x, clientY: y };
  if (closest(target, "[role=menuitem]")) { // a menu knows the item under the pointer by having heard it come
    for (const type of ["pointerover", "mouseover", "mousemove"]) target.dispatchEvent(new MouseEvent(type, at));
    if (closest(target, OPENS)) return;
  }
  target.dispatchEvent(new PointerEvent("pointerdown", at));
  const goesOn = target.dispatchEvent(new MouseEvent("mousedown", { ...at, buttons: 1 }));
  if (goesOn) {
    const takes = closest(target, "input, select, textarea, button, a[href], [tabindex], [contenteditable]");
    if (takes) focusOn(takes);
    else document.dispatchEvent(new CustomEvent("belay-focus", { cancelable: true }));
  }
  target.dispatchEvent(new PointerEvent("pointerup", at));
  target.dispatchEvent(new MouseEvent("mouseup", at));
  target.dispatchEvent(new MouseEvent("click", at));
};

const KEYS = { Enter: 13, Escape: 27, Tab: 9, Backspace: 8, Delete: 46, ArrowUp: 38, ArrowDown: 40, Space: 32 };

const pressKey = (name) => {
  const target = focused?.isConnected ? focused : document.body;
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
  focusOn(element);
  element.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true }));
  if (element.isContentEditable) { element.textContent = text; element.dispatchEvent(new Event("input", { bubbles: true })); } else { element.value = text; told(element); }
  element.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true, cancelable: true }));
  return "done";
};

// The outcome's name.
const scripted = ({ kind, element, text, option, key, direction }) => {
  if (kind === "press") { pressKey(key); return "done"; }
  if (kind === "scroll") { stirred = true; return scrolled(direction) ? "done" : "no_effect"; }
  if (kind !== "click" && kind !== "type" && kind !== "select") return "done";
  const place = inSight(element) ?? reach(element);
  if (place.outcome !== "ready") return place.outcome;
  if (kind === "click") { pressAt(place.point); return "done"; }
  if (kind === "type") return scriptedType(place.element, text);
  if (kindOf(place.element) !== "select") return "not_editable";
  const chosen = choose(element, option);
  return chosen.outcome === "ready" ? "done" : chosen.outcome;
};
