"""ComplexWarning where imaginary parts are dropped: as often as NumPy's, at the program's line."""

import warnings

import numpy as np
import pytest

import gpunp as cp

VALUES = [1 + 2j, 3]
BODIES = {
    "astype": lambda xp, z, r: z.astype("f4"),
    "astype(int)": lambda xp, z, r: z.astype("i4", copy=False),
    "astype(bool)": lambda xp, z, r: z.astype(bool),
    "astype(complex)": lambda xp, z, r: z.astype("c8"),
    "astype of real ones": lambda xp, z, r: z.real.astype("f4"),
    "astype of none": lambda xp, z, r: z[:0].astype("f4"),
    "astype that is refused": lambda xp, z, r: z.astype("f8", casting="same_kind"),
    "function astype": lambda xp, z, r: xp.astype(z, "f8"),
    "array": lambda xp, z, r: xp.array(z, dtype="f4"),
    "asarray": lambda xp, z, r: xp.asarray(z, "f8"),
    "asarray of NumPy's": lambda xp, z, r: xp.asarray(np.array([1j]), "f8"),
    "full": lambda xp, z, r: xp.full(2, z, dtype="f8"),
    "all": lambda xp, z, r: r.__setitem__(Ellipsis, z),
    "element": lambda xp, z, r: r.__setitem__(0, z[0]),
    "indices": lambda xp, z, r: r.__setitem__(xp.array([1, 0]), z),
    "mask": lambda xp, z, r: r.__setitem__(xp.array([True, True]), z),
    "number": lambda xp, z, r: r.__setitem__(0, 1j),
    "into complex": lambda xp, z, r: z.__setitem__(Ellipsis, z * 2),
    "flat": lambda xp, z, r: r.flat.__setitem__(slice(None), z),
    "element of flat": lambda xp, z, r: r.flat.__setitem__(0, z[0]),
    "all of flat": lambda xp, z, r: setattr(r, "flat", z),
    "real": lambda xp, z, r: setattr(r, "real", z),
    "imag": lambda xp, z, r: setattr(z, "imag", z),
    "fill": lambda xp, z, r: r.fill(z[0]),
    "copyto": lambda xp, z, r: xp.copyto(r, z, casting="unsafe"),
    "copyto of a number": lambda xp, z, r: xp.copyto(r, 1j, casting="unsafe"),
    "copyto where": lambda xp, z, r: xp.copyto(r, z, casting="unsafe", where=r == 0),
    "copyto that is refused": lambda xp, z, r: xp.copyto(r, z),
    "put": lambda xp, z, r: xp.put(r, xp.array([0]), z[:1]),
    "dtype": lambda xp, z, r: xp.add(z, 1, dtype="f8", casting="unsafe"),
    "out": lambda xp, z, r: xp.add(z, 1, out=r, casting="unsafe"),
    "both operands": lambda xp, z, r: xp.multiply(z, z, dtype="f8", casting="unsafe"),
    "product": lambda xp, z, r: xp.matmul(z, z, dtype="f8", casting="unsafe"),
    "sum": lambda xp, z, r: z.sum(dtype="f8"),
    "mean": lambda xp, z, r: z.mean(dtype="f8"),
    "variance": lambda xp, z, r: z.var(dtype="f8"),
    "sum of squares": lambda xp, z, r: z.var(),
    "cumsum": lambda xp, z, r: z.cumsum(dtype="f4"),
    "reduce": lambda xp, z, r: xp.add.reduce(z, dtype="f4"),
    "accumulate": lambda xp, z, r: xp.add.accumulate(z, dtype="f4"),
    "any": lambda xp, z, r: z.any(),
    "trace": lambda xp, z, r: xp.diag(z).trace(dtype="f8"),
}


def found(xp, body):
    """How many of the warnings come, in which file the last one is, the class of an exception."""
    z, r, error = xp.array(VALUES), xp.zeros(2), None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            body(xp, z, r)
        except TypeError as raised:
            error = type(raised)
    ours = [w for w in caught if w.category is np.exceptions.ComplexWarning]
    return len(ours), ours[-1].filename if ours else None, error and TypeError


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_as_often_as_numpy(body):
    count, file, error = found(cp, body)
    expected = found(np, body)
    assert (count, error) == (expected[0], expected[2])
    assert file in (None, __file__)


@pytest.mark.parametrize("name", ["astype", "all", "indices", "copyto", "flat", "out"])
def test_warnings_that_are_errors_come_before_any_change(name):
    z, r = cp.array(VALUES), cp.zeros(2)
    with warnings.catch_warnings(), pytest.raises(np.exceptions.ComplexWarning):
        warnings.simplefilter("error")
        BODIES[name](cp, z, r)
    assert r.tolist() == [0, 0]
