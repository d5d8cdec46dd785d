"""What the implicit solvers share: shifted matrices, their factors, and Newton iterations."""

from typing import Any

import numpy as np

from ..._core.multiarray import ndarray
from ...lib._twodim_base_impl import eye
from ..linalg._decomp_lu import lu_factor, lu_solve
from ._ivp_base import OdeSolver
from ._ivp_common import (
    EPS,
    check_first_step,
    check_max_step,
    check_tolerances,
    first_step_of,
    jacobian_of,
    smallest,
    warn_extraneous,
)


class ImplicitSolver(OdeSolver):
    """A solver with a Jacobian `J` and factors of matrices made of it, with SciPy's arguments."""

    _order_of_first_step = 1
    _complex = False

    def __init__(
        self,
        fun,
        t0,
        y0,
        t_bound,
        max_step=np.inf,
        rtol=1e-3,
        atol=1e-6,
        jac=None,
        jac_sparsity=None,
        vectorized=False,
        first_step=None,
        **extraneous,
    ) -> None:
        warn_extraneous(extraneous)
        super().__init__(fun, t0, y0, t_bound, vectorized, support_complex=self._complex)
        if jac_sparsity is not None:
            raise TypeError("`jac_sparsity` is not supported: Jacobians are dense")
        self.max_step = check_max_step(max_step)
        self.rtol, self.atol = check_tolerances(rtol, atol, self.n)
        self.f = self.fun(self.t, self.y)
        if first_step is None:
            self.h_abs = first_step_of(self, self.f, self._order_of_first_step)
        else:
            self.h_abs = check_first_step(first_step, self.t, self.t_bound)
        rtol = smallest(self.rtol)
        self.newton_tol = max(10 * EPS / rtol, min(0.03, rtol**0.5))
        self.jac, self.J = jacobian_of(self, jac)
        self.current_jac = True
        self._identity = eye(self.n, dtype=self.J.dtype)
        self._begin()

    def _begin(self) -> None:
        """Set what a method keeps between its steps."""
        raise NotImplementedError

    def _factors(self, matrix: ndarray) -> Any:
        self.nlu += 1
        return lu_factor(matrix, check_finite=False)

    @staticmethod
    def _solved(factors: Any, side: ndarray) -> ndarray:
        return lu_solve(factors, side, check_finite=False)

    def _least_step(self) -> float:
        return float(10 * np.abs(np.nextafter(self.t, self.direction * np.inf) - self.t))


class Convergence:
    """Whether a Newton iteration converges, by the lengths of its steps.

    Parameters
    ----------
    most : int
        Largest number of iterations.
    tolerance : float
        Length of the remaining error at which the iteration ends.
    """

    def __init__(self, most: int, tolerance: float) -> None:
        self.most, self.tolerance = most, tolerance
        self.rate: Any = None
        self._before: Any = None

    def fails(self, k: int, length: float) -> bool:
        """Whether the iteration will not converge, after its step k of this length."""
        if not np.isfinite(length):
            return True
        if self._before is not None:
            self.rate = length / self._before
        self._before = length
        if self.rate is None:
            return False
        return self.rate >= 1 or self._remaining(self.most - k, length) > self.tolerance

    def ends(self, length: float) -> bool:
        """Whether the iteration has converged."""
        if length == 0:
            return True
        return self.rate is not None and self._remaining(1, length) < self.tolerance

    def _remaining(self, steps: int, length: float) -> float:
        return self.rate**steps / (1 - self.rate) * length
