"""What live pages hear about training."""

from webapp.hints import lists_changed


def changed() -> None:
    """After commit, tell open lists and run pages to fetch again."""
    lists_changed("training")
