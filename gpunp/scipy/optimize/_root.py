"""Systems of equations, assignments, global minima: SciPy's drivers of functions on the device."""

import inspect
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.multiarray import asarray, ndarray
from ..._core.shape_base import stack
from ..._core.umath import matmul
from ._constraints import bounds_on_host, constraints_on_host
from ._host import (
    array_on_host,
    callback_on_host,
    number,
    on_host,
    scipy_optimize,
    to_device,
    to_host,
)
from ._objective import EPS, difference_columns, tuple_of, vector
from ._result import OptimizeResult

__all__ = [
    "approx_fprime",
    "check_grad",
    "differential_evolution",
    "fsolve",
    "isotonic_regression",
    "linear_sum_assignment",
    "root",
]


def root(
    fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None
) -> OptimizeResult:
    """Find a zero of a function of several variables with as many values.

    Parameters
    ----------
    fun : callable
        Function ``fun(x, *args)`` of a device array of shape (n,), that returns one of that shape.
    x0 : array_like, (n,)
        Vector at which the search begins.
    args : tuple, optional
        Further arguments of the function and of its Jacobian.
    method : str, optional
        Method of SciPy's: 'hybr', 'lm', 'broyden1', 'broyden2', 'anderson', 'linearmixing',
        'diagbroyden', 'excitingmixing', 'krylov' or 'df-sane'.
    jac : callable or bool, optional
        Jacobian ``jac(x, *args)`` of shape (n, n), for 'hybr' and 'lm'; True says that `fun`
        returns it beside its values.
    tol : float, optional
        Tolerance of the search.
    callback : callable, optional
        Function ``callback(x, f)`` that is called after each iteration, except by 'hybr' and 'lm'.
    options : dict, optional
        Options of the method.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `message` and those that a method adds. Vectors
        and matrices are device arrays.

    Notes
    -----
    SciPy keeps the n variables on the host: an evaluation uploads them and reads n values.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import root
    >>> root(lambda x: x**2 - cp.array([1.0, 4.0]), cp.array([2.0, 3.0])).x.round(6)
    array([1., 2.])
    """
    found = scipy_optimize().root(
        on_host(fun, tuple_of(args)),
        array_on_host(x0, None),
        method=method,
        jac=on_host(jac, tuple_of(args)),
        tol=tol,
        callback=callback_on_host(callback),
        options={} if options is None else {k: to_host(v) for k, v in options.items()},
    )
    return to_device(found)


def fsolve(
    func,
    x0,
    args=(),
    fprime=None,
    full_output=0,
    col_deriv=0,
    xtol=1.49012e-08,
    maxfev=0,
    band=None,
    epsfcn=None,
    factor=100,
    diag=None,
) -> Any:
    """Find a zero of a function of several variables by the method of Powell (MINPACK).

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array of shape (n,), that returns one of that shape.
    x0 : array_like, (n,)
        Vector at which the search begins.
    args : tuple, optional
        Further arguments of the functions.
    fprime : callable, optional
        Jacobian ``fprime(x, *args)``; by default it is computed by differences.
    full_output : bool, optional
        If True, return also what became of the iterations.
    col_deriv : bool, optional
        Whether the Jacobian has a row for each variable.
    xtol : float, optional
        Relative change of the variables at which the search ends.
    maxfev : int, optional
        Largest number of evaluations.
    band : pair of int, optional
        Numbers of diagonals of the Jacobian below and above the main one.
    epsfcn : float, optional
        Square of the relative step of differences.
    factor : float, optional
        Bound of the first step, from 0.1 to 100.
    diag : array_like, (n,), optional
        Scale factors of the variables.

    Returns
    -------
    x : ndarray, (n,)
        Zero of the function.
    infodict, ier, mesg : dict, int, str
        With `full_output`: counts and factors, the status (1: a zero was found), the message.

    Notes
    -----
    SciPy keeps the n variables on the host: an evaluation uploads them and reads n values.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import fsolve
    >>> fsolve(lambda x: x**2 - 4, cp.array([3.0])).round(6)
    array([2.])
    """
    args = tuple_of(args)
    found = scipy_optimize().fsolve(
        on_host(func, args),
        array_on_host(x0, None),
        fprime=on_host(fprime, args),
        full_output=full_output,
        col_deriv=col_deriv,
        xtol=xtol,
        maxfev=maxfev,
        band=band,
        epsfcn=epsfcn,
        factor=factor,
        diag=to_host(diag),
    )
    if not full_output:
        return to_device(found)
    x, info, status, message = found
    return asarray(x), dict(to_device(info)), status, message


def linear_sum_assignment(cost_matrix, maximize=False) -> tuple[ndarray, ndarray]:
    """Find the assignment of rows to columns of the smallest sum.

    Parameters
    ----------
    cost_matrix : array_like, (m, n)
        Costs of assigning rows to columns, which are copied to the host.
    maximize : bool, optional
        If True, the largest sum is wanted.

    Returns
    -------
    row_ind, col_ind : ndarray, (min(m, n),)
        Rows in ascending order, and the column of each.

    Raises
    ------
    ValueError
        If the matrix has NaN, or no assignment is finite.

    Notes
    -----
    SciPy finds the assignment on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import linear_sum_assignment
    >>> linear_sum_assignment(cp.array([[4, 1, 3], [2, 0, 5], [3, 2, 2]]))[1]
    array([1, 0, 2])
    """
    rows, columns = scipy_optimize().linear_sum_assignment(to_host(cost_matrix), bool(maximize))
    return asarray(rows), asarray(columns)


def isotonic_regression(y, *, weights=None, increasing=True) -> OptimizeResult:
    """Fit a monotone sequence to a sequence, by least squares.

    Parameters
    ----------
    y : array_like, (n,)
        Sequence, which is copied to the host.
    weights : array_like, (n,), optional
        Positive weights of the squares.
    increasing : bool, optional
        Whether the fit increases, else it decreases.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `weights` and `blocks`: the fit, and weights and ends of its
        constant parts.

    Notes
    -----
    SciPy finds the fit on the host, by pooling adjacent violators.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import isotonic_regression
    >>> isotonic_regression(cp.array([1.0, 3.0, 2.0])).x
    array([1. , 2.5, 2.5])
    """
    found = scipy_optimize().isotonic_regression(
        array_on_host(y, None),
        weights=None if weights is None else array_on_host(weights, None),
        increasing=increasing,
    )
    return to_device(found)


def differential_evolution(
    func,
    bounds,
    args=(),
    strategy="best1bin",
    maxiter=1000,
    popsize=15,
    tol=0.01,
    mutation=(0.5, 1),
    recombination=0.7,
    rng=None,
    callback=None,
    disp=False,
    polish=True,
    init="latinhypercube",
    atol=0,
    updating="immediate",
    workers=1,
    constraints=(),
    x0=None,
    *,
    integrality=None,
    vectorized=False,
) -> OptimizeResult:
    """Search a box for the global minimum of a function by differential evolution.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array of shape (n,) that returns a number; with
        `vectorized` of one of shape (n, s), a population as columns, that returns s numbers.
    bounds : Bounds or sequence of pairs
        Bounds of the variables.
    args : tuple, optional
        Further arguments of the function.
    strategy : str or callable, optional
        How trial vectors are made.
    maxiter : int, optional
        Largest number of generations.
    popsize : int, optional
        Size of the population over the number of variables.
    tol, atol : float, optional
        Relative and absolute spread of the population's values at which the search ends.
    mutation : float or pair of float, optional
        Weight of differences; a pair are the ends from which it is drawn in each generation.
    recombination : float, optional
        Probability with which a component is taken from the trial vector.
    rng : int or numpy.random.Generator, optional
        Generator of the host, or its seed.
    callback : callable, optional
        Function that is called after each generation, as for `minimize`.
    disp : bool, optional
        If True, print the value of each generation.
    polish : bool, optional
        If True, the best vector is improved by 'L-BFGS-B'.
    init : str or array_like, optional
        First population, or how it is drawn.
    updating : {'immediate', 'deferred'}, optional
        Whether vectors are replaced at once, or after a generation, as `vectorized` needs.
    workers : int, optional
        Accepted for compatibility with SciPy; must be 1.
    constraints : constraint or list of them, optional
        Constraints, whose functions take device arrays.
    x0 : array_like, (n,), optional
        Vector that is put into the first population.
    integrality : array_like of bool, (n,), optional
        Which variables are whole numbers.
    vectorized : bool, optional
        Whether the function takes a population at once.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `message`, `nit`, `nfev`, `population` and
        `population_energies`; arrays are on the device.

    Notes
    -----
    SciPy makes the populations on the host. With `vectorized` a generation is uploaded as one array
    and its values are read at once, so the function does its work in few launches.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import differential_evolution
    >>> found = differential_evolution(
    ...     lambda x: (x**2).sum(axis=0), [(-3, 4), (-3, 4)], rng=1, updating="deferred",
    ...     vectorized=True)
    >>> found.success, float(found.fun) < 1e-10
    (True, True)
    """
    if workers != 1:
        raise ValueError("`workers` must be 1: the device evaluates a population by `vectorized`")
    driver = scipy_optimize().differential_evolution
    seed = {"rng" if "rng" in inspect.signature(driver).parameters else "seed": rng}
    found = driver(
        on_host(func, tuple_of(args), to_host if vectorized else number),
        bounds_on_host(bounds),
        strategy=strategy,
        maxiter=maxiter,
        popsize=popsize,
        tol=tol,
        mutation=mutation,
        recombination=recombination,
        **seed,
        callback=callback_on_host(callback),
        disp=disp,
        polish=polish,
        init=to_host(init),
        atol=atol,
        updating=updating,
        constraints=constraints_on_host(constraints),
        x0=None if x0 is None else array_on_host(x0),
        integrality=None if integrality is None else array_on_host(integrality, bool),
        vectorized=vectorized,
    )
    return to_device(found)


def approx_fprime(xk, f, epsilon=EPS**0.5, *args) -> ndarray:
    """Approximate the gradient or the Jacobian of a function by forward differences.

    Parameters
    ----------
    xk : array_like, (n,)
        Vector at which the derivatives are wanted.
    f : callable
        Function ``f(x, *args)`` that returns a number or a vector of m.
    epsilon : float or array_like, (n,), optional
        Steps of the variables.
    *args : object
        Further arguments of the function.

    Returns
    -------
    ndarray, (n,) or (m, n)
        Derivatives of the function. Nothing waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import approx_fprime
    >>> approx_fprime(cp.array([1.0, 2.0]), lambda x: (x**2).sum()).round(5)
    array([2., 4.])
    """
    x = vector(xk)
    steps = as_array(epsilon).astype(x.dtype) + 0 * x
    value = as_array(f(x, *args))
    columns = difference_columns(lambda point: f(point, *args), x, value, steps, "2-point")
    return stack(columns, axis=-1).astype(x.dtype, copy=False)


def check_grad(func, grad, x0, *args, epsilon=EPS**0.5, direction="all", rng=None) -> ndarray:
    """Compute the distance between a gradient and one by differences.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` that returns a number.
    grad : callable
        Its gradient ``grad(x, *args)``.
    x0 : array_like, (n,)
        Vector at which the two are compared.
    *args : object
        Further arguments of the functions.
    epsilon : float, optional
        Step of the differences.
    direction : {'all', 'random'}, optional
        Whether all components are compared, or the derivative in one random direction.
    rng : int or numpy.random.Generator, optional
        Generator of the host, or its seed, for the direction.

    Returns
    -------
    ndarray
        Norm of the difference, an array without axes.

    Raises
    ------
    ValueError
        If `direction` is not known.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import check_grad
    >>> float(check_grad(lambda x: (x**2).sum(), lambda x: 2 * x, cp.ones(3))) < 1e-6
    True
    """
    x = vector(x0)
    exact = as_array(grad(x, *args))
    if direction == "random":
        drawn = asarray(np.random.default_rng(rng).standard_normal(x.size)).astype(x.dtype)
        along = approx_fprime(x[:1] * 0, lambda a: func(x + a[0] * drawn, *args), epsilon)
        difference = matmul(exact, drawn) - along
    elif direction == "all":
        difference = exact - approx_fprime(x, func, epsilon, *args)
    else:
        raise ValueError(f"{direction} is not a valid string for `direction` argument")
    return (difference**2).sum() ** 0.5
