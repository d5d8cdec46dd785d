"""Corners of ufunc calls that NumPy's own tests look at."""

import inspect

import numpy as np
import pytest
from check import assert_raises_same

import gpunp as cp


def test_ellipsis_as_output_asks_for_an_array():
    a = cp.arange(3.0)
    assert (cp.sqrt(a, out=...) == cp.sqrt(a)).all()
    assert (cp.add(a, 1, out=...) == a + 1).all()
    assert (cp.matmul(a, a, out=...) == a @ a).all()
    assert (cp.add.reduce(a, out=...) == 3).all()
    assert len(cp.divmod(a, 2, out=...)) == 2


def test_ellipsis_elsewhere_is_refused():
    for call in (
        lambda: cp.sqrt(cp.ones(3), ...),
        lambda: cp.divmod(cp.ones(3), 2, out=(..., ...)),
        lambda: cp.sum(cp.ones(3), out=...),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("signature", [(None,), "i", ("i",), 1.5, np.dtype("i4")], ids=repr)
def test_a_signature_is_text_or_a_tuple_of_all(signature):
    assert_raises_same(lambda xp: xp.add(xp.ones(3), 4, signature=signature))


@pytest.mark.parametrize("keywords", [{}, {"dtype": "d"}, {"signature": (None, None, "d")}])
def test_ldexp_takes_no_uint64(keywords):
    assert_raises_same(lambda xp: xp.ldexp(xp.ones(3), xp.ones(3, "u8"), **keywords))


@pytest.mark.parametrize("casting", ["no", "equiv"])
def test_python_floats_equal_float64_alone(casting):
    with pytest.raises(TypeError):
        cp.add(cp.ones(3, "f4"), 4.0, casting=casting)
    assert cp.add(cp.ones(3), 4.0, casting=casting).dtype == np.float64
    assert cp.add(cp.ones(3, int), 4, casting=casting).dtype == np.int64


@pytest.mark.parametrize("name", ["true_divide", "subtract", "maximum", "fmin"])
@pytest.mark.parametrize("shape,axis", [((0, 0), 0), ((0, 0, 5), 1), ((3, 0, 0), 2)])
def test_reducing_nothing_to_nothing_needs_an_identity(name, shape, axis):
    assert_raises_same(lambda xp: getattr(xp, name).reduce(xp.zeros(shape), axis=axis))
    assert getattr(cp, name).reduce(cp.zeros(shape), axis=axis, initial=1).size == 0


def test_positions_and_means_of_nothing():
    assert_raises_same(lambda xp: xp.argmax(xp.zeros((0, 0, 5)), axis=1))
    assert_raises_same(lambda xp: xp.max(xp.zeros((0, 0)), axis=1))
    assert cp.max(cp.zeros((0, 5)), axis=1).shape == (0,)
    assert cp.sum(cp.zeros((0, 0)), axis=1).shape == (0,)
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        assert cp.mean(cp.zeros((0, 0)), axis=1).shape == (0,)


@pytest.mark.parametrize("name", ["frexp", "divmod", "add", "sqrt"])
def test_positional_parameters_are_the_inputs(name):
    parameters = inspect.signature(getattr(cp, name)).parameters.values()
    assert sum(p.kind is p.POSITIONAL_ONLY for p in parameters) == getattr(cp, name).nin


@pytest.mark.parametrize(
    "dtype,low,high",
    [
        ("int32", -(2**32) - 1, 2**32),
        ("int32", -(2**320), None),
        ("int32", None, 2**300),
        ("int32", -1000, 2**32),
        ("uint8", -1, 129),
        ("uint8", -1, 300),
        ("int8", -(2**63), 20),
    ],
)
def test_clip_limits_beyond_the_dtype_limit_nothing(dtype, low, high):
    a = cp.arange(0, 120, 7).astype(dtype)
    inside = a.get()
    if low is not None and low > np.iinfo(dtype).min:
        inside = np.maximum(inside, low)
    if high is not None and high < np.iinfo(dtype).max:
        inside = np.minimum(inside, high)
    for limited in (cp.clip(a, low, high), a.clip(low, high)):
        assert limited.dtype == a.dtype
        assert not cp.may_share_memory(limited, a)
        assert np.array_equal(limited.get(), inside)


def test_clip_limits_that_nothing_satisfies():
    for limits in ((300, None), (300, 400), (-500, -300), (None, -300)):
        with pytest.raises(OverflowError):
            cp.clip(cp.ones(3, "int8"), *limits)


def test_broadcast_takes_64_arrays():
    assert cp.broadcast(*[cp.ones(1)] * 64).numiter == 64
    with pytest.raises(ValueError, match="at most 64"):
        cp.broadcast(*[cp.ones(1)] * 65)
