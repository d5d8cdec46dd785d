"""Reductions of every shape, and selection by masks and indices."""

import math

from case import Case, expression


def square(n):
    """The shape of the square matrix of n elements."""
    return (math.isqrt(n), math.isqrt(n))


STRUCTURES = "xp.zeros(len(a), '%s')"

HOST = [
    Case("a.sum()", expression("a.sum()")),
    Case("a.mean()", expression("a.mean()")),
    Case("a.var()", expression("a.var()")),
    Case("a.argmax()", expression("a.argmax()")),
    Case("a.sum(axis=0)", expression("a.sum(axis=0)", shape=(32, 32))),
    Case("a[mask]", expression("a[m]", m="?")),
    Case("a[indices]", expression("a[i]", i="lib.index(len(a))")),
    Case("nonzero(mask)", expression("xp.nonzero(m)", m="?")),
    Case("concatenate((a, a))", expression("xp.concatenate((a, a))")),
    Case("stack((a, a))", expression("xp.stack((a, a))")),
    Case("structured a['x']", expression("s['f1']", s=STRUCTURES % "f4,f4,f4")),
    Case("structured a.copy()", expression("s.copy()", s=STRUCTURES % "f4,f4,f4")),
]

SUM = ("a.sum(axis=%d)", "a.sum(dim=%d)")


def sums(name, shape, axis, dtype="f4"):
    """A sum along one axis of an array of noise."""
    size = int(dtype[1])
    return Case(name, expression(SUM[0] % axis, SUM[1] % axis, shape=shape, dtype=dtype), size)


DEVICE = [
    Case("sum f4", expression("a.sum()"), 4),
    Case("sum f2", expression("a.sum()", dtype="f2"), 2),
    Case("sum i1", expression("a.sum()", dtype="i1"), 1),
    Case("sum f8", expression("a.sum()", dtype="f8"), 8),
    sums("sum axis 0, square", square, 0),
    sums("sum axis 1, square", square, 1),
    sums("sum axis 0, n x 8", (-1, 8), 0),
    sums("sum axis 1, n x 8", (-1, 8), 1),
    sums("sum axis 0, n x 3", (-1, 3), 0),
    sums("sum axis 1, n x 3", (-1, 3), 1),
    sums("sum axis 0, 8 x n", (8, -1), 0),
    sums("sum axis 1, 8 x n", (8, -1), 1),
    sums("sum axis 1, n x 100", (-1, 100), 1),
    sums("sum axis 1, n x 1003", (-1, 1003), 1),
    sums("sum axis 1, 64 x n x 64", (64, -1, 64), 1),
    sums("sum axis 1, n x 64 x 64", (-1, 64, 64), 1),
    sums("sum axis 1, n x 512 x 4 f2", (-1, 512, 4), 1, "f2"),
    Case("sum axes 0 2, 64 x n x 64", expression("a.sum((0, 2))", shape=(64, -1, 64)), 4),
    Case("sum of a.T, axis 0", expression("a.T.sum(0)", shape=square), 4),
    Case("sum a[::2]", expression("a[::2].sum()"), 4),
    Case("mean f4", expression("a.mean()"), 4),
    Case("mean f2", expression("a.mean()", dtype="f2"), 2),
    Case("var f4", expression("a.var()", "a.var(unbiased=False)"), 4),
    Case("std axis 0", expression("a.std(0)", shape=square), 4),
    Case("std axis 1", expression("a.std(1)", shape=square), 4),
    Case("max f4", expression("a.max()"), 4),
    Case("argmax f4", expression("a.argmax()"), 4),
    Case("argmax axis 0", expression("a.argmax(0)", shape=square), 4),
    Case("argmax axis 1", expression("a.argmax(1)", shape=square), 4),
    Case("prod f4", expression("a.prod()"), 4),
    Case("any bool", expression("(m).any()", m="xp.zeros_like(a) > 0"), 1),
    Case("count_nonzero f4", expression("xp.count_nonzero(a)"), 4),
    Case("nansum f4", expression("xp.nansum(a)"), 4),
    Case("nanvar f4", expression("xp.nanvar(a)"), 4),
    Case("norm f4", expression("xp.linalg.norm(a)"), 4),
    Case("sum where", expression("xp.sum(a, where=m)", "(a * m).sum()", m="?"), 5),
    Case("a[mask] f4", expression("a[m]", m="?"), 7, 0.25),
    Case("a[mask] f8", expression("a[m]", dtype="f8", m="?"), 13, 0.25),
    Case("a[mask] = 1", expression("a.__setitem__(m, 1)", m="?"), 5, 0.25),
    Case("nonzero", expression("xp.nonzero(m)", m="?"), 5, 0.25),
    Case("a[indices]", expression("a[i]", i="lib.astype(a * (n - 1), 'i8')"), 16, 0.25),
    Case("take rows", expression("a[i]", shape=(-1, 128), i="xp.flip(lib.index(len(a)), (0,))"), 8),
    Case(
        "a[indices] = b",
        expression("a.__setitem__(i, b)", b="f4", i="xp.flip(lib.index(n), (0,))"),
        16,
        0.25,
    ),
    Case(
        "structured a['x'] + 1", expression("s['f1'] + 1", s=STRUCTURES % "f4,f4,f4,f4"), 20, 0.25
    ),
    Case(
        "structured a[::2], 12 B", expression("s[::2].copy()", s=STRUCTURES % "f4,f4,f4"), 12, 0.25
    ),
    Case(
        "structured a[indices], 12 B",
        expression("s[i]", s=STRUCTURES % "f4,f4,f4", i="lib.astype(a * (n - 1), 'i8')"),
        32,
        0.125,
    ),
    Case("concatenate", expression("xp.concatenate((a, a))"), 16, 0.5),
    Case("repeat", expression("xp.repeat(a, 4)", "a.repeat_interleave(4)"), 20, 0.25),
    Case(
        "repeat, counts",
        expression(
            "xp.repeat(a, k)", "a.repeat_interleave(k)", k="lib.astype(lib.index(n) % 4, 'i8')"
        ),
        18,
        0.0625,
    ),
    Case(
        "take_along_axis",
        expression(
            "xp.take_along_axis(a, i, 1)",
            "xp.gather(a, 1, i)",
            shape=(-1, 1000),
            i="lib.astype(a * 1000, 'i8')",
        ),
        16,
        0.25,
    ),
    Case("tril", expression("xp.tril(a)", shape=(8192, -1)), 8, 0.25),
    Case("triu, tall", expression("xp.triu(a)", shape=(-1, 50)), 8, 0.25),
    Case("sum axis 1, a[:, 1:]", expression("a[:, 1:].sum(1)", shape=(-1, 1001)), 4, 0.25),
    Case("roll", expression("xp.roll(a, 1000)"), 8),
    Case("roll axis 1, n x 30", expression("xp.roll(a, 1, 1)", shape=(-1, 30)), 8, 0.25),
    Case(
        "pad by 1, n x 30",
        expression("xp.pad(a, 1)", "xp.nn.functional.pad(a, (1, 1, 1, 1))", shape=(-1, 30)),
        8,
        0.25,
    ),
    Case("stack axis -1", expression("xp.stack((a, a), -1)"), 16, 0.25),
    Case("packbits", expression("xp.packbits(a)", dtype="?"), 1, 0.25),
    Case("nan_to_num", expression("xp.nan_to_num(a)"), 8, 0.25),
    Case("flip", expression("xp.flip(a)", "xp.flip(a, (0,))"), 8),
]
