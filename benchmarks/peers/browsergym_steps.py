"""BrowserGym's side of `browser-step`, run in a virtual environment of its own: `browsergym_steps.py STEPS TASK...`."""

import importlib
import json
import logging
import sys
import time

import gymnasium

CANDIDATES = "#area input, #area a"


def main() -> None:
    """For each task, click two things in turn; one line of JSON when ready, one when done, its sleeps off."""
    logging.disable(logging.CRITICAL)
    importlib.import_module("browsergym.miniwob")
    steps = int(sys.argv[1])
    for task in sys.argv[2:]:
        # Without sleeps: it waits half a second before each look, and slows each call down, unless told otherwise.
        env = gymnasium.make(f"browsergym/miniwob.{task}", pre_observation_delay=0, slow_mo=0)
        env.reset(seed=1)
        page = env.get_wrapper_attr("page")
        marks = page.eval_on_selector_all(CANDIDATES, "found => found.map(each => each.getAttribute('bid'))")[:2]
        env.step(f'click("{marks[1]}")')
        print(json.dumps({"task": task, "ready": True}), flush=True)
        sys.stdin.readline()
        began = time.perf_counter()
        for step in range(steps):
            seen, *_ = env.step(f'click("{marks[step % 2]}")')
            problem = seen["last_action_error"]
            if problem:
                raise RuntimeError(f"{task}: {problem}")
        print(json.dumps({"task": task, "wall_s": time.perf_counter() - began}), flush=True)
        sys.stdin.readline()
        env.close()


if __name__ == "__main__":
    main()
