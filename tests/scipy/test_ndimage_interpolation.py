"""Splines against SciPy: coefficients, places inside and outside, maps, types, layouts, errors."""

import itertools
import math
import sys
import warnings

import numpy as np
import pytest
import scipy.ndimage as theirs

import gpunp as cp
from gpunp import jit
from gpunp.scipy import ndimage as ours

# 'grid-mirror' is another name of 'reflect'.
MODES = ["reflect", "constant", "grid-constant", "nearest", "mirror", "grid-wrap", "wrap"]


def compare(name, a, *args, given=cp.asarray, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        desired = getattr(theirs, name)(a, *args, **kwargs)
        actual = getattr(ours, name)(given(a), *args, **kwargs)
    assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
    if desired.dtype.kind in "fc":
        eps = 3e-6 if desired.dtype.char in "fF" and a.dtype.char in "fF" else 2e-12
        limit = eps * np.abs(a.astype(complex)).max(initial=1e-30) * 4
        np.testing.assert_allclose(actual.get(), desired, rtol=eps, atol=limit)
    else:
        np.testing.assert_array_equal(actual.get(), desired)


# ---- coefficients --------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_coefficients(order, rng):
    """Lines that are longer and shorter than what a warp computes at once."""
    for shape, axis in [((300,), 0), ((3, 470), -1), ((470, 3), 0), ((2, 50, 35), 1)]:
        a = rng.normal(size=shape)
        for mode in MODES:
            compare("spline_filter1d", a, order, axis, mode=mode)
    compare("spline_filter", rng.normal(size=(40, 50)).astype("f"), order)
    compare("spline_filter", rng.normal(size=(40, 50)) + 1j, order)


@pytest.mark.parametrize("mode", ["mirror", "grid-wrap"])
@pytest.mark.parametrize("length", [1, 2, 3, 9, 31, 63, 64, 65, 97])
def test_coefficients_of_short_lines(mode, length, rng):
    for order in (3, 5):
        compare("spline_filter1d", rng.normal(size=(length, 2)), order, 0, mode=mode)
        compare("spline_filter1d", rng.normal(size=(33, length)), order, 1, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_splines_pass_through_the_elements(mode, order, rng):
    """Also where SciPy's coefficients of short lines in mode 'reflect' are not exact."""
    for n in (1, 2, 3, 7):
        a = rng.normal(size=(n, 40))
        given = np.indices(a.shape).astype(float)
        actual = ours.map_coordinates(cp.asarray(a), given.tolist(), order=order, mode=mode)
        # The padding of two modes reaches 12 elements, as SciPy's does.
        limit = 2e-4 if mode in ("nearest", "grid-constant") else 1e-13
        np.testing.assert_allclose(actual.get(), a, atol=limit)


def test_outputs_of_coefficients(rng):
    a = rng.normal(size=(40, 41)) * 60
    for dtype in ("f4", "f8", "i1", "u1", "i4"):
        compare("spline_filter1d", a, output=np.dtype(dtype))
        compare("spline_filter1d", a.astype(dtype), 1, output=np.dtype(dtype))
    out, desired = cp.zeros((41, 40)).T, np.zeros((40, 41))
    assert ours.spline_filter(cp.asarray(a), output=out) is out
    theirs.spline_filter(a, output=desired)
    np.testing.assert_allclose(out.get(), desired, atol=1e-10)


# ---- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_places(order, mode, rng):
    """Whole and half numbers decide between neighbours, and between inside and outside."""
    for shape in [(60,), (40, 45), (1, 45), (41, 40, 42)][: 4 if order in (1, 3) else 3]:
        a = rng.normal(size=shape)
        places = rng.uniform(-100, 150, size=(len(shape), 400))
        places[:, :200] = np.round(rng.uniform(-5, 65, size=(len(shape), 200)) * 2) / 2
        for prefilter in (True, False):
            if 1 in shape and mode == "reflect" and prefilter:
                continue  # test_splines_pass_through_the_elements
            k = {"order": order, "mode": mode, "cval": 2.5, "prefilter": prefilter}
            desired = theirs.map_coordinates(a, places, **k)
            actual = ours.map_coordinates(cp.asarray(a), cp.asarray(places), **k)
            np.testing.assert_allclose(actual.get(), desired, atol=2e-11)


def test_types_of_coordinates(rng):
    a = rng.normal(size=(9, 8))
    places = rng.integers(-1, 9, (2, 5, 6))
    for dtype in ("i1", "u2", "i8", "f4", "f8"):
        given = cp.asarray(np.abs(places).astype(dtype))
        desired = theirs.map_coordinates(a, np.abs(places), order=1)
        np.testing.assert_allclose(
            ours.map_coordinates(cp.asarray(a), given, order=1).get(), desired
        )
        actual = ours.map_coordinates(cp.asarray(a), given.transpose(0, 2, 1), order=1)
        np.testing.assert_allclose(actual.get(), desired.T)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "u1"])
def test_coordinates_in_float32_give_what_their_copies_in_float64_give(rng, dtype):
    """Linear splines take them as they are: the same bits within, at the ends and beyond them."""
    a = cp.asarray((rng.random((9, 8, 7)) * 99).astype(dtype))
    places = rng.uniform(-2, 10, (3, 3000)).astype("f4")
    places[:, :60] = np.nextafter(np.float32(8), np.float32(rng.choice([0, 9], (3, 60))))
    places[:, 60:90] = rng.integers(-2, 10, (3, 30))
    places[:, 90:99] = [[np.nan, np.inf, -np.inf, -0.0, 1e30, -1e30, 2.0**22, 2.0**23, 1e-40]] * 3
    for mode in MODES:
        narrow = ours.map_coordinates(a, cp.asarray(places), order=1, mode=mode)
        wide = ours.map_coordinates(a, cp.asarray(places.astype("f8")), order=1, mode=mode)
        assert narrow.tobytes() == wide.tobytes()


def test_special_coordinates():
    a = cp.arange(5.0) + 1
    places = [[np.nan, np.inf, -np.inf, 1e300, -1e18]]
    for mode in MODES:
        for order in (0, 1, 3):
            actual = ours.map_coordinates(a, places, order=order, mode=mode, cval=7.0).get()
            if mode == "nearest":
                desired = [np.nan, 5, 1, 5, 1]
            elif mode == "grid-constant":
                desired = [np.nan, 7, 7, 7, 7]
            else:
                desired = [7] * 5
            np.testing.assert_allclose(actual, desired, atol=1e-4)


@pytest.mark.parametrize("mode", ["constant", "mirror", "nearest", "grid-wrap"])
def test_constant_that_is_not_finite(mode, rng):
    """NaN stands outside alone: the coefficients of a spline are of the elements."""
    for shape in [(5, 6), (70, 3)]:
        a = rng.normal(size=shape)
        for cval in (np.nan, np.inf):
            compare("shift", a, 1.3, mode=mode, cval=cval)
            compare("rotate", a, 30, mode=mode, cval=cval)


def test_constants_of_any_value(rng):
    a = rng.normal(size=(12, 13))
    for cval in (np.nan, np.inf, -3, True):
        for mode, order in itertools.product(("constant", "grid-constant"), (0, 1)):
            compare("shift", a, (1.5, -2.0), order=order, mode=mode, cval=cval)
    compare("shift", a + 1j, 1.5, cval=2 - 3j)
    compare("shift", a + 1j, 1.5, cval=2 - 3j, mode="grid-constant")


# ---- maps ----------------------------------------------------------------------------------------

MAPS = [
    ("shift", (1.3,)),
    ("shift", ((-2, 0),)),
    ("zoom", (1.7,)),
    ("zoom", ((0.4, 1),)),
    ("zoom", (0.01,)),
    ("rotate", (30,)),
    ("rotate", (-90, (-1, 0), False)),
    ("affine_transform", ([[0.9, 0.3], [-0.2, 1.1]], (3, -1.5))),
    ("affine_transform", ([1.2, 0.7], (2, 1), (21, 70))),
    ("affine_transform", ([[1, 0, 0], [0, 1.1, 3], [0, 0, 1]],)),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1, 3])
def test_maps_of_planes(order, mode, rng):
    a = rng.normal(size=(41, 57))
    for name, args in MAPS:
        compare(name, a, *args, order=order, mode=mode, cval=2.5)
    for factor in (1.7, 0.3, (1, 2)):
        compare("zoom", a, factor, order=order, mode=mode, grid_mode=True)


@pytest.mark.parametrize("angle", [0, 90, 180, 270, -360, 45, 1e5, 33.3])
def test_angles(angle, rng):
    a = rng.normal(size=(20, 21))
    compare("rotate", a, angle, order=1)
    compare("rotate", a, angle, order=1, reshape=False, mode="mirror")
    compare("rotate", a, angle, axes=(0, 1), order=0)


def test_maps_of_volumes(rng):
    a = rng.normal(size=(40, 42, 41))
    m = np.eye(3) + rng.normal(size=(3, 3)) / 5
    for mode in ("mirror", "grid-constant"):
        for args in [
            (m, (1, 2, 3)),
            ([0.5, 1, 1], 1.5),
            (m[:, :2], 1, (30, 31)),
            (m[:, 2:], 0, (9,)),
        ]:
            compare("affine_transform", a, *args, order=1, mode=mode)
        compare("zoom", a, (0.5, 0.7, 1.1), mode=mode, cval=0)
        compare("zoom", a, 0.4, mode=mode, cval=0.5, order=3)
        compare("shift", a, (0.5, 1, 1.5), mode=mode)
        compare("rotate", a, 30, axes=(0, 2), mode=mode)
    compare("affine_transform", a[0], rng.normal(size=(2, 4)), output_shape=(5, 6, 3, 8), order=1)


def test_images_of_colours(rng):
    """Axes along which nothing changes lie first, in the middle and last."""
    a = rng.normal(size=(40, 57, 3)).astype("f")
    compare("rotate", a, 33)
    compare("zoom", a, (2, 1.5, 1))
    compare("affine_transform", a, np.diag([1.1, 0.9, 1]))
    compare("shift", a, (0, 1.5, 0), order=1)
    compare("rotate", a.transpose(2, 0, 1), 33, axes=(1, 2), order=1)
    compare("rotate", a.transpose(0, 2, 1), 33, axes=(2, 0), order=1)
    compare("shift", a, 0, order=3)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_empty(shape):
    a = np.zeros(shape)
    for name, argument in [("shift", 1.5), ("zoom", 2), ("spline_filter1d", 3)]:
        compare(name, a, argument)
    places = [[1.0, 2.0]] * len(shape)
    compare("map_coordinates", a, places, cval=3.0)
    compare("map_coordinates", np.ones((3, 4)), [[], []])
    compare("zoom", np.ones((3, 4)), 0)


def test_matrices_of_the_device(rng):
    a = rng.normal(size=(41, 43))
    m = np.eye(2) + rng.normal(size=(2, 3))[:, :2] / 5
    for matrix, offset in [
        (m, 3),
        (m, [1, 2]),
        ([0.5, 2], 1),
        (np.c_[m, [1, 2]], 0),
        ([0, 1.0], 3),
    ]:
        k = {"order": 1, "mode": "mirror"}
        if not np.any(np.array(matrix) == 0):
            desired = theirs.affine_transform(a, matrix, offset, **k)
        else:
            desired = theirs.affine_transform(a, np.diag(matrix), offset, **k)
        for given in (cp.asarray(matrix), matrix):
            for o in (cp.asarray(offset), offset):
                actual = ours.affine_transform(cp.asarray(a), given, o, **k)
                np.testing.assert_allclose(actual.get(), desired, atol=1e-12)
    whole = cp.asarray(np.vstack([np.c_[m, [1, 2]], [0, 0, 1]]))
    actual = ours.affine_transform(cp.asarray(a), whole, order=1, mode="mirror")
    desired = theirs.affine_transform(a, m, [1, 2], order=1, mode="mirror")
    np.testing.assert_allclose(actual.get(), desired, atol=1e-12)


# ---- functions of the index ----------------------------------------------------------------------


def wave(o, height, *, length=7.0):
    if o[1] > 20:
        return o[0] + height, o[1] * 0.9
    return o[0] + height * math.sin(o[1] / length), o[1] - 0.5


@pytest.mark.parametrize("order", [0, 1, 3])
def test_functions_of_the_index(order, rng):
    a = rng.normal(size=(41, 45))
    for mode in ("constant", "mirror"):
        k = {"order": order, "mode": mode}
        compare("geometric_transform", a, lambda o: (o[0] - 0.5, o[1] * 1.25), **k)
        compare("geometric_transform", a, wave, extra_arguments=(1.5,), **k)
        compare(
            "geometric_transform", a, wave, (30, 31), np.float32,
            extra_arguments=(2.5,), extra_keywords={"length": 3.0}, **k,
        )  # fmt: skip
    compare("geometric_transform", a, lambda o: (o[0] / 2, 3), (50,), order=order)
    compare("geometric_transform", a, lambda o: (o[0] / 2, o[2] + o[1]), (5, 6, 7), order=order)


def test_functions_of_the_index_in_slabs(rng, monkeypatch):
    monkeypatch.setattr(sys.modules[ours.shift.__module__], "SLAB", 100)
    a = rng.normal(size=(41, 45))
    compare("geometric_transform", a, lambda o: (o[1] * 0.9, o[0]), (47, 40), order=1)
    compare("geometric_transform", a[0], lambda o: (o[0] / 9,), (370,), order=1)


def test_functions_of_the_index_that_are_refused():
    a = cp.ones((3, 4))
    with pytest.raises(ValueError, match="callable"):
        ours.geometric_transform(a, 3)
    with pytest.raises(TypeError, match="2 coordinates"):
        ours.geometric_transform(a, lambda o: (o[0],))
    with pytest.raises(NotImplementedError):
        ours.geometric_transform(a, lambda o: tuple(x + 1 for x in o))
    actual = ours.geometric_transform(a, jit.rawkernel(device=True)(wave), extra_arguments=(0.0,))
    assert actual.shape == (3, 4)


# ---- types and layouts ---------------------------------------------------------------------------


SLOW = [pytest.param(c, marks=pytest.mark.slow) for c in "bHilI"]


@pytest.mark.parametrize("dtype", [*"BhLfdFD", *SLOW])
def test_types(dtype, rng):
    a = (np.abs(rng.normal(size=(20, 30))) * 90).clip(0, 120).astype(dtype)
    a = a * a.dtype.type(1 + 2j) if a.dtype.kind == "c" else a
    for order in (0, 1, 3):
        compare("rotate", a, 17, order=order)


def test_bool(rng):
    """Fractions are cut off, but for rounding errors, which decide in SciPy."""
    a = np.ones((30, 30), bool)
    a[:, 20:] = False
    actual = ours.shift(cp.asarray(a), (0.25, 0.25), order=1).get()
    assert actual.dtype == bool and actual[1:, 1:20].all() and not actual[:, 20:].any()
    compare("zoom", a, 1.5, order=0)


@pytest.mark.parametrize("output", "bBhHiIlL")
def test_integer_outputs_are_rounded_and_saturate(output):
    a = np.array(
        [-300.5, -2.5, -0.5, 0, 0.4, 0.5, 1.5, 2.5, 254.6, 300, 7e4, 1e10, np.inf, -np.inf]
    )
    a = a[:-2] if output == "L" else a
    for order in (0, 1):
        compare("map_coordinates", a, [list(range(len(a)))], np.dtype(output), order)


def test_small_floats(rng):
    a = rng.normal(size=(20, 30)).astype("f4")
    for dtype in ("float16", "bfloat16"):
        given = cp.asarray(a).astype(dtype)
        actual = ours.rotate(given, 20)
        assert actual.dtype == given.dtype
        desired = theirs.rotate(given.astype("f4").get(), 20)
        np.testing.assert_allclose(actual.astype("f4").get(), desired, atol=0.03)


def test_outputs(rng):
    a = rng.normal(size=(12, 13))
    b = cp.asarray(a)
    for name, args in [("shift", (1.5,)), ("rotate", (30, (1, 0), False)), ("zoom", (1,))]:
        desired = getattr(theirs, name)(a, *args, order=1)
        for out in (cp.zeros((12, 13)), cp.zeros((13, 12)).T, cp.zeros((24, 13))[::-2]):
            assert getattr(ours, name)(b, *args, order=1, output=out) is out
            np.testing.assert_allclose(out.get(), desired, atol=1e-13)
    inside = cp.asarray(np.arange(20.0))
    ours.shift(inside[:-2], 1, output=inside[2:], order=1)
    np.testing.assert_allclose(inside.get()[2:], theirs.shift(np.arange(18.0), 1, order=1))
    actual = ours.affine_transform(b, [1, 1], output=cp.zeros((5, 20)), order=1)
    np.testing.assert_allclose(actual.get()[:5, :13], a[:5])


LAYOUTS = [lambda a: a.T, lambda a: a[::-1, ::-2], lambda a: a[:, 1:], lambda a: a[:1] + 0 * a]


@pytest.mark.parametrize("view", LAYOUTS)
def test_layouts(view, rng):
    a = rng.normal(size=(40, 42))
    compare("zoom", view(a), 1.3, given=lambda _: view(cp.asarray(a)))
    compare("shift", view(a), 1.3, order=1, given=lambda _: view(cp.asarray(a)))


# ---- errors --------------------------------------------------------------------------------------

A = np.arange(12.0).reshape(3, 4)
WRONG = [
    lambda xp, a: xp.shift(a, (1, 2, 3)),
    lambda xp, a: xp.shift(a, 1, order=6),
    lambda xp, a: xp.shift(a, 1, order=-1),
    lambda xp, a: xp.shift(a, 1, order=1.5),
    lambda xp, a: xp.shift(a, 1, mode="other"),
    lambda xp, a: xp.shift(a, 1, cval=1j),
    lambda xp, a: xp.shift(a[0, 0], 1),
    lambda xp, a: xp.shift(a, 1, output=xp.shift(a, 1)[1:]),
    lambda xp, a: xp.shift(a * 1j, 1, output=xp.shift(a, 1)),
    lambda xp, a: xp.rotate(a[0], 1),
    lambda xp, a: xp.rotate(a, 1, axes=(0, 2)),
    lambda xp, a: xp.rotate(a, 1, axes=(0,)),
    lambda xp, a: xp.rotate(a, 1, axes=(0, 1.5)),
    lambda xp, a: xp.affine_transform(a, [1, 2, 3]),
    lambda xp, a: xp.affine_transform(a, np.ones((3, 3))),
    lambda xp, a: xp.affine_transform(a, np.ones((2, 2, 2))),
    lambda xp, a: xp.affine_transform(a, 3.0),
    lambda xp, a: xp.affine_transform(a, np.eye(2), offset=[1, 2, 3]),
    lambda xp, a: xp.affine_transform(a, np.eye(2), output_shape=(2, 3, 4)),
    lambda xp, a: xp.affine_transform(a, np.eye(2), output_shape=5),
    lambda xp, a: xp.map_coordinates(a, [[1.0, 2.0]]),
    lambda xp, a: xp.map_coordinates(a, [1.0, 2.0]),
    lambda xp, a: xp.map_coordinates(a, [[1.0, 2.0], [1j, 3]]),
    lambda xp, a: xp.zoom(a, (2,)),
    lambda xp, a: xp.zoom(a, -1),
    lambda xp, a: xp.zoom(a, float("nan")),
    lambda xp, a: xp.zoom(a, 2, output=xp.shift(a, 1)),
    lambda xp, a: xp.spline_filter(a, 1),
    lambda xp, a: xp.spline_filter1d(a, 6),
    lambda xp, a: xp.spline_filter1d(a, axis=2),
    lambda xp, a: xp.spline_filter1d(a, mode="other"),
    lambda xp, a: xp.spline_filter1d(a[0, 0]),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_errors(case):
    with pytest.raises(Exception) as desired:
        WRONG[case](theirs, A)
    with pytest.raises(desired.type):
        WRONG[case](ours, cp.asarray(A))


@pytest.mark.parametrize("mode", ["constant", "wrap"])
def test_warnings(mode):
    with pytest.warns(UserWarning, match=f"grid-{mode}"):
        ours.zoom(cp.asarray(A), 2, mode=mode, grid_mode=True)
    with pytest.warns(UserWarning, match="complex"):
        ours.shift(cp.asarray(A) * 1j, 1, output=np.float32)


def test_too_many_axes():
    a = cp.ones((2,) * 9)
    with pytest.raises(ValueError, match="8 axes"):
        ours.map_coordinates(a, cp.zeros((9, 2)), order=1)
    compare("shift", np.ones((2,) * 9), (1,) + (0,) * 8, order=1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_maps_of_every_order(order, mode, rng):
    for shape in [(50,), (41, 57), (40, 42, 41)]:
        a, n = rng.normal(size=shape), len(shape)
        for name, args in [("shift", (1.3,)), ("zoom", (0.7,)), ("zoom", (1.1,))]:
            compare(name, a, *args, order=order, mode=mode, cval=2.5)
            compare(name, a.astype("f"), *args, order=order, mode=mode)
        m = np.eye(n) + rng.normal(size=(n, n)) / 5
        compare("affine_transform", a, m, 3, order=order, mode=mode)
        compare("affine_transform", a.astype("f"), m, 3, order=order, mode=mode)


@pytest.mark.parametrize("mode", ["constant", "wrap"])
def test_modes_that_do_not_suit_a_grid_are_warned_of(mode):
    """The first words are those that programs filter SciPy's warning by."""
    for module, a in ((theirs, np.ones((3, 3))), (ours, cp.ones((3, 3)))):
        with pytest.warns(UserWarning, match="It is recommended to use mode"):
            module.zoom(a, 2, mode=mode, grid_mode=True)
