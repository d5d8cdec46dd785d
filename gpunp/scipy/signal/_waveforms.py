"""Waveforms at given times, one launch each, in float64; shift-register sequences."""

import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import (
    check_device_memory,
    number_on_host,
    shape_tuple,
    shown,
    without_cycles,
)
from ..._core.multiarray import array, asarray, empty, ndarray, zeros
from ..._core.raw import ElementwiseKernel
from ._host import host_coefficients, scipy_signal, to_device, to_host

__all__ = [
    "chirp",
    "gausspulse",
    "max_len_seq",
    "sawtooth",
    "square",
    "sweep_poly",
    "unit_impulse",
]

# The phase of a chirp in turns. `a` and `b` depend on the method, which _chirp_numbers explains.
_CHIRP = ElementwiseKernel(
    "float64 t, int32 method, float64 f, float64 a, float64 b, float64 phi",
    "R y",
    """
    double turns = f * t;
    if (method == 1) turns += 0.5 * a * t * t;
    if (method == 2) turns += a * t * t * t / 3;
    if (method == 3) turns += a * ((b - t) * (b - t) * (b - t) - b * b * b) / 3;
    if (method == 4) turns = a * f * (pow(b, t) - 1);
    if (method == 5) turns = -a * f * log(fabs(1 - t / a));
    y = wave<R>(6.28318530717958647693 * turns + phi);
    """,
    "chirp",
    preamble="""
    template <typename R> __device__ R wave(double phase)
    {
        if constexpr (sizeof(R) == 16) return R(cos(phase), sin(phase));
        else return cos(phase);
    }
    """,
)
_SQUARE = ElementwiseKernel(
    "float64 t, float64 duty",
    "float64 y",
    """
    const double turn = 6.28318530717958647693;
    const double at = t - turn * floor(t / turn);
    y = duty < 0 || duty > 1 ? nan("") : at < duty * turn ? 1 : -1;
    """,
    "square_wave",
)
_SAWTOOTH = ElementwiseKernel(
    "float64 t, float64 width",
    "float64 y",
    """
    const double pi = 3.14159265358979323846;
    const double at = t - 2 * pi * floor(t / (2 * pi));
    if (width < 0 || width > 1) y = nan("");
    else if (at < width * 2 * pi) y = at / (pi * width) - 1;
    else y = (pi * (width + 1) - at) / (pi * (1 - width));
    """,
    "sawtooth_wave",
)
_SWEEP = ElementwiseKernel(
    "float64 t, raw float64 c, int32 count, float64 phi",
    "float64 y",
    """
    double turns = 0;
    #pragma unroll 1
    for (int k = 0; k < count; k++) turns = turns * t + c[k];
    y = cos(6.28318530717958647693 * turns + phi);
    """,
    "polynomial_sweep",
)
_RUN = 256  # steps of a shift register that a thread takes
# Thread i begins after 256 i steps: for each bit of i it multiplies the state with a power of the
# register's matrix over GF(2), whose rows are the bits of `power`.
_REGISTER = ElementwiseKernel(
    "raw uint64 power, uint64 start, uint64 mask, int32 bits, int64 length, raw int8 out",
    "int8 done",
    f"""
    unsigned long long s = start;
    #pragma unroll 1
    for (int j = 0; (i >> j) != 0; j++) {{
        if ((i >> j) & 1) {{
            unsigned long long next = 0;
    #pragma unroll 1
            for (int k = 0; k < bits; k++) {{
                next |= (unsigned long long)(__popcll(power[j * bits + k] & s) & 1) << k;
            }}
            s = next;
        }}
    }}
    #pragma unroll 1
    for (ptrdiff_t at = i * {_RUN}; at < min((i + 1) * {_RUN}, (ptrdiff_t)length); at++) {{
        const_cast<signed char &>(reinterpret_cast<const signed char &>(out[at])) = s & 1;
        s = (s >> 1) | (unsigned long long)(__popcll(mask & s) & 1) << (bits - 1);
    }}
    done = 0;
    """,
    "shift_register",
)


def _numbers(values: Any) -> ndarray:
    return asarray(values).astype(float, copy=False)


def _radians(degrees: Any) -> float:
    return float(degrees) * math.pi / 180


def _chirp_numbers(f0: float, t1: float, f1: float, method: Any, vertex_zero: Any) -> tuple:
    """(number of the formula, frequency, a, b) of `_CHIRP`."""
    if method in ("linear", "lin", "li"):
        return 1, f0, (f1 - f0) / t1, 0.0
    if method in ("quadratic", "quad", "q"):
        rate = (f1 - f0) / t1**2
        return (2, f0, rate, 0.0) if vertex_zero else (3, f1, rate, t1)
    if method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0.0:
            raise ValueError(
                "For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign."
            )
        if f0 == f1:
            return 0, f0, 0.0, 0.0
        return 4, f0, t1 / math.log(f1 / f0), (f1 / f0) ** (1 / t1)
    if method in ("hyperbolic", "hyp"):
        if f0 == 0 or f1 == 0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        return (0, f0, 0.0, 0.0) if f0 == f1 else (5, f0, -f1 * t1 / (f0 - f1), 0.0)
    raise ValueError(
        f"method must be 'linear', 'quadratic', 'logarithmic' or 'hyperbolic', not {shown(method)}"
    )


def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False) -> ndarray:
    """Compute a cosine whose frequency changes with time.

    Parameters
    ----------
    t : array_like
        Times at which the wave is computed.
    f0 : float
        Frequency at time zero.
    t1 : float
        Time at which `f1` is reached.
    f1 : float
        Frequency at time `t1`.
    method : {"linear", "quadratic", "logarithmic", "hyperbolic"}, optional
        How the frequency changes.
    phi : float, optional
        Phase at time zero in degrees.
    vertex_zero : bool, optional
        Whether the vertex of a quadratic chirp is at time zero, otherwise at `t1`.
    complex : bool, optional
        If True, the result is a complex exponential.

    Returns
    -------
    ndarray
        Values of the wave in float64 or complex128.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.chirp(cp.array([0.0, 0.5]), 1.0, 1.0, 1.0)
    array([ 1., -1.])
    """
    numbers = _chirp_numbers(float(f0), float(t1), float(f1), method, vertex_zero)
    t = _numbers(t)
    return _CHIRP(t, *numbers, _radians(phi), empty(t.shape, "D" if complex else "d"))


def square(t, duty=0.5) -> ndarray:
    """Compute a square wave with a period of two pi.

    Parameters
    ----------
    t : array_like
        Times at which the wave is computed.
    duty : array_like, optional
        Share of the period in which the wave is one, from 0 to 1.

    Returns
    -------
    ndarray
        Values of 1 and -1; NaN where `duty` is out of range.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.square(cp.array([0.0, 2.0, 4.0]))
    array([ 1.,  1., -1.])
    """
    return _SQUARE(_numbers(t), _numbers(duty))


def sawtooth(t, width=1) -> ndarray:
    """Compute a sawtooth or triangle wave with a period of two pi.

    Parameters
    ----------
    t : array_like
        Times at which the wave is computed.
    width : array_like, optional
        Share of the period in which the wave rises, from 0 to 1.

    Returns
    -------
    ndarray
        Values from -1 to 1; NaN where `width` is out of range.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.sawtooth(cp.array([0.0, cp.pi]))
    array([-1.,  0.])
    """
    return _SAWTOOTH(_numbers(t), _numbers(width))


def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False) -> Any:
    """Compute a cosine below a bell curve.

    Parameters
    ----------
    t : array_like or 'cutoff'
        Times at which the pulse is computed.
    fc : float, optional
        Frequency of the cosine.
    bw : float, optional
        Width of the band as a share of the frequency.
    bwr : float, optional
        Level in decibels at which the width is measured.
    tpr : float, optional
        Level in decibels to which the curve has fallen at the cutoff time.
    retquad : bool, optional
        If True, the sine below the same curve is returned too.
    retenv : bool, optional
        If True, the curve is returned too.

    Returns
    -------
    ndarray, tuple of ndarray or float
        The pulse, and what was asked for; for "cutoff" a time, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.gausspulse(cp.array([0.0]), fc=5)
    array([1.])
    """
    for wrong, text in (
        (fc < 0, f"Center frequency (fc={fc:.2f}) must be >=0."),
        (bw <= 0, f"Fractional bandwidth (bw={bw:.2f}) must be > 0."),
        (bwr >= 0, f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB"),
    ):
        if wrong:
            raise ValueError(text)
    rate = -((math.pi * fc * bw) ** 2) / (4.0 * math.log(10.0 ** (bwr / 20.0)))
    if isinstance(t, str):
        if t != "cutoff":
            raise ValueError("If `t` is a string, it must be 'cutoff'")
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return math.sqrt(-math.log(10.0 ** (tpr / 20.0)) / rate)
    t = _numbers(t)
    envelope = um.exp(-rate * t * t)
    phase = 2 * math.pi * fc * t
    wanted = [envelope * um.cos(phase)]
    if retquad:
        wanted.append(envelope * um.sin(phase))
    if retenv:
        wanted.append(envelope)
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


def sweep_poly(t, poly, phi=0) -> ndarray:
    """Compute a cosine whose frequency is a polynomial of time.

    Parameters
    ----------
    t : array_like
        Times at which the wave is computed.
    poly : array_like or numpy.poly1d
        Coefficients of the frequency, the highest power first; those of the device are copied to
        the host.
    phi : float, optional
        Phase at time zero in degrees.

    Returns
    -------
    ndarray
        Values of the wave in float64.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.sweep_poly(cp.array([0.0, 0.5]), [1.0])
    array([ 1., -1.])
    """
    turns = np.polyint(poly if isinstance(poly, np.poly1d) else host_coefficients(poly))
    coefficients = array(np.atleast_1d(turns).astype(float))
    t = _numbers(t)
    return _SWEEP(t, coefficients, coefficients.size, _radians(phi), empty(t.shape))


def unit_impulse(shape, idx=None, dtype=float) -> ndarray:
    """Return zeros with a single one.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the result.
    idx : None, int, tuple of int or 'mid', optional
        Position of the one: the first element, an index along each axis, or the middle.
    dtype : dtype, optional
        Type of the result.

    Returns
    -------
    ndarray
        The impulse.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.unit_impulse(4, 2)
    array([0., 0., 1., 0.])
    """
    shape, idx = shape_tuple(shape), number_on_host(idx)
    out = zeros(shape, dtype)
    if idx is None:
        idx = (0,) * len(shape)
    elif isinstance(idx, str) and idx == "mid":
        idx = tuple(n // 2 for n in shape)
    elif not hasattr(idx, "__iter__"):
        idx = (idx,) * len(shape)
    out[tuple(idx)] = 1
    return out


# ---- maximum length sequences --------------------------------------------------------------------


def _times(rows: list[int], others: list[int]) -> list[int]:
    """Product of two matrices over GF(2), whose rows are the bits of integers."""
    product = []
    for row in rows:
        total = 0
        while row:
            low = row & -row
            total ^= others[low.bit_length() - 1]
            row ^= low
        product.append(total)
    return product


def _applied(rows: list[int], state: int) -> int:
    return sum((row & state).bit_count() % 2 << k for k, row in enumerate(rows))


def _step(bits: int, taps: Any) -> list[int]:
    """The matrix of one step, from the states to which SciPy's register takes those of one bit."""
    sequence = scipy_signal().max_len_seq
    rows = [0] * bits
    for k, start in enumerate(np.eye(bits, dtype=np.int8)):
        for j, bit in enumerate(sequence(bits, start, 1, taps)[1]):
            rows[j] |= int(bit) << k
    return rows


def max_len_seq(nbits, state=None, length=None, taps=None) -> tuple[ndarray, ndarray]:
    """Compute the bits of a linear feedback shift register.

    Parts of the sequence are computed at the same time, from states that powers of the register's
    matrix lead to. Registers of more than 64 bits run on the host.

    Parameters
    ----------
    nbits : int
        Number of bits of the register.
    state : array_like, optional
        Bits of its state at the beginning; by default all ones.
    length : int, optional
        Number of bits that are returned; by default a whole period.
    taps : array_like of int, optional
        Bits that are combined; by default those of a longest period.

    Returns
    -------
    seq : ndarray of int8
        Bits of the sequence.
    state : ndarray of int8
        State of the register at the end.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.max_len_seq(3)[0]
    array([1, 1, 1, 0, 1, 0, 0], dtype=int8)
    """
    nbits = without_cycles(number_on_host(nbits))
    state, taps = to_host(state), to_host(taps)
    if taps is not None:  # beyond 64 bits as well: SciPy would compute 2**nbits
        most = min(nbits, 2**62) if isinstance(nbits, int) else nbits
        check_device_memory(most, dtype=np.int8)
    begin = scipy_signal().max_len_seq(nbits, state, 0, taps)[1]  # checks the arguments
    bits = len(begin)
    length = (1 << bits) - 1 if length is None else int(length)
    if length < 0:
        raise ValueError("length must be greater than or equal to 0")
    if bits > 64:
        return to_device(scipy_signal().max_len_seq(nbits, state, length, taps))
    start = sum(int(bit) << k for k, bit in enumerate(begin))
    step = _step(bits, taps)
    out = _sequence(step, start, length)
    end, power = start, step
    for k in range(length.bit_length()):
        end = _applied(power, end) if length >> k & 1 else end
        power = _times(power, power)
    return out, array(np.array([end >> k & 1 for k in range(bits)], np.int8))


def _sequence(step: list[int], start: int, length: int) -> ndarray:
    bits = len(step)
    out = empty(length, np.int8)
    threads = -(-length // _RUN)
    power, powers = step, []
    for _ in range(_RUN.bit_length() - 1):
        power = _times(power, power)
    for _ in range(max(threads.bit_length(), 1)):
        powers.append(power)
        power = _times(power, power)
    if length:
        rows = array(np.array(powers, np.uint64).reshape(-1))
        _REGISTER(rows, start, step[-1], bits, length, out, empty(threads, np.int8))
    return out
