"""NumPy and SciPy on the GPU: `import gpunp as cp`, and the script runs on CUDA.

Nothing here touches a device until the first array is made. Names come in NumPy's order; heavy
modules load on first use.
"""

import importlib as _importlib

from . import _foreign_names, _when_imported
from ._core._datetime import *
from ._core.array_api_info import *
from ._core.arrayprint import *
from ._core.bits import *
from ._core.einsumfunc import *
from ._core.environment import *
from ._core.fromnumeric import *
from ._core.function_base import *
from ._core.fusion import *
from ._core.getlimits import *
from ._core.gufuncs import *
from ._core.indexing import *
from ._core.memo import *
from ._core.multiarray import *
from ._core.numeric import *
from ._core.numerictypes import *
from ._core.older_names import *
from ._core.pinned import *
from ._core.products import *
from ._core.raw import *
from ._core.reductions import *
from ._core.renaming import rename as _rename
from ._core.runtime_info import *
from ._core.shape_base import *
from ._core.umath import *
from ._version import __version__
from .lib import scimath as emath
from .lib._arraypad_impl import *
from .lib._arraysetops_impl import *
from .lib._function_base_impl import *
from .lib._histograms_impl import *
from .lib._index_tricks_impl import *
from .lib._insertion_impl import *
from .lib._nanfunctions_impl import *
from .lib._npyio_impl import *
from .lib._polynomial_impl import *
from .lib._quantile_impl import *
from .lib._shape_base_impl import *
from .lib._statistics_impl import *
from .lib._stride_tricks_impl import *
from .lib._twodim_base_impl import *
from .lib._type_check_impl import *
from .lib._ufunclike_impl import *
from .lib._windows_impl import *

__array_api_version__ = "2025.12"
_rename(globals())
_foreign_names.refuse(ndarray)
_when_imported.when_imported("dask.array", "gpunp._dask")
_when_imported.when_imported("distributed.protocol", "gpunp._dask_distributed")
_when_imported.when_imported("einops", "gpunp._einops")

# Modules and names that are loaded on first use.
_LAZY_MODULES = (
    "allocators",
    "cublas",
    "cuda",
    "cusolver",
    "cusparse",
    "distributed",
    "exceptions",
    "fft",
    "jit",
    "lib",
    "lapack",
    "linalg",
    "optimizing",
    "polynomial",
    "profiler",
    "random",
    "scipy",
    "signal",
    "special",
    "testing",
    "time",
    "typing",
)
_LAZY_NAMES = {
    "bfloat16": "ml_dtypes",
    "AxisError": "numpy.exceptions",
    "ComplexWarning": "numpy.exceptions",
    "ModuleDeprecationWarning": "numpy.exceptions",
    "RankWarning": "numpy.exceptions",
    "TooHardError": "numpy.exceptions",
    "VisibleDeprecationWarning": "numpy.exceptions",
    "byte_bounds": "gpunp.lib.array_utils",
    "vectorize": "gpunp.lib._vectorize_impl",
}

__all__ = [  # and everything above that is not a module of this package
    name
    for name, value in list(globals().items())
    if not name.startswith("_") and type(value) is not type(_importlib)
]
# What else a star brings from NumPy and CuPy.
__all__ += ["cuda", "exceptions", "fft", "lib", "linalg", "polynomial", "random", "testing"]
__all__ += ["emath", "typing", "vectorize"]


def __getattr__(name):
    if name in _LAZY_MODULES:
        return _importlib.import_module(f"gpunp.{name}")
    if name in _LAZY_NAMES:
        return getattr(_importlib.import_module(_LAZY_NAMES[name]), name)
    import numpy

    hint = _foreign_names.instead("gpunp", name)
    if not name.startswith("_") and name in dir(numpy):  # hasattr may warn of the name's future
        hint = (
            "; NumPy has it, for copies of arrays on the host, `a.get()`."
            " See docs/differences.md in the source distribution"
        )
    raise AttributeError(f"module 'gpunp' has no attribute {name!r}{hint}")


def __dir__():
    return sorted({*globals(), *_LAZY_MODULES, *_LAZY_NAMES})
