// Walking what a person sees: open shadow roots and same-origin frames included.
const squash = (text) => (text || "").replace(/[\s\u00a0]+/g, " ").trim();
const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);
const words = (text) => squash((text || "").replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[-_./:#]+/g, " ")).toLowerCase();

const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null);

const frameDocument = (frame) => {
  try { return frame.contentDocument; } catch { return null; }
};

// The frame that holds a document; none for the one we were started in, also where that is itself in a frame.
const frameOf = (document_) => (document_ === document ? null : document_.defaultView?.frameElement ?? null);

// Ancestors across shadow roots and out of frames.
function* ancestors(element) {
  let node = element;
  while (node) {
    const up = parentOf(node);
    node = up ?? frameOf(node.ownerDocument);
    if (node) yield node;
  }
}

// Whether any open shadow root has been met: without one the browser's own, faster walks will do.
let shadows = false;

const within = (element, outer) => {
  if (!shadows && element.ownerDocument === outer.ownerDocument) return outer.contains(element);
  if (element === outer) return true;
  for (const up of ancestors(element)) if (up === outer) return true;
  return false;
};

const closest = (element, selector) => {
  if (!shadows) return element.closest(selector);
  for (let node = element; node; node = parentOf(node)) if (node.matches?.(selector)) return node;
  return null;
};

const childrenOf = (element) => {
  if (element.shadowRoot) return element.shadowRoot.childNodes;
  if (element.localName === "slot") {
    const assigned = element.assignedNodes();
    if (assigned.length) return assigned;
  }
  return element.childNodes;
};

// Where a frame's own (0, 0) lies in the top viewport.
const offsetOf = (document_) => {
  let x = 0, y = 0;
  for (let frame = frameOf(document_); frame; frame = frameOf(frame.ownerDocument)) {
    const rect = frame.getBoundingClientRect();
    x += rect.x + frame.clientLeft;
    y += rect.y + frame.clientTop;
  }
  return { x, y };
};

const topRect = (element) => {
  const rect = element.getBoundingClientRect();
  const offset = element.ownerDocument === document ? { x: 0, y: 0 } : offsetOf(element.ownerDocument);
  return { x: rect.x + offset.x, y: rect.y + offset.y, width: rect.width, height: rect.height };
};

// The innermost element at a point of the top viewport.
const elementAt = (x, y) => {
  let root = document, found = null;
  for (;;) {
    const hit = root.elementFromPoint(x, y);
    if (!hit || hit === found) return found;
    found = hit;
    if (hit.shadowRoot) { root = hit.shadowRoot; continue; }
    const inner = hit.localName === "iframe" ? frameDocument(hit) : null;
    if (!inner) return found;
    const rect = hit.getBoundingClientRect();
    x -= rect.x + hit.clientLeft;
    y -= rect.y + hit.clientTop;
    root = inner;
  }
};

const CHECKS = new Set(["checkbox", "radio", "file"]);
const isChoice = (element) => element.localName === "input" && CHECKS.has(element.type);

// What stands for an element on screen: custom check boxes hide the input and draw its label.
const faceOf = (element) => {
  if (!isChoice(element)) return element;
  const rect = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  if (rect.width > 2 && rect.height > 2 && style.opacity !== "0" && style.visibility === "visible" && style.display !== "none") return element;
  const label = [...(element.labels || [])].find((each) => each.checkVisibility() && each.getBoundingClientRect().width > 2);
  return label || element;
};

const isShown = (element) => {
  if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: !isChoice(element), contentVisibilityAuto: false })) return false;
  if (closest(element, "[inert]")) return false;
  for (let frame = frameOf(element.ownerDocument); frame; frame = frameOf(frame.ownerDocument)) {
    if (!frame.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
  }
  return true;
};

const DIALOG = "dialog[open], [role=dialog], [role=alertdialog], .modal.show";
const isModal = (element) =>
  element.matches("dialog") ? element.matches(":modal") : element.matches("[aria-modal=true], .modal.show");

// Open dialogs, topmost last.
const openDialogs = () => {
  const found = [];
  const look = (root) => {
    for (const each of root.querySelectorAll(DIALOG)) {
      const rect = each.getBoundingClientRect();
      if (rect.width > 2 && rect.height > 2 && isShown(each) && !found.some((other) => within(each, other))) found.push(each);
    }
    if (shadows) for (const each of root.querySelectorAll("*")) if (each.shadowRoot) look(each.shadowRoot);
    for (const frame of root.querySelectorAll("iframe")) { const inner = frameDocument(frame); if (inner) look(inner); }
  };
  look(document);
  const height = (each) => (each.matches("dialog:modal") ? 1e9 : Number(getComputedStyle(each).zIndex) || 0);
  return found.map((each, index) => [each, height(each), index]).sort((a, b) => a[1] - b[1] || a[2] - b[2]).map((each) => each[0]);
};
