"""`scipy.interpolate`: piecewise polynomials, splines and interpolators on device arrays."""

from .._borrowed import borrow as _borrow
from ._bsplines import BSpline, make_interp_spline, make_lsq_spline, splantider, splder
from ._cubic import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
    pchip,
    pchip_interpolate,
)
from ._ppoly import BPoly, NdPPoly, PPoly

_OWN = ("BPoly", "NdPPoly", "PPoly")

__all__, __getattr__, __dir__ = _borrow("interpolate", _OWN)
