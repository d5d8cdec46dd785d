"""How `cupy`, `cupyx` and `cupy_backends` are found in gpunp; see `gpunp.as_cupy`.

A finder at the head of `sys.meta_path` answers for every name below these three. What CuPy keeps in
another place than gpunp is a row of a table here; everything else has the same name in both.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import runpy
import sys
import types

import numpy as np

import gpunp
from gpunp._core._convert import normalize_axis_tuple
from gpunp._core.renaming import accept_host_arrays

__all__ = ["CUPY_VERSION", "MODULES", "NAMES", "counterpart", "install", "run"]

CUPY_VERSION = "14.2.0"  # whose names are served
TOPS = ("cupy", "cupyx", "cupy_backends")

# Modules of CuPy and their counterparts, where the rest of the name differs. None is a module
# that exists in CuPy alone to hold others, or names of NAMES.
MODULES = {
    "cupy": "gpunp",
    "cupy._core.core": None,
    "cupy._core.internal": None,
    "cupy._core._accelerator": None,
    "cupy._core._kernel": None,
    "cupy._core._reduction": None,
    "cupy._core._scalar": None,
    "cupy._environment": None,
    "cupy._util": None,
    "cupy_backends": None,
    "cupy_backends.cuda": None,
    "cupy_backends.cuda.api": None,
    "cupy_backends.cuda.libs": None,
    "cupy_backends.cuda.stream": "gpunp.cuda.stream",
    "cupyx": None,
}
PACKAGES = {"cupy_backends.cuda.api": "gpunp.cuda", "cupy_backends.cuda.libs": "gpunp.cuda"}

# CuPy's private modules: each has the public names of the nearest public package above it. Where
# gpunp has a module of the same name, that one is served.
_PRIVATE = """
cupy._binary: elementwise packing
cupy._core: _dtype _fusion_interface _routines_indexing _routines_linalg _routines_logic
    _routines_manipulation _routines_math _routines_sorting _routines_statistics dlpack fusion raw
cupy._creation: basic from_data matrix ranges
cupy._functional: piecewise vectorize
cupy._indexing: generate indexing insert iterate
cupy._io: formatting npz text
cupy._logic: comparison content ops truth type_testing
cupy._manipulation: add_remove basic dims join kind rearrange shape split tiling transpose
cupy._math: arithmetic explog floating hyperbolic misc rational rounding special sumprod
    trigonometric ufunc window
cupy._misc: byte_bounds memory_ranges who
cupy._padding: pad
cupy._sorting: count search sort
cupy._statistics: correlation histogram meanvar order
cupy.fft: _fft
cupy.linalg: _decomposition _eigenvalue _einsum _norms _product _solve
cupy.random: _bit_generator _distributions _generator _generator_api _permutations _sample
cupyx: _pinned_array _rsqrt _scatter
cupyx.scipy.ndimage: _filters _fourier _interpolation _measurements _morphology
cupyx.scipy.signal: _signaltools
cupyx.scipy.sparse: _base _compressed _construct _coo _csc _csr _data _dia _extract
cupyx.scipy.sparse.linalg: _eigen _interface _iterative _norm _solve
"""


def _private_modules():
    """Names of the private modules, and of the packages that hold them."""
    for line in _PRIVATE.replace("\n    ", " ").split("\n"):
        package, _, modules = line.partition(":")
        if "._" in package and package != "cupy._core":
            yield package
        yield from (f"{package}.{module}" for module in modules.split())


PRIVATE = frozenset(_private_modules())

_KERNELS = "ElementwiseKernel RawKernel RawModule ReductionKernel fuse ndarray ufunc"
# Names of such modules, and of `cupy._core`, that are gpunp's own.
NAMES = {
    "cupy._core": _KERNELS,
    "cupy._core.core": _KERNELS + " array ascontiguousarray asfortranarray",
    "cupy._core._accelerator": "",
    "cupy._core._kernel": "ElementwiseKernel ufunc",
    "cupy._core._reduction": "ReductionKernel",
    "cupy._core.internal": "",
    "cupy._core._scalar": "",
    "cupy._environment": "",
    "cupy._util": "memoize clear_memo",
    "cupyx": (
        "DeviceSynchronized GeneralizedUFunc allow_synchronize empty_like_pinned empty_pinned "
        "errstate get_runtime_info geterr rsqrt scatter_add scatter_max scatter_min seterr "
        "zeros_like_pinned zeros_pinned"
    ),
}
# Those under another name in gpunp.
RENAMED = {
    ("cupy._environment", "get_cuda_path"): "gpunp.cuda.get_cuda_path",
    ("cupy._environment", "get_nvcc_path"): "gpunp.cuda.get_nvcc_path",
    ("cupy._core._scalar", "get_typename"): "gpunp._cupy_names.type_name",
    ("cupy._core.internal", "prod"): "math.prod",
    ("cupy._core", "elementwise_copy"): "gpunp._cupy_names.elementwise_copy",
    ("cupy._core.core", "elementwise_copy"): "gpunp._cupy_names.elementwise_copy",
    ("cupy._core.internal", "_normalize_axis_index"): "gpunp._core._convert.normalize_axis_index",
    ("cupy._core.internal", "_normalize_axis_indices"): "gpunp._cupy_names.normalize_axis_indices",
    ("cupy._util", "PerformanceWarning"): "gpunp.exceptions.PerformanceWarning",
    ("cupy._util", "_normalize_axis_index"): "gpunp._core._convert.normalize_axis_index",
}
RENAMED |= {
    (module, f"{verb}_{what}_accelerators"): f"gpunp._cupy_names.{verb}_{what}_accelerators"
    for module in ("cupy._core", "cupy._core._accelerator")
    for verb in ("get", "set")
    for what in ("reduction", "routine")
}
# How products of matrices are computed; their numbers are those of the order.
COMPUTE_TYPES = ("TBD", "DEFAULT", "PEDANTIC", "FP16", "FP32", "FP64", "BF16", "TF32")
RENAMED |= {
    ("cupy._core", name): f"gpunp._cupy_names.{name}"
    for name in (
        "get_compute_type",
        "set_compute_type",
        *(f"COMPUTE_TYPE_{name}" for name in COMPUTE_TYPES),
    )
}


def counterpart(name):
    """Return the name of gpunp's module for a module of CuPy, or None if gpunp has none.

    Parameters
    ----------
    name : str
        Full name of a module of CuPy.

    Returns
    -------
    str or None
        Full name of the module of gpunp.
    """
    if name in MODULES:
        return MODULES[name]
    package, _, last = name.rpartition(".")
    if package in PACKAGES:
        own = f"{PACKAGES[package]}.{last}"
    else:
        own = f"gpunp.{name.partition('.')[2]}"
    try:
        return own if importlib.util.find_spec(own) else None
    except ModuleNotFoundError:
        return None


class _Names(types.ModuleType):
    """A module that exists in CuPy alone: its names are looked up when they are asked for."""

    def __getattr__(self, name):
        if name in NAMES.get(self.__name__, "").split():
            value = getattr(gpunp, name)
        elif (self.__name__, name) in RENAMED:
            module, _, own = RENAMED[self.__name__, name].rpartition(".")
            value = getattr(importlib.import_module(module), own)
        else:
            value = self._submodule(name)
        setattr(self, name, value)
        return value

    def _submodule(self, name):
        full = f"{self.__name__}.{name}"
        if full in PRIVATE or (not name.startswith("_") and (full in MODULES or counterpart(full))):
            return importlib.import_module(full)
        if self.__name__ in PRIVATE and not name.startswith("_"):
            public = importlib.import_module(self.__name__.partition("._")[0])
            if hasattr(public, name):
                return getattr(public, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} in gpunp")

    def __dir__(self):
        renamed = [name for module, name in RENAMED if module == self.__name__]
        return sorted({*self.__dict__, *NAMES.get(self.__name__, "").split(), *renamed})


class _Loader(importlib.abc.Loader):
    """Gives a module of gpunp under a name of CuPy, and leaves the module as it was."""

    def __init__(self, own):
        self.own = own

    def create_module(self, spec):
        if self.own is None:
            return _Names(spec.name)
        module = importlib.import_module(self.own)
        self.spec = module.__spec__  # the import system is about to replace it
        return module

    def exec_module(self, module):
        if self.own is not None:
            module.__spec__ = self.spec
            _rename_classes(module, self.own)


def _rename_classes(module, own):
    """Let the classes of `gpunp.scipy.sparse` say that they belong to `cupyx`."""
    if own == "gpunp.scipy.sparse":
        for kind in vars(module).values():
            if isinstance(kind, type) and kind.__module__.startswith("gpunp."):
                kind.__module__ = "cupyx.scipy.sparse"


class _Distribution(importlib.metadata.Distribution):
    """What `importlib.metadata.version("cupy")` reads."""

    def read_text(self, filename):
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: cupy\nVersion: {CUPY_VERSION}\n"
        return None

    def locate_file(self, path):
        return os.path.join(os.path.dirname(gpunp.__file__), path)


class _Finder(importlib.metadata.DistributionFinder):
    """Finds modules of CuPy in gpunp."""

    def find_spec(self, name, path=None, target=None):
        """Return the spec of a module of CuPy; see `importlib.abc.MetaPathFinder`."""
        if name.partition(".")[0] not in TOPS:
            return None
        own = counterpart(name)
        if own is None and name not in MODULES and name not in PRIVATE:
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(own), is_package=own is None)

    def find_distributions(self, context=None):
        """Return the distribution "cupy"; see `importlib.metadata`."""
        name = getattr(context, "name", None)
        return [_Distribution()] if name is None or name.lower() == "cupy" else []


def install() -> None:
    """Make `cupy`, `cupyx` and `cupy_backends` names of gpunp's modules, once.

    Raises
    ------
    ImportError
        If CuPy itself is loaded.
    """
    if sys.modules.get("cupy") is gpunp:
        return
    loaded = [name for name in TOPS if name in sys.modules]
    if loaded:
        raise ImportError(
            f"CuPy's module {loaded[0]!r} is loaded already: import gpunp.as_cupy before it"
        )
    sys.meta_path.insert(0, _Finder())
    sys.modules["cupy"] = gpunp
    gpunp.__name__ = "cupy"
    gpunp.__version__ = CUPY_VERSION
    gpunp.ndarray.__module__ = "cupy"  # by which libraries tell arrays of CuPy
    gpunp._core.__getattr__ = _core_name  # type: ignore[attr-defined]
    for name in ("cupy._environment", "cupy._util"):  # which `import cupy` loads
        importlib.import_module(name)
    accept_host_arrays()
    gpunp.cuda.set_peer_access("warn")  # as CuPy takes operands of another device
    # Private, and known to programs all the same.
    for name in ("memory_pool", "pinned_memory_pool"):
        setattr(gpunp, f"_default_{name}", getattr(gpunp, f"get_default_{name}")())


def _core_name(name):
    """Return what CuPy keeps in `cupy._core` and gpunp in its main namespace."""
    if name in NAMES["cupy._core"].split():
        return getattr(gpunp, name)
    if ("cupy._core", name) in RENAMED:
        return globals()[name]
    if f"cupy._core.{name}" in MODULES or f"cupy._core.{name}" in PRIVATE:
        return importlib.import_module(f"cupy._core.{name}")
    raise AttributeError(f"module 'cupy._core' has no attribute {name!r} in gpunp")


_ACCELERATORS = ("cub", "cutensor", "cutensornet")
_chosen: dict[str, list[str]] = {"reduction": [], "routine": []}


def _set_accelerators(what, names):
    names = [str(name) for name in names]
    wrong = sorted(set(names) - set(_ACCELERATORS))
    if wrong:
        raise ValueError(f"unknown accelerators {wrong}; the known ones are {_ACCELERATORS}")
    _chosen[what] = names


def get_reduction_accelerators():
    """Return what `set_reduction_accelerators` was given last.

    Returns
    -------
    list of str
        Names of accelerators.
    """
    return list(_chosen["reduction"])


def get_routine_accelerators():
    """Return what `set_routine_accelerators` was given last.

    Returns
    -------
    list of str
        Names of accelerators.
    """
    return list(_chosen["routine"])


def set_reduction_accelerators(accelerators) -> None:
    """Remember names of accelerators; gpunp itself chooses what computes a reduction.

    Parameters
    ----------
    accelerators : sequence of str
        Some of "cub", "cutensor" and "cutensornet".
    """
    _set_accelerators("reduction", accelerators)


def set_routine_accelerators(accelerators) -> None:
    """Remember names of accelerators; gpunp itself chooses what computes a function.

    Parameters
    ----------
    accelerators : sequence of str
        Some of "cub", "cutensor" and "cutensornet".
    """
    _set_accelerators("routine", accelerators)


(
    COMPUTE_TYPE_TBD,
    COMPUTE_TYPE_DEFAULT,
    COMPUTE_TYPE_PEDANTIC,
    COMPUTE_TYPE_FP16,
    COMPUTE_TYPE_FP32,
    COMPUTE_TYPE_FP64,
    COMPUTE_TYPE_BF16,
    COMPUTE_TYPE_TF32,
) = range(len(COMPUTE_TYPES))
_compute_types: dict[str, int] = {}


def get_compute_type(dtype) -> int:
    """Return what `set_compute_type` was given last for a dtype.

    Parameters
    ----------
    dtype : dtype_like
        Type of the matrices.

    Returns
    -------
    int
        One of the numbers `COMPUTE_TYPE_...`.
    """
    return _compute_types.get(np.dtype(dtype).char, COMPUTE_TYPE_DEFAULT)


def set_compute_type(dtype, compute_type) -> None:
    """Set how products of matrices of a dtype may be computed.

    `COMPUTE_TYPE_TF32` of float32 or complex64 is `cuda.allow_tf32`, for both; the others compute
    as by default, which is never less precise.

    Parameters
    ----------
    dtype : dtype_like
        Type of the matrices.
    compute_type : int
        One of the numbers `COMPUTE_TYPE_...`.

    Raises
    ------
    ValueError
        If the number is none of them, or TF32 is asked for of another dtype.
    """
    char = np.dtype(dtype).char
    if compute_type not in range(len(COMPUTE_TYPES)):
        raise ValueError(f"compute_type is {compute_type!r}, none of COMPUTE_TYPE_...")
    if compute_type == COMPUTE_TYPE_TF32 and char not in "fF":
        raise ValueError(f"TF32 is for float32 and complex64, not for {np.dtype(dtype)}")
    _compute_types[char] = int(compute_type)
    if char in "fF":
        gpunp.cuda.allow_tf32(COMPUTE_TYPE_TF32 in map(get_compute_type, "fF"))


def elementwise_copy(source, destination):
    """Copy the elements of an array to another, which it is broadcast to.

    Parameters
    ----------
    source : ndarray or scalar
        Elements to copy, converted to the type of the destination.
    destination : ndarray
        Array to write to.

    Returns
    -------
    ndarray
        The destination.
    """
    gpunp.copyto(destination, source, casting="unsafe")
    return destination


def normalize_axis_indices(axes, ndim, sort_axes=True):
    """Return axes as a tuple of numbers that are not negative.

    Parameters
    ----------
    axes : int, sequence of int, or None
        Axes to count from the first one; None means every axis.
    ndim : int
        Number of axes of the array.
    sort_axes : bool, optional
        If True, the default, the result is in increasing order.

    Returns
    -------
    tuple of int
        The axes. One that appears twice raises `ValueError`.
    """
    axes = tuple(range(ndim)) if axes is None else normalize_axis_tuple(axes, ndim)
    return tuple(sorted(axes)) if sort_axes else axes


def type_name(dtype):
    """Return the name of a type in CUDA C++: what programs make the text of kernels of.

    Parameters
    ----------
    dtype : dtype
        Type of numbers.

    Returns
    -------
    str
        Such as "float", or "complex<float>".
    """
    dtype = np.dtype(dtype)
    names = {"?": "bool", "e": "float16", "f": "float", "d": "double"}
    names |= {"F": "complex<float>", "D": "complex<double>"}
    widths = {1: "char", 2: "short", 4: "int", 8: "long long"}
    if dtype.kind in "iu" and dtype.itemsize in widths:
        name = widths[dtype.itemsize]
        signed = "signed " if dtype.itemsize == 1 else ""
        return ("unsigned " if dtype.kind == "u" else signed) + name
    if dtype.char not in names:
        raise ValueError(f"{dtype} has no name in CUDA C++")
    return names[dtype.char]


USAGE = "usage: python -m gpunp.as_cupy [-m MODULE | SCRIPT] [ARGUMENT ...]"


def run(arguments):
    """Run a program that imports CuPy, as `python` would.

    Parameters
    ----------
    arguments : list of str
        Path of the script, or "-m" and the name of a module; then the program's arguments.

    Returns
    -------
    str or None
        How to use the command if there is no program, which is the exit status then.
    """
    if not arguments or arguments == ["-m"] or arguments[0] in ("-h", "--help"):
        return USAGE
    if arguments[0] == "-m":
        sys.argv[:] = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv[:] = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")
    return None
