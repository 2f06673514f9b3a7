// Before a MiniWoB++ page's own scripts: marks what they make clickable, for most of it shows no pointer.
(() => {
  const PRESSES = new Set(["click", "mousedown", "mouseup", "pointerdown"]);
  const mark = (target, type) => {
    if (PRESSES.has(type) && target instanceof Element && target !== document.documentElement && target !== document.body) target.setAttribute("data-handles-clicks", "");
  };

  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    mark(this, type);
    return listen.call(this, type, ...rest);
  };

  for (const kind of [HTMLElement, SVGElement]) {
    for (const type of ["click", "mousedown", "mouseup"]) {
      const property = Object.getOwnPropertyDescriptor(kind.prototype, "on" + type);
      Object.defineProperty(kind.prototype, "on" + type, {
        ...property,
        set(handler) {
          if (handler) mark(this, type);
          property.set.call(this, handler);
        },
      });
    }
  }
})();
