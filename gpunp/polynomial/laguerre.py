"""Series of Laguerre polynomials, lowest degree first."""

from typing import Any

from .._core import umath as um
from .._core._convert import as_array
from ._basis import Basis
from ._polybase import ABCPolyBase
from ._series import Recurrence
from .polyutils import trimcoef

__all__ = [
    "Laguerre",
    "lag2poly",
    "lagadd",
    "lagcompanion",
    "lagder",
    "lagdiv",
    "lagfit",
    "lagfromroots",
    "laggauss",
    "laggrid2d",
    "laggrid3d",
    "lagint",
    "lagline",
    "lagmul",
    "lagmulx",
    "lagpow",
    "lagroots",
    "lagsub",
    "lagtrim",
    "lagval",
    "lagval2d",
    "lagval3d",
    "lagvalnd",
    "lagvander",
    "lagvander2d",
    "lagvander3d",
    "lagweight",
    "poly2lag",
]

_numbers = Recurrence(
    x=(1, -1),
    up=lambda k: -(k + 1),
    stay=lambda k: 2 * k + 1,
    down=lambda k: -k,
    before=-1,
    after=1,
    step=1,
    ratio=1,
    integral=1.0,
)
_basis = Basis("lag", __name__, "Laguerre", _numbers, (0, 1))
__getattr__ = _basis.constant

lagline = _basis.line
lagfromroots = _basis.fromroots
lag2poly = _basis.to_poly
poly2lag = _basis.from_poly
lagadd = _basis.add
lagsub = _basis.sub
lagmulx = _basis.mulx
lagmul = _basis.mul
lagdiv = _basis.div
lagpow = _basis.pow
lagder = _basis.der
lagint = _basis.integ
lagval = _basis.val
lagval2d = _basis.val2d
lagval3d = _basis.val3d
lagvalnd = _basis.valnd
laggrid2d = _basis.grid2d
laggrid3d = _basis.grid3d
lagvander = _basis.vander
lagvander2d = _basis.vander2d
lagvander3d = _basis.vander3d
lagcompanion = _basis.companion
lagroots = _basis.roots
laggauss = _basis.gauss
lagfit = _basis.fit
lagtrim = trimcoef


def lagweight(x) -> Any:
    """Return the weight function exp(-x), under which the basis is orthogonal on [0, inf).

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
    >>> from gpunp.polynomial.laguerre import lagweight
    >>> lagweight(0.0)
    array(1.)
    """
    x = as_array(x)
    return um.exp(-x)


class Laguerre(ABCPolyBase, functions=_basis):
    basis_name = "L"
