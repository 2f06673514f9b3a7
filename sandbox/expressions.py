"""Small reward expressions: parsed, checked against what is allowed, and walked; never evaluated as code."""

import ast
import math
from collections.abc import Callable, Mapping, Set
from typing import TypeAlias

Number: TypeAlias = float
Facts: TypeAlias = Mapping[str, Number]
Reading: TypeAlias = Callable[[Facts, Set[str], Set[str]], Number]
"""(facts, tokens of this step, tokens met earlier in the episode) -> number."""

FACTS: Mapping[str, str] = {
    "progress": "how much of the task is done now, 0 to 1",
    "gained": "progress now minus progress before this step",
    "step": "number of this step, from 1",
    "left": "steps that are left",
    "novelty": "how new this step was, 0 to 1",
    "repeated": "1 where the same was done on the same screen before, else 0",
    "harm": "number of things done that nobody asked for",
}
FUNCTIONS: Mapping[str, str] = {
    "now(TOKEN)": "1 where the token was said of this step, else 0",
    "met(TOKEN)": "1 where it was said earlier in the episode, else 0",
    "first(TOKEN)": "1 where it was said now and never before, else 0",
    "min(a, b, ...)": "the smallest",
    "max(a, b, ...)": "the largest",
    "abs(a)": "without its sign",
}
MOST_NODES = 100
MOST_CHARACTERS = 400
LARGEST = 1e6

_COMPARE: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
}


class BadExpression(ValueError):
    """An expression that is not allowed; the text says what is, and where the fault stands."""


def parse(text: str, tokens: Set[str]) -> Reading:
    """A function of one step from an expression over FACTS and FUNCTIONS. Raises BadExpression.

    Always ends, always gives a finite number within [-LARGEST, LARGEST]: there are no loops, no attributes, no
    powers, and division by constants alone.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadExpression(f"expected at most {MOST_CHARACTERS} characters, found {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        place = getattr(problem, "offset", None)
        where = f" at character {place}" if place else ""
        raise BadExpression(f"expected an expression such as 0.1 * first(CREATED){where}: {text!r}") from None
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise BadExpression(f"expected at most {MOST_NODES} parts: split it into two")
    reading = _reading(tree.body, frozenset(tokens))
    return lambda facts, now, met: max(-LARGEST, min(LARGEST, reading(facts, now, met)))


def _reading(node: ast.expr, tokens: frozenset[str]) -> Reading:
    match node:
        case ast.Constant(value=bool() | int() | float() as value) if math.isfinite(value) and abs(value) <= LARGEST:
            number = float(value)
            return lambda facts, now, met: number
        case ast.Name(id=name) if name in FACTS:
            return lambda facts, now, met: facts[name]
        case ast.Call(func=ast.Name(id="now" | "met" | "first" as name), args=[ast.Name(id=token)], keywords=[]):
            return _token(node, name, token, tokens)
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[_, _, *_] as args, keywords=[]):
            parts = [_reading(arg, tokens) for arg in args]
            pick = min if name == "min" else max
            return lambda facts, now, met: pick(part(facts, now, met) for part in parts)
        case ast.Call(func=ast.Name(id="abs"), args=[arg], keywords=[]):
            inner = _reading(arg, tokens)
            return lambda facts, now, met: abs(inner(facts, now, met))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not() as sign, operand=operand):
            return _unary(sign, _reading(operand, tokens))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as sign, right=right):
            return _binary(_BINARY[type(sign)], _reading(left, tokens), _reading(right, tokens))
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int() | float() as value)) if value:
            divisor, dividend = float(value), _reading(left, tokens)
            return lambda facts, now, met: dividend(facts, now, met) / divisor
        case ast.BoolOp(op=sign, values=values):
            return _boolean(isinstance(sign, ast.And), [_reading(value, tokens) for value in values])
        case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _COMPARE:
            return _binary(_COMPARE[type(sign)], _reading(left, tokens), _reading(right, tokens))
        case ast.IfExp(test=test, body=body, orelse=other):
            parts = [_reading(part, tokens) for part in (test, body, other)]
            return lambda facts, now, met: parts[1 if parts[0](facts, now, met) else 2](facts, now, met)
    raise BadExpression(_expected(node))


def _token(node: ast.expr, function: str, token: str, tokens: frozenset[str]) -> Reading:
    if token not in tokens:
        raise BadExpression(
            f"{token} at character {node.col_offset + 1} is no token; expected {', '.join(sorted(tokens))}"
        )
    if function == "now":
        return lambda facts, now, met: float(token in now)
    if function == "met":
        return lambda facts, now, met: float(token in met)
    return lambda facts, now, met: float(token in now and token not in met)


def _unary(sign: ast.unaryop, inner: Reading) -> Reading:
    if isinstance(sign, ast.Not):
        return lambda facts, now, met: float(not inner(facts, now, met))
    factor = -1.0 if isinstance(sign, ast.USub) else 1.0
    return lambda facts, now, met: factor * inner(facts, now, met)


def _binary(operate: Callable[[float, float], float], left: Reading, right: Reading) -> Reading:
    def read(facts: Facts, now: Set[str], met: Set[str]) -> Number:
        value = float(operate(left(facts, now, met), right(facts, now, met)))
        return max(-LARGEST, min(LARGEST, value))  # so that no product of products leaves the numbers

    return read


def _boolean(is_and: bool, parts: list[Reading]) -> Reading:
    every = all if is_and else any
    return lambda facts, now, met: float(every(part(facts, now, met) for part in parts))


def _expected(node: ast.expr) -> str:
    found = ast.unparse(node)
    found = found if len(found) <= 40 else f"{found[:37]}..."
    return (
        f"{found!r} at character {node.col_offset + 1} is not allowed; expected numbers, "
        f"{', '.join(FACTS)}, {', '.join(FUNCTIONS)}, + - * comparisons, and, or, not, x if y else z, "
        "and division by a number that is not 0"
    )
