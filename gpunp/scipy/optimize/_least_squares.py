"""Least squares: residuals and Jacobians stay on the device, and SciPy's drivers see their factors.

Drivers ask of residuals f and Jacobian J nothing but products of J, f and their transposes, which
stay what they are when Q^T is applied to both. Q is chosen so that f becomes a multiple of the
first unit vector: then f of a trial point is one number, its norm, and J is the triangle of a QR
factorisation of (f, J) without its first column, of n + 1 rows whatever the number of residuals.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import linalg as _nl
from ..._core._convert import as_array, as_host, refuse_text, shown, whole, without_cycles
from ..._core._warnings import warn
from ..._core.multiarray import asarray, concatenate, ndarray, zeros
from ..._core.shape_base import stack
from ..._core.umath import isfinite, isnan, matmul
from ...lib._twodim_base_impl import eye
from ._host import (
    array_on_host,
    callback_on_host,
    on_host,
    scipy_optimize,
    to_device,
    to_host,
)
from ._objective import difference_columns, steps_of, tuple_of, within
from ._result import OptimizeResult

__all__ = ["curve_fit", "least_squares", "leastsq", "lsq_linear", "nnls"]


def triangle_of(matrix: ndarray) -> np.ndarray:
    """The triangle of a QR factorisation, on the host, with as many rows as columns."""
    rows, columns = matrix.shape
    if rows < columns:
        below = zeros((columns - rows, columns), matrix.dtype)
        matrix = concatenate((matrix, below))
    return _nl.qr(matrix, mode="r").get()


class Residuals:
    """Residuals and their Jacobian on the device, compressed for a driver on the host.

    Parameters
    ----------
    fun : callable
        Residuals of a device array.
    jac : callable or str
        Their Jacobian, or a kind of differences.
    relative : array_like, optional
        Relative steps of differences.
    bounds : pair of array, optional
        Bounds within which forward differences stay.
    """

    def __init__(self, fun: Callable, jac: Any, relative: Any = None, bounds: Any = None) -> None:
        self._fun, self._jac, self._relative, self._bounds = fun, jac, relative, bounds
        self.nfev = self.njev = 0
        self._at: dict[bytes, ndarray] = {}  # residuals of the last points
        self.f: Any = None
        self.jacobian: Any = None
        self._has_few_digits = False

    def _values(self, x: np.ndarray) -> ndarray:
        key = x.tobytes()
        if key not in self._at:
            self.nfev += 1
            f = as_array(self._fun(asarray(x)))
            if f.ndim > 1:
                raise ValueError(f"`fun` must return at most 1-d array_like. f0.shape: {f.shape}")
            if len(self._at) > 3:
                self._at.pop(next(iter(self._at)))
            self._has_few_digits = f.dtype == np.float32
            self._at[key] = f.reshape(-1).astype(np.float64, copy=False)
        return self._at[key]

    def count(self, x: np.ndarray) -> int:
        """Number of residuals."""
        return self._values(x).size

    def compressed(self, x: np.ndarray) -> np.ndarray:
        """The norm of the residuals and n zeros. Waits for the device."""
        f = self._values(x)
        out = np.zeros(x.size + 1)
        out[0] = float(_nl.norm(f)) if f.size else 0.0
        return out

    def compressed_jacobian(self, x: np.ndarray, *_: Any) -> np.ndarray:
        """The Jacobian in the same coordinates. Waits for the device."""
        self.njev += 1
        f = self._values(x)
        state = asarray(x)
        if callable(self._jac):
            jacobian = _dense(self._jac(state))
            jacobian = jacobian if jacobian.ndim > 1 else jacobian.reshape(1, -1)
        else:

            def counted(point: ndarray) -> ndarray:
                return as_array(self._fun(point)).reshape(-1)

            if not x.size:
                raise ValueError("x0 must have at least one element")
            relative = self._relative
            if relative is None and self._has_few_digits:
                relative = np.finfo(np.float32).eps ** (1 / 3 if self._jac == "3-point" else 0.5)
            h = within(state, steps_of(state, self._jac, relative), self._bounds)
            columns = difference_columns(counted, state, f, h, self._jac)
            jacobian = stack(columns, axis=1)
        if jacobian.shape != (f.size, x.size):
            raise ValueError(
                "The return value of `jac` has wrong shape: expected "
                f"{(f.size, x.size)}, actual {jacobian.shape}."
            )
        jacobian = jacobian.astype(np.float64, copy=False)
        self.f, self.jacobian = f, jacobian
        r = triangle_of(concatenate((f[:, None], jacobian), axis=1))
        r = r if r[0, 0] >= 0 else -r
        if r[0, 0] == 0:  # no residuals: any basis does
            r[0] = 0
        return r[:, 1:]

    def at(self, x: np.ndarray) -> tuple[ndarray, ndarray]:
        """Residuals and Jacobian at the solution, on the device."""
        key = x.tobytes()
        if self.jacobian is None or self.f is not self._at.get(key):
            self.compressed_jacobian(x)
        return self.f, self.jacobian


def _dense(matrix: Any) -> ndarray:
    """A matrix that may be a sparse one or an operator."""
    if hasattr(matrix, "tocsr"):
        return matrix.toarray()
    if hasattr(matrix, "matmat"):
        return matrix.matmat(eye(matrix.shape[1]))
    return as_array(matrix)


def _function(fun: Any, args: Any, kwargs: Any) -> Callable:
    args, kwargs = tuple_of(args), kwargs or {}
    return lambda x: fun(x, *args, **kwargs)


def _count(max_nfev: Any) -> Any:
    """A largest number of evaluations: SciPy's loops do not end at a fraction."""
    if max_nfev is None or (isinstance(max_nfev, float) and max_nfev == np.inf):
        return max_nfev
    refuse_text(max_nfev, "max_nfev")
    return whole(max_nfev, "max_nfev")


def least_squares(
    fun,
    x0,
    jac="2-point",
    bounds=(-np.inf, np.inf),
    method="trf",
    ftol=1e-8,
    xtol=1e-8,
    gtol=1e-8,
    x_scale=None,
    loss="linear",
    f_scale=1.0,
    diff_step=None,
    tr_solver=None,
    tr_options=None,
    jac_sparsity=None,
    max_nfev=None,
    verbose=0,
    args=(),
    kwargs=None,
    callback=None,
    workers=None,
) -> OptimizeResult:
    """Minimize the sum of squares of functions of several variables.

    Parameters
    ----------
    fun : callable
        Residuals ``fun(x, *args, **kwargs)``, an array of shape (m,) of one of shape (n,).
    x0 : array_like, (n,)
        Vector at which the search begins.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        Jacobian ``jac(x, *args, **kwargs)`` of shape (m, n), or the kind of differences that
        replaces it.
    bounds : Bounds or pair of array_like, optional
        Lower and upper bounds of the variables.
    method : {'trf', 'dogbox', 'lm'}, optional
        Method of SciPy's; 'lm' takes no bounds.
    ftol, xtol, gtol : float or None, optional
        Relative changes of the sum and of the variables, and size of the gradient, at which the
        search ends.
    x_scale : array_like or 'jac', optional
        Sizes of the variables, or 'jac' to take those of the Jacobian's columns.
    loss : str or callable, optional
        'linear', 'soft_l1', 'huber', 'cauchy', 'arctan', or a function of the squares of the
        residuals, which is called with arrays of the host.
    f_scale : float, optional
        Size of residuals from which a loss treats them as outliers.
    diff_step : array_like, optional
        Relative steps of differences.
    tr_solver : {'exact', 'lsmr'}, optional
        How the trust-region problems are solved.
    tr_options : dict, optional
        Options of that solver.
    jac_sparsity : None, optional
        Must be None: Jacobians are dense matrices.
    max_nfev : int, optional
        Largest number of evaluations.
    verbose : {0, 1, 2}, optional
        How much is printed.
    args : tuple, optional
        Further arguments of the functions.
    kwargs : dict, optional
        Further arguments by name.
    callback : callable, optional
        Function that is called after each iteration, as for `minimize`.
    workers : None, optional
        Accepted for compatibility with SciPy and ignored.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `cost`, `fun` (m,), `jac` (m, n), `grad`, `optimality`,
        `active_mask`, `nfev`, `njev`, `status`, `message` and `success`.

    Raises
    ------
    ValueError
        If shapes disagree, `x0` is outside of its bounds, or residuals are not finite there.

    See Also
    --------
    curve_fit : fits a function to points

    Notes
    -----
    Residuals and Jacobian stay on the device: an evaluation reads one number, an iteration the
    triangle of a QR factorisation, (n + 1)^2 numbers, on which SciPy's method works. With a loss
    other than 'linear' all residuals and the Jacobian are copied to the host in each iteration.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import least_squares
    >>> t = cp.linspace(0, 1, 100)
    >>> found = least_squares(lambda x: x[0] * cp.exp(-x[1] * t) - 2 * cp.exp(-3 * t), [1.0, 1.0])
    >>> found.x.round(5)
    array([2., 3.])
    """
    if jac_sparsity is not None:
        raise TypeError("`jac_sparsity` is not supported: Jacobians are dense")
    x = array_on_host(x0, None)
    if x.dtype.kind == "c":
        raise ValueError("`x0` must be real.")
    x = x.astype(float)
    options = {
        "bounds": to_host(bounds),
        "method": method,
        "ftol": ftol,
        "xtol": xtol,
        "gtol": gtol,
        "x_scale": to_host(x_scale),
        "max_nfev": _count(max_nfev),
        "verbose": verbose,
        "tr_solver": tr_solver,
        "tr_options": tr_options,
    }
    options = {
        key: without_cycles(value)
        for key, value in options.items()
        if value is not None or "tol" in key
    }
    if callback is not None:
        options["callback"] = callback_on_host(callback)
    called = _function(fun, args, kwargs)
    jacobian = _function(jac, args, kwargs) if callable(jac) else jac
    if loss != "linear":
        found = scipy_optimize().least_squares(
            on_host(called),
            x,
            jac=on_host(jacobian),
            loss=on_host(loss) if callable(loss) else loss,
            f_scale=without_cycles(f_scale),
            diff_step=to_host(diff_step),
            **options,
        )
        return to_device(found)
    if jacobian not in ("2-point", "3-point", "cs") and not callable(jacobian):
        raise ValueError("`jac` must be '2-point', '3-point', 'cs' or callable.")
    residuals = Residuals(called, jacobian, to_host(diff_step), _pair(bounds))
    if x.ndim <= 1 and method == "lm" and residuals.count(np.atleast_1d(x)) < x.size:
        raise ValueError(
            "Method 'lm' doesn't work when the number of residuals is less than the "
            "number of variables."
        )
    found = scipy_optimize().least_squares(
        residuals.compressed, x, jac=residuals.compressed_jacobian, **options
    )
    f, j = residuals.at(found.x)
    found["fun"], found["jac"] = f, j
    if not callable(jac) and method == "lm":  # MINPACK's differences are no Jacobians to SciPy
        found["njev"] = None
    return to_device(found)


# ---- fits ----------------------------------------------------------------------------------------


def _weights(sigma: Any, count: int) -> tuple[Any, bool]:
    """Standard deviations, or the factor of the covariances; and which of the two."""
    if sigma is None:
        return None, False
    sigma = as_array(sigma).astype(np.float64)
    if sigma.shape == (count,) or sigma.size == 1:
        return sigma, False
    if sigma.shape == (count, count):
        return _nl.cholesky(sigma), True
    raise ValueError("`sigma` has incorrect shape.")


def _weighting(sigma: Any, count: int) -> Callable[[ndarray], ndarray]:
    """The function that divides residuals, and rows of Jacobians, by deviations."""
    weight, is_matrix = _weights(sigma, count)
    if weight is None:
        return lambda values: values
    if not is_matrix:
        return lambda values: (values.T / weight).T
    from ..linalg import solve_triangular

    return lambda values: solve_triangular(weight, values, lower=True, check_finite=False)


def _covariance(r: np.ndarray, n: int) -> tuple[np.ndarray, bool]:
    """Inverse of J^T J of the triangle of J, and whether it exists."""
    _, s, vt = np.linalg.svd(r, full_matrices=False)
    least = np.finfo(float).eps * max(r.shape) * (s[0] if s.size else 0)
    kept = s > least
    if kept.sum() < n or not np.isfinite(s).all():
        return np.full((n, n), np.inf), False
    return (vt.T / s**2) @ vt, True


def _start(f: Any, p0: Any, bounds: Any) -> np.ndarray:
    if p0 is not None:
        return np.atleast_1d(array_on_host(p0))
    import inspect

    parameters = list(inspect.signature(f).parameters.values())
    if any(p.kind is p.VAR_POSITIONAL for p in parameters) or len(parameters) < 2:
        raise ValueError("Unable to determine number of fit parameters.")
    n = len(parameters) - 1
    low, high = (np.broadcast_to(as_host(b, float), n) for b in bounds)
    start = np.ones(n)
    both = np.isfinite(low) & np.isfinite(high)
    start[both] = 0.5 * (low[both] + high[both])
    above, below = np.isfinite(low) & ~np.isfinite(high), ~np.isfinite(low) & np.isfinite(high)
    start[above], start[below] = low[above] + 1, high[below] - 1
    return start


def _pair(bounds: Any) -> tuple:
    if hasattr(bounds, "lb"):
        return array_on_host(bounds.lb), array_on_host(bounds.ub)
    low, high = to_host(bounds)
    return as_host(low, float), as_host(high, float)


def _data(value: Any, check: bool, name: str) -> Any:
    """Data on the device as float64; NaN and infinities are refused where that is asked for."""
    if isinstance(value, (list, tuple, ndarray, int, float)):
        value = as_array(value)
        if value.dtype.kind in "biuf":
            value = value.astype(np.float64, copy=False)
        if check and value.dtype.kind in "fc" and not bool(isfinite(value).all()):
            raise ValueError(f"{name} must not contain infs or NaNs")
    return value


def _without_nan(x: Any, y: ndarray, sigma: Any, policy: str) -> tuple[Any, ndarray, Any]:
    """Points without NaN, whose places are along the last axis of `x`, with their deviations."""
    has_nan = isnan(y)
    if isinstance(x, ndarray) and x.dtype.kind in "fc":
        has_nan = has_nan | isnan(x).any(axis=tuple(range(x.ndim - 1)))
    if not bool(has_nan.any()):
        return x, y, sigma
    if policy == "raise":
        raise ValueError("The input contains nan values")
    kept = ~has_nan
    if sigma is not None:
        sigma = as_array(sigma)
        if sigma.size > 1:
            sigma = sigma[kept] if sigma.ndim < 2 else sigma[kept][:, kept]
    return x[..., kept], y[kept], sigma


def curve_fit(
    f,
    xdata,
    ydata,
    p0=None,
    sigma=None,
    absolute_sigma=False,
    check_finite=None,
    bounds=(-np.inf, np.inf),
    method=None,
    jac=None,
    *,
    full_output=False,
    nan_policy=None,
    **kwargs,
) -> tuple:
    """Fit the parameters of a function to points by least squares.

    Parameters
    ----------
    f : callable
        Function ``f(xdata, *parameters)`` of device arrays; the parameters are numbers of the host.
    xdata : array_like or object
        Places of the points, as the function takes them.
    ydata : array_like, (m,)
        Values at these places.
    p0 : array_like, (n,), optional
        Parameters at which the search begins: by default ones, or within the bounds.
    sigma : array_like, (m,) or (m, m), optional
        Standard deviations of the values, or their covariances.
    absolute_sigma : bool, optional
        If True, `sigma` is taken as it is; otherwise its ratios count.
    check_finite : bool, optional
        If True, the default, raise ValueError if the data contain NaN or infinity. The check waits
        for the device.
    bounds : Bounds or pair of array_like, optional
        Lower and upper bounds of the parameters.
    method : {'lm', 'trf', 'dogbox'}, optional
        Method of `least_squares`: by default 'trf' with bounds, else 'lm'.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        Jacobian ``jac(xdata, *parameters)`` of shape (m, n), or the kind of differences.
    full_output : bool, optional
        If True, return also a dict, a message and a status.
    nan_policy : {None, 'raise', 'omit'}, optional
        Whether NaN in the data raises, or its points are left out, which waits for the device;
        None leaves it to `check_finite`, which is False by default with a policy.
    **kwargs : object
        Further arguments of `least_squares`.

    Returns
    -------
    popt : ndarray, (n,)
        Parameters of the fit.
    pcov : ndarray, (n, n)
        Estimated covariances of the parameters; infinite where they are not determined.
    infodict, mesg, ier : dict, str, int
        With `full_output`: residuals as `fvec` and counts as `nfev`, the message, the status.

    Raises
    ------
    ValueError
        If data are not finite or their shapes disagree.
    RuntimeError
        If the search does not converge.

    See Also
    --------
    least_squares : what this calls

    Notes
    -----
    Data and residuals stay on the device, as `least_squares` says.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import curve_fit
    >>> t = cp.linspace(0, 2, 50)
    >>> found, _ = curve_fit(lambda t, a, b: a * cp.exp(-b * t), t, 2 * cp.exp(-3 * t))
    >>> found.round(5)
    array([2., 3.])
    """
    if nan_policy not in (None, "raise", "omit"):
        raise ValueError(f"`nan_policy` must be None, 'raise' or 'omit', not {shown(nan_policy)}")
    if "args" in kwargs:
        raise ValueError("`args` is not a supported keyword argument.")
    limits = _pair(bounds)
    start = _start(f, p0, limits)
    n = start.size
    is_bounded = bool((limits[0] > -np.inf).any() or (limits[1] < np.inf).any())
    method = method or ("trf" if is_bounded else "lm")
    if method == "lm" and is_bounded:
        raise ValueError(
            "Method 'lm' only works for unconstrained problems. Use 'trf' or 'dogbox'."
        )
    check = nan_policy is None if check_finite is None else check_finite
    y = as_array(_data(ydata, check, "ydata")).astype(np.float64, copy=False)
    x = _data(xdata, check, "xdata")
    if nan_policy is not None:
        x, y, sigma = _without_nan(x, y, sigma, nan_policy)
    if y.size == 0:
        raise ValueError("`ydata` must not be empty!")
    weighted = _weighting(sigma, y.size)

    def residuals(p: ndarray) -> ndarray:
        return weighted(as_array(f(x, *p.get().tolist())).reshape(-1) - y.reshape(-1))

    # One value may stand for all points.
    few = y.size < n and (y.size != 1 or residuals(asarray(start)).size < n)
    if method == "lm" and few:
        raise TypeError(
            f"The number of func parameters={n} must not exceed the number of data points={y.size}"
        )

    def jacobian(p: ndarray) -> ndarray:
        return weighted(as_array(jac(x, *p.get().tolist())).astype(np.float64))

    derivative = jacobian if callable(jac) else (jac or "2-point")
    if "maxfev" in kwargs and "max_nfev" not in kwargs:
        kwargs["max_nfev"] = kwargs.pop("maxfev")
    found = least_squares(residuals, start, derivative, bounds, method, **kwargs)
    if not found.success:
        raise RuntimeError("Optimal parameters not found: " + found.message)
    covariance, is_known = _covariance(triangle_of(found.jac), n)
    if is_known and not absolute_sigma:
        is_known = found.fun.size > n
        scale = 2 * found.cost / (found.fun.size - n) if is_known else np.inf
        covariance = covariance * scale if is_known else np.full((n, n), np.inf)
    if not is_known:
        warn(
            "Covariance of the parameters could not be estimated", scipy_optimize().OptimizeWarning
        )
    popt, pcov = found.x, asarray(covariance)
    if full_output:
        return popt, pcov, {"nfev": found.nfev, "fvec": found.fun}, found.message, found.status
    return popt, pcov


def leastsq(
    func,
    x0,
    args=(),
    Dfun=None,
    full_output=False,
    col_deriv=False,
    ftol=1.49012e-08,
    xtol=1.49012e-08,
    gtol=0.0,
    maxfev=0,
    epsfcn=None,
    factor=100,
    diag=None,
) -> tuple:
    """Minimize a sum of squares by the method of Levenberg and Marquardt (MINPACK).

    Parameters
    ----------
    func : callable
        Residuals ``func(x, *args)``, an array of shape (m,) of a device array of shape (n,).
    x0 : array_like, (n,)
        Vector at which the search begins.
    args : tuple, optional
        Further arguments of the functions.
    Dfun : callable, optional
        Jacobian ``Dfun(x, *args)``; by default it is computed by differences.
    full_output : bool, optional
        If True, return all that is described below.
    col_deriv : bool, optional
        Whether the Jacobian has a row for each variable.
    ftol, xtol, gtol : float, optional
        Relative changes of the sum and of the variables, and cosine between residuals and columns,
        at which the search ends.
    maxfev : int, optional
        Largest number of evaluations.
    epsfcn : float, optional
        Square of the relative step of differences.
    factor : float, optional
        Bound of the first step, from 0.1 to 100.
    diag : array_like, (n,), optional
        Scale factors of the variables.

    Returns
    -------
    x : ndarray, (n,)
        Solution of the problem.
    cov_x : ndarray, (n, n)
        Inverse of J^T J, or None, with `full_output`.
    infodict : dict
        With `full_output`: `nfev` and the residuals `fvec`.
    mesg : str
        With `full_output`: why the search ended.
    ier : int
        Status; 1 to 4 say that a solution was found.

    Notes
    -----
    Residuals and Jacobian stay on the device, as `least_squares` says.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import leastsq
    >>> x, status = leastsq(lambda x: x - cp.array([1.0, 2.0]), [0.0, 0.0])
    >>> x.round(6)
    array([1., 2.])
    """
    args = tuple_of(args)
    start = array_on_host(x0).reshape(-1)
    called = _function(func, args, None)
    derivative: Any = "2-point"
    if Dfun is not None:

        def derivative(x: ndarray) -> ndarray:
            made = as_array(Dfun(x, *args))
            made = made.T if col_deriv else made
            if made.shape != (count, x.size):
                raise TypeError(
                    f"Improper input: Dfun gives shape {made.shape}, not {(count, x.size)}"
                )
            return made

    relative = None if epsfcn is None else max(float(epsfcn), np.finfo(float).eps) ** 0.5
    residuals = Residuals(called, derivative, relative)
    count = residuals.count(start)
    if count < start.size:
        raise TypeError(
            f"Improper input: func input vector length N={start.size} must not exceed func output "
            f"vector length M={count}"
        )
    found = scipy_optimize().leastsq(
        residuals.compressed,
        start,
        Dfun=residuals.compressed_jacobian,
        full_output=True,
        ftol=ftol,
        xtol=xtol,
        gtol=gtol,
        maxfev=maxfev or 200 * (start.size + 1),
        factor=factor,
        diag=to_host(diag),
    )
    x, covariance, info, message, status = found
    if not full_output:
        if status not in (1, 2, 3, 4):
            warn(message, RuntimeWarning)
        return asarray(x), status
    values, _ = residuals.at(x)
    covariance = None if covariance is None else asarray(covariance)
    return asarray(x), covariance, {"nfev": info["nfev"], "fvec": values}, message, status


# ---- linear problems -----------------------------------------------------------------------------


def _compressed_system(A: Any, b: Any) -> tuple[np.ndarray, np.ndarray, ndarray, ndarray]:
    """The triangle of (A, b) as a system of the host, and the system itself."""
    A = _dense(A).astype(np.float64)
    b = as_array(b).astype(np.float64)
    if A.ndim != 2:
        raise ValueError(f"Expected a 2-D array for A, not one of shape {A.shape}")
    if b.ndim > 2 or (b.ndim == 2 and b.shape[1] != 1):
        raise ValueError(f"Expected a 1-D array for b, not one of shape {b.shape}")
    b = b.reshape(-1)
    if A.shape[0] != b.size:
        raise ValueError(
            f"Incompatible dimensions. The first dimension of A is {A.shape[0]}, while the shape "
            f"of b is {b.shape}"
        )
    r = triangle_of(concatenate((A, b[:, None]), axis=1))
    return r[:, :-1], r[:, -1], A, b


def nnls(A, b, *, maxiter=None) -> tuple[ndarray, float]:
    """Solve a linear least-squares problem whose unknowns are not negative.

    Parameters
    ----------
    A : array_like, (m, n)
        Matrix of the problem.
    b : array_like, (m,)
        Right-hand side of the problem.
    maxiter : int, optional
        Largest number of iterations: by default three times the number of unknowns.

    Returns
    -------
    x : ndarray, (n,)
        Solution of the problem.
    rnorm : float
        Norm of the residual, a number of the host.

    Raises
    ------
    ValueError
        If shapes disagree.
    RuntimeError
        If the iterations do not end.

    Notes
    -----
    The matrix is reduced on the device by a QR factorisation; its triangle of (n + 1)^2 numbers is
    read, of which SciPy finds the solution.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import nnls
    >>> nnls(cp.array([[1.0, 0.0], [0.0, 1.0]]), cp.array([2.0, -1.0]))
    (array([2., 0.]), 1.0)
    """
    r, side, _, _ = _compressed_system(A, b)
    x, norm = scipy_optimize().nnls(r, side, maxiter=maxiter)
    return asarray(x), float(norm)


def lsq_linear(
    A,
    b,
    bounds=(-np.inf, np.inf),
    method="trf",
    tol=1e-10,
    lsq_solver=None,
    lsmr_tol=None,
    max_iter=None,
    verbose=0,
    *,
    lsmr_maxiter=None,
) -> OptimizeResult:
    """Solve a linear least-squares problem with bounds on the unknowns.

    Parameters
    ----------
    A : array_like, (m, n)
        Matrix of the problem; a sparse one, and a `LinearOperator`, become dense.
    b : array_like, (m,)
        Right-hand side of the problem.
    bounds : Bounds or pair of array_like, optional
        Lower and upper bounds of the unknowns.
    method : {'trf', 'bvls'}, optional
        Method of SciPy's: reflective trust regions, or active sets.
    tol : float, optional
        Relative change of the sum, or size of the gradient, at which the search ends.
    lsq_solver : {'exact', 'lsmr'}, optional
        How problems without bounds are solved.
    lsmr_tol : float or 'auto', optional
        Tolerance of the solver 'lsmr', or 'auto'.
    max_iter : int, optional
        Largest number of iterations.
    verbose : {0, 1, 2}, optional
        How much is printed.
    lsmr_maxiter : int, optional
        Largest number of iterations of that solver.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun` (m,), `cost`, `optimality`, `active_mask`, `unbounded_sol`,
        `nit`, `status`, `message` and `success`.

    Raises
    ------
    ValueError
        If shapes disagree or bounds exclude each other.

    Notes
    -----
    The matrix is reduced on the device by a QR factorisation; its triangle of (n + 1)^2 numbers is
    read, of which SciPy finds the solution.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import lsq_linear
    >>> lsq_linear(cp.eye(2), cp.array([2.0, -1.0]), (0, 1)).x.round(6)
    array([1., 0.])
    """
    r, side, A, b = _compressed_system(A, b)
    found = scipy_optimize().lsq_linear(
        r,
        side,
        bounds=to_host(bounds),
        method=method,
        tol=tol,
        lsq_solver=lsq_solver,
        lsmr_tol=lsmr_tol,
        max_iter=max_iter,
        verbose=verbose,
        lsmr_maxiter=lsmr_maxiter,
    )
    found = to_device(found)
    found["fun"] = matmul(A, found.x) - b
    return found
