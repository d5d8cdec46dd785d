"""Filters with functions of the user, against SciPy."""

import warnings

import numpy as np
import pytest
import scipy.ndimage as theirs
from images import image

import gpunp as cp
from gpunp import jit
from gpunp.scipy import ndimage as ours

FOOT = np.array([[0, 1, 1], [1, 1, 0]], bool)
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-wrap"]


def weighted(window):
    """The same function for SciPy and for the device."""
    total = 0.0
    for i in range(window.size):
        total += window[i] * (i + 1)
    return total


def scaled(window, factor, shift=0.5):
    return window[0] * factor + shift


def differences(line, out):
    for i in range(out.size):
        out[i] = line[i + 2] - line[i] * 0.5


WINDOW = """
__device__ double twice(double x) { return 2 * x; }
extern "C" __global__ void weighted(double *w, int n, double *result)
{
    double total = 0;
    for (int i = 0; i < n; i++) {
        total += twice(w[i]) * (i + 1) / 2;
    }
    *result = total;
}
"""
LINE = """
extern "C" __global__ void differences(double *line, ptrdiff_t n, double *out, ptrdiff_t m)
{
    for (ptrdiff_t i = 0; i < m; i++) {
        out[i] = line[i + 2] - line[i] * 0.5;
    }
}
"""
RAW = cp.RawKernel(WINDOW, "weighted")
RAW_LINE = cp.RawKernel(LINE, "differences")
PEAK = cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "-1000", "peak")


def agree(actual, desired):
    assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
    if desired.dtype.kind in "fc":
        np.testing.assert_allclose(actual.get(), desired, rtol=1e-6, atol=1e-9)
    else:
        np.testing.assert_array_equal(actual.get(), desired)


@pytest.mark.parametrize("function", [weighted, jit.rawkernel(device=True)(weighted), RAW])
def test_functions_of_windows(function, rng):
    a = image((7, 9), "d", rng)
    for k, options in enumerate([
        {"size": 3}, {"size": (2, 5)}, {"footprint": FOOT}, {"footprint": FOOT, "origin": (0, 1)},
        {"size": 4, "origin": -1}, {"size": (1, 3), "axes": (1, 0), "origin": (0, 1)},
        {"size": 3, "axes": 1}, {"footprint": np.zeros((2, 2))}, {"size": (9, 3)},
    ]):  # fmt: skip
        options |= {"mode": MODES[k % len(MODES)], "cval": 2.5}
        agree(ours.generic_filter(cp.asarray(a), function, **options),
              theirs.generic_filter(a, weighted, **options))  # fmt: skip


def test_reduction_kernels(rng):
    for dtype in "hifd":
        a = image((6, 11), dtype, rng)
        for k, options in enumerate([{"size": 3}, {"footprint": FOOT}, {"size": 2, "axes": 0}]):
            options["mode"] = MODES[k + 2]
            agree(ours.generic_filter(cp.asarray(a), PEAK, **options),
                  theirs.generic_filter(a, np.max, **options))  # fmt: skip


def test_a_reduction_kernel_knows_the_size_of_the_window(rng):
    a = image((6, 11), "d", rng)
    for types in ("T", "float64"):
        mean = cp.ReductionKernel(
            f"{types} x", f"{types} y", "x", "a + b", "y = a / _in_ind.size()", "0", "mean"
        )
        for options in ({"size": 3}, {"footprint": FOOT}):
            agree(ours.generic_filter(cp.asarray(a), mean, **options),
                  theirs.generic_filter(a, np.mean, **options))  # fmt: skip
        agree(mean(cp.asarray(a), axis=1), a.sum(1) / a.size)


def test_types_and_outputs(rng):
    for dtype in "?bHilfd":
        a = np.abs(image((5, 8), dtype, rng)).astype(dtype)
        agree(ours.generic_filter(cp.asarray(a), scaled, 2, extra_arguments=(1.0,)),
              theirs.generic_filter(a, scaled, 2, extra_arguments=(1.0,)))  # fmt: skip
    a = image((4, 6, 3), "d", rng)
    more = {"extra_arguments": (3.0,), "extra_keywords": {"shift": -1.0}}
    agree(ours.generic_filter(cp.asarray(a), scaled, 3, output="f4", **more),
          theirs.generic_filter(a, scaled, 3, output="f4", **more))  # fmt: skip
    x = cp.asarray(a)
    assert ours.generic_filter(x, weighted, 3, output=x) is x
    agree(x, theirs.generic_filter(a, weighted, 3))
    agree(ours.generic_filter(cp.asarray(3.0), weighted, 3), np.asarray(3.0))
    assert ours.generic_filter(cp.zeros((0, 4)), weighted, 3).shape == (0, 4)
    agree(
        ours.generic_filter(cp.asarray(a).T, weighted, 2), theirs.generic_filter(a.T, weighted, 2)
    )


@pytest.mark.parametrize("value", [cp.ones(3), cp.array(1.0), np.ones(3), [1.0, 2.0]], ids=str)
def test_further_arguments_are_constants(value):
    a, wanted = cp.ones((4, 5)), "constants of the kernel"
    with pytest.raises(TypeError, match=wanted):
        ours.generic_filter(a, scaled, 2, extra_arguments=(1.0, value))
    with pytest.raises(TypeError, match=wanted):
        ours.generic_filter(a, scaled, 2, extra_arguments=(1.0,), extra_keywords={"shift": value})
    with pytest.raises(TypeError, match=wanted):
        ours.generic_filter1d(a, differences, 3, extra_arguments=(value,))


def test_batches(rng, monkeypatch):
    monkeypatch.setattr("gpunp.scipy.ndimage._generic._LEAST_BATCH", 1)
    a = image((40, 5), "d", rng)
    agree(ours.generic_filter(cp.asarray(a), weighted, 9), theirs.generic_filter(a, weighted, 9))


@pytest.mark.parametrize("function", [differences, RAW_LINE])
def test_functions_of_lines(function, rng):
    for k, mode in enumerate(MODES):
        a = image((5, 4, 6), "ifd"[k % 3], rng)
        options = {"axis": k % 3 - 1, "origin": k % 3 - 1, "mode": mode, "cval": 3}
        agree(ours.generic_filter1d(cp.asarray(a), function, 3, **options),
              theirs.generic_filter1d(a, differences, 3, **options))  # fmt: skip
    assert ours.generic_filter1d(cp.zeros((0, 4)), function, 3).shape == (0, 4)


ARRAYS = [
    {"size": 3}, {"size": (2, 4)}, {"footprint": FOOT}, {"size": 3, "axes": 0},
    {"size": (2, 3), "axes": (1, 0), "origin": (0, 1)}, {"footprint": FOOT, "axes": (1, 0)},
    {"size": 3, "mode": "valid"}, {"size": 20}, {"size": 3, "origin": -1},
]  # fmt: skip


@pytest.mark.parametrize("options", ARRAYS, ids=str)
def test_functions_of_arrays(options, rng):
    for k, dtype in enumerate("ifdF"):
        a = image((7, 9), dtype, rng)
        more = dict(options)
        if "mode" not in more:
            more["mode"] = MODES[k]
        if more["mode"] == "constant":
            more["cval"] = 2
        for name in ("sum", "mean"):
            f, g = getattr(cp, name), getattr(np, name)
            desired = theirs.vectorized_filter(a, g, **more)
            actual = ours.vectorized_filter(cp.asarray(a), f, **more)
            assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
            np.testing.assert_allclose(actual.get(), desired, rtol=1e-5, atol=1e-3)


def test_parts_of_arrays(rng):
    a = image((7, 30), "d", rng)
    calls = [
        lambda xp: lambda x, axis: xp.sum(x, axis=axis),
        lambda xp: lambda x, axis: xp.quantile(x, xp.asarray([0.2, 0.5]), axis=axis),
        lambda xp: lambda x, axis: xp.stack([xp.sum(x, axis=axis)] * 3, axis=-1),
    ]
    for call in calls:
        for memory in (2**30, 7 * 9 * 8 * 4):
            agree(ours.vectorized_filter(cp.asarray(a), call(cp), size=3, batch_memory=memory),
                  theirs.vectorized_filter(a, call(np), size=3))  # fmt: skip
    out = cp.zeros((7, 30), "f4")
    assert ours.vectorized_filter(cp.asarray(a), cp.max, size=3, output=out) is out
    agree(out, theirs.vectorized_filter(a, np.max, size=3).astype("f4"))
    assert ours.vectorized_filter(cp.zeros((0, 4)), cp.sum, size=3).shape == (0, 4)


# Positional arguments after the function, and keywords.
WRONG_ARRAYS = [
    {}, {"size": (3, 3, 3)}, {"size": 3, "footprint": np.ones((3, 3))}, {"size": 3, "mode": "foo"},
    {"size": 3, "cval": 1}, {"size": 3, "mode": "valid", "origin": 1}, {"size": 3, "origin": 2},
    {"size": 3, "axes": (0, 0)}, {"size": 3, "axes": (0, 5)}, {"size": 0}, {"size": 2.5},
    {"size": 5, "mode": "valid"}, {"size": 3, "output": np.zeros((2, 2))}, {"footprint": np.ones(3)},
    {"size": 3, "batch_memory": 0}, {"size": 3, "batch_memory": 1}, {"size": 3, "batch_memory": "a"},
    {"size": 3, "origin": (1, 2, 3)}, {"size": 3, "cval": "a", "mode": "constant"},
]  # fmt: skip
WRONG_WINDOWS = [
    {}, {"size": (3, 3, 3)}, {"size": 3, "mode": "foo"}, {"size": 3, "origin": 2}, {"size": 0},
    {"size": 3, "axes": (0, 0)}, {"size": 2.5}, {"size": 3, "output": np.zeros((2, 2))},
    {"footprint": np.ones(3)}, {"size": 3, "mode": ["wrap", "wrap"]},
]  # fmt: skip
WRONG_LINES = [
    {"filter_size": 0}, {"filter_size": 3, "axis": 4}, {"filter_size": 3, "origin": 2},
    {"filter_size": 3, "mode": "foo"}, {"filter_size": 2.5},
]  # fmt: skip


def raises_same(name, functions, options):
    a = np.arange(12.0).reshape(3, 4)
    with pytest.raises(Exception) as caught:
        getattr(theirs, name)(a, functions[0], **options)
    given = {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    with pytest.raises(caught.type):
        getattr(ours, name)(cp.asarray(a), functions[1], **given)


@pytest.mark.parametrize("options", WRONG_ARRAYS, ids=str)
def test_errors_of_arrays(options):
    raises_same("vectorized_filter", (np.sum, cp.sum), options)


@pytest.mark.parametrize("options", WRONG_WINDOWS, ids=str)
def test_errors_of_windows(options):
    raises_same("generic_filter", (weighted, weighted), options)


@pytest.mark.parametrize("options", WRONG_LINES, ids=str)
def test_errors_of_lines(options):
    raises_same("generic_filter1d", (differences, differences), options)


def test_more_errors():
    x = cp.ones((3, 4))
    for call in (ours.generic_filter, ours.generic_filter1d):
        with pytest.raises(TypeError, match="Complex"):
            call(x * 1j, weighted, 3)
        with pytest.raises(ValueError, match="callable"):
            call(x, 3, 3)
    with pytest.raises(ValueError, match="callable"):
        ours.vectorized_filter(x, 3, size=3)
    with pytest.raises(ValueError, match="one input"):
        two = cp.ReductionKernel("T x, T z", "T y", "x + z", "a + b", "y = a", "0", "two")
        ours.generic_filter(x, two, 3)
    with warnings.catch_warnings(), pytest.raises(UserWarning, match="ignoring size"):
        warnings.simplefilter("error")
        ours.generic_filter(x, weighted, 3, np.ones((3, 3)))
