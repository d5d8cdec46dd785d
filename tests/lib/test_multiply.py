"""Products that a library takes over: layouts, batches, types; the same contract as our kernels."""

import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import gpunp as cp
from gpunp import _C


@pytest.fixture(autouse=True)
def library():
    """Small products too go to the library, so that small arrays test it."""
    before = _C._products("library")
    yield
    _C._products(before)


EPS = {"f2": 2**-11, "f4": 2**-24, "f8": 2**-53, "c8": 2**-23, "c16": 2**-52}
DTYPES = ["f2", ml_dtypes.bfloat16, "f4", "f8", "c8", "c16"]


def values(dtype, shape, rng):
    dtype = np.dtype(dtype)
    a = rng.normal(size=shape)
    return (a + 1j * rng.normal(size=shape) if dtype.kind == "c" else a).astype(dtype)


def check(ours, a, b):
    """Within rounding of sums in float32 or better, and one rounding of the result."""
    wide = "c16" if a.dtype.kind == "c" else "f8"
    a, b, dtype = a.astype(wide), b.astype(wide), a.dtype
    assert ours.dtype == dtype
    theirs = a @ b
    size = np.abs(a) @ np.abs(b)
    unit = EPS.get(dtype.str[1:], 2**-8)
    summed = min(unit, 2**-24)
    bound = (a.shape[-1] + 4) * summed * size + 2 * unit * np.abs(theirs)
    assert (np.abs(ours.get().astype(wide) - theirs) <= bound).all()


LAYOUTS = {
    "C": lambda a: cp.asarray(a),
    "F": lambda a: cp.asarray(a).swapaxes(-1, -2).copy().swapaxes(-1, -2),
    "rows": lambda a: cp.asarray(np.concatenate([a, a], -2))[..., : a.shape[-2], :],
    "columns": lambda a: cp.asarray(np.concatenate([a, a], -1))[..., : a.shape[-1]],
    "stride": lambda a: cp.asarray(np.repeat(a, 2, -1))[..., ::2],
    "reversed": lambda a: cp.asarray(a[..., ::-1, :].copy())[..., ::-1, :],
    "shifted": lambda a: cp.asarray(np.concatenate([a[..., :1], a], -1))[..., 1:],
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_types(dtype, rng):
    a, b = values(dtype, (70, 96), rng), values(dtype, (96, 80), rng)
    check(cp.asarray(a) @ cp.asarray(b), a, b)
    check(cp.asarray(b.T.copy()).T.swapaxes(0, 1) @ cp.asarray(a).T, b.T, a.T)


@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
def test_layouts(left, right, rng):
    a, b = values("f4", (72, 80), rng), values("f4", (80, 68), rng)
    check(LAYOUTS[left](a) @ LAYOUTS[right](b), a, b)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_out_of_any_layout(layout, rng):
    a, b = values("f8", (72, 80), rng), values("f8", (80, 68), rng)
    out = LAYOUTS[layout](np.zeros((72, 68)))
    assert cp.matmul(cp.asarray(a), cp.asarray(b), out=out) is out
    check(out, a, b)


BATCHES = [
    ((5, 40, 50), (5, 50, 60)),
    ((5, 40, 50), (50, 60)),
    ((40, 50), (5, 50, 60)),
    ((2, 3, 40, 50), (2, 3, 50, 60)),
    ((2, 3, 40, 50), (3, 50, 60)),
    ((2, 1, 40, 50), (1, 3, 50, 60)),
    ((2, 3, 40, 50), (2, 1, 50, 60)),
    ((100, 10, 10), (100, 10, 30)),
    ((3, 2, 100, 40, 5), (3, 1, 100, 5, 8)),
]


@pytest.mark.parametrize("layout", ["C", "F", "rows", "stride"])
@pytest.mark.parametrize("left, right", BATCHES, ids=str)
def test_batches(left, right, layout, rng):
    a, b = values("f4", left, rng), values("f4", right, rng)
    check(LAYOUTS[layout](a) @ cp.asarray(b), a, b)
    check(cp.asarray(a) @ LAYOUTS[layout](b), a, b)


def test_batch_axes_in_another_order(rng):
    a, b = values("f8", (40, 4, 50), rng), values("f8", (50, 60, 4), rng)
    ours = cp.asarray(a).transpose(1, 0, 2) @ cp.asarray(b).transpose(2, 0, 1)
    check(ours, a.transpose(1, 0, 2), b.transpose(2, 0, 1))


def test_mixed_types(rng):
    a, b = values("f4", (70, 80), rng), values("f8", (80, 70), rng)
    assert np.allclose((cp.asarray(a) @ cp.asarray(b)).get(), a @ b, rtol=1e-12)
    whole = rng.integers(-9, 9, (80, 70))
    assert np.allclose((cp.asarray(a) @ cp.asarray(whole)).get(), a @ whole, rtol=1e-12)


@pytest.mark.parametrize("right", ["C", "F", "rows", "columns", "stride"])
@pytest.mark.parametrize("left", ["C", "F", "rows", "columns", "stride"])
def test_bytes_are_summed_in_int32(left, right, rng):
    a = rng.integers(-128, 128, (64, 256), dtype=np.int8)
    b = rng.integers(-128, 128, (256, 96), dtype=np.int8)
    x, y = LAYOUTS[left](a), LAYOUTS[right](b)
    assert np.array_equal(cp.matmul(x, y, dtype=np.int32).get(), a.astype("i4") @ b)
    assert np.array_equal((x @ y).get(), a @ b)  # wraps around
    out = LAYOUTS[left](np.zeros((64, 96), np.int8))
    assert np.array_equal(cp.matmul(x, y, out=out).get(), a @ b)


def test_bytes_of_odd_sizes_and_batches(rng):
    a = rng.integers(-128, 128, (3, 20, 36), dtype=np.int8)
    b = rng.integers(-128, 128, (36, 24), dtype=np.int8)
    c = rng.integers(-128, 128, (3, 36, 24), dtype=np.int8)
    for x, y in [(a, b), (a, c), (a[0, :, :33], b[:33]), (a[0, :19], b), (a, b[:, :23])]:
        assert np.array_equal((cp.asarray(x) @ cp.asarray(y)).get(), x @ y)
        ours = cp.matmul(cp.asarray(x), cp.asarray(y), dtype=np.int32).get()
        assert np.array_equal(ours, x.astype("i4") @ y)


def test_halves_round_once():
    ones = cp.ones((128, 4096), np.float16)
    assert (ones @ ones.T == 4096).all()
    large = cp.full((128, 128), 300, np.float16)
    assert cp.isinf(large @ large).all()
    tiny = cp.full((128, 128), 2.0**-14, np.float16)
    assert ((tiny @ (tiny * 128)).get() == np.float16(2.0**-14)).all()


def test_nan_and_infinity_travel():
    a = cp.ones((80, 80))
    a[3, 4] = cp.nan
    a[5, 6] = cp.inf
    ours = (a @ cp.ones((80, 80))).get()
    assert np.isnan(ours[3]).all() and np.isinf(ours[5]).all()
    assert np.isfinite(np.delete(ours, [3, 5], 0)).all()


def test_a_product_is_captured(rng):
    a, b = values("f4", (80, 80), rng), values("f4", (80, 80), rng)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        x, y = cp.asarray(a), cp.asarray(b)
        out = cp.empty((80, 80), "f4")
        cp.matmul(x, y, out=out)
        stream.begin_capture()
        cp.matmul(x, y, out=out)
        graph = stream.end_capture()
        x *= 2
        graph.launch()
        stream.synchronize()
    check(out, 2 * a, b)


def test_own_kernels_on_request(tmp_path):
    code = (
        "import numpy as np, gpunp as cp; a = cp.ones((100, 100), 'f4'); "
        "assert (a @ a == 100).all()"
    )
    environment = {**os.environ, "GPUNP_PRODUCTS": "own", "GPUNP_DEBUG": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "product__float32" in done.stderr


def test_vectors_and_tiny_matrices(rng):
    for left, right in [((1, 7), (7, 5)), ((5, 7), (7, 1)), ((2, 3), (3, 2)), ((1, 1), (1, 1))]:
        a, b = values("f8", left, rng), values("f8", right, rng)
        check(cp.asarray(a) @ cp.asarray(b), a, b)


def test_tf32_is_an_opt_in(rng):
    assert not _C._allow_tf32(None)
    a, b = values("f4", (64, 64), rng), values("f4", (64, 64), rng)
    with cp.cuda.allow_tf32():
        assert _C._allow_tf32(None)
        rough = (cp.asarray(a) @ cp.asarray(b)).get()
    assert not _C._allow_tf32(None)
    assert np.allclose(rough, a @ b, rtol=1e-2, atol=0.1)
    check(cp.asarray(a) @ cp.asarray(b), a, b)


def test_more_shapes_than_are_kept():
    ones = cp.ones((900, 3))
    products = [ones[:n].T @ ones[:n] for n in range(900)]
    assert all((x == n).all() for n, x in list(enumerate(products))[::53])


def test_who_multiplies():
    with pytest.raises(ValueError, match="own"):
        _C._products("numpy")


@pytest.mark.parametrize("shape", [(4, 3, 16, 8), (2, 3, 4, 16, 8)], ids=str)
def test_batches_of_several_axes(shape, rng):
    a, b = rng.normal(size=shape), rng.normal(size=shape)
    before = _C._products("library")
    try:
        for turn in (lambda x: x, lambda x: x.swapaxes(-2, -3), lambda x: x.swapaxes(0, 1)[::-1]):
            left, right = turn(a), turn(b).swapaxes(-1, -2)
            x, y = turn(cp.asarray(a)), turn(cp.asarray(b)).swapaxes(-1, -2)
            assert np.allclose((x @ y).get(), left @ right)
            assert np.allclose((x[:1] @ y).get(), left[:1] @ right)
            out = cp.empty((5, *(left @ right).shape))
            cp.matmul(x, y, out=out)
            assert np.allclose(out[3].get(), left @ right)
    finally:
        _C._products(before)
