"""The matrix exponential: scaling, a Pade approximant, squaring.

The choice of the scaling and the squares of triangular matrices are those of A. H. Al-Mohy and
N. J. Higham, "A new scaling and squaring algorithm for the matrix exponential", SIAM J. Matrix
Anal. Appl. 31 (2009), 970-989. The approximants of larger matrices are found without a
factorization, which takes longer than all products together.
"""

import functools
import math

import numpy as np

from ..._core import umath as um
from ..._core.fromnumeric import diagonal
from ..._core.fusion import lazy
from ..._core.multiarray import array, ndarray, strided_view, where
from ..._core.numeric import ones
from ..._core.reductions import amax
from ..._core.reductions import sum as _sum
from ..._core.shape_base import stack
from ..._core.umath import matmul
from ...lib._twodim_base_impl import tril, triu
from ...linalg._solving import solve
from ...linalg._stacks import common_type, identity_like, matrix_transposed, real_type, square
from ._given import single

__all__ = ["expm"]

# Pade approximants of exp, the norm up to which each is exact: in double precision N. J. Higham,
# "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal.
# Appl. 26 (2005), table 2.3; in single precision the same bound, theta of unit roundoff 2^-24.
_BOUNDS = {
    np.dtype("f8"): {
        3: 1.495585217958292e-2,
        5: 2.539398330063230e-1,
        7: 9.504178996162932e-1,
        9: 2.097847961257068,
        13: 5.371920351148152,
    },
    np.dtype("f4"): {
        3: 4.258730016922831e-1,
        5: 1.880152677804762,
        7: 3.925724783138660,
    },
}
_LARGEST = {np.dtype("f8"): 160, np.dtype("f4"): 20}  # powers of 2 whose sixth power is finite
_FEW = 3  # squarings that must be saved before powers of absolute values are computed
_SMALL = 256  # rows up to which four squares of a matrix cost less than 27 products with a vector
_MANY = 256  # rows from which a factorization takes longer than the products that replace it


def expm(A) -> ndarray:
    """Compute the matrix exponential by scaling and squaring with Pade approximants.

    Parameters
    ----------
    A : array_like, (..., N, N)
        Square matrix, or a stack of square matrices.

    Returns
    -------
    gpunp.ndarray
        Exponentials, with the shape of `A`.

    Notes
    -----
    The norms determine the order of the approximant and the number of squarings; they are read
    back, which waits for the device. Where matrices have to be scaled, norms of their powers and
    whether they are triangular are read as well, which waits up to three times more.

    Diagonals of triangular matrices, and the diagonals next to them, are not squared but computed
    from those of `A` (Al-Mohy and Higham, SIAM J. Matrix Anal. Appl. 31, 2009).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.expm(cp.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    a = single(A)
    a = a.reshape(1, 1) if a.ndim == 0 else a
    if a.ndim < 2:
        raise np.linalg.LinAlgError("The input array must be at least two-dimensional")
    a = square(a)
    a = a.astype(common_type(a), copy=False)
    if not a.size:
        return a.copy()
    sizes = um.absolute(a)
    norms = _finite(_column_norms(sizes).get())
    bounds = _BOUNDS[np.dtype(real_type(a.dtype))]
    # One order for a stack: the lowest that its largest norm allows, or the highest, scaled.
    largest = norms.max(initial=0)
    order = next((m for m, bound in bounds.items() if largest <= bound), None)
    if order is None:
        return _scaled(a, sizes, norms)
    return _approximant(a, _even_powers(a, order), order, largest)


def _finite(norms: np.ndarray) -> np.ndarray:
    """Norms in double precision; zero for matrices with NaN or infinity, which are not scaled."""
    return np.where(np.isfinite(norms), norms, 0.0).astype(np.float64)


def _column_norms(sizes: ndarray) -> ndarray:
    """The 1-norm of each matrix, from its absolute values."""
    return amax(_sum(sizes, axis=-2), axis=-1)


def _times_power_of_two(a: ndarray, exponents: np.ndarray) -> ndarray:
    """Each matrix of a stack times a power of 2."""
    if not exponents.any():
        return a
    if not exponents.ndim:
        return a * math.ldexp(1.0, int(exponents))
    factors = np.ldexp(1.0, exponents).astype(real_type(a.dtype))
    return a * array(factors)[..., None, None]


# ---- the approximant ---------------------------------------------------------------------------


def _coefficients(order: int) -> list[float]:
    """Of the numerator of exp's diagonal Pade approximant, from x^0 on, the last being 1."""
    f = math.factorial
    # Coefficients are integers: b_k = (2m - k)! / (m - k)! / k!, divided by the last one, m!.
    return [float(f(2 * order - k) // (f(order - k) * f(k))) for k in range(order + 1)]


def _even_powers(a: ndarray, order: int) -> list[ndarray]:
    """The powers of `a` from 2 on that the approximant is made of."""
    powers = [matmul(a, a)]
    while len(powers) < (3 if order == 13 else order // 2):
        powers.append(matmul(powers[-1], powers[0]))
    return powers


def _approximant(a: ndarray, powers: list[ndarray], order: int, norm: float) -> ndarray:
    """The approximant at `a`, whose even powers and largest 1-norm are given."""
    if a.shape[-1] >= _MANY:
        error, doublings = _first_error(order, norm), 1
        least = math.sqrt(np.finfo(a.dtype).eps / 8)  # it is squared at last
        if error < 0.5:
            while error ** (2**doublings) > least:
                doublings += 1
            return _by_products(a, powers, order, doublings)
    return _pade(a, powers, order)


@functools.cache
def _product_of_both(order: int) -> np.ndarray:
    """Magnitudes of the coefficients of x^2, x^4 ... of the product of numerator and denominator,
    where both begin with one."""
    b = np.array(_coefficients(order)) / _coefficients(order)[0]
    return np.abs(np.convolve(b, b * (-1.0) ** np.arange(order + 1))[2::2])


def _first_error(order: int, norm: float) -> float:
    """A bound of the 1-norm of one less the product of numerator and denominator."""
    c = _product_of_both(order)
    return float((c * norm ** (2.0 * np.arange(1, c.size + 1))).sum())


def _by_products(a: ndarray, powers: list[ndarray], order: int, doublings: int) -> ndarray:
    """The approximant p(a) / q(a) by products of matrices alone.

    p(a) q(a) is near one: its inverse is the sum of powers of the difference x, whose number is
    doubled again and again, and ``y = p (1 + x + x^2 ...)`` is nearly the inverse of q. ``y p`` is
    then corrected by its residual once. All factors are kept less the identity, since sums of
    products are rounded less beside zero than beside one.
    """
    b = [c / _coefficients(order)[0] for c in _coefficients(order)]
    one = identity_like(a, a.shape[-1], a.dtype)
    with lazy():  # so that sums between the products are one kernel each
        if order < 13:
            odd, even = b[3] * powers[0], b[2] * powers[0]
            for k, power in enumerate(powers[1:], 2):
                even, odd = even + b[2 * k] * power, odd + b[2 * k + 1] * power
        else:
            a2, a4, a6 = powers
            odd = matmul(a6, b[13] * a6 + b[11] * a4 + b[9] * a2)
            odd = odd + b[7] * a6 + b[5] * a4 + b[3] * a2
            even = matmul(a6, b[12] * a6 + b[10] * a4 + b[8] * a2)
            even = even + b[6] * a6 + b[4] * a4 + b[2] * a2
        odd = matmul(a, odd) + b[1] * a
        p, q = even + odd, even - odd
        x = -(p + q + matmul(q, p))
        total = x
        for _ in range(doublings - 1):
            x = matmul(x, x)
            total = total + x + matmul(total, x)
        y = p + total + matmul(p, total)
        r = one + (y + p + matmul(y, p))
        rest = p - (r - one) - matmul(q, r)
        return r + (rest + matmul(y, rest))


def _pade(a: ndarray, powers: list[ndarray], order: int) -> ndarray:
    """The same by a factorization of the denominator."""
    b = [a.dtype.type(c) for c in _coefficients(order)]
    one = identity_like(a, a.shape[-1], a.dtype)
    if order < 13:
        odd, even = b[1] * one, b[0] * one
        for k, power in enumerate(powers, 1):
            even, odd = even + b[2 * k] * power, odd + b[2 * k + 1] * power
        odd = matmul(a, odd)
        return solve(even - odd, even + odd)
    a2, a4, a6 = powers
    odd = matmul(a6, b[13] * a6 + b[11] * a4 + b[9] * a2)
    odd = matmul(a, odd + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one)
    even = matmul(a6, b[12] * a6 + b[10] * a4 + b[8] * a2)
    even = even + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    return solve(even - odd, even + odd)


# ---- scaling -----------------------------------------------------------------------------------


def _scaled(a: ndarray, sizes: ndarray, norms: np.ndarray) -> ndarray:
    """The exponentials of a stack with matrices that are too large for the approximant itself."""
    order, bound = max(_BOUNDS[np.dtype(real_type(a.dtype))].items())
    most = _squarings(norms, bound)
    # The powers are those of matrices whose sixth power is finite, which most are as they come.
    first = np.maximum(_squarings(norms, 1.0) - _LARGEST[np.dtype(real_type(a.dtype))], 0)
    x = _times_power_of_two(a, -first)
    powers = _even_powers(x, order)
    fourth, sixth, below, above = _read(
        _column_norms(um.absolute(powers[1])),
        _column_norms(um.absolute(powers[2])),
        amax(tril(sizes, -1), axis=(-2, -1)),
        amax(triu(sizes, 1), axis=(-2, -1)),
    )
    is_triangular = ((below == 0) | (above == 0)) & (most > 0)
    root = np.maximum(fourth ** (1 / 4), sixth ** (1 / 6))
    times = np.minimum(first + _squarings(root, bound), most)
    if (is_triangular & (times > first)).any():
        root = np.minimum(root, _higher_root(powers, sixth, order))
        times = np.minimum(first + _squarings(root, bound), most)
    times = np.where(most - times < _FEW, most, times)
    if (times < most).any():
        times = np.minimum(times + _further_squarings(sizes, times, order), most).astype(np.int64)
    flips = (above == 0) & (below != 0)
    x = _flipped(_times_power_of_two(x, first - times), flips)
    powers = [
        _flipped(_times_power_of_two(power, 2 * k * (first - times)), flips)
        for k, power in enumerate(powers, 1)
    ]
    largest = np.ldexp(norms, -times.astype(np.int64)).max(initial=0)
    x = _approximant(x, powers, order, largest)
    x = _squared(x, _flipped(a, flips), times, is_triangular)
    return _flipped(x, flips)


def _squarings(sizes: np.ndarray, bound: float) -> np.ndarray:
    """How often each number is halved until it is not above the bound."""
    return np.ceil(np.log2(np.maximum(sizes / bound, 1.0))).astype(np.int64)


def _read(*numbers: ndarray) -> list[np.ndarray]:
    """Numbers of each matrix on the host, in one copy."""
    return [_finite(row) for row in stack(numbers).get()]


def _higher_root(powers: list[ndarray], sixth: np.ndarray, order: int) -> np.ndarray:
    """The second bound of Al-Mohy and Higham's (5.1); of order 13 the third, where it is less."""
    eighth, tenth = _read(
        _column_norms(um.absolute(matmul(powers[1], powers[1]))),
        _column_norms(um.absolute(matmul(powers[1], powers[2]))),
    )
    root = np.maximum(sixth ** (1 / 6), eighth ** (1 / 8))
    third = np.maximum(eighth ** (1 / 8), tenth ** (1 / 10))
    return np.minimum(root, third) if order == 13 else root


def _further_squarings(sizes: ndarray, times: np.ndarray, order: int) -> np.ndarray:
    """How many more squarings rounding errors ask for: the function l of (4.8) of the article.

    It is large where powers cancel that the absolute values of the matrix do not.
    """
    a = _times_power_of_two(sizes.astype(np.float64, copy=False), -times)
    count = 2 * order + 1
    row = ones((*a.shape[:-2], 1, a.shape[-1]))
    if a.shape[-1] <= _SMALL:
        power = a
        for bit in range(count.bit_length()):
            row = matmul(row, power) if count >> bit & 1 else row
            power = matmul(power, power)
    else:
        for _ in range(count):
            row = matmul(row, a)
    f = math.factorial
    last = f(order) ** 2 / (f(2 * order) * f(count)) * 2 / np.finfo(sizes.dtype).eps
    high, norm = stack((amax(row, axis=(-2, -1)), _column_norms(a))).get()
    high = np.where(np.isnan(high), np.inf, high)
    with np.errstate(all="ignore"):
        exponents = np.ceil(np.log2(last * high / norm) / (2 * order))
    return np.where(exponents > 0, exponents, 0.0)


# ---- squaring ----------------------------------------------------------------------------------


def _flipped(a: ndarray, flips: np.ndarray) -> ndarray:
    """A stack with some matrices transposed: the lower triangular ones, to be upper ones."""
    if not flips.any():
        return a
    other = matrix_transposed(a)
    return other if flips.all() else where(array(flips)[..., None, None], other, a)


def _squared(x: ndarray, a: ndarray, times: np.ndarray, is_triangular: np.ndarray) -> ndarray:
    """The squares of approximants `x` of the exponentials of `a`, which is divided by powers of 2.

    Two diagonals of those that are triangular, and then upper triangular, are computed from `a`.
    """
    count = int(times.max(initial=0))
    exact = _two_diagonals(a, times, count) if is_triangular.any() else None
    for i in range(count + 1):
        if i:
            squared = matmul(x, x)
            x = (
                where(array(times >= i)[..., None, None], squared, x)
                if (times < i).any()
                else squared
            )
        for k, values in enumerate(exact or ()):
            view = _diagonal_view(x, k)
            view[...] = (
                values[i]
                if is_triangular.all()
                else where(array(is_triangular)[..., None], values[i], view)
            )
    return x


def _diagonal_view(x: ndarray, k: int) -> ndarray:
    """A view of the main diagonal of each matrix, or of the one above it, which can be written."""
    size = x.shape[-1] - k
    strides = (*x.strides[:-2], x.strides[-2] + x.strides[-1])
    return strided_view(x[..., :size, k:], (*x.shape[:-2], size), strides)


def _two_diagonals(a: ndarray, times: np.ndarray, count: int) -> tuple[ndarray, ...]:
    """Two diagonals of the exponentials of upper triangular matrices after each square, first axis.

    The upper one is ``t (exp(p) - exp(q)) / (p - q)`` of neighbours p and q of the main diagonal
    with t above q: ``t exp(p) expm1(q - p) / (q - p)``, p being that of the larger real part.
    """
    left = np.maximum(times - np.arange(count + 1).reshape(-1, *[1] * times.ndim), 0)
    factors = array(np.ldexp(1.0, -left).astype(real_type(a.dtype)))[..., None]
    main = factors * diagonal(a, 0, -2, -1)
    above = factors * diagonal(a, 1, -2, -1)
    p, q = main[..., :-1], main[..., 1:]
    is_larger = p.real >= q.real
    p, q = where(is_larger, p, q), where(is_larger, q, p)
    gap = q - p
    quotient = where(gap == 0, 1, um.expm1(gap) / gap).astype(a.dtype, copy=False)
    # Where the element is zero so is the result, even beside an exponential that overflows.
    return um.exp(main), where(above == 0, above, above * um.exp(p) * quotient)
