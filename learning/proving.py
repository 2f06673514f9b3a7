"""Whether a folder holds a policy that this version can run: found out by letting it propose once."""

import math
from pathlib import Path

from onnxruntime.capi import onnxruntime_pybind11_state as onnx

from learning.kinds import NETWORK, kind_of, open_policy
from learning.policy import BadPolicy
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Policy
from sandbox.contracts.tasks import Goal

ONNX_FAILURES = (  # none of them is a RuntimeError or ValueError
    *(onnx.Fail, onnx.InvalidArgument, onnx.InvalidGraph, onnx.InvalidProtobuf, onnx.NoModel, onnx.NoSuchFile),
    *(onnx.NotImplemented, onnx.RuntimeException),
)
_PAGE = Observation(
    url="http://127.0.0.1/",
    title="A page",
    elements=(
        Element(1, "textbox", "Name", states=("editable",)),
        Element(2, "combobox", "Unit", options=("MB", "GB")),
        Element(3, "button", "Save"),
    ),
)
_GOAL = Goal("Name it alpha.", (("name", "alpha"),))


def proved(folder: Path, *, name: str) -> Policy:
    """The policy in a folder; a network once it has made a proposal. Raises BadPolicy, which says what to do."""
    try:
        policy = open_policy(folder, name=name)
        if kind_of(folder) == NETWORK:  # others may cost money, or seconds
            said = policy.act(_PAGE, _GOAL, ())
            if not (math.isfinite(said.probability) and math.isfinite(said.value)):
                raise BadPolicy("what it says is not a number")
    except BadPolicy as problem:
        raise BadPolicy(f"{name} cannot be run by this version of Belay: {problem}. {_advice(name)}") from problem
    except (*ONNX_FAILURES, OSError, LookupError, ValueError) as problem:
        first = (str(problem).splitlines() or ["it says no more"])[0][:300]
        raise BadPolicy(f"{name} cannot be run: {type(problem).__name__}: {first}. {_advice(name)}") from problem
    return policy


def _advice(name: str) -> str:
    return (
        f"Train a new version, or promote another one, before {name} is let out; "
        "the starter is made anew with `python -m learning.starter`."
    )
