"""Systems of equations by SciPy's drivers, and gradients by differences."""

from typing import Any

from ..._core._convert import as_array
from ..._core.multiarray import asarray, ndarray
from ..._core.randomness import host_generator
from ..._core.shape_base import stack
from ..._core.umath import matmul
from .._host import also_named
from ._host import (
    array_on_host,
    callback_on_host,
    on_host,
    options_on_host,
    scipy_optimize,
    to_device,
    to_host,
)
from ._nonlin import NONLINEAR, root_nonlinear
from ._objective import EPS, difference_columns, tuple_of, vector
from ._result import OptimizeResult

__all__ = [
    "approx_fprime",
    "check_grad",
    "fsolve",
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
        'broyden1', 'broyden2', 'anderson', 'linearmixing', 'diagbroyden', 'excitingmixing' and
        'krylov' run on the device; 'hybr', 'lm' and 'df-sane' are SciPy's.
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
    With the methods of the device, variables of any shape stay there, as for `broyden1` and
    `newton_krylov`. With the others SciPy keeps the n variables on the host: an evaluation uploads
    them and reads n values.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import root
    >>> root(lambda x: x**2 - cp.array([1.0, 4.0]), cp.array([2.0, 3.0])).x.round(6)
    array([1., 2.])
    """
    if isinstance(method, str) and method.lower() in NONLINEAR:
        if jac is True:  # which these methods do without
            both = fun

            def fun(x: Any, *args: Any) -> Any:
                return both(x, *args)[0]

        return root_nonlinear(fun, x0, tuple_of(args), method.lower(), tol, callback, options)
    found = scipy_optimize().root(
        on_host(fun, tuple_of(args)),
        array_on_host(x0, None),
        method=method,
        jac=on_host(jac, tuple_of(args)),
        tol=tol,
        callback=callback_on_host(callback),
        options=options_on_host(options),
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
    steps = as_array(epsilon)
    if steps.ndim > 1:
        raise ValueError(f"epsilon must be a number or a vector, not of the shape {steps.shape}")
    steps = steps.astype(x.dtype) + 0 * x
    value = as_array(f(x, *args))
    columns = difference_columns(lambda point: f(point, *args), x, value, steps, "2-point")
    return stack(columns, axis=-1).astype(x.dtype, copy=False)


@also_named("seed", "rng")
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
        drawn = asarray(host_generator(to_host(rng)).standard_normal(x.size)).astype(x.dtype)
        along = approx_fprime(x[:1] * 0, lambda a: func(x + a[0] * drawn, *args), epsilon)
        difference = matmul(exact, drawn) - along
    elif direction == "all":
        difference = exact - approx_fprime(x, func, epsilon, *args)
    else:
        raise ValueError(f"{direction} is not a valid string for `direction` argument")
    return (difference**2).sum() ** 0.5
