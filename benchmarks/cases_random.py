"""Random numbers: the default generator of each library."""

from case import Case, expression

G = "None if lib.name == 'torch' else xp.random.default_rng(1)"
F8 = "xp.randn(n, device='cuda', dtype=xp.float64)"
ROW = "xp.empty(n, device='cuda')"


def draws(name, numpy, torch, moved, scale=1.0):
    """n numbers; `a` is not used, and small."""
    return Case(name, expression(numpy, torch, shape=(1,), g=G), moved, scale)


HOST = [
    Case("random.random", expression("g.random(1000)", "xp.rand(1000, device='cuda')", g=G)),
    Case("random.normal", expression("g.normal(0, 1, 1000)", "xp.randn(1000, device='cuda')", g=G)),
    Case(
        "random.integers",
        expression("g.integers(0, 10, 1000)", "xp.randint(0, 10, (1000,), device='cuda')", g=G),
    ),
]

# expression() hands over n as the number of elements of the row.
DEVICE = [
    draws("uniform f4", "g.random(n, dtype='f4')", "xp.rand(n, device='cuda')", 4),
    draws("normal f4", "g.standard_normal(n, dtype='f4')", "xp.randn(n, device='cuda')", 4),
    draws("exponential f4", "g.standard_exponential(n, dtype='f4')", ROW + ".exponential_()", 4),
    draws("uniform f8", "g.random(n)", "xp.rand(n, device='cuda', dtype=xp.float64)", 8, 0.5),
    draws("normal f8", "g.standard_normal(n)", F8, 8, 0.5),
    draws(
        "integers below 1000",
        "g.integers(0, 1000, n, dtype='i4')",
        "xp.randint(0, 1000, (n,), device='cuda', dtype=xp.int32)",
        4,
    ),
    draws(
        "integers i8", "g.integers(0, 1000, n)", "xp.randint(0, 1000, (n,), device='cuda')", 8, 0.25
    ),
    draws("choice of a few", "xp.random.choice(n, 1000, False)", "missing", 0, 0.25),
    draws("gamma", "g.standard_gamma(2.5, n)", "missing", 8, 0.25),
    draws("poisson", "g.poisson(20.0, n)", "missing", 8, 0.25),
    draws("permutation", "xp.random.permutation(n)", "xp.randperm(n, device='cuda')", 8, 0.25),
]  # fmt: skip
