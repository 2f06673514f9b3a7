"""What can go wrong while setting up, said in a sentence that tells what to do."""


class SetUpFailed(Exception):
    """A sentence for the person at the terminal; no traceback is shown for it."""
