"""`scipy.interpolate`: piecewise polynomials, splines and interpolators on device arrays."""

from ._bivariate import (
    BivariateSpline,
    LSQBivariateSpline,
    LSQSphereBivariateSpline,
    RectBivariateSpline,
    RectSphereBivariateSpline,
    SmoothBivariateSpline,
    SmoothSphereBivariateSpline,
    bisplev,
    bisplrep,
)
from ._bsplines import BSpline, make_interp_spline, make_lsq_spline, splantider, splder
from ._cubic import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
    pchip,
    pchip_interpolate,
)
from ._fitpack import (
    InterpolatedUnivariateSpline,
    LSQUnivariateSpline,
    UnivariateSpline,
    insert,
    spalde,
    splev,
    splint,
    splprep,
    splrep,
    sproot,
)
from ._interp1d import interp1d
from ._interpnd import CloughTocher2DInterpolator, LinearNDInterpolator, griddata
from ._polyint import (
    BarycentricInterpolator,
    KroghInterpolator,
    barycentric_interpolate,
    krogh_interpolate,
)
from ._ppoly import BPoly, NdPPoly, PPoly
from ._rgi import NdBSpline, RegularGridInterpolator, interpn
from ._scattered import NearestNDInterpolator, RBFInterpolator
from ._smoothing import generate_knots, make_smoothing_spline, make_splprep, make_splrep

__all__ = [
    "Akima1DInterpolator",
    "BPoly",
    "BSpline",
    "BarycentricInterpolator",
    "BivariateSpline",
    "CloughTocher2DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "InterpolatedUnivariateSpline",
    "KroghInterpolator",
    "LSQBivariateSpline",
    "LSQSphereBivariateSpline",
    "LSQUnivariateSpline",
    "LinearNDInterpolator",
    "NdBSpline",
    "NdPPoly",
    "NearestNDInterpolator",
    "PPoly",
    "PchipInterpolator",
    "RBFInterpolator",
    "RectBivariateSpline",
    "RectSphereBivariateSpline",
    "RegularGridInterpolator",
    "SmoothBivariateSpline",
    "SmoothSphereBivariateSpline",
    "UnivariateSpline",
    "barycentric_interpolate",
    "bisplev",
    "bisplrep",
    "generate_knots",
    "griddata",
    "insert",
    "interp1d",
    "interpn",
    "krogh_interpolate",
    "make_interp_spline",
    "make_lsq_spline",
    "make_smoothing_spline",
    "make_splprep",
    "make_splrep",
    "pchip",
    "pchip_interpolate",
    "spalde",
    "splantider",
    "splder",
    "splev",
    "splint",
    "splprep",
    "splrep",
    "sproot",
]
