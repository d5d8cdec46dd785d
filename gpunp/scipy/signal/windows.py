"""`scipy.signal.windows`: window functions, computed on the device in float64.

A window with a formula is one launch, a row of `_FORMULAS`. `dpss` is computed on the host.
"""

import functools
import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_host, check_device_memory, number_on_host, shown, whole
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, array, concatenate, empty, ndarray
from ..._core.numeric import ones
from ..._core.raw import ElementwiseKernel
from .. import fft as _fft
from .. import special
from ._host import by_scipy, placed

__all__ = [
    "barthann",
    "bartlett",
    "blackman",
    "blackmanharris",
    "bohman",
    "boxcar",
    "chebwin",
    "cosine",
    "dpss",
    "exponential",
    "flattop",
    "gaussian",
    "general_cosine",
    "general_gaussian",
    "general_hamming",
    "get_window",
    "hamming",
    "hann",
    "kaiser",
    "kaiser_bessel_derived",
    "lanczos",
    "nuttall",
    "parzen",
    "taylor",
    "triang",
    "tukey",
]

# The value at point i of n, with parameters p and q. `x` is the distance from the middle, `u` that
# in units of half the length, from -1 to 1.
_FORMULAS = {
    "triang": "min(i, (I)n - 1 - i) * 2 + ((I)n % 2 ? 2 : 1); w /= (I)n % 2 ? n + 1 : n",
    "parzen": """
        fabs(x) * 2 / n;
        w = fabs(x) <= (n - 1) / 4 ? 1 + 6 * w * w * (w - 1) : 2 * (1 - w) * (1 - w) * (1 - w)
    """,
    "bohman": """
        i == 0 || i == (I)n - 1 ? 0 : (1 - fabs(u)) * cos(pi * fabs(u)) + sin(pi * fabs(u)) / pi
    """,
    "bartlett": "i <= (n - 1) / 2 ? 2 * i / (n - 1) : 2 - 2 * i / (n - 1)",
    "barthann": "0.62 - 0.24 * fabs(u) + 0.38 * cos(pi * u)",
    "gaussian": "exp(-x * x / (2 * p * p))",
    "general_gaussian": "exp(-0.5 * pow(fabs(x / q), 2 * p))",
    "cosine": "sin(pi / n * (i + 0.5))",
    "exponential": "exp(-fabs(i - p) / q)",
    "lanczos": "x == 0 ? 1 : sin(pi * u) / (pi * u)",
    "tukey": """
        p * (n - 1) / 2;
        T near = min((T)i, n - 1 - i) * 2 / (p * (n - 1));
        w = min((T)i, n - 1 - i) <= floor(w) ? 0.5 * (1 + cos(pi * (near - 1))) : 1
    """,
    "kaiser": "x * 2 / (n - 1); w = p * sqrt(max(1 - w * w, (T)0))",
    "chebwin": """
        q * cos(pi * i / n);
        T level = fabs(w) <= 1 ? cos((n - 1) * acos(w)) : cosh((n - 1) * acosh(fabs(w)));
        w = w < -1 && (I)n % 2 == 0 ? -level : level
    """,
}
_SUM = """
    T angle = 2 * 3.14159265358979323846 * i / (n - 1) - 3.14159265358979323846;
    w = %s;
    #pragma unroll 1
    for (int k = 0; k < %s; k++) w += %s * cos(k * angle);
"""


@functools.cache
def _kernel(name: str) -> ElementwiseKernel:
    code = f"""
        typedef double T;
        typedef ptrdiff_t I;
        const T pi = 3.14159265358979323846;
        const T x = i - (n - 1) / 2, u = 2 * x / (n - 1);
        w = {_FORMULAS[name]};
    """
    return ElementwiseKernel("float64 n, float64 p, float64 q", "float64 w", code, f"{name}_window")


# A sum of few cosines with its weights as arguments, and one of many in an array.
_FEW_COSINES = ElementwiseKernel(
    "float64 n, float64 a, float64 b, float64 c, float64 d, float64 e",
    "float64 w",
    """
    const double angle = 6.28318530717958647693 * i / (n - 1) - 3.14159265358979323846;
    w = a + b * cos(angle);
    if (c != 0) w += c * cos(2 * angle) + d * cos(3 * angle) + e * cos(4 * angle);
    """,
    "cosines_window",
)
_COSINES = ElementwiseKernel(
    "float64 n, raw float64 a, int64 count, float64 offset, float64 scale, bool is_taylor",
    "float64 w",
    """
    const double turn = 6.28318530717958647693;
    const double angle = is_taylor ? turn * (i - n / 2 + 0.5) / n : turn * i / (n - 1) - turn / 2;
    w = offset;
    #pragma unroll 1
    for (long long k = 0; k < count; k++) w += a[k] * cos((k + is_taylor) * angle);
    w *= scale;
    """,
    "many_cosines_window",
)


# ---- lengths -------------------------------------------------------------------------------------


def _length(M: Any) -> int:
    """The number of points, an integer of any type."""
    if int(M) != M or M < 0:
        raise ValueError(f"Window length M must be a non-negative integer, not M={shown(M)}")
    return int(M)


def _window(M: Any, sym: bool, fill: Callable[[int, ndarray], Any]) -> ndarray:
    """A window of M points, which `fill` computes as part of one that is symmetric."""
    count = _length(M)
    if count <= 1:
        return ones(count)
    out = empty(count)
    fill(count + (not sym), out)
    return out


def _formula(name: str, M: Any, sym: bool, p: float = 0.0, q: float = 0.0) -> ndarray:
    return _window(M, sym, lambda n, out: _kernel(name)(float(n), float(p), float(q), out))


def _cosines(M: Any, weights: tuple, sym: bool) -> ndarray:
    few = [float(w) for w in weights] + [0.0] * (5 - len(weights))
    return _window(M, sym, lambda n, out: _FEW_COSINES(float(n), *few, out))


# ---- sums of cosines -----------------------------------------------------------------------------


@placed
def boxcar(M, sym=True) -> ndarray:
    """Return a window of ones.

    Parameters
    ----------
    M : int
        Number of points of the window.
    sym : bool, optional
        If True, the window is symmetric, for filters. If False, it is periodic, for spectra:
        the first points of a symmetric window with one point more.
    xp : module, optional
        Namespace of the window. By default this package; arrays of another are copies by way of
        the host.
    device : optional
        Device of the window: a `Device` or its number, or what `asarray` of another namespace
        takes.

    Returns
    -------
    ndarray
        The window in float64, with its largest value of one where it has that point.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.boxcar(3)
    array([1., 1., 1.])
    """
    return ones(_length(M))


@documented_as(boxcar)
def general_cosine(M, a, sym=True) -> ndarray:
    """Return a weighted sum of cosines.

    Parameters
    ----------
    a : array_like
        Weights, of the constant first, on the host or the device.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.general_cosine(3, [0.5, 0.5])
    array([0., 1., 0.])
    """
    weights = a if isinstance(a, ndarray) else array(as_host(a, float))
    weights = weights.astype(float)
    return _window(
        M, sym, lambda n, out: _COSINES(float(n), weights, weights.size, 0.0, 1.0, False, out)
    )


@documented_as(boxcar)
@placed
def general_hamming(M, alpha, sym=True) -> ndarray:
    """Return a raised cosine with a given constant part.

    Parameters
    ----------
    alpha : float
        Weight of the constant; the cosine has the rest of one.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.general_hamming(3, 0.75)
    array([0.5, 1. , 0.5])
    """
    return _cosines(M, (alpha, 1.0 - alpha), sym)


@documented_as(boxcar)
@placed
def hann(M, sym=True) -> ndarray:
    """Return a Hann window, a raised cosine that ends at zero.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.hann(4, sym=False)
    array([0. , 0.5, 1. , 0.5])
    """
    return _cosines(M, (0.5, 0.5), sym)


@documented_as(boxcar)
@placed
def hamming(M, sym=True) -> ndarray:
    """Return a Hamming window, a raised cosine with a small first sidelobe.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.hamming(3).round(2)
    array([0.08, 1.  , 0.08])
    """
    return _cosines(M, (0.54, 1.0 - 0.54), sym)


@documented_as(boxcar)
@placed
def blackman(M, sym=True) -> ndarray:
    """Return a Blackman window, a sum of three cosines.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.blackman(5).round(2)
    array([-0.  ,  0.34,  1.  ,  0.34, -0.  ])
    """
    return _cosines(M, (0.42, 0.50, 0.08), sym)


@documented_as(boxcar)
@placed
def nuttall(M, sym=True) -> ndarray:
    """Return a Nuttall window, a sum of four cosines with sidelobes that fall fast.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.nuttall(3).round(4)
    array([4.e-04, 1.e+00, 4.e-04])
    """
    return _cosines(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym)


@documented_as(boxcar)
@placed
def blackmanharris(M, sym=True) -> ndarray:
    """Return a Blackman-Harris window, a sum of four cosines with low sidelobes.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.blackmanharris(3).round(5)
    array([6.e-05, 1.e+00, 6.e-05])
    """
    return _cosines(M, (0.35875, 0.48829, 0.14128, 0.01168), sym)


@documented_as(boxcar)
@placed
def flattop(M, sym=True) -> ndarray:
    """Return a flat top window, with which amplitudes are measured.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.flattop(3).round(4)
    array([-4.e-04,  1.e+00, -4.e-04])
    """
    return _cosines(M, (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), sym)


@documented_as(boxcar)
@placed
def taylor(M, nbar=4, sll=30, norm=True, sym=True) -> ndarray:
    """Return a Taylor window, whose near sidelobes are all as low.

    Parameters
    ----------
    nbar : int, optional
        Number of sidelobes beside the main lobe that are nearly equal.
    sll : float, optional
        Height of the sidelobes below the main lobe, in decibels.
    norm : bool, optional
        If True, the middle of an odd window is one.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.taylor(5).round(3)
    array([0.332, 0.772, 1.   , 0.772, 0.332])
    """
    nbar, sll = operator.index(nbar), number_on_host(sll)
    check_device_memory(nbar)
    weights = _taylor_weights(nbar, sll)
    scale = 1.0

    def fill(n: int, out: ndarray) -> None:
        nonlocal scale
        if norm:
            orders = np.arange(1, nbar)
            scale = 1.0 / (
                1.0 + (weights * np.cos(2 * np.pi * orders * ((n - 1) / 2 - n / 2 + 0.5) / n)).sum()
            )
        _COSINES(float(n), array(weights), weights.size, 1.0, scale, True, out)

    return _window(M, sym, fill)


def _taylor_weights(nbar: int, sll: float) -> np.ndarray:
    """Weights of the cosines, times two; T. T. Taylor, IRE Trans. Antennas Propag. 3 (1955)."""
    level = math.acosh(10 ** (sll / 20)) / math.pi
    stretch = nbar**2 / (level**2 + (nbar - 0.5) ** 2)
    orders = np.arange(1, nbar)
    weights = np.empty(nbar - 1)
    for at, m in enumerate(orders):
        numerator = (1 - m**2 / stretch / (level**2 + (orders - 0.5) ** 2)).prod()
        others = orders[orders != m]
        weights[at] = -((-1) ** m) * numerator / (1 - m**2 / others**2).prod()
    return weights


# ---- other formulas ------------------------------------------------------------------------------


@documented_as(boxcar)
@placed
def triang(M, sym=True) -> ndarray:
    """Return a triangle that does not reach zero.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.triang(3)
    array([0.5, 1. , 0.5])
    """
    return _formula("triang", M, sym)


@documented_as(boxcar)
@placed
def bartlett(M, sym=True) -> ndarray:
    """Return a triangle that ends at zero.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.bartlett(3)
    array([0., 1., 0.])
    """
    return _formula("bartlett", M, sym)


@documented_as(boxcar)
@placed
def parzen(M, sym=True) -> ndarray:
    """Return a Parzen window, made of cubic polynomials.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.parzen(3).round(3)
    array([0.074, 1.   , 0.074])
    """
    return _formula("parzen", M, sym)


@documented_as(boxcar)
@placed
def bohman(M, sym=True) -> ndarray:
    """Return a Bohman window, the correlation of two halves of a cosine.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.bohman(3)
    array([0., 1., 0.])
    """
    return _formula("bohman", M, sym)


@documented_as(boxcar)
@placed
def barthann(M, sym=True) -> ndarray:
    """Return a modified Bartlett-Hann window.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.barthann(3).round(3)
    array([0., 1., 0.])
    """
    return _formula("barthann", M, sym)


@documented_as(boxcar)
@placed
def cosine(M, sym=True) -> ndarray:
    """Return half a period of a sine.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.cosine(3).round(2)
    array([0.5, 1. , 0.5])
    """
    return _formula("cosine", M, sym)


@documented_as(boxcar)
@placed
def lanczos(M, *, sym=True) -> ndarray:
    """Return the main lobe of the function sin(x)/x.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.lanczos(3).round(3)
    array([0., 1., 0.])
    """
    return _formula("lanczos", M, sym)


@documented_as(boxcar)
@placed
def gaussian(M, std, sym=True) -> ndarray:
    """Return a bell curve.

    Parameters
    ----------
    std : float
        Standard deviation in points.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.gaussian(3, 1).round(3)
    array([0.607, 1.   , 0.607])
    """
    return _formula("gaussian", M, sym, std)


@documented_as(boxcar)
@placed
def general_gaussian(M, p, sig, sym=True) -> ndarray:
    """Return a bell curve of any power.

    Parameters
    ----------
    p : float
        Shape: 1 is a normal distribution's, 1/2 a Laplace distribution's.
    sig : float
        Width of the curve in points.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.general_gaussian(3, 1, 1).round(3)
    array([0.607, 1.   , 0.607])
    """
    return _formula("general_gaussian", M, sym, p, sig)


@documented_as(boxcar)
@placed
def exponential(M, center=None, tau=1.0, sym=True) -> ndarray:
    """Return a window that decays exponentially on both sides.

    Parameters
    ----------
    center : float, optional
        Place of the largest value of a periodic window; by default the middle.
    tau : float, optional
        Points after which the window is less by a factor of e.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.exponential(3).round(3)
    array([0.368, 1.   , 0.368])
    """
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    count = _length(M)
    middle = (count - 1 + (not sym)) / 2 if center is None else center
    return _formula("exponential", count, sym, middle, tau)


@documented_as(boxcar)
@placed
def tukey(M, alpha=0.5, sym=True) -> ndarray:
    """Return ones with flanks of a cosine.

    Parameters
    ----------
    alpha : float, optional
        Share of the window that the flanks have: 0 is a rectangle, 1 a Hann window.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.tukey(5, 0.5)
    array([0., 1., 1., 1., 0.])
    """
    if alpha <= 0:
        return boxcar(M)
    if alpha >= 1.0:
        return hann(M, sym)
    return _formula("tukey", M, sym, alpha)


@documented_as(boxcar)
@placed
def kaiser(M, beta, sym=True) -> ndarray:
    """Return a Kaiser window, a Bessel function of the place.

    Parameters
    ----------
    beta : float
        Shape: larger values give a wider main lobe and lower sidelobes.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.kaiser(3, 6).round(3)
    array([0.015, 1.   , 0.015])
    """
    if _length(M) <= 1:
        return ones(_length(M))
    argument = _formula("kaiser", M, sym, beta)
    top = float(np.i0(float(beta)))
    return um.divide(special.i0(argument, out=argument), top, out=argument)


@documented_as(kaiser)
@placed
def kaiser_bessel_derived(M, beta, *, sym=True) -> ndarray:
    """Return a window of the modified discrete cosine transform, made of a Kaiser window.

    Parameters
    ----------
    sym : bool, optional
        Has to be True: the window exists for filters alone.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.kaiser_bessel_derived(4, 4).round(3)
    array([0.274, 0.962, 0.962, 0.274])
    """
    if not sym:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for symmetric shapes")
    if M < 1:
        return array([])
    if M % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even number of points")
    sums = kaiser(M // 2 + 1, beta).cumsum()
    half = um.sqrt(sums[:-1] / sums[-1])
    return concatenate((half, half[::-1]))


@documented_as(boxcar)
@placed
def chebwin(M, at, sym=True) -> ndarray:
    """Return a Dolph-Chebyshev window, all of whose sidelobes are as low.

    Parameters
    ----------
    at : float
        Height of the sidelobes below the main lobe, in decibels.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.chebwin(3, 100).round(3)
    array([0.5, 1. , 0.5])
    """
    count = _length(M)
    if count <= 1:
        return ones(count)
    n = count + (not sym)
    stretch = math.cosh(math.acosh(10 ** (abs(at) / 20)) / (n - 1))
    spectrum = empty(n)
    _kernel("chebwin")(float(n), 0.0, stretch, spectrum)
    if n % 2:
        half = _fft.fft(spectrum).real[: (n + 1) // 2]
        whole = concatenate((half[:0:-1], half))
    else:
        shift = um.exp(1j * math.pi / n * arange(n))
        half = _fft.fft(spectrum * shift).real[: n // 2 + 1]
        whole = concatenate((half[:0:-1], half[1:]))
    return (whole / whole.max())[:count]


@by_scipy(
    """windows : ndarray
    One window, or `Kmax` of them as rows, on the device.
ratios : ndarray or float
    Shares of the energy within the band; only if `return_ratios`.""",
    "signal.windows",
)
def dpss(
    M, NW, Kmax=None, sym=True, norm=None, return_ratios=False, *, xp=None, device=None
) -> Any:
    """Compute discrete prolate spheroidal sequences, with which spectra are averaged.

    M : int
        Number of points of the window.

    NW : float
        Half the width of the band, times the length.

    Kmax : int, optional
        Number of windows that are returned.

    sym : bool, optional
        If True, the window is symmetric, otherwise periodic.

    norm : {2, "approximate", "subsample"}, optional
        How the windows are scaled.

    return_ratios : bool, optional
        If True, the shares of the energy are returned too.

    Examples
    --------
    >>> from gpunp.scipy.signal import windows
    >>> windows.dpss(51, 2.5).shape
    (51,)
    """


# ---- by name -------------------------------------------------------------------------------------

# The names of each window, and the least number of parameters that it needs.
_NAMES = [
    (barthann, "barthann brthan bth", 0),
    (bartlett, "bartlett bart brt", 0),
    (blackman, "blackman black blk", 0),
    (blackmanharris, "blackmanharris blackharr bkh", 0),
    (bohman, "bohman bman bmn", 0),
    (boxcar, "boxcar box ones rect rectangular", 0),
    (chebwin, "chebwin cheb", 1),
    (cosine, "cosine halfcosine", 0),
    (dpss, "dpss", 1),
    (exponential, "exponential poisson", 0),
    (flattop, "flattop flat flt", 0),
    (gaussian, "gaussian gauss gss", 1),
    (general_cosine, "general_cosine", 1),
    (general_gaussian, "general_gaussian general_gauss ggs", 2),
    (general_hamming, "general_hamming", 1),
    (hamming, "hamming hamm ham", 0),
    (hann, "hann han", 0),
    (kaiser, "kaiser ksr", 1),
    (kaiser_bessel_derived, "kaiser_bessel_derived kbd", 1),
    (lanczos, "lanczos sinc", 0),
    (nuttall, "nuttall nutl nut", 0),
    (parzen, "parzen parz par", 0),
    (taylor, "taylor taylorwin", 0),
    (triang, "triangle triang tri", 0),
    (tukey, "tukey tuk", 0),
]
_BY_NAME = {name: (window, least) for window, names, least in _NAMES for name in names.split()}


def _found(name: str, sym: bool) -> tuple:
    """(window, least number of parameters, sym) of a name with or without its ending."""
    stem = name
    for ending, value in (("_periodic", False), ("_symmetric", True)):
        if stem.endswith(ending):
            stem, sym = stem.removesuffix(ending), value
    stem = stem.replace(" ", "_")
    if stem not in _BY_NAME:
        raise ValueError(f"Unknown window type {shown(name)}")
    return (*_BY_NAME[stem], sym)


@functools.cache
def _count_parameters(window: Callable) -> int:
    """Number of the parameters of a window between the number of points and `sym`."""
    return list(inspect.signature(window).parameters).index("sym") - 1


@placed
def get_window(window, Nx, fftbins=True) -> ndarray:
    """Return the window that a name, or a name with parameters, describes.

    Parameters
    ----------
    window : str, float or tuple
        Name of a window, a tuple of the name and its parameters, or the `beta` of a Kaiser
        window. Names may end in "_periodic" or "_symmetric", which `fftbins` gives way to.
    Nx : int
        Number of points of the window.
    fftbins : bool, optional
        If True, the window is periodic, for spectra, otherwise symmetric.
    xp : module, optional
        Namespace of the window. By default this package; arrays of another are copies by way of
        the host.
    device : optional
        Device of the window: a `Device` or its number, or what `asarray` of another namespace
        takes.

    Returns
    -------
    ndarray
        The window in float64.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.get_window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    """
    sym = not fftbins
    if whole(Nx, "Nx") < 1:
        raise ValueError(f"Parameter Nx={shown(Nx)} is not a positive integer")
    if not isinstance(window, (str, tuple)):
        try:
            beta = float(window)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{type(window)} as window type is not supported.") from error
        return kaiser(Nx, beta, sym)
    name, *parameters = (window[0], *window[1:]) if isinstance(window, tuple) else (window,)
    if not isinstance(name, str):
        raise ValueError(f"The name of a window must be a str, not {shown(name)}")
    function, least, sym = _found(name, sym)
    if len(parameters) < least:
        raise ValueError(f"The {shown(name)} window needs one or more parameters: give a tuple")
    if len(parameters) > (1 if function is dpss else _count_parameters(function)):
        raise ValueError(f"The {shown(name)} window does not have so many parameters")
    return function(Nx, *parameters, sym=sym)
