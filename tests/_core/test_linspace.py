"""linspace, logspace, geomspace against NumPy."""

import cases
import numpy as np
import pytest
from check import check

import gpunp as cp

LINSPACE = {
    "plain": lambda xp: xp.linspace(0, 1, 11),
    "default": lambda xp: xp.linspace(-3, 7),
    "no end": lambda xp: xp.linspace(2, 3, 5, endpoint=False),
    "ints": lambda xp: xp.linspace(0, 10, 5, dtype=int),
    "negative ints": lambda xp: xp.linspace(-3, 3, 6, dtype=int),
    "one": lambda xp: xp.linspace(2, 3, 1),
    "one, no end": lambda xp: xp.linspace(2, 3, 1, endpoint=False),
    "none": lambda xp: xp.linspace(2, 3, 0),
    "negative": lambda xp: xp.linspace(2, 3, -1),
    "float num": lambda xp: xp.linspace(2, 3, 2.5),
    "backwards": lambda xp: xp.linspace(5, -5, 7),
    "equal ends": lambda xp: xp.linspace(2, 2, 4),
    "complex": lambda xp: xp.linspace(0, 1 + 2j, 5),
    "f4 scalars": lambda xp: xp.linspace(np.float32(0), np.float32(1), 7),
    "f2": lambda xp: xp.linspace(0, 1, 7, dtype="f2"),
    "tiny step": lambda xp: xp.linspace(0, 5e-324, 4),
    "huge": lambda xp: xp.linspace(0, 1e308, 3),
    "arrays": lambda xp: xp.linspace(xp.array([0.0, 1]), xp.array([5.0, 9]), 4),
    "array and scalar": lambda xp: xp.linspace(xp.array([0, 1]), 5, 4, axis=-1),
    "array ints": lambda xp: xp.linspace(xp.array([0, 1]), 5, 4, dtype=int),
    "array, no end": lambda xp: xp.linspace(xp.array([0.0, 1]), 5, 4, endpoint=False),
    "0-d array": lambda xp: xp.linspace(xp.array(0.0), 5, 4),
    "logspace": lambda xp: xp.logspace(0, 3, 4),
    "logspace base": lambda xp: xp.logspace(0, 4, 5, base=2, dtype=int),
    "logspace bases": lambda xp: xp.logspace(0, 2, 3, base=xp.array([2.0, 3]), axis=-1),
    "geomspace": lambda xp: xp.geomspace(1, 1000, 4),
    "geomspace down": lambda xp: xp.geomspace(1000, 1, 4),
    "geomspace negative": lambda xp: xp.geomspace(-1000, -1, 4),
    "geomspace no end": lambda xp: xp.geomspace(1, 256, 8, endpoint=False),
    "geomspace complex": lambda xp: xp.geomspace(1j, 1000j, 4),
    "geomspace zero": lambda xp: xp.geomspace(0, 10),
    "geomspace arrays": lambda xp: xp.geomspace(xp.array([1.0, 2]), xp.array([16.0, 32]), 5),
}


@pytest.mark.parametrize("name", LINSPACE)
def test_linspace(name):
    # powers of ten differ in the last place between math libraries; the rest is exact
    check(LINSPACE[name], rtol=1e-13 if name[:3] in ("log", "geo") else None, order=False)


@pytest.mark.parametrize("dtype", cases.NUMPY_DTYPES[1:], ids=str)
def test_dtypes(dtype):
    check(lambda xp: xp.linspace(1, 100, 37, dtype=dtype))


def test_step():
    ours, theirs = (xp.linspace(2, 3, 5, retstep=True) for xp in (cp, np))
    assert ours[1] == theirs[1] == 0.25
    assert np.isnan(cp.linspace(2, 3, 1, retstep=True)[1])


def test_one_launch_each():
    """Long enough for several blocks, odd enough for a ragged end."""
    check(lambda xp: xp.linspace(-1, 1, 10_007))
    check(lambda xp: xp.arange(10_007, dtype="i1"))
    check(lambda xp: xp.arange(0.5, 1e4, dtype="f4"))
