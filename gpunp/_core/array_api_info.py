"""Inspection of the namespace as the array API standard requires (`__array_namespace_info__`)."""

from typing import Any

import numpy as np

from ._convert import shown

__all__ = ["__array_namespace_info__"]

_KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_GROUPS: dict[str, tuple[str, ...]] = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}


class __array_namespace_info__:
    """Capabilities, dtypes and devices of this namespace.

    Examples
    --------
    >>> import gpunp as cp
    >>> info = cp.__array_namespace_info__()
    >>> info.default_dtypes()["real floating"]
    dtype('float64')
    """

    __module__ = "gpunp"

    def capabilities(self) -> dict[str, Any]:
        """Optional features of the standard, and whether they are supported."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        """The current device."""
        from ..cuda import Device

        return Device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """Types of new arrays for which none is given."""
        return {
            "real floating": np.dtype(np.float64),
            "complex floating": np.dtype(np.complex128),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """Data types of the standard, all or those of a kind (or a tuple of kinds)."""
        kinds = tuple(_KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        out = {}
        for name in kinds:
            if name not in _KINDS and name not in _GROUPS:
                raise ValueError(f"unsupported kind: {shown(name)}")
            for part in _GROUPS.get(name, (name,)):
                out.update({n: np.dtype(n) for n in _KINDS[part]})
        return out

    def devices(self) -> list[Any]:
        """All devices."""
        from ..cuda import Device, runtime

        return [Device(i) for i in range(runtime.getDeviceCount())]
