"""`scipy.stats.contingency`: tables of counts and their tests."""

import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, refuse_host, shown
from ..._core.multiarray import bincount, ndarray
from ...lib._arraysetops_impl import unique
from .._borrowed import borrow as _borrow
from .._host import by_scipy
from ..special import chdtrc, xlogy
from ._axis import result_type

_OWN = [
    "association",
    "chi2_contingency",
    "crosstab",
    "expected_freq",
    "odds_ratio",
    "relative_risk",
]

__all__, __getattr__, __dir__ = _borrow("stats.contingency", own=_OWN)

CrosstabResult: Any = result_type("CrosstabResult", "elements count")
Chi2ContingencyResult: Any = result_type(
    "Chi2ContingencyResult", "statistic pvalue dof expected_freq"
)

# Exponents of the power divergence by their names.
LAMBDAS = {
    "pearson": 1.0,
    "log-likelihood": 0.0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1.0,
    "neyman": -2.0,
    "cressie-read": 2 / 3,
}


def crosstab(*args, levels=None, sparse=False) -> tuple:
    """Count how often each combination of values occurs.

    Parameters
    ----------
    *args : array_like
        Sequences of one dimension, equally long.
    levels : sequence, optional
        For each sequence the values that are counted, or None for all that occur.
    sparse : bool, optional
        If True, the counts of two sequences are a sparse matrix of COO format.

    Returns
    -------
    elements : tuple of ndarray
        The values of each sequence, in ascending order or as in `levels`. How many there are is
        read from the device.
    count : ndarray or coo_array
        Counts, with an axis for each sequence.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.stats.contingency import crosstab
    >>> crosstab(cp.array([1, 1, 2]), cp.array([5, 6, 6])).count
    array([[1, 1],
           [0, 1]])
    """
    if not args:
        raise TypeError("At least one input sequence is required.")
    arrays = [as_array(a) for a in args]
    if any(a.ndim != 1 or a.shape != arrays[0].shape for a in arrays):
        raise ValueError("All input sequences must have the same length.")
    if sparse and len(arrays) != 2:
        raise ValueError("When `sparse` is True, only two input sequences are allowed.")
    if levels is None:
        levels = [None] * len(arrays)
    elif len(levels) != len(arrays):
        raise ValueError("len(levels) must equal the number of input sequences")
    elements, place, inside = [], 0, True
    for a, level in zip(arrays, levels, strict=True):
        values, index, found = _numbered(a, level)
        elements.append(values)
        place = place * values.size + index
        inside = inside if found is None else found & inside
    shape = [e.size for e in elements]
    if inside is not True:
        place = place[inside]
    count: Any = bincount(place.ravel(), minlength=math.prod(shape))[: math.prod(shape)]
    count = count.reshape(shape)
    if sparse:
        from ..sparse import coo_array

        count = coo_array(count)
    return CrosstabResult(tuple(elements), count)


def _numbered(a: ndarray, level: Any) -> tuple:
    """(values, the number of each element's value, whether it has one or None if all have)."""
    if level is None:
        values, index = unique(a, return_inverse=True)
        return values, index, None
    refuse_host(level, "levels")
    values = as_array(level)
    same = a[:, None] == values
    return values, same.argmax(axis=1), same.any(axis=1)


def expected_freq(observed) -> ndarray:
    """Return the counts that the sums of a table predict if its factors are independent.

    Parameters
    ----------
    observed : array_like
        Table of counts, of any dimension.

    Returns
    -------
    ndarray
        Expected counts of float64, of the shape of the table.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.contingency.expected_freq(cp.array([[10, 10], [10, 10]]))
    array([[10., 10.],
           [10., 10.]])
    """
    a = as_array(observed).astype(np.float64)
    total = a.sum()
    expected: Any = total
    for k in range(a.ndim):
        others = tuple(j for j in range(a.ndim) if j != k)
        sums = a.sum(axis=others, keepdims=True) if others else a
        expected = expected * (sums / total)
    return expected if a.ndim else a


def _divergence(observed: ndarray, expected: ndarray, exponent: float) -> ndarray:
    """Power divergence of N. Cressie and T. Read, 1984."""
    if exponent == 1:
        terms = (observed - expected) ** 2 / expected
    elif exponent == 0:
        terms = 2.0 * xlogy(observed, observed / expected)
    elif exponent == -1:
        terms = 2.0 * xlogy(expected, expected / observed)
    else:
        terms = observed * ((observed / expected) ** exponent - 1)
        terms /= 0.5 * exponent * (exponent + 1)
    return terms.sum()


def exponent_of(lambda_: Any) -> float:
    if isinstance(lambda_, str):
        if lambda_ not in LAMBDAS:
            raise ValueError(f"invalid string for lambda_: {shown(lambda_)}")
        return LAMBDAS[lambda_]
    return 1.0 if lambda_ is None else float(lambda_)


def _checked(observed: ndarray) -> ndarray:
    """Expected counts of a table of which each sum and no count is below zero."""
    if observed.size == 0:
        raise ValueError("No data; `observed` has size 0.")
    expected = expected_freq(observed)
    if bool((observed < 0).any()):
        raise ValueError("All values in `observed` must be nonnegative.")
    if bool((expected == 0).any()):
        raise ValueError(
            "the expected frequencies have a zero: a row or a column of `observed` sums to zero"
        )
    return expected


def chi2_contingency(observed, correction=True, lambda_=None, *, method=None) -> tuple:
    """Test whether the factors of a table of counts are independent.

    Parameters
    ----------
    observed : array_like
        Table of counts. Its checks wait for the device.
    correction : bool, optional
        Whether differences of tables with one degree of freedom are reduced by half a count.
    lambda_ : float or str, optional
        Exponent of the power divergence, or its name. By default Pearson's statistic.
    method : ResamplingMethod, optional
        SciPy's object that says how a p-value is found by resampling, on the host.

    Returns
    -------
    statistic : ndarray
        Power divergence of the table from the expected counts.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.
    dof : int
        Degrees of freedom.
    expected_freq : ndarray
        Expected counts.

    Examples
    --------
    >>> import gpunp as cp
    >>> result = cp.scipy.stats.chi2_contingency(cp.array([[10, 20], [30, 40]]))
    >>> result.statistic.round(4), result.dof
    (array(0.4464), 1)
    """
    table = as_array(observed)
    if method is not None:
        found = by_scipy("chi2_contingency", table, correction, lambda_, method=method)
        values = (as_array(float(found.statistic)), as_array(float(found.pvalue)))
        return Chi2ContingencyResult(*values, found.dof, as_array(found.expected_freq.tolist()))
    expected = _checked(table)
    dof = expected.size - sum(expected.shape) + expected.ndim - 1
    if dof == 0:
        zero = expected.sum() * 0
        return Chi2ContingencyResult(zero, zero + 1.0, dof, expected)
    counts = table.astype(np.float64)
    if dof == 1 and correction:
        difference = expected - counts
        counts = counts + um.sign(difference) * um.minimum(0.5, abs(difference))
    statistic = _divergence(counts, expected, exponent_of(lambda_))
    return Chi2ContingencyResult(statistic, chdtrc(float(dof), statistic), dof, expected)


def association(observed, method="cramer", correction=False, lambda_=None) -> ndarray:
    """Return how strongly the two factors of a table of counts are associated.

    Parameters
    ----------
    observed : array_like
        Table of whole counts, of two dimensions.
    method : {'cramer', 'tschuprow', 'pearson'}, optional
        Whose measure is computed, Cramer's V by default.
    correction : bool, optional
        Whether differences of tables with one degree of freedom are reduced by half a count.
    lambda_ : float or str, optional
        Exponent of the power divergence, or its name.

    Returns
    -------
    ndarray
        The measure, from 0 to 1.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.contingency.association(cp.array([[10, 0], [0, 10]]))
    array(1.)
    """
    a = as_array(observed)
    if a.dtype.kind not in "iu":
        raise ValueError("`observed` must be an integer array.")
    if a.ndim != 2:
        raise ValueError("method only accepts 2d arrays")
    phi2 = chi2_contingency(a, correction, lambda_).statistic / a.sum()
    rows, columns = a.shape
    if method == "cramer":
        return um.sqrt(phi2 / min(columns - 1, rows - 1))
    if method == "tschuprow":
        return um.sqrt(phi2 / math.sqrt((rows - 1) * (columns - 1)))
    if method == "pearson":
        return um.sqrt(phi2 / (1 + phi2))
    raise ValueError(f"Invalid argument value: 'method' is {shown(method)}")


def odds_ratio(table, *, kind="conditional") -> Any:
    """Return the odds ratio of a table of two rows and two columns.

    SciPy computes on the host; counts that lie on the device are read.

    Parameters
    ----------
    table : array_like of int
        The four counts of the table.
    kind : {'conditional', 'sample'}, optional
        Whether the estimate is the conditional one of greatest likelihood, or that of the counts.

    Returns
    -------
    OddsRatioResult
        SciPy's object with attribute `statistic` and method `confidence_interval`.

    Examples
    --------
    >>> import gpunp as cp
    >>> table = cp.array([[2, 1], [1, 2]])
    >>> float(cp.scipy.stats.contingency.odds_ratio(table, kind="sample").statistic)
    4.0
    """
    return by_scipy("odds_ratio", table, kind=kind, module="stats.contingency")


def relative_risk(exposed_cases, exposed_total, control_cases, control_total) -> Any:
    """Return the ratio of the risks of two groups.

    Parameters
    ----------
    exposed_cases : int
        Number of cases in the exposed group.
    exposed_total : int
        Size of the exposed group.
    control_cases : int
        Number of cases in the control group.
    control_total : int
        Size of the control group.

    Returns
    -------
    RelativeRiskResult
        SciPy's object with attribute `relative_risk` and method `confidence_interval`.

    Examples
    --------
    >>> import gpunp as cp
    >>> float(cp.scipy.stats.contingency.relative_risk(2, 10, 1, 10).relative_risk)
    2.0
    """
    counts = (exposed_cases, exposed_total, control_cases, control_total)
    return by_scipy("relative_risk", *counts, module="stats.contingency")
