"""The ufuncs of csrc/tables/special.def, under SciPy's names."""

from ..._core.umath import special_ufuncs

globals().update(special_ufuncs())
__all__ = sorted(name for name in special_ufuncs() if not name.startswith("_"))  # noqa: PLE0605
