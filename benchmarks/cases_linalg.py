"""Linear algebra: decompositions and equations, single matrices and stacks of them.

A call reads back whether it succeeded, as PyTorch's do; CuPy's do not look. Bytes are those of the
matrices, once: what counts here is the time.
"""

import math

import numpy as np
from case import Case


def shapes(n, size, count):
    """One matrix, or as many as n elements hold where `count` is -1; a tuple is a shape."""
    if isinstance(size, tuple):
        return (min(size[0], max(n // math.prod(size[1:]), 1)), *size[1:])
    side = min(size, max(math.isqrt(n), 2))
    return (max(n // side**2, 1), side, side) if count < 0 else (side, side)


def matrices(kind, shape, dtype):
    """General, symmetric or positive definite matrices of random numbers, on the host.

    Not the library's own noise: matrices of a hash of the index have about half full rank.
    """
    a = np.random.default_rng(1).random(shape, "f4").astype(dtype)
    if kind == "general":
        return a - 0.5
    if kind == "symmetric":
        return a + np.swapaxes(a, -1, -2)
    return a @ np.swapaxes(a, -1, -2) + a.shape[-1] * np.eye(a.shape[-1], dtype=a.dtype)


BODIES = {
    "solve": ("general", lambda xp, a: xp.linalg.solve(a, a)),
    "inv": ("general", lambda xp, a: xp.linalg.inv(a)),
    "det": ("general", lambda xp, a: xp.linalg.det(a)),
    "qr": ("general", lambda xp, a: xp.linalg.qr(a)),
    "svd": ("general", lambda xp, a: xp.linalg.svd(a, full_matrices=False)),
    "cholesky": ("positive", lambda xp, a: xp.linalg.cholesky(a)),
    "eigh": ("symmetric", lambda xp, a: xp.linalg.eigh(a)),
    "eigvalsh": ("symmetric", lambda xp, a: xp.linalg.eigvalsh(a)),
}


def case(name, size, dtype="f4", count=0):
    """A row: one matrix, or a stack of 1/64 of n elements where `count` is -1."""
    kind, body = BODIES[name]

    def setup(lib, n=1000):
        a = lib.from_host(matrices(kind, shapes(n, size, count), dtype))
        return lambda: body(lib.module, a)

    sides = size if isinstance(size, tuple) else (size, size)
    label = " x ".join(map(str, size)) if isinstance(size, tuple) else str(size)
    title = f"{name} {dtype} {'n of ' if count < 0 else ''}{label}"
    scale = 1 / 64 if count < 0 else math.prod(sides) / (1 << 28)
    return Case(title, setup, int(dtype[1:]), scale)


HOST = [case(name, 8) for name in ("solve", "cholesky", "eigh", "svd")]

DEVICE = [
    *(case(name, 1024) for name in BODIES),
    case("svd", 1024, "f8"),
    case("eigh", 1024, "f8"),
    *(case(name, 4096) for name in ("solve", "inv", "cholesky", "qr")),
    *(case(name, 8, count=-1) for name in ("solve", "eigh", "svd")),
    *(case(name, 32, count=-1) for name in ("solve", "inv", "cholesky", "eigh", "svd", "qr")),
    *(case(name, 128, count=-1) for name in ("solve", "inv", "cholesky", "eigh")),
    *(case(name, 512, count=-1) for name in ("solve", "inv", "det")),
]
