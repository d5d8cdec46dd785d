"""Every ufunc of the table (`gpunp._C.ufunc_table()`), under NumPy's names.

`clip` is a ufunc inside NumPy too; the function of that name takes bounds that may be None.
"""

from .. import _C

_ufuncs = {name: f for name, f in vars(_C).items() if isinstance(f, _C.ufunc) and name != "clip"}
globals().update(_ufuncs)

__all__ = list(_ufuncs)
