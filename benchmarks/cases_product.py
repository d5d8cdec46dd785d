"""Products of matrices and vectors, einsum, and what stands on them."""

import math

from case import Case, expression


def square(part):
    """The shape of a square matrix whose side is `part` of the square root of n: 1/4 is 4096."""
    return lambda n: (max(math.isqrt(n) // part, 1),) * 2


HOST = [
    Case("a @ b", expression("a @ b", shape=(32, 32), b="f4")),
    Case("a.dot(b)", expression("a.dot(b)", "a.mm(b)", shape=(32, 32), b="f4")),
    Case("tensordot", expression("xp.tensordot(a, b, 1)", shape=(32, 32), b="f4")),
    Case("einsum ij,jk->ik", expression("xp.einsum('ij,jk->ik', a, b)", shape=(32, 32), b="f4")),
]


def matmul(dtype, part=4):
    """A product of two square matrices; bytes are the least that must move."""
    size = int(dtype[1:])
    name = f"matmul {dtype} {16384 // part}"
    return Case(
        name,
        expression("a @ b", shape=square(part), dtype=dtype, b=dtype),
        3 * size / part**2,
    )


DEVICE = [
    matmul("f4"),
    matmul("f2"),
    matmul("f8"),
    matmul("c8"),
    matmul("i4", 8),
    matmul("i1", 8),
    Case("matmul f4 a.T 4096", expression("a.T @ b", shape=square(4), b="f4"), 12 / 16),
    Case("matmul 64 of 256", expression("a @ b", shape=(-1, 256, 256), b="f4"), 12, 1 / 64),
    Case(
        "matmul 64 x 8 of 128 x 64",
        expression("a @ a.swapaxes(-1, -2)", shape=(-1, 8, 128, 64)),
        12,
        1 / 64,
    ),
    Case("matmul n of 16", expression("a @ b", shape=(-1, 16, 16), b="f4"), 12, 1 / 4),
    Case("matmul n of 4", expression("a @ b", shape=(-1, 4, 4), b="f4"), 12, 1 / 4),
    Case("matvec", expression("a @ b", shape=square(1), b="a[0].ravel()"), 4),
    Case("matvec a.T", expression("a.T @ b", shape=square(1), b="a[0].ravel()"), 4),
    Case("matmul n x 64 by 64 x 64", expression("a @ b", shape=(-1, 64), b="a[:64]"), 8, 1 / 4),
    Case("a.T @ a of n x 64", expression("a.T @ a", shape=(-1, 64)), 4, 1 / 4),
    Case("dot", expression("a @ b", b="f4"), 8, 1 / 4),
    Case("einsum ij,ij->i", expression("xp.einsum('ij,ij->i', a, b)", shape=(-1, 64), b="f4"), 8),
    Case(
        "einsum chain of 1024",
        expression(
            "xp.einsum('ij,jk,kl->il', a, a, a, optimize=True)",
            "xp.einsum('ij,jk,kl->il', a, a, a)",
            shape=square(16),
        ),
        16 / 256,
    ),
    Case("convolve n, 33", expression("xp.convolve(a, b)", "missing", b="a[:33]"), 8, 1 / 16),
    Case(
        "interp of 1000",
        expression("xp.interp(a, b, b)", "missing", dtype="f8", b="lib.index(1000)"),
        16,
        1 / 4,
    ),
]
