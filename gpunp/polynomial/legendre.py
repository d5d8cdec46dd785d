"""Series of Legendre polynomials, lowest degree first."""

from typing import Any

from .._core._convert import as_array
from ._basis import Basis
from ._polybase import ABCPolyBase
from ._series import Recurrence
from .polyutils import trimcoef

__all__ = [
    "Legendre",
    "leg2poly",
    "legadd",
    "legcompanion",
    "legder",
    "legdiv",
    "legfit",
    "legfromroots",
    "leggauss",
    "leggrid2d",
    "leggrid3d",
    "legint",
    "legline",
    "legmul",
    "legmulx",
    "legpow",
    "legroots",
    "legsub",
    "legtrim",
    "legval",
    "legval2d",
    "legval3d",
    "legvalnd",
    "legvander",
    "legvander2d",
    "legvander3d",
    "legweight",
    "poly2leg",
]

_numbers = Recurrence(
    x=(0, 1),
    up=lambda k: (k + 1) / (2 * k + 1),
    stay=0,
    down=lambda k: k / (2 * k + 1),
    before=1,
    after=lambda k: 2 * k + 1,
    step=2,
    ratio=lambda k: (2 * k + 1) / (2 * k + 3),
    integral=2.0,
)
_basis = Basis("leg", __name__, "Legendre", _numbers)
__getattr__ = _basis.constant

legline = _basis.line
legfromroots = _basis.fromroots
leg2poly = _basis.to_poly
poly2leg = _basis.from_poly
legadd = _basis.add
legsub = _basis.sub
legmulx = _basis.mulx
legmul = _basis.mul
legdiv = _basis.div
legpow = _basis.pow
legder = _basis.der
legint = _basis.integ
legval = _basis.val
legval2d = _basis.val2d
legval3d = _basis.val3d
legvalnd = _basis.valnd
leggrid2d = _basis.grid2d
leggrid3d = _basis.grid3d
legvander = _basis.vander
legvander2d = _basis.vander2d
legvander3d = _basis.vander3d
legcompanion = _basis.companion
legroots = _basis.roots
leggauss = _basis.gauss
legfit = _basis.fit
legtrim = trimcoef


def legweight(x) -> Any:
    """Return the weight function 1, under which the basis is orthogonal on [-1, 1].

    Parameters
    ----------
    x : array_like
        Points at which to evaluate.

    Returns
    -------
    ndarray
        Weights at `x`.

    Examples
    --------
    >>> from gpunp.polynomial.legendre import legweight
    >>> legweight(0.0)
    array(1.)
    """
    x = as_array(x)
    return x * 0.0 + 1.0


class Legendre(ABCPolyBase, functions=_basis):
    basis_name = "P"
