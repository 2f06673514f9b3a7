// Secrets: found by what they are called, hidden in observations and never drawn.
const MASK = "•••";
const SECRET = /pass(?:word|phrase|wd|code)|secret|\btoken\b|private[ _-]?key|api[ _-]?key|密码|密钥/i;
const SURELY = /secret access key/i;
const NOT_SECRET = /\b(?:name|id|expir\w*|policy|policies|length|count|ttl|days|hours|manager|version|type|forgot|reset|show|hide|copy|create|add|new access|generate|rotate|delete|status)\b/i;
const INLINE = /((?:pass(?:word|phrase)|secret(?:[ _-]access)?(?:[ _-]key)?|api[ _-]?key|private[ _-]?key|token)["']?\s*[:=]\s*)(\S+)/gi;
const ADDRESS = /(:\/\/[^\s/?#:@]*:)[^\s/?#@]+@/g; // "https://user:password@"
const TOKEN = /(?<![\w+/=-])(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])(?=[\w+/=-]*[0-9])[\w+/=-]{16,}(?![\w+/=-])/g;
const DRAWN = { "-webkit-text-fill-color": "transparent", "text-shadow": "none", "background-color": "#8a8f98", "caret-color": "transparent" };

const HOME = DIALOG + ", .alert, .card, .toast";

let secrets = []; // values registered by whoever signs in
const masked = new Set();
const wasPassword = new WeakSet(); // "show password" changes the type; the value stays a secret

const soundsSecret = (text) => !!text && text.length <= 60 && SECRET.test(text) && (SURELY.test(text) || !NOT_SECRET.test(text));

const isTextField = (element) =>
  element.localName === "textarea" || (element.localName === "input" && !/^(?:checkbox|radio|button|submit|reset|image|file|color|range|number|date|time|hidden)$/.test(element.type));

const fieldIsSecret = (element) => {
  if (element.localName === "input" && (element.type === "password" || wasPassword.has(element))) return true;
  if (!isTextField(element)) return false;
  if (secrets.some((value) => element.value.includes(value))) return true;
  return [labelText(element), element.getAttribute("aria-label"), element.getAttribute("placeholder"), words(element.name), words(element.id), beside(element), fieldLabel(element)].some(soundsSecret);
};

// Whether a text stands where a secret is announced: beside "Secret key:", in its row, under its column.
const textIsSecret = (element) => {
  if (/^(?:h[1-6]|th|dt|label|legend|button|a|option|strong|b)$/.test(element.localName)) return false;
  if (soundsSecret(fieldLabel(element))) return true;
  let before = element.previousSibling;
  while (before && before.nodeType === 3 && !before.data.trim()) before = before.previousSibling;
  const said = before ? squash(before.nodeType === 3 ? before.data : before.nodeType === 1 && !before.matches("input,select,button,a") ? before.textContent : "") : "";
  const pointed = said && said.length <= 40 && (said.endsWith(":") || (before.nodeType === 1 && before.matches("label,strong,b,dt,th,.form-label,.label")));
  if (pointed && soundsSecret(said.replace(/:$/, ""))) return true;
  return element.matches("code,kbd,samp,pre,span,input,div") && soundsSecret(words(element.id)) && !element.querySelector("input,select,button");
};

// A dialog or card that announces a secret may print it anywhere: what looks like a key is taken for one.
const tellsSecrets = (element, seen) => {
  const home = closest(element, HOME);
  if (!home) return false;
  if (!seen.has(home)) seen.set(home, /secret|private key|api key|access token/i.test(home.textContent.slice(0, 4000)));
  return seen.get(home);
};

// A text with whatever is secret in it replaced.
const maskText = (text, lookAtKeys) => {
  if (!text) return text;
  for (const value of secrets) if (text.includes(value)) text = text.split(value).join(MASK);
  if (text.includes("://")) text = text.replace(ADDRESS, `$1${MASK}@`);
  text = text.replace(INLINE, (all, said, value) => (NOT_SECRET.test(value) && !/\d/.test(value) ? all : said + MASK));
  return lookAtKeys ? text.replace(TOKEN, MASK) : text;
};

const cover = (element) => {
  for (const [name, value] of Object.entries(DRAWN)) {
    if (element.style.getPropertyValue(name) !== value || element.style.getPropertyPriority(name) !== "important") element.style.setProperty(name, value, "important");
  }
  masked.add(element);
};

const uncover = (element) => {
  for (const name of Object.keys(DRAWN)) element.style.removeProperty(name);
  masked.delete(element);
};

// Leaves of text and fields: the only places where a secret can be drawn.
const maskTree = (root, seen) => {
  const visit = (element) => {
    if (element.shadowRoot) { shadows = true; watch(element.shadowRoot); maskTree(element.shadowRoot, seen); }
    const tag = element.localName;
    if (tag === "input" || tag === "textarea") {
      if (tag === "input" && element.type === "password") wasPassword.add(element);
      if (fieldIsSecret(element) || (isTextField(element) && maskText(element.value, tellsSecrets(element, seen)) !== element.value)) cover(element);
      else if (masked.has(element)) uncover(element);
      return;
    }
    if (tag === "script" || tag === "style") return;
    let own = "";
    for (let node = element.firstChild; node; node = node.nextSibling) if (node.nodeType === 3) own += node.data;
    if (!own.trim()) return;
    const text = squash(own);
    if (textIsSecret(element) || maskText(text, tellsSecrets(element, seen)) !== text || secrets.some((value) => element.textContent.includes(value) && element.childElementCount === 0)) cover(element);
    else if (masked.has(element)) uncover(element);
  };
  if (root.nodeType === 1) visit(root);
  for (const element of root.querySelectorAll?.("*") ?? []) visit(element);
};

const watched = new WeakSet();
const observer = new MutationObserver((records) => {
  const seen = new Map();
  const roots = new Set();
  for (const record of records) {
    if (record.type === "attributes" && record.attributeName === "style" && !masked.has(record.target)) continue;
    const target = record.target.nodeType === 1 ? record.target : record.target.parentElement;
    // Its neighbours, too: a label that arrives later makes a secret of the text beside it.
    const near = record.type === "childList" ? target : target?.parentElement ?? target;
    // And all of a dialog: any word in it may tell that it shows secrets.
    const root = near && (closest(near, HOME) ?? near);
    if (root) roots.add(root);
  }
  for (const root of roots) if (root.isConnected && ![...roots].some((other) => other !== root && other.contains(root))) maskTree(root, seen);
});

const watch = (root) => {
  if (watched.has(root)) return;
  watched.add(root);
  observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["style", "type", "value", "placeholder", "aria-label"] });
};

// Masks everything now; also in frames that cannot run this script's own watch.
const maskAll = () => {
  const seen = new Map();
  const look = (document_) => {
    if (!document_.documentElement) return;
    watch(document_);
    maskTree(document_.documentElement, seen);
    for (const frame of document_.querySelectorAll("iframe")) { const inner = frameDocument(frame); if (inner) look(inner); }
  };
  look(document);
};

watch(document);
// A script that sets a field's value changes nothing that an observer hears of.
const fields = setInterval(() => {
  const seen = new Map();
  for (const field of document.querySelectorAll("input, textarea")) maskTree(field, seen);
}, 100);
document.addEventListener("input", (event) => { if (!drawn) return; const element = event.composedPath()[0]; if (element?.localName) maskTree(element, new Map()); }, true);
document.addEventListener("DOMContentLoaded", () => maskAll(), { once: true });

// Frames of a batch are never drawn for anybody: their texts are masked where they are read, and that is enough.
let drawn = true;
