"""Every ufunc of the table (`gpunp._C.ufunc_table()`), under its NumPy name.

The rest of the extension's functions come along for the modules of `lib`, which do not import it.
"""

from .. import _C
from .._C import *  # noqa: F403

# clip is NumPy's function of that name, in fromnumeric; here it is the row behind it.
__all__ = [name for name, f in vars(_C).items() if isinstance(f, _C.ufunc) and name != "clip"]
