"""How sure a share is: Wilson's interval."""

import math


def wilson(successes: int, trials: int, *, z: float = 1.959964) -> tuple[float, float]:
    """The interval (95 % by default) for a share; (0, 1) where nothing was tried."""
    if trials == 0:
        return (0.0, 1.0)
    share = successes / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # The ends are whole by the formula; rounding would leave them a hair beside.
    low = 0.0 if successes == 0 else (middle - spread) / scale
    return (low, 1.0 if successes == trials else (middle + spread) / scale)
