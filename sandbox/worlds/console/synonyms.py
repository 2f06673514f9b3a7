"""Other English words for the same things, as other vendors call them."""

SYNONYMS: dict[str, dict[str, str]] = {"plain": {}, "first": {}, "second": {}}
