// Before the scripts of a page that is one of many frames: a focus of its own, where the browser has one for all frames.
(() => {
  let held = null;
  const active = () => (held?.isConnected && held.checkVisibility({ visibilityProperty: true }) ? held : null);

  const tell = (target, types, other) => {
    for (const [type, bubbles] of types) target.dispatchEvent(new FocusEvent(type, { bubbles, composed: true, relatedTarget: other, view: window }));
  };
  const move = (to) => {
    const from = active();
    if (from === to) return;
    held = to;
    if (from) tell(from, [["blur", false], ["focusout", true]], to);
    if (to && held === to) tell(to, [["focus", false], ["focusin", true]], from);
  };

  const USED = "input:not([type=hidden]), select, textarea, button, a[href], summary, iframe, [tabindex], [contenteditable]:not([contenteditable=false])";
  const takesFocus = (element) => element.matches(USED) && !element.matches(":disabled") && element.checkVisibility({ visibilityProperty: true });

  for (const kind of [HTMLElement, SVGElement]) {
    kind.prototype.focus = function () { if (takesFocus(this)) move(this); };
    kind.prototype.blur = function () { if (active() === this) move(null); };
  }
  Object.defineProperty(Document.prototype, "activeElement", { configurable: true, get: () => active() ?? document.body });
  Document.prototype.hasFocus = () => true;

  // Whoever acts from outside the page says so by this event, on the element or on the document for none.
  document.addEventListener("belay-focus", (event) => {
    event.preventDefault(); // it is done
    move(event.target === document || !takesFocus(event.target) ? null : event.target);
  }, true);

  // The browser's own focus still comes by labels and by autofocus: it is taken over, and where it leaves is nobody's news.
  for (const type of ["focus", "blur", "focusin", "focusout"]) {
    window.addEventListener(type, (event) => {
      if (!event.isTrusted) return;
      event.stopImmediatePropagation();
      if (type === "focusin" && event.target instanceof Element) move(event.target);
    }, true);
  }
})();
