"""Ray, where several processes are asked for: the cluster at RAY_ADDRESS, or one on this machine."""

import os
import socket

ADDRESS = "RAY_ADDRESS"  # Ray's own variable
PATIENCE_S = 10.0  # with a machine that does not answer; Ray alone would try for minutes
_ours = {"cores": 0}  # of the cluster that this process has started


def begin(cores: int) -> None:
    """Join the cluster, or start one with so many cores; nothing where that was done.

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
        ray.init("local", num_cpus=cores, include_dashboard=False, log_to_driver=False)  # whatever else runs here
        _ours["cores"] = cores
        return
    _ours["cores"] = 0
    _join(address)


def _join(address: str) -> None:
    import ray

    # Ray uses the token in ~/.ray by itself where it starts a cluster, but not where it joins one.
    from ray._private.authentication.authentication_token_setup import maybe_enable_token_auth_if_token_available

    maybe_enable_token_auth_if_token_available(warn_if_disabled=False)
    try:
        _knock(address)
        ray.init(address=address, log_to_driver=False)
    except (OSError, ValueError) as problem:
        raise RuntimeError(
            f"{ADDRESS}={address}, but no cluster lets us in: unset it, or run `ray start --head` there and have its "
            f"~/.ray/auth_token here ({problem})"
        ) from problem


def _knock(address: str) -> None:
    """Raises OSError where HOST:PORT does not answer; other forms of addresses are Ray's to find."""
    host, mark, port = address.rpartition(":")
    if mark and "/" not in address:
        socket.create_connection((host, int(port)), PATIENCE_S).close()
