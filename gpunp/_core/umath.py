"""Every ufunc of the table (`gpunp._C.ufunc_table()`), under NumPy's names."""

from .. import _C

_ufuncs = {name: f for name, f in vars(_C).items() if isinstance(f, _C.ufunc) and name != "clip"}
globals().update(_ufuncs)
nansum, nanprod, nanmax, nanmin = _C.nansum, _C.nanprod, _C.nanmax, _C.nanmin

__all__ = list(_ufuncs)
