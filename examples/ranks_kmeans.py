"""k-means on several devices: each rank has a share of the points, and ranks add up their sums.

python -m gpunp.distributed --nproc 2 examples/ranks_kmeans.py [points] [dimensions] [k] [steps]

A step is a product, an arg-minimum and a product on each device, and one all-reduce of a small
array between them. The host waits once, at the end.
"""

import sys
import time

import gpunp as cp
from gpunp import distributed


def share(points, rank, ranks):
    """The points of a rank: every one of them, whatever the number of ranks, belongs to one."""
    return slice(points * rank // ranks, points * (rank + 1) // ranks)


def blobs(points, dimensions, clusters, rank, ranks):
    """This rank's share of random points around `clusters` centres."""
    rng = cp.random.default_rng(7)
    middles = 20 * rng.random((clusters, dimensions), dtype=cp.float32)
    mine = share(points, rank, ranks)
    number = cp.arange(mine.start, mine.stop)
    noise = cp.random.default_rng(8 + rank).standard_normal((number.size, dimensions), cp.float32)
    return middles[number % clusters] + noise


def sums(points, centres):
    """For each centre the sum and, in the last column, the number of the points nearest to it."""
    # |p - c|^2 without |p|^2, which is the same for all centres.
    distances = (centres * centres).sum(axis=1) - 2 * (points @ centres.T)
    nearest = distances.argmin(axis=1)
    belongs = (nearest[:, None] == cp.arange(len(centres))).astype(points.dtype)
    return cp.concatenate([belongs.T @ points, belongs.sum(axis=0)[:, None]], axis=1)


@cp.fuse
def moved(total, count, centres):
    """The means of the points that belong to each centre; a centre without points stays."""
    return cp.where(count > 0, total / cp.maximum(count, 1), centres)


def kmeans(group, points, centres, steps):
    """Centres after so many steps, the same on all ranks."""
    for _ in range(steps):
        total = sums(points, centres)
        group.all_reduce(total, total)
        centres = moved(total[:, :-1], total[:, -1:], centres)
    return centres


def main(points=200_000, dimensions=16, clusters=8, steps=20):
    """Cluster random points, and print the time and the centres' mean."""
    group = distributed.init_process_group()
    mine = blobs(points, dimensions, clusters, group.rank, group.size)
    centres = mine[:clusters].copy()
    group.broadcast(centres)
    kmeans(group, mine, centres, 1).get()  # compiles the kernels, connects the ranks
    group.barrier()
    began = time.perf_counter()
    found = kmeans(group, mine, centres, steps).get()
    seconds = time.perf_counter() - began
    if group.rank == 0:
        print(f"{points} points, {group.size} ranks: {1e3 * seconds / steps:.3f} ms a step")
        print(f"mean of the centres: {found.mean():.6f}")


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
