"""From API documents to consoles: `python -m sandbox.worlds.console.openapi SPEC [--out DIR] [--report FILE]`."""
