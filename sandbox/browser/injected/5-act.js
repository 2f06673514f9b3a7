// What acting needs to know of an element, and the few things that input events cannot do.
// A page that is one of many frames has a focus of its own, which it moves itself and whose events it sends.
let focused = null;
document.addEventListener("focusin", (event) => { focused = event.target; }, true);
document.addEventListener("focusout", (event) => { if (focused === event.target) focused = null; }, true);

const hasFocus = (element) => (drawn ? element.getRootNode().activeElement === element && element.ownerDocument.hasFocus() : element === focused);

const focusOn = (element) => {
  if (drawn || element.dispatchEvent(new CustomEvent("belay-focus", { cancelable: true }))) element.focus();
};

const nodeOf = (ref) => {
  const node = nodes.get(ref)?.deref();
  return node?.isConnected ? node : null;
};

const say = (element) => cut(squash(`${element.localName} ${nameOf(element, actionRole(element))}`), 80);

// Brings an element into view: {outcome: "ready", element, face, point} or the name of why not.
const reach = (ref) => {
  const element = nodeOf(ref);
  if (!element) return { outcome: "vanished", detail: "it is no longer on the page" };
  const face = faceOf(element);
  if (!isShown(face)) return { outcome: "vanished", detail: "it is hidden now" };
  if (isDisabled(element)) return { outcome: "disabled", detail: say(element) };
  let rect = topRect(face);
  if (rect.width < 2 || rect.height < 2) return { outcome: "vanished", detail: "it has no size now" };
  let point = placeOf(face, rect, new Map()) === "shown" ? pointOf(face, rect) : null;
  if (!point) {
    face.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    for (let frame = frameOf(face.ownerDocument); frame; frame = frameOf(frame.ownerDocument)) if (!inViewport(topRect(face))) frame.scrollIntoView({ block: "center", behavior: "instant" });
    rect = topRect(face);
    point = pointOf(face, rect);
  }
  if (!inViewport(rect)) return { outcome: "missed", detail: "it lies outside the page" };
  if (!point) {
    const x = Math.min(Math.max(rect.x + rect.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(rect.y + rect.height / 2, 0), innerHeight - 1);
    const hit = elementAt(x, y);
    if (hit && labelled(hit, element)) point = { x, y, hit };
    else return { outcome: "covered", detail: hit ? `by ${say(hit)}` : "" };
  }
  return { outcome: "ready", element, face, point };
};

// An item of a menu that opens another menu: it is pointed at, for a press would choose it.
const OPENS = "[role=menuitem][aria-haspopup=true]";

// Whether the menu of such an item is open.
const isOpened = (ref) => {
  const node = nodeOf(ref), item = node && closest(node, OPENS), around = item && parentOf(item);
  return Boolean(item) && (item.getAttribute("aria-expanded") === "true" || [...around.querySelectorAll("[role=menu]")].some((menu) => menu.checkVisibility({ visibilityProperty: true })));
};

// Where to press: {outcome: "ready", x, y, ...} or the name of why not.
const locate = (ref) => {
  const { outcome, detail, element, face, point } = reach(ref);
  if (outcome !== "ready") return { outcome, detail };
  const role = actionRole(element);
  const icon = !shownText(face) && !isTextField(element) && !isChoice(element);
  return { outcome, detail: "", x: point.x, y: point.y, role, focused: element.getRootNode().activeElement === element, icon, opens: Boolean(closest(element, OPENS)), kind: kindOf(element), secret: fieldIsSecret(element) };
};

const inViewport = (rect) => rect.x < innerWidth && rect.y < innerHeight && rect.x + rect.width > 0 && rect.y + rect.height > 0;

const SET = /^(?:date|time|datetime-local|month|week|color|range)$/;

// How text gets in: "keys" (typed), "set" (a picker's value), "select", or "" (not at all).
const kindOf = (element) => {
  if (element.localName === "select") return "select";
  if (element.localName === "input" && SET.test(element.type)) return element.readOnly ? "" : "set";
  if (isTextField(element) || (element.localName === "input" && element.type === "number")) return element.readOnly ? "" : "keys";
  return element.isContentEditable ? "keys" : "";
};

// Focus, with everything in it selected, so that what is typed replaces it.
const selectAll = (ref) => {
  const element = nodeOf(ref);
  if (!element) return false;
  if (element.getRootNode().activeElement !== element) element.focus();
  if (element.isContentEditable) {
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element);
    const selection = element.ownerDocument.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  } else element.select();
  return element.getRootNode().activeElement === element;
};

const told = (element) => {
  for (const type of ["input", "change"]) element.dispatchEvent(new Event(type, { bubbles: true, composed: type === "input" }));
};

const setValue = (ref, text) => {
  const element = nodeOf(ref);
  if (!element) return "";
  element.focus();
  element.value = text;
  told(element);
  return element.value;
};

const rawValue = (ref) => {
  const element = nodeOf(ref);
  return element ? (element.isContentEditable ? squash(element.innerText) : element.value) : "";
};

const choose = (ref, wanted) => {
  const element = nodeOf(ref);
  if (!element) return { outcome: "vanished" };
  const options = [...element.options];
  const text = squash(wanted);
  const option = options.find((each) => squash(each.label) === text) ?? options.find((each) => squash(each.label).toLowerCase() === text.toLowerCase()) ?? options.find((each) => each.value === wanted);
  if (!option || option.disabled || option.closest("optgroup")?.disabled) return { outcome: "no_such_option", detail: cut(options.map((each) => squash(each.label)).join(", "), 200) };
  focusOn(element);
  if (element.multiple) option.selected = !option.selected;
  else element.value = option.value, element.selectedIndex = option.index;
  told(element);
  return { outcome: "ready", detail: "" };
};

// The part that a person would scroll: the open dialog's, else the page, else its largest scrolling part.
const scrolled = (direction) => {
  const dialogs = openDialogs();
  const home = dialogs.length ? dialogs[dialogs.length - 1] : null;
  const parts = [...(home ? [home, ...home.querySelectorAll("*")] : document.querySelectorAll("*"))].filter((each) => each.scrollHeight > each.clientHeight + 4 && each.clientHeight > 60 && /auto|scroll/.test(getComputedStyle(each).overflowY));
  parts.sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight);
  const page = document.scrollingElement;
  const part = !home && page.scrollHeight > innerHeight + 4 ? page : parts[0];
  if (!part) return false;
  const before = part.scrollTop;
  part.scrollBy({ top: (direction === "up" ? -0.8 : 0.8) * part.clientHeight, behavior: "instant" });
  return part.scrollTop !== before;
};

// Resolves when the page has not changed for `quiet` ms, or at the limit; says whether it came to rest.
const rest = (quiet, limit) => new Promise((resolve) => {
  const end = performance.now() + limit;
  let timer = 0;
  const done = (calm) => { clearTimeout(timer); clearTimeout(last); watcher.disconnect(); resolve(calm); };
  const again = () => { clearTimeout(timer); timer = setTimeout(() => done(true), Math.min(quiet, Math.max(0, end - performance.now()))); };
  const watcher = new MutationObserver(again);
  const last = setTimeout(() => done(false), limit);
  watcher.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  again();
});

// Resolves at the first change of the page, or at the limit.
const change = (limit) => new Promise((resolve) => {
  const done = (changed) => { clearTimeout(timer); watcher.disconnect(); resolve(changed); };
  const watcher = new MutationObserver((records) => { if (records.some((record) => !(record.attributeName === "style" && masked.has(record.target)))) done(true); });
  const timer = setTimeout(() => done(false), limit);
  watcher.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
});

// Lets work that the last input has queued run first.
const turn = () => new Promise((resolve) => { const channel = new MessageChannel(); channel.port1.onmessage = () => resolve(1); channel.port2.postMessage(0); });

// Takeover: what lies under a point, and what the focus is on, as an observation would name it.
const refAt = (x, y) => {
  observe();
  let best = 0, depth = -1;
  const hit = elementAt(x, y);
  if (!hit) return 0;
  const label = closest(hit, "label");
  for (const [ref, node] of nodes) {
    const element = node.deref();
    if (!element || !(actionRole(element) || isLoose(element))) continue;
    if (within(hit, element) || (label && label.control === element)) {
      const deep = [...ancestors(element)].length;
      if (deep > depth) { best = ref; depth = deep; }
    }
  }
  return best;
};

const focusRef = () => {
  let element = document.activeElement;
  for (;;) {
    const inner = element?.shadowRoot?.activeElement ?? (element?.localName === "iframe" ? frameDocument(element)?.activeElement : null);
    if (!inner) break;
    element = inner;
  }
  if (!element || !kindOf(element) || kindOf(element) === "select") return { ref: 0, value: "", secret: false };
  observe();
  return { ref: refs.get(element) ?? 0, value: maskText(element.isContentEditable ? squash(element.innerText) : element.value, tellsSecrets(element, new Map())), secret: fieldIsSecret(element) };
};

const keep = (values) => { secrets = [...new Set([...secrets, ...values])].filter((value) => value.length >= 4).sort((a, b) => b.length - a.length); maskAll(); return secrets.length; };
