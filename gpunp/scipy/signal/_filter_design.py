"""Design of recursive filters, and conversions between the forms of a filter."""

from typing import Any

from ._host import by_scipy

__all__ = [
    "abcd_normalize",
    "band_stop_obj",
    "bessel",
    "besselap",
    "bilinear",
    "bilinear_zpk",
    "buttap",
    "butter",
    "buttord",
    "cheb1ap",
    "cheb1ord",
    "cheb2ap",
    "cheb2ord",
    "cheby1",
    "cheby2",
    "ellip",
    "ellipap",
    "ellipord",
    "findfreqs",
    "gammatone",
    "iircomb",
    "iirdesign",
    "iirfilter",
    "iirnotch",
    "iirpeak",
    "invres",
    "invresz",
    "lp2bp",
    "lp2bp_zpk",
    "lp2bs",
    "lp2bs_zpk",
    "lp2hp",
    "lp2hp_zpk",
    "lp2lp",
    "lp2lp_zpk",
    "normalize",
    "residue",
    "residuez",
    "sos2tf",
    "sos2zpk",
    "ss2tf",
    "ss2zpk",
    "tf2sos",
    "tf2ss",
    "tf2zpk",
    "unique_roots",
    "zpk2sos",
    "zpk2ss",
    "zpk2tf",
]

# ---- filters -------------------------------------------------------------------------------------


@by_scipy("filter")
def butter(N, Wn, btype="low", analog=False, output="ba", fs=None) -> Any:
    """Design a Butterworth filter, whose passband is as flat as can be.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> b, a = signal.butter(2, 0.5)
    >>> b.round(3)
    array([0.293, 0.586, 0.293])
    """


@by_scipy("filter")
def cheby1(N, rp, Wn, btype="low", analog=False, output="ba", fs=None) -> Any:
    """Design a Chebyshev filter of type I, whose passband has ripples.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.cheby1(4, 1, 0.3, output="sos").shape
    (2, 6)
    """


@by_scipy("filter")
def cheby2(N, rs, Wn, btype="low", analog=False, output="ba", fs=None) -> Any:
    """Design a Chebyshev filter of type II, whose stopband has ripples.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.cheby2(4, 40, 0.3, output="sos").shape
    (2, 6)
    """


@by_scipy("filter")
def ellip(N, rp, rs, Wn, btype="low", analog=False, output="ba", fs=None) -> Any:
    """Design an elliptic filter, which has ripples in both bands.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.ellip(4, 1, 40, 0.3, output="sos").shape
    (2, 6)
    """


@by_scipy("filter")
def bessel(N, Wn, btype="low", analog=False, output="ba", norm="phase", fs=None) -> Any:
    """Design a Bessel filter, whose group delay is as flat as can be.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.bessel(4, 0.3, output="sos").shape
    (2, 6)
    """


@by_scipy("filter")
def iirdesign(wp, ws, gpass, gstop, analog=False, ftype="ellip", output="ba", fs=None) -> Any:
    """Design a recursive filter of the least order that meets a specification.

    ftype : {"butter", "cheby1", "cheby2", "ellip"}, optional
        Kind of the prototype that is transformed.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> z, p, k = signal.iirdesign(0.2, 0.3, 1, 40, output="zpk")
    >>> z.size
    4
    """


@by_scipy("filter")
def iirfilter(
    N, Wn, rp=None, rs=None, btype="band", analog=False, ftype="butter", output="ba", fs=None
) -> Any:
    """Design a recursive filter of a given order.

    ftype : {"butter", "cheby1", "cheby2", "ellip", "bessel"}, optional
        Kind of the prototype that is transformed.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> b, a = signal.iirfilter(2, [0.2, 0.5], rs=60, ftype="cheby2")
    >>> b.size
    5
    """


@by_scipy("pair")
def iirnotch(w0, Q, fs=2.0, *, xp=None, device=None) -> Any:
    """Design a filter of second order that removes one frequency.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> b, a = signal.iirnotch(50.0, 30.0, fs=1000.0)
    >>> b.size, a.size
    (3, 3)
    """


@by_scipy("pair")
def iirpeak(w0, Q, fs=2.0, *, xp=None, device=None) -> Any:
    """Design a filter of second order that keeps one frequency."""


@by_scipy("pair")
def iircomb(w0, Q, ftype="notch", fs=2.0, *, pass_zero=False, xp=None, device=None) -> Any:
    """Design a filter that removes or keeps the multiples of a frequency.

    ftype : {"notch", "peak"}, optional
        Whether the multiples are removed or kept.
    """


@by_scipy("pair")
def gammatone(freq, ftype, order=None, numtaps=None, fs=None, *, xp=None, device=None) -> Any:
    """Design a gammatone filter, a model of a place of the inner ear.

    freq : float
        Frequency in the middle of the band.

    ftype : {"fir", "iir"}
        Whether the response is finite or not.

    order : int, optional
        Order of a finite filter, up to 24.

    numtaps : int, optional
        Number of coefficients of a finite filter.
    """


# ---- orders --------------------------------------------------------------------------------------


@by_scipy("order")
def buttord(wp, ws, gpass, gstop, analog=False, fs=None) -> Any:
    """Choose the order of a Butterworth filter from a specification.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.buttord(0.2, 0.3, 3, 40)[0]
    11
    """


@by_scipy("order")
def cheb1ord(wp, ws, gpass, gstop, analog=False, fs=None) -> Any:
    """Choose the order of a Chebyshev filter of type I from a specification."""


@by_scipy("order")
def cheb2ord(wp, ws, gpass, gstop, analog=False, fs=None) -> Any:
    """Choose the order of a Chebyshev filter of type II from a specification."""


@by_scipy("order")
def ellipord(wp, ws, gpass, gstop, analog=False, fs=None) -> Any:
    """Choose the order of an elliptic filter from a specification."""


@by_scipy("n : float\n    Order of the filter with that edge, on the host.")
def band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type) -> Any:
    """Compute the order of a band-stop filter for an edge of the passband.

    wp : float
        Edge of the passband that is tried.

    ind : {0, 1}
        Which of the two edges it is.

    passb : array_like
        Both edges of the passband.

    stopb : array_like
        Both edges of the stopband.

    type : {"butter", "cheby", "ellip"}
        Kind of the filter.
    """


# ---- prototypes ----------------------------------------------------------------------------------


@by_scipy("zpk")
def buttap(N, *, xp=None, device=None) -> Any:
    """Compute the analog Butterworth prototype with its edge at one radian per second."""


@by_scipy("zpk")
def cheb1ap(N, rp, *, xp=None, device=None) -> Any:
    """Compute the analog Chebyshev prototype of type I with its edge at one radian per second."""


@by_scipy("zpk")
def cheb2ap(N, rs, *, xp=None, device=None) -> Any:
    """Compute the analog Chebyshev prototype of type II with its edge at one radian per second."""


@by_scipy("zpk")
def ellipap(N, rp, rs, *, xp=None, device=None) -> Any:
    """Compute the analog elliptic prototype with its edge at one radian per second."""


@by_scipy("zpk")
def besselap(N, norm="phase", *, xp=None, device=None) -> Any:
    """Compute the analog Bessel prototype."""


# ---- transformations -----------------------------------------------------------------------------


@by_scipy("pair")
def bilinear(b, a, fs=1.0) -> Any:
    """Make a digital filter of an analog one by the bilinear transform."""


@by_scipy("zpk")
def bilinear_zpk(z, p, k, fs) -> Any:
    """Make a digital filter of an analog one by the bilinear transform of zeros and poles."""


@by_scipy("pair")
def lp2lp(b, a, wo=1.0) -> Any:
    """Move the cutoff of an analog low-pass filter."""


@by_scipy("pair")
def lp2hp(b, a, wo=1.0) -> Any:
    """Make an analog high-pass filter of a low-pass filter."""


@by_scipy("pair")
def lp2bp(b, a, wo=1.0, bw=1.0) -> Any:
    """Make an analog band-pass filter of a low-pass filter."""


@by_scipy("pair")
def lp2bs(b, a, wo=1.0, bw=1.0) -> Any:
    """Make an analog band-stop filter of a low-pass filter."""


@by_scipy("zpk")
def lp2lp_zpk(z, p, k, wo=1.0) -> Any:
    """Move the cutoff of an analog low-pass filter, by zeros and poles."""


@by_scipy("zpk")
def lp2hp_zpk(z, p, k, wo=1.0) -> Any:
    """Make an analog high-pass filter of a low-pass filter, by zeros and poles."""


@by_scipy("zpk")
def lp2bp_zpk(z, p, k, wo=1.0, bw=1.0) -> Any:
    """Make an analog band-pass filter of a low-pass filter, by zeros and poles."""


@by_scipy("zpk")
def lp2bs_zpk(z, p, k, wo=1.0, bw=1.0) -> Any:
    """Make an analog band-stop filter of a low-pass filter, by zeros and poles."""


# ---- conversions ---------------------------------------------------------------------------------


@by_scipy("pair")
def normalize(b, a) -> Any:
    """Divide both polynomials of a transfer function by the first coefficient of `a`."""


@by_scipy("zpk")
def tf2zpk(b, a) -> Any:
    """Compute zeros, poles and gain of a transfer function.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> z, p, k = signal.tf2zpk([1.0, -1.0], [1.0, -0.5])
    >>> z, p, float(k)
    (array([1.]), array([0.5]), 1.0)
    """


@by_scipy("pair")
def zpk2tf(z, p, k) -> Any:
    """Compute the transfer function of zeros, poles and gain."""


@by_scipy("sections")
def tf2sos(b, a, pairing=None, *, analog=False) -> Any:
    """Split a transfer function into second-order sections."""


@by_scipy("sections")
def zpk2sos(z, p, k, pairing=None, *, analog=False) -> Any:
    """Split a filter of zeros and poles into second-order sections."""


@by_scipy("pair")
def sos2tf(sos) -> Any:
    """Multiply second-order sections to one transfer function."""


@by_scipy("zpk")
def sos2zpk(sos) -> Any:
    """Collect zeros, poles and gain of second-order sections."""


@by_scipy("states")
def tf2ss(num, den) -> Any:
    """Make a state space of a transfer function."""


@by_scipy("states")
def zpk2ss(z, p, k) -> Any:
    """Make a state space of zeros, poles and gain."""


@by_scipy("pair")
def ss2tf(A, B, C, D, input=0) -> Any:
    """Compute the transfer function of a state space."""


@by_scipy("zpk")
def ss2zpk(A, B, C, D, input=0) -> Any:
    """Compute zeros, poles and gain of a state space."""


@by_scipy("states")
def abcd_normalize(A=None, B=None, C=None, D=None) -> Any:
    """Complete the matrices of a state space, so that their shapes agree."""


@by_scipy("w : ndarray\n    Angular frequencies in ascending order, on the device.")
def findfreqs(num, den, N, kind="ba") -> Any:
    """Choose frequencies at which the response of an analog filter is worth a look.

    N : int
        Number of frequencies that are returned.

    kind : {"ba", "zp"}, optional
        Whether coefficients or zeros and poles are given.
    """


# ---- partial fractions ---------------------------------------------------------------------------


@by_scipy("terms")
def residue(b, a, tol=1e-3, rtype="avg") -> Any:
    """Expand a quotient of polynomials of s into partial fractions."""


@by_scipy("terms")
def residuez(b, a, tol=1e-3, rtype="avg") -> Any:
    """Expand a quotient of polynomials of 1/z into partial fractions.

    b : array_like
        Coefficients of the numerator, in ascending powers of 1/z.

    a : array_like
        Coefficients of the denominator, in ascending powers of 1/z.
    """


@by_scipy("pair")
def invres(r, p, k, tol=1e-3, rtype="avg") -> Any:
    """Add partial fractions of s to a quotient of polynomials.

    k : array_like
        Coefficients of the direct polynomial.
    """


@by_scipy("pair")
def invresz(r, p, k, tol=1e-3, rtype="avg") -> Any:
    """Add partial fractions of 1/z to a quotient of polynomials.

    k : array_like
        Coefficients of the direct polynomial.
    """


@by_scipy(
    """unique : ndarray
    One root of each group, on the device.
multiplicity : ndarray
    Number of roots of each group, on the device."""
)
def unique_roots(p, tol=1e-3, rtype="min") -> Any:
    """Group roots that are nearly equal.

    p : array_like
        Roots that are grouped.
    """
