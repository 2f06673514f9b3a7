"""`python -m benchmarks NAME [--quick] [--json]`: measure; print a table and one JSON line; 0 where the bar holds."""

import argparse
import importlib
import json
import pkgutil
import sys
import time
from pathlib import Path
from typing import TextIO

import benchmarks
from benchmarks import Result
from webapp.environ import commit

ROOT = Path(__file__).resolve().parent.parent


def names() -> dict[str, str]:
    """Benchmark name -> module, of every module here that has a `run`; found by that line, without importing."""
    found = {}
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.ispkg or module.name == "__main__":  # packages hold what several share
            continue
        if "\ndef run(" in (ROOT / "benchmarks" / f"{module.name}.py").read_text():
            found[module.name.replace("_", "-")] = f"benchmarks.{module.name}"
    return found


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=sorted(names()), help="which one")
    parser.add_argument("--list", action="store_true", help="name them all")
    parser.add_argument("--quick", action="store_true", help="the same on less, in about a minute")
    parser.add_argument("--json", action="store_true", help="print only the last line, the JSON")
    given = parser.parse_args()
    if given.list or given.name is None:
        print("\n".join(sorted(names())))
        return 0
    if given.json:
        with open("/dev/null", "w") as nowhere:
            return measure(given.name, quick=given.quick, table=nowhere)
    return measure(given.name, quick=given.quick, table=sys.stdout)


def measure(name: str, *, quick: bool, table: TextIO) -> int:
    """Run one; its own prints go to `table`, the JSON always to stdout."""
    stdout, began = sys.stdout, time.monotonic()
    sys.stdout = table
    try:
        result: Result = importlib.import_module(names()[name]).run(quick=quick)
    finally:
        sys.stdout = stdout
    line = {
        "name": name,
        "value": result.value,
        "unit": result.unit,
        "bar": result.bar,
        "holds": result.holds,
        "n": result.n,
        "seconds": round(time.monotonic() - began, 1),
        "commit": commit(ROOT)[:12],
    }
    print(json.dumps(line, ensure_ascii=False), flush=True)
    return 0 if result.holds else 1


if __name__ == "__main__":
    sys.exit(main())
