"""The older names of methods of `minimize`."""

from typing import Any

from ..._core._docstrings import documented_as
from ._minimize import minimize
from ._objective import EPS
from ._result import OptimizeResult

__all__ = ["fmin", "fmin_bfgs", "fmin_cg", "fmin_l_bfgs_b", "fmin_ncg", "fmin_powell"]


def _outputs(found: OptimizeResult, names: str, full: Any, retall: Any) -> Any:
    """What an older function returns: x, or a tuple of what its documentation lists."""
    values = tuple(found[name] for name in names.split()) if full else (found.x,)
    if retall:
        values = (*values, found.allvecs)
    return values if len(values) > 1 else values[0]


def fmin(
    func,
    x0,
    args=(),
    xtol=0.0001,
    ftol=0.0001,
    maxiter=None,
    maxfun=None,
    full_output=0,
    disp=1,
    retall=0,
    callback=None,
    initial_simplex=None,
) -> Any:
    """Find a minimum by the simplices of Nelder and Mead; see `minimize`.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array of shape (n,), that returns a number.
    x0 : array_like, (n,)
        Vector at which the search begins.
    args : tuple, optional
        Further arguments of the function.
    xtol, ftol : float, optional
        Differences of vectors and of values at which the search ends.
    maxiter, maxfun : int, optional
        Largest numbers of iterations and of evaluations.
    full_output : bool, optional
        If True, return all that is described below.
    disp : bool, optional
        If True, print how the search ended.
    retall : bool, optional
        If True, return also the vectors of all iterations.
    callback : callable, optional
        Function that is called with the vector after each iteration.
    initial_simplex : array_like, (n + 1, n), optional
        Vectors at which the search begins.

    Returns
    -------
    xopt : ndarray, (n,)
        Vector of the minimum.
    fopt : float
        With `full_output`: the value there.
    iter, funcalls, warnflag : int
        With `full_output`: counts of iterations and of evaluations, the status.
    allvecs : list of ndarray
        With `retall`: vectors of all iterations.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin
    >>> fmin(lambda x: (x[0] - 1) ** 2, cp.zeros(1), disp=False).round(3)
    array([1.])
    """
    options = {
        "xatol": xtol,
        "fatol": ftol,
        "maxiter": maxiter,
        "maxfev": maxfun,
        "disp": disp,
        "return_all": retall,
        "initial_simplex": initial_simplex,
    }
    found = minimize(func, x0, args, "Nelder-Mead", callback=callback, options=options)
    return _outputs(found, "x fun nit nfev status", full_output, retall)


@documented_as(fmin)
def fmin_powell(
    func,
    x0,
    args=(),
    xtol=0.0001,
    ftol=0.0001,
    maxiter=None,
    maxfun=None,
    full_output=0,
    disp=1,
    retall=0,
    callback=None,
    direc=None,
) -> Any:
    """Find a minimum by searches along lines after Powell; see `minimize`.

    Parameters
    ----------
    direc : array_like, (n, n), optional
        Directions of the first searches, as rows.

    Returns
    -------
    xopt : ndarray, (n,)
        Vector of the minimum.
    fopt : float
        With `full_output`: the value there.
    direc : ndarray, (n, n)
        With `full_output`: directions of the last searches.
    iter, funcalls, warnflag : int
        With `full_output`: counts of iterations and of evaluations, the status.
    allvecs : list of ndarray
        With `retall`: vectors of all iterations.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_powell
    >>> fmin_powell(lambda x: ((x - 1) ** 2).sum(), cp.zeros(2), disp=False).round(3)
    array([1., 1.])
    """
    options = {
        "xtol": xtol,
        "ftol": ftol,
        "maxiter": maxiter,
        "maxfev": maxfun,
        "disp": disp,
        "return_all": retall,
        "direc": direc,
    }
    found = minimize(func, x0, args, "Powell", callback=callback, options=options)
    return _outputs(found, "x fun direc nit nfev status", full_output, retall)


def fmin_bfgs(
    f,
    x0,
    fprime=None,
    args=(),
    gtol=1e-05,
    norm=float("inf"),
    epsilon=EPS**0.5,
    maxiter=None,
    full_output=0,
    disp=1,
    retall=0,
    callback=None,
    xrtol=0,
    c1=0.0001,
    c2=0.9,
    hess_inv0=None,
) -> Any:
    """Find a minimum by the BFGS method on the device; see `minimize`.

    Parameters
    ----------
    f : callable
        Function ``f(x, *args)`` of a device array of shape (n,), that returns a number.
    x0 : array_like, (n,)
        Vector at which the search begins.
    fprime : callable, optional
        Gradient ``fprime(x, *args)``; by default it is computed by differences.
    args : tuple, optional
        Further arguments of the functions.
    gtol : float, optional
        Norm of the gradient at which the search ends.
    norm : float, optional
        Order of that norm.
    epsilon : float or array_like, optional
        Step of the differences that replace derivatives.
    maxiter : int, optional
        Largest number of iterations.
    full_output : bool, optional
        If True, return all that is described below.
    disp : bool, optional
        If True, print how the search ended.
    retall : bool, optional
        If True, return also the vectors of all iterations.
    callback : callable, optional
        Function that is called with the vector after each iteration.
    xrtol : float, optional
        Relative change of the vector at which the search ends.
    c1, c2 : float, optional
        Constants of Wolfe's conditions.
    hess_inv0 : array_like, (n, n), optional
        Inverse Hessian at which the search begins.

    Returns
    -------
    xopt : ndarray, (n,)
        Vector of the minimum.
    fopt : float
        With `full_output`: the value there.
    gopt : ndarray, (n,)
        With `full_output`: the gradient there.
    Bopt : ndarray, (n, n)
        With `full_output`: approximation of the inverse Hessian.
    func_calls, grad_calls, warnflag : int
        With `full_output`: counts of evaluations, the status.
    allvecs : list of ndarray
        With `retall`: vectors of all iterations.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_bfgs
    >>> fmin_bfgs(lambda x: ((x - 1) ** 2).sum(), cp.zeros(2), disp=False).round(4)
    array([1., 1.])
    """
    options = {
        "gtol": gtol,
        "norm": norm,
        "eps": epsilon,
        "maxiter": maxiter,
        "disp": disp,
        "return_all": retall,
        "xrtol": xrtol,
        "c1": c1,
        "c2": c2,
        "hess_inv0": hess_inv0,
    }
    found = minimize(f, x0, args, "BFGS", fprime, callback=callback, options=options)
    return _outputs(found, "x fun jac hess_inv nfev njev status", full_output, retall)


@documented_as(fmin_bfgs)
def fmin_cg(
    f,
    x0,
    fprime=None,
    args=(),
    gtol=1e-05,
    norm=float("inf"),
    epsilon=EPS**0.5,
    maxiter=None,
    full_output=0,
    disp=1,
    retall=0,
    callback=None,
    c1=0.0001,
    c2=0.4,
) -> Any:
    """Find a minimum by nonlinear conjugate gradients on the device; see `minimize`.

    Returns
    -------
    xopt : ndarray, (n,)
        Vector of the minimum.
    fopt : float
        With `full_output`: the value there.
    func_calls, grad_calls, warnflag : int
        With `full_output`: counts of evaluations, the status.
    allvecs : list of ndarray
        With `retall`: vectors of all iterations.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_cg
    >>> fmin_cg(lambda x: ((x - 1) ** 2).sum(), cp.zeros(2), disp=False).round(4)
    array([1., 1.])
    """
    options = {
        "gtol": gtol,
        "norm": norm,
        "eps": epsilon,
        "maxiter": maxiter,
        "disp": disp,
        "return_all": retall,
        "c1": c1,
        "c2": c2,
    }
    found = minimize(f, x0, args, "CG", fprime, callback=callback, options=options)
    return _outputs(found, "x fun nfev njev status", full_output, retall)


@documented_as(fmin_bfgs)
def fmin_ncg(
    f,
    x0,
    fprime,
    fhess_p=None,
    fhess=None,
    args=(),
    avextol=1e-05,
    epsilon=EPS**0.5,
    maxiter=None,
    full_output=0,
    disp=1,
    retall=0,
    callback=None,
    c1=0.0001,
    c2=0.9,
) -> Any:
    """Find a minimum by Newton steps from conjugate gradients on the device; see `minimize`.

    Parameters
    ----------
    fhess_p : callable, optional
        Product of the Hessian with a vector, ``fhess_p(x, p, *args)``.
    fhess : callable, optional
        Hessian ``fhess(x, *args)``; without both, gradients are differenced.
    avextol : float, optional
        Average change of the variables at which the search ends.

    Returns
    -------
    xopt : ndarray, (n,)
        Vector of the minimum.
    fopt : float
        With `full_output`: the value there.
    fcalls, gcalls, hcalls, warnflag : int
        With `full_output`: counts of evaluations, the status.
    allvecs : list of ndarray
        With `retall`: vectors of all iterations.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_ncg
    >>> fmin_ncg(lambda x: ((x - 1) ** 2).sum(), cp.zeros(2), lambda x: 2 * (x - 1), disp=False)
    array([1., 1.])
    """
    options = {
        "xtol": avextol,
        "eps": epsilon,
        "maxiter": maxiter,
        "disp": disp,
        "return_all": retall,
        "c1": c1,
        "c2": c2,
    }
    found = minimize(
        f, x0, args, "Newton-CG", fprime, fhess, fhess_p, callback=callback, options=options
    )
    return _outputs(found, "x fun nfev njev nhev status", full_output, retall)


@documented_as(fmin_bfgs)
def fmin_l_bfgs_b(
    func,
    x0,
    fprime=None,
    args=(),
    approx_grad=0,
    bounds=None,
    m=10,
    factr=1e7,
    pgtol=1e-5,
    epsilon=1e-8,
    maxfun=15000,
    maxiter=15000,
    callback=None,
    maxls=20,
) -> Any:
    """Find a minimum by the limited-memory BFGS method; see `minimize`.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array of shape (n,), that returns a number; without
        `fprime` and `approx_grad` the gradient as well.
    approx_grad : bool, optional
        If True, the gradient is computed by differences.
    bounds : sequence of pairs, optional
        Lower and upper bounds of the variables; None means none.
    m : int, optional
        Number of steps that the inverse Hessian is made of.
    factr : float, optional
        Relative change of the value at which the search ends, in units of rounding.
    pgtol : float, optional
        Largest component of the gradient at which the search ends.
    maxfun : int, optional
        Largest number of evaluations.
    maxls : int, optional
        Largest number of steps of a line search.

    Returns
    -------
    x : ndarray, (n,)
        Vector of the minimum.
    f : float
        Value of the function there.
    d : dict
        Gradient as `grad`, message as `task`, counts as `funcalls` and `nit`, status as `warnflag`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_l_bfgs_b
    >>> x, f, d = fmin_l_bfgs_b(lambda x: ((x - 1) ** 2).sum(), cp.zeros(2), lambda x: 2 * (x - 1))
    >>> x.round(4)
    array([1., 1.])
    """
    jac = None if approx_grad else True if fprime is None else fprime
    options = {
        "maxcor": m,
        "ftol": factr * EPS,
        "gtol": pgtol,
        "eps": epsilon,
        "maxfun": maxfun,
        "maxiter": maxiter,
        "maxls": maxls,
    }
    found = minimize(
        func, x0, args, "L-BFGS-B", jac, bounds=bounds, callback=callback, options=options
    )
    counts = {"funcalls": found.nfev, "nit": found.nit, "warnflag": found.status}
    return found.x, found.fun, {"grad": found.jac, "task": found.message, **counts}
