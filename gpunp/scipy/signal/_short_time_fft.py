"""`ShortTimeFFT`: the window and what follows from it lie on the host, the device transforms."""

import types
from typing import Any

from ..._core import umath as um
from ..._core._convert import as_array, check_device_memory, normalize_axis_index, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import ascontiguousarray, ndarray, result_type
from ..._core.numeric import moveaxis, ones, roll
from ...lib._arraypad_impl import pad
from .. import fft as _fft
from ._host import host_coefficients, scipy_signal, to_device, to_host
from ._spectral import Segments, framed, overlapped

__all__ = ["ShortTimeFFT"]

_PADDINGS = {
    "zeros": {},
    "edge": {"mode": "edge"},
    "even": {"mode": "reflect", "reflect_type": "even"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}
_TRENDS = {None: 0, "constant": 1, "linear": 2}


def _value(name: str, text: str, is_writable: bool = False) -> property:
    def read(self: Any) -> Any:
        return to_device(getattr(self._host, name))

    def write(self: Any, value: Any) -> None:
        setattr(self._host, name, value)

    read.__doc__ = text
    return property(read, write if is_writable else None)


class ShortTimeFFT:
    """Spectra of overlapping frames of signals, and signals from such spectra.

    Properties and methods are SciPy's. Arrays of windows, frequencies and times are computed on the
    host and copied to the device.

    Parameters
    ----------
    win : array_like
        Window of the frames; one of the device is copied to the host.
    hop : int
        Distance between two frames in samples.
    fs : float
        Sampling rate of the signals.
    fft_mode : {"onesided", "onesided2X", "twosided", "centered"}, optional
        Frequencies of the spectra.
    mfft : int, optional
        Length of the transforms; by default that of the window.
    dual_win : array_like, optional
        Window of the inverse; by default the canonical dual window.
    scale_to : {"magnitude", "psd", None}, optional
        How the window is scaled.
    phase_shift : int or None, optional
        Shift of the phase in samples, or None for that of the transform.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import signal
    >>> sft = signal.ShortTimeFFT(signal.windows.hann(8, sym=False), 4, fs=1.0)
    >>> x = cp.sin(cp.arange(40.0))
    >>> bool(cp.allclose(sft.istft(sft.stft(x), k1=40), x))
    True
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(
        self,
        win,
        hop,
        fs,
        *,
        fft_mode="onesided",
        mfft=None,
        dual_win=None,
        scale_to=None,
        phase_shift=0,
    ) -> None:
        self._host = scipy_signal().ShortTimeFFT(
            host_coefficients(win), hop, fs, fft_mode=fft_mode, mfft=mfft,
            dual_win=to_host(dual_win), scale_to=scale_to, phase_shift=phase_shift,
        )  # fmt: skip

    # ---- other constructors ----------------------------------------------------------------------

    @classmethod
    def _made(cls, name: str, *args: Any, **options: Any) -> "ShortTimeFFT":
        made = object.__new__(cls)
        made._host = getattr(scipy_signal().ShortTimeFFT, name)(
            *[to_host(value) for value in args], **options
        )
        return made

    @classmethod
    def from_window(
        cls,
        win_param,
        fs,
        nperseg,
        noverlap,
        *,
        symmetric_win=False,
        fft_mode="onesided",
        mfft=None,
        scale_to=None,
        phase_shift=0,
    ) -> "ShortTimeFFT":
        """Make the transform with a window that `get_window` knows.

        Parameters
        ----------
        win_param : str, tuple or float
            Name of a window, or the name and its parameters.
        nperseg : int
            Number of samples of a frame.
        noverlap : int
            Number of samples that two frames share.
        symmetric_win : bool, optional
            If True, the window is symmetric, otherwise periodic.

        Returns
        -------
        ShortTimeFFT
            The transform.
        """
        check_device_memory(nperseg)
        return cls._made(
            "from_window", win_param, fs, nperseg, noverlap, symmetric_win=symmetric_win,
            fft_mode=fft_mode, mfft=mfft, scale_to=scale_to, phase_shift=phase_shift,
        )  # fmt: skip

    @classmethod
    def from_dual(
        cls, dual_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None, phase_shift=0
    ) -> "ShortTimeFFT":
        """Make the transform whose inverse has a given window.

        Returns
        -------
        ShortTimeFFT
            The transform.
        """
        return cls._made(
            "from_dual", dual_win, hop, fs, fft_mode=fft_mode, mfft=mfft, scale_to=scale_to,
            phase_shift=phase_shift,
        )  # fmt: skip

    @classmethod
    def from_win_equals_dual(
        cls, desired_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None, phase_shift=0
    ) -> "ShortTimeFFT":
        """Make the transform whose window is its own dual and near to a wanted one.

        Parameters
        ----------
        desired_win : array_like
            Wanted window of the frames.

        Returns
        -------
        ShortTimeFFT
            The transform.
        """
        return cls._made(
            "from_win_equals_dual", desired_win, hop, fs, fft_mode=fft_mode, mfft=mfft,
            scale_to=scale_to, phase_shift=phase_shift,
        )  # fmt: skip

    # ---- numbers ---------------------------------------------------------------------------------

    win = _value("win", "Window of the frames, on the device.")
    dual_win = _value("dual_win", "Window of the inverse, on the device.")
    hop = _value("hop", "Distance between two frames in samples.")
    fs = _value("fs", "Sampling rate of the signals.", True)
    T = _value("T", "Time between two samples.", True)
    mfft = _value("mfft", "Length of the transforms.", True)
    fft_mode = _value("fft_mode", "Frequencies of the spectra.", True)
    phase_shift = _value("phase_shift", "Shift of the phase in samples, or None.", True)
    scaling = _value("scaling", "How the window is scaled, or None.")
    fac_magnitude = _value("fac_magnitude", "Factor that scales the window to magnitudes.")
    fac_psd = _value("fac_psd", "Factor that scales the window to densities of power.")
    m_num = _value("m_num", "Number of points of the window.")
    m_num_mid = _value("m_num_mid", "Middle of the window.")
    f = _value("f", "Frequencies of the spectra, on the device.")
    f_pts = _value("f_pts", "Number of frequencies.")
    delta_f = _value("delta_f", "Distance between two frequencies.")
    delta_t = _value("delta_t", "Time between two frames.")
    invertible = _value("invertible", "Whether there is an inverse.")
    onesided_fft = _value("onesided_fft", "Whether spectra have frequencies from zero on only.")
    k_min = _value("k_min", "The first sample that the first frame reaches.")
    p_min = _value("p_min", "Number of the first frame that reaches the signal.")
    lower_border_end = _value("lower_border_end", "The first sample and frame inside the start.")

    def k_max(self, n) -> int:
        return self._host.k_max(n)

    def p_max(self, n) -> int:
        return self._host.p_max(n)

    def p_num(self, n) -> int:
        return self._host.p_num(n)

    def p_range(self, n, p0=None, p1=None) -> tuple[int, int]:
        return self._host.p_range(n, p0, p1)

    def upper_border_begin(self, n) -> tuple[int, int]:
        return self._host.upper_border_begin(n)

    def nearest_k_p(self, k, left=True) -> int:
        return self._host.nearest_k_p(k, left)

    def t(self, n, p0=None, p1=None, k_offset=0) -> ndarray:
        if isinstance(n, int):
            check_device_memory(n // self._host.hop)
        return to_device(self._host.t(n, p0, p1, k_offset))

    def extent(self, n, axes_seq="tf", center_bins=False) -> tuple[float, float, float, float]:
        return self._host.extent(n, axes_seq, center_bins)

    def scale_to(self, scaling) -> None:
        self._host.scale_to(scaling)

    # ---- transforms ------------------------------------------------------------------------------

    def stft(self, x, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1) -> ndarray:
        """Compute the spectra of overlapping frames.

        Returns
        -------
        ndarray
            Spectra: frequencies along `axis`, and frames along the last axis.
        """
        return self.stft_detrend(x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)

    def stft_detrend(
        self, x, detr, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1
    ) -> ndarray:
        """Compute the spectra of overlapping frames without their trends.

        Parameters
        ----------
        x : array_like
            Samples of the signal.
        detr : {"constant", "linear", None} or callable
            What is subtracted from each frame: its mean, a line, or nothing. A function gets the
            frames along the last axis.
        p0 : int, optional
            Number of the first frame.
        p1 : int, optional
            Number after that of the last frame.
        k_offset : int, optional
            Sample at which time zero is.
        padding : {"zeros", "edge", "even", "odd"}, optional
            How the signal goes on beyond its ends.
        axis : int, optional
            Axis of the samples.

        Returns
        -------
        ndarray
            Spectra: frequencies along `axis`, and frames along the last axis.
        """
        x = as_array(x)
        axis = normalize_axis_index(axis, x.ndim)
        if self.onesided_fft and x.dtype.kind == "c":
            raise ValueError(f"complex signals have no spectra of fft_mode={self.fft_mode!r}")
        if not callable(detr) and detr not in _TRENDS:
            raise ValueError(f"Parameter detr={shown(detr)} is not a str, function or None!")
        if padding not in _PADDINGS:
            raise ValueError(f"Parameter padding={shown(padding)} not in {list(_PADDINGS)}!")
        n = x.shape[axis]
        if n < self.m_num - self.m_num_mid:
            raise ValueError(f"the signal needs {self.m_num - self.m_num_mid} samples, not {n}")
        first, end = self.p_range(n, p0, p1)
        frames = self._frames(moveaxis(x, axis, -1), detr, first, end, k_offset, padding)
        z = self._transformed(frames)
        outer = tuple(m for k, m in enumerate(x.shape) if k != axis)
        return moveaxis(z.reshape(*outer, *z.shape[1:]), -1, axis)

    def _frames(self, x, detr, first: int, end: int, k_offset: int, padding: str) -> ndarray:
        win = um.conj(self.win)
        kind = result_type(x, win, "f4")
        begin = first * self.hop - self.m_num_mid + k_offset
        last = (end - 1) * self.hop - self.m_num_mid + k_offset + self.m_num
        if padding != "zeros":
            before, after = max(-begin, 0), max(last - x.shape[-1], 0)
            width = [(0, 0)] * (x.ndim - 1) + [(before, after)]
            x, begin = pad(x, width, **_PADDINGS[padding]), begin + before
        rows = ascontiguousarray(x.reshape(-1, x.shape[-1]).astype(kind, copy=False))
        trend = detr if callable(detr) else _TRENDS[detr]
        s = Segments(win, self.m_num, self.m_num - self.hop, self.mfft, trend)
        return framed(rows, s, begin, end - first, self._shift())

    def _shift(self) -> int:
        """By how many points frames are rotated before the transform."""
        if self.phase_shift is None:
            return 0
        return (self.phase_shift + self.m_num_mid) % self.m_num

    def _doubling(self) -> tuple[slice, float]:
        """Which frequencies stand for two, and their factor."""
        inner = slice(1, -1 if self.mfft % 2 == 0 else None)
        return inner, 2**0.5 if self.scaling == "psd" else 2.0

    def _transformed(self, frames: ndarray) -> ndarray:
        if self.onesided_fft:
            z = _fft.rfft(frames, overwrite_x=True)
            if self.fft_mode == "onesided2X":
                inner, factor = self._doubling()
                z[..., inner] *= factor
            return z
        z = _fft.fft(frames, overwrite_x=True)
        return _fft.fftshift(z, axes=-1) if self.fft_mode == "centered" else z

    def spectrogram(
        self, x, y=None, detr=None, *, p0=None, p1=None, k_offset=0, padding="zeros", axis=-1
    ) -> ndarray:
        """Compute squared magnitudes of the spectra, or products with those of another signal.

        Parameters
        ----------
        y : array_like, optional
            Samples of the other signal, whose conjugate spectra are multiplied.

        Returns
        -------
        ndarray
            Powers: frequencies along `axis`, and frames along the last axis.
        """
        options = {"p0": p0, "p1": p1, "k_offset": k_offset, "padding": padding, "axis": axis}
        z = self.stft_detrend(x, detr, **options)
        if y is None or y is x:
            return z.real**2 + z.imag**2
        return z * um.conj(self.stft_detrend(y, detr, **options))

    def istft(self, S, k0=0, k1=None, *, f_axis=-2, t_axis=-1) -> ndarray:
        """Compute the signal of spectra.

        Parameters
        ----------
        S : array_like
            Spectra, as `stft` returns them.
        k0 : int, optional
            The first sample of the result.
        k1 : int, optional
            The sample after the last one.
        f_axis : int, optional
            Axis of the frequencies.
        t_axis : int, optional
            Axis of the frames.

        Returns
        -------
        ndarray
            Samples of the signal.
        """
        z = as_array(S)
        rows, times = (normalize_axis_index(k, z.ndim) for k in (f_axis, t_axis))
        if rows == times:
            raise ValueError(f"f_axis={f_axis} may not be equal to t_axis={t_axis}!")
        k0, k1 = self._samples(z, rows, times, k0, k1)
        z = moveaxis(z, (times, rows), (-2, -1))
        frames = self._inverted(z.reshape(-1, *z.shape[-2:]))
        dual = self.dual_win
        kind = result_type(frames, dual)
        frames = frames.astype(kind, copy=False)
        start = k0 - self.p_min * self.hop + self.m_num_mid
        window = dual.astype(kind if dual.dtype.kind == "c" else frames.real.dtype, copy=False)
        x = overlapped(frames, window, ones(1), start, k1 - k0, self.hop, False)
        return moveaxis(x.reshape(*z.shape[:-2], k1 - k0), -1, min(rows, times))

    def _samples(self, z: ndarray, rows: int, times: int, k0: Any, k1: Any) -> tuple[int, int]:
        """The range of samples, after checks of the shape of the spectra."""
        least = self.m_num - self.m_num_mid
        if z.shape[rows] != self.f_pts:
            raise ValueError(f"{z.shape[rows]} frequencies where there are {self.f_pts}")
        if z.shape[times] < self.p_num(least):
            raise ValueError(f"at least {self.p_num(least)} frames are needed")
        last = (z.shape[times] + self.p_min - 1) * self.hop + least
        k1 = last if k1 is None else k1
        if not self.k_min <= k0 < k1 <= last:
            raise ValueError(f"({self.k_min} <= k0={k0} < k1={k1} <= {last}) is False!")
        if k1 - k0 < least:
            raise ValueError(f"k1 - k0 = {k1 - k0} has to be at least {least}")
        return k0, k1

    def _inverted(self, z: ndarray) -> ndarray:
        if self.fft_mode == "onesided2X":
            inner, factor = self._doubling()
            z = z.copy()
            z[..., inner] /= factor
        if self.onesided_fft:
            x = _fft.irfft(z, self.mfft)
        else:
            x = _fft.ifft(_fft.ifftshift(z, axes=-1) if self.fft_mode == "centered" else z)
        return roll(x, self._shift(), axis=-1) if self._shift() else x


for _name in ("from_window", "from_dual", "from_win_equals_dual"):
    documented_as(ShortTimeFFT)(getattr(ShortTimeFFT, _name).__func__)
documented_as(ShortTimeFFT.stft_detrend)(ShortTimeFFT.stft)
documented_as(ShortTimeFFT.stft_detrend)(ShortTimeFFT.spectrogram)
_NUMBERS = """
    Parameters
    ----------
    n : int
        Number of samples of the signal.
    p0 : int, optional
        Number of the first frame.
    p1 : int, optional
        Number after that of the last frame.
    k_offset : int, optional
        Sample at which time zero is.
    k : int
        Sample near which a frame is.
    left : bool, optional
        If True, the frame is not after the sample, otherwise not before it.
    axes_seq : {"tf", "ft"}, optional
        Order of times and frequencies.
    center_bins : bool, optional
        If True, the extent is that of pixels around the points.
    scaling : {"magnitude", "psd"}
        How the window is scaled.
"""
for _name, _summary, _result in (
    ("k_max", "Return the sample after the last one that a frame reaches.", "int\n    Sample."),
    ("p_max", "Return the number after that of the last frame.", "int\n    Number of a frame."),
    ("p_num", "Return the number of frames of a signal.", "int\n    Number of frames."),
    ("p_range", "Return the range of frames, after checks.", "tuple of int\n    Both ends."),
    ("upper_border_begin", "Return where frames reach the end.", "tuple of int\n    Both."),
    ("nearest_k_p", "Return the sample of the nearest frame.", "int\n    Sample."),
    ("t", "Return the times of the frames, on the device.", "ndarray\n    Times."),
    ("extent", "Return the limits of a picture of spectra.", "tuple of float\n    Four limits."),
    ("scale_to", "Scale the window and its dual.", "None\n    The window is changed."),
):
    _method = getattr(ShortTimeFFT, _name)
    _method.__doc__ = f"{_summary}\n\nReturns\n-------\n{_result}"

    def _given() -> None: ...

    _given.__doc__ = _NUMBERS
    documented_as(_given)(_method)
