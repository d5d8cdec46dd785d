"""Every ufunc of the table (`gpunp._C.ufunc_table()`), under its NumPy name.

The extension's other functions are re-exported for the modules of `lib`, which do not import it.
"""

from typing import TYPE_CHECKING, Any

from .. import _C
from .._C import *  # noqa: F403

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The extension's functions that no user calls are not in its stub."""


# `clip` of NumPy's namespace is in fromnumeric; this is the ufunc that it uses.
__all__ = [name for name, f in vars(_C).items() if isinstance(f, _C.ufunc) and name != "clip"]
