"""Functions made of ufuncs: combinatorics, polygamma, zeta."""

import math
import operator
import sys
from typing import Any, cast

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, check_host_memory, host_ndim, number_on_host
from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, ndarray, where
from ..._core.raw import ElementwiseKernel
from . import _ufuncs as ufuncs

__all__ = [
    "comb",
    "diric",
    "factorial",
    "factorial2",
    "factorialk",
    "lambertw",
    "multigammaln",
    "perm",
    "polygamma",
    "softplus",
    "stirling2",
    "zeta",
]


def _floats(x: Any) -> ndarray:
    """`x` as an array of float32 or float64."""
    x = as_array(x)
    return x if x.dtype.char in "fd" else x.astype("float64")


_MOST_DIMENSIONS = 1 << 24  # of multigammaln, whose threads take a step for each
_MULTIGAMMALN = ElementwiseKernel(
    "T a, float64 d, float64 constant",
    "T y",
    """
    y = a > (T)(0.5 * (d - 1)) ? special::gammaln(a) + (T)constant : (T)NAN;
    for (int j = 1; j < d && y == y; j++) y += special::gammaln(a - (T)(0.5 * j));
    """,
    "multigammaln",
    preamble='using namespace gnp;\n#include "special/gamma.cuh"',
)


def multigammaln(a, d) -> ndarray:
    """Compute the logarithm of the multivariate gamma function.

    Parameters
    ----------
    a : array_like
        Arguments, above ``(d - 1) / 2``; others give NaN, where SciPy raises an exception.
    d : int
        Dimension of the space of integration, from one to 2**24.

    Returns
    -------
    ndarray
        Values of the function.

    Raises
    ------
    ValueError
        If `d` is no positive integer, or beyond 2**24.

    See Also
    --------
    scipy.special.multigammaln

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.multigammaln(cp.array([1.5, 4.]), 1)
    array([-0.12078224,  1.79175947])
    """
    d = number_on_host(d)
    is_number = cast(bool, np.isscalar(d)) and not isinstance(d, memoryview)
    if is_number and d > _MOST_DIMENSIONS:  # infinity too
        raise ValueError(f"d must be at most 2**24, not {d!r}")
    if not is_number or d < 1 or math.floor(d) != d:
        raise ValueError(f"d must be a positive integer (the dimension), not {d!r}")
    return _MULTIGAMMALN(_floats(a), d, d * (d - 1) / 4 * math.log(math.pi))


def polygamma(n, x) -> ndarray:
    """Compute the n-th derivative of the digamma function.

    Parameters
    ----------
    n : array_like of int
        Order of the derivative, zero or more.
    x : array_like
        Real arguments, broadcast against `n`.

    Returns
    -------
    ndarray
        Values of the derivative.

    See Also
    --------
    scipy.special.polygamma

    Notes
    -----
    From order one on it is ``(-1)**(n + 1) * n! * zeta(n + 1, x)`` (DLMF 25.11.12).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.polygamma(1, cp.array([1., 2.]))
    array([1.64493407, 0.64493407])
    """
    n, x = _floats(n), _floats(x)
    sign = where(n % 2 == 0, -1.0, 1.0)
    values = sign * ufuncs.gamma(n + 1.0) * ufuncs._zeta(n + 1.0, x)
    return where(n == 0, ufuncs.psi(x), values)


def zeta(x, q=None, out=None) -> ndarray:
    """Compute the Riemann zeta function, or Hurwitz's.

    Parameters
    ----------
    x : array_like
        Real arguments, above one for Hurwitz's function; or complex ones for Riemann's.
    q : array_like, optional
        Number with which the sum begins. By default the function is Riemann's, which is defined
        for all arguments.
    out : ndarray, optional
        Array into which the result is written.

    Returns
    -------
    ndarray
        Sum of ``(k + q)**-x`` over k from zero on, or `out`. NaN where a complex argument needs
        more than ten million terms: for imaginary parts above 1e7 with ``-2.6 < Re x < 3.6``.

    See Also
    --------
    scipy.special.zeta

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.zeta(cp.array([2., 4.]))
    array([1.64493407, 1.08232323])
    """
    if q is None:
        return ufuncs._riemann_zeta(as_array(x), out=out)
    return ufuncs._zeta(as_array(x), as_array(q), out=out)


# ---- combinatorics -------------------------------------------------------------------------------


def _exact(name: str, *numbers: Any) -> list[int]:
    """The numbers as Python integers: exact results are of integers on the host."""
    if any(isinstance(n, ndarray) for n in numbers):
        raise TypeError(f"{name}: exact=True takes integers of the host, not gpunp arrays")
    if not all(hasattr(n, "__index__") for n in numbers):
        kinds = ", ".join(type(n).__name__ for n in numbers)
        raise ValueError(f"{name}: exact=True takes integers of the host, not {kinds}")
    return [operator.index(n) for n in numbers]


def comb(N, k, *, exact=False, repetition=False):
    """Count the ways of choosing k things out of N.

    Parameters
    ----------
    N : array_like
        Number of things to choose from.
    k : array_like
        Number of things chosen, broadcast against `N`.
    exact : bool, optional
        If True, the numbers are integers on the host and the result is an exact Python integer.
    repetition : bool, optional
        If True, a thing can be chosen several times.

    Returns
    -------
    ndarray or int
        Numbers of combinations, as floats; zero where ``k > N`` or a number is negative.

    See Also
    --------
    scipy.special.comb

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.comb(cp.array([10, 10]), cp.array([3, 4]))
    array([120., 210.])
    """
    if exact:
        N, k = _exact("comb", N, k)
        if repetition:
            N = N + k - 1 if k or N else 0  # nothing out of nothing: one way
        return math.comb(N, k) if 0 <= k <= N else 0
    N, k = _floats(N), _floats(k)
    if repetition:
        return where((k == 0) & (N >= 0), 1.0, comb(N + k - 1, k))
    return where((k <= N) & (N >= 0) & (k >= 0), ufuncs.binom(N, k), 0.0)


def perm(N, k, exact=False):
    """Count the ordered choices of k things out of N.

    Parameters
    ----------
    N : array_like
        Number of things to choose from.
    k : array_like
        Number of things chosen, broadcast against `N`.
    exact : bool, optional
        If True, the numbers are integers on the host and the result is an exact Python integer.

    Returns
    -------
    ndarray or int
        Numbers of permutations, as floats; zero where ``k > N`` or a number is negative.

    See Also
    --------
    scipy.special.perm

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.perm(cp.array([10, 5]), 3)
    array([720.,  60.])
    """
    if exact:
        N, k = _exact("perm", N, k)
        return math.perm(N, k) if 0 <= k <= N else 0
    N, k = _floats(N), _floats(k)
    return where((k <= N) & (N >= 0) & (k >= 0), ufuncs.poch(N - k + 1, k), 0.0)


def _whole(name: str, x: Any) -> ndarray:
    """Integers as an array of float64."""
    x = as_array(x)
    if x.dtype.kind not in "iu":
        raise TypeError(f"stirling2: {name} must contain only integers, not {x.dtype}")
    return x.astype("float64")


def stirling2(N, K, *, exact=False):
    """Compute Stirling numbers of the second kind.

    They count the ways of splitting a set of N things into K subsets, none of them empty
    (DLMF 26.8).

    Parameters
    ----------
    N : array_like of int
        Number of things to split.
    K : array_like of int
        Number of subsets, broadcast against `N`.
    exact : bool, optional
        If True, the numbers are integers on the host and the result is an exact Python integer.

    Returns
    -------
    ndarray or int
        Stirling numbers, as float64 with a relative error below 1e-12; zero where ``K > N`` or a
        number is negative. SciPy's have errors up to 5e-5 beyond ``N = 50``.

    Raises
    ------
    TypeError
        If a number is no integer.

    See Also
    --------
    scipy.special.stirling2

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.stirling2(cp.array([10, 9]), 3)
    array([9330., 3025.])
    """
    if exact:
        if any(isinstance(n, (float, np.floating)) for n in (N, K)):
            raise TypeError("stirling2: N and K must be integers")
        N, K = _exact("stirling2", N, K)
        terms = ((-1) ** (K - i) * math.comb(K, i) * i**N for i in range(K + 1))
        return sum(terms) // math.factorial(K) if 0 <= K <= N else 0
    return ufuncs._stirling2(_whole("N", N), _whole("K", K))


def softplus(x, **kwargs) -> ndarray:
    """Compute log(1 + exp(x)), a smooth form of ``maximum(x, 0)``.

    Parameters
    ----------
    x : array_like
        Real arguments of the function.
    **kwargs
        Further arguments of `gpunp.logaddexp`, such as `out`, `where` and `dtype`.

    Returns
    -------
    ndarray
        Values of the function.

    See Also
    --------
    scipy.special.softplus

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.softplus(cp.array([-1., 0., 1.]))
    array([0.31326169, 0.69314718, 1.31326169])
    """
    return um.logaddexp(0, x, **kwargs)


def _check_extend(extend: str, exact: bool) -> None:
    if extend not in ("zero", "complex"):
        raise ValueError(f"extend must be 'zero' or 'complex', not {extend!r}")
    if exact and extend == "complex":
        raise ValueError("exact=True does not go with extend='complex'")


def _continued(n: Any, k: Any) -> ndarray:
    """The multifactorial of real and complex numbers, NaN at the poles of the gamma function.

    k^((n - 1) / k) Gamma(n / k + 1) / Gamma(1 / k + 1), which for whole numbers is the product
    where n - 1 is a multiple of k. Powers of negative numbers are complex.
    """
    n = as_array(n)
    k = complex(k) if not isinstance(k, complex) and k < 0 else k
    n = n if n.dtype.char in "fdFD" else n.astype("float64")
    z = n / k
    values = ufuncs.gamma(z + 1)
    if k != 1:
        values = values * (k ** ((n - 1) / k) * ufuncs.rgamma(asarray(1 / k + 1)))
    is_pole = (z.real < 0) & (um.floor(z.real) == z.real) & (z.imag == 0)
    return where(
        is_pole, values.dtype.type(np.nan * (1 + 1j if values.dtype.kind == "c" else 1)), values
    )


def _refuse_parts(n: Any, kinds: str) -> None:
    """Raise ValueError for numbers whose factorials are those of `extend='complex'` alone."""
    kind = n.dtype.kind if isinstance(n, ndarray) else as_host(n).dtype.kind
    if kind in kinds:
        raise ValueError(
            "factorials of numbers that are no integers need extend='complex'; real ones have one"
            " without it in `factorial` alone"
        )


def _exact_factorial(name: str, n: Any, step: int):
    """The product of n, n - step ... as a Python integer."""
    (n,) = _exact(name, n)
    if n < 2:
        return int(n >= 0)
    if step == 1 and n > sys.maxsize:
        return math.factorial(n)  # which raises
    check_host_memory(int(n / step * math.log2(n) / 8))
    return math.factorial(n) if step == 1 else math.prod(range(n, 0, -step))


def factorial(n, exact=False, extend="zero"):
    """Compute the factorial of numbers.

    Parameters
    ----------
    n : array_like
        Arguments, complex ones with `extend` alone; for those that are no integers the result is
        ``gamma(n + 1)``.
    exact : bool, optional
        If True, `n` is an integer on the host and the result an exact Python integer.
    extend : {'zero', 'complex'}, optional
        Value for negative arguments: zero, or that of the gamma function, with NaN at its poles.

    Returns
    -------
    ndarray or int
        Factorials, as floats.

    Raises
    ------
    ValueError
        If `extend` is another text, or 'complex' with `exact`, or missing where it is needed.

    See Also
    --------
    scipy.special.factorial

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.factorial(cp.array([3, 4, 5]))
    array([  6.,  24., 120.])
    """
    _check_extend(extend, exact)
    if exact:
        return _exact_factorial("factorial", n, 1)
    if extend == "complex":
        return _continued(n, 1)
    _refuse_parts(n, "c")
    n = _floats(n)
    return where(n < 0, 0.0, ufuncs.gamma(n + 1))


@documented_as(factorial)
def factorial2(n, exact=False, extend="zero"):
    """Compute the double factorial n (n - 2) (n - 4) ... of integers.

    Parameters
    ----------
    n : array_like of int
        Whole numbers; real and complex ones with ``extend='complex'``, as for `factorialk`.

    See Also
    --------
    scipy.special.factorial2

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.factorial2(cp.array([6, 7]))
    array([ 48., 105.])
    """
    return factorialk(n, 2, exact, extend)


@documented_as(factorial)
def factorialk(n, k, exact=False, extend="zero"):
    """Compute the multifactorial n (n - k) (n - 2 k) ... of integers.

    Parameters
    ----------
    n : array_like of int
        Whole numbers; with ``extend='complex'`` any, for which the result is
        ``k**((n - 1)/k) * gamma(n/k + 1)/gamma(1/k + 1)``.
    k : int
        Distance of the factors, one or more; with ``extend='complex'`` any number but zero.

    Raises
    ------
    ValueError
        If `k` is less than one, `extend` is another text, or 'complex' with `exact`.

    See Also
    --------
    scipy.special.factorialk

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.factorialk(cp.array([8, 9]), 3)
    array([ 80., 162.])
    """
    _check_extend(extend, exact)
    if extend == "complex" and k != 0:
        return _continued(n, k)
    _refuse_parts(n, "fc")
    if isinstance(k, (float, complex, str)):
        raise ValueError(f"k must be a positive integer without extend='complex', not {k!r}")
    if operator.index(k) < 1:
        raise ValueError(f"k must be a positive integer, not {k!r}")
    if exact:
        return _exact_factorial("factorialk", n, k)
    n = _floats(n)
    rest = n % k
    steps = (n - rest) / k
    last = where(rest == 0, 1.0, rest)
    values = float(k) ** steps * ufuncs.poch(rest / k + 1, steps) * last
    return where(n < 0, 0.0, values)


def diric(x, n) -> ndarray:
    """Compute the periodic sinc function sin(n x / 2) / (n sin(x / 2)).

    Parameters
    ----------
    x : array_like
        Angles, given in radians.
    n : array_like of int
        Number of equal waves that are averaged; numbers that are no positive integers give NaN.

    Returns
    -------
    ndarray
        Values of the function.

    See Also
    --------
    scipy.special.diric

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.diric(cp.array([0., 1.]), 3)
    array([1.        , 0.6935348 ])
    """
    x, n = _floats(x), _floats(n)
    turns = um.rint(x / (2 * math.pi))
    below = um.sin(x / 2)
    at_turn = um.absolute(below) < 1e-9
    sign = where((turns * (n - 1)) % 2 == 0, 1.0, -1.0)
    values = um.sin(n * x / 2) / (n * where(at_turn, 1.0, below))
    values = where(at_turn, sign, values)
    return where((n <= 0) | (n != um.floor(n)), float("nan"), values)


def lambertw(z, k=0, tol=1e-8) -> ndarray:
    """Compute a branch of Lambert's W function, the inverse of ``w * exp(w)``.

    Parameters
    ----------
    z : array_like
        Complex arguments of the function.
    k : array_like of int, optional
        Number of the branch, broadcast against `z`.
    tol : float, optional
        Accepted for compatibility with SciPy; the result is as accurate as the type allows.

    Returns
    -------
    ndarray
        Array of complex numbers.

    See Also
    --------
    scipy.special.lambertw

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.special.lambertw(cp.array([1.0]))
    array([0.56714329+0.j])
    """
    k = as_array(k) if isinstance(k, ndarray) or host_ndim(k) else np.int64(k)
    if isinstance(k, ndarray) and k.dtype.kind in "iuf":
        k = k.astype("int64", copy=False)
    return ufuncs._lambertw(as_array(z), k, tol)
