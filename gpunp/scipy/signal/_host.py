"""Functions on a handful of numbers: SciPy computes on the host, results go to the device.

`by_scipy` makes such a function of a definition without a body: name and signature are those of
SciPy's function, and descriptions that many functions share come from the table `_WORDS`.
"""

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_host, check_device_memory, on_device, shown, without_cycles
from ..._core.multiarray import array, ndarray

__all__ = [
    "by_scipy",
    "host_coefficients",
    "moved",
    "placed",
    "scipy_signal",
    "to_device",
    "to_host",
]

_FILTER = """ndarray or tuple
    The filter as `output` says: (numerator, denominator), (zeros, poles, gain) or an array of
    second-order sections. Arrays lie on the device; a gain is a number of the host."""
_PAIR = "b, a : ndarray\n    Numerator and denominator of the transfer function, on the device."
_ZPK = "z, p : ndarray\n    Zeros and poles, on the device.\nk : float\n    Gain, on the host."
_STATES = "A, B, C, D : ndarray\n    Matrices of the state space, on the device."
_ORDER = """ord : int
    Least order that meets the specification, on the host.
wn : ndarray or float
    Natural frequency or frequencies for the design function: on the device if it is an array, or
    an argument is."""
_TAPS = "ndarray\n    Coefficients of the filter, on the device."
_TERMS = """r, p, k : ndarray
    Residues, poles and the coefficients of the direct polynomial, on the device."""

# Returns of the functions, by the name that a definition uses.
_RETURNS = {
    "filter": _FILTER,
    "pair": _PAIR,
    "zpk": _ZPK,
    "states": _STATES,
    "order": _ORDER,
    "taps": _TAPS,
    "terms": _TERMS,
    "sections": "sos : ndarray\n    Second-order sections, a row of six for each, on the device.",
}

# Descriptions of parameters that several functions have.
_WORDS = {
    "N": "int\n    Order of the filter.",
    "Wn": "float or array_like\n    Critical frequency, or the two of a band: in units of half the"
    " sampling rate,\n    in those of `fs`, or in radians per second if `analog`.",
    "btype": '{"lowpass", "highpass", "bandpass", "bandstop"}, optional\n    Kind of the filter,'
    " by its name or a short form of it.",
    "analog": "bool, optional\n    If True, the filter is analog, otherwise digital.",
    "output": '{"ba", "zpk", "sos"}, optional\n    Form of the result: a transfer function,'
    " zeros, poles and gain, or sections.",
    "fs": "float, optional\n    Sampling rate of the digital system.",
    "rp": "float\n    Largest ripple of the passband in decibels.",
    "rs": "float\n    Least attenuation of the stopband in decibels.",
    "wp": "float or array_like\n    Edge or edges of the passband.",
    "ws": "float or array_like\n    Edge or edges of the stopband.",
    "gpass": "float\n    Largest loss of the passband in decibels.",
    "gstop": "float\n    Least attenuation of the stopband in decibels.",
    "b": "array_like\n    Coefficients of the numerator, the highest power first.",
    "a": "array_like\n    Coefficients of the denominator, the highest power first.",
    "num": "array_like\n    Coefficients of the numerator, the highest power first.",
    "den": "array_like\n    Coefficients of the denominator, the highest power first.",
    "z": "array_like\n    Zeros of the transfer function.",
    "p": "array_like\n    Poles of the transfer function.",
    "k": "float\n    Gain of the transfer function.",
    "sos": "array_like\n    Second-order sections, a row of six for each.",
    "pairing": '{None, "nearest", "keep_odd", "minimal"}, optional\n    How poles and zeros are'
    " combined into sections.",
    "A": "array_like\n    State matrix of the system.",
    "B": "array_like\n    Input matrix of the system.",
    "C": "array_like\n    Output matrix of the system.",
    "D": "array_like\n    Feedthrough matrix of the system.",
    "input": "int, optional\n    Index of the input that is used.",
    "wo": "float, optional\n    Wanted cutoff or centre, in radians per second.",
    "bw": "float, optional\n    Wanted width of the band, in radians per second.",
    "w0": "float\n    Frequency that is removed or kept.",
    "Q": "float\n    Quality factor: the frequency divided by the width at -3 dB.",
    "tol": "float, optional\n    Largest distance of two roots that are taken as one.",
    "rtype": '{"avg", "mean", "min", "max"}, optional\n    How one root is made of a group.',
    "numtaps": "int\n    Number of coefficients of the filter.",
    "width": "float, optional\n    Width of the transition between passband and stopband.",
    "window": "str or tuple, optional\n    Window with which the coefficients are multiplied, as in"
    " `get_window`.",
    "scale": "bool, optional\n    If True, the response is one in the middle of the passband.",
    "bands": "array_like\n    Edges of the bands, two for each, in ascending order.",
    "desired": "array_like\n    Wanted gains of the bands.",
    "weight": "array_like, optional\n    Weights of the errors of the bands.",
    "pass_zero": "bool or str, optional\n    Whether the gain at frequency zero is one, or the kind"
    " of the filter.",
    "norm": '{"phase", "delay", "mag"}, optional\n    What the critical frequency describes.',
    "r": "array_like\n    Residues that belong to the poles.",
    "xp": "module, optional\n    Namespace of arrays among the results. By default this package.",
    "device": "optional\n    Device of these arrays: a `Device` or its number, or what `asarray` of"
    " another\n    namespace takes.",
}

_NOTE = (
    "SciPy computes on the host: coefficients that lie on the device are copied there, which waits"
    "\nfor the device, and arrays among the results are copied to the device."
)


# Parameters that say how many numbers the host computes, and the least one where SciPy does not
# look: it writes beyond its arrays for a smaller `grid_density`.
_SIZES = {
    "N": None,
    "M": None,
    "hsize": None,
    "numtaps": None,
    "nfreqs": None,
    "n_fft": None,
    "grid_density": 1,
    "order": None,
}


def _check_sizes(arguments: dict[str, Any]) -> None:
    """Raise MemoryError for more numbers than the device can allocate, ValueError for too few."""
    for name, least in _SIZES.items():
        size = arguments.get(name)
        check_device_memory(*(size if isinstance(size, (list, tuple)) else [size]))
        if least is not None and isinstance(size, (int, np.integer)) and size < least:
            raise ValueError(f"{name} must be at least {least}, not {size}")


# Parameters that are names, which SciPy takes without a look: in lower case.
_NAMES = "btype", "ftype", "output"


def _check_names(arguments: dict[str, Any]) -> None:
    """Raise ValueError for a name that is none, once SciPy has failed with it."""
    for name in _NAMES:
        if not isinstance(arguments.get(name, ""), str):
            raise ValueError(f"{name} must be a name, not {shown(arguments[name])}")


def scipy_signal(module: str = "signal") -> Any:
    """SciPy's module, imported at the first use."""
    return importlib.import_module(f"scipy.{module}")


def to_host(value: Any) -> Any:
    """A value with NumPy's arrays for ours, or its numbers for those without axes; waits for the
    device where it has any.
    """
    if isinstance(value, ndarray):
        return value.get()[()]
    if type(value) in (list, tuple):
        return type(value)(map(to_host, without_cycles(value)))
    return getattr(value, "_host_system", value)


def to_device(value: Any, make: Callable[[np.ndarray], Any] = array) -> Any:
    """A value with our arrays, or those of `make`, for NumPy's; numbers stay on the host."""
    if isinstance(value, np.ndarray) and value.ndim:
        return make(value)
    if type(value) in (list, tuple):
        return type(value)(to_device(one, make) for one in value)
    return value


def _is_ours(xp: Any) -> bool:
    """Whether a namespace makes arrays of this package; TypeError for what is no namespace."""
    is_ours = xp is None or getattr(xp, "ndarray", None) is ndarray
    if not is_ours and not callable(getattr(xp, "asarray", None)):
        raise TypeError(f"xp must be a namespace of arrays, not {shown(xp)}")
    return is_ours


def moved(result: Any, xp: Any, device: Any) -> Any:
    """What SciPy computed on the host, with arrays of a namespace on a device of it."""
    if not _is_ours(xp):
        return to_device(result, lambda value: xp.asarray(value, device=device))
    with on_device(device):
        return to_device(result)


def placed(function: Callable[..., ndarray]) -> Callable[..., Any]:
    """Give a function that makes an array SciPy's keywords `xp` and `device`.

    Arrays of another namespace are copies by way of the host, which waits for the device.
    """

    @functools.wraps(function)
    def make(*args: Any, xp: Any = None, device: Any = None, **kwargs: Any) -> Any:
        if not _is_ours(xp):
            return xp.asarray(function(*args, **kwargs).get(), device=device)
        with on_device(device):
            return function(*args, **kwargs)

    signature = inspect.signature(function)
    extra = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in ("xp", "device")
    ]
    make.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), *extra]
    )
    return make


def host_coefficients(value: Any) -> np.ndarray:
    """A few numbers of the host or the device as an array on the host."""
    return as_host(to_host(value))


def _described(function: Callable, returns: str) -> str:
    """The docstring of a function: what it says itself, and the shared descriptions."""
    summary, _, rest = inspect.getdoc(function).partition("\n\n")  # type: ignore[union-attr]
    head, mark, examples = rest.partition("Examples\n--------\n")
    own = {}
    for entry in head.split("\n\n"):
        name, colon, words = entry.strip().partition(" : ")
        if colon:
            own[name] = words
    names = inspect.signature(function).parameters
    words = [f"{name} : {own.get(name) or _WORDS[name]}" for name in names]
    parts = [summary, _NOTE, "Parameters\n----------\n" + "\n".join(words)]
    parts.append("Returns\n-------\n" + _RETURNS.get(returns, returns))
    return "\n\n".join([*parts, *([mark + examples] if mark else [])])


def by_scipy(returns: str, module: str = "signal") -> Callable[[Callable], Callable]:
    """Make a function that SciPy computes on the host out of a definition without a body.

    Parameters
    ----------
    returns : str
        Name of a row of `_RETURNS`, or the text of the section.
    module : str, optional
        Where SciPy keeps the function.

    Returns
    -------
    callable
        Decorator. Entries of a docstring that follow its summary, each after an empty line,
        describe parameters that are not in `_WORDS`.
    """

    def make(definition: Callable) -> Callable:
        signature = inspect.signature(definition)
        name = definition.__name__

        @functools.wraps(definition)
        def function(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs)
            xp, device = (given.arguments.pop(key, None) for key in ("xp", "device"))
            _check_sizes(given.arguments)
            host = (to_host(list(given.args)), {k: to_host(v) for k, v in given.kwargs.items()})
            try:
                result = getattr(scipy_signal(module), name)(*host[0], **host[1])
            except AttributeError:
                _check_names(given.arguments)
                raise
            result = moved(result, xp, device)
            if returns == "order" and any(
                isinstance(x, ndarray) for x in (*args, *kwargs.values())
            ):
                return result[0], array(result[1])  # a critical frequency as well
            return result

        function.__doc__ = _described(definition, returns)
        return function

    return make
