"""Policies and how they are trained, judged and exported. Knows nothing of Django."""

import os

# Unasked, ONNX Runtime and Ray report to their makers. Nothing that Belay runs tells anybody about whose console it is;
# both look at these once, when they are loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# And transformers would ask a hub about models that lie here: what acts is in a folder that somebody put there.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
