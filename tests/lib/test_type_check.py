"""Real and imaginary parts, NaN replacement, questions about types; truncation and signs."""

import cases
import numpy as np
import pytest
from check import check

import gpunp as cp

Z = np.array([1 + 2j, 3 + 0j, -1j])

TABLE = {
    "real": lambda xp: xp.real(xp.asarray(Z)),
    "imag": lambda xp: xp.imag(xp.asarray(Z)),
    "imag of reals": lambda xp: xp.imag(xp.arange(3.0)),
    "iscomplex": lambda xp: xp.iscomplex(xp.asarray(Z)),
    "iscomplex of reals": lambda xp: xp.iscomplex(xp.arange(3)),
    "isreal": lambda xp: xp.isreal(xp.asarray(Z)),
    "isreal of ints": lambda xp: xp.isreal(xp.arange(3)),
    "iscomplexobj": lambda xp: xp.array([xp.iscomplexobj(xp.asarray(Z)), xp.isrealobj(xp.ones(1))]),
    "real_if_close": lambda xp: xp.real_if_close(xp.array([2.1 + 4e-14j, 5.2 + 3e-15j]), tol=1000),
    "real_if_close not": lambda xp: xp.real_if_close(xp.asarray(Z)),
    "real_if_close f4": lambda xp: xp.real_if_close(xp.array([1 + 1e-6j], "c8")),
    "nan_to_num ints": lambda xp: xp.nan_to_num(xp.arange(3)),
    "nan_to_num values": lambda xp: xp.nan_to_num(
        xp.array([np.nan, np.inf, -np.inf, 1]), nan=7, posinf=8, neginf=9
    ),
    "nan_to_num complex": lambda xp: xp.nan_to_num(
        xp.array([complex(np.inf, np.nan), complex(np.nan, -np.inf)])
    ),
    "common_type": lambda xp: xp.common_type(xp.ones(2, "f4"), xp.ones(2, "c8")),
    "common_type ints": lambda xp: xp.common_type(xp.ones(2, "f4"), xp.ones(2, int)),
    "mintypecode": lambda xp: xp.mintypecode("dF"),
    "fix": lambda xp: xp.fix(xp.array([2.7, -2.7, 0.3, -0.3])),
    "fix ints": lambda xp: xp.fix(xp.array([2, -2])),
    "isposinf": lambda xp: xp.isposinf(xp.array([np.inf, -np.inf, np.nan, 1])),
    "isneginf": lambda xp: xp.isneginf(xp.array([np.inf, -np.inf, np.nan, 1])),
    "isposinf ints": lambda xp: xp.isposinf(xp.arange(3)),
    "isposinf complex": lambda xp: xp.isposinf(xp.asarray(Z)),
    "round": lambda xp: xp.round(xp.array([0.5, 1.5, 2.5, -1.25, 3.14159])),
    "round decimals": lambda xp: xp.round(xp.array([0.125, 1.5555, -3.14159]), 2),
    "round tens": lambda xp: xp.round(xp.array([14.9, 15.1, 25.0, -37.2]), -1),
    "round ints": lambda xp: xp.round(xp.array([14, 15, 25, -37]), -1),
    "round ints, no decimals": lambda xp: xp.round(xp.array([14, 15])),
    "round f4": lambda xp: xp.round(xp.array([1.2345, 2.5], "f4"), 2),
    "round complex": lambda xp: xp.round(xp.array([1.26 + 2.74j]), 1),
    "clip": lambda xp: xp.clip(xp.arange(10), 2, 7),
    "clip low": lambda xp: xp.clip(xp.arange(10), 2, None),
    "clip high": lambda xp: xp.clip(xp.arange(10.0), None, 7),
    "clip min": lambda xp: xp.clip(xp.arange(10), min=3),
    "clip arrays": lambda xp: xp.clip(xp.arange(4), xp.array([2, 0, 0, 0]), xp.array([9, 9, 1, 1])),
    "clip float": lambda xp: xp.clip(xp.arange(4), 0.5, 2.5),
    "clip nothing": lambda xp: xp.clip(xp.arange(4), None, None),
    "clip one": lambda xp: xp.clip(xp.arange(4), 1),
    "clip both ways": lambda xp: xp.clip(xp.arange(4), 1, 2, min=3),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    check(TABLE[name])


@pytest.mark.parametrize("dtype", [*cases.FLOATS, *cases.COMPLEX], ids=str)
def test_nan_to_num(dtype):
    check(lambda xp: xp.nan_to_num(xp.asarray(cases.special(dtype))))


def test_nan_to_num_in_place():
    a = cp.array([1.0, np.nan])
    assert cp.nan_to_num(a, copy=False) is a and a.tolist() == [1.0, 0.0]


def test_parts_are_views():
    z = cp.asarray(Z)
    cp.real(z)[:] = 7
    assert z.tolist() == [7 + 2j, 7 + 0j, 7 - 1j]
    x = cp.ones(3)
    assert cp.real(x) is x


def test_limits():
    assert cp.finfo(cp.ones(1, "f4")).eps == np.finfo("f4").eps
    assert cp.finfo("f2").max == np.finfo("f2").max and cp.iinfo(cp.ones(1, "i2")).max == 32767
    assert float(cp.finfo(cp.bfloat16).eps) == 0.0078125


@pytest.mark.parametrize("layout", cases.LAYOUTS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_nan_to_num_of_layouts_and_numbers(dtype, layout, rng):
    values = rng.choice(np.array([np.nan, np.inf, -np.inf, 1.5, -0.0]), (6, 16)).astype(dtype)
    if dtype[0] == "c":
        values.imag = values.real[::-1]

    def body(xp, **options):
        return xp.nan_to_num(cases.arrange(xp, values, layout), **options)

    check(body)
    check(lambda xp: body(xp, nan=7, posinf=np.float32(8), neginf=-9.5))
    row = np.arange(16.0, dtype="f4")
    check(lambda xp: body(xp, nan=xp.asarray(row), posinf=xp.asarray(3)))
    if layout != "broadcast":
        check(lambda xp: body(xp, copy=False))


def test_nan_to_num_takes_its_numbers_from_the_array_itself():
    def body(xp):
        a = xp.asarray([[3.0, np.nan], [np.nan, np.inf]])
        return xp.nan_to_num(a, copy=False, nan=a[0])

    check(body)
    check(lambda xp: xp.nan_to_num([1, np.nan]))
    check(lambda xp: xp.nan_to_num(np.inf))
    check(lambda xp: xp.nan_to_num(5))
