"""Minimization of functions of vectors and of numbers."""

import math
from typing import Any

import numpy as np

from ..._core._convert import as_array, shown
from ..._core._warnings import warn
from ..._core.multiarray import asarray, ndarray
from ._constraints import box_on_device, constraints_on_host
from ._host import (
    array_on_host,
    callback_on_host,
    errors_of_compiled_code,
    number,
    on_host,
    options_on_host,
    scipy_optimize,
    to_device,
    to_host,
    value_and_gradient,
    wants_result,
)
from ._lbfgs import lbfgs
from ._minimize_device import Curvature, bfgs, cg, newton_cg, trust_ncg
from ._objective import EPS, Objective, tuple_of, vector
from ._result import OptimizeResult

__all__ = ["minimize", "minimize_scalar"]

# Variables with bounds up to which SciPy is faster. An iteration here is up to 55 launches and 6
# readings, 0.4 ms at 5 and 15 microseconds each; one of SciPy's takes 0.2 microseconds a variable.
FEW = 2_000

_COMMON = {"disp": False, "return_all": False, "finite_diff_rel_step": None, "workers": None}
_FIRST_ORDER = {"gtol": 1e-5, "norm": math.inf, "eps": EPS**0.5, "maxiter": None, "c1": 1e-4}
# Options of the methods that run on the device, with their defaults.
_DEFAULTS = {
    "bfgs": {**_COMMON, **_FIRST_ORDER, "c2": 0.9, "xrtol": 0.0, "hess_inv0": None},
    "cg": {**_COMMON, **_FIRST_ORDER, "c2": 0.4},
    "l-bfgs-b": {
        **_COMMON,
        "maxcor": 10,
        "ftol": 2.2204460492503131e-09,
        "gtol": 1e-5,
        "eps": 1e-8,
        "maxfun": 15000,
        "maxiter": 15000,
        "maxls": 20,
        "iprint": None,
    },
    "newton-cg": {
        **_COMMON,
        "xtol": 1e-5,
        "eps": EPS**0.5,
        "maxiter": None,
        "c1": 1e-4,
        "c2": 0.9,
    },
    "trust-ncg": {
        **_COMMON,
        "initial_trust_radius": 1.0,
        "max_trust_radius": 1000.0,
        "eta": 0.15,
        "gtol": 1e-4,
        "maxiter": None,
        "eps": EPS**0.5,
    },
}
_FIRST = {"bfgs": bfgs, "cg": cg, "l-bfgs-b": lbfgs}
_SECOND = {"newton-cg": newton_cg, "trust-ncg": trust_ncg}
# What `tol` sets.
_TOLERANCES = {
    "bfgs": ["gtol"],
    "cg": ["gtol"],
    "l-bfgs-b": ["ftol", "gtol"],
    "newton-cg": ["xtol"],
    "trust-ncg": ["gtol"],
}


def _method_of(method: Any, bounds: Any, constraints: Any) -> Any:
    if method is None:
        has_constraints = not isinstance(constraints, (tuple, list)) or len(constraints) > 0
        return "slsqp" if has_constraints else "bfgs" if bounds is None else "l-bfgs-b"
    if callable(method):
        return method
    if not isinstance(method, str):
        raise TypeError(f"method must be a string or callable, not {shown(method)}")
    return method.lower()


def _options(method: str, given: Any, tol: Any) -> dict:
    options, start = dict(_DEFAULTS[method]), None
    if isinstance(given, dict) and "hess_inv0" in options:  # a matrix, which stays on the device
        given = dict(given)
        start = given.pop("hess_inv0", None)
    given = options_on_host(given)
    unknown = sorted(set(given) - set(options))
    if unknown:
        warn(f"Unknown solver options: {', '.join(unknown)}", scipy_optimize().OptimizeWarning)
    if tol is not None:
        options.update(dict.fromkeys(_TOLERANCES[method], tol))
    options.update({key: value for key, value in given.items() if key in options})
    if start is not None:
        options["hess_inv0"] = asarray(start)
    return options


def _callback(callback: Any) -> Any:
    """A callback that takes a result."""
    if callback is None or wants_result(callback):
        return None if callback is None else lambda r: callback(intermediate_result=r)
    return lambda r: callback(r.x)


def _is_few(method: str, x0: Any, jac: Any, bounds: Any) -> bool:
    """Whether bounds leave a search to SciPy, which is faster for few variables."""
    if bounds is None:
        return False
    has_gradient = callable(jac) or jac is True
    return method != "l-bfgs-b" or not has_gradient or math.prod(as_array(x0).shape) < FEW


def _check_derivatives(method: str, jac: Any, hess: Any, hessp: Any) -> None:
    if method == "newton-cg" and not (callable(jac) or jac is True):
        raise ValueError("Jacobian is required for Newton-CG method")
    if method == "trust-ncg":
        if not (callable(jac) or jac is True):
            raise ValueError("Jacobian is required for trust region methods")
        if hess is None and hessp is None:
            raise ValueError(
                "Either the Hessian or the Hessian-vector product is currently required for trust "
                "region methods"
            )


def minimize(
    fun,
    x0,
    args=(),
    method=None,
    jac=None,
    hess=None,
    hessp=None,
    bounds=None,
    constraints=(),
    tol=None,
    callback=None,
    options=None,
) -> OptimizeResult:
    """Find a minimum of a function of several variables.

    Parameters
    ----------
    fun : callable
        Function ``fun(x, *args)`` of a device array of shape (n,), that returns a number, on the
        device or on the host.
    x0 : array_like, (n,)
        Vector at which the search begins.
    args : tuple, optional
        Further arguments of the function and of its derivatives.
    method : str or callable, optional
        'BFGS', 'CG', 'L-BFGS-B', 'Newton-CG' and 'trust-ncg' run on the device; 'Nelder-Mead',
        'Powell', 'TNC', 'COBYLA', 'COBYQA', 'SLSQP', 'trust-constr', 'dogleg', 'trust-exact' and
        'trust-krylov' are SciPy's. By default 'BFGS', with bounds 'L-BFGS-B', with constraints
        'SLSQP'.
    jac : callable, bool or {'2-point', '3-point', 'cs'}, optional
        Gradient ``jac(x, *args)``. If True, `fun` returns it beside the value. By default, or by
        name, it is computed by differences, n calls of `fun` or more.
    hess : callable, HessianUpdateStrategy or {'2-point', '3-point', 'cs'}, optional
        Hessian ``hess(x, *args)``: an array of shape (n, n), a sparse matrix or a `LinearOperator`;
        for 'trust-constr' also a strategy, or the kind of differences of the gradient.
    hessp : callable, optional
        Product of the Hessian with a vector, ``hessp(x, p, *args)``.
    bounds : Bounds or sequence of pairs, optional
        Bounds of the variables.
    constraints : dict, constraint, or list of them, optional
        Constraints of 'SLSQP', 'COBYLA', 'COBYQA' and 'trust-constr', whose functions take device
        arrays.
    tol : float, optional
        Tolerance; which of the options it sets is the method's matter.
    callback : callable, optional
        Function that is called after each iteration with the vector or, if its parameter is named
        `intermediate_result`, with a result. It may raise StopIteration.
    options : dict, optional
        Options of the method, as SciPy's documentation lists them; `maxiter` and `disp` of all.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `status`, `message`, `nit`, `nfev`, and those
        that a method adds: `jac`, `njev`, `hess_inv`, `nhev`. Vectors and matrices are on the
        device.

    Raises
    ------
    ValueError
        If the method is not known, or derivatives that it needs are missing.

    See Also
    --------
    least_squares : sums of squares
    minimize_scalar : functions of a number

    Notes
    -----
    With the methods that run on the device, vectors stay there; each evaluation reads the value and
    the slope, and each iteration a few lengths and products. 'L-BFGS-B' reads 4 `maxcor` numbers
    with them; with bounds it is SciPy's, unless there are 2000 variables or more and `jac`. SciPy's
    methods keep the n variables on the host: each evaluation uploads them and reads value and
    gradient.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import minimize
    >>> target = cp.array([1.0, 2.0])
    >>> found = minimize(lambda x: ((x - target) ** 2).sum(), cp.zeros(2))
    >>> found.x.round(4)
    array([1., 2.])
    """
    args = tuple_of(args)
    name = _method_of(method, bounds, constraints)
    if callable(name) or name not in _DEFAULTS or _is_few(name, x0, jac, bounds):
        return _by_scipy(
            fun, x0, args, name, jac, hess, hessp, bounds, constraints, tol, callback, options
        )
    x = vector(x0)
    if not (callable(jac) or jac is True):  # differences need the digits
        x = x.astype(np.float64, copy=False)
    _check_derivatives(name, jac, hess, hessp)
    if not isinstance(constraints, dict) and len(constraints):
        warn(f"Method {method} cannot handle constraints.", RuntimeWarning)
    chosen = _options(name, options, tol)
    objective = Objective(fun, args, jac, chosen["eps"], chosen["finite_diff_rel_step"])
    callback = _callback(callback)
    if bounds is not None:
        low, high = box_on_device(bounds, x.size)
        if bool((low == high).all()):
            return _all_fixed(objective, low.astype(x.dtype))
        return lbfgs(objective, x, callback, chosen, (low, high))
    if name in _FIRST:
        return _FIRST[name](objective, x, callback, chosen)
    curvature = Curvature(objective, args, hess, hessp, chosen["eps"])
    return _SECOND[name](objective, x, callback, chosen, curvature)


def _all_fixed(objective: Objective, x: ndarray) -> OptimizeResult:
    """The result where bounds leave no choice."""
    return OptimizeResult(
        x=x,
        fun=float(objective.value(x)),
        success=True,
        message="All independent variables were fixed by bounds.",
        nfev=1,
        njev=0,
        nhev=0,
    )


def _by_scipy(
    fun, x0, args, method, jac, hess, hessp, bounds, constraints, tol, callback, options
) -> OptimizeResult:
    """The same with a driver of SciPy's."""
    both = jac is True
    with errors_of_compiled_code():
        found = scipy_optimize().minimize(
            value_and_gradient(fun, args) if both else on_host(fun, args, number),
            array_on_host(x0, None),
            method=method,
            jac=True if both else on_host(jac, args),
            hess=on_host(hess, args),
            hessp=None if hessp is None else on_host(hessp, args),
            bounds=to_host(bounds),
            constraints=constraints_on_host(constraints),
            tol=tol,
            callback=callback_on_host(callback),
            options=options_on_host(options),
        )
    return to_device(found)


def minimize_scalar(
    fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None
) -> OptimizeResult:
    """Find a minimum of a function of a number.

    Parameters
    ----------
    fun : callable
        Function of a number of the host that returns a number, on the host or on the device, from
        which it is read.
    bracket : sequence of float, optional
        Two or three numbers about a minimum, for 'brent' and 'golden'.
    bounds : pair of float, optional
        Interval that is searched, for 'bounded'.
    args : tuple, optional
        Further arguments of the function.
    method : {'brent', 'golden', 'bounded'}, optional
        Method of SciPy's: by default 'bounded' with bounds, else 'brent'.
    tol : float, optional
        Relative tolerance of the result.
    options : dict, optional
        Options of the method, among them `maxiter` and `disp`.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `message`, `nit` and `nfev`.

    Notes
    -----
    SciPy chooses the numbers on the host. `elementwise.find_minimum` is for many functions at once.

    Examples
    --------
    >>> from gpunp.scipy.optimize import minimize_scalar
    >>> round(float(minimize_scalar(lambda x: (x - 2.0) ** 2).x), 6)
    2.0
    """
    return to_device(
        scipy_optimize().minimize_scalar(
            on_host(fun, tuple_of(args), number),
            bracket=to_host(bracket),
            bounds=to_host(bounds),
            method=method,
            tol=tol,
            options=options,
        )
    )
