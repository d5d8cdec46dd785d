"""What functions keep between calls may be read on other streams than the one that computed it."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.cuda import Stream
from gpunp.scipy import sparse, stats
from gpunp.scipy._kept import Kept

MANY = 6000  # elements of which the order of rows and of values is kept


def matrix(kind="csr", seed=3):
    rng = np.random.default_rng(seed)
    a = scipy.sparse.random_array((MANY // 8, 700), density=0.05, rng=rng, format="coo")
    return getattr(sparse, f"{kind}_array")(a)


def shuffled():
    a = matrix()
    places = cp.asarray(np.arange(a.nnz)[::-1].copy())
    indptr = a.nnz - a.indptr[::-1]
    made = sparse.csr_array((a.data[places], a.indices[places], indptr.copy()), shape=a.shape)
    made.has_sorted_indices  # looked at before: that waits
    return made


def covariance():
    return stats.Covariance.from_precision(cp.eye(3) * 2.0)


# What is made, and an operation that keeps something.
USES = {
    "transposed": (matrix, lambda m: m.T @ cp.ones(m.shape[0])),
    "transposed matrix": (matrix, lambda m: m.T @ cp.ones((m.shape[0], 3))),
    "other rows": (matrix, lambda m: m.tocsc().data),
    "product": (lambda: matrix("csc"), lambda m: m @ cp.ones(m.shape[1])),
    "canonical": (shuffled, lambda m: (m + m).data),
    "blocks": (lambda: matrix().tobsr((3, 7)), lambda m: m @ cp.ones(m.shape[1])),
    "diagonals": (lambda: sparse.eye_array(300).todia(), lambda m: m @ cp.ones(300)),
    "covariance": (covariance, lambda c: c.covariance),
    "density": (
        lambda: stats.gaussian_kde(cp.linspace(0, 1, 50)),
        lambda k: k(cp.linspace(0, 1, 9)),
    ),
    "log density": (
        lambda: stats.gaussian_kde(cp.linspace(0, 1, 50)),
        lambda k: k.logpdf(cp.linspace(0, 1, 9)),
    ),
    "successes": (
        lambda: stats.poisson_binom(cp.linspace(0.1, 0.9, 20)),
        lambda d: d.cdf(cp.arange(20)),
    ),
    "moments": (
        lambda: stats.order_statistic(stats.Normal(mu=cp.zeros(3)), n=4, r=2),
        lambda x: x.mean() + x.variance(),
    ),
    "sobol": (lambda: stats.qmc.Sobol(3, rng=1), lambda q: q.random(8)),
    "halton": (lambda: stats.qmc.Halton(3, rng=1), lambda q: q.random(8)),
}


@pytest.mark.parametrize("name", USES)
def test_a_kept_result_is_ready_on_every_stream(name, stream_check, monkeypatch):
    make, use = USES[name]
    if name in ("transposed", "product"):  # the ordered values too
        monkeypatch.setattr(sparse._sparsetools, "ORDERED", (0, 1 << 30))
    thing = make()
    first, second = Stream(non_blocking=True), Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    findings = stream_check.findings()
    results = []
    for stream in (first, first, second, first, second):
        with stream:
            results.append(use(thing))
    cp.cuda.Device().synchronize()
    assert stream_check.findings() == findings, stream_check.last_fault()
    if name not in ("sobol", "halton"):  # they go on
        for result in results[1:]:
            assert (abs(result - results[0]) <= 1e-12).all()


def test_what_a_graph_computes_is_not_kept():
    m = matrix()
    stream = Stream(non_blocking=True)
    x = cp.ones(m.shape[0])
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        y = m.T @ x
        graph = stream.end_capture()
    direct = m.T @ x  # before the graph has run
    graph.launch(stream)
    stream.synchronize()
    expected = m.get().T @ np.ones(m.shape[0])
    np.testing.assert_allclose(direct.get(), expected, rtol=1e-12)
    np.testing.assert_allclose(y.get(), expected, rtol=1e-12)


def test_a_capture_waits_for_what_is_kept(stream_check):
    m = matrix()
    first, second = Stream(non_blocking=True), Stream(non_blocking=True)
    x = cp.ones(m.shape[0])
    cp.cuda.Device().synchronize()
    findings = stream_check.findings()
    with first:
        m.T @ x
    with second:
        second.begin_capture()
        y = m.T @ x
        graph = second.end_capture()
        graph.launch(second)
    second.synchronize()
    np.testing.assert_allclose(y.get(), m.get().T @ np.ones(m.shape[0]), rtol=1e-12)
    assert stream_check.findings() == findings, stream_check.last_fault()


def test_copies_of_kept_results():
    c = covariance()
    assert cp.allclose(c.covariance, cp.eye(3) / 2)
    for other in (copy.deepcopy(c), pickle.loads(pickle.dumps(c))):
        assert cp.allclose(other.covariance, cp.eye(3) / 2)
    assert (pickle.loads(pickle.dumps(Kept(cp.arange(3)))).get() == cp.arange(3)).all()
