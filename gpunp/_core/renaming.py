"""CuPy's names of parameters where NumPy's are others, and host arrays as arguments.

Functions have the parameters of NumPy and SciPy. CuPy gives some other names, leaves fewer of them
positional-only, or has them in another order; the tables here say where. `rename` puts each such
function into an object that takes both (csrc/core/renamed.c) and costs nothing where NumPy's names
are used. Where a position means one thing in NumPy and another in CuPy, the argument decides if its
type can, and NumPy has it otherwise.

CuPy's functions that only call a method of their argument answer for a NumPy array as NumPy does,
and some others move it to the device. Here a host array raises TypeError, unless
`accept_host_arrays` was called.
"""

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray

# Function, other name or "other name=NumPy's name", ... : a name that stands alone is NumPy's too,
# where it is positional-only; "name=" is accepted and has no effect; "=result.dtype" converts the
# result.
NAMES: Mapping[str, str] = {
    "array": "obj=object",
    "array_str": "arr=a",
    "arange": "start=start_or_stop",
    "argmax": "dtype=result.dtype",
    "argmin": "dtype=result.dtype",
    "asanyarray": "blocking=",
    "bincount": "x",
    "concatenate": "tup=arrays",
    "corrcoef": "a=x bias= ddof=",
    "cov": "a=m",
    "delete": "indices=obj",
    "ediff1d": "arr=ary",
    "empty_like": "prototype",
    "extract": "a=arr",
    "flip": "a=m",
    "fliplr": "a=m",
    "flipud": "a=m",
    "from_dlpack": "array=x",
    "histogram": "x=a",
    "histogram2d": "",
    "histogramdd": "",
    "inner": "a b",
    "intersect1d": "arr1=ar1 arr2=ar2",
    "may_share_memory": "a b",
    "nanargmax": "dtype=result.dtype",
    "nanargmin": "dtype=result.dtype",
    "packbits": "a",
    "percentile": "interpolation=method",
    "putmask": "a",
    "quantile": "interpolation=method",
    "reshape": "a newshape=shape",
    "rot90": "a=m",
    "shares_memory": "a b",
    "stack": "tup=arrays",
    "take_along_axis": "a=arr",
    "union1d": "arr1=ar1 arr2=ar2",
    "unpackbits": "a",
    "unravel_index": "dims=shape",
    "vdot": "a b",
    "where": "condition x y",
    "linalg.cholesky": "a",
    "linalg.matrix_power": "M=a",
    "linalg.matrix_rank": "M=A",
    "linalg.matrix_transpose": "a=x",
    "random.permutation": "a=x",
    "random.shuffle": "a=x",
    "scipy.linalg.expm": "a=A",
    "scipy.ndimage.affine_transform": "texture_memory= float64_coords=",
    "scipy.ndimage.distance_transform_edt": "image=input block_params= float64_distances=",
    "scipy.ndimage.gaussian_filter": "",
    "scipy.ndimage.maximum_filter": "",
    "scipy.ndimage.median_filter": "",
    "scipy.ndimage.minimum_filter": "",
    "scipy.ndimage.percentile_filter": "",
    "scipy.ndimage.rank_filter": "",
    "scipy.ndimage.uniform_filter": "",
    "scipy.ndimage.value_indices": "adaptive_index_dtype=",
    "scipy.signal.firls": "",
    "scipy.signal.firwin": "",
    "scipy.signal.firwin2": "nyq=",
    "scipy.signal.minimum_phase": "",
    "scipy.signal.symiirorder1": "input=signal",
    "scipy.sparse.linalg.bicgstab": "tol=rtol",
    "scipy.sparse.linalg.cg": "tol=rtol",
    "scipy.sparse.linalg.cgs": "tol=rtol",
    "scipy.sparse.linalg.eigsh": "a=A",
    "scipy.sparse.linalg.gmres": "tol=rtol",
    "scipy.sparse.linalg.lsmr": "",
    "scipy.sparse.linalg.minres": "tol=rtol",
    "scipy.sparse.linalg.svds": "a=A",
}

# CuPy's positions where they are not NumPy's, and from which number of arguments on they may count.
_INDEX_OF_EXTREME = (3, ("a", "axis", "dtype", "out", "keepdims"))
_FILTER = ("size", "footprint", "output", "mode", "cval", "origin", "axes")
_HISTOGRAM = ("bins", "range", "weights", "density")
POSITIONS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "arange": (4, ("start_or_stop", "stop", "step", "dtype")),
    "array": (3, ("object", "dtype", "copy", "order", "subok", "ndmin")),
    "argmax": _INDEX_OF_EXTREME,
    "argmin": _INDEX_OF_EXTREME,
    "nanargmax": _INDEX_OF_EXTREME,
    "nanargmin": _INDEX_OF_EXTREME,
    "corrcoef": (4, ("x", "y", "rowvar", "bias", "ddof")),
    "histogram2d": (5, ("x", "y", *_HISTOGRAM)),
    "histogramdd": (4, ("sample", *_HISTOGRAM)),
    "unpackbits": (3, ("a", "axis", "bitorder")),
    "scipy.ndimage.gaussian_filter": (
        8,
        ("input", "sigma", "order", "output", "mode", "cval", "truncate", "radius", "axes"),
    ),
    "scipy.ndimage.maximum_filter": (8, ("input", *_FILTER)),
    "scipy.ndimage.median_filter": (8, ("input", *_FILTER)),
    "scipy.ndimage.minimum_filter": (8, ("input", *_FILTER)),
    "scipy.ndimage.percentile_filter": (9, ("input", "percentile", *_FILTER)),
    "scipy.ndimage.rank_filter": (9, ("input", "rank", *_FILTER)),
    "scipy.ndimage.uniform_filter": (
        7,
        ("input", "size", "output", "mode", "cval", "origin", "axes"),
    ),
    "scipy.signal.firls": (4, ("numtaps", "bands", "desired", "weight", "fs")),
    "scipy.signal.firwin": (
        3,
        ("numtaps", "cutoff", "width", "window", "pass_zero", "scale", "fs"),
    ),
    "scipy.signal.firwin2": (
        4,
        ("numtaps", "freq", "gain", "nfreqs", "window", "nyq", "antisymmetric", "fs"),
    ),
    "scipy.signal.minimum_phase": (4, ("h", "method", "n_fft", "half")),
    "scipy.sparse.linalg.lsmr": (
        3,
        ("A", "b", "x0", "damp", "atol", "btol", "conlim", "maxiter"),
    ),
    "scipy.sparse.linalg.minres": (
        4,
        ("A", "b", "x0", "shift", "rtol", "maxiter", "M", "callback", "check"),
    ),
}

# Functions of CuPy that call the method of a NumPy array, so that NumPy answers.
ANSWERED_BY_NUMPY = [
    "amax",
    "amin",
    "argpartition",
    "argsort",
    "array_equal",
    "array_equiv",
    "broadcast_arrays",
    "choose",
    "clip",
    "compress",
    "copy",
    "diagonal",
    "dot",
    "fill_diagonal",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "max",
    "mean",
    "min",
    "msort",
    "partition",
    "permute_dims",
    "prod",
    "product",
    "put",
    "ravel",
    "real_if_close",
    "repeat",
    "reshape",
    "rot90",
    "sort",
    "sort_complex",
    "squeeze",
    "std",
    "sum",
    "swapaxes",
    "take",
    "trace",
    "transpose",
    "var",
    "linalg.matrix_transpose",
]
# Functions of CuPy that move a NumPy array to the device.
MOVED_TO_THE_DEVICE = [
    "append",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "corrcoef",
    "cov",
    "diag",
    "diagflat",
    "diff",
    "empty_like",
    "full_like",
    "gradient",
    "imag",
    "ones_like",
    "pad",
    "poly",
    "real",
    "require",
    "resize",
    "roll",
    "roots",
    "tile",
    "tril",
    "tril_indices_from",
    "trim_zeros",
    "triu",
    "triu_indices_from",
    "unwrap",
    "vander",
    "zeros_like",
    "fft.fftshift",
    "fft.ifftshift",
]
# Those that move any of their arguments.
COMPARISONS = ["isclose", "allclose"]


class _Translation:
    """Calls a function by its own names of parameters, given CuPy's."""

    def __init__(self, path: str, function: Callable[..., Any]) -> None:
        self.function = function
        pairs = [word.partition("=") for word in NAMES.get(path, "").split()]
        self.names = {other: own if equals else other for other, equals, own in pairs}
        self.least, self.positions = POSITIONS.get(path, (sys.maxsize, ()))

    def parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())

    def is_ours(self, args: tuple[Any, ...]) -> bool:
        """Whether the positional arguments are in NumPy's order, not in CuPy's."""
        takes = [p for p in self.parameters() if p.kind <= p.POSITIONAL_OR_KEYWORD]
        if len(args) < self.least or len(args) > len(self.positions):
            return True
        if len(args) > len(takes):
            return False
        theirs, value = self.positions[self.least - 1], args[self.least - 1]
        if theirs == "dtype":  # `out` in NumPy
            return value is None or isinstance(value, ndarray)
        if theirs == "bitorder":  # `count` in NumPy
            return not isinstance(value, str)
        if theirs == "x0":  # `damp` in SciPy
            return not (value is None or isinstance(value, ndarray))
        return not isinstance(value, ndarray) or value.ndim == 0  # weights; `density` in NumPy

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self.is_ours(args):
            args, kwargs = (), self._named(args, kwargs)
        own: dict[str, Any] = {}
        result_type = None
        for name, value in kwargs.items():
            target = self.names.get(name, name)
            if target == "result.dtype":
                result_type = value
            elif target and (name in (target, *self._required()) or value is not None):
                self._give(own, target, value)
        result = self.function(*self._positional(args, own), **own)
        return result if result_type is None else result.astype(result_type, copy=False)

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        named = dict(zip(self.positions, args, strict=False))
        for name, value in kwargs.items():
            self._give(named, name, value)
        return named

    def _required(self) -> list[str]:
        """Other names of parameters that have no default, whose value may be None."""
        required = {p.name for p in self.parameters() if p.default is p.empty}
        return [other for other, own in self.names.items() if own in required]

    def _give(self, named: dict[str, Any], name: str, value: Any) -> None:
        if name in named:
            raise TypeError(f"{self.function.__name__}() got multiple values for argument {name!r}")
        named[name] = value

    def _positional(self, args: tuple[Any, ...], own: dict[str, Any]) -> list[Any]:
        """`args` and the values in `own` of positional-only parameters, which are taken out."""
        given = list(args)
        for place, parameter in enumerate(self.parameters()):
            if parameter.kind is not parameter.POSITIONAL_ONLY or parameter.name not in own:
                continue
            if place < len(args):
                raise TypeError(
                    f"{self.function.__name__}() got multiple values for argument "
                    f"{parameter.name!r}"
                )
            if place == len(given):
                given.append(own.pop(parameter.name))
        return given


def _replace(namespace: dict[str, Any], name: str, path: str, on_host: Any = None) -> None:
    """Put the function into an object that takes CuPy's names, where it is defined as well."""
    function = getattr(namespace[name], "__wrapped__", namespace[name])
    function = function if type(namespace[name]) is _C.renamed else namespace[name]
    translation = _Translation(path, function)
    least = translation.least - 1
    replaced = _C.renamed(function, translation.names, translation, least, on_host)
    plain = namespace[name]
    home = vars(sys.modules.get(function.__module__, sys))
    for names in (home, namespace):
        for other in [key for key, value in names.items() if value is plain]:
            names[other] = replaced  # under its other names too, such as `concat`


def rename(namespace: dict[str, Any], prefix: str = "") -> None:
    """Let the functions of a namespace take CuPy's names of parameters too."""
    for path in NAMES:
        module, _, name = path.rpartition(".")
        if module == prefix:
            _replace(namespace, name, path)


class _Moved:
    """A function whose NumPy arrays are moved to the device first."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple(map(self._moved, args))
        return self.function(*args, **{k: self._moved(a) for k, a in kwargs.items()})

    @staticmethod
    def _moved(a: Any) -> Any:
        return _C.array(a) if isinstance(a, np.ndarray) else a


def _accept_anywhere(name: str) -> None:
    namespace = vars(importlib.import_module("gpunp"))
    function = getattr(namespace[name], "__wrapped__", namespace[name])
    namespace[name] = functools.update_wrapper(_Moved(function), function)


def accept_host_arrays() -> None:
    """Let functions take a NumPy array as their first argument where CuPy's do.

    Those that only call a method in CuPy return what NumPy returns; others move it to the device.
    `isclose` and `allclose` take one in any place. Operators and ufuncs refuse host arrays as
    before.
    """
    for name in COMPARISONS:
        _accept_anywhere(name)
    for path in (*ANSWERED_BY_NUMPY, *MOVED_TO_THE_DEVICE):
        module, _, name = path.rpartition(".")
        namespace = importlib.import_module(f"gpunp.{module}" if module else "gpunp")
        function = getattr(namespace, name, None)
        if function is None:
            continue
        theirs = np.linalg if module == "linalg" else np
        on_host = getattr(theirs, name, None) if path in ANSWERED_BY_NUMPY else _Moved(function)
        if on_host is not None:
            _replace(vars(namespace), name, path, on_host)
