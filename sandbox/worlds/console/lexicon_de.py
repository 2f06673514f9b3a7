"""German texts of the console by their English source."""

TABLE: dict[str, str] = {}
