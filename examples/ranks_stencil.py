"""Heat in a plate, whose rows are spread over devices; neighbours exchange their border rows.

python -m gpunp.distributed --nproc 2 examples/ranks_stencil.py [size] [steps]
mpirun -n 2 python examples/ranks_stencil.py --mpi [size] [steps]

Each step first sends the border rows, in a stream of its own, and computes the rows inside
meanwhile; then those that need what has arrived. With NCCL the host waits for nothing. MPI, which
has to be aware of CUDA, works on the host's time: it sends once the device has computed, and
returns when the rows are there.
"""

import sys
import time

import gpunp as cp
from gpunp import distributed
from gpunp.cuda import nccl

CONDUCTIVITY = 0.2


class ByNccl:
    """Ranks of a process group, and an exchange that is put into a stream."""

    def __init__(self):
        self.group = distributed.init_process_group()
        self.rank, self.size = self.group.rank, self.group.size
        self.stream = cp.cuda.Stream(non_blocking=True)

    def exchange(self, plate):
        """Fill the first and the last row with the neighbours' border rows."""
        nccl.groupStart()  # all four messages at once
        if self.rank > 0:
            self.group.send_recv(plate[1], plate[0], self.rank - 1)
        if self.rank < self.size - 1:
            self.group.send_recv(plate[-2], plate[-1], self.rank + 1)
        nccl.groupEnd()

    def barrier(self):
        """Wait for all ranks."""
        self.group.barrier()


class ByMpi:
    """Ranks of MPI; mpi4py takes rows by the CUDA array interface."""

    def __init__(self):
        from mpi4py import MPI

        self.world, self.nobody = MPI.COMM_WORLD, MPI.PROC_NULL
        self.rank, self.size = self.world.rank, self.world.size
        cp.cuda.Device(self.rank % cp.cuda.runtime.getDeviceCount()).use()
        self.stream = cp.cuda.Stream(non_blocking=True)

    def exchange(self, plate):
        """Fill the first and the last row with the neighbours' border rows."""
        cp.cuda.get_current_stream().synchronize()  # MPI knows no streams
        up = self.rank - 1 if self.rank > 0 else self.nobody
        down = self.rank + 1 if self.rank < self.size - 1 else self.nobody
        self.world.Sendrecv(plate[1], up, recvbuf=plate[-1], source=down)
        self.world.Sendrecv(plate[-2], down, recvbuf=plate[0], source=up)

    def barrier(self):
        """Wait for all ranks."""
        self.world.Barrier()


@cp.fuse
def warm(after, middle, above, below, left, right):
    """One explicit step of the heat equation, in one kernel."""
    after[...] = middle + CONDUCTIVITY * (above + below + left + right - 4 * middle)


def update(after, before, rows):
    """Write rows of the next state; the columns at both sides keep their temperature."""
    above = slice(rows.start - 1, rows.stop - 1, rows.step)
    below = slice(rows.start + 1, rows.stop + 1, rows.step)
    warm(
        after[rows, 1:-1],
        before[rows, 1:-1],
        before[above, 1:-1],
        before[below, 1:-1],
        before[rows, :-2],
        before[rows, 2:],
    )


def step(ranks, before, after, ready, arrived):
    """One step: the rows inside are computed while the border rows are on their way."""
    compute, height = cp.cuda.get_current_stream(), len(before)
    compute.record(ready)
    ranks.stream.wait_event(ready)
    with ranks.stream:
        ranks.exchange(before)
        arrived.record()
    update(after, before, slice(2, height - 2))
    compute.wait_event(arrived)
    update(after, before, slice(1, height - 1, max(1, height - 3)))  # the first and the last


def plate_of(ranks, size):
    """This rank's rows of a cold plate with one hot side, and a row of the neighbours' at each end.

    The first and the last rank have an edge of the plate there, which keeps its temperature.
    """
    first = 1 + (size - 2) * ranks.rank // ranks.size
    last = 1 + (size - 2) * (ranks.rank + 1) // ranks.size
    plate = cp.zeros((last - first + 2, size), cp.float32)
    if ranks.rank == 0:
        plate[0] = 100
    return plate


def run(ranks, size, steps):
    """This rank's rows after so many steps, its neighbours' border rows among them."""
    before = plate_of(ranks, size)
    after = before.copy()
    events = [cp.cuda.Event(disable_timing=True) for _ in range(2)]
    for _ in range(steps):
        step(ranks, before, after, *events)
        before, after = after, before
    return before


def main(*arguments):
    """Compute, and print the time and the plate's heat."""
    numbers = [int(text) for text in arguments if not text.startswith("-")]
    size, steps = (*numbers, *(512, 100)[len(numbers) :])
    ranks = ByMpi() if "--mpi" in arguments else ByNccl()
    run(ranks, size, 1).get()
    ranks.barrier()
    began = time.perf_counter()
    mine = run(ranks, size, steps)
    cp.cuda.get_current_stream().synchronize()
    seconds = time.perf_counter() - began
    heat = float(mine[1:-1].sum(dtype=cp.float64))
    print(f"rank {ranks.rank} of {ranks.size}: {1e3 * seconds / steps:.3f} ms, heat {heat:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
