"""Rows found by sweeps over shapes and types: those in which another library was faster once.

The sweeps themselves (some 2,300 shapes) ran apart; what they found stays in the table, so that it
is measured with everything else. Further rows extend the subjects' files by a size or a type.
"""

import math

from case import Case, expression
from cases_fft import WAYS
from cases_linalg import case as decomposition
from cases_linalg import matrices, shapes

HOST = []
WHOLE = 1 << 28  # elements of a device row with scale 1


def row(name, n, bytes_per_element, numpy, torch=None, shape=None, dtype="f4", **others):
    """A row on n elements; the arguments of `expression` follow."""
    body = expression(numpy, torch, shape=shape, dtype=dtype, **others)
    return Case(name, body, bytes_per_element, n / WHOLE)


def solver(name, shape, numpy, torch, factor="None", torch_factor="None"):
    """A row of `scipy.linalg` on positive definite matrices `a`; `f` is their factor."""

    def setup(lib, n=1000):
        size = shapes(n, shape[-1], -1 if len(shape) > 2 else 0)
        scope = {"a": lib.from_host(matrices("positive", size, "f4")), "xp": lib.module}
        if lib.name == "torch":
            scope["f"] = eval(torch_factor, scope)
            return eval("lambda: " + torch, scope)
        exec(f"import {WAYS[lib.name]}.linalg as sl", scope)
        scope["f"] = eval(factor, scope)
        return eval("lambda: " + numpy, scope)

    return Case(name, setup, 4, math.prod(shape) / WHOLE)


CHOLESKY = {"factor": "sl.cho_factor(a, lower=True)", "torch_factor": "xp.linalg.cholesky(a)"}
LU = {"factor": "sl.lu_factor(a)", "torch_factor": "xp.linalg.lu_factor(a)"}
LU_SOLVE = ("sl.lu_solve(f, a)", "xp.linalg.lu_solve(*f, a)")
CHO_SOLVE = ("sl.cho_solve(f, a)", "xp.cholesky_solve(a, f)")
TRIANGULAR = ("sl.solve_triangular(a, a)", "xp.linalg.solve_triangular(a, a, upper=True)")
HALF_PLANE = "xp.fft.rfftn(a, axes=(1, 0))"
BELOW = "xp.flip(lib.index(n), (0,))"
ODD = (-1, 1003)

LINALG = [
    *(decomposition("svd", size) for size in (256, 512, 2048, (4096, 256), (100_000, 3, 3))),
    decomposition("svd", 512, "f8"),
    decomposition("solve", 64, "f8"),
    decomposition("inv", 64, "f8"),
    row("norm ord 2, 512", 1 << 18, 4, "xp.linalg.norm(a, 2)", shape=(-1, 512)),
    row("norm ord 3, vector", 1 << 24, 4, "xp.linalg.norm(a, 3)"),
    row("lstsq 8", 64, 0, "xp.linalg.lstsq(a, a)", shape=(8, 8)),
    row("cross", 3 << 20, 8, "xp.cross(a, a)", "xp.linalg.cross(a, a)", (-1, 3)),
    row(
        "q k^T f2, 64 x 8 x 128 x 64", 1 << 22, 6, "a @ a.swapaxes(-1, -2)", None,
        (-1, 8, 128, 64), "f2",
    ),
    solver("expm 1024", (1024, 1024), "sl.expm(a / 2000)", "xp.matrix_exp(a / 2000)"),
    solver("lu_solve 16 of 512", (16, 512, 512), *LU_SOLVE, **LU),
    solver("cho_solve 64 of 256", (64, 256, 256), *CHO_SOLVE, **CHOLESKY),
    solver("cho_solve 1024", (1024, 1024), *CHO_SOLVE, **CHOLESKY),
    solver("solve_triangular 512", (512, 512), *TRIANGULAR),
    solver("solve_triangular 1024", (1024, 1024), *TRIANGULAR),
]  # fmt: skip

REDUCTIONS = [
    row("argmax axis 1, n x 1003", 1 << 26, 4, "a.argmax(1)", shape=ODD),
    row("var axis 1, n x 1003", 1 << 26, 4, "a.var(1)", "a.var(1, unbiased=False)", ODD),
    row("any axis 1 i1, n x 1003", 1 << 26, 1, "a.any(1)", shape=ODD, dtype="i1"),
    row("argmax axis 0 f8", 1 << 26, 8, "a.argmax(0)", shape=(-1, 8192), dtype="f8"),
    row("argmax axis 0 i8", 1 << 26, 8, "a.argmax(0)", shape=(-1, 8192), dtype="i8"),
    row("median axis 1, 10 x 30000 x 10", 3_000_000, 4, "xp.median(a, 1)", shape=(10, -1, 10)),
    row("cumsum of 30000", 30_000, 8, "xp.cumsum(a, 0)"),
    row("logaddexp.accumulate", 1 << 26, 8, "xp.logaddexp.accumulate(a)", "xp.logcumsumexp(a, 0)"),
    row("diff", 1 << 26, 8, "xp.diff(a)"),
]

ORDER = [
    row("sort 10 x 3000 axis 0", 30_000, 8, "xp.sort(a, 0)", shape=(10, -1)),
    row("argsort 10 x 3000 axis 0", 30_000, 12, "xp.argsort(a, 0)", shape=(10, -1)),
    row(
        "partition, 100 rows", 100 << 18, 8, "xp.partition(a, 30, axis=1)",
        "a.topk(31, 1, largest=False)", (100, -1),
    ),
    row(
        "argpartition, 100 rows", 100 << 18, 12, "xp.argpartition(a, 30, axis=1)",
        "a.topk(31, 1, largest=False)", (100, -1),
    ),
    row("unique bool", 1 << 24, 1, "xp.unique(a)", dtype="?"),
    row("unique i1", 1 << 24, 1, "xp.unique(a)", dtype="i1"),
    row("a[mask] = 1, i1", 1 << 26, 2, "a.__setitem__(m, 1)", dtype="i1", m="?"),
    row("put", 1 << 26, 16, "xp.put(a, i, b)", "a.put_(i, b)", b="f4", i=BELOW),
    row("put i1", 1 << 26, 10, "xp.put(a, i, b)", "a.put_(i, b)", dtype="i1", b="i1", i=BELOW),
    row("nonzero, 100 x n x 100", 1 << 25, 16, "xp.nonzero(a > 0.5)", shape=(100, -1, 100)),
    row("histogram 50000", 1 << 25, 4, "xp.histogram(a, 50000)", "xp.histc(a, 50000)"),
    row(
        "histogram 10^6 of a range", 1 << 25, 4, "xp.histogram(a, 10**6, (0, 1))",
        "xp.histc(a, 10**6, 0, 1)",
    ),
]  # fmt: skip

ELEMENTWISE = [
    row("a // 0.3", 1 << 26, 8, "a // 0.3"),
    row("vander", 1 << 22, 36, "xp.vander(a, 8)"),
    *(
        row(f"a ** {power} {dtype}", 1 << 26, 2 * int(dtype[1]), f"a ** {power}", dtype=dtype)
        for power in ("3", "-2.0")
        for dtype in ("f4", "f8", "f2")
    ),
]

TRANSFORMS = [
    row("rfft2 of 2048 x 2048", 1 << 22, 8, "xp.fft.rfft2(a)", shape=(-1, 2048)),
    row("irfft2 of n x 64 x 33", 33 << 18, 16, "xp.fft.irfft2(a)", shape=(-1, 64, 33), dtype="c8"),
    row("rfftn axes 1 0", 1 << 24, 8, HALF_PLANE, HALF_PLANE.replace("axes", "dim"), (-1, 4096)),
]

G = "xp.random.default_rng(1)"


def state(name, method):
    """Uniform numbers of a `RandomState` on one of cuRAND's generators, by its number."""
    made = f"xp.random.RandomState(1, method={method})"
    return row(name, 1 << 26, 8, "g.random_sample(n)", "missing", g=made)


DRAWS = [
    row("noncentral_chisquare", 1 << 24, 8, "g.noncentral_chisquare(3.0, 2.0, n)", "missing", g=G),
    row("noncentral_f", 1 << 24, 8, "xp.random.noncentral_f(3.0, 5.0, 2.0, n)", "missing"),
    row("hypergeometric", 1 << 26, 8, "g.hypergeometric(15, 20, 10, n)", "missing", g=G),
    row("choice of 2^20", 1 << 24, 0, "xp.random.choice(n, min(n, 1 << 20), False)", "missing"),
    row(
        "MRG32k3a f8", 1 << 26, 8, "g.random(n)", "missing",
        g="xp.random.Generator(xp.random.MRG32k3a(1))",
    ),
    state("RandomState, Philox", 161),
    state("RandomState, MRG32k3a", 121),
]  # fmt: skip

DEVICE = [*LINALG, *REDUCTIONS, *ORDER, *ELEMENTWISE, *TRANSFORMS, *DRAWS]
