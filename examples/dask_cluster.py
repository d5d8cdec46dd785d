"""Dask with a worker for each device: singular values of a tall matrix, the mean of many images.

python examples/dask_cluster.py [rows] [columns] [images] [size]

Both are larger than what a device may keep (`device_memory_limit`): what was not used for the
longest time moves to the host. The dashboard's address is printed, and Dask's progress bar shows on
a terminal.
Needs `pip install 'gpunp[dask]'`.
"""

import sys

import dask
import dask.array as da
import numpy as np
from distributed import Client, progress

from gpunp.distributed.dask import local_cluster


def singular_values(rows, columns, chunk):
    """Those of a random matrix, by a QR factorisation of each chunk; the sum of all squares."""
    a = da.random.default_rng(1).standard_normal((rows, columns), chunks=(chunk, columns))
    a = a.persist()
    _, s, _ = da.linalg.svd(a)
    return s, (a * a).sum()


def mean_image(images, size, chunk):
    """The mean of images of noise around a ramp, each of which is smoothed a little."""
    rng = da.random.default_rng(2)
    stack = rng.standard_normal((images, size, size), chunks=(chunk, size, size), dtype="f4")
    stack = stack + da.arange(size, dtype="f4")
    smooth = stack.map_overlap(lambda x: (x + x[..., ::-1]) / 2, depth=0, dtype="f4")
    return smooth.mean(axis=0)


def main(rows=40_000, columns=32, images=64, size=256, device_memory_limit=4 << 20):
    """Compute both, and print what is known of them."""
    with (
        dask.config.set({"array.backend": "gpunp"}),
        local_cluster(device_memory_limit=device_memory_limit) as cluster,
        Client(cluster) as client,
    ):
        print(f"dashboard: {cluster.dashboard_link}, {len(client.nthreads())} workers")
        s, squares = client.compute(singular_values(rows, columns, rows // 16))
        if sys.stdout.isatty():
            progress([s, squares])
        s, squares = (np.asarray(future.result().get()) for future in (s, squares))
        print(
            f"sum of the squared singular values / of the elements: {(s**2).sum() / squares:.12f}"
        )
        mean = client.compute(mean_image(images, size, 4)).result().get()
        print(f"mean image: {mean.mean():.4f} (the ramp's: {(size - 1) / 2:.4f})")
        moves = client.run(lambda dask_worker: dask_worker.data.moves)
        print(f"moved to the host: {sum(moves.values())} results")


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
