"""Ray, where several processes are asked for: the cluster at RAY_ADDRESS, or one on this machine."""

import os

ADDRESS = "RAY_ADDRESS"  # Ray's own variable


def begin(cores: int, *, heard: bool = False) -> None:
    """Join the cluster, or start one with so many cores; nothing where that was done. `heard`: show what it prints.

    Raises RuntimeError where the address leads to nothing.
    """
    import ray  # only where asked for

    if ray.is_initialized():
        return
    address = os.environ.get(ADDRESS, "")
    if not address:
        ray.init(num_cpus=cores, include_dashboard=False, log_to_driver=heard)
        return
    try:
        ray.init(address=address, log_to_driver=heard)
    except (ConnectionError, ValueError) as problem:
        raise RuntimeError(
            f"{ADDRESS}={address}, but no cluster answers: unset it, or run `ray start --head` there ({problem})"
        ) from problem
