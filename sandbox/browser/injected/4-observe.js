// One pass over the page: what a person can see and use now, as one JSON string.
const LIMIT = 500;
const refs = new WeakMap(); // node -> ref
const KEPT = 4000;
const nodes = new Map(); // ref -> node, of every observation so far
const keys = new Map(); // ref -> what it was when last seen
let lastRef = 0;

const BLOCK = /^(?:p|div|h[1-6]|table|ul|ol|dl|dt|dd|section|article|form|fieldset|li|tr|td|th|pre|blockquote|main|nav|header|footer|aside|caption|legend|figure|details|tbody|thead|tfoot)$/;
const SKIP = /^(?:script|style|template|noscript|head|meta|link|option|optgroup|iframe|br|hr|canvas|video|audio|object|embed|use|path)$/;
const TOAST = ".toast, [role=alert], [role=status], .alert, [aria-live=assertive], [aria-live=polite]";

const isDisabled = (element) => element.matches(":disabled") || closest(element, "[aria-disabled=true]") !== null || (element.matches("a, .btn") && element.classList.contains("disabled"));

const clipsOf = (element, seen) => {
  // The part of the viewport that shows this element's surroundings, and whether scrolling could bring more of it.
  const up = parentOf(element) ?? frameOf(element.ownerDocument);
  if (!up) return { left: 0, top: 0, right: innerWidth, bottom: innerHeight, scrolls: true, x: -scrollX, y: -scrollY };
  let clip = seen.get(up);
  if (clip) return clip;
  const style = getComputedStyle(up);
  // What is fixed does not move with the page, but may scroll by itself, as a tall dialog does.
  clip = style.position === "fixed" ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight, scrolls: false, x: 0, y: 0 } : clipsOf(up, seen);
  const root = up === up.ownerDocument.documentElement || up === up.ownerDocument.body;
  if (up.localName === "iframe" || (!root && (style.overflowX !== "visible" || style.overflowY !== "visible"))) {
    const rect = topRect(up);
    const scrollable = up.localName === "iframe" || /auto|scroll/.test(style.overflowX + style.overflowY);
    clip = {
      left: Math.max(clip.left, rect.x), top: Math.max(clip.top, rect.y),
      right: Math.min(clip.right, rect.x + rect.width), bottom: Math.min(clip.bottom, rect.y + rect.height),
      scrolls: scrollable || (clip.scrolls && rect.width > 2 && rect.height > 2 && rect.x + rect.width > clip.left && outside(rect, clip)),
      x: scrollable ? rect.x - up.scrollLeft : clip.x, y: scrollable ? rect.y - up.scrollTop : clip.y, // where its content begins
      hides: !scrollable && { x: rect.x, y: rect.y, width: rect.width, height: rect.height },
    };
  }
  seen.set(up, clip);
  return clip;
};

const outside = (rect, clip) => rect.x + rect.width <= clip.left || rect.y + rect.height <= clip.top || rect.x >= clip.right || rect.y >= clip.bottom;

// "shown", "offscreen" (scrolling would show it) or "hidden".
const placeOf = (element, rect, seen) => {
  if (rect.width < 2 || rect.height < 2) return "hidden";
  const clip = getComputedStyle(element).position === "fixed" ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight, scrolls: false, x: 0, y: 0 } : clipsOf(element, seen);
  const centre = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  const inside = centre.x >= clip.left && centre.x <= clip.right && centre.y >= clip.top && centre.y <= clip.bottom;
  if (inside || (!outside(rect, clip) && !clip.scrolls)) return "shown";
  if (clip.hides && outside(rect, { left: clip.hides.x, top: clip.hides.y, right: clip.hides.x + clip.hides.width, bottom: clip.hides.y + clip.hides.height })) return "hidden";
  if (rect.x + rect.width <= clip.x || rect.y + rect.height <= clip.y) return "hidden"; // parked where no scrolling leads
  return clip.scrolls ? "offscreen" : outside(rect, clip) ? "hidden" : "shown";
};

const labelled = (hit, element) => {
  const label = closest(hit, "label");
  return label !== null && (label.control === element || within(element, label));
};

// A point of the top viewport where a press lands on the element, and what it hits there; or null.
const pointOf = (element, rect) => {
  for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.08, 0.5]]) {
    const x = rect.x + rect.width * fx, y = rect.y + rect.height * fy;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const hit = elementAt(x, y);
    if (hit && (within(hit, element) || labelled(hit, element))) return { x, y, hit };
  }
  // A link broken over two lines has a middle that is not its own.
  for (const part of element.getClientRects()) {
    const offset = offsetOf(element.ownerDocument);
    const x = part.x + offset.x + part.width / 2, y = part.y + offset.y + part.height / 2;
    const hit = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && elementAt(x, y);
    if (hit && within(hit, element)) return { x, y, hit };
  }
  return null;
};

// Whether something else is drawn over what has no point to press. What lets presses through is asked by its ancestors.
const isCovered = (element, rect) => {
  const x = Math.min(Math.max(rect.x + rect.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(rect.y + rect.height / 2, 0), innerHeight - 1);
  const hit = elementAt(x, y);
  return !(hit && getComputedStyle(element).pointerEvents === "none" && within(element, hit));
};

const regionOf = (element, dialogs) => {
  for (let node = element; node; node = parentOf(node) ?? frameOf(node.ownerDocument)) {
    if (dialogs.includes(node)) return "dialog";
    if (node.matches(".toast, .toast-container, .toasts, [data-toast]")) return "toast";
    if (node.matches("[role=alert], [role=status], .alert") && /fixed|absolute|sticky/.test(getComputedStyle(node).position)) return "toast";
    if (node.matches("nav, [role=navigation], aside, .sidebar, #sidebar")) return "nav";
    if (node.matches("header, [role=banner], .navbar") && !closest(node, "main, article, section")) return "header";
  }
  return "main";
};

const statesOf = (element, role, place, secret) => {
  const states = [];
  const is = (name, holds) => { if (holds) states.push(name); };
  const aria = (name) => element.getAttribute("aria-" + name);
  const disabled = isDisabled(element);
  is("checked", element.checked === true || aria("checked") === "true");
  is("disabled", disabled);
  is("editable", (role === "textbox" || role === "spinbutton") && !disabled && !element.readOnly && aria("readonly") !== "true");
  is("expanded", aria("expanded") === "true" || (element.localName === "summary" && element.parentElement?.open));
  is("focused", hasFocus(element));
  is("invalid", aria("invalid") === "true" || element.classList.contains("is-invalid") || (role !== "button" && element.matches(":user-invalid")));
  is("offscreen", place === "offscreen");
  is("password", secret);
  is("pressed", aria("pressed") === "true");
  is("readonly", element.readOnly === true || aria("readonly") === "true");
  is("required", element.required === true || aria("required") === "true");
  is("selected", aria("selected") === "true" || (aria("current") && aria("current") !== "false") || (/^(?:link|tab|option)$/.test(role) && element.classList.contains("active")));
  return states;
};

const valueOf = (element, role) => {
  const tag = element.localName;
  if (tag === "select") return [...element.selectedOptions].map((option) => squash(option.label)).join(", ");
  if (role === "checkbox" || role === "radio" || role === "switch") return "";
  if (tag === "input" && element.type === "file") return [...element.files].map((file) => file.name).join(", ");
  if ((tag === "input" && role !== "button") || tag === "textarea") return element.value;
  if (role === "textbox") return squash(element.innerText);
  return squash(element.getAttribute("aria-valuetext") || element.getAttribute("aria-valuenow") || "");
};

const shownValue = (element, role, secret, lookAtKeys) => {
  const value = valueOf(element, role);
  return secret ? (value ? MASK : "") : maskText(cut(value, 400), lookAtKeys);
};

const round = (number) => Math.round(number * 10) / 10;

class Pass {
  constructor() {
    this.elements = [];
    this.taken = []; // what each of them was made of
    this.toasts = [];
    this.dialogs = openDialogs();
    this.modal = [...this.dialogs].reverse().find(isModal) ?? null;
    this.frames = 0;
    this.groups = new Map();
    this.rows = new Map();
    this.clips = new Map();
    this.told = new Map();
    this.nodes = new Map();
    this.keys = new Map();
    this.free = null;
  }

  walk(element, frame, usable) {
    if (this.elements.length >= LIMIT || SKIP.test(element.localName) && element.localName !== "iframe") return;
    if (element.localName === "iframe") return this.enter(element);
    const style = getComputedStyle(element);
    if (style.display === "none" || element.inert) return;
    const role = actionRole(element) || ((!usable || element.matches(MARKED)) && isLoose(element) ? "button" : "");
    let took = usable;
    if (role) { this.takeUsable(element, role, frame); took = true; } else if (!usable) this.takeText(element, frame);
    if (element.localName === "select" || (role === "textbox" && element.isContentEditable)) return;
    for (const child of childrenOf(element)) if (child.nodeType === 1) this.walk(child, frame, took);
  }

  enter(frame) {
    const inner = frameDocument(frame);
    this.frames += 1;
    const number = this.frames;
    if (inner?.body && isShown(frame)) this.walk(inner.body, number, false);
  }

  allows(element) {
    return !this.modal || within(element, this.modal) || closest(element, TOAST) !== null && regionOf(element, this.dialogs) === "toast";
  }

  takeUsable(element, role, frame) {
    const face = faceOf(element);
    if (!isShown(face) || !this.allows(element)) return;
    const rect = topRect(face);
    const place = placeOf(face, rect, this.clips);
    const point = place === "shown" ? pointOf(face, rect) : null;
    if (place === "hidden" || (place === "shown" && !point && isCovered(face, rect) && !labelledFace(face, element, rect))) return;
    const secret = fieldIsSecret(element);
    const lookAtKeys = tellsSecrets(element, this.told);
    this.add(element, {
      role, rect, frame, actionable: true,
      name: maskText(cut(nameOf(element, role), 120), lookAtKeys),
      value: shownValue(element, role, secret, lookAtKeys),
      states: statesOf(element, role, place, secret),
      label: cut(fieldLabel(element), 100),
      options: element.localName === "select" ? [...element.options].filter((option) => !option.hidden).slice(0, 100).map((option) => squash(option.label)) : [],
    }, { face, rect, point, place, secret, lookAtKeys });
  }

  takeText(element, frame) {
    const tag = element.localName;
    if (tag === "label" && element.control && isShown(faceOf(element.control))) return;
    const role = textRole(element);
    if (tag === "img" && !role) return;
    const text = tag === "img" ? squash(element.alt) : role === "text" && !hasOwnText(element) ? "" : ownText(element);
    if (!text || !isShown(element) || !this.allows(element)) return;
    const rect = topRect(element);
    const place = placeOf(element, rect, this.clips);
    if (place === "hidden") return;
    const region = regionOf(element, this.dialogs);
    if (place === "shown" && region !== "toast" && !pointOf(element, rect) && isCovered(element, rect)) return;
    const name = textIsSecret(element) ? MASK : maskText(cut(text, 300), tellsSecrets(element, this.told));
    this.add(element, { role, rect, frame, name, value: "", states: place === "offscreen" ? ["offscreen"] : [], label: cut(fieldLabel(element), 100), options: [], actionable: false }, { face: element, rect });
  }

  add(node, found, by) {
    const group = maskText(groupOf(node, this.groups), false), row = this.maskedRow(node), region = regionOf(node, this.dialogs);
    const key = [found.role, found.name, found.label, group, row, region, found.frame].join("\u0001");
    const ref = this.refOf(node, key);
    this.nodes.set(ref, new WeakRef(node));
    this.keys.set(ref, key);
    const { rect, ...rest } = found;
    const element = {
      ref, ...rest, group, row: row === found.name ? "" : row, region,
      box: { x: round(rect.x), y: round(rect.y), width: round(rect.width), height: round(rect.height) },
    };
    this.elements.push(element);
    this.taken.push({ node, element, ...by });
  }

  maskedRow(node) {
    const row = rowAround(node);
    if (!row || row === node) return "";
    if (!this.rows.has(row)) {
      const cells = row.matches("tr, [role=row]") ? [...row.children] : [row];
      const keys = tellsSecrets(row, this.told);
      const parts = cells.map((cell) => (textIsSecret(cell) || [...cell.querySelectorAll("*")].some((each) => masked.has(each)) ? MASK : maskText(readable(cell), keys)));
      this.rows.set(row, cut(parts.filter(Boolean).join(" | "), 200));
    }
    return this.rows.get(row);
  }

  // A page that draws itself anew keeps its refs: a new node that is the same to a person inherits the lost one's.
  refOf(node, key) {
    let ref = refs.get(node);
    if (ref !== undefined && !this.nodes.has(ref)) return ref;
    if (!this.free) {
      this.free = new Map();
      for (const [old, was] of keys) if (!nodes.get(old)?.deref()?.isConnected) this.free.set(was, [...(this.free.get(was) ?? []), old]);
    }
    ref = this.free.get(key)?.shift();
    if (ref === undefined || this.nodes.has(ref)) ref = ++lastRef;
    refs.set(node, ref);
    return ref;
  }

  notices() {
    const found = [];
    for (const each of document.querySelectorAll(TOAST)) {
      if (found.some((other) => other.contains(each)) || !isShown(each)) continue;
      const rect = topRect(each);
      const text = rect.height > 2 ? shownText(each) : "";
      if (text && placeOf(each, rect, this.clips) === "shown") { found.push(each); this.toasts.push(maskText(cut(text, 200), tellsSecrets(each, this.told))); }
    }
  }
}

const labelledFace = (face, element, rect) => {
  const hit = elementAt(rect.x + rect.width / 2, rect.y + rect.height / 2);
  return Boolean(hit) && labelled(hit, element);
};

const textRole = (element) => {
  const tag = element.localName, given = element.getAttribute("role");
  if (/^h[1-6]$/.test(tag) || given === "heading") return "heading";
  if (tag === "td" || tag === "th" || given === "cell" || given === "columnheader") return "cell";
  if (tag === "img") return element.alt ? "img" : "";
  if (given === "alert" || given === "status" || element.matches(".alert, .toast-body, .badge, .invalid-feedback")) return "status";
  return "text";
};

const hasOwnText = (element) => {
  for (let node = (element.shadowRoot ?? element).firstChild; node; node = node.nextSibling) if (node.nodeType === 3 && node.data.trim()) return !inlineInText(element);
  return false;
};

// Inline parts of a sentence are read with it.
const inlineInText = (element) => {
  if (BLOCK.test(element.localName) || element.matches(".badge")) return false;
  for (let up = parentOf(element); up; up = parentOf(up)) {
    if (textRole(up) !== "text") return true;
    for (let node = up.firstChild; node; node = node.nextSibling) if (node.nodeType === 3 && node.data.trim()) return true;
    if (BLOCK.test(up.localName)) return false;
  }
  return false;
};

// The text of an element and its inline parts, without buttons and without blocks that are read on their own.
const ownText = (element) => {
  let text = "";
  const whole = textRole(element) !== "text";
  const walk = (node) => {
    if (node.nodeType === 3) { text += node.data; return; }
    if (node.nodeType !== 1 || SKIP.test(node.localName) || actionRole(node)) { text += " "; return; }
    if (node !== element && (!node.checkVisibility({ visibilityProperty: true }) || isLoose(node))) return;
    if (node !== element && !whole && BLOCK.test(node.localName)) { text += " "; return; }
    for (const child of childrenOf(node)) walk(child);
    if (BLOCK.test(node.localName)) text += " ";
  };
  walk(element);
  return squash(text);
};

const hash = (text) => {
  let a = 0x811c9dc5, b = 0x1234567;
  for (let i = 0; i < text.length; i++) { const c = text.charCodeAt(i); a = Math.imul(a ^ c, 0x01000193); b = Math.imul(b ^ c, 0x5bd1e995) ^ (b >>> 13); }
  return (a >>> 0).toString(16) + (b >>> 0).toString(16);
};

// What is out of sight keeps its ref: an action on it is then refused by its right name.
const remember = (pass) => {
  for (const [ref, node] of pass.nodes) { nodes.delete(ref); nodes.set(ref, node); keys.set(ref, pass.keys.get(ref)); }
  for (const ref of nodes.keys()) {
    if (nodes.size <= KEPT) break;
    nodes.delete(ref);
    keys.delete(ref);
  }
};

const passOver = () => {
  const pass = new Pass();
  if (document.body) pass.walk(document.body, 0, false);
  pass.notices();
  remember(pass);
  return pass;
};

const look = (pass = passOver()) => ({
  url: location.href, title: maskText(document.title, false), elements: pass.elements,
  dialogs: pass.dialogs.map((dialog) => maskText(cut(dialogTitle(dialog), 120), false)), toasts: pass.toasts, viewport: [innerWidth, innerHeight],
});

// `effect` tells whether an action did anything at all: values, focus, scroll and toasts count.
const observe = () => {
  maskAll();
  const seen = look();
  return JSON.stringify({ ...seen, effect: hash(JSON.stringify(seen) + scrollX + "," + scrollY) });
};

// What is still being parsed is looked at once it is there; what never ends being parsed, as it is.
const PARSED_MS = 1000;
const lookWhole = async () => {
  if (document.readyState === "loading") {
    await new Promise((done) => {
      document.addEventListener("DOMContentLoaded", done, { once: true });
      setTimeout(done, PARSED_MS);
    });
  }
  return observe();
};
