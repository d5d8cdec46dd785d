"""Which findings the rows of agreed.txt are about."""

import agreed
import pytest


@pytest.mark.parametrize(
    ("call", "may_hang"),
    [
        ("sp.stats.multivariate_t.cdf(xp.ones(2), maxpts=2**31)", True),
        ("sp.stats.multivariate_t.cdf(xp.ones(2))", False),
        ("sp.stats.multivariate_t.pdf(xp.ones(2), maxpts=2**31)", False),
        ("sp.linalg.invpascal(1000, kind='symmetric')", True),
        ("sp.linalg.pascal(1000)", False),
    ],
)
def test_rows_of_targets_and_of_calls(call, may_hang):
    assert agreed.may_hang(call) is may_hang
    assert agreed.is_agreed({"kind": "hang", "call": call, "detail": ""}) is may_hang
    assert not agreed.is_agreed({"kind": "crash", "call": call, "detail": ""})
