"""Starts a program once for each device of a machine, and ends all when one fails."""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time

__all__ = ["launch", "main"]

GRACE = 10.0  # seconds that the others have to end by themselves when a rank has failed


@contextlib.contextmanager
def reserved_port():
    """A free port that only a server can have which asks for it by its number.

    A socket that does not listen keeps the port: the system gives it to nobody who asks for any
    port, and `socket.create_server`, which sets the same option, can listen at it.
    """
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("", 0))
        yield keeper.getsockname()[1]


def _stop(processes, grace):
    """Let processes end by themselves, then ask them to, then end them."""
    for patience, end in ((grace, None), (5.0, signal.SIGTERM), (5.0, signal.SIGKILL)):
        if end is not None:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(end)
        until = time.monotonic() + patience
        while any(process.poll() is None for process in processes) and time.monotonic() < until:
            time.sleep(0.02)


def _watch(processes):
    """Wait for all; the status of the first that fails, or 0."""
    while True:
        codes = [process.poll() for process in processes]
        failed = [code for code in codes if code]
        if failed:
            _stop(processes, GRACE)
            return failed[0] if failed[0] > 0 else 128 - failed[0]
        if all(code == 0 for code in codes):
            return 0
        time.sleep(0.02)


def launch(command, nproc, *, nnodes=1, node_rank=0, host="127.0.0.1", port=None):
    """Run a program in several processes, one for each rank of this machine.

    `init_process_group()` without arguments makes them a group. When one fails, the others have ten
    seconds to end by themselves, which they do if they communicate with it, and are ended then.

    Parameters
    ----------
    command : sequence of str
        Arguments of the Python interpreter, such as a script and its arguments, or "-m" and the
        name of a module.
    nproc : int
        Number of processes on this machine.
    nnodes : int, optional
        Number of machines, each of which calls this with the same `nproc`.
    node_rank : int, optional
        Which machine this is, from 0 on.
    host : str, optional
        Address of machine 0, at which rank 0 listens.
    port : int, optional
        Port at which rank 0 listens; by default a free one, where there is one machine only.

    Returns
    -------
    int
        Exit status: 0, or that of the first process that failed; 128 and the signal's number for
        one that a signal ended.
    """
    if nproc < 1 or nnodes < 1 or not 0 <= node_rank < nnodes:
        raise ValueError(f"nproc is {nproc}, nnodes {nnodes} and node_rank {node_rank}")
    if port is None and nnodes > 1:
        raise ValueError("port must be given where there is more than one machine")
    with reserved_port() if port is None else contextlib.nullcontext(port) as chosen:
        shared = {"SIZE": nproc * nnodes, "HOST": host, "PORT": chosen}
        return _run(
            command,
            [
                {"RANK": node_rank * nproc + local, "LOCAL_RANK": local} | shared
                for local in range(nproc)
            ],
        )


def _run(command, settings):
    """Run a program in several processes; `settings` has those of each rank."""
    processes = []
    try:
        for own in settings:
            variables = {f"GPUNP_DISTRIBUTED_{name}": str(value) for name, value in own.items()}
            processes.append(
                subprocess.Popen([sys.executable, *command], env=os.environ | variables)
            )
        return _watch(processes)
    finally:
        _stop(processes, 0.0)


def main(arguments=None):
    """Run the command line of `python -m gpunp.distributed`.

    Parameters
    ----------
    arguments : list of str, optional
        Arguments after the module's name.

    Returns
    -------
    int
        Exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m gpunp.distributed",
        description="Run a program once for each device: a process group of that many ranks.",
    )
    parser.add_argument("--nproc", type=int, help="processes on this machine; all devices")
    parser.add_argument("--nnodes", type=int, default=1, help="number of machines")
    parser.add_argument("--node-rank", type=int, default=0, help="which machine this is")
    parser.add_argument("--host", default="127.0.0.1", help="address of machine 0")
    parser.add_argument("--port", type=int, help="port at which rank 0 listens")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="script, or module after -m")
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="ARGUMENT")
    given = parser.parse_args(arguments)
    nproc = given.nproc
    if nproc is None:
        from gpunp.cuda import runtime

        nproc = runtime.getDeviceCount()
    command = [*(["-m"] if given.module else []), given.program, *given.rest]
    # A launcher that is asked to end ends its ranks first.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    places = {"nnodes": given.nnodes, "node_rank": given.node_rank}
    return launch(command, nproc, **places, host=given.host, port=given.port)
