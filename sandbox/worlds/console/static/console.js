// The simulated console in the browser: what a person does goes to the server's view, its answer is morphed into the page.
// What writes leaves as a request of its own, so that a fence around the browser can judge it by method and path.
"use strict";
const POLL_MS = 400;
const app = document.getElementById("app");
let state = JSON.parse(app.dataset.state); // {url, title, page, modal, poll}
let queue = Promise.resolve();
let waiting = 0; // events on their way
let timer = 0;
let opener = ""; // key of what had the focus before a dialog opened

const keyOf = (element) => element?.dataset?.k ?? "";
const byKey = (key) => (key ? [...app.querySelectorAll("[data-k]")].find((each) => each.dataset.k === key) : null);
const scope = () => app.querySelector("dialog") ?? app;
const stops = () => [...scope().querySelectorAll("[data-k]:not(:disabled)")];

// --- to the server and back ---
function send(kind, key = "", value = "") {
  waiting += 1;
  clearTimeout(timer);
  queue = queue.then(() => tell({ kind, key, value })).catch(() => {}).finally(() => { waiting -= 1; again(); });
}

async function tell(event) {
  const answer = await fetch("/ui/event", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(event) });
  if (answer.status === 401) return location.reload();
  const part = await answer.json();
  show(part);
  if (part.request) {
    await perform(part.request);
    await tell({ kind: "answered", key: "", value: "" });
  }
}

async function perform({ method, path, body }) {
  try {
    const answer = await fetch(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    await answer.text();
  } catch { /* it did not reach the server, which says so on the page */ }
}

// What changes by itself is looked at again until it has come to rest.
function again() {
  clearTimeout(timer);
  if (state.poll && !waiting) timer = setTimeout(() => send("tick"), POLL_MS);
}

// --- showing ---
function show(part) {
  const focused = keyOf(document.activeElement), lastModal = state.modal, lastPage = state.page;
  state = part;
  const fresh = document.createElement("template");
  fresh.innerHTML = part.html;
  morph(app, fresh.content);
  if (document.title !== part.title) document.title = part.title;
  const here = location.pathname + location.search;
  if (part.url !== here) history[new URL(part.url, location).pathname === location.pathname ? "replaceState" : "pushState"](null, "", part.url);
  if (part.page !== lastPage) document.querySelector("main").scrollTop = 0;
  open(part.modal, lastModal, focused);
}

// The first thing in a dialog gets the focus; when it closes, what had it before; else it stays where it was.
function open(modal, last, focused) {
  const dialog = app.querySelector("dialog");
  if (dialog && !dialog.open) dialog.showModal();
  if (modal && modal !== last) {
    if (!last) opener = focused;
    focus(stops()[0]);
  } else focus(stops().find((each) => keyOf(each) === (last && !modal ? opener : focused)));
}

function focus(element) {
  const active = document.activeElement;
  if (element && element !== active) element.focus({ preventScroll: true });
  else if (!element && active && active !== document.body) active.blur();
}

const identity = (node) => (node.nodeType === 1 ? node.dataset.k ?? node.dataset.s ?? "" : "");
const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && identity(a) === identity(b);

// What is gone goes first: a node that is moved would lose its scrolling and its focus.
function morph(old, fresh) {
  const wanted = new Set([...fresh.childNodes].map(identity));
  for (const child of [...old.childNodes]) if (identity(child) && !wanted.has(identity(child))) child.remove();
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    let match = at;
    if (identity(next)) for (match = at; match && !alike(match, next); ) match = match.nextSibling;
    else if (!match || !alike(match, next)) match = null;
    if (!match) { old.insertBefore(next, at); continue; }
    if (match === at) at = at.nextSibling;
    else old.insertBefore(match, at);
    same(match, next);
  }
  while (at) { const gone = at; at = at.nextSibling; gone.remove(); }
}

function same(old, fresh) {
  if (old.nodeType === 3) { if (old.data !== fresh.data) old.data = fresh.data; return; }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.localName === "select") return choices(old, fresh);
  if (old.localName === "input") return input(old, fresh);
  morph(old, fresh);
}

function choices(old, fresh) {
  const wanted = [...fresh.options].findIndex((each) => each.hasAttribute("selected"));
  const texts = (list) => [...list.options].map((each) => each.text).join("\n");
  if (texts(old) !== texts(fresh)) old.replaceChildren(...fresh.options);
  if (wanted >= 0 && waiting < 2) old.selectedIndex = wanted;
}

// What was typed meanwhile is on its way to the server and not to be overwritten.
function input(old, fresh) {
  if (waiting > 1) return;
  if (old.type === "checkbox") old.checked = fresh.hasAttribute("checked");
  else if (old.value !== fresh.getAttribute("value")) old.value = fresh.getAttribute("value");
}

// --- from the person ---
const isText = (element) => element?.localName === "input" && element.type !== "checkbox";

document.addEventListener("click", (event) => {
  if (isText(event.target)) return toEnd(event.target);
  const target = event.target.closest("a[data-k], button[data-k]");
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!target.disabled) send("click", keyOf(target));
});

document.addEventListener("input", ({ target }) => { if (isText(target) && target.dataset.k) send("input", keyOf(target), target.value); });

document.addEventListener("change", ({ target }) => {
  if (!target.dataset?.k || isText(target)) return;
  send("input", keyOf(target), target.localName === "select" ? target.options[target.selectedIndex]?.text ?? "" : target.checked ? "yes" : "no");
});

document.addEventListener("cancel", (event) => event.preventDefault(), true);
document.addEventListener("submit", (event) => { if (app) event.preventDefault(); });

function toEnd(element) {
  if (element.type !== "date") element.setSelectionRange(element.value.length, element.value.length);
}

document.addEventListener("focusin", ({ target }) => { if (isText(target)) toEnd(target); });

document.addEventListener("keydown", (event) => {
  const target = event.target, text = isText(target);
  if (event.key === "Tab") { event.preventDefault(); step(event.shiftKey ? -1 : 1); }
  else if (event.key === "Escape") { event.preventDefault(); if (app.querySelector("dialog, aside")) send("key", keyOf(document.activeElement), "Escape"); }
  else if (event.key === "Enter") { if (text) { event.preventDefault(); send("key", keyOf(target), "Enter"); } else if (target.localName === "select") event.preventDefault(); }
  else if (text && target.type === "date") { if (!/^[0-9]$/.test(event.key)) event.preventDefault(); }
  else if (/^Arrow(?:Up|Down)$/.test(event.key)) { if (target.localName !== "select") event.preventDefault(); }
  else if (event.key === " " && (target === document.body || /^(?:a|select|main|dialog)$/.test(target.localName))) event.preventDefault();
});

// Tab goes through all that can be used, round and round; in a dialog it stays there.
function step(by) {
  const all = stops();
  if (!all.length) return;
  const at = all.indexOf(document.activeElement);
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length];
  next.focus({ preventScroll: true });
  const home = next.closest("main, nav, aside, dialog");
  if (!home) return;
  const rect = next.getBoundingClientRect(), frame = home.getBoundingClientRect(), middle = rect.y + rect.height / 2;
  if (middle < frame.top || middle > frame.bottom) next.scrollIntoView({ block: "center", behavior: "instant" });
}

addEventListener("popstate", () => location.reload());
open(state.modal, "", "");
again();
