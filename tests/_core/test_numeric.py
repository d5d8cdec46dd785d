"""Filled arrays, axis shuffling, comparisons of whole arrays."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp


def grid(xp, shape=(3, 4), dtype=None):
    size = int(np.prod(shape))
    return xp.arange(size, dtype=dtype).reshape(shape)


TABLE = {
    "ones": lambda xp: xp.ones((2, 3)),
    "ones of order F": lambda xp: xp.ones((2, 3), "u2", "F"),
    "full int": lambda xp: xp.full((2, 2), 7),
    "full float": lambda xp: xp.full(3, 2.5),
    "full complex": lambda xp: xp.full(3, 1j),
    "full bool": lambda xp: xp.full(3, True),
    "full numpy scalar": lambda xp: xp.full(3, np.int8(4)),
    "full list": lambda xp: xp.full((2, 3), [1, 2, 3]),
    "full array": lambda xp: xp.full((2, 3), xp.arange(3.0)),
    "full cast": lambda xp: xp.full(3, 2.9, dtype=int),
    "full nan": lambda xp: xp.full((), xp.nan),
    "full_like": lambda xp: xp.full_like(grid(xp), 2.9),
    "full_like dtype": lambda xp: xp.full_like(grid(xp), 2.9, dtype="f4"),
    "identity": lambda xp: xp.identity(3),
    "identity of bool": lambda xp: xp.identity(2, bool),
    "indices": lambda xp: xp.indices((2, 3)),
    "indices of floats": lambda xp: xp.indices((2, 3), dtype="f4"),
    "indices sparse": lambda xp: xp.indices((2, 3), sparse=True),
    "indices of nothing": lambda xp: xp.indices(()),
    "fromfunction": lambda xp: xp.fromfunction(lambda i, j: i * 10 + j, (3, 4)),
    "fromfunction int": lambda xp: xp.fromfunction(lambda i, j: i == j, (3, 3), dtype=int),
    "moveaxis": lambda xp: xp.moveaxis(grid(xp, (2, 3, 4)), 0, -1),
    "moveaxis several": lambda xp: xp.moveaxis(grid(xp, (2, 3, 4)), [0, 1], [-1, -2]),
    "moveaxis bad": lambda xp: xp.moveaxis(grid(xp), 0, 2),
    "moveaxis repeated": lambda xp: xp.moveaxis(grid(xp), (0, 0), (0, 1)),
    "moveaxis lengths": lambda xp: xp.moveaxis(grid(xp), (0, 1), 0),
    "rollaxis": lambda xp: xp.rollaxis(grid(xp, (2, 3, 4)), 2),
    "rollaxis start": lambda xp: xp.rollaxis(grid(xp, (2, 3, 4)), 0, 2),
    "rollaxis bad": lambda xp: xp.rollaxis(grid(xp), 0, 5),
    "roll": lambda xp: xp.roll(xp.arange(10), 2),
    "roll back": lambda xp: xp.roll(xp.arange(10), -3),
    "roll far": lambda xp: xp.roll(xp.arange(10), 23),
    "roll flat": lambda xp: xp.roll(grid(xp), 1),
    "roll axis": lambda xp: xp.roll(grid(xp), 1, axis=0),
    "roll axes": lambda xp: xp.roll(grid(xp), (1, -1), axis=(0, 1)),
    "roll one axis twice": lambda xp: xp.roll(grid(xp), (1, 2), axis=(1, 1)),
    "roll one shift": lambda xp: xp.roll(grid(xp), 1, axis=(0, 1)),
    "roll empty": lambda xp: xp.roll(xp.zeros((0, 3)), 1, axis=0),
    "roll 0-d": lambda xp: xp.roll(xp.array(3), 1),
    "roll bad axis": lambda xp: xp.roll(grid(xp), 1, axis=2),
    "outer": lambda xp: xp.outer(xp.arange(3), xp.arange(4.0)),
    "outer of matrices": lambda xp: xp.outer(grid(xp, (2, 2)), xp.arange(2)),
    "cross": lambda xp: xp.cross(grid(xp, (4, 3)), xp.array([1, 2, 3])),
    "cross axes": lambda xp: xp.cross(grid(xp, (3, 4)), grid(xp, (3, 4)) ** 2, axis=0),
    "cross axisc": lambda xp: xp.cross(grid(xp, (4, 3)), grid(xp, (4, 3)), axisc=0),
    "cross bad": lambda xp: xp.cross(xp.arange(4), xp.arange(4)),
    "astype": lambda xp: xp.astype(xp.arange(3), "f4"),
    "count_nonzero": lambda xp: xp.count_nonzero(grid(xp) % 3, axis=0),
    "count_nonzero keepdims": lambda xp: xp.count_nonzero(grid(xp) % 3, axis=1, keepdims=True),
    "argwhere": lambda xp: xp.argwhere(grid(xp) > 5),
    "flatnonzero": lambda xp: xp.flatnonzero(grid(xp) > 5),
    "require F": lambda xp: xp.require(grid(xp), requirements=["F"]),
    "require dtype": lambda xp: xp.require(grid(xp), "f4", "C"),
    "require both": lambda xp: xp.require(grid(xp), None, ["C", "F"]),
    "require nonsense": lambda xp: xp.require(grid(xp), None, "Q"),
}


@pytest.mark.parametrize("name", TABLE)
def test_numeric(name):
    check(TABLE[name])


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("layout", ["c", "f", "strided", "reversed"])
def test_roll_layouts(dtype, layout, rng):
    values = cases.values(dtype, (3, 4), rng)
    check(lambda xp: xp.roll(cases.arrange(xp, values, layout), (1, 2), (0, 1)))


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_full_of_every_dtype(dtype):
    check(lambda xp: xp.full((2, 5), 1, dtype))
    check(lambda xp: xp.ones((2, 5), dtype))
    check(lambda xp: xp.zeros((2, 5), dtype))


# ---- closeness and equality --------------------------------------------------------------------

PAIRS = {
    "equal": ([1.0, 2.0], [1.0, 2.0]),
    "near": ([1e10, 1e-7], [1.00001e10, 1e-8]),
    "far": ([1e10, 1e-8], [1.0001e10, 1e-9]),
    "nan": ([1.0, np.nan], [1.0, np.nan]),
    "inf": ([np.inf, -np.inf, np.inf, 1.0], [np.inf, np.inf, 1.0, np.inf]),
    "ints": ([1, 2, 3], [1, 2, 4]),
    "lowest int": ([-(2**63), 0], [-(2**63), 5]),
    "complex": ([1 + 1j, np.nan], [1 + 1j, 1j * np.inf]),
    "bool": ([True, False], [True, True]),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("equal_nan", [False, True])
def test_isclose(name, equal_nan):
    a, b = PAIRS[name]
    check(lambda xp: xp.isclose(xp.array(a), xp.array(b), equal_nan=equal_nan))
    for ask in ("allclose", "array_equal"):
        ours, theirs = (
            bool(getattr(xp, ask)(xp.array(a), xp.array(b), equal_nan=equal_nan)) for xp in (cp, np)
        )
        assert ours == theirs


def test_isclose_scalars_and_tolerances():
    check(lambda xp: xp.isclose(xp.array([1.0, 1.1]), 1.0, rtol=0.2))
    check(lambda xp: xp.isclose(xp.array([1.0, 1.1], "f4"), 1.05, atol=0.07, rtol=0))
    check(lambda xp: xp.isclose(xp.array([1, 2]), 2))


def test_equality_of_shapes():
    assert not bool(cp.array_equal(cp.ones(2), cp.ones(3)))
    assert bool(cp.array_equiv(cp.ones(2), cp.ones((3, 2))))
    assert not bool(cp.array_equiv(cp.ones(2), cp.ones((3, 3))))
    assert cp.allclose(cp.ones(2), cp.ones(2)).shape == ()


def test_small_questions():
    assert cp.isscalar(3.0) and cp.isscalar(np.float32(1)) and not cp.isscalar(cp.array(1))
    assert cp.isfortran(cp.ones((2, 3)).T) and not cp.isfortran(cp.ones((2, 3)))
    assert cp.base_repr(5, 3) == np.base_repr(5, 3) and cp.binary_repr(5) == "101"
    assert (cp.pi, cp.e, cp.inf, cp.newaxis) == (np.pi, np.e, np.inf, None)


def test_cross_of_planes_warns():
    with pytest.warns(DeprecationWarning):
        ours = cp.cross(cp.array([1, 2]), cp.array([4, 5]))
    assert int(ours) == -3


def test_errors():
    assert_raises_same(lambda xp: xp.ones(-1))
    assert_raises_same(lambda xp: xp.full((2, 3), xp.arange(4)))
    assert_raises_same(lambda xp: xp.zeros((2, -3)))
    assert_raises_same(lambda xp: xp.zeros("a"))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i1", "u8", "i4", "?"])
def test_cross_rounds_as_numpy_does(rng, dtype):
    a, b = (abs(rng.standard_normal((40, 3)) * 20).astype(dtype) for _ in range(2))
    for one, other in ((a, b), (a, a), (a[::-2], b[0]), (a.real.astype("f4"), b)):
        if dtype == "?" and one.dtype == bool:
            for xp in (np, cp):
                with pytest.raises(TypeError):
                    xp.cross(xp.array(one), xp.array(other))
        else:
            expected = np.cross(one, other)
            ours = cp.cross(cp.array(one), cp.array(other))
            assert ours.dtype == expected.dtype
            # NumPy's complex products round as the host's vector instructions do.
            slack = 1e-5 if expected.dtype.kind == "c" else 0
            np.testing.assert_allclose(ours.get(), expected, rtol=slack, atol=slack * 1000)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16", "i1", "u2", "i8"])
@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (5, 3), (17, 3), (7, 11, 3), (3,)], ids=str)
def test_cross_of_neighbours(rng, shape, dtype):
    """Vectors one behind the other, several to a thread; addresses that allow it and others."""
    a, b = (np.round(rng.uniform(-9, 9, shape)).astype("i1").astype(dtype) for _ in range(2))
    check(lambda xp: xp.cross(xp.asarray(a), xp.asarray(b)))
    check(lambda xp: xp.cross(xp.asarray(a), xp.asarray(b), axis=-1))
    check(
        lambda xp: xp.cross(xp.asarray(a)[1:], xp.asarray(b)[1:]) if len(shape) > 1 else xp.ones(1)
    )
    check(lambda xp: xp.linalg.cross(xp.asarray(a), xp.asarray(b)))
