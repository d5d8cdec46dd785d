"""Elementwise operations, copies and views."""

import math

from case import Case, expression


def pair(operation):
    """A host case of two float32 arrays of 1000 elements and one to write to."""

    def setup(lib):
        a, b, out = lib.full(1000, 2.0), lib.ones(1000), lib.ones(1000)
        return operation(lib, a, b, out)

    return setup


def square(operation):
    """A host case of one float32 array of 32 x 32."""
    return lambda lib: operation(lib, lib.ones((32, 32)))


def function(name):
    """A host case: a function of one array, looked up once."""

    def setup(lib, a, b, out):
        f = lib.call(name)
        return lambda: f(a)

    return pair(setup)


def add_out(lib, a, b, out):
    """add with a given result array."""
    add = lib.call("add")
    return lambda: add(a, b, out=out)


def where(lib, a, b, out):
    """where with a mask made before."""
    f, mask = lib.call("where"), a > 1.0
    return lambda: f(mask, a, b)


def add_in_place(lib, a, b, out):
    """a += 1.0"""

    def run():
        nonlocal a
        a += 1.0

    return run


def assign_slice(lib, a, b, out):
    """a[1:] = b[1:]"""

    def run():
        a[1:] = b[1:]

    return run


def fill_slice(lib, a, b, out):
    """a[1:] = 3.0"""

    def run():
        a[1:] = 3.0

    return run


def make(name):
    """empty(1000) or zeros(1000)."""

    def setup(lib):
        f = lib.call(name)
        return lambda: f(1000, dtype="f4")

    return setup


HOST = [
    Case("a + b", pair(lambda lib, a, b, out: lambda: a + b)),
    Case("add(a, b, out=c)", pair(add_out)),
    Case("a * 2.0", pair(lambda lib, a, b, out: lambda: a * 2.0)),
    Case("a += 1.0", pair(add_in_place)),
    Case("a > b", pair(lambda lib, a, b, out: lambda: a > b)),
    Case("-a", pair(lambda lib, a, b, out: lambda: -a)),
    Case("sin(a)", function("sin")),
    Case("exp(a)", function("exp")),
    Case("a + row", square(lambda lib, a: (lambda row: lambda: a + row)(a[0]))),
    Case("a.T + a", square(lambda lib, a: lambda: a.T + a)),
    Case("where(m, a, b)", pair(where)),
    Case("astype f4 to f8", pair(lambda lib, a, b, out: lambda: lib.astype(a, "f8"))),
    Case("copy", pair(lambda lib, a, b, out: lambda: lib.copy(a))),
    Case("empty(1000)", make("empty")),
    Case("zeros(1000)", make("zeros")),
    Case("a[1:-1]", pair(lambda lib, a, b, out: lambda: a[1:-1])),
    Case("a[::2, None]", square(lambda lib, a: lambda: a[::2, None])),
    Case("a[3, 4]", square(lambda lib, a: lambda: a[3, 4])),
    Case("a.T", square(lambda lib, a: lambda: a.T)),
    Case("a.reshape(4, 256)", square(lambda lib, a: lambda: a.reshape(4, 256))),
    Case("a[1:] = b[1:]", pair(assign_slice)),
    Case("a[1:] = 3.0", pair(fill_slice)),
]


def of_type(dtype, operation):
    """A device case of two arrays of n elements of a dtype."""

    def setup(lib, n):
        return operation(lib, lib.full((n,), 2, dtype=dtype), lib.ones((n,), dtype=dtype))

    return setup


def single(dtype, name):
    """A device case: one function of one array."""

    def setup(lib, n):
        a, f = lib.full((n,), 0.5, dtype=dtype), lib.call(name)
        return lambda: f(a)

    return setup


def matrix(operation, dtype="f4"):
    """A device case of two square matrices of n elements together."""

    def setup(lib, n):
        side = math.isqrt(n)
        return operation(
            lib, lib.full((side, side), 2, dtype=dtype), lib.ones((side, side), dtype=dtype)
        )

    return setup


def where_big(lib, a, b):
    """where on n elements."""
    f, mask = lib.call("where"), a > b
    return lambda: f(mask, a, b)


def one(dtype, operation):
    """A device case of one array of n elements."""
    return lambda lib, n: operation(lib, lib.full((n,), 2, dtype=dtype))


def chain(lib, a):
    """tanh(sin(a) + 0.1 a), four kernels without fusion."""
    sin, tanh = lib.call("sin"), lib.call("tanh")
    return lambda: tanh(sin(a) + 0.1 * a)


DEVICE = [
    Case("copy f4", one("f4", lambda lib, a: lambda: lib.copy(a)), 8),
    Case("add f4", of_type("f4", lambda lib, a, b: lambda: a + b), 12),
    Case("add f2", of_type("f2", lambda lib, a, b: lambda: a + b), 6),
    Case("add i1", of_type("i1", lambda lib, a, b: lambda: a + b), 3),
    Case("add f8", of_type("f8", lambda lib, a, b: lambda: a + b), 24),
    Case(
        "add M8[us] + m8[ms]",
        expression("t + d", dtype="i8", t="a.view('M8[us]')", d="a.view('m8[ms]')"),
        16,  # both operands are views of one array
    ),
    Case(
        "add f4 + i4",
        lambda lib, n: (lambda a, b: lambda: a + b)(lib.ones((n,)), lib.ones((n,), dtype="i4")),
        16,
    ),
    Case("a * 2.0 f4", one("f4", lambda lib, a: lambda: a * 2.0), 8),
    Case("sin f4", single("f4", "sin"), 8),
    Case("exp f8", single("f8", "exp"), 16),
    Case("a > b f4", of_type("f4", lambda lib, a, b: lambda: a > b), 9),
    Case("where f4", of_type("f4", where_big), 13),
    Case("astype f4 to f8", one("f4", lambda lib, a: lambda: lib.astype(a, "f8")), 12),
    Case("astype f4 to f2", one("f4", lambda lib, a: lambda: lib.astype(a, "f2")), 6),
    Case("astype i4 to f4", one("i4", lambda lib, a: lambda: lib.astype(a, "f4")), 8),
    Case("a + row", matrix(lambda lib, a, b: (lambda row: lambda: a + row)(b[0])), 8),
    Case("a + column", matrix(lambda lib, a, b: (lambda col: lambda: a + col)(b[:, :1])), 8),
    # Every second element: the memory still moves whole lines of both inputs.
    Case("a[::2] + b[::2]", of_type("f4", lambda lib, a, b: lambda: a[::2] + b[::2]), 10),
    Case("a[:, 1:] + b[:, :-1]", matrix(lambda lib, a, b: lambda: a[:, 1:] + b[:, :-1]), 12),
    Case("a.T + b", matrix(lambda lib, a, b: lambda: a.T + b), 12),
    Case("contiguous(a.T)", matrix(lambda lib, a, b: lambda: lib.contiguous(a.T)), 8),
    Case("contiguous(a.T) f8", matrix(lambda lib, a, b: lambda: lib.contiguous(a.T), "f8"), 16),
    Case("full f4", lambda lib, n: lambda: lib.full((n,), 1.5), 4),
    Case("tanh(sin(a) + 0.1 a)", one("f4", chain), 8),
]
