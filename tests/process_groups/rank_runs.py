"""Ranks of a process group, each a process with an emulated device of its own.

With RANKS_DEVICE=cuda in the environment they use two GPUs and NVIDIA's NCCL instead.
"""

import os
import socket
import subprocess
import sys

import child

DEVICE = os.environ.get("RANKS_DEVICE", "emulated")
MOST = 3 if DEVICE == "emulated" else 2  # ranks: NCCL refuses two on one GPU

PROLOGUE = """
import os, sys, time
import numpy as np
import gpunp as cp
from gpunp import distributed
from gpunp.distributed import ProcessGroupError
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def start(body, rank, size, port, **variables):
    """Start a rank that runs a script after PROLOGUE."""
    names = {"RANK": rank, "SIZE": size, "LOCAL_RANK": rank, "HOST": "127.0.0.1", "PORT": port}
    names = {f"GPUNP_DISTRIBUTED_{name}": str(value) for name, value in names.items()}
    return popen(body, child.environment(GPUNP_DEVICE=DEVICE, **names, **variables))


def popen(body, environment):
    """Start a process that runs a script after PROLOGUE."""
    return subprocess.Popen(
        [sys.executable, "-c", PROLOGUE + body],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
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
            out, err = process.communicate(timeout=child.PATIENCE)
            results.append((process.returncode, out, err))
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert shared_files(processes) == []
    return results


def run(body, size=2, **variables):
    """Run a script as each of `size` ranks; the (status, stdout, stderr) of each."""
    port = free_port()
    return finish([start(body, rank, size, port, **variables) for rank in range(size)])


def succeed(body, size=2, **variables):
    """Run a script as each rank, all of which must succeed; what each has printed."""
    results = run(body, size, **variables)
    assert all(status == 0 for status, _, _ in results), results
    return [out for _, out, _ in results]


def run_devices(body, devices=2, **variables):
    """Run a script in one process that has several emulated devices; what it has printed."""
    environment = child.environment(
        GPUNP_DEVICE=DEVICE, GPUNP_EMU_DEVICES=str(devices), **variables
    )
    (status, out, err) = finish([popen(body, environment)])[0]
    assert status == 0, err
    return out
