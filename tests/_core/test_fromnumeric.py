"""Functions that are methods as well: argument forms, defaults, refusals; NumPy's own names."""

import numpy as np
import pytest
from check import assert_same, check

import gpunp as cp


def grid(xp, shape=(3, 4), dtype="f8"):
    return xp.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


TABLE = {
    "reshape": lambda xp: xp.reshape(grid(xp), (2, -1)),
    "reshape F": lambda xp: xp.reshape(grid(xp), (2, 6), order="F"),
    "reshape copy": lambda xp: xp.reshape(grid(xp), 12, copy=True),
    "reshape no copy": lambda xp: xp.reshape(grid(xp).T, 12, copy=False),
    "reshape wrong": lambda xp: xp.reshape(grid(xp), (5, 2)),
    "ravel": lambda xp: xp.ravel(grid(xp).T),
    "ravel K": lambda xp: xp.ravel(grid(xp).T, order="K"),
    "transpose": lambda xp: xp.transpose(grid(xp, (2, 3, 4)), (2, 0, 1)),
    "permute_dims": lambda xp: xp.permute_dims(grid(xp)),
    "matrix_transpose": lambda xp: xp.matrix_transpose(grid(xp, (2, 3, 4))),
    "matrix_transpose 1-d": lambda xp: xp.matrix_transpose(xp.arange(3)),
    "swapaxes": lambda xp: xp.swapaxes(grid(xp, (2, 3, 4)), 0, -1),
    "squeeze": lambda xp: xp.squeeze(xp.ones((1, 3, 1)), axis=0),
    "squeeze wrong": lambda xp: xp.squeeze(xp.ones((1, 3, 1)), axis=1),
    "sum": lambda xp: xp.array(xp.sum(grid(xp))),
    "sum axis": lambda xp: xp.sum(grid(xp), axis=0),
    "sum axes": lambda xp: xp.sum(grid(xp, (2, 3, 4)), axis=(0, 2)),
    "sum keepdims": lambda xp: xp.sum(grid(xp), axis=1, keepdims=True),
    "sum dtype": lambda xp: xp.sum(grid(xp, dtype="i4"), axis=1, dtype="f4"),
    "sum initial": lambda xp: xp.sum(grid(xp), axis=1, initial=10),
    "sum where": lambda xp: xp.sum(grid(xp), axis=1, where=grid(xp) > 4),
    "sum out": lambda xp: xp.sum(grid(xp), axis=1, out=xp.zeros(3)),
    "prod": lambda xp: xp.prod(grid(xp) + 1, axis=1),
    "max": lambda xp: xp.max(grid(xp), axis=0),
    "max of nothing": lambda xp: xp.max(xp.zeros(0)),
    "max initial": lambda xp: xp.max(grid(xp), axis=0, initial=5),
    "amin": lambda xp: xp.amin(grid(xp), axis=1, keepdims=True),
    "ptp": lambda xp: xp.ptp(grid(xp), axis=1),
    "all": lambda xp: xp.all(grid(xp), axis=0),
    "any": lambda xp: xp.any(grid(xp) > 5, axis=1),
    "mean": lambda xp: xp.mean(grid(xp, dtype="i4"), axis=1),
    "mean where": lambda xp: xp.mean(grid(xp), axis=1, where=grid(xp) % 2 == 0),
    "var": lambda xp: xp.var(grid(xp), axis=0, ddof=1),
    "var correction": lambda xp: xp.var(grid(xp), axis=0, correction=1),
    "var both": lambda xp: xp.var(grid(xp), ddof=1, correction=1),
    "var mean": lambda xp: xp.var(grid(xp), axis=1, mean=xp.ones((3, 1))),
    "std": lambda xp: xp.std(grid(xp), axis=1, keepdims=True),
    "std mean": lambda xp: xp.std(grid(xp), axis=1, mean=xp.ones((3, 1)), keepdims=True),
    "argmax": lambda xp: xp.argmax(grid(xp) % 5, axis=1),
    "argmin keepdims": lambda xp: xp.argmin(grid(xp) % 5, axis=0, keepdims=True),
    "bad axis": lambda xp: xp.sum(grid(xp), axis=2),
    "nonzero": lambda xp: xp.nonzero(grid(xp) % 3),
    "take": lambda xp: xp.take(grid(xp), xp.array([3, 0, 11])),
    "take axis": lambda xp: xp.take(grid(xp), xp.array([[1], [0]]), axis=1),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    check(TABLE[name], ulp=2)


def test_shapes_of_anything():
    assert (cp.ndim(3), cp.shape([[1, 2]]), cp.size([1, 2])) == (0, (1, 2), 2)
    a = cp.ones((2, 3, 4))
    assert (cp.ndim(a), cp.shape(a), cp.size(a), cp.size(a, 1)) == (3, (2, 3, 4), 24, 3)


def test_reductions_give_arrays():
    for name in ("sum", "prod", "max", "min", "mean", "var", "std", "all", "any", "argmax"):
        result = getattr(cp, name)(cp.arange(1, 4))
        assert isinstance(result, cp.ndarray) and result.shape == (), name


def test_host_data_moves_or_is_refused():
    assert int(cp.sum([1, 2, 3])) == 6
    with pytest.raises(TypeError, match="asarray"):
        cp.sum(np.ones(3))


# ---- NumPy's own functions, called with device arrays ----------------------------------------------

DISPATCHED = [
    lambda a: np.sum(a, axis=0),
    lambda a: np.concatenate([a, a]),
    lambda a: np.stack([a, a], axis=1),
    lambda a: np.where(a > 3, a, 0),
    lambda a: np.zeros_like(a),
    lambda a: np.moveaxis(a, 0, 1),
    lambda a: np.pad(a, 1),
    lambda a: np.clip(a, 1, 5),
    lambda a: np.tile(a, 2),
    lambda a: np.mean(a, keepdims=True),
    lambda a: np.sin(a),
    lambda a: np.add(a, 1),
    lambda a: np.float32(2) * a,
    lambda a: np.linspace(0, 1, 4).tolist() and np.full_like(a, 2),
]


@pytest.mark.parametrize("call", DISPATCHED)
def test_numpys_functions(call):
    a = np.arange(12.0).reshape(3, 4)
    result = call(cp.asarray(a))
    assert isinstance(result, cp.ndarray)
    assert_same(result, np.asarray(call(a)), ulp=4, order=False)


LIKE = [
    lambda like: np.zeros(3, like=like),
    lambda like: np.arange(4, like=like),
    lambda like: np.asarray([1, 2], like=like),
    lambda like: np.array([1, 2], like=like),
    lambda like: np.full((2, 2), 7, like=like),
    lambda like: np.eye(3, like=like),
    lambda like: np.tri(3, like=like),
    lambda like: np.identity(2, like=like),
    lambda like: np.ones(2, like=like),
    lambda like: np.empty(0, like=like),
    lambda like: np.fromfunction(lambda i: i, (3,), like=like),
    lambda like: np.frombuffer(b"ab", dtype="u1", like=like),
    lambda like: np.fromiter([1, 2], int, like=like),
    lambda like: np.require([1.0], like=like),
    lambda like: np.ascontiguousarray([1, 2], like=like),
]


@pytest.mark.parametrize("make", LIKE)
def test_like(make):
    result = make(cp.ones(1))
    assert isinstance(result, cp.ndarray)
    assert_same(result, make(np.ones(1)))


def test_like_the_other_way():
    assert isinstance(cp.zeros(3, like=np.ones(1)), np.ndarray)
    assert isinstance(cp.arange(3, like=cp.ones(1)), cp.ndarray)
    with pytest.raises(TypeError, match="like"):
        cp.zeros(3, like=3)


def test_what_is_missing_says_so():
    with pytest.raises(TypeError):
        np.busday_count(cp.ones(2), cp.ones(2))
    with pytest.raises(AttributeError, match="NumPy has it.*docs/differences.md in the source"):
        cp.busday_count
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        cp.nonsense
