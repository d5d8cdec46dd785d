"""Splitting, tiling and stacking; blocks; at least so many dimensions."""

import cases
import numpy as np
import pytest
from check import check

import gpunp as cp


def grid(xp, shape=(3, 4), dtype=None):
    size = int(np.prod(shape))
    return xp.arange(size, dtype=dtype).reshape(shape)


TABLE = {
    "expand_dims": lambda xp: xp.expand_dims(xp.arange(3), 0),
    "expand_dims last": lambda xp: xp.expand_dims(grid(xp), -1),
    "expand_dims several": lambda xp: xp.expand_dims(grid(xp), (0, 3)),
    "expand_dims bad": lambda xp: xp.expand_dims(grid(xp), 4),
    "expand_dims repeated": lambda xp: xp.expand_dims(grid(xp), (0, 0)),
    "column_stack": lambda xp: xp.column_stack((xp.arange(3), grid(xp, (3, 2)))),
    "dstack": lambda xp: xp.dstack((xp.arange(3), xp.arange(3) * 2)),
    "dstack of matrices": lambda xp: xp.dstack((grid(xp), grid(xp))),
    "vstack": lambda xp: xp.vstack((xp.arange(4), grid(xp))),
    "vstack cast": lambda xp: xp.vstack((xp.arange(3), xp.ones(3)), dtype="f4"),
    "hstack": lambda xp: xp.hstack((xp.arange(4), xp.arange(2))),
    "hstack of matrices": lambda xp: xp.hstack((grid(xp), grid(xp, (3, 2)))),
    "hstack of scalars": lambda xp: xp.hstack((1, 2)),
    "row_stack": lambda xp: xp.vstack((1, 2)),
    "stack": lambda xp: xp.stack([grid(xp)] * 3),
    "stack last": lambda xp: xp.stack([grid(xp)] * 3, axis=-1),
    "stack middle": lambda xp: xp.stack([grid(xp)] * 3, axis=1),
    "stack of arrays": lambda xp: xp.stack(grid(xp), axis=1),
    "stack shapes": lambda xp: xp.stack([xp.arange(3), xp.arange(4)]),
    "stack nothing": lambda xp: xp.stack([]),
    "stack bad axis": lambda xp: xp.stack([xp.arange(3)], axis=3),
    "stack out": lambda xp: xp.stack([xp.arange(3)] * 2, out=xp.zeros((2, 3), int)),
    "stack iterator": lambda xp: xp.stack(x for x in (xp.arange(3),)),
    "unstack": lambda xp: xp.unstack(grid(xp), axis=1),
    "unstack 0-d": lambda xp: xp.unstack(xp.array(3)),
    "split": lambda xp: xp.split(xp.arange(9), 3),
    "split at": lambda xp: xp.split(xp.arange(8), [3, 5, 6, 10]),
    "split axis": lambda xp: xp.split(grid(xp), 2, axis=1),
    "split uneven": lambda xp: xp.split(xp.arange(8), 3),
    "array_split": lambda xp: xp.array_split(xp.arange(8), 3),
    "array_split many": lambda xp: xp.array_split(xp.arange(2), 4),
    "array_split none": lambda xp: xp.array_split(xp.arange(8), 0),
    "array_split rows": lambda xp: xp.array_split(grid(xp), 2),
    "hsplit": lambda xp: xp.hsplit(grid(xp), 2),
    "hsplit 1-d": lambda xp: xp.hsplit(xp.arange(4), 2),
    "hsplit 0-d": lambda xp: xp.hsplit(xp.array(1), 1),
    "vsplit": lambda xp: xp.vsplit(grid(xp), [1]),
    "vsplit 1-d": lambda xp: xp.vsplit(xp.arange(4), 2),
    "dsplit": lambda xp: xp.dsplit(grid(xp, (2, 3, 4)), 2),
    "dsplit 2-d": lambda xp: xp.dsplit(grid(xp), 2),
    "tile": lambda xp: xp.tile(xp.arange(3), 2),
    "tile 2-d": lambda xp: xp.tile(xp.arange(3), (2, 2)),
    "tile 3-d": lambda xp: xp.tile(grid(xp, (2, 2)), (2, 1, 3)),
    "tile less": lambda xp: xp.tile(grid(xp), 2),
    "tile zero": lambda xp: xp.tile(xp.arange(3), 0),
    "tile scalar": lambda xp: xp.tile(7, 3),
    "tile once": lambda xp: xp.tile(grid(xp), (1, 1)),
    "kron": lambda xp: xp.kron(xp.array([1, 10, 100]), xp.array([5, 6, 7])),
    "kron 2-d": lambda xp: xp.kron(xp.eye(2), xp.ones((2, 3))),
    "kron of unlike": lambda xp: xp.kron(xp.arange(3), grid(xp, (2, 2))),
    "kron scalar": lambda xp: xp.kron(2, xp.arange(3)),
    "repeat": lambda xp: xp.repeat(xp.arange(3), 2),
    "repeat flat": lambda xp: xp.repeat(grid(xp), 2),
    "repeat axis": lambda xp: xp.repeat(grid(xp), 3, axis=1),
    "repeat counts": lambda xp: xp.repeat(grid(xp), xp.array([1, 0, 2]), axis=0),
    "repeat list": lambda xp: xp.repeat(xp.arange(3), [1, 2, 3]),
    "repeat zero": lambda xp: xp.repeat(xp.arange(3), 0),
    "repeat negative": lambda xp: xp.repeat(xp.arange(3), -1),
    "repeat wrong": lambda xp: xp.repeat(xp.arange(3), [1, 2]),
    "repeat scalar": lambda xp: xp.repeat(7, 3),
    "resize": lambda xp: xp.resize(grid(xp, (2, 2)), (2, 3)),
    "resize flat": lambda xp: xp.resize(xp.arange(3), 8),
    "resize empty": lambda xp: xp.resize(xp.zeros(0), (2, 2)),
    "resize to nothing": lambda xp: xp.resize(xp.arange(3), 0),
    "atleast_1d": lambda xp: xp.atleast_1d(3.0, xp.arange(3)),
    "atleast_2d": lambda xp: xp.atleast_2d(3.0, xp.arange(3), grid(xp)),
    "atleast_3d": lambda xp: xp.atleast_3d(3.0, xp.arange(3), grid(xp), grid(xp, (1, 2, 3))),
    "block": lambda xp: xp.block([[xp.eye(2), xp.zeros((2, 3))], [xp.ones((3, 2)), xp.eye(3)]]),
    "block 1-d": lambda xp: xp.block([xp.arange(2), 10, xp.arange(3)]),
    "block deep": lambda xp: xp.block([[[xp.ones((2, 2, 2))]], [[xp.zeros((1, 2, 2))]]]),
    "block rows": lambda xp: xp.block([[xp.arange(3)], [xp.arange(3)]]),
    "block scalar": lambda xp: xp.block(3),
    "block empty": lambda xp: xp.block([]),
    "block mismatch": lambda xp: xp.block([[xp.ones(2), xp.ones((2, 3))]]),
    "block depths": lambda xp: xp.block([[xp.ones(2)], xp.ones(2)]),
    "block tuple": lambda xp: xp.block(([1],)),
    "apply_over_axes": lambda xp: xp.apply_over_axes(xp.sum, grid(xp, (2, 3, 4)), [0, 2]),
    "apply_along_axis": lambda xp: xp.apply_along_axis(lambda v: v[::-1] * 2, 0, grid(xp)),
    "apply_along_axis sum": lambda xp: xp.apply_along_axis(lambda v: v.sum(), 1, grid(xp)),
    "apply_along_axis grow": lambda xp: xp.apply_along_axis(lambda v: v[:2, None] * v, 1, grid(xp)),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    check(TABLE[name], order=not name.startswith(("kron", "apply_along")))


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("layout", ["c", "f", "strided"])
def test_copies_of_every_dtype(dtype, layout, rng):
    values = cases.values(dtype, (3, 4), rng)
    for call in (
        lambda xp, a: xp.tile(a, (2, 3)),
        lambda xp, a: xp.stack([a, a], axis=1),
        lambda xp, a: xp.repeat(a, 2, axis=0),
        lambda xp, a: xp.block([[a, a]]),
    ):
        check(lambda xp, call=call: call(xp, cases.arrange(xp, values, layout)))


def test_splits_are_views():
    a = cp.arange(6)
    first, _ = cp.split(a, 2)
    first[:] = 7
    assert a.tolist() == [7, 7, 7, 3, 4, 5]
