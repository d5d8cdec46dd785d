"""Grids and joiners by subscripting, open meshes, diagonals' indices."""

import numpy as np
import pytest
from check import check

import gpunp as cp


def after(function, a, *args, **kwargs):
    function(a, *args, **kwargs)
    return a


TABLE = {
    "mgrid": lambda xp: xp.mgrid[0:3, 0:2],
    "mgrid floats": lambda xp: xp.mgrid[0:1:0.25, 1:2:0.5],
    "mgrid points": lambda xp: xp.mgrid[-1:1:5j, 0:2:3j],
    "mgrid mixed": lambda xp: xp.mgrid[0:3, 0:1:3j],
    "mgrid of one": lambda xp: xp.mgrid[2:8:2],
    "mgrid of one, points": lambda xp: xp.mgrid[0:1:4j],
    "mgrid open": lambda xp: xp.mgrid[:3, :2],
    "ogrid": lambda xp: xp.ogrid[0:3, 0:2],
    "ogrid points": lambda xp: xp.ogrid[-1:1:5j, 0:2],
    "ogrid of one": lambda xp: xp.ogrid[:4],
    "r_": lambda xp: xp.r_[1:4, 0, 4],
    "r_ arrays": lambda xp: xp.r_[xp.array([1, 2]), 0, xp.array([3.5])],
    "r_ points": lambda xp: xp.r_[-1:1:5j],
    "r_ axis": lambda xp: xp.r_["-1", xp.ones((2, 2)), xp.zeros((2, 1))],
    "r_ ndmin": lambda xp: xp.r_["0,2", xp.array([1, 2]), xp.array([3, 4])],
    "r_ place": lambda xp: xp.r_["0,2,0", xp.array([1, 2]), xp.array([3])],
    "r_ weak": lambda xp: xp.r_[xp.array([1, 2], "f4"), 3.5],
    "r_ nonsense": lambda xp: xp.r_["x", 1],
    "c_": lambda xp: xp.c_[xp.array([1, 2]), xp.array([3, 4])],
    "c_ matrix": lambda xp: xp.c_[xp.ones((2, 2)), xp.zeros(2)],
    "c_ slices": lambda xp: xp.c_[0:3, 1:4],
    "ix_": lambda xp: xp.ix_(xp.array([0, 2]), xp.array([1, 3, 4])),
    "ix_ list": lambda xp: xp.ix_([0, 2], []),
    "ix_ 2-d": lambda xp: xp.ix_(xp.ones((2, 2), int)),
    "diag_indices": lambda xp: xp.diag_indices(3, 3),
    "diag_indices_from": lambda xp: xp.diag_indices_from(xp.ones((3, 3))),
    "diag_indices_from oblong": lambda xp: xp.diag_indices_from(xp.ones((3, 2))),
    "fill_diagonal": lambda xp: after(xp.fill_diagonal, xp.zeros((3, 3), int), 5),
    "fill_diagonal values": lambda xp: after(xp.fill_diagonal, xp.zeros((4, 3)), xp.arange(2)),
    "fill_diagonal wide": lambda xp: after(xp.fill_diagonal, xp.zeros((3, 5)), 4),
    "fill_diagonal tall": lambda xp: after(xp.fill_diagonal, xp.zeros((7, 3)), 4),
    "fill_diagonal wrap": lambda xp: after(xp.fill_diagonal, xp.zeros((8, 3)), 4, wrap=True),
    "fill_diagonal wrap values": lambda xp: after(
        xp.fill_diagonal, xp.zeros((9, 3)), xp.arange(1, 5), wrap=True
    ),
    "fill_diagonal 3-d": lambda xp: after(xp.fill_diagonal, xp.zeros((3, 3, 3)), xp.arange(3)),
    "fill_diagonal 1-d": lambda xp: after(xp.fill_diagonal, xp.zeros(3), 4),
    "fill_diagonal oblong": lambda xp: after(xp.fill_diagonal, xp.zeros((3, 3, 2)), 4),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    check(TABLE[name], order=False)


def test_ndenumerate():
    a = cp.array([[1, 2], [3, 4]])
    theirs = list(np.ndenumerate(a.get()))
    assert list(cp.ndenumerate(a)) == theirs


def test_indexing_objects_are_numpys():
    assert cp.s_[1:3, ::2] == np.s_[1:3, ::2] and cp.index_exp[2] == (2,)
    assert list(cp.ndindex(2, 1)) == [(0, 0), (1, 0)]
