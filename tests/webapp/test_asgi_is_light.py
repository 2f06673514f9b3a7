"""The web process pays for nothing that only workers need."""

import subprocess
import sys

HEAVY = ("torch", "ray", "playwright", "onnx", "onnxruntime", "gymnasium")
SCRIPT = f"import sys, webapp.asgi; print(sorted(set({HEAVY!r}) & set(sys.modules)))"


def test_the_web_process_loads_neither_torch_nor_ray_nor_a_browser() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_listing_what_can_be_asked_for_is_light_too() -> None:
    script = SCRIPT.replace("webapp.asgi", "sandbox.sessions").replace(
        "print(", "sandbox.sessions.environments(), sandbox.sessions.templates(); print("
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
