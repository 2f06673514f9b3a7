// Added to every MiniWoB++ page: seeded episodes without decay, whose raw reward goes to the server.
(() => {
  const LONG_MS = 2e9; // below the limit of setTimeout
  const state = { seed: 0, done: false, raw: 0, episode: 0 };
  const start = core.startEpisodeReal, end = core.endEpisode;

  const tell = () => {
    const root = document.documentElement;
    root.dataset.done = state.done ? "1" : "";
    root.dataset.raw = String(state.raw);
    root.dataset.episode = String(state.episode);
    const asked = typeof core.getUtterance === "function" && document.getElementById("query") ? core.getUtterance() : "";
    root.dataset.utterance = asked.utterance ?? asked; // some pages name their fields, too
    root.dataset.fields = JSON.stringify(asked.fields ?? {});
  };

  const report = () => {
    const request = new XMLHttpRequest();
    request.open("POST", "/reward", false);
    request.send(JSON.stringify({ seed: state.seed, raw: state.raw, done: state.done, page: location.pathname }));
  };

  const note = () => {
    let line = document.getElementById("belay-ended");
    if (!line) {
      line = document.createElement("div");
      line.id = "belay-ended";
      line.setAttribute("role", "status");
      line.textContent = "The task has ended.";
      document.body.append(line);
    }
    line.hidden = !state.done;
  };

  core.countdownTimer = () => {}; // nobody sees the clock
  core.startEpisode = () => {}; // what follows the end of an episode is asked for from outside
  core.endEpisode = (reward, proportional, reason) => {
    if (state.done) return;
    end(reward, proportional, reason);
    state.done = true;
    state.raw = WOB_RAW_REWARD_GLOBAL;
    note();
    tell();
    if (!silent) report();
  };

  const silent = new URLSearchParams(location.search).has("silent");

  const begin = (seed) => {
    document.activeElement?.blur?.();
    state.seed = seed;
    state.done = false;
    state.raw = 0;
    state.episode += 1;
    core.EPISODE_MAX_TIME = LONG_MS;
    Math.seedrandom(String(seed));
    start();
    for (const each of document.querySelectorAll("#area_svg > *")) each.setAttribute("data-handles-clicks", ""); // what is counted or named is looked at, too
    for (const each of document.querySelectorAll("#wrap, #wrap *")) if (each.scrollTop) each.scrollTop = 0;
    note();
    tell();
  };

  window.addEventListener("load", () => {
    core.createDisplay();
    core.cover_div = core.cover_div ?? Object.assign(document.createElement("div"), { id: "sync-task-cover" });
    begin(Number(new URLSearchParams(location.search).get("seed") ?? 0));
  });
  document.addEventListener("belay-begin", (event) => begin(event.detail));
})();
