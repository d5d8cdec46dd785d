"""Rosenbrock's function, a valley that methods are tried on, and its derivatives."""

from ..._core._convert import as_array
from ..._core.multiarray import empty, ndarray, zeros
from ...lib._twodim_base_impl import diag

__all__ = ["rosen", "rosen_der", "rosen_hess", "rosen_hess_prod"]


def rosen(x) -> ndarray:
    """Compute Rosenbrock's function ``sum(100 (x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)``.

    Parameters
    ----------
    x : array_like, (n,) or (n, ...)
        Variables along the first axis.

    Returns
    -------
    ndarray
        Value of the function, without the first axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.optimize.rosen(cp.array([0.1, 0.2, 0.3])).round(6)
    array(8.5)
    """
    x = as_array(x)
    if x.dtype.kind not in "biufc":
        raise TypeError(f"x must be of numbers, not of {x.dtype}")
    return (100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0).sum(axis=0)


def rosen_der(x) -> ndarray:
    """Compute the gradient of Rosenbrock's function.

    Parameters
    ----------
    x : array_like, (n,)
        Variables of the function.

    Returns
    -------
    ndarray, (n,)
        Gradient of `rosen`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.optimize.rosen_der(cp.ones(3)) == 0
    array([ True,  True,  True])
    """
    x = as_array(x)
    x = x if x.dtype.kind in "fc" else x.astype(float)
    rest = x[1:] - x[:-1] ** 2
    g = zeros(x.shape, x.dtype)
    g[1:] = 200 * rest
    g[:-1] -= 400 * x[:-1] * rest + 2 * (1 - x[:-1])
    return g


def _diagonals(x: ndarray) -> tuple[ndarray, ndarray]:
    """The diagonal of the Hessian, and the one beside it."""
    main = empty(x.size, x.dtype)
    main[:-1] = 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    main[-1] = 0
    main[1:] += 200
    return main, -400 * x[:-1]


def rosen_hess(x) -> ndarray:
    """Compute the Hessian of Rosenbrock's function.

    Parameters
    ----------
    x : array_like, (n,)
        Variables of the function.

    Returns
    -------
    ndarray, (n, n)
        Hessian of `rosen`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.optimize.rosen_hess(cp.ones(2))
    array([[ 802., -400.],
           [-400.,  200.]])
    """
    x = as_array(x)
    main, beside = _diagonals(x if x.dtype.kind in "fc" else x.astype(float))
    return diag(main) + diag(beside, 1) + diag(beside, -1)


def rosen_hess_prod(x, p) -> ndarray:
    """Multiply a vector by the Hessian of Rosenbrock's function.

    Parameters
    ----------
    x : array_like, (n,)
        Variables of the function.
    p : array_like, (n,)
        Vector that is multiplied.

    Returns
    -------
    ndarray, (n,)
        Product of the Hessian of `rosen` and `p`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.optimize.rosen_hess_prod(cp.ones(2), cp.array([1.0, 0.0]))
    array([ 802., -400.])
    """
    x, p = as_array(x), as_array(p)
    main, beside = _diagonals(x if x.dtype.kind in "fc" else x.astype(float))
    product = main * p
    product[:-1] += beside * p[1:]
    product[1:] += beside * p[:-1]
    return product
