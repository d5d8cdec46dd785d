"""Subclasses of the array: what keeps the class, __array_finalize__, __array_ufunc__."""

import copy
import gc
import pickle
from typing import ClassVar

import numpy as np
import pytest

import gpunp as cp


def mine(base):
    """The same subclass of the array type of NumPy or gpunp."""

    class Mine(base):
        def __array_finalize__(self, parent):
            self.note = getattr(parent, "note", "none")

    return Mine


def made(xp, shape=(2, 3), note="given"):
    x = xp.arange(float(np.prod(shape))).reshape(shape).view(mine(xp.ndarray))
    x.note = note
    return x


KEEP = {
    "index": lambda xp, x: x[1:],
    "row": lambda xp, x: x[1],
    "mask": lambda xp, x: x[xp.asarray([True, False])],
    "newaxis": lambda xp, x: x[None],
    "T": lambda xp, x: x.T,
    "mT": lambda xp, x: x.mT,
    "transpose": lambda xp, x: x.transpose(1, 0),
    "swapaxes": lambda xp, x: x.swapaxes(0, 1),
    "reshape": lambda xp, x: x.reshape(3, 2),
    "ravel": lambda xp, x: x.ravel(),
    "flatten": lambda xp, x: x.flatten(),
    "squeeze": lambda xp, x: x[None].squeeze(),
    "view": lambda xp, x: x.view("i8"),
    "diagonal": lambda xp, x: x.diagonal(),
    "astype": lambda xp, x: x.astype("f4"),
    "copy": lambda xp, x: x.copy(),
    "copy.copy": lambda xp, x: copy.copy(x),
    "real": lambda xp, x: (x + 1j).real,
    "sin": lambda xp, x: xp.sin(x),
    "add": lambda xp, x: x + 1,
    "reflected": lambda xp, x: 1 - x,
    "with a plain array": lambda xp, x: xp.ones((2, 3)) * x,
    "compare": lambda xp, x: x < 2,
    "negative": lambda xp, x: -x,
    "divmod": lambda xp, x: xp.divmod(x, 2)[1],
    "where=": lambda xp, x: xp.add(x, 1, where=x > 1, out=xp.zeros((2, 3)).view(type(x))),
    "sum": lambda xp, x: x.sum(axis=0),
    "max": lambda xp, x: x.max(axis=1, keepdims=True),
    "cumsum": lambda xp, x: x.cumsum(axis=0),
    "flip": lambda xp, x: xp.flip(x, 0),
}


@pytest.mark.parametrize("name", KEEP)
def test_the_class_is_kept(name):
    results = []
    for xp in (cp, np):
        x = made(xp)
        y = KEEP[name](xp, x)
        assert type(y).__name__ == "Mine", xp
        results.append(y)
    ours, theirs = results
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.get(), np.asarray(theirs))
    if name not in ("mask", "copy.copy", "where=", "flip", "squeeze", "real"):
        assert ours.note == theirs.note == "given"


def test_views_share_memory_and_outputs_are_themselves():
    x = made(cp)
    x[0] = 7
    assert x[0].base is x.base and float(x[0, 0]) == 7
    x.T[0, 0] = 5
    assert float(x[0, 0]) == 5
    out = cp.zeros(3)
    assert x.sum(axis=0, out=out) is out
    assert cp.add(x[0], 1, out=out) is out and type(out) is cp.ndarray
    before = x
    x += 1
    assert x is before and type(x) is type(before)
    assert x.real is x and x.astype(x.dtype, copy=False) is x


def test_functions_of_plain_arrays_give_plain_arrays():
    x = made(cp)
    assert type(x.get()) is np.ndarray
    assert type(cp.ones(3)[1:] + 1) is cp.ndarray


def test_the_highest_priority_decides():
    for xp in (cp, np):
        low = made(xp)

        class High(xp.ndarray):
            __array_priority__ = 2000

        high = xp.ones((2, 3)).view(High)
        assert type(low + high) is type(high + low) is High
        assert type(low + made(xp)) is type(low)


class Logging:
    """An __array_ufunc__ that unwraps, calls the default implementation and wraps."""

    calls: ClassVar[list] = []

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        self.calls.append((ufunc.__name__, method, len(inputs), sorted(kwargs)))
        base = type(self).__mro__[2]
        plain = [x.view(base) if isinstance(x, Logging) else x for x in inputs]
        if "out" in kwargs:
            assert isinstance(kwargs["out"], tuple)
            kwargs["out"] = tuple(
                x.view(base) if isinstance(x, Logging) else x for x in kwargs["out"]
            )
        result = super().__array_ufunc__(ufunc, method, *plain, **kwargs)
        return NotImplemented if result is NotImplemented else result.view(type(self))


def logging(xp):
    class Logger(Logging, xp.ndarray):
        calls: ClassVar[list] = []

    return xp.arange(3.0).view(Logger)


@pytest.mark.parametrize("xp", [cp, np], ids=["gpunp", "numpy"])
def test_an_array_ufunc_of_its_own_is_asked(xp):
    x = logging(xp)
    for body in (
        lambda: xp.sin(x),
        lambda: x + 1,
        lambda: 1 + x,
        lambda: xp.ones(3) * x,
        lambda: -x,
        lambda: np.sin(x),
        lambda: xp.add(x, 1, xp.zeros(3)),
        lambda: xp.add(1, 1, out=x),
        lambda: xp.maximum(x, 1, out=xp.zeros(3), where=xp.asarray([True, False, True])),
    ):
        assert type(body()) is type(x)
    y = x
    y += 1
    assert y.tolist() == [3, 3, 3]
    assert x.calls == [
        ("sin", "__call__", 1, []),
        ("add", "__call__", 2, []),
        ("add", "__call__", 2, []),
        ("multiply", "__call__", 2, []),
        ("negative", "__call__", 1, []),
        ("sin", "__call__", 1, []),
        ("add", "__call__", 2, ["out"]),
        ("add", "__call__", 2, ["out"]),
        ("maximum", "__call__", 2, ["out", "where"]),
        ("add", "__call__", 2, ["out"]),
    ]


@pytest.mark.parametrize("xp", [cp, np], ids=["gpunp", "numpy"])
def test_answers_that_are_no_arrays(xp):
    class Refusing(xp.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return NotImplemented

    class Answering(xp.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "answer"

    class Raising(xp.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            raise KeyError("mine")

    refusing, answering, raising = (xp.ones(2).view(c) for c in (Refusing, Answering, Raising))
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        xp.add(refusing, 1)
    assert xp.add(refusing, answering) == "answer" == refusing + answering
    with pytest.raises(KeyError, match="mine"):
        raising * 2


def test_the_default_implementation_of_a_whole_subclass():
    """super() with the operands as they are does not ask again."""

    class Whole(cp.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    x = cp.arange(3.0).view(Whole)
    assert (x + 1).tolist() == np.add(x, 1).tolist() == cp.add(x, 1).tolist() == [1, 2, 3]


def test_errors_of_finalize():
    class Broken(cp.ndarray):
        fails = False

        def __array_finalize__(self, parent):
            if Broken.fails:
                raise RuntimeError("no")

    x = cp.ones((2, 2)).view(Broken)
    Broken.fails = True
    for body in (
        lambda: x[0],
        lambda: x.T,
        lambda: x + 1,
        lambda: x.sum(axis=0),
        lambda: cp.divmod(x, 2),
        lambda: x.copy(),
    ):
        with pytest.raises(RuntimeError, match="no"):
            body()


def test_priorities_that_are_no_numbers():
    class Odd(cp.ndarray):
        __array_priority__ = "high"

    with pytest.raises(TypeError):
        cp.ones(2).view(Odd) + 1


def test_nothing_is_kept_alive():
    x = made(cp)
    for body in (*KEEP.values(),):
        body(cp, x)
    del x
    gc.collect()
    assert pickle.loads(pickle.dumps(cp.ones(2).view(cp.ndarray))).tolist() == [1, 1]


@pytest.mark.parametrize("xp", [cp, np], ids=["gpunp", "numpy"])
def test_products_ask_as_well(xp):
    class Answering(xp.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc.__name__, method, len(inputs), sorted(kwargs)

    class Refusing(xp.ndarray):
        __array_ufunc__ = None

    plain = xp.ones((2, 2))
    a, refusing = plain.view(Answering), plain.view(Refusing)
    for body in (
        lambda: a @ plain,
        lambda: plain @ a,
        lambda: xp.matmul(a, plain),
    ):
        assert body() == ("matmul", "__call__", 2, [])
    assert xp.vecdot(plain, a) == ("vecdot", "__call__", 2, [])
    assert xp.matmul(plain, plain, out=a) == ("matmul", "__call__", 2, ["out"])
    for body in (lambda: xp.matmul(refusing, plain), lambda: xp.add(refusing, plain)):
        with pytest.raises(TypeError, match="does not support ufuncs"):
            body()


@pytest.mark.parametrize("xp", [cp, np], ids=["gpunp", "numpy"])
def test_products_keep_the_class(xp):
    plain, x = xp.ones((2, 2)), made(xp)[:2, :2]
    for result in (x @ plain, plain @ x, xp.matmul(x, x), xp.vecdot(plain, x)):
        assert type(result) is type(x)
    for function in (xp.matmul, xp.add):
        assert type(function(x, x, subok=False)) is xp.ndarray


def test_the_default_implementation_with_outputs():
    """super() with the subclass as output does not ask again, and returns the output."""

    class Whole(cp.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    x = y = cp.ones((2, 2)).view(Whole)
    x += 1
    x @= x
    assert cp.add(x, 1, out=x, where=cp.ones(2, bool)) is x is y
    assert cp.matmul(x, x, out=x) is x
    halves = cp.zeros((2, 2)).view(Whole), cp.zeros((2, 2)).view(Whole)
    results = cp.modf(x, out=halves)
    assert results[0] is halves[0] and results[1] is halves[1]
    assert x.tolist() == halves[1].tolist() == [[162, 162], [162, 162]]


def test_init_takes_what_new_of_a_subclass_takes():
    """As with CuPy, which packages rely on that pass their arguments on to both."""

    class Passing:
        def __init__(self, *args, **options):
            super().__init__(*args, **options)

    class Named(Passing, cp.ndarray):
        def __new__(cls, values, name=None):
            array = cp.asarray(values).view(type=cls)
            array.name = name
            return array

    made = Named([1, 2], name="x")
    assert type(made) is Named and made.name == "x" and made.tolist() == [1, 2]
