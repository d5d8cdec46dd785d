"""Series of probabilists' Hermite polynomials, lowest degree first."""

import math
from typing import Any

from .._core import umath as um
from .._core._convert import as_array
from ._basis import Basis
from ._polybase import ABCPolyBase
from ._series import Recurrence
from .polyutils import trimcoef

__all__ = [
    "HermiteE",
    "herme2poly",
    "hermeadd",
    "hermecompanion",
    "hermeder",
    "hermediv",
    "hermefit",
    "hermefromroots",
    "hermegauss",
    "hermegrid2d",
    "hermegrid3d",
    "hermeint",
    "hermeline",
    "hermemul",
    "hermemulx",
    "hermepow",
    "hermeroots",
    "hermesub",
    "hermetrim",
    "hermeval",
    "hermeval2d",
    "hermeval3d",
    "hermevalnd",
    "hermevander",
    "hermevander2d",
    "hermevander3d",
    "hermeweight",
    "poly2herme",
]

_numbers = Recurrence(
    x=(0, 1),
    up=1,
    stay=0,
    down=lambda k: k,
    before=lambda k: k,
    after=1,
    ratio=lambda k: k + 1,
    integral=math.sqrt(2 * math.pi),
)
_basis = Basis("herme", __name__, "probabilists' Hermite", _numbers)
__getattr__ = _basis.constant

hermeline = _basis.line
hermefromroots = _basis.fromroots
herme2poly = _basis.to_poly
poly2herme = _basis.from_poly
hermeadd = _basis.add
hermesub = _basis.sub
hermemulx = _basis.mulx
hermemul = _basis.mul
hermediv = _basis.div
hermepow = _basis.pow
hermeder = _basis.der
hermeint = _basis.integ
hermeval = _basis.val
hermeval2d = _basis.val2d
hermeval3d = _basis.val3d
hermevalnd = _basis.valnd
hermegrid2d = _basis.grid2d
hermegrid3d = _basis.grid3d
hermevander = _basis.vander
hermevander2d = _basis.vander2d
hermevander3d = _basis.vander3d
hermecompanion = _basis.companion
hermeroots = _basis.roots
hermegauss = _basis.gauss
hermefit = _basis.fit
hermetrim = trimcoef


def hermeweight(x) -> Any:
    """Return the weight function exp(-x**2 / 2) of the orthogonal basis on the real line.

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
    >>> from gpunp.polynomial.hermite_e import hermeweight
    >>> hermeweight(0.0)
    array(1.)
    """
    x = as_array(x)
    return um.exp(-0.5 * x**2)


class HermiteE(ABCPolyBase, functions=_basis):
    basis_name = "He"
