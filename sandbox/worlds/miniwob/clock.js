// Before the scripts of a page that is one of many frames: its clock runs ten times as fast, so that what takes its time
// (lists that drop down, sections that unfold, suggestions) is over sooner, and nobody waits for it.
(() => {
  const FASTER = 10;
  const RealDate = Date, began = RealDate.now();
  const now = () => Math.round(began + (RealDate.now() - began) * FASTER);
  window.Date = new Proxy(RealDate, {
    construct: (target, given, of) => Reflect.construct(target, given.length ? given : [now()], of),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  for (const name of ["setTimeout", "setInterval"]) {
    const real = window[name];
    window[name] = (handler, delay = 0, ...rest) => real.call(window, handler, delay / FASTER, ...rest);
  }
})();
