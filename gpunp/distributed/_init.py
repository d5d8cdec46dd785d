"""The way into a process group."""

import os

from gpunp.cuda import Device, runtime

from ._nccl import DEFAULT_HOST, DEFAULT_PORT, DEFAULT_TIMEOUT, NCCLBackend

__all__ = ["init_process_group"]


def _setting(name):
    """A variable that the launcher sets, or one that CuPy reads."""
    return os.environ.get(f"GPUNP_DISTRIBUTED_{name}") or os.environ.get(
        f"CUPYX_DISTRIBUTED_{name}"
    )


def _placed():
    """(size, rank) of a process that the launcher started; its device becomes the current one."""
    size, rank, local = (_setting(name) for name in ("SIZE", "RANK", "LOCAL_RANK"))
    if size is None or rank is None:
        raise ValueError(
            "n_devices and rank must be given, unless the process was started by "
            "`python -m gpunp.distributed`"
        )
    Device(int(local or rank) % runtime.getDeviceCount()).use()
    return int(size), int(rank)


def init_process_group(
    n_devices=None,
    rank=None,
    *,
    backend="nccl",
    host=None,
    port=None,
    use_mpi=False,
    timeout=DEFAULT_TIMEOUT,
):
    """Join a group of processes that communicate, and wait until all ranks have.

    Each rank uses the device that is current when it joins. Without arguments, in a process that
    `python -m gpunp.distributed` has started, rank and size are the launcher's, and the device of
    the rank becomes the current one.

    Parameters
    ----------
    n_devices : int, optional
        Number of ranks in the group.
    rank : int, optional
        Which rank this process is, from 0 on.
    backend : {'nccl'}, optional
        Library by which ranks communicate.
    host : str, optional
        Address of the machine of rank 0, which listens there. By default that of the variable
        GPUNP_DISTRIBUTED_HOST or CUPYX_DISTRIBUTED_HOST, or this machine.
    port : int, optional
        Port at which rank 0 listens. By default that of the variable GPUNP_DISTRIBUTED_PORT or
        CUPYX_DISTRIBUTED_PORT, or 13333.
    use_mpi : bool, optional
        If True, ranks find rank 0 by mpi4py.
    timeout : float, optional
        Seconds after which a rank that does not come, or an operation that does not end, is an
        error on all ranks that names the missing rank.

    Returns
    -------
    NCCLBackend
        This rank of the group.

    Raises
    ------
    ProcessGroupError
        If a rank does not come in time.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import distributed
    >>> group = distributed.init_process_group(1, 0, port=13399)
    >>> a = cp.arange(3.0)
    >>> group.all_reduce(a, a)
    >>> a
    array([0., 1., 2.])
    >>> group.stop()
    """
    if backend != "nccl":
        raise ValueError(f"backend must be 'nccl', not {backend!r}")
    if n_devices is None and rank is None and not use_mpi:
        n_devices, rank = _placed()
    if n_devices is None or rank is None:
        raise ValueError("n_devices and rank must be given together")
    host = host if host is not None else _setting("HOST") or DEFAULT_HOST
    port = int(port if port is not None else _setting("PORT") or DEFAULT_PORT)
    return NCCLBackend(n_devices, rank, host, port, use_mpi, timeout=timeout)
