// What a person would call an element.
const ROLES = new Set(["button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "option", "tab", "menuitem",
  "menuitemcheckbox", "menuitemradio", "spinbutton", "switch", "slider", "treeitem", "gridcell"]);
const SAME = { searchbox: "textbox", menuitemcheckbox: "menuitem", menuitemradio: "menuitem", treeitem: "option", gridcell: "button" };
const INPUTS = { button: "button", submit: "button", reset: "button", image: "button", file: "button", color: "button", checkbox: "checkbox",
  radio: "radio", number: "spinbutton", range: "slider", hidden: "" };

const isEditor = (element) => element.isContentEditable && !(element.parentElement && element.parentElement.isContentEditable);

// The role of something that can be used, or "".
const actionRole = (element) => {
  const given = (element.getAttribute("role") || "").split(" ")[0];
  const tag = element.localName;
  if (tag === "input") return given === "switch" ? "switch" : INPUTS[element.type] ?? "textbox";
  if (tag === "textarea") return "textbox";
  if (tag === "select") return "combobox";
  if (given === "gridcell" && element.tabIndex < 0) return "";
  if (ROLES.has(given)) return SAME[given] ?? given;
  if (tag === "a" && element.hasAttribute("href")) return "link";
  if (tag === "button" || tag === "summary") return "button";
  if (isEditor(element)) return "textbox";
  return "";
};

const LOOSE = new Set(["div", "span", "li", "td", "tr", "i", "svg", "img", "p", "a", "h1", "h2", "h3", "h4", "h5", "h6", "circle", "rect",
  "polygon", "ellipse", "text"]);
// A world whose pages show no pointer marks by this what listens for clicks; the innermost counts.
const MARKED = "[data-handles-clicks]";

// Things that only script makes usable: they say so by a handler, a tab stop or the pointer they show.
const isLoose = (element) => {
  if (!LOOSE.has(element.localName)) return false;
  if (element.hasAttribute("onclick") || element.hasAttribute("ng-click") || element.hasAttribute("data-bs-toggle")) return true;
  if (element.hasAttribute("tabindex") && element.tabIndex >= 0 && element.getAttribute("role") !== "tabpanel" && !element.matches(DIALOG)) return !element.querySelector("input,button,a,select,textarea,td,p");
  if (element.matches(MARKED) && !element.querySelector("input,button,a,select,textarea,[role]," + MARKED)) return true;
  const up = parentOf(element);
  return getComputedStyle(element).cursor === "pointer" && !(up && getComputedStyle(up).cursor === "pointer") && element.localName !== "tr";
};

const byIds = (element, attribute) => {
  const ids = (element.getAttribute(attribute) || "").split(/\s+/).filter(Boolean);
  const root = element.getRootNode();
  return squash(ids.map((id) => root.getElementById?.(id)?.textContent ?? "").join(" "));
};

// Text that is drawn, with alternative texts of images and without hidden parts.
const shownText = (element, limit = 400) => {
  let text = "";
  const walk = (node) => {
    if (text.length > limit) return;
    if (node.nodeType === 3) { text += node.data; return; }
    if (node.nodeType !== 1) return;
    const tag = node.localName;
    if (tag === "script" || tag === "style" || tag === "template" || tag === "noscript" || tag === "select" || tag === "textarea") return;
    if (tag === "img") { text += " " + (node.alt || "") + " "; return; }
    if (node !== element && !node.checkVisibility({ visibilityProperty: true })) return;
    const inline = getComputedStyle(node).display.startsWith("inline");
    if (!inline) text += " ";
    for (const child of childrenOf(node)) walk(child);
    if (!inline) text += " ";
  };
  walk(element);
  return squash(text);
};

const labelText = (element) => {
  const named = byIds(element, "aria-labelledby");
  if (named) return named;
  const labels = [...(element.labels || [])].map((label) => shownText(label)).filter(Boolean);
  return squash(labels.join(" ")).replace(/\s*[*:]\s*$/, "");
};

const ICON = /^(?:fa|bi|ti|mdi|icon|glyphicon|ri|la|pi|codicon|octicon|lucide|feather|material-icons)-(.+)$/;
const ICON_SIZE = /^(?:solid|regular|brands|light|fw|lg|sm|xs|xl|\d+x|spin|pulse|stack.*|btn|button|hover|wrapper)$/;
const DATA_NOISE = /^data-(?:bs-(?:toggle|placement|original-title|dismiss|trigger|html|delay|container)|v-|reactid|react|testid$|handles-clicks$|wob_|tampered$|sort|page$|turbo)/;

// A name for a nameless icon: its title, its icon class, its data attributes.
const iconName = (element) => {
  const parts = [];
  for (const node of [element, ...element.querySelectorAll("i, svg, span, use")]) {
    for (const name of node.classList) {
      const icon = name.match(ICON);
      if (icon && !ICON_SIZE.test(icon[1])) parts.push(words(icon[1].replace(/-(?:alt|o|outline|fill)$/, "")));
    }
    const use = node.localName === "use" ? (node.getAttribute("href") || "").split("#")[1] : "";
    if (use) parts.push(words(use));
    const title = node.localName === "svg" ? node.querySelector("title")?.textContent : "";
    if (title) parts.push(squash(title));
  }
  for (const { name, value } of element.attributes) {
    if (name.startsWith("data-") && !DATA_NOISE.test(name)) parts.push(words(name.slice(5)), squash(value).length > 40 ? "" : squash(value));
  }
  if (element.getAttribute("data-bs-dismiss")) parts.push("close");
  const picture = parts.length && getComputedStyle(element).content.match(/^url\("[^"]*?([^"/]+)\.\w+"\)/); // what is drawn in its place
  if (picture) parts.unshift(words(picture[1]));
  return [...new Set(parts.filter(Boolean))].join(" ");
};

const nameOf = (element, role) => {
  const tag = element.localName;
  const title = squash(element.getAttribute("title") || element.getAttribute("data-bs-original-title"));
  const named = byIds(element, "aria-labelledby") || squash(element.getAttribute("aria-label"));
  if (named) return named;
  if (tag === "input" || tag === "select" || tag === "textarea" || role === "textbox") {
    if (tag === "input" && (element.type === "submit" || element.type === "reset" || element.type === "button")) return squash(element.value) || title || element.type;
    if (tag === "input" && element.type === "image") return squash(element.alt) || title;
    return labelText(element) || squash(element.getAttribute("placeholder")) || title || beside(element) || words(element.name || element.id) || (element.type === "search" ? "search" : "");
  }
  const text = shownText(element);
  if (text) return element instanceof SVGElement && element.matches(MARKED) ? squash(`${fillOf(element)} ${text}`) : text;
  return squash(element.getAttribute("alt")) || title || iconName(element) || (element instanceof SVGElement ? element.id : words(element.id)) || (element.matches(MARKED) ? shapeName(element) : "");
};

// What is only drawn is called by its class, or by its colour and shape.
const shapeName = (element) =>
  element instanceof SVGElement ? squash(`${fillOf(element)} ${SHAPES[element.localName] ?? element.localName}`) : words([...element.classList].join(" "));

const SHAPES = { rect: "rectangle", polygon: "triangle" };

// The colour that a drawing is filled with, where that has a name.
const fillOf = (element) => {
  const fill = element.getAttribute("fill") || element.style.fill || "";
  return /^[a-z]+$/.test(fill) && fill !== "none" ? fill : "";
};

// A field without a label is called by the short text just before it.
const beside = (element) => {
  let node = element;
  for (let step = 0; step < 2 && node; step++) {
    const before = node.previousElementSibling;
    if (before && !before.querySelector("input,select,textarea,button") && !before.matches("input,select,textarea,button")) {
      const text = shownText(before, 60);
      if (text && text.length <= 60) return text.replace(/\s*[*:]\s*$/, "");
    }
    if (before) return "";
    node = node.parentElement;
    if (node && node.matches("form,section,table,tr,body,fieldset")) return "";
  }
  return "";
};

const headingIn = (element) => {
  const heading = element.querySelector(".card-header, .modal-title, .card-title, legend, caption, h1, h2, h3, h4, h5, h6, [role=heading]");
  return heading ? cut(shownText(heading), 80) : "";
};

const dialogTitle = (dialog) =>
  byIds(dialog, "aria-labelledby") || squash(dialog.getAttribute("aria-label")) || headingIn(dialog) || cut(shownText(dialog), 60) || "dialog";

const GROUP = "fieldset, [role=group], [role=region], [role=tabpanel], .card, section, article, form, table, " + DIALOG;

const groupOf = (element, seen) => {
  for (let node = parentOf(element); node; node = parentOf(node)) {
    if (!node.matches(GROUP)) continue;
    let text = seen.get(node);
    if (text === undefined) {
      text = byIds(node, "aria-labelledby") || squash(node.getAttribute("aria-label")) || headingIn(node);
      seen.set(node, text);
    }
    if (text) return text;
  }
  return "";
};

// The table's row or list's item that an element stands in. A list inside a cell, as of the row's verbs, is part of the row.
const rowAround = (element) => {
  const near = closest(element, "tr, li, [role=row], [role=listitem]");
  const cell = near && !near.matches("tr, [role=row]") && closest(near, "td, th, [role=cell], [role=gridcell]");
  return (cell && closest(cell, "tr, [role=row]")) || near;
};

const rowOf = (element, seen) => {
  const row = rowAround(element);
  if (!row || row === element) return "";
  let text = seen.get(row);
  if (text === undefined) {
    const cells = row.matches("tr, [role=row]") ? [...row.children] : [row];
    text = cut(cells.map((cell) => readable(cell)).filter(Boolean).join(" | "), 200);
    seen.set(row, text);
  }
  return text;
};

// The text of a part without that of its buttons.
const readable = (element) => {
  let text = "";
  const walk = (node) => {
    if (node.nodeType === 3) { text += node.data; return; }
    if (node.nodeType !== 1 || /^(script|style|template|noscript|select|textarea|button)$/.test(node.localName)) return;
    if (node !== element && !node.checkVisibility({ visibilityProperty: true })) return;
    if (!getComputedStyle(node).display.startsWith("inline")) text += " ";
    for (const child of childrenOf(node)) walk(child);
    text += " ";
  };
  walk(element);
  return squash(text);
};

const columnOf = (cell) => {
  const table = cell.closest("table");
  const head = table?.tHead?.rows[table.tHead.rows.length - 1] ?? table?.rows[0];
  if (!head || head === cell.parentElement || head.cells.length === 0) return "";
  const over = head.cells[cell.cellIndex];
  return over && over.localName === "th" ? shownText(over, 80) : "";
};

// What stands over or before an element as its label.
const fieldLabel = (element) => {
  if (element.labels?.length) return labelText(element);
  const cell = element.closest("td, th");
  if (cell) {
    const over = columnOf(cell);
    if (over) return over;
    const first = cell.parentElement.cells[0];
    return first && first !== cell && cell.parentElement.cells.length === 2 ? cut(shownText(first), 80) : "";
  }
  const answer = element.closest("dd");
  if (answer) {
    for (let node = answer.previousElementSibling; node; node = node.previousElementSibling) if (node.localName === "dt") return shownText(node, 80);
  }
  return "";
};
