"""Sorting, searching, sets and order statistics."""

from case import Case, expression
from cases_reduce import square

HOST = [
    Case("sort", expression("xp.sort(a)")),
    Case("argsort", expression("xp.argsort(a)")),
    Case("searchsorted", expression("xp.searchsorted(s, a)", s="xp.linspace(0, 1, 100)")),
    Case("unique", expression("xp.unique(a)")),
    Case("median", expression("xp.median(a)")),
]

SEARCH, QUANTILE = "xp.searchsorted(s, a)", "xp.quantile(a, q)"
PERCENTILE = "xp.percentile(a, [5, 50, 95])"


def sorts(name, shape=None, dtype="f4", axis=-1, scale=0.25):
    """sort and argsort of an array of noise; each byte of the type is a reading and a writing."""
    size = int(dtype[1])
    return [
        Case(
            f"{function} {name}",
            expression(f"xp.{function}(a, {axis})", shape=shape, dtype=dtype),
            moved,
            scale,
        )
        for function, moved in [("sort", size * (1 + 2 * size)), ("argsort", size * (9 + 2 * size))]
    ]


DEVICE = [
    *sorts("f4"),
    *sorts("i8", dtype="i8"),
    Case("sort M8", expression("xp.sort(t)", dtype="i8", t="a.view('M8[us]')"), 136, 0.25),
    Case(
        "sort records of i4 and f4",
        expression("xp.sort(t)", dtype="i8", t="a.view([('key', 'i4'), ('value', 'f4')])"),
        192,
        0.25,
    ),
    *sorts("i1", dtype="i1"),
    *sorts("f2", dtype="f2"),
    *sorts("f4 2^20", scale=2**-8),
    *sorts("square axis 1", square, scale=0.0625),
    *sorts("square axis 0", square, axis=0, scale=0.0625),
    *sorts("n x 16", (-1, 16), scale=0.0625),
    *sorts("n x 100", (-1, 100), scale=0.0625),
    *sorts("n x 1000", (-1, 1000), scale=0.0625),
    *sorts("256 x n", (256, -1), scale=0.0625),
    Case("partition", expression("xp.partition(a, 1000)", "a.topk(1000, largest=False)"), 8, 0.25),
    Case(
        "argpartition, rows of 8192",
        expression(
            "xp.argpartition(a, 10, axis=1)", "a.topk(11, 1, largest=False)", shape=(-1, 8192)
        ),
        12,
        0.25,
    ),
    Case("searchsorted 1000", expression(SEARCH, s="xp.linspace(0, 1, 1000)"), 12, 0.25),
    Case("searchsorted 2^20", expression(SEARCH, s="xp.linspace(0, 1, 2**20)"), 12, 0.25),
    Case("unique f4", expression("xp.unique(a)"), 8, 0.0625),
    Case("unique of 64 values", expression("xp.unique(a)", dtype="i1"), 1, 0.25),
    Case("unique with counts", expression("xp.unique(a, return_counts=True)"), 8, 0.0625),
    Case("unique with inverse", expression("xp.unique(a, return_inverse=True)"), 16, 0.0625),
    Case("isin", expression("xp.isin(a, a[:65536])", dtype="i4"), 5, 0.0625),
    Case("median f4", expression("xp.median(a)"), 4, 0.25),
    Case("median axis 0", expression("xp.median(a, 0)", shape=square), 4, 0.0625),
    Case("median axis 1", expression("xp.median(a, 1)", shape=square), 4, 0.0625),
    Case("percentile f4", expression(PERCENTILE, QUANTILE, q="lib.ones(3) * 0.3"), 4, 0.0625),
    Case("quantile axis 1", expression("xp.quantile(a, 0.3, 1)", shape=square), 4, 0.0625),
    Case("nanmedian f4", expression("xp.nanmedian(a)"), 4, 0.0625),
]  # fmt: skip
