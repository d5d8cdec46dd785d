"""`scipy.integrate`: differential equations, quadrature, and SciPy's that take device arrays."""

from .._borrowed import borrow as _borrow
from . import _quadrature
from ._batched import solve_ivp_batched
from ._bvp import solve_bvp
from ._ivp import solve_ivp
from ._ivp_base import DenseOutput, OdeSolution, OdeSolver
from ._ivp_bdf import BDF
from ._ivp_lsoda import LSODA
from ._ivp_radau import Radau
from ._ivp_rk import DOP853, RK23, RK45
from ._ode import complex_ode, ode, odeint
from ._quadrature import *

_OWN = (
    "BDF",
    "DOP853",
    "LSODA",
    "DenseOutput",
    "OdeSolution",
    "OdeSolver",
    "RK23",
    "RK45",
    "Radau",
    "complex_ode",
    "ode",
    "odeint",
    "solve_bvp",
    "solve_ivp",
    "solve_ivp_batched",
    *_quadrature.__all__,
)

__all__, __getattr__, __dir__ = _borrow(
    "integrate", own=_OWN, same=["IntegrationWarning", "ODEintWarning"]
)
