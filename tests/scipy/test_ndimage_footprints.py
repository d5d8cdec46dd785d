"""Filters with windows of any shape, and morphology, against SciPy."""

import warnings

import cases
import numpy as np
import pytest
import scipy.ndimage as theirs
from images import MODES, compare, image

import gpunp as cp
from gpunp.scipy import ndimage as ours

REAL_DTYPES = "?bBhHiIlLfd"
FOOT = np.array([[0, 1, 1], [1, 1, 0]], bool)
WEIGHTS = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.5]])
STRUCTURE = np.array([[1, 2, 0], [3, 4, 1]])

# Calls on an image of two axes.
CALLS = {
    "correlate": [(WEIGHTS,), (np.ones((3, 3)),), (WEIGHTS[:, :2],)],
    "convolve": [(WEIGHTS,), (WEIGHTS[:1, :2],)],
    "minimum_filter": [(3,), ((1, 4),), (None, FOOT)],
    "maximum_filter": [(3,), (None, FOOT)],
    "rank_filter": [(2, 3), (-2, None, FOOT), (40, (7, 9)), (0, 3), (-1, None, FOOT)],
    "median_filter": [(3,), ((2, 5),), (None, FOOT)],
    "percentile_filter": [(30, 3), (-20, 4), (100, 3)],
    "grey_erosion": [(3,), (None, FOOT), (None, None, STRUCTURE)],
    "grey_dilation": [((2, 3),), (None, FOOT), (None, FOOT, STRUCTURE)],
    "grey_opening": [((2, 3),), (None, FOOT)],
    "grey_closing": [(3,), (None, FOOT)],
    "morphological_gradient": [(3,)],
    "morphological_laplace": [((3, 2),)],
    "white_tophat": [(3,)],
    "black_tophat": [(3,)],
}
SUBTRACT = ("morphological_gradient", "morphological_laplace")
HEIGHTS = ("grey_erosion", "grey_dilation")


# All types are computed in with one filter of each kind, and the others with --slow.
OF_ALL_TYPES = ("correlate", "grey_dilation", "maximum_filter", "rank_filter")
FILTERS = [
    pytest.param(
        name, dtype, marks=[] if dtype in "dfB" or name in OF_ALL_TYPES else pytest.mark.slow
    )
    for name in sorted(CALLS)
    for dtype in REAL_DTYPES
]


@pytest.mark.parametrize("name, dtype", FILTERS)
def test_filters(name, dtype, rng):
    if dtype == "?" and name in SUBTRACT:
        return
    a = image((9, 21), dtype, rng)
    for i, args in enumerate(CALLS[name]):
        if name in HEIGHTS and args[-1] is STRUCTURE and dtype in "?bBHIlL":
            continue  # sums leave the type, and a conversion of what does not fit is undefined in C
        compare(name, a, *args, mode=MODES[(i + ord(dtype)) % len(MODES)], cval=3.0)


@pytest.mark.parametrize(
    "shape, mode", cases.crossed([(37, 66), (1, 1), (1, 40), (150, 3), (2, 3)], MODES[:5])
)
def test_shapes(shape, mode, rng):
    a = image(shape, "d", rng)
    for name, args in [
        ("correlate", (rng.normal(size=(4, 3)),)),
        ("convolve", (rng.normal(size=(5, 2)),)),
        ("median_filter", (5,)),
        ("rank_filter", (30, 9)),
        ("maximum_filter", (None, rng.random((5, 5)) > 0.5)),
    ]:
        compare(name, a, *args, mode=mode, cval=-1.5)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (), (1,), (13,), (300,), (4, 1, 3), (2, 3, 2, 5)])
def test_dimensions(shape, rng):
    a = image(shape, "f", rng)
    n = len(shape)
    for name, args in [
        ("correlate", (rng.normal(size=(3,) * n),)),
        ("median_filter", (3,)),
        ("minimum_filter", (None, theirs.generate_binary_structure(n, 1))),
        ("rank_filter", (1, None, theirs.generate_binary_structure(n, 1))),
    ]:
        if n or name != "rank_filter":
            compare(name, a, *args)


@pytest.mark.parametrize(
    ("size", "dtype"),
    [((9, 9), "B"), ((9, 9), "f"), ((2, 40), "B"), ((40, 2), "B"), ((1, 60), "d")],
)
def test_ranks_in_large_windows(size, dtype, rng):
    """Windows that are searched two bits at a time."""
    a = image((10, 40), dtype, rng)
    if dtype != "B":
        a[3, 4], a[7, 20] = np.inf, -np.inf
    x = cp.asarray(a)
    for mode, rank in (("reflect", 31), ("constant", -1)):
        desired = theirs.rank_filter(a, rank, size, mode=mode, cval=3)
        actual = ours.rank_filter(x, rank, size, mode=mode, cval=3)
        np.testing.assert_array_equal(actual.get(), desired)


def test_medians_of_lines_and_of_planes(rng):
    a = image((400,), "B", rng)
    desired = theirs.median_filter(a, 67)
    np.testing.assert_array_equal(ours.median_filter(cp.asarray(a), 67).get(), desired)
    a = a.reshape(2, 5, 40)
    desired = theirs.median_filter(a, (1, 9, 9))
    np.testing.assert_array_equal(ours.median_filter(cp.asarray(a), (1, 9, 9)).get(), desired)


@pytest.mark.parametrize("axes", [0, 1, (0, 2), (1, 2), (2,), (0, 1, 2), (2, 0)])
def test_axes(axes, rng):
    a = image((5, 6, 7), "d", rng)
    n = len(np.atleast_1d(axes))
    window = rng.normal(size=(3, 2, 4)[:n])
    compare("correlate", a, window, axes=axes)
    compare("convolve", a, window, axes=axes)
    compare("median_filter", a, (3, 2, 1)[:n], axes=axes)
    compare("maximum_filter", a, (3, 2, 1)[:n], axes=axes)
    compare("minimum_filter", a, None, window > np.median(window) - 0.1, axes=axes)
    compare("binary_erosion", a > 0, axes=axes)
    compare("grey_dilation", a, (3, 2, 1)[:n], axes=axes)


@pytest.mark.parametrize("name", ["correlate", "convolve", "median_filter", "grey_dilation"])
def test_origins(name, rng):
    a = image((6, 11), "d", rng)
    for size, origins in [((3, 4), [(-1, -2), (1, 1), (0, -1)]), ((1, 2), [(0, -1), 0])]:
        argument = size if "_" in name else rng.normal(size=size)
        for origin in origins:
            compare(name, a, argument, origin=origin)


def test_more_axes_than_a_window_has(rng):
    a = image((2, 1, 3, 1, 2, 1, 2, 1, 3, 4), "d", rng)
    compare("correlate", a, rng.normal(size=(2, 3)), axes=(0, 9))
    with pytest.raises(RuntimeError, match="8 axes at most"):
        ours.median_filter(cp.ones((2,) * 10), 2)


def test_complex_weights(rng):
    w = rng.normal(size=(3, 2)) + 1j
    for dtype in "dDfF":
        for name in ("correlate", "convolve"):
            compare(name, image((5, 6), dtype, rng), w, mode="constant", cval=2.0)


def test_weights_and_footprints_of_the_device(rng):
    a, w = image((9, 8), "d", rng), rng.normal(size=(3, 4))
    x = cp.asarray(a)
    actual = ours.convolve(x, cp.asarray(w.T).T)
    np.testing.assert_allclose(actual.get(), theirs.convolve(a, w), atol=1e-9)
    for name in ("minimum_filter", "median_filter", "grey_dilation"):
        actual = getattr(ours, name)(x, footprint=cp.asarray(w > 0))
        np.testing.assert_array_equal(actual.get(), getattr(theirs, name)(a, footprint=w > 0))
    actual = ours.grey_erosion(x, structure=cp.asarray(w))
    np.testing.assert_array_equal(actual.get(), theirs.grey_erosion(a, structure=w))


def test_tiny_weights_are_left_out():
    a = np.array([np.inf, 1e20, 1.0])
    np.testing.assert_array_equal(
        ours.correlate(cp.asarray(a), [1e-17, 1, 0]).get(), theirs.correlate(a, [1e-17, 1, 0])
    )


def test_nan_is_the_greatest():
    a = cp.array([3.0, np.nan, 1.0, 2.0, np.inf])
    np.testing.assert_array_equal(ours.median_filter(a, 3).get(), [3, 3, 2, 2, np.inf])


@pytest.mark.parametrize("cval", [2.5, -7, 300])
def test_constants_that_are_no_elements(cval, rng):
    a = rng.integers(0, 9, (5, 6)).astype("b")
    compare("median_filter", a, 4, mode="constant", cval=cval)


def test_overlap_and_layout(rng):
    a = rng.normal(size=(8, 12))
    x = cp.asarray(a)
    ours.median_filter(x[:, :10], 3, output=x[:, 2:])
    desired = a.copy()
    theirs.median_filter(a[:, :10], 3, output=desired[:, 2:])
    np.testing.assert_array_equal(x.get(), desired)
    for view in (np.asfortranarray(a), a[::-1, ::2], np.broadcast_to(a[0], (4, 12))):
        given = cp.asarray(np.ascontiguousarray(view))
        np.testing.assert_allclose(
            ours.correlate(given.T, WEIGHTS).get(), theirs.correlate(view.T, WEIGHTS), atol=1e-12
        )


# ---- binary images -------------------------------------------------------------------------------

BINARY = {
    "binary_erosion": [
        (),
        (np.ones((2, 3)),),
        (None, 3),
        (FOOT, 2, "mask"),
        (None, 1, None, None, 1),
    ],
    "binary_dilation": [(), (np.ones((2, 3)),), (None, 3), (FOOT, -1, "mask"), (FOOT, 2)],
    "binary_opening": [(), (FOOT, 2)],
    "binary_closing": [(), (FOOT, 2), (np.ones((3, 3)), 1, None, 0, "mask")],
    "binary_hit_or_miss": [(), (FOOT,), (FOOT, ~FOOT), (np.eye(3), np.eye(2), None, 0, -1)],
    "binary_propagation": [(None, "mask"), (FOOT, "mask", None, 1)],
    "binary_fill_holes": [(), (np.ones((3, 3)),)],
}


@pytest.mark.parametrize("density", [0.3, 0.7, 0.95])
@pytest.mark.parametrize("name", sorted(BINARY))
def test_binary(name, density, rng):
    a, mask = rng.random((23, 31)) < density, rng.random((23, 31)) < 0.8
    for args in BINARY[name]:
        host = [mask if isinstance(x, str) else x for x in args]
        device = [cp.asarray(mask) if isinstance(x, str) else x for x in args]
        actual = getattr(ours, name)(cp.asarray(a), *device)
        desired = getattr(theirs, name)(a, *host)
        assert actual.dtype == desired.dtype == bool
        np.testing.assert_array_equal(actual.get(), desired)


@pytest.mark.parametrize("origin", [0, -1, (0, 1), (1, -1)])
@pytest.mark.parametrize("name", ["binary_erosion", "binary_dilation", "binary_closing"])
def test_origins_of_structures(name, origin, rng):
    a = rng.random((9, 11)) < 0.6
    if origin != (1, -1):  # SciPy steps out of an even structure there
        compare(name, a, None, 2, origin=origin)
    compare(name, a, np.ones((3, 3)), 1, origin=origin)


def test_outputs_of_binary_filters(rng):
    a = rng.random((6, 7)) < 0.7
    for name in ("binary_erosion", "binary_opening", "binary_hit_or_miss", "binary_fill_holes"):
        out = cp.zeros((6, 7), "f")
        assert getattr(ours, name)(cp.asarray(a), output=out) is out or name != "binary_erosion"
        np.testing.assert_array_equal(out.get(), getattr(theirs, name)(a))
        assert getattr(ours, name)(cp.asarray(a), output="u1").dtype == bool


@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (50,), (3, 4, 5)])
def test_binary_dimensions(shape, rng):
    a = rng.random(shape) < 0.7
    for name in ("binary_erosion", "binary_dilation", "binary_fill_holes"):
        compare(name, np.asarray(a))


def test_structures():
    for rank in range(4):
        for connectivity in range(5):
            np.testing.assert_array_equal(
                ours.generate_binary_structure(rank, connectivity).get(),
                theirs.generate_binary_structure(rank, connectivity),
            )
    for n in range(4):
        for s in (FOOT, theirs.generate_binary_structure(2, 1)):
            actual, origin = ours.iterate_structure(s, n, 1) if n > 1 else (None, None)
            desired = theirs.iterate_structure(s, n)
            np.testing.assert_array_equal(ours.iterate_structure(s, n).get(), desired)
            if n > 1:
                np.testing.assert_array_equal(actual.get(), desired)
                assert origin == theirs.iterate_structure(s, n, 1)[1]


# ---- errors --------------------------------------------------------------------------------------

WRONG = [
    ("correlate", (np.ones(3),), {}),
    ("correlate", (None,), {}),
    ("convolve", (None,), {}),
    ("convolve", (object(),), {}),
    ("convolve", ([["a", "b"]],), {}),
    ("correlate", (np.ones((0, 3)),), {}),
    ("correlate", (np.ones((2, 3)),), {"origin": 2}),
    ("correlate", (np.ones((3, 3)),), {"mode": ["wrap", "nearest"]}),
    ("correlate", (np.ones((3, 3)),), {"mode": "no"}),
    ("correlate", (np.ones((3, 3)),), {"axes": 1}),
    ("correlate", (np.ones((3, 3)),), {"output": np.zeros((2, 2))}),
    ("minimum_filter", (), {}),
    ("minimum_filter", (), {"footprint": np.zeros((3, 3))}),
    ("minimum_filter", (), {"footprint": np.ones(3)}),
    ("minimum_filter", ((3,),), {}),
    ("minimum_filter", (3,), {"origin": 2}),
    ("minimum_filter", (3,), {"axes": (0, 0)}),
    ("minimum_filter", (3,), {"axes": 2}),
    ("minimum_filter", (3,), {"axes": -3}),
    ("minimum_filter", (3,), {"axes": 2**63}),
    ("minimum_filter", (), {"footprint": FOOT, "mode": ["wrap", "nearest"]}),
    ("rank_filter", (9, 3), {}),
    ("rank_filter", (-10, 3), {}),
    ("rank_filter", (1.5, 3), {}),
    ("rank_filter", (1,), {}),
    ("rank_filter", (0,), {"footprint": np.zeros((3, 3))}),
    ("rank_filter", (3, 3), {"mode": ["wrap", "nearest"]}),
    ("percentile_filter", (101, 3), {}),
    ("percentile_filter", (-101, 3), {}),
    ("grey_erosion", (), {}),
    ("binary_erosion", (np.ones(3),), {}),
    ("binary_erosion", (np.ones((0, 3)),), {}),
    ("binary_erosion", (), {"iterations": 1.5}),
    ("binary_erosion", (), {"mask": np.ones((2, 2))}),
    ("binary_erosion", (), {"border_value": "x"}),
    ("binary_erosion", (), {"output": np.zeros((3, 4), complex)}),
    ("correlate", (np.ones((3, 3)) + 1j,), {"cval": 1j}),
    ("convolve", (np.ones((3, 3)) + 1j,), {"cval": 1j, "mode": "constant"}),
    ("correlate1d", (np.ones(3) + 1j,), {"cval": 1j}),
    ("convolve1d", (np.ones(3) + 1j,), {"cval": 1j, "mode": "constant"}),
]


@pytest.mark.parametrize("name, args, kwargs", WRONG)
def test_errors(name, args, kwargs):
    a = np.arange(12.0).reshape(3, 4)
    with pytest.raises(Exception) as desired:
        getattr(theirs, name)(a, *args, **kwargs)
    given = {k: cp.asarray(v) if k in ("mask", "output") else v for k, v in kwargs.items()}
    with pytest.raises(desired.type):
        getattr(ours, name)(cp.asarray(a), *args, **given)


@pytest.mark.parametrize("name", ["median_filter", "maximum_filter", "grey_erosion"])
def test_complex_images_have_no_order(name):
    with pytest.raises(TypeError, match="Complex"):
        getattr(ours, name)(cp.ones((3, 4), complex), 3)
    with pytest.raises(TypeError, match="Complex"):
        ours.binary_erosion(cp.ones((3, 4), complex))


def test_a_size_beside_a_footprint():
    with pytest.warns(UserWarning, match="ignoring size"):
        ours.minimum_filter(cp.ones((3, 3)), 3, FOOT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.minimum_filter(cp.ones((3, 3)), None, FOOT)


# SciPy takes what belongs to a footprint in the image's order, whatever the order of the axes.
@pytest.mark.parametrize("origin", [(0, 1), (-1, 0), (-1, 1), (0, -1)])
@pytest.mark.parametrize("name", sorted(CALLS))
def test_origins_of_axes_in_another_order(name, origin, rng):
    a = image((9, 11), "d", rng)
    for args in CALLS[name]:
        shape = next((np.shape(x) for x in args if np.ndim(x) == 2), None)
        if shape == (2, 3):
            compare(name, a, *args, axes=(1, 0), origin=origin)


WEIGHTS = np.arange(6.0).reshape(2, 3) - 2
FILTERS = [
    ("correlate", (WEIGHTS,)),
    ("convolve", (WEIGHTS,)),
    ("median_filter", ((2, 3),)),
    ("maximum_filter", (None, WEIGHTS > 0)),
    ("rank_filter", (0, None, WEIGHTS > 0)),
    ("rank_filter", (1, None, WEIGHTS > 0)),
    ("grey_dilation", (None, None, WEIGHTS)),
    ("binary_dilation", (WEIGHTS > 0,)),
]


# Of fewer axes than the image has, an origin belongs to the axis that is named in its place.
@pytest.mark.parametrize("origin", [(0, 0), (-1, 0)])
@pytest.mark.parametrize("axes", [(2, 0), (-1, 1), (0, 1)])
@pytest.mark.parametrize("name, args", FILTERS)
def test_origins_of_some_axes_in_another_order(name, args, axes, origin, rng):
    compare(name, image((4, 5, 6), "d", rng), *args, axes=axes, origin=origin)


@pytest.mark.parametrize("name", ["minimum_filter", "rank_filter", "grey_erosion", "grey_dilation"])
def test_boxes_over_axes_in_another_order(name, rng):
    a = image((9, 11), "d", rng)
    first = [0] if name == "rank_filter" else []
    for origin in (0, (0, -1)):
        compare(name, a, *first, (2, 3), axes=(1, 0), origin=origin)
        compare(name, a, *first, None, np.ones((2, 3)), axes=(1, 0), origin=origin)


def test_no_axes(rng):
    a = image((4, 5), "d", rng)
    for name, args in [("median_filter", (3,)), ("rank_filter", (0, 3)), ("minimum_filter", (3,))]:
        compare(name, a, *args, axes=())
    with pytest.raises(RuntimeError, match="rank"):
        ours.rank_filter(cp.asarray(a), 2, 3, axes=())


@pytest.mark.parametrize(
    "name", ["white_tophat", "black_tophat", "morphological_gradient", "morphological_laplace"]
)
def test_outputs_of_another_shape(name):
    for out in (np.zeros((2, 2)), np.zeros((1, 4))):
        with pytest.raises(RuntimeError, match="shape"):
            getattr(theirs, name)(np.ones((3, 4)), 3, output=out)
        with pytest.raises(RuntimeError, match="shape"):
            getattr(ours, name)(cp.ones((3, 4)), 3, output=cp.asarray(out))


def test_holes_of_complex_images(rng):
    a = (rng.random((9, 11)) > 0.4) * (1 + 2j)
    found = ours.binary_fill_holes(cp.asarray(a))
    np.testing.assert_array_equal(found.get(), theirs.binary_fill_holes(a))


@pytest.mark.parametrize("name", ["white_tophat", "black_tophat"])
def test_tophats_of_another_type(name, rng):
    a = image((7, 9), "d", rng)
    compare(name, a, 3, output="f4")
    for output in ("i4", bool):
        with pytest.raises(TypeError):
            getattr(theirs, name)(a, 3, output=output)
        with pytest.raises(TypeError):
            getattr(ours, name)(cp.asarray(a), 3, output=output)


COMPLEX_OUTPUTS = [
    *((name, args) for name, calls in CALLS.items() for args in calls[:1] if name not in SUBTRACT),
    ("gaussian_filter", (1,)), ("uniform_filter", (3,)), ("sobel", ()), ("minimum_filter1d", (3,)),
    ("binary_erosion", ()), ("binary_fill_holes", ()), ("binary_hit_or_miss", ()),
]  # fmt: skip


@pytest.mark.parametrize("name, args", COMPLEX_OUTPUTS, ids=lambda x: x if type(x) is str else "")
def test_complex_outputs_of_real_images(name, args):
    out = np.zeros((5, 6), complex)
    with pytest.raises(Exception) as caught:
        getattr(theirs, name)(np.ones((5, 6)), *args, output=out)
    with pytest.raises(caught.type):
        getattr(ours, name)(cp.ones((5, 6)), *args, output=cp.asarray(out))


@pytest.mark.parametrize("name", ["minimum_filter", "maximum_filter", "grey_erosion"])
def test_full_footprints_of_the_device_take_a_mode_for_each_axis(name, rng):
    a = rng.integers(0, 99, (6, 7))
    modes = ["reflect", "constant"]
    want = getattr(theirs, name)(a, footprint=np.ones((2, 3)), mode=modes)
    got = getattr(ours, name)(cp.asarray(a), footprint=cp.ones((2, 3)), mode=modes)
    np.testing.assert_array_equal(got.get(), want)
    with pytest.raises(RuntimeError, match="sequence of modes"):
        getattr(ours, name)(cp.asarray(a), footprint=cp.eye(3), mode=modes)
