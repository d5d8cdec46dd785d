"""Random numbers under NumPy's names: generators, distributions, and CuPy's module functions."""

from numpy.random import SeedSequence

from .. import _foreign_names
from .._core.renaming import rename as _rename
from . import _generator, bit_generator, mtrand
from ._generator import *
from .bit_generator import *
from .mtrand import *

__all__ = [name for module in (_generator, bit_generator, mtrand) for name in module.__all__] + [
    "SeedSequence"
]

_rename(globals(), "random")


def __getattr__(name):
    use = _foreign_names.instead(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{use}")
