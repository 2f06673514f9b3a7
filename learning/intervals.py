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
    return (max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))
