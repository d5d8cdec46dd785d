"""Power series, lowest degree first."""

from typing import Any

from .._core._convert import as_array
from .._core.multiarray import array, ndarray, zeros
from .._core.numeric import convolve
from .._core.reductions import prod
from ._basis import Basis, public
from ._polybase import ABCPolyBase
from ._series import Recurrence, for_values, from_roots, raise_to
from .polyutils import as_series, trimcoef, trimseq

__all__ = [
    "Polynomial",
    "polyadd",
    "polycompanion",
    "polyder",
    "polydiv",
    "polyfit",
    "polyfromroots",
    "polygrid2d",
    "polygrid3d",
    "polyint",
    "polyline",
    "polymul",
    "polymulx",
    "polypow",
    "polyroots",
    "polysub",
    "polytrim",
    "polyval",
    "polyval2d",
    "polyval3d",
    "polyvalnd",
    "polyvalfromroots",
    "polyvander",
    "polyvander2d",
    "polyvander3d",
]


class _Powers(Basis):
    """The powers of x, where some things are simpler than in other bases."""

    @public("{}fromroots")
    def fromroots(self, roots) -> ndarray:
        return from_roots(roots, self.numbers.x, convolve)

    @public("{}mul")
    def mul(self, c1, c2) -> ndarray:
        c1, c2 = as_series([c1, c2])
        return trimseq(convolve(c1, c2))

    @public("{}div")
    def div(self, c1, c2) -> tuple[ndarray, ndarray]:
        c1, c2 = as_series([c1, c2])
        if bool(c2[-1] == 0):
            raise ZeroDivisionError
        m, n = c1.size, c2.size
        if m < n:
            return c1[:1] * 0, c1
        if n == 1:
            return c1 / c2[-1], c1[:1] * 0
        divisor = c2[:-1] / c2[-1]
        rest = c1.copy()
        for top in range(m - 1, n - 2, -1):
            rest[top - n + 1 : top] -= divisor * rest[top]
        return rest[n - 1 :] / c2[-1], trimseq(rest[: n - 1])

    @public("{}pow")
    def pow(self, c, pow, maxpower=None) -> ndarray:
        return raise_to(c, pow, maxpower, convolve)

    @public("{}val")
    def val(self, x, c, tensor=True) -> Any:
        x, c = for_values(x, c, tensor)
        value = c[-1] + x * 0  # Horner's rule
        for i in range(2, c.shape[0] + 1):
            value = c[-i] + value * x
        return value

    @public("{}companion")
    def companion(self, c) -> ndarray:
        (c,) = as_series([c])
        if c.size < 2:
            raise ValueError("Series must have maximum degree of at least 1.")
        n = c.size - 1
        matrix = zeros((n, n), c.dtype)
        if n == 1:
            matrix[0, 0] = -c[0] / c[1]
            return matrix
        matrix.reshape(-1)[n :: n + 1] = 1
        matrix[:, -1] -= c[:-1] / c[-1]
        return matrix


_numbers = Recurrence(x=(0, 1), up=1, stay=0, down=0, before=lambda k: k, after=1)
_basis = _Powers("poly", __name__, "power", _numbers)
__getattr__ = _basis.constant

polyline = _basis.line
polyfromroots = _basis.fromroots
polyadd = _basis.add
polysub = _basis.sub
polymulx = _basis.mulx
polymul = _basis.mul
polydiv = _basis.div
polypow = _basis.pow
polyder = _basis.der
polyint = _basis.integ
polyval = _basis.val
polyval2d = _basis.val2d
polyval3d = _basis.val3d
polyvalnd = _basis.valnd
polygrid2d = _basis.grid2d
polygrid3d = _basis.grid3d
polyvander = _basis.vander
polyvander2d = _basis.vander2d
polyvander3d = _basis.vander3d
polycompanion = _basis.companion
polyroots = _basis.roots
polyfit = _basis.fit
polytrim = trimcoef


def polyvalfromroots(x, r, tensor=True) -> Any:
    """Evaluate at x the polynomial with given roots whose highest coefficient is 1.

    Parameters
    ----------
    x : array_like
        Points at which to evaluate.
    r : array_like
        Roots along the first axis; the other axes hold more polynomials.
    tensor : bool, optional
        If True, evaluate each polynomial at each x: the result has shape r.shape[1:] + x.shape.
        Otherwise x is broadcast over the polynomials, and must have fewer axes than r; else
        ValueError is raised.

    Returns
    -------
    ndarray
        Values of the polynomials.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.polynomial.polynomial.polyvalfromroots(1.0, cp.array([2.0, 3.0]))
    array(2.)
    """
    r = array(r, ndmin=1, copy=None)
    if r.dtype.kind in "biu":
        r = r.astype(float)
    if isinstance(x, (tuple, list)):
        x = as_array(x)
    if isinstance(x, ndarray):
        if tensor:
            r = r.reshape(r.shape + (1,) * x.ndim)
        elif x.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return prod(x - r, axis=0)


class Polynomial(ABCPolyBase, functions=_basis):
    basis_name: str | None = None
