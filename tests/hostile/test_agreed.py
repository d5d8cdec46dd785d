"""Which findings the rows of agreed.txt are about."""

import agreed
import pytest


@pytest.mark.parametrize(
    ("call", "may_hang"),
    [
        ("sp.stats.multivariate_t.cdf(xp.ones(2), maxpts=2**31)", True),
        ("sp.stats.multivariate_t.cdf(xp.ones(2))", False),
        ("sp.stats.multivariate_t.pdf(xp.ones(2), maxpts=2**31)", False),
        ("sp.optimize.least_squares(lambda x: x - 1, xp.zeros(1100), loss='linear')", True),
        ("sp.optimize.least_squares(lambda x: x - 1, xp.zeros(3), loss='linear')", False),
        ("sp.stats.betanbinom.expect(args=readonly(xp, 3))", True),
        ("sp.stats.betanbinom.pmf(2, 3, 1.0, 1.0)", False),
        ("sp.linalg.invpascal(1000, kind='symmetric')", True),
        ("sp.linalg.pascal(1000)", False),
    ],
)
def test_rows_of_targets_and_of_calls(call, may_hang):
    assert agreed.may_hang(call) is may_hang
    assert agreed.is_agreed({"kind": "hang", "call": call, "detail": ""}) is may_hang
    assert not agreed.is_agreed({"kind": "crash", "call": call, "detail": ""})
