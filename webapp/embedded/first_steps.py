"""What a fresh or updated database needs, in one process: migrations, first rows, static files.

`python -m webapp.embedded.first_steps`; the one module here that loads Django.
"""

import os

import django
from django.core.management import call_command


def main() -> None:
    """Each of them is harmless when repeated."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("seed")


if __name__ == "__main__":
    main()
