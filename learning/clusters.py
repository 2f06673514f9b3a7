"""Ray, where several processes are asked for: the cluster at RAY_ADDRESS, or one on this machine."""

import os

ADDRESS = "RAY_ADDRESS"  # Ray's own variable
_ours = {"cores": 0}  # of the cluster that this process has started


def begin(cores: int, *, heard: bool = False) -> None:
    """Join the cluster, or start one with so many cores; nothing where that was done. `heard`: show what it prints.

    One of ours that is too small is ended first, with whoever plays there: an actor would wait there for ever. Raises
    RuntimeError where the address leads to nothing.
    """
    import ray  # only where asked for

    if ray.is_initialized():
        if not 0 < _ours["cores"] < cores:
            return
        ray.shutdown()
    address = os.environ.get(ADDRESS, "")
    if not address:
        ray.init(num_cpus=cores, include_dashboard=False, log_to_driver=heard)
        _ours["cores"] = cores
        return
    _ours["cores"] = 0
    try:
        ray.init(address=address, log_to_driver=heard)
    except (ConnectionError, ValueError) as problem:
        raise RuntimeError(
            f"{ADDRESS}={address}, but no cluster answers: unset it, or run `ray start --head` there ({problem})"
        ) from problem
