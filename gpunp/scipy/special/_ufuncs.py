"""The ufuncs of csrc/tables/special.def, under SciPy's names."""

from typing import TYPE_CHECKING, Any

from ..._core.umath import special_ufuncs

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """A ufunc: the table is read at run time."""


globals().update(special_ufuncs())
__all__ = sorted(name for name in special_ufuncs() if not name.startswith("_"))  # noqa: PLE0605
