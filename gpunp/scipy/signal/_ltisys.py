"""Linear time-invariant systems: their numbers lie on the host, simulations run on the device.

The states of a simulation are a recurrence x[i] = x[i-1] A + v[i], computed by recursive doubling:
in step k each state gets that 2^k before it, times the power of A, which the host has computed.
"""

import types
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import check_device_memory, host_ndim, shown, without_cycles
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, asarray, ndarray, zeros
from ..._core.numeric import ones
from ..._core.shape_base import stack
from ...lib._function_base_impl import angle, interp, unwrap
from ._frequency_response import freqs, freqs_zpk, freqz, freqz_zpk
from ._host import host_coefficients, scipy_signal, to_device, to_host

__all__ = [
    "StateSpace",
    "TransferFunction",
    "ZerosPolesGain",
    "bode",
    "cont2discrete",
    "dbode",
    "dfreqresp",
    "dimpulse",
    "dlsim",
    "dlti",
    "dstep",
    "freqresp",
    "impulse",
    "lsim",
    "lti",
    "place_poles",
    "step",
]


# ---- systems -------------------------------------------------------------------------------------


def _wrapped(host: Any) -> Any:
    """Our object of a system of SciPy's; other values go to the device."""
    cls = _CLASSES.get(type(host).__name__)
    if cls is None:
        return to_device(host)
    system: Any = object.__new__(cls)
    system._host_system = host
    return system


def _number(name: str, text: str) -> property:
    def get(self: Any) -> Any:
        return to_device(getattr(self._host_system, name))

    get.__doc__ = text
    return property(get)


class _System:
    """What all systems have; `_host_system` is SciPy's object."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    _host_system: Any

    def __new__(cls, *system: Any, **kwargs: Any) -> Any:
        made = getattr(scipy_signal(), cls.__name__)(*to_host(system), **kwargs)
        return _wrapped(made)

    zeros = _number("zeros", "Zeros of the system, on the device.")
    poles = _number("poles", "Poles of the system, on the device.")
    dt = _number("dt", "Time between two samples; None for a continuous system.")
    inputs = _number("inputs", "Number of inputs of the system.")
    outputs = _number("outputs", "Number of outputs of the system.")

    def __repr__(self) -> str:
        return repr(self._host_system)

    def to_tf(self, **kwargs) -> Any:
        """Return the system as a transfer function.

        Parameters
        ----------
        **kwargs : object
            Keyword arguments of `ss2tf`, for a state space.

        Returns
        -------
        TransferFunction
            The system in this form.
        """
        return _wrapped(self._host_system.to_tf(**kwargs))

    def to_zpk(self, **kwargs) -> Any:
        """Return the system as zeros, poles and gain.

        Parameters
        ----------
        **kwargs : object
            Keyword arguments of `ss2zpk`, for a state space.

        Returns
        -------
        ZerosPolesGain
            The system in this form.
        """
        return _wrapped(self._host_system.to_zpk(**kwargs))

    def to_ss(self) -> Any:
        """Return the system as a state space.

        Returns
        -------
        StateSpace
            The system in this form.
        """
        return _wrapped(self._host_system.to_ss())


class lti(_System):
    """Continuous system; an object of the class that suits the number of arguments.

    Parameters
    ----------
    *system : array_like
        Numerator and denominator, or zeros, poles and gain, or four matrices of a state space.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.lti([1.0], [1.0, 1.0]).poles
    array([-1.])
    """

    def __new__(cls, *system) -> Any:
        return super().__new__(cls, *system)

    def impulse(self, X0=None, T=None, N=None) -> tuple:
        return impulse(self, X0=X0, T=T, N=N)

    def step(self, X0=None, T=None, N=None) -> tuple:
        return step(self, X0=X0, T=T, N=N)

    def output(self, U, T, X0=None) -> tuple:
        return lsim(self, U, T, X0=X0)

    def bode(self, w=None, n=100) -> tuple:
        return bode(self, w=w, n=n)

    def freqresp(self, w=None, n=10000) -> tuple:
        return freqresp(self, w=w, n=n)

    def to_discrete(self, dt, method="zoh", alpha=None) -> Any:
        """Return the system sampled at equal times.

        Parameters
        ----------
        dt : float
            Time between two samples.
        method : {"zoh", "foh", "impulse", "gbt", "bilinear", "euler", "backward_diff"}, optional
            How the system is sampled.
        alpha : float, optional
            Parameter of the generalised bilinear transform, from 0 to 1.

        Returns
        -------
        dlti
            The discrete system.
        """
        return _wrapped(self._host_system.to_discrete(without_cycles(dt), method, alpha))


class dlti(_System):
    """Discrete system; an object of the class that suits the number of arguments.

    Parameters
    ----------
    *system : array_like
        Numerator and denominator, or zeros, poles and gain, or four matrices of a state space.
    **kwargs : object
        The keyword `dt`, time between two samples; by default True, which is unspecified.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.dlti([1.0], [1.0, 0.5], dt=0.1).dt
    0.1
    """

    def __new__(cls, *system, **kwargs) -> Any:
        return super().__new__(cls, *system, **kwargs)

    def impulse(self, x0=None, t=None, n=None) -> tuple:
        return dimpulse(self, x0=x0, t=t, n=n)

    def step(self, x0=None, t=None, n=None) -> tuple:
        return dstep(self, x0=x0, t=t, n=n)

    def output(self, u, t, x0=None) -> tuple:
        return dlsim(self, u, t, x0=x0)

    def bode(self, w=None, n=100) -> tuple:
        return dbode(self, w=w, n=n)

    def freqresp(self, w=None, n=10000, whole=False) -> tuple:
        return dfreqresp(self, w=w, n=n, whole=whole)


class TransferFunction(_System):
    """System given by numerator and denominator, continuous or discrete.

    Parameters
    ----------
    *system : array_like
        Numerator and denominator, the highest power first, or another system.
    **kwargs : object
        The keyword `dt` of a discrete system.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.TransferFunction([1.0], [1.0, 2.0]).den
    array([1., 2.])
    """

    def __new__(cls, *system, **kwargs) -> Any:
        return super().__new__(cls, *system, **kwargs)

    num = _number("num", "Coefficients of the numerator, on the device.")
    den = _number("den", "Coefficients of the denominator, on the device.")


class ZerosPolesGain(_System):
    """System given by zeros, poles and gain, continuous or discrete.

    Parameters
    ----------
    *system : array_like
        Zeros, poles and gain, or another system.
    **kwargs : object
        The keyword `dt` of a discrete system.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.ZerosPolesGain([], [-1.0], 2.0).gain
    2.0
    """

    def __new__(cls, *system, **kwargs) -> Any:
        return super().__new__(cls, *system, **kwargs)

    gain = _number("gain", "Gain of the system, a number of the host.")


class StateSpace(_System):
    """System given by the matrices of a state space, continuous or discrete.

    Systems can be added, subtracted, multiplied and divided by numbers.

    Parameters
    ----------
    *system : array_like
        The matrices A, B, C and D, or another system.
    **kwargs : object
        The keyword `dt` of a discrete system.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.StateSpace([[0.0]], [[1.0]], [[1.0]], [[0.0]]).B
    array([[1.]])
    """

    __array_priority__ = 100.0
    __array_ufunc__ = None

    def __new__(cls, *system, **kwargs) -> Any:
        return super().__new__(cls, *system, **kwargs)

    A = _number("A", "State matrix, on the device.")
    B = _number("B", "Input matrix, on the device.")
    C = _number("C", "Output matrix, on the device.")
    D = _number("D", "Feedthrough matrix, on the device.")

    def __mul__(self, other: Any) -> Any:
        return _wrapped(self._host_system * to_host(other))

    def __rmul__(self, other: Any) -> Any:
        return _wrapped(to_host(other) * self._host_system)

    def __neg__(self) -> Any:
        return _wrapped(-self._host_system)

    def __add__(self, other: Any) -> Any:
        return _wrapped(self._host_system + to_host(other))

    def __radd__(self, other: Any) -> Any:
        return _wrapped(to_host(other) + self._host_system)

    def __sub__(self, other: Any) -> Any:
        return _wrapped(self._host_system - to_host(other))

    def __rsub__(self, other: Any) -> Any:
        return _wrapped(to_host(other) - self._host_system)

    def __truediv__(self, other: Any) -> Any:
        return _wrapped(self._host_system / to_host(other))


# As SciPy's, an object is of the class of its form and of that of its time.
_CLASSES = {
    f"{form.__name__}{time}": type(f"{form.__name__}{time}", (form, base), {"__module__": __name__})
    for form in (TransferFunction, ZerosPolesGain, StateSpace)
    for time, base in (("Continuous", lti), ("Discrete", dlti))
}


def _continuous(system: Any, function: str) -> Any:
    """SciPy's object of a continuous system or of a tuple of its numbers."""
    if isinstance(system, dlti):
        raise AttributeError(f"{function} can only be used with continuous-time systems.")
    return system._host_system if isinstance(system, lti) else scipy_signal().lti(*to_host(system))


def _discrete(system: Any, function: str) -> Any:
    """SciPy's object of a discrete system or of a tuple of its numbers and `dt`."""
    if isinstance(system, lti):
        raise AttributeError(f"{function} can only be used with discrete-time dlti systems.")
    if isinstance(system, dlti):
        return system._host_system
    if isinstance(system, (dict, np.dtype)):
        raise TypeError(f"system must be a dlti or a tuple of its parts, not {shown(system)}")
    return scipy_signal().dlti(*to_host(system[:-1]), dt=system[-1])


# ---- simulations ---------------------------------------------------------------------------------


def _states(v: ndarray, a: np.ndarray) -> ndarray:
    """Solve x[i] = x[i-1] a + v[i] in place, in as many steps as the length has bits."""
    distance = 1
    while distance < v.shape[0]:
        v[distance:] += v[:-distance] @ array(a)
        a = a @ a
        distance *= 2
    return v


def _squeezed(x: ndarray) -> ndarray:
    return x.reshape(tuple(n for n in x.shape if n != 1))


def _exponential(matrix: np.ndarray) -> np.ndarray:
    from scipy.linalg import expm

    return expm(matrix)


def _sampled(ss: Any, dt: float, is_linear: bool) -> tuple[np.ndarray, ...]:
    """(A, B of the input before, B of the input at the same time), all transposed."""
    n, m = ss.A.shape[0], ss.B.shape[1]
    size = n + (2 * m if is_linear else m)
    whole = np.zeros((size, size))
    whole[:n, :n], whole[:n, n : n + m] = ss.A * dt, ss.B * dt
    if is_linear:
        whole[n : n + m, n + m :] = np.eye(m)
    power = _exponential(whole.T)
    after = power[n + m :, :n] if is_linear else np.zeros((m, n))
    return power[:n, :n], power[n : n + m, :n] - after, after


def lsim(system, U, T, X0=None, interp=True) -> tuple[ndarray, ndarray, ndarray]:
    """Simulate the output of a continuous system.

    Times of the device are copied to the host, which waits for them.

    Parameters
    ----------
    system : lti or tuple of array_like
        The system, or the numbers that `lti` takes.
    U : array_like or None
        Inputs at each time, a column for each input; None or 0 for none.
    T : array_like
        Times of the result, equally spaced and not negative.
    X0 : array_like, optional
        State at time zero; by default zeros.
    interp : bool, optional
        If True, the input is linear between two times, otherwise constant.

    Returns
    -------
    T : ndarray
        Times of the result.
    yout : ndarray
        Outputs of the system, a row for each time.
    xout : ndarray
        States of the system, a row for each time.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> t, y, x = signal.lsim(([1.0], [1.0, 0.0]), cp.ones(3), cp.arange(3.0))
    >>> y
    array([0., 1., 2.])
    """
    ss = _continuous(system, "lsim").to_ss()
    times = np.atleast_1d(host_coefficients(T))
    if times.ndim != 1:
        raise ValueError("T must be a rank-1 array.")
    n, m = ss.A.shape[0], ss.B.shape[1]
    start = np.zeros(n) if X0 is None else host_coefficients(X0).reshape(n)
    if times[0] < 0:
        raise ValueError("Initial time must be nonnegative")
    if times[0] > 0:
        start = start @ _exponential(ss.A.T * times[0])
    inputs = _inputs(U, times.size, m)
    dt = times[1] - times[0] if times.size > 1 else 1.0
    if not np.allclose(np.diff(times), dt):
        raise ValueError("Time steps are not equally spaced.")
    a, before, after = _sampled(ss, dt, bool(interp))
    v = zeros((times.size, n))
    v[0] = array(start)
    if inputs is not None:
        v[1:] = inputs[:-1] @ array(before)
        if interp:
            v[1:] += inputs[1:] @ array(after)
    states = _states(v, a)
    out = states @ array(ss.C.T)
    if inputs is not None:
        out = out + inputs @ array(ss.D.T)
    return array(times), _squeezed(out), _squeezed(states)


def _inputs(given: Any, count: int, columns: int) -> ndarray | None:
    """Inputs as a matrix of floats, a row for each time; None where there are none."""
    if given is None or (isinstance(given, (int, float)) and given == 0):
        return None
    u = asarray(given).astype(float)
    u = u.reshape(-1, 1) if u.ndim < 2 else u
    if u.shape[0] != count:
        raise ValueError("U must have the same number of rows as elements in T.")
    if u.shape[1] != columns:
        raise ValueError("System does not define that many inputs.")
    return u


def _default_times(a: np.ndarray, n: Any) -> np.ndarray:
    """Times until the slowest part has fallen by seven time constants."""
    slowest = np.abs(np.linalg.eigvals(a).real).min()
    check_device_memory(n)
    return np.linspace(0.0, 7 / (slowest if slowest else 1.0), 100 if n is None else n)


def impulse(system, X0=None, T=None, N=None) -> tuple[ndarray, ndarray]:
    """Simulate the response of a continuous system to an impulse.

    Parameters
    ----------
    system : lti or tuple of array_like
        The system, or the numbers that `lti` takes.
    X0 : array_like, optional
        State at time zero; by default zeros.
    T : array_like, optional
        Times of the result; by default until the response has decayed.
    N : int, optional
        Number of times, if they are not given.

    Returns
    -------
    T : ndarray
        Times of the result.
    yout : ndarray
        Response of the system.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.impulse(([1.0], [1.0, 0.0]), T=cp.arange(3.0))[1]
    array([1., 1., 1.])
    """
    ss = _continuous(system, "impulse").to_ss()
    start = ss.B.squeeze() if X0 is None else (ss.B + host_coefficients(X0)).squeeze()
    times = _default_times(ss.A, N) if T is None else T
    return lsim(_wrapped(ss), 0.0, times, start, interp=False)[:2]


@documented_as(impulse)
def step(system, X0=None, T=None, N=None) -> tuple[ndarray, ndarray]:
    """Simulate the response of a continuous system to a step.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> signal.step(([1.0], [1.0, 0.0]), T=cp.arange(3.0))[1]
    array([0., 1., 2.])
    """
    ss = _continuous(system, "step").to_ss()
    times = host_coefficients(_default_times(ss.A, N) if T is None else T)
    return lsim(_wrapped(ss), ones(times.shape), times, X0, interp=False)[:2]


def _matching(host: Any) -> Any:
    if host.inputs != 1 or host.outputs != 1:
        raise ValueError("the frequency response needs a system of one input and one output")
    return host


def freqresp(system, w=None, n=10000) -> tuple[ndarray, ndarray]:
    """Compute the frequency response of a continuous system.

    Parameters
    ----------
    system : lti or tuple of array_like
        The system, or the numbers that `lti` takes.
    w : array_like, optional
        Angular frequencies of the result.
    n : int, optional
        Number of frequencies, if they are not given.

    Returns
    -------
    w : ndarray
        Angular frequencies.
    H : ndarray
        Complex response at each of them.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.freqresp(([1.0], [1.0, 1.0]), [0.0, 1.0])[1]
    array([1. +0.j , 0.5-0.5j])
    """
    host = _matching(_continuous(system, "freqresp"))
    at = n if w is None else w
    if type(host).__name__.startswith("ZerosPolesGain"):
        return freqs_zpk(host.zeros, host.poles, host.gain, at)
    host = host.to_tf()
    return freqs(host.num.ravel(), host.den, at)


def _magnitude_and_phase(h: ndarray) -> tuple[ndarray, ndarray]:
    return 20.0 * um.log10(um.abs(h)), unwrap(angle(h)) * (180.0 / np.pi)


@documented_as(freqresp)
def bode(system, w=None, n=100) -> tuple[ndarray, ndarray, ndarray]:
    """Compute magnitude and phase of the response of a continuous system.

    Returns
    -------
    w : ndarray
        Angular frequencies.
    mag : ndarray
        Magnitude in decibels.
    phase : ndarray
        Phase in degrees, without jumps.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.bode(([1.0], [1.0, 1.0]), [1.0])[2]
    array([-45.])
    """
    w, h = freqresp(system, w=w, n=n)
    return (w, *_magnitude_and_phase(h))


def dlsim(system, u, t=None, x0=None) -> tuple:
    """Simulate the output of a discrete system.

    Times of the device are copied to the host, which waits for them.

    Parameters
    ----------
    system : dlti or tuple of array_like
        The system, or the numbers that `dlti` takes followed by `dt`.
    u : array_like
        Inputs at each time, a column for each input.
    t : array_like, optional
        Times of the inputs; by default those of the system's samples.
    x0 : array_like, optional
        State at time zero; by default zeros.

    Returns
    -------
    tout : ndarray
        Times of the samples.
    yout : ndarray
        Outputs of the system, a row for each time.
    xout : ndarray
        States of the system; for a state space only.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> t, y = signal.dlsim(([1.0], [1.0, -1.0], 1.0), cp.ones(3))
    >>> y[:, 0]
    array([0., 1., 2.])
    """
    host = _discrete(system, "dlsim")
    ss = host.to_ss()
    u = asarray(u).astype(float)
    u = u.reshape(-1, 1) if u.ndim < 2 else u
    times: Any = None if t is None else host_coefficients(t).astype(float)
    if times is not None and times.ndim == 0:
        raise TypeError(f"t must be a sequence of times, not {shown(t)}")
    end = (u.shape[0] - 1) * ss.dt if t is None else times[-1]
    count = u.shape[0] if t is None else int(np.floor(end / ss.dt)) + 1
    check_device_memory(count)
    tout = np.linspace(0.0, end, num=count)
    if t is not None:
        if tout[0] < times[0] or tout[-1] > times[-1]:
            raise ValueError("a sample lies beyond the times of the inputs")
        u = stack([interp(array(tout), array(times), column) for column in u.T], axis=1)
    v = zeros((count, ss.A.shape[0]))
    if x0 is not None:
        v[0] = array(host_coefficients(x0).reshape(-1))
    v[1:] += u[:-1] @ array(ss.B.T)
    states = _states(v, ss.A.T.astype(float))
    out = states @ array(ss.C.T) + u @ array(ss.D.T)
    is_states = type(host).__name__.startswith("StateSpace")
    return (array(tout), out, states) if is_states else (array(tout), out)


def _responses(system: Any, function: str, x0, t, n, fill) -> tuple:
    host = _discrete(system, function)
    if t is None:
        n = 100 if n is None else n
        check_device_memory(n)
        t = np.linspace(0, n * host.dt, n, endpoint=False)
    t = host_coefficients(t)
    results = []
    for i in range(host.inputs):
        u = np.zeros((t.size, host.inputs))
        fill(u, i)
        results.append(dlsim(_wrapped(host), array(u), t, x0))
    return results[0][0], tuple(r[1] for r in results)


def dimpulse(system, x0=None, t=None, n=None) -> tuple[ndarray, tuple[ndarray, ...]]:
    """Simulate the response of a discrete system to an impulse at each input.

    Parameters
    ----------
    system : dlti or tuple of array_like
        The system, or the numbers that `dlti` takes followed by `dt`.
    x0 : array_like, optional
        State at time zero; by default zeros.
    t : array_like, optional
        Times of the result.
    n : int, optional
        Number of samples, if times are not given.

    Returns
    -------
    tout : ndarray
        Times of the samples.
    yout : tuple of ndarray
        Responses to each input.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.dimpulse(([1.0], [1.0, -1.0], 1.0), n=3)[1][0][:, 0]
    array([0., 1., 1.])
    """

    def fill(u: np.ndarray, i: int) -> None:
        u[0, i] = 1.0

    return _responses(system, "dimpulse", x0, t, n, fill)


@documented_as(dimpulse)
def dstep(system, x0=None, t=None, n=None) -> tuple[ndarray, tuple[ndarray, ...]]:
    """Simulate the response of a discrete system to a step at each input.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.dstep(([1.0], [1.0, -1.0], 1.0), n=3)[1][0][:, 0]
    array([0., 1., 2.])
    """

    def fill(u: np.ndarray, i: int) -> None:
        u[:, i] = 1.0

    return _responses(system, "dstep", x0, t, n, fill)


def dfreqresp(system, w=None, n=10000, whole=False) -> tuple[ndarray, ndarray]:
    """Compute the frequency response of a discrete system.

    Parameters
    ----------
    system : dlti or tuple of array_like
        The system, or the numbers that `dlti` takes followed by `dt`.
    w : array_like, optional
        Frequencies of the result in radians per sample.
    n : int, optional
        Number of frequencies, if they are not given.
    whole : bool, optional
        If True, frequencies reach to the sampling rate, otherwise to half of it.

    Returns
    -------
    w : ndarray
        Frequencies in radians per sample.
    H : ndarray
        Complex response at each of them.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.dfreqresp(([1.0], [1.0, 0.5], 1.0), [0.0])[1].round(3)
    array([0.667+0.j])
    """
    host = _matching(_discrete(system, "dfreqresp"))
    at = n if w is None else w
    if type(host).__name__.startswith("ZerosPolesGain"):
        return freqz_zpk(host.zeros, host.poles, host.gain, at, whole)
    host = host.to_tf()
    num, den = np.atleast_1d(host.num).ravel(), np.atleast_1d(host.den)
    num, den = (np.pad(c, (max(o.size - c.size, 0), 0)) for c, o in ((num, den), (den, num)))
    return freqz(num, den, at, whole)


@documented_as(dfreqresp)
def dbode(system, w=None, n=100) -> tuple[ndarray, ndarray, ndarray]:
    """Compute magnitude and phase of the response of a discrete system.

    Returns
    -------
    w : ndarray
        Frequencies in radians per unit of time.
    mag : ndarray
        Magnitude in decibels.
    phase : ndarray
        Phase in degrees, without jumps.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.dbode(([1.0], [1.0, 0.0], 1.0), [0.5])[1].round(3)
    array([0.])
    """
    dt = _discrete(system, "dbode").dt
    w, h = dfreqresp(system, w=w, n=n)
    return (w / dt, *_magnitude_and_phase(h))


def cont2discrete(system, dt, method="zoh", alpha=None) -> Any:
    """Make a discrete system of a continuous one, on the host.

    Parameters
    ----------
    system : lti or tuple of array_like
        The system, or the numbers that `lti` takes.
    dt : float
        Time between two samples.
    method : {"zoh", "foh", "impulse", "gbt", "bilinear", "euler", "backward_diff"}, optional
        How the system is sampled.
    alpha : float, optional
        Parameter of the generalised bilinear transform, from 0 to 1.

    Returns
    -------
    dlti or tuple
        The discrete system in the form of `system`; a tuple ends with `dt`.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> A, B, C, D, dt = signal.cont2discrete(([[0.0]], [[1.0]], [[1.0]], [[0.0]]), 0.5)
    >>> A, B
    (array([[1.]]), array([[0.5]]))
    """
    if isinstance(system, lti):
        return system.to_discrete(dt, method, alpha)
    matrices = tuple(map(host_coefficients, system))
    made = scipy_signal().cont2discrete(matrices, to_host(dt), method, to_host(alpha))
    return (*to_device(made[:-1]), dt)


def place_poles(A, B, poles, method="YT", rtol=1e-3, maxiter=30) -> Any:
    """Compute a feedback that gives a system chosen poles, on the host.

    Parameters
    ----------
    A : array_like
        State matrix of the system.
    B : array_like
        Input matrix of the system.
    poles : array_like
        Wanted poles of the system with feedback.
    method : {"YT", "KNV0"}, optional
        Algorithm of the iteration.
    rtol : float, optional
        Relative change of the determinant at which the iteration ends.
    maxiter : int, optional
        Largest number of iterations.

    Returns
    -------
    object
        SciPy's result with attributes such as `gain_matrix`, whose arrays lie on the device.

    Examples
    --------
    >>> from gpunp.scipy import signal
    >>> signal.place_poles([[1.0]], [[1.0]], [-1.0]).gain_matrix
    array([[2.]])
    """
    A, B, poles = map(host_coefficients, (A, B, poles))
    for name, matrix in (("A", A), ("B", B)):
        if host_ndim(matrix) < 2:
            raise ValueError(f"{name} must be a matrix, not {shown(matrix)}")
    found = scipy_signal().place_poles(A, B, poles, method, rtol, maxiter)
    for name, value in vars(found).items():
        setattr(found, name, to_device(value))
    return found


# Methods are described as the functions that they call.
for _method, _function in (
    (lti.impulse, impulse),
    (lti.step, step),
    (lti.output, lsim),
    (lti.bode, bode),
    (lti.freqresp, freqresp),
    (dlti.impulse, dimpulse),
    (dlti.step, dstep),
    (dlti.output, dlsim),
    (dlti.bode, dbode),
    (dlti.freqresp, dfreqresp),
):
    _method.__doc__ = (_function.__doc__ or "").partition("\n\n")[0]
    documented_as(_function)(_method)
