"""Design of filters with finite responses."""

from typing import Any

from ._host import by_scipy

__all__ = [
    "firls",
    "firwin",
    "firwin2",
    "firwin_2d",
    "kaiser_atten",
    "kaiser_beta",
    "kaiserord",
    "minimum_phase",
    "remez",
]


@by_scipy("taps")
def firwin(
    numtaps, cutoff, *, width=None, window="hamming", pass_zero=True, scale=True, fs=None
) -> Any:
    """Design a filter of linear phase by the window method.

    cutoff : float or array_like
        Edge or edges of the passbands, in units of half the sampling rate or in those of `fs`.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.firwin(3, 0.1).round(4)
    array([0.068, 0.864, 0.068])
    """


@by_scipy("taps")
def firwin2(
    numtaps, freq, gain, *, nfreqs=None, window="hamming", antisymmetric=False, fs=None
) -> Any:
    """Design a filter of linear phase from gains at frequencies, by the window method.

    freq : array_like
        Frequencies in ascending order, from zero to half the sampling rate.

    gain : array_like
        Wanted gain at each frequency.

    nfreqs : int, optional
        Number of points to which the gains are interpolated.

    antisymmetric : bool, optional
        If True, the coefficients are antisymmetric.
    """


@by_scipy("taps")
def firwin_2d(hsize, window, *, fc=None, fs=2, circular=False, pass_zero=True, scale=True) -> Any:
    """Design a filter of two dimensions by the window method.

    hsize : tuple of int
        Numbers of rows and columns of the filter.

    window : str or tuple
        Window of both axes, or a pair of windows.

    fc : float or array_like, optional
        Edge of the passband of a circular window.

    circular : bool, optional
        If True, the window depends on the distance from the centre.
    """


@by_scipy("taps")
def firls(numtaps, bands, desired, *, weight=None, fs=None) -> Any:
    """Design a filter of linear phase with the least squared error.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.firls(5, [0, 0.3, 0.6, 1], [1, 1, 0, 0]).size
    5
    """


@by_scipy("taps")
def remez(
    numtaps, bands, desired, *, weight=None, type="bandpass", maxiter=25, grid_density=16, fs=None
) -> Any:
    """Design a filter of linear phase with the least largest error.

    type : {"bandpass", "differentiator", "hilbert"}, optional
        Kind of the filter.

    maxiter : int, optional
        Largest number of iterations of the exchange.

    grid_density : int, optional
        Density of the grid on which errors are computed.
    """


@by_scipy("taps")
def minimum_phase(h, method="homomorphic", n_fft=None, *, half=True) -> Any:
    """Make a filter of minimum phase of one of linear phase.

    h : array_like
        Coefficients of the filter with linear phase.

    method : {"homomorphic", "hilbert"}, optional
        How the filter is computed.

    n_fft : int, optional
        Length of the transforms that are used.

    half : bool, optional
        If True, the result has half as many coefficients and the square root of the response.
    """


@by_scipy("beta : float\n    Parameter of the Kaiser window.")
def kaiser_beta(a) -> Any:
    """Compute the parameter of the Kaiser window from the attenuation.

    a : float
        Wanted attenuation of the stopband in decibels.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> round(float(signal.kaiser_beta(65)), 3)
    6.204
    """


@by_scipy("a : float\n    Attenuation in decibels.")
def kaiser_atten(numtaps, width) -> Any:
    """Compute the attenuation that a filter with a Kaiser window has.

    width : float
        Width of the transition, in units of half the sampling rate.
    """


@by_scipy(
    """numtaps : int
    Number of coefficients.
beta : float
    Parameter of the Kaiser window."""
)
def kaiserord(ripple, width) -> Any:
    """Choose length and window of a filter by Kaiser's formulas.

    ripple : float
        Largest deviation from the wanted response, in decibels.

    width : float
        Width of the transition, in units of half the sampling rate.
    """
