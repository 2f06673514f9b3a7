"""`python -m sandbox.worlds.web FILE...` says what is wrong with files that describe consoles, or that nothing is."""

import sys
from pathlib import Path

from sandbox.documents import BadDocument
from sandbox.registry import registered
from sandbox.worlds.web.spec import load


def main(names: list[str]) -> int:
    """Exit status 0 where every file is right."""
    wrong = 0
    for name in names:
        try:
            console = load(Path(name))
            known = registered().get(console.console)
            if known is not None and known.environment != console.environment:
                taken = f"console: {known.environment.title!r} is called {console.console!r} already: take another name"
                raise BadDocument(name, 1, taken)
            print(f"{name}: {console.console}, {len(console.templates)} template(s)")
        except BadDocument as problem:
            print(problem, file=sys.stderr)
            wrong += 1
    if not names:
        print("Name the files to check.", file=sys.stderr)
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
