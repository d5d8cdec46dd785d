"""Linear programs, assignments and monotone fits, which SciPy finds on the host."""

from ..._core.multiarray import asarray, ndarray
from ._constraints import constraints_on_host
from ._host import (
    array_on_host,
    callback_on_host,
    options_on_host,
    scipy_optimize,
    to_device,
    to_host,
)
from ._result import OptimizeResult

__all__ = [
    "isotonic_regression",
    "linear_sum_assignment",
    "linprog",
    "milp",
    "quadratic_assignment",
]


def linprog(
    c,
    A_ub=None,
    b_ub=None,
    A_eq=None,
    b_eq=None,
    bounds=(0, None),
    method="highs",
    callback=None,
    options=None,
    x0=None,
    integrality=None,
) -> OptimizeResult:
    """Minimize a linear function under linear constraints.

    Parameters
    ----------
    c : array_like, (n,)
        Coefficients of the function.
    A_ub : array_like or sparse array, (m, n), optional
        Matrix of the inequalities ``A_ub @ x <= b_ub``.
    b_ub : array_like, (m,), optional
        Right-hand sides of the inequalities.
    A_eq : array_like or sparse array, (k, n), optional
        Matrix of the equations ``A_eq @ x == b_eq``.
    b_eq : array_like, (k,), optional
        Right-hand sides of the equations.
    bounds : sequence of pairs or pair, optional
        Bounds of the variables, or of all; None means none. By default variables are not negative.
    method : {'highs', 'highs-ds', 'highs-ipm'}, optional
        Simplex or interior-point method of HiGHS; by default it chooses.
    callback : callable, optional
        Function of results, which the methods of HiGHS refuse.
    options : dict, optional
        Options of the method, as SciPy's documentation lists them.
    x0 : array_like, (n,), optional
        Accepted for compatibility with SciPy, whose methods ignore it.
    integrality : array_like of int, (n,), optional
        Which variables are whole numbers (1), as `milp` has it.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `slack`, `con`, `success`, `status`, `message`, `nit`, and
        `lower`, `upper`, `eqlin`, `ineqlin` with residuals and marginals. Arrays are on the device.

    Notes
    -----
    SciPy solves the program on the host, to which coefficients and matrices are copied.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import linprog
    >>> linprog(cp.array([-1.0, -2.0]), cp.array([[1.0, 1.0]]), cp.array([4.0])).x
    array([0., 4.])
    """
    found = scipy_optimize().linprog(
        to_host(c),
        A_ub=to_host(A_ub),
        b_ub=to_host(b_ub),
        A_eq=to_host(A_eq),
        b_eq=to_host(b_eq),
        bounds=to_host(bounds),
        method=method,
        callback=callback_on_host(callback),
        options=None if options is None else options_on_host(options),
        x0=to_host(x0),
        integrality=to_host(integrality),
    )
    return to_device(found)


def milp(c, *, integrality=None, bounds=None, constraints=None, options=None) -> OptimizeResult:
    """Minimize a linear function of whole and real numbers under linear constraints.

    Parameters
    ----------
    c : array_like, (n,)
        Coefficients of the function.
    integrality : array_like of int, (n,), optional
        0 for real variables, 1 for whole ones, 2 for real ones that may also be zero, 3 for whole
        ones that may also be zero.
    bounds : Bounds, optional
        Bounds of the variables; by default they are not negative.
    constraints : LinearConstraint or tuple, or list of them, optional
        Constraints, or the arguments of `LinearConstraint`; matrices may be sparse.
    options : dict, optional
        Options of HiGHS: `disp`, `node_limit`, `presolve`, `time_limit`, `mip_rel_gap`.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `status`, `message`, `mip_node_count`,
        `mip_dual_bound` and `mip_gap`. Arrays are on the device.

    Notes
    -----
    SciPy solves the program on the host, to which coefficients and matrices are copied.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import Bounds, LinearConstraint, milp
    >>> row = LinearConstraint(cp.array([[2.0, 2.0]]), ub=5)
    >>> milp(cp.array([-1.0, -1.5]), integrality=cp.ones(2), bounds=Bounds(0, 9), constraints=row).x
    array([0., 2.])
    """
    found = scipy_optimize().milp(
        to_host(c),
        integrality=to_host(integrality),
        bounds=to_host(bounds),
        constraints=constraints_on_host(constraints),
        options=None if options is None else options_on_host(options),
    )
    return to_device(found)


def quadratic_assignment(A, B, method="faq", options=None) -> OptimizeResult:
    """Find a permutation of one matrix that makes its products with another small.

    Parameters
    ----------
    A, B : array_like, (n, n)
        Matrices, which are copied to the host. The sum of ``A * B[perm][:, perm]`` is minimized.
    method : {'faq', '2opt'}, optional
        Method of Frank and Wolfe on doubly stochastic matrices, or exchanges of pairs.
    options : dict, optional
        Options of the method: `maximize`, `partial_match`, `rng`; `P0`, `shuffle_input`, `maxiter`
        and `tol` of 'faq'; `partial_guess` of '2opt'.

    Returns
    -------
    OptimizeResult
        With the attributes `col_ind`, the permutation on the device, `fun` and `nit`.

    Notes
    -----
    SciPy finds the permutation on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import quadratic_assignment
    >>> a = cp.array([[0, 80, 150], [80, 0, 130], [150, 130, 0]])
    >>> b = cp.array([[0, 5, 2], [0, 0, 3], [0, 0, 0]])
    >>> quadratic_assignment(a, b).col_ind
    array([0, 1, 2])
    """
    return to_device(
        scipy_optimize().quadratic_assignment(
            to_host(A), to_host(B), method=method, options=options_on_host(options)
        )
    )


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
