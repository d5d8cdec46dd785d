"""Scans along long and short axes, counting, and updates in place."""

from case import Case, expression
from cases_reduce import square

HOST = [
    Case("cumsum(a)", expression("xp.cumsum(a)", "xp.cumsum(a, 0)")),
    Case("bincount(i)", expression("xp.bincount(i)", i="lib.index(len(a))")),
    Case("histogram(a, 10)", expression("xp.histogram(a, 10)", "xp.histc(a, 10)")),
]


def cumsum(name, shape, axis, dtype="f4"):
    """A cumulative sum along one axis."""
    call = f"xp.cumsum(a, {axis})"
    return Case(name, expression(call, shape=shape, dtype=dtype), 2 * int(dtype[1]))


DEVICE = [
    cumsum("cumsum f4", None, 0),
    cumsum("cumsum f2", None, 0, "f2"),
    cumsum("cumsum f8", None, 0, "f8"),
    cumsum("cumsum axis 0, square", square, 0),
    cumsum("cumsum axis 1, square", square, 1),
    cumsum("cumsum axis 1, 64 x n", (64, -1), 1),
    cumsum("cumsum axis 1, 100 x n x 64", (100, -1, 64), 1),
    Case("cumprod f4", expression("xp.cumprod(a, 0)"), 8),
    Case(
        "bincount 1024",
        expression("xp.bincount(i, minlength=1024)", i="lib.astype(a * 1023, 'i8')"),
        8,
        0.25,
    ),
    Case("histogram 100", expression("xp.histogram(a, 100)", "xp.histc(a, 100)"), 4, 0.25),
    Case("histogram 20000", expression("xp.histogram(a, 20000)", "xp.histc(a, 20000)"), 4, 0.125),
    Case(
        "maximum.at 1000",
        expression(
            "xp.maximum.at(o, i, a)",
            "o.scatter_reduce_(0, i, a, 'amax')",
            i="lib.astype(a * 999, 'i8')",
            o="lib.ones((1000,))",
        ),
        12,
        0.125,
    ),
    Case(
        "add.at 2^20, random",
        expression(
            "xp.add.at(o, i, a)",
            "o.index_add_(0, i, a)",
            o="lib.ones((1 << 20,))",
            i="lib.astype(a * ((1 << 20) - 1), 'i8')",
        ),
        12,
        0.25,
    ),
    Case(
        "add.at(out, i, 1)",
        expression(
            "xp.add.at(o, i, 1.0)",
            "o.index_add_(0, i, a)",
            o="lib.ones((1024,))",
            i="lib.astype(a * 1023, 'i8')",
        ),
        8,
        0.25,
    ),
]
