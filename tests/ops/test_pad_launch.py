"""pad and roll in one launch: every dtype, layout and rule, wide and narrow items, far frames."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

RULES = ["constant", "edge", "wrap", "reflect", "symmetric"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_every_dtype_and_layout(dtype, rule, rng):
    values = cases.values(dtype, (3, 4, 16), rng)
    for layout in cases.LAYOUTS:

        def body(xp, layout=layout):
            a = cases.arrange(xp, values, layout)
            return xp.pad(a, ((1, 2), (0, 0), (3, 1)), rule)

        check(body)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "width", [((8, 8), (0, 0)), ((0, 0), (16, 4)), ((40, 33), (90, 7))], ids=str
)
@pytest.mark.parametrize("shape", [(5, 16), (1, 32), (16, 1), (3, 7)], ids=str)
def test_aligned_rows_and_far_frames(shape, width, rule, rng):
    values = rng.integers(0, 99, shape)
    for dtype in ("u1", "f2", "f4", "c16"):
        check(lambda xp, t=dtype: xp.pad(xp.asarray(values.astype(t)), width, rule))


def test_constants(rng):
    values = rng.integers(0, 9, (3, 8))
    for dtype, constant in [("u1", 200), ("f2", 1.5), ("f4", np.nan), ("c8", 2 - 1j), ("?", True)]:
        check(
            lambda xp, t=dtype, c=constant: xp.pad(
                xp.asarray(values.astype(t)), 8, constant_values=c
            )
        )
    check(lambda xp: xp.pad(xp.asarray(values), 2, constant_values=3.7))
    check(lambda xp: xp.pad(xp.asarray(5), 2))
    check(lambda xp: xp.pad(xp.zeros((0, 3)), 2, constant_values=4))
    check(lambda xp: xp.pad(xp.zeros((2, 0)), 0, "edge"))
    assert_raises_same(lambda xp: xp.pad(xp.zeros((2, 0)), 1, "edge"))
    assert_raises_same(lambda xp: xp.pad(xp.arange(3, dtype="i1"), 1, constant_values=300))
    assert_raises_same(lambda xp: xp.pad(xp.arange(3), 1, constant_values=np.nan))
    assert_raises_same(lambda xp: xp.pad(xp.arange(3.0), 0, "maximum", stat_length=0))


@pytest.mark.parametrize("layout", cases.LAYOUTS)
@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_roll(dtype, layout, rng):
    values = cases.values(dtype, (4, 6, 16), rng)
    for shift, axis in [
        (1, None),
        (-7, None),
        (3, 0),
        (1, 1),
        (5, -1),
        ((2, -3), (0, 2)),
        ((16, 1, 4), (2, 1, 2)),
    ]:
        check(lambda xp, s=shift, k=axis: xp.roll(cases.arrange(xp, values, layout), s, k))


def test_roll_of_little(rng):
    for shape in [(), (0,), (1,), (3, 0), (1, 5)]:
        check(lambda xp, s=shape: xp.roll(xp.zeros(s), 3))
    check(lambda xp: xp.roll(xp.arange(300007, dtype="u1"), 100001))
    check(lambda xp: xp.roll(xp.arange(300000).reshape(-1, 3), 1, 1))
