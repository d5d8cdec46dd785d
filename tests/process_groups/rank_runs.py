"""Ranks of a process group, each a process with an emulated device of its own.

With RANKS_DEVICE=cuda in the environment they use two GPUs and NVIDIA's NCCL instead. A process
that does not end in time prints where each of its threads is, and is ended.
"""

import os
import signal
import subprocess
import sys

import child
import pytest

from gpunp.distributed._launch import reserved_port

DEVICE = os.environ.get("RANKS_DEVICE", "emulated")
MOST = 3 if DEVICE == "emulated" else 2  # ranks: NCCL refuses two on one GPU
# Seconds for a process: after them it hangs, on a loaded machine too. A machine with GPUs is fast.
LIMIT = child.PATIENCE if DEVICE == "emulated" else 90

emulated_only = pytest.mark.skipif(
    DEVICE != "emulated", reason="NVIDIA's NCCL does not check it: the behaviour is undefined"
)

PROLOGUE = """
import faulthandler, os, sys, time
LIMIT = float(os.environ["RANKS_LIMIT"])
faulthandler.dump_traceback_later(LIMIT, exit=True)
import numpy as np
import gpunp as cp
from gpunp import distributed
from gpunp.distributed import ProcessGroupError
"""

_hung = []  # processes that did not end


def limit():
    """Seconds for the next process: few once several have hung, so that the folder ends soon."""
    return LIMIT if len(_hung) < 2 else LIMIT / 6


def environment(**variables):
    return child.environment(GPUNP_DEVICE=DEVICE, RANKS_LIMIT=str(limit()), **variables)


def start(body, rank, size, port, **variables):
    """Start a rank that runs a script after PROLOGUE."""
    names = {"RANK": rank, "SIZE": size, "LOCAL_RANK": rank, "HOST": "127.0.0.1", "PORT": port}
    names = {f"GPUNP_DISTRIBUTED_{name}": str(value) for name, value in names.items()}
    return popen([sys.executable, "-c", PROLOGUE + body], environment(**names, **variables))


def popen(command, variables):
    """Start a process that is ended with those that it starts."""
    return subprocess.Popen(
        command,
        env=variables,
        cwd=child.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def shared_files(processes):
    """Files of communicators that these processes began, which are named after them."""
    begins = tuple(f"gpunp-nccl-{process.pid}-" for process in processes)
    return [name for name in os.listdir("/dev/shm") if name.startswith(begins)]


def finish(processes):
    """(exit status, stdout, stderr) of each process; no file is left of their communicators."""
    results = []
    try:
        for process in processes:
            out, err = process.communicate(timeout=limit() + 10)
            results.append((process.returncode, out, err))
            if "Timeout (" in err:
                _hung.append(process)
    except subprocess.TimeoutExpired as error:
        _hung.append(error)
        raise
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert shared_files(processes) == []
    return results


def run(body, size=2, **variables):
    """Run a script as each of `size` ranks; the (status, stdout, stderr) of each."""
    with reserved_port() as port:
        return finish([start(body, rank, size, port, **variables) for rank in range(size)])


def succeed(body, size=2, **variables):
    """Run a script as each rank, all of which must succeed; what each has printed."""
    results = run(body, size, **variables)
    assert all(status == 0 for status, _, _ in results), results
    return [out for _, out, _ in results]


def run_devices(body, devices=2, **variables):
    """Run a script in one process that has several devices; what it has printed."""
    variables = environment(GPUNP_EMU_DEVICES=str(devices), **variables)
    (status, out, err) = finish([popen([sys.executable, "-c", PROLOGUE + body], variables)])[0]
    assert status == 0, err
    return out


def run_program(*command, **variables):
    """(exit status, stdout, stderr) of a command that may start ranks."""
    return finish([popen(command, environment(GPUNP_EMU_DEVICES="2", **variables))])[0]
