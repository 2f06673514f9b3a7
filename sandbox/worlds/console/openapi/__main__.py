"""`python -m sandbox.worlds.console.openapi SPEC [--out DIR] [--report FILE]`: a console from an API document."""

import argparse
import sys
from pathlib import Path

import msgspec

from sandbox.arguments import new_file, new_folder
from sandbox.worlds.console.openapi.convert import console_from
from sandbox.worlds.console.openapi.document import Unreadable
from sandbox.worlds.console.openapi.files import SUFFIX, save


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.worlds.console.openapi", description=__doc__)
    parser.add_argument("spec", type=Path, help="an OpenAPI 3.x or Swagger 2.0 document, JSON or YAML")
    parser.add_argument("--out", type=new_folder, help=f"folder for the declaration, ID{SUFFIX}")
    parser.add_argument("--report", type=new_file, help="file for the report: JSON where it ends in .json, else text")
    parser.add_argument("--within", type=Path, help="folder that references to other files may not leave")
    given = parser.parse_args()
    try:
        console, report = console_from(given.spec, within=given.within)
    except Unreadable as problem:
        print(problem, file=sys.stderr)
        return 2
    if given.report is not None:
        is_json = given.report.suffix == ".json"
        told = msgspec.json.format(msgspec.json.encode(report), indent=1).decode() if is_json else report.text()
        given.report.write_text(told)
    print(report.text() if given.report is None else report.text().partition("\n\n")[0])
    if given.out is not None:
        print(f"Written: {save(console, given.out)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
