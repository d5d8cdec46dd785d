"""Approximate Hessians by updates: SciPy's matrices, and their use by its drivers."""

import numpy as np
import pytest
import scipy.optimize as host

import gpunp as cp
from gpunp.scipy import optimize

MADE = [
    ("BFGS", {}),
    ("BFGS", {"exception_strategy": "damp_update"}),
    ("BFGS", {"min_curvature": 0.9, "init_scale": 2.0}),
    ("BFGS", {"init_scale": np.diag([1.0, 2.0, 3.0])}),
    ("SR1", {}),
    ("SR1", {"min_denominator": 0.5, "init_scale": 0.3}),
]


@pytest.mark.parametrize("kind", ["hess", "inv_hess"])
@pytest.mark.parametrize("name, options", MADE, ids=str)
def test_updates_are_scipys(name, options, kind, rng):
    mine, theirs = (getattr(m, name)(**options) for m in (optimize, host))
    mine.initialize(3, kind)
    theirs.initialize(3, kind)
    matrix = np.diag([1.0, -0.5, 4.0]) + 0.3
    for step in [*rng.standard_normal((6, 3)), np.zeros(3)]:
        change = matrix @ step
        mine.update(cp.asarray(step), cp.asarray(change))
        theirs.update(step, change)
        np.testing.assert_allclose(
            mine.get_matrix().get(), theirs.get_matrix(), rtol=1e-8, atol=1e-8
        )
    p = rng.standard_normal(3)
    np.testing.assert_allclose(mine.dot(cp.asarray(p)).get(), theirs.dot(p), rtol=1e-8, atol=1e-8)
    with pytest.warns(UserWarning, match="linear"):
        mine.update(cp.ones(3), cp.zeros(3))


def bowl(x):
    return ((x - 1) ** 4).sum() + (x * x).sum()


def slope(x):
    return 4 * (x - 1) ** 3 + 2 * x


class Constant(optimize.HessianUpdateStrategy):
    """A strategy of the user's."""

    def initialize(self, n, approx_type):
        self.n, self.seen = n, []

    def update(self, delta_x, delta_grad):
        self.seen.append(type(delta_x))

    def dot(self, p):
        assert type(p) is cp.ndarray
        return 3.0 * p

    def get_matrix(self):
        return 3.0 * cp.eye(self.n)


def test_drivers_take_strategies():
    for mine, theirs in ((optimize.SR1(), host.SR1()), (optimize.BFGS(), host.BFGS())):
        options = {"method": "trust-constr", "jac": slope, "options": {"maxiter": 20}}
        found = optimize.minimize(bowl, cp.array([2.0, 0.1]), hess=mine, **options)
        expected = host.minimize(bowl, [2.0, 0.1], hess=theirs, **options)
        np.testing.assert_allclose(found.x.get(), expected.x, rtol=1e-5)
        assert found.nfev == expected.nfev
    own = Constant()
    found = optimize.minimize(bowl, cp.array([2.0, 0.1]), hess=own, **options)
    assert set(own.seen) == {cp.ndarray} and float(abs(slope(found.x)).max()) < 1e-2


def test_errors():
    for make in (lambda: optimize.BFGS("none"), lambda: optimize.SR1().initialize(2, "none")):
        with pytest.raises(ValueError):
            make()
    for wrong, refusal in (
        ("none", ValueError),
        (np.eye(3), ValueError),
        (cp.array([[2.0, 1.0], [0.0, 2.0]]), ValueError),
        (2 + 1j, TypeError),
        (cp.eye(2, dtype=complex), TypeError),
    ):
        hessian = optimize.BFGS(init_scale=wrong)
        hessian.initialize(2, "hess")
        with pytest.raises(refusal):
            hessian.update(cp.ones(2), cp.ones(2))
    with pytest.raises(NotImplementedError):
        optimize.HessianUpdateStrategy().initialize(2, "hess")
