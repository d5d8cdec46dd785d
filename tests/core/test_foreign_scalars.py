"""NumPy scalars of types that no array of ours holds: TypeError wherever a number may stand."""

import numpy as np
import pytest
from check import check

import gpunp as cp

FOREIGN = [
    np.longdouble(1), np.clongdouble(1), np.str_("a"), np.bytes_(b"a"), np.void(b"ab"),
    np.zeros((), [("x", "f4")])[()],
]  # fmt: skip

CALLS = {
    "at": lambda s: cp.add.at(cp.zeros(3), [0], s),
    "at, a slice": lambda s: cp.add.at(cp.zeros(3), slice(2), s),
    "at, two": lambda s: cp.ldexp.at(cp.zeros(3), [0], s),
    "scatter_add": lambda s: cp.zeros(3).scatter_add([0], s),
    "ufunc": lambda s: cp.add(cp.zeros(3), s),
    "ufunc, first": lambda s: cp.add(s, cp.zeros(3)),
    "power": lambda s: cp.zeros(3) ** s,
    "ufunc alone": lambda s: cp.sin(s),
    "ufunc, where": lambda s: cp.add(cp.zeros(3), 1, out=cp.zeros(3), where=s),
    "gufunc": lambda s: cp.matmul(cp.zeros((3, 3)), s),
    "less": lambda s: cp.zeros(3) < s,
    "store": lambda s: cp.zeros(3).__setitem__(0, s),
    "store a mask": lambda s: cp.zeros(3).__setitem__(cp.zeros(3, bool), s),
    "store by flat": lambda s: cp.zeros(3).flat.__setitem__(slice(2), s),
    "fill": lambda s: cp.zeros(3).fill(s),
    "full": lambda s: cp.full(3, s),
    "full of ints": lambda s: cp.full(3, s, dtype="i4"),
    "copyto": lambda s: cp.copyto(cp.zeros(3), s),
    "where": lambda s: cp.where(cp.zeros(3, bool), s, 1),
    "clip": lambda s: cp.clip(cp.zeros(3), s, 1),
    "searchsorted": lambda s: cp.searchsorted(cp.zeros(3), s),
    "asarray": lambda s: cp.asarray(s),
    "pad": lambda s: cp.pad(cp.zeros(3), 1, constant_values=s),
    "initial": lambda s: cp.sum(cp.zeros(3), initial=s),
    "ElementwiseKernel": lambda s: cp.ElementwiseKernel("T x", "T y", "y = x", "k")(s),
    "ElementwiseKernel beside": lambda s: cp.ElementwiseKernel("T x, S z", "T y", "y = x", "k")(
        cp.zeros(3), s
    ),
    "ReductionKernel": lambda s: cp.ReductionKernel(
        "T x", "T y", "x", "a + b", "y = a", "0", "k"
    )(s),
    "fuse": lambda s: cp.fuse(lambda x, y: x + y)(cp.zeros(3), s),
}  # fmt: skip

MAKE_ARRAYS = ["full", "asarray", "gufunc"]  # structured ones, of any scalar that is one


@pytest.mark.parametrize("scalar", FOREIGN, ids=lambda s: f"{type(s).__name__}{s.dtype.str}")
@pytest.mark.parametrize("name", CALLS)
def test_a_number_of_a_foreign_type(name, scalar):
    if isinstance(scalar, np.void) and name in MAKE_ARRAYS:
        return
    with pytest.raises(TypeError):
        CALLS[name](scalar)


def test_where_is_a_scalar_of_ours():
    for scalar in (np.float64(1), np.int8(1), np.float32(0)):
        check(lambda xp, s=scalar: xp.add(xp.zeros(3), 1, out=xp.zeros(3), where=s))
    check(lambda xp: xp.add(xp.zeros(3), 1, out=xp.zeros(3), where=np.bool_(True)))
