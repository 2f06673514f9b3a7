"""What a fresh or updated database needs, in one process: migrations, first rows, static files.

`python -m webapp.embedded.first_steps [--files-alone | --page]`; the one module here that loads Django.
"""

import argparse
import os

import django
from django.core.management import call_command


def main() -> None:
    """Each of them is harmless when repeated."""
    parser = argparse.ArgumentParser(description=__doc__)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--files-alone", action="store_true", help="the static files, but not the page that names them")
    only.add_argument("--page", action="store_true", help="the page alone, once the web server knows the files")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    django.setup()
    if given.files_alone:
        collect(ignore_patterns=["index.html"])
    elif given.page:
        collect()
    else:
        call_command("migrate", interactive=False, verbosity=0)
        collect()
        call_command("seed")


def collect(**options: object) -> None:
    """Copy what is new; what older pages still name stays."""
    call_command("collectstatic", interactive=False, verbosity=0, **options)


if __name__ == "__main__":
    main()
