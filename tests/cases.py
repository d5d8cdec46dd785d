"""What tests are run over: dtypes, memory layouts, special values.

@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("layout", cases.LAYOUTS)
def test_negative(dtype, layout, rng):
    values = cases.values(dtype, (5, 7), rng)
    check(lambda xp: xp.negative(cases.arrange(xp, values, layout)))
"""

import itertools

import ml_dtypes
import numpy as np
import pytest

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
BOOL = [np.dtype("?")]
SIGNED = [np.dtype(c) for c in "bhil"]
UNSIGNED = [np.dtype(c) for c in "BHIL"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = [np.dtype(c) for c in "efd"]
COMPLEX = [np.dtype(c) for c in "FD"]
NUMPY_DTYPES = BOOL + INTEGERS + FLOATS + COMPLEX
DTYPES = [*NUMPY_DTYPES, BFLOAT16]

# How an array lies in memory: what NumPy prepares and copies over, and the view of it that has the
# values asked for. Both sides take the same view, so views are tested on the way.
LAYOUTS = {
    "c": (lambda a: a, lambda xp, x: x),
    "f": (lambda a: a.T, lambda xp, x: x.T),
    "strided": (lambda a: np.repeat(a, 2, axis=-1), lambda xp, x: x[..., ::2]),
    "rows": (lambda a: np.repeat(a, 3, axis=0), lambda xp, x: x[1::3]),
    "reversed": (lambda a: a[..., ::-1], lambda xp, x: x[..., ::-1]),
    "offset": (
        lambda a: np.concatenate([a.reshape(-1)[:1], a.reshape(-1)]).reshape(-1),
        None,  # needs the shape: see arrange
    ),
    "broadcast": (lambda a: a[..., :1], None),
}


def arrange(xp, values, layout):
    """`values` (a NumPy array of one dimension or more) as an array of `xp` in that layout.

    "broadcast" repeats the first column, so its values differ from those given; both sides see the
    same. "offset" starts one element past an aligned address.
    """
    prepare, view = LAYOUTS[layout]
    x = xp.asarray(np.ascontiguousarray(prepare(values)))
    if layout == "offset":
        return x[1:].reshape(values.shape)
    if layout == "broadcast":
        return xp.broadcast_to(x, values.shape)
    return view(xp, x)


def overlapping(xp, n=12, dtype="f4"):
    """Pairs of views of one buffer that overlap: (name, out, in)."""

    def pair(name, out, source):
        base = xp.arange(n, dtype=dtype)
        return name, base, base[out], base[source]

    return [
        pair("same", slice(None), slice(None)),
        pair("shift up", slice(1, None), slice(None, -1)),
        pair("shift down", slice(None, -1), slice(1, None)),
        pair("reversed", slice(None), slice(None, None, -1)),
        pair("every second", slice(0, n // 2), slice(0, n, 2)),
    ]


def special(dtype):
    """The values of a dtype at which functions go wrong."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = [0, 1, 2, 3, 7, 31, 63, 64, 100]
        if dtype.kind == "i":
            small += [-1, -2, -3, -7, -64, info.min, info.min + 1]
        return np.array([*small, info.max, info.max - 1], dtype=dtype)
    if dtype.kind == "c":
        parts = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan]
        part = np.dtype(f"f{dtype.itemsize // 2}")
        out = np.empty((len(parts), len(parts)), dtype=dtype)
        out.real = np.array(parts, dtype=part)[:, None]
        out.imag = np.array(parts, dtype=part)
        return out.reshape(-1)
    info = ml_dtypes.finfo(dtype) if dtype == BFLOAT16 else np.finfo(dtype)
    positive = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0, np.pi, 1e-3, 100.25, np.inf]
    edges = [info.max, info.tiny, info.smallest_subnormal, info.eps]
    with np.errstate(all="ignore"):
        positive = np.concatenate([np.array(positive).astype(dtype), np.array(edges, dtype=dtype)])
        return np.concatenate([positive, -positive, np.array([np.nan]).astype(dtype)])


def values(dtype, shape, rng):
    """Random values of a dtype, small enough that sums and products stay finite."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" else -100
        return rng.integers(low, 100, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.normal(0, 3, shape) + 1j * rng.normal(0, 3, shape)).astype(dtype)
    return rng.normal(0, 3, shape).astype(dtype)


def grid(dtype):
    """Every pair of special values: two flat arrays."""
    points = special(dtype)
    return np.repeat(points, points.size), np.tile(points, points.size)


def crossed(*columns, differing=1):
    """All combinations as rows of `parametrize`. Those in which more than `differing` values are
    not the first of their column are left to --slow: what each value needs is tested without them.
    """
    rows = []
    for row in itertools.product(*columns):
        apart = sum(value is not column[0] for value, column in zip(row, columns))
        rows.append(pytest.param(*row, marks=[pytest.mark.slow] * (apart > differing)))
    return rows
