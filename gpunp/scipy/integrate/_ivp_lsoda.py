"""The solver LSODA of ODEPACK, on the host, of systems whose right-hand sides are on the device."""

from typing import Any

import numpy as np

from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, ndarray
from ..optimize._host import array_on_host, to_host
from ._ivp_base import DenseOutput, OdeSolver
from ._ivp_common import number_of, warn_extraneous
from ._ivp_rk import RK23

__all__ = ["LSODA"]


@documented_as(RK23)
class LSODA(OdeSolver):
    """Solve systems by Adams' methods, and where they are stiff by backward differentiation.

    Parameters
    ----------
    y0 : array_like, (n,)
        Initial state of the system, real.
    min_step, max_step : float, optional
        Smallest and largest length of a step.
    jac : callable or None, optional
        Function ``jac(t, y)`` that returns the Jacobian (n, n), or its diagonals where `lband` or
        `uband` is given; by default it is computed by differences.
    lband, uband : int, optional
        Numbers of diagonals of the Jacobian below and above the main one.
    vectorized : bool, optional
        Whether `fun` takes states of shape (n, k), which are columns; this solver does not use it.

    See Also
    --------
    gpunp.scipy.integrate.solve_ivp : runs a solver over an interval

    Notes
    -----
    ODEPACK keeps the state, Jacobian and factors on the host: an evaluation uploads n numbers and
    reads n. `RK45` and `BDF` keep all on the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import LSODA
    >>> solver = LSODA(lambda t, y: -50 * y, 0, cp.ones(2), 1)
    >>> solver.step()
    >>> solver.t > 0
    True
    """

    def __init__(
        self,
        fun,
        t0,
        y0,
        t_bound,
        first_step=None,
        min_step=0.0,
        max_step=np.inf,
        rtol=1e-3,
        atol=1e-6,
        jac=None,
        lband=None,
        uband=None,
        vectorized=False,
        **extraneous,
    ) -> None:
        from scipy.integrate import LSODA as SolverOfHost

        warn_extraneous(extraneous)
        super().__init__(fun, t0, y0, t_bound, vectorized)
        self.max_step = number_of(max_step)
        self._solver = SolverOfHost(
            lambda t, y: self.fun(float(t), asarray(y)).get(),
            self.t,
            self.y.get(),
            self.t_bound,
            number_of(first_step),
            number_of(min_step),
            self.max_step,
            array_on_host(rtol) if isinstance(rtol, ndarray) else rtol,
            to_host(atol),
            None if jac is None else lambda t, y: array_on_host(jac(float(t), asarray(y))),
            lband,
            uband,
        )

    def _step_impl(self) -> tuple[bool, str | None]:
        message = self._solver.step()
        self.t, self.y = float(self._solver.t), asarray(self._solver.y)
        self.njev, self.nlu = self._solver.njev, self._solver.nlu
        return self._solver.status != "failed", message

    def _dense_output_impl(self) -> Any:
        return LsodaDenseOutput(self.t_old, self.t, self._solver.dense_output())


class LsodaDenseOutput(DenseOutput):
    """Polynomial of a step, which the host evaluates."""

    def __init__(self, t_old: float, t: float, interpolant: Any) -> None:
        super().__init__(t_old, t)
        self.interpolant = interpolant

    def _call_impl(self, t: np.ndarray) -> ndarray:
        return asarray(self.interpolant(t))
