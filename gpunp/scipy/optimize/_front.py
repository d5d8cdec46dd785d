"""Functions for single methods of `minimize`, which are older than it."""

import inspect
from typing import Any

import numpy as np

from ..._core._convert import number_on_host, shown
from ..._core._docstrings import documented_as
from ._host import (
    array_on_host,
    callback_on_host,
    errors_of_compiled_code,
    number,
    on_host,
    scipy_optimize,
    to_device,
    to_host,
    value_and_gradient,
)
from ._minimize import minimize
from ._objective import EPS, Objective, tuple_of
from ._result import OptimizeResult

__all__ = [
    "fmin",
    "fmin_bfgs",
    "fmin_cg",
    "fmin_cobyla",
    "fmin_l_bfgs_b",
    "fmin_ncg",
    "fmin_powell",
    "fmin_slsqp",
    "fmin_tnc",
    "show_options",
]


# What the functions return with `full_output`, by name: attribute of the result, type, description.
_VALUES = {
    "xopt": ("x", "ndarray, (n,)", "Vector of the minimum."),
    "fopt": ("fun", "float", "With `full_output`: the value there."),
    "gopt": ("jac", "ndarray, (n,)", "With `full_output`: the gradient there."),
    "Bopt": ("hess_inv", "ndarray, (n, n)", "With `full_output`: approximate inverse Hessian."),
    "direc": ("direc", "ndarray, (n, n)", "With `full_output`: directions of the last searches."),
    "iter": ("nit", "int", "With `full_output`: number of iterations."),
    "funcalls": ("nfev", "int", "With `full_output`: number of evaluations."),
    "gcalls": ("njev", "int", "With `full_output`: number of gradients."),
    "hcalls": ("nhev", "int", "With `full_output`: number of Hessians, or of their products."),
    "warnflag": ("status", "int", "With `full_output`: status of the result of `minimize`."),
    "allvecs": ("allvecs", "list of ndarray", "With `retall`: vectors of all iterations."),
}
_RETURNED = {
    "fmin": "xopt fopt iter funcalls warnflag",
    "fmin_powell": "xopt fopt direc iter funcalls warnflag",
    "fmin_bfgs": "xopt fopt gopt Bopt funcalls gcalls warnflag",
    "fmin_cg": "xopt fopt funcalls gcalls warnflag",
    "fmin_ncg": "xopt fopt funcalls gcalls hcalls warnflag",
}


def _outputs(name: str, found: OptimizeResult, full: Any, retall: Any) -> Any:
    """What an older function returns: x, or a tuple of what the table lists."""
    attributes = [_VALUES[value][0] for value in _RETURNED[name].split()]
    values = tuple(found[attribute] for attribute in attributes) if full else (found.x,)
    if retall:
        values = (*values, found.allvecs)
    return values if len(values) > 1 else values[0]


def _describes_returns(function: Any) -> Any:
    """Write the section Returns of an older function from the table."""
    lines = ["Returns", "-------"]
    for name in (*_RETURNED[function.__name__].split(), "allvecs"):
        _, type_, text = _VALUES[name]
        lines += [f"{name} : {type_}", f"    {text}"]
    head, heading, rest = (inspect.getdoc(function) or "").partition("Examples\n---")
    function.__doc__ = head + "\n".join(lines) + "\n\n" + heading + rest
    return function


@_describes_returns
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
        Further arguments of the functions.
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
    return _outputs("fmin", found, full_output, retall)


@documented_as(fmin)
@_describes_returns
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
    return _outputs("fmin_powell", found, full_output, retall)


@documented_as(fmin)
@_describes_returns
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
    fprime : callable, optional
        Gradient ``fprime(x, *args)``; by default it is computed by differences.
    gtol : float, optional
        Norm of the gradient at which the search ends.
    norm : float, optional
        Order of that norm.
    epsilon : float or array_like, optional
        Step of the differences that replace derivatives.
    maxiter : int, optional
        Largest number of iterations.
    xrtol : float, optional
        Relative change of the vector at which the search ends.
    c1, c2 : float, optional
        Constants of Wolfe's conditions.
    hess_inv0 : array_like, (n, n), optional
        Inverse Hessian at which the search begins.

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
    return _outputs("fmin_bfgs", found, full_output, retall)


@documented_as(fmin_bfgs)
@_describes_returns
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
    return _outputs("fmin_cg", found, full_output, retall)


@documented_as(fmin_bfgs)
@_describes_returns
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

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_ncg
    >>> fmin_ncg(lambda x: ((x - 1) ** 2).sum(), cp.zeros(2), lambda x: 2 * (x - 1), disp=False)
    array([1., 1.])
    """
    options = {
        "xtol": avextol,
        "eps": number_on_host(epsilon),
        "maxiter": maxiter,
        "disp": disp,
        "return_all": retall,
        "c1": c1,
        "c2": c2,
    }
    found = minimize(
        f, x0, args, "Newton-CG", fprime, fhess, fhess_p, callback=callback, options=options
    )
    return _outputs("fmin_ncg", found, full_output, retall)


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
    gradient = found.get("jac")
    if gradient is None:  # bounds leave no choice
        gradient = Objective(func, args, jac, epsilon).gradient(found.x)
    counts = {"funcalls": found.nfev, "nit": found.get("nit", 0)}
    counts["warnflag"] = found.get("status", 0)
    return found.x, found.fun, {"grad": gradient, "task": found.message, **counts}


@documented_as(fmin_l_bfgs_b)
def fmin_tnc(
    func,
    x0,
    fprime=None,
    args=(),
    approx_grad=0,
    bounds=None,
    epsilon=1e-8,
    scale=None,
    offset=None,
    messages=15,
    maxCGit=-1,
    maxfun=None,
    eta=-1,
    stepmx=0,
    accuracy=0,
    fmin=0,
    ftol=-1,
    xtol=-1,
    pgtol=-1,
    rescale=-1,
    disp=None,
    callback=None,
) -> Any:
    """Find a minimum within bounds by a truncated Newton method; see `minimize`.

    Parameters
    ----------
    scale, offset : array_like, (n,), optional
        Factors and shifts of the variables; by default they follow from the bounds.
    messages : int, optional
        Flags of messages that are printed: 0 prints none.
    maxCGit : int, optional
        Largest number of products with the Hessian in an iteration.
    eta : float, optional
        Severity of the line search, between 0 and 1.
    stepmx : float, optional
        Largest step of a line search.
    accuracy : float, optional
        Relative precision of differences.
    fmin : float, optional
        Estimate of the value at the minimum.
    ftol, xtol, pgtol : float, optional
        Changes of the value and of the scaled vector, and the scaled gradient, at which the search
        ends; negative numbers mean defaults.
    rescale : float, optional
        Decades by which the value changes before it is scaled again.
    disp : int, optional
        Flags of messages, in place of `messages`.

    Returns
    -------
    x : ndarray, (n,)
        Vector of the minimum.
    nfeval : int
        Number of evaluations.
    rc : int
        How the search ended, by SciPy's table of return codes.

    Notes
    -----
    SciPy keeps the n variables on the host: an evaluation uploads them, and reads value and
    gradient.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_tnc
    >>> x, *_ = fmin_tnc(lambda x: ((x - 1) ** 2).sum(), cp.zeros(2), lambda x: 2 * (x - 1),
    ...                  messages=0)
    >>> x.round(4)
    array([1., 1.])
    """
    args = tuple_of(args)
    has_both = fprime is None and not approx_grad
    x, count, code = scipy_optimize().fmin_tnc(
        value_and_gradient(func, args) if has_both else on_host(func, args, number),
        array_on_host(x0, None),
        on_host(fprime, args),
        (),
        approx_grad,
        to_host(bounds),
        epsilon,
        to_host(scale),
        to_host(offset),
        messages,
        maxCGit,
        maxfun,
        eta,
        stepmx,
        accuracy,
        fmin,
        ftol,
        xtol,
        pgtol,
        rescale,
        disp,
        callback_on_host(callback),
    )
    return to_device(x), count, code


@documented_as(fmin)
def fmin_cobyla(
    func,
    x0,
    cons,
    args=(),
    consargs=None,
    rhobeg=1.0,
    rhoend=1e-4,
    maxfun=1000,
    disp=None,
    catol=2e-4,
    *,
    callback=None,
) -> Any:
    """Find a minimum under inequalities by linear interpolation; see `minimize`.

    Parameters
    ----------
    cons : callable or sequence of callable
        Functions ``cons(x, *consargs)`` whose values are not to be negative.
    args : tuple, optional
        Further arguments of the function.
    consargs : tuple, optional
        Further arguments of the constraints; by default `args`.
    rhobeg, rhoend : float, optional
        Sizes of the first and of the last changes of the variables.
    maxfun : int, optional
        Largest number of evaluations.
    disp : int, optional
        0: print nothing, 1: how the search ended, 2 and 3: more.
    catol : float, optional
        Tolerance of the constraints' values.

    Returns
    -------
    ndarray, (n,)
        Vector of the minimum.

    Notes
    -----
    SciPy keeps the n variables on the host: an evaluation uploads them and reads the values.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_cobyla
    >>> fmin_cobyla(lambda x: (x**2).sum(), cp.ones(2), lambda x: x[0] - 0.5).round(2) + 0.0
    array([0.5, 0. ])
    """
    args = tuple_of(args)
    others = args if consargs is None else tuple_of(consargs)
    constraints = []
    for each in cons if np.iterable(cons) else [cons]:
        if not callable(each):
            raise TypeError(
                f"cons must be a function or a sequence of functions, not {shown(cons)}"
            )
        constraints.append(on_host(each, others))
    found = scipy_optimize().fmin_cobyla(
        on_host(func, args, number),
        array_on_host(x0, None),
        constraints,
        (),
        (),
        rhobeg,
        rhoend,
        maxfun,
        disp,
        catol,
        callback=callback_on_host(callback),
    )
    return to_device(found)


@documented_as(fmin_cobyla)
def fmin_slsqp(
    func,
    x0,
    eqcons=(),
    f_eqcons=None,
    ieqcons=(),
    f_ieqcons=None,
    bounds=(),
    fprime=None,
    fprime_eqcons=None,
    fprime_ieqcons=None,
    args=(),
    iter=100,
    acc=1e-6,
    iprint=1,
    disp=None,
    full_output=0,
    epsilon=EPS**0.5,
    callback=None,
) -> Any:
    """Find a minimum under equations and inequalities by quadratic programs; see `minimize`.

    Parameters
    ----------
    eqcons, ieqcons : list of callable, optional
        Functions ``f(x, *args)`` whose values are to be zero, and not negative.
    f_eqcons, f_ieqcons : callable, optional
        Functions that return arrays of such values, in place of the lists.
    bounds : sequence of pairs, optional
        Lower and upper bounds of the variables; None means none.
    fprime : callable, optional
        Gradient ``fprime(x, *args)``; by default it is computed by differences.
    fprime_eqcons, fprime_ieqcons : callable, optional
        Jacobians of the constraints, a row for each.
    iter : int, optional
        Largest number of iterations.
    acc : float, optional
        Tolerance of the result.
    iprint : int, optional
        0 or less: print nothing, 1: how the search ended, 2 and more: each iteration.
    disp : int, optional
        The same in place of `iprint`.
    full_output : bool, optional
        If True, return all that is described below.
    epsilon : float, optional
        Step of the differences that replace derivatives.

    Returns
    -------
    out : ndarray, (n,)
        Vector of the minimum.
    fx : float
        With `full_output`: the value there.
    its, imode, smode : int, int, str
        With `full_output`: number of iterations, how the search ended, and the message.

    Raises
    ------
    ValueError
        If the bounds are not those of n variables.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fmin_slsqp
    >>> found = fmin_slsqp(lambda x: (x**2).sum(), cp.ones(2), [lambda x: x[0] - 0.5], iprint=0)
    >>> found.round(4) + 0.0
    array([0.5, 0. ])
    """
    args = tuple_of(args)
    with errors_of_compiled_code():
        found = scipy_optimize().fmin_slsqp(
            on_host(func, args, number),
            array_on_host(x0, None),
            [on_host(each, args, number) for each in eqcons],
            on_host(f_eqcons, args),
            [on_host(each, args, number) for each in ieqcons],
            on_host(f_ieqcons, args),
            to_host(bounds),
            on_host(fprime, args),
            on_host(fprime_eqcons, args),
            on_host(fprime_ieqcons, args),
            (),
            iter,
            acc,
            iprint,
            disp,
            full_output,
            epsilon,
            callback_on_host(callback),
        )
    return to_device(found)


def show_options(solver=None, method=None, disp=True) -> str | None:
    """Print the options of the methods, which are SciPy's.

    Parameters
    ----------
    solver : str, optional
        'minimize', 'minimize_scalar', 'root', 'root_scalar', 'linprog' or 'quadratic_assignment';
        by default all.
    method : str, optional
        Method of the solver; by default all.
    disp : bool, optional
        If False, return the text and print nothing.

    Returns
    -------
    str or None
        Text of SciPy's documentation, if `disp` is False.

    Raises
    ------
    ValueError
        If the solver or the method is not known.

    Examples
    --------
    >>> from gpunp.scipy.optimize import show_options
    >>> "gtol" in show_options("minimize", "BFGS", disp=False)
    True
    """
    return scipy_optimize().show_options(solver, method, disp)
