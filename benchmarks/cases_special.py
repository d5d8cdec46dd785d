"""Special functions: those of each library's SciPy, or of `torch.special`."""

import importlib

from case import Case, fit

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy", "torch": "torch"}
TORCH_NAMES = {"gamma": None, "j0": "bessel_j0", "j1": "bessel_j1", "y0": "bessel_y0"}


def special(name, arguments, dtype="f4", shape=None):
    """A function of expressions in `a`, noise in [0, 1)."""

    def setup(lib, n=1000):
        module = importlib.import_module(f"{WAYS[lib.name]}.special")
        f = getattr(module, TORCH_NAMES.get(name, name) if lib.name == "torch" else name)
        scope = {"a": lib.noise(fit(shape, n), dtype)}
        given = [eval(text, scope) for text in arguments]
        keywords = {}
        if shape is not None:
            keywords = {"dim": 1} if lib.name == "torch" else {"axis": 1}
        return lambda: f(*given, **keywords)

    return setup


def row(name, arguments, dtype="f4", scale=1.0, moved=None):
    """A device case, named after the function and its dtype."""
    size = 4 if dtype == "f4" else 8
    moved = moved or (len(arguments) + 1) * size
    return Case(f"{name} {dtype}", special(name, arguments, dtype), moved, scale)


POSITIVE, OPEN = "a * 5 + 0.05", "a * 0.9 + 0.05"

HOST = [
    Case("special.erf(a)", special("erf", ["a"])),
    Case("special.gammainc(a, b)", special("gammainc", [POSITIVE, "a"])),
]

# Sizes are parts of the group's 2^28 elements; float64 has a quarter or a sixteenth of them.
DEVICE = [
    *[row(name, [OPEN]) for name in ("erf", "erfc", "erfinv", "gammaln", "gamma", "expit", "i0e")],
    *[row(name, [OPEN]) for name in ("logit", "ndtr", "log_ndtr", "entr", "exprel")],
    *[row(name, [OPEN], "f8", 1 / 4) for name in ("ndtri", "j0", "digamma", "erf", "gammaln")],
    *[row(name, ["a * 30"], "f8", 1 / 4) for name in ("j1", "y0", "k0", "i1e")],
    *[row(name, [OPEN], "f8", 1 / 4) for name in ("ellipk", "exp1", "loggamma", "zetac")],
    row("xlogy", ["a", "a"]),
    row("gammainc", [POSITIVE, "a * 5"], "f8", 1 / 16),
    row("gammaincinv", [POSITIVE, OPEN], "f8", 1 / 16),
    row("betainc", [POSITIVE, POSITIVE, "a"], "f8", 1 / 16),
    row("zeta", ["a * 5 + 1.05", OPEN], "f8", 1 / 16),
    row("jv", ["a * 5", "a * 9"], "f8", 1 / 16),
    row("jvp", ["a * 5", "a * 9"], "f8", 1 / 16),
    row("ber", ["a * 60"], "f8", 1 / 16),
    row("kelvin", ["a * 60"], "f8", 1 / 16, moved=9 * 8),
    row("itj0y0", ["a * 60"], "f8", 1 / 16, moved=3 * 8),
    row("struve", ["a * 5", "a * 60"], "f8", 1 / 64),
    row("modstruve", ["a * 5", "a * 60"], "f8", 1 / 64),
    row("mathieu_a", ["a * 0 + 4", "a * 20"], "f8", 1 / 64),
    row("mathieu_cem", ["a * 0 + 4", "a * 20", "a * 90"], "f8", 1 / 64, moved=5 * 8),
    row("mathieu_modcem1", ["a * 0 + 4", "a * 20", "a * 2"], "f8", 1 / 64, moved=5 * 8),
    row("mathieu_modcem2", ["a * 0 + 4", "a * 20", "a * 2"], "f8", 1 / 64, moved=5 * 8),
    row("pro_cv", ["a * 0 + 1", "a * 0 + 4", "a * 20"], "f8", 1 / 64),
    row("pro_ang1", ["a * 0 + 1", "a * 0 + 4", "a * 20", "a * 2 - 1"], "f8", 1 / 64, moved=6 * 8),
    row("pro_rad2", ["a * 0 + 1", "a * 0 + 4", "a * 9 + 1", "a + 1.1"], "f8", 1 / 256, moved=6 * 8),
    row("obl_rad1", ["a * 0 + 1", "a * 0 + 4", "a * 9 + 1", "a"], "f8", 1 / 256, moved=6 * 8),
    row("ellip_harm", ["5", "8", "4", "3", "a * 9"], "f8", 1 / 64, moved=2 * 8),
    row("binom", ["a * 20", "a * 10"], "f8", 1 / 16),
    row("hyp1f1", ["a * 5 - 2", "a * 3 + 0.5", "a * 20 - 10"], "f8", 1 / 16),
    row("hyp2f1", ["a * 5 - 2", "a + 0.5", "a * 3 + 0.5", "a * 2 - 1"], "f8", 1 / 16),
    row("hyperu", ["a * 3", "a * 3 + 0.5", "a * 9 + 0.1"], "f8", 1 / 64),
    row("lpmv", ["a * 0 + 2", "a * 0 + 5", "a"], "f8", 1 / 16),
    row("expn", ["(a * 5).astype('i8')", POSITIVE], "f8", 1 / 16),
    Case("logsumexp of rows", special("logsumexp", ["a"], shape=(-1, 16384)), 4),
    Case("softmax of rows", special("softmax", ["a"], shape=(-1, 16384)), 8),
    Case("log_softmax of rows", special("log_softmax", ["a"], shape=(-1, 16384)), 8),
]
