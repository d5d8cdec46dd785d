"""A program as users write them, for type checkers: `assert_type` says what they must find.

It runs as well, which tests/typing/test_mypy.py does.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, assert_type

import numpy as np
import numpy.typing as npt

import gpunp as cp
from gpunp.cuda import Device, Event, Stream
from gpunp.typing import ArrayLike, NDArray

Image = cp.ndarray


class Fit(NamedTuple):
    """A straight line and how well it does."""

    slope: float
    offset: float
    error: float


# ---- images --------------------------------------------------------------------------------------


def photograph(height: int, width: int) -> Image:
    """A picture with a gradient, a disc and noise."""
    y, x = cp.ogrid[:height, :width]
    disc = (x - width // 2) ** 2 + (y - height // 2) ** 2 < (height // 4) ** 2
    grey = cp.linspace(0, 1, width, dtype=cp.float32)[None, :] * cp.ones((height, 1))
    picture = cp.where(disc, 1.0, grey)
    noise = cp.random.default_rng(7).normal(0, 0.05, size=picture.shape)
    return (picture + noise).astype("f4")


def sharpened(picture: Image, amount: float = 0.5) -> Image:
    """Unsharp masking with a box of 3 x 3."""
    padded = cp.pad(picture, 1, mode="edge")
    total = cp.zeros_like(picture)
    for dy in range(3):
        for dx in range(3):
            total += padded[dy : dy + picture.shape[0], dx : dx + picture.shape[1]]
    blurred = total / 9
    result = cp.clip(picture + amount * (picture - blurred), 0, 1)
    assert_type(result, cp.ndarray)
    return result


def levels(picture: Image, nbins: int) -> tuple[Image, Image]:
    """Histogram and cumulative histogram."""
    counts, edges = cp.histogram(picture, bins=nbins, range=(0, 1))
    assert_type(edges, cp.ndarray)
    return counts, cp.cumsum(counts) / counts.sum()


def brightest(picture: Image, n: int) -> list[tuple[int, int]]:
    """Rows and columns of the n brightest pixels."""
    order = cp.argsort(picture, axis=None)[::-1][:n]
    rows, columns = cp.unravel_index(order, picture.shape)
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True)]


# ---- linear algebra ------------------------------------------------------------------------------


def line(x: ArrayLike, y: ArrayLike) -> Fit:
    """Least squares."""
    x, y = cp.asarray(x), cp.asarray(y)
    design = cp.stack([x, cp.ones_like(x)], axis=1)
    found = cp.linalg.solve(design.T @ design, design.T @ y)
    error = cp.linalg.norm(design @ found - y)
    return Fit(float(found[0]), float(found[1]), float(error))


def principal(samples: NDArray, n: int) -> NDArray:
    """The first n principal components."""
    centred = samples - samples.mean(axis=0, keepdims=True)
    u, s, vh = cp.linalg.svd(centred, full_matrices=False)
    assert_type(u, cp.ndarray)
    assert_type(cp.linalg.svd(centred)[0], cp.ndarray)
    assert_type(cp.linalg.svd(centred, compute_uv=False), cp.ndarray)
    values, vectors = cp.linalg.eigh(centred.T @ centred)
    assert_type(vectors, cp.ndarray)
    q, r = cp.linalg.qr(vectors)
    assert_type(2 * q @ r.T, cp.ndarray)
    _, logdet = cp.linalg.slogdet(cp.eye(3) + 0.1)
    assert_type(logdet, cp.ndarray)
    return vh[:n] * cp.sign(s[:n, None]) + 0 * values[:n, None]


# ---- signals and random numbers ------------------------------------------------------------------


def spectrum(signal: cp.ndarray, step: float) -> tuple[cp.ndarray, cp.ndarray]:
    """Power by frequency."""
    transformed = cp.fft.rfft(signal)
    assert_type(transformed, cp.ndarray)
    assert_type(cp.fft.fft(signal), cp.ndarray)
    return cp.fft.rfftfreq(signal.size, step), cp.abs(transformed) ** 2


def estimate_pi(n: int, seed: int | None = None) -> float:
    """Monte Carlo."""
    rng = cp.random.default_rng(seed)
    points = rng.random((n, 2))
    assert_type(points, cp.ndarray)
    inside = cp.hypot(points[:, 0], points[:, 1]) < 1
    return 4 * float(inside.mean())


def statistics(values: cp.ndarray) -> dict[str, float]:
    """Numbers people ask for."""
    low, high = cp.percentile(values, [5, 95])
    names: Sequence[tuple[str, Callable[[cp.ndarray], cp.ndarray]]] = [
        ("mean", cp.mean),
        ("median", cp.median),
    ]
    found = {name: float(function(values)) for name, function in names}
    distinct = cp.unique(values)
    assert_type(distinct, cp.ndarray)
    return found | {"low": float(low), "high": float(high), "distinct": distinct.size}


# ---- ufuncs --------------------------------------------------------------------------------------


def ufuncs(a: cp.ndarray) -> None:
    """Their results by numbers of operands."""
    assert_type(cp.sin(a), cp.ndarray)
    assert_type(cp.add(a, 1), cp.ndarray)
    assert_type(cp.modf(a), tuple[cp.ndarray, cp.ndarray])
    assert_type(cp.divmod(a, 2), tuple[cp.ndarray, cp.ndarray])
    assert_type(cp.add.reduce(a), cp.ndarray)
    assert_type(cp.multiply.outer(a, a), cp.ndarray)
    assert_type(cp.maximum.accumulate(a), cp.ndarray)
    assert_type(cp.add.reduceat(a, [0, 2]), cp.ndarray)
    assert_type(cp.matmul(a, a), cp.ndarray)
    out = cp.empty_like(a)
    cp.add(a, a, out=out, where=a > 0, casting="unsafe")
    cp.add.at(out, cp.asarray([0, 0, 1]), 1.0)
    assert_type(out.nin if isinstance(out, cp.ufunc) else 0, int)


# ---- kernels, streams, other libraries -----------------------------------------------------------

SCALE = cp.RawKernel(
    r"""
extern "C" __global__ void scale(float *x, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}""",
    "scale",
)
HYPOT = cp.ElementwiseKernel("T x, T y", "T z", "z = sqrt(x * x + y * y)", "hypot_kernel")
SUM = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "sum_kernel")


def kernels(x: cp.ndarray) -> cp.ndarray:
    """Kernels of one's own."""
    work = x.astype(cp.float32)
    blocks = (work.size + 127) // 128
    SCALE((blocks,), (128,), (work, np.float32(2), work.size))
    both: cp.ndarray = HYPOT(work, work)
    total: cp.ndarray = SUM(both)
    return both / total


def timed(function: Callable[[], cp.ndarray]) -> tuple[cp.ndarray, float]:
    """A result and the milliseconds of the device."""
    begin, end = Event(), Event()
    stream = Stream(non_blocking=True)
    with stream:
        begin.record()
        result = function()
        end.record()
    stream.synchronize()
    assert_type(stream.ptr, int)
    return result, cp.cuda.get_elapsed_time(begin, end)


def exchange(a: cp.ndarray) -> npt.NDArray[np.float64]:
    """To other libraries and to the host."""
    again = cp.from_dlpack(a)
    assert_type(again, cp.ndarray)
    host = a.get()
    assert_type(cp.asnumpy(a) is host, bool)
    interface = a.__cuda_array_interface__
    assert_type(interface, dict[str, Any])
    return np.asarray(host, dtype=np.float64)


def device_report() -> str:
    """What computes."""
    device = Device()
    free, total = device.mem_info
    pool = cp.get_default_memory_pool()
    return f"{device.id} {free / total:.2f} {pool.used_bytes()} {cp.cuda.runtime.getDeviceCount()}"


def main() -> None:
    """All of it."""
    picture = sharpened(photograph(24, 32))
    counts, cumulative = levels(picture, 8)
    fit = line(cp.arange(8.0), cp.asarray(counts, dtype=float))
    mask = picture > picture.mean()
    assert_type(picture[mask], cp.ndarray)
    assert_type(mask.any().item() is True, bool)
    axes = principal(cp.random.default_rng(1).normal(size=(20, 4)), 2)
    result, _ = timed(lambda: kernels(cp.arange(10.0)))
    ufuncs(cp.arange(9.0).reshape(3, 3))
    frequencies, power = spectrum(cp.sin(cp.arange(64) / 3), 0.1)
    series = cp.polynomial.Polynomial([1, 2, 3])
    assert_type(series.deriv(), cp.polynomial.Polynomial)
    print(fit.slope, brightest(picture, 2), axes.shape, result.shape, device_report())
    print(estimate_pi(100, 3), statistics(picture), exchange(cumulative)[-1], series(cp.e))
    print(float(frequencies[power.argmax()]), cp.pi, cp.float32(1), picture.dtype, picture.T.shape)


if __name__ == "__main__":
    main()
