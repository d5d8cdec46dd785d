"""Functions of one array at inputs of unusual shape or value: 0-d, empty, broadcast, all NaN.

Each gives NumPy's dtype, shape and values, or raises the same type of exception. What differs on
purpose is in KNOWN, with the reason; docs/differences.md lists it.
"""

import warnings

import numpy as np
import pytest
from check import check

import gpunp as cp

NAN = np.float64(np.nan)

INPUTS = {
    "0-d": lambda xp: xp.asarray(2.5),
    "0-d int": lambda xp: xp.asarray(3),
    "0-d NaN": lambda xp: xp.asarray(NAN),
    "empty": lambda xp: xp.zeros(0),
    "empty int": lambda xp: xp.zeros(0, "i8"),
    "empty rows": lambda xp: xp.zeros((0, 3)),
    "empty columns": lambda xp: xp.zeros((3, 0), "f4"),
    "one": lambda xp: xp.ones((1, 1)),
    "broadcast": lambda xp: xp.broadcast_to(xp.asarray([1.0, 2.0, 3.0]), (3, 3)),
    "broadcast number": lambda xp: xp.broadcast_to(xp.asarray(2.0), (2, 3)),
    "broadcast columns": lambda xp: xp.broadcast_to(xp.asarray([[3.0], [1.0]]), (2, 3)),
    "NaN": lambda xp: xp.full(3, NAN),
    "NaN rows": lambda xp: xp.full((2, 3), NAN),
}

NAMES = """
    sum prod max min mean std var median ptp any all argmax argmin count_nonzero cumsum cumprod
    nansum nanprod nanmax nanmin nanmean nanstd nanvar nanmedian nancumsum nancumprod
    ravel copy squeeze transpose flip fliplr flipud atleast_1d atleast_2d atleast_3d
    sort argsort unique unique_values argwhere nonzero flatnonzero diff ediff1d gradient
    round fix trunc real imag angle isreal iscomplex nan_to_num real_if_close conj sign abs
    zeros_like ones_like diag diagflat tril triu trace diagonal roots poly vander
    hstack vstack dstack column_stack concatenate isnan isfinite signbit i0 sinc unwrap
    cov corrcoef rot90 roll_1 tile_2 repeat_2 repeat_0 append_1 delete_0 insert_0 trim_zeros
    sort_None argsort_0 sort_0 partition_0 argpartition_0 percentile_30 quantile_1 nanpercentile_30
    searchsorted_1 digitize_1 histogram histogram_bin_edges bincount pad_1 split_1 array_split_2
    hsplit_1 take_0 compress_1 cumsum_0 expand_dims_0 moveaxis_01 swapaxes_01 rollaxis_0 outer_1
    dot_self inner_self vdot_self kron_self isin_1 allclose_self array_equal_self interp_1 trapezoid
    cross_self convolve_self correlate_self matmul_self einsum_all linalg.norm fft.fft fft.rfft
    fft.fftshift broadcast_to_3 polyval_1 polyder polyint apply_over_axes_0 average select_1 choose_1
    clip_12 where_1 nanargmax nanargmin logical_not add.reduce maximum.reduce add.accumulate
    add.reduceat_0 multiply.outer_self unpackbits packbits ix_ ravel_K flatten_K astype_f4 tolist item
    block shape size ndim
"""

CALLS = {
    "roll_1": lambda xp, a: xp.roll(a, 1),
    "tile_2": lambda xp, a: xp.tile(a, 2),
    "repeat_2": lambda xp, a: xp.repeat(a, 2),
    "repeat_0": lambda xp, a: xp.repeat(a, 2, axis=0),
    "append_1": lambda xp, a: xp.append(a, 1),
    "delete_0": lambda xp, a: xp.delete(a, 0),
    "insert_0": lambda xp, a: xp.insert(a, 0, 1),
    "sort_None": lambda xp, a: xp.sort(a, None),
    "argsort_0": lambda xp, a: xp.argsort(a, 0),
    "sort_0": lambda xp, a: xp.sort(a, 0),
    "partition_0": lambda xp, a: xp.sort(xp.partition(a, 0)),
    "argpartition_0": lambda xp, a: xp.argpartition(a, 0)[..., :1],
    "percentile_30": lambda xp, a: xp.percentile(a, 30),
    "quantile_1": lambda xp, a: xp.quantile(a, [0, 0.5], axis=-1),
    "nanpercentile_30": lambda xp, a: xp.nanpercentile(a, 30),
    "searchsorted_1": lambda xp, a: xp.searchsorted(a, 1.0),
    "digitize_1": lambda xp, a: xp.digitize(a, xp.asarray([0.0, 2.0])),
    "pad_1": lambda xp, a: xp.pad(a, 1),
    "split_1": lambda xp, a: xp.split(a, 1),
    "array_split_2": lambda xp, a: xp.array_split(a, 2),
    "hsplit_1": lambda xp, a: xp.hsplit(a, 1),
    "take_0": lambda xp, a: xp.take(a, [], 0),
    "compress_1": lambda xp, a: xp.compress([], a, 0),
    "cumsum_0": lambda xp, a: xp.cumsum(a, 0),
    "expand_dims_0": lambda xp, a: xp.expand_dims(a, 0),
    "moveaxis_01": lambda xp, a: xp.moveaxis(a, 0, -1),
    "swapaxes_01": lambda xp, a: xp.swapaxes(a, 0, -1),
    "rollaxis_0": lambda xp, a: xp.rollaxis(a, -1),
    "outer_1": lambda xp, a: xp.outer(a, xp.ones(2)),
    "dot_self": lambda xp, a: xp.dot(a, a),
    "inner_self": lambda xp, a: xp.inner(a, a),
    "vdot_self": lambda xp, a: xp.vdot(a, a),
    "kron_self": lambda xp, a: xp.kron(a, a),
    "isin_1": lambda xp, a: xp.isin(a, xp.asarray([1.0])),
    "allclose_self": lambda xp, a: xp.asarray(xp.allclose(a, a)),
    "array_equal_self": lambda xp, a: xp.asarray(xp.array_equal(a, a)),
    "interp_1": lambda xp, a: xp.interp(a, xp.arange(3.0), xp.arange(3.0)),
    "cross_self": lambda xp, a: xp.cross(a, a),
    "convolve_self": lambda xp, a: xp.convolve(a, a),
    "correlate_self": lambda xp, a: xp.correlate(a, a),
    "matmul_self": lambda xp, a: xp.matmul(a, a),
    "einsum_all": lambda xp, a: xp.einsum("...->", a),
    "broadcast_to_3": lambda xp, a: xp.broadcast_to(a, (3, 3, 3)),
    "polyval_1": lambda xp, a: xp.polyval(a, xp.asarray([1.0, 2.0, 3.0])),
    "apply_over_axes_0": lambda xp, a: xp.apply_over_axes(xp.sum, a, 0),
    "select_1": lambda xp, a: xp.select([a > 1], [a]),
    "choose_1": lambda xp, a: xp.choose(a > 1, [a, a]),
    "clip_12": lambda xp, a: xp.clip(a, 1, 2),
    "where_1": lambda xp, a: xp.where(a > 1, a, 0),
    "add.reduceat_0": lambda xp, a: xp.add.reduceat(a, [0]),
    "multiply.outer_self": lambda xp, a: xp.multiply.outer(a, a),
    "ravel_K": lambda xp, a: a.ravel("K"),
    "flatten_K": lambda xp, a: a.flatten("K"),
    "astype_f4": lambda xp, a: a.astype("f4"),
    "tolist": lambda xp, a: xp.asarray(a.tolist()),
    "item": lambda xp, a: xp.asarray(a.item()),
}

SHORT = ["0-d", "empty", "empty rows", "broadcast columns", "NaN"]


def call(name):
    def plain(xp, a):
        function = xp
        for part in name.split("."):
            function = getattr(function, part)
        return function(a)

    return CALLS.get(name, plain)


# Differences on purpose, which docs/differences.md lists: (function, input), and why.
NAN_FORMS = ["0-d NaN", "NaN", "NaN rows"]
WAITS = "ValueError in NumPy: raising would wait for the device"
NUMBERS = ["0-d", "0-d int", "0-d NaN"]
KNOWN = {
    (name, form): "NumPy fails before it begins; here a number is a vector of one, or stays"
    for name in ["roots", "poly", "fft.fftshift"]
    for form in NUMBERS
} | {
    (name, form): WAITS
    for name in ["histogram", "histogram_bin_edges", "nanargmax", "nanargmin"]
    for form in NAN_FORMS
}

# Where NumPy warns and gpunp would have to look at values first, which waits for the device.
SILENT = {
    (name, form)
    for name in ["nanmax", "nanmin", "nanmean", "nanstd", "nanvar", "nanmedian", "nanpercentile_30"]
    for form in NAN_FORMS
} | {("corrcoef", "broadcast number"), ("corrcoef", "broadcast columns")}


def cases():
    for name in NAMES.split():
        for form in INPUTS:
            if (name, form) not in KNOWN:
                marks = [] if form in SHORT else [pytest.mark.slow]
                yield pytest.param(name, form, marks=marks, id=f"{name}-{form}")


@pytest.mark.parametrize("name, form", list(cases()))
def test_form(name, form):
    function, warned = call(name), {}

    def watched(xp):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(xp, INPUTS[form](xp))
        warned[xp] = any(issubclass(w.category, RuntimeWarning) for w in caught)
        return result

    check(watched, rtol=1e-12, atol=1e-12, order=False)
    theirs, ours = warned.get(np), warned.get(cp)
    assert ours == (theirs and (name, form) not in SILENT), "RuntimeWarning"
