"""What several devices gain: all-reduce by size, k-means and a stencil on one device and on all.

python -m gpunp.distributed --nproc 2 benchmarks/ranks.py [largest bytes]

Rates of all-reduce are those of NCCL's own benchmark: "algorithm" is bytes / time, "bus" is that
times 2 (n - 1) / n, which compares with the links' rate. The same calls without gpunp.distributed
are beside them. The time on one device is measured on rank 0, while the others wait.
"""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

import ranks_kmeans
import ranks_stencil

import gpunp as cp
from gpunp.cuda import nccl

REPEATS, STENCILS = 5, (8192, 16384)
POINTS, DIMENSIONS, CLUSTERS = (4_000_000, 16_000_000), 32, 16
IN_SMALL = 1 << 20  # up to so many bytes, all sizes are small: a test on the emulated device


class Alone:
    """What examples/ ask of ranks, where there is one."""

    rank, size = 0, 1

    def __init__(self):
        self.stream = cp.cuda.Stream(non_blocking=True)

    def all_reduce(self, in_array, out_array):
        """The sum over one rank."""

    def exchange(self, plate):
        """No neighbours."""


def seconds(work, count):
    """Median seconds of a call, of which `count` are put into the stream before a wait."""
    stream, times = cp.cuda.get_current_stream(), []
    work()
    stream.synchronize()
    for _ in range(REPEATS):
        began = time.perf_counter()
        for _ in range(count):
            work()
        stream.synchronize()
        times.append((time.perf_counter() - began) / count)
    return statistics.median(times)


def rates(group, largest):
    """Rows of all-reduce: bytes, microseconds, rates, and those of bare NCCL."""
    stream = cp.cuda.get_current_stream().ptr
    identifier = cp.asarray(nccl.get_unique_id(), dtype=cp.int32)
    group.broadcast(identifier)
    bare = nccl.NcclCommunicator(group.size, tuple(identifier.tolist()), group.rank)
    size = 1 << 10
    while size <= largest:
        x = cp.zeros(size // 4, cp.float32)
        count = 200 if size < 1 << 22 else 10
        group.barrier()
        own = seconds(lambda x=x: group.all_reduce(x, x), count)
        group.barrier()
        plain = seconds(
            lambda x=x: bare.allReduce(x.data.ptr, x.data.ptr, x.size, nccl.NCCL_FLOAT, 0, stream),
            count,
        )
        bus = 2 * (group.size - 1) / group.size
        yield size, own, size / own, bus * size / own, bus * size / plain
        size *= 4 if size < 1 << 28 else 2
    bare.destroy()


def on_one_and_all(group, name, run):
    """A row: milliseconds on one device, on all, and the ratio. `run` waits for its work."""

    def timed(ranks):
        run(ranks)
        times = []
        for _ in range(3):
            began = time.perf_counter()
            run(ranks)
            times.append(time.perf_counter() - began)
        return 1e3 * min(times)

    one = timed(Alone()) if group.rank == 0 else 0.0
    group.barrier()
    both = timed(group)
    group.barrier()
    if group.rank == 0:
        print(f"{name:<40} {one:10.2f} ms {both:10.2f} ms {one / both:6.2f} x")


def main(largest=1 << 30):
    """Print all rows on rank 0."""
    by = ranks_stencil.ByNccl()
    group = by.group
    is_small = largest <= IN_SMALL
    if group.rank == 0:
        device = cp.cuda.runtime.getDeviceProperties(cp.cuda.Device().id)["name"].decode()
        print(f"{group.size} ranks, {device}, NCCL {nccl.get_version()}")
        print(
            f"{'all-reduce':<14} {'us':>10} {'algorithm':>12} {'bus':>12} {'bare NCCL':>12}   GB/s"
        )
    for size, time_, *found in rates(group, largest):
        if group.rank == 0:
            numbers = " ".join(f"{rate / 1e9:12.2f}" for rate in found)
            print(f"{size:<14} {1e6 * time_:10.1f} {numbers}")
    sizes, plates, steps = ((2000,), (64,), 5) if is_small else (POINTS, STENCILS, 200)

    def kmeans(ranks, shares):
        mine = shares[ranks.size]
        ranks_kmeans.kmeans(ranks, mine, mine[:CLUSTERS].copy(), steps).get()

    def stencil(ranks, plate):
        ranks_stencil.run(ranks if ranks.size == 1 else by, plate, steps)
        cp.cuda.get_current_stream().synchronize()

    for points in sizes:
        shares = {
            size: ranks_kmeans.blobs(points, DIMENSIONS, CLUSTERS, rank, size)
            for rank, size in ((group.rank, group.size), *([(0, 1)] if group.rank == 0 else []))
        }
        title = f"k-means, {points} points, {steps} steps"
        on_one_and_all(group, title, lambda ranks, shares=shares: kmeans(ranks, shares))
    for plate in plates:
        title = f"stencil, {plate} x {plate}, {steps} steps"
        on_one_and_all(group, title, lambda ranks, plate=plate: stencil(ranks, plate))


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
