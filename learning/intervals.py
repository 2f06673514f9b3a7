"""How sure a share is: Wilson's interval."""

import math

Z = 1.959964  # 95 %


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % interval for a share; (0, 1) where nothing was tried."""
    if trials == 0:
        return (0.0, 1.0)
    share = successes / trials
    middle = share + Z * Z / (2 * trials)
    spread = Z * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    scale = 1 + Z * Z / trials
    # The ends are whole by the formula; rounding would leave them a hair beside.
    low = 0.0 if successes == 0 else (middle - spread) / scale
    return (low, 1.0 if successes == trials else (middle + spread) / scale)
