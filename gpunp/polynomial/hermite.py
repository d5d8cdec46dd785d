"""Series of physicists' Hermite polynomials, lowest degree first."""

import math
from typing import Any

from .._core import umath as um
from .._core._convert import as_array
from ._basis import Basis
from ._polybase import ABCPolyBase
from ._series import Recurrence
from .polyutils import trimcoef

__all__ = [
    "Hermite",
    "herm2poly",
    "hermadd",
    "hermcompanion",
    "hermder",
    "hermdiv",
    "hermfit",
    "hermfromroots",
    "hermgauss",
    "hermgrid2d",
    "hermgrid3d",
    "hermint",
    "hermline",
    "hermmul",
    "hermmulx",
    "hermpow",
    "hermroots",
    "hermsub",
    "hermtrim",
    "hermval",
    "hermval2d",
    "hermval3d",
    "hermvalnd",
    "hermvander",
    "hermvander2d",
    "hermvander3d",
    "hermweight",
    "poly2herm",
]

_numbers = Recurrence(
    x=(0, 0.5),
    up=0.5,
    stay=0,
    down=lambda k: k,
    before=lambda k: 2 * k,
    after=1,
    ratio=lambda k: 2 * (k + 1),
    integral=math.sqrt(math.pi),
)
_basis = Basis("herm", __name__, "physicists' Hermite", _numbers)
__getattr__ = _basis.constant

hermline = _basis.line
hermfromroots = _basis.fromroots
herm2poly = _basis.to_poly
poly2herm = _basis.from_poly
hermadd = _basis.add
hermsub = _basis.sub
hermmulx = _basis.mulx
hermmul = _basis.mul
hermdiv = _basis.div
hermpow = _basis.pow
hermder = _basis.der
hermint = _basis.integ
hermval = _basis.val
hermval2d = _basis.val2d
hermval3d = _basis.val3d
hermvalnd = _basis.valnd
hermgrid2d = _basis.grid2d
hermgrid3d = _basis.grid3d
hermvander = _basis.vander
hermvander2d = _basis.vander2d
hermvander3d = _basis.vander3d
hermcompanion = _basis.companion
hermroots = _basis.roots
hermgauss = _basis.gauss
hermfit = _basis.fit
hermtrim = trimcoef


def hermweight(x) -> Any:
    """Return the weight function exp(-x**2), under which the basis is orthogonal on the real line.

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
    >>> from gpunp.polynomial.hermite import hermweight
    >>> hermweight(0.0)
    array(1.)
    """
    x = as_array(x)
    return um.exp(-(x**2))


class Hermite(ABCPolyBase, functions=_basis):
    basis_name = "H"
