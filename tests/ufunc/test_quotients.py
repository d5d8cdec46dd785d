"""Quotients and remainders of floats beside whole multiples of the divisor, where an estimate may be off by one."""

import numpy as np
import pytest
from check import check

LIMITS = {"f2": 2.0**11, "f4": 2.0**20, "f8": 2.0**20}  # of quotients that an estimate is made of


def operands(dtype):
    """Dividends at, just below and just above multiples of divisors, and special values of both."""
    rng = np.random.default_rng(7)
    divisor = (rng.uniform(0.3, 3, 3000) * 2.0 ** rng.integers(-6, 6, 3000)).astype(dtype)
    factor = rng.integers(-200, 200, 3000)
    factor[:40] = LIMITS[dtype] * rng.choice([-1, 1], 40) + rng.integers(-3, 4, 40)
    with np.errstate(over="ignore"):
        multiple = (divisor.astype("f8") * factor).astype(dtype)
    up, down = np.array(np.inf, dtype), np.array(-np.inf, dtype)
    near = [multiple, np.nextafter(multiple, up), np.nextafter(multiple, down)]
    info = np.finfo(dtype)
    special = [0.0, -0.0, 1, -1, 0.3, -0.3, info.max, info.tiny, info.smallest_subnormal, np.nan]
    left, right = np.meshgrid(np.array(special, dtype), np.array([*special, np.inf], dtype))
    signs = np.where(rng.random(3000) < 0.5, -1, 1).astype(dtype)
    dividends = np.concatenate([*near, left.ravel()])
    dividends[np.isinf(dividends)] = 1  # infinities differ from NumPy's (docs)
    return dividends, np.concatenate([divisor * signs] * 3 + [right.ravel()])


@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod", "divmod"])
def test_beside_multiples(name, dtype):
    a, b = operands(dtype)
    with np.errstate(all="ignore"):
        check(lambda xp: getattr(xp, name)(xp.asarray(a), xp.asarray(b)))
