"""The Poisson binomial distribution against SciPy's and exact sums."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from stats_cases import called

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about parameters out of the domain
stats, theirs = cp.scipy.stats, scipy.stats.poisson_binom
P = np.array([0.1, 0.5, 0.9, 0.25, 0.0, 1.0])
ROWS = np.array([[0.1, 0.5, 0.3], [0.2, 1.3, 0.1], [0.0, 0.0, 1.0], [0.5, np.nan, 0.2]])
K = np.array([-np.inf, -1, 0, 0.5, 1, 2, 3, 5, 6, 7, np.inf, np.nan])
Q = np.array([0, 1e-12, 0.2, 0.5, 0.97, 1, 1.1, -0.1, np.nan])


def same(result, wanted, rtol=1e-12, atol=1e-15):
    wanted = np.asarray(wanted, np.float64)
    assert isinstance(result, cp.ndarray) and result.dtype == np.float64
    assert result.shape == wanted.shape
    np.testing.assert_allclose(result.get(), wanted, rtol=rtol, atol=atol)


@pytest.mark.parametrize("method", ["pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"])
def test_functions(method):
    ours, at = getattr(stats.poisson_binom, method), Q if method in ("ppf", "isf") else K
    wanted = getattr(theirs, method)(at, P, 2)
    same(ours(cp.asarray(at), cp.asarray(P), 2), wanted)
    at = at[at < 3] if method == "logcdf" else at  # SciPy's is 0 beyond, even for no chance
    same(
        ours(cp.asarray(at[:, None]), cp.asarray(ROWS)), getattr(theirs, method)(at[:, None], ROWS)
    )
    same(ours(0.5, [0.25, 0.5], loc=1), getattr(theirs, method)(0.5, [0.25, 0.5], loc=1))
    same(ours(cp.asarray(at, "f4"), cp.asarray(P, "f4")[1:4]), getattr(theirs, method)(
        at.astype("f4"), P.astype("f4")[1:4]), 1e-6)  # fmt: skip


def test_numbers_of_parameters():
    assert stats.poisson_binom.numargs == theirs.numargs
    for p, loc in ((P, 2), (ROWS, 0.0), (ROWS, np.array([[1.0], [2.0]]))):
        place = cp.asarray(loc) if isinstance(loc, np.ndarray) else loc
        for method in ("mean", "var", "std", "median", "entropy", "support"):
            found = getattr(stats.poisson_binom, method)(cp.asarray(p), place)
            wanted = getattr(theirs, method)(p, loc)
            for a, b in zip(found, wanted) if method == "support" else [(found, wanted)]:
                if method == "std" or method == "var":
                    b = np.broadcast_to(b, a.shape)
                same(a, b)
    found = stats.poisson_binom.stats(cp.asarray(P), moments="mvsk")
    for a, b in zip(found, theirs.stats(P, moments="mvsk"), strict=True):
        same(a, b)
    for order in range(4):
        same(stats.poisson_binom.moment(order, cp.asarray(P), 2), theirs.moment(order, P, 2))


def test_tails_of_many_trials():
    """Both tails have their digits, which sums of fractions tell."""
    chances = [Fraction(i + 1, 1 << 9) for i in range(300)]
    exact = [Fraction(1)]
    for c in chances:
        pairs = zip([*exact, 0], [0, *exact], strict=True)
        exact = [stays * (1 - c) + comes * c for stays, comes in pairs]
    p = cp.asarray([float(c) for c in chances])
    k = cp.arange(301)
    wanted = np.array([float(v) for v in exact])
    same(stats.poisson_binom.pmf(k, p), wanted, 1e-12, 1e-305)
    below, above = np.cumsum(exact), np.cumsum(exact[::-1])[::-1]
    same(stats.poisson_binom.cdf(k, p), below.astype(float), 1e-12, 1e-305)
    same(stats.poisson_binom.sf(k[:-1], p), above[1:].astype(float), 1e-12, 1e-305)


def test_equal_chances_are_binomial():
    k = cp.arange(20)
    same(stats.poisson_binom.pmf(k, cp.full(19, 0.3)), scipy.stats.binom.pmf(k.get(), 19, 0.3))


def test_frozen_distributions_and_pickles():
    frozen = stats.poisson_binom(cp.asarray(P), loc=1)
    same(frozen.pmf(2), theirs(P, loc=1).pmf(2))
    same(frozen.expect(lambda k: k * k), theirs(P, loc=1).expect(lambda k: k * k))
    same(frozen.interval(0.5)[1], theirs(P, loc=1).interval(0.5)[1])
    assert frozen.rvs((2, 3), random_state=1).shape == (2, 3)
    assert pickle.loads(pickle.dumps(stats.poisson_binom)) is stats.poisson_binom
    data = np.array([2, 3, 3])
    wanted = -theirs.logpmf(data, P, 1).sum()
    same(stats.poisson_binom.nnlf((cp.asarray(P), 1), cp.asarray(data)), wanted)


def test_samples():
    x = stats.poisson_binom.rvs(cp.asarray(P), 2, size=4000, random_state=3)
    assert x.dtype == np.int64 and x.shape == (4000,)
    counts = np.bincount(x.get() - 2, minlength=7)
    expected = 4000 * theirs.pmf(np.arange(7), P)
    kept = expected > 0
    assert not counts[~kept].any()
    assert scipy.stats.chisquare(counts[kept], expected[kept]).pvalue > 1e-3
    rows = cp.asarray(ROWS[::2])
    for size, shape in ((None, (2,)), (2, (2,)), ((3, 2), (3, 2))):
        assert stats.poisson_binom.rvs(rows, size=size, random_state=1).shape == shape


@pytest.mark.parametrize(
    "call",
    [
        lambda d: d.pmf(1),
        lambda d: d.mean(),
        lambda d: d.pmf(1, 0.3),
        lambda d: d.pmf(1, []),
        lambda d: d.rvs([0.1, 2.0]),
        lambda d: d.pmf(1, [0.1], 0, 1),
        lambda d: d.rvs([0.1, 0.2], size=(3, 2), scale=2),
    ],
)
def test_wrong_arguments(call):
    error = called(call, (theirs,), {})[1]
    assert error is not None
    with pytest.raises(error):
        call(stats.poisson_binom)


def test_nothing_waits_for_the_device():
    p, k = cp.asarray(P), cp.arange(7)
    with cp.allow_synchronize(False):
        for method in ("pmf", "cdf", "logsf"):
            getattr(stats.poisson_binom, method)(k, p)
        stats.poisson_binom.ppf(0.5, p)
        stats.poisson_binom.entropy(p)
        stats.poisson_binom.rvs(p, size=3)
    assert math.isnan(float(stats.poisson_binom.pmf(1, p, cp.nan)))


def test_frozen_distributions_make_their_table_once(monkeypatch):
    from gpunp.scipy.stats import _poisson_binomial

    made, table = [], _poisson_binomial._table
    monkeypatch.setattr(_poisson_binomial, "_table", lambda p: made.append(p) or table(p))
    p = cp.asarray(P)
    frozen, wanted = stats.poisson_binom(p, 2), theirs(P, 2)
    assert not made
    for _ in range(2):
        for method, at in (("pmf", K), ("cdf", K), ("sf", K), ("ppf", Q), ("isf", Q)):
            same(getattr(frozen, method)(cp.asarray(at)), getattr(wanted, method)(at))
        same(frozen.entropy(), wanted.entropy())
        same(frozen.moment(3), wanted.moment(3))
        assert frozen.rvs(5, random_state=1).shape == (5,)
    assert len(made) == 1
    p[:] = 0.5  # of which the frozen distribution has a copy
    same(frozen.cdf(5), wanted.cdf(5))
    other = pickle.loads(pickle.dumps(frozen))
    same(other.cdf(5), wanted.cdf(5))
    assert len(made) == 2
    same(stats.poisson_binom.cdf(5, p, 2), theirs.cdf(5, np.full(6, 0.5), 2))
    assert len(made) == 3 and stats.poisson_binom._kept is None
