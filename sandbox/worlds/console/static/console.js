// The simulated console's behaviour: moving between pages, dialogs, the create wizard, notices, and polling.
"use strict";
const POLL_MS = 400;
const app = document.getElementById("app");
const toasts = document.querySelector(".toasts");
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
let moves = 0; // pages gone to, so that a late answer does not replace a newer page
let toastAge = 0;
let timer = 0;

async function part(address) {
  const answer = await fetch(address, { headers: { "X-Part": "app" } });
  return answer.json();
}

// --- moving ---
async function go(address, { push = true, keepToast = false } = {}) {
  const move = ++moves;
  const page = await part(address);
  if (move !== moves) return;
  if (push) history.pushState(null, "", address);
  // A notice is still there on the next page and gone on the one after it.
  if (!keepToast && ++toastAge > 1) toasts.replaceChildren();
  app.innerHTML = page.html;
  document.title = page.title;
  scrollTo(0, 0);
  watch();
}

function toast(text) {
  const box = document.createElement("div");
  box.className = "toast";
  const dismiss = document.createElement("button");
  dismiss.textContent = "×";
  dismiss.setAttribute("aria-label", "Dismiss");
  dismiss.onclick = () => box.remove();
  box.append(Object.assign(document.createElement("span"), { textContent: text }), dismiss);
  toasts.replaceChildren(box);
  toastAge = 0;
}

// --- what is on its way is looked at again until it has arrived ---
function watch() {
  clearTimeout(timer);
  if ($("[data-pending]")) timer = setTimeout(poll, POLL_MS);
}

async function poll() {
  const move = moves;
  const address = location.pathname + location.search;
  const page = await part(address);
  if (move === moves && address === location.pathname + location.search) refresh(page);
  watch();
}

// Only live parts are replaced, and never under an open dialog or where nothing changed.
function refresh(page) {
  if ($("dialog[open]")) return;
  const fresh = Object.assign(document.createElement("template"), { innerHTML: page.html }).content;
  for (const old of $$("[data-live]", app)) {
    const next = $(`[data-live="${old.dataset.live}"]`, fresh);
    if (next && next.outerHTML !== old.outerHTML) old.replaceWith(next);
  }
}

// --- forms ---
function valuesOf(root) {
  const values = {};
  for (const input of $$("input[name], select[name]", root)) {
    values[input.name] = input.type === "checkbox" ? (input.checked ? "yes" : "no") : input.value;
  }
  return values;
}

function showErrors(form, errors, message = "") {
  for (const place of $$("[data-error]", form)) {
    const text = place.dataset.error ? errors[place.dataset.error] || "" : message;
    place.textContent = text;
    place.hidden = !text;
    const input = place.dataset.error && $(`[name="${place.dataset.error}"]`, form);
    if (input) mark(input, Boolean(text));
  }
}

function mark(input, wrong) {
  if (wrong) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

async function send(form) {
  const [method, path] = form.dataset.send.split(" ");
  const button = $("button[type=submit]", form);
  button.disabled = true;
  try {
    const answer = await fetch(path, {
      method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(valuesOf(form)),
    });
    const result = await answer.json().catch(() => ({ message: "The server's answer was not understood." }));
    if (answer.ok) return await succeeded(form, result);
    failed(form, result);
  } catch {
    failed(form, { message: "The request did not reach the server." });
  } finally {
    button.disabled = false;
    guard(form);
  }
}

async function succeeded(form, result) {
  form.closest("dialog")?.close();
  toast(result.toast);
  await go(result.go || location.pathname + location.search, { push: Boolean(result.go), keepToast: true });
}

function failed(form, result) {
  const errors = result.errors || {};
  const first = Object.keys(errors).map((name) => $(`[name="${name}"]`, form)?.closest("[data-step]")).find(Boolean);
  if (first) show(form, Number(first.dataset.step));
  showErrors(form, errors, Object.keys(errors).length ? "" : result.message || "Refused.");
}

// A typed confirmation holds the button shut until the text is right.
function guard(form) {
  const input = $("[data-confirm]", form);
  if (input) $("button[type=submit]", form).disabled = input.value !== input.dataset.confirm;
}

// --- wizard ---
function show(form, index) {
  if (!form.hasAttribute("data-wizard")) return;
  const steps = $$("[data-step]", form);
  steps.forEach((step, at) => { step.hidden = at !== index; });
  $$(".stepper li").forEach((item, at) => item.toggleAttribute("aria-current", at === index));
  $("[data-back]", form).hidden = index === 0;
  $("[data-next]", form).hidden = index === steps.length - 1;
  $("button[type=submit]", form).hidden = index !== steps.length - 1;
  const values = valuesOf(form);
  for (const cell of $$("[data-review]", form)) cell.textContent = values[cell.dataset.review] || "–";
}

async function next(form) {
  const step = $$("[data-step]", form).find((each) => !each.hidden);
  const query = new URLSearchParams(valuesOf(step));
  const errors = await (await fetch(`${form.dataset.check}?${query}`)).json();
  showErrors(form, errors);
  if (!Object.keys(errors).length) show(form, Number(step.dataset.step) + 1);
}

// --- events ---
document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-go], [data-open], [data-close], [data-next], [data-back], [data-step-to]");
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const form = target.closest("form");
  if (target.matches("[data-go]")) { event.preventDefault(); go(target.getAttribute("href")); }
  else if (target.matches("[data-open]")) open_(document.getElementById(target.dataset.open));
  else if (target.matches("[data-close]")) target.closest("dialog").close();
  else if (target.matches("[data-next]")) next(form);
  else if (target.matches("[data-back]")) show(form, Number($$("[data-step]", form).find((each) => !each.hidden).dataset.step) - 1);
  else show(form, Number(target.dataset.stepTo));
});

function open_(dialog) {
  const form = $("form", dialog);
  form.reset();
  showErrors(form, {});
  guard(form);
  dialog.showModal();
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-send]");
  if (!form) return;
  event.preventDefault();
  const forward = $("[data-next]", form);
  if (forward && !forward.hidden) next(form);
  else if (!$("button[type=submit]", form).disabled) send(form);
});

document.addEventListener("input", async (event) => {
  const target = event.target;
  if (target.form) guard(target.form);
  mark(target, false); // what was said of the old value no longer holds
  const said = $(`[data-error="${target.name}"]`, target.form || document);
  if (target.name && said) said.hidden = true;
  if (!target.dataset.search) return;
  const query = target.value ? `?${new URLSearchParams({ q: target.value })}` : "";
  const address = target.dataset.search + query;
  const move = ++moves;
  const page = await part(address);
  if (move !== moves) return;
  history.replaceState(null, "", address);
  refresh(page);
  watch();
});

addEventListener("popstate", () => go(location.pathname + location.search, { push: false }));
for (const form of $$("form[data-wizard]")) show(form, 0);
new MutationObserver(() => {
  for (const form of $$("form[data-wizard]:not([data-ready])")) { form.dataset.ready = ""; show(form, 0); }
}).observe(app, { childList: true });
watch();
