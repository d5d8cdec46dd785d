"""`scipy.special`: special functions."""

from ._basic import *  # noqa: F403
from ._basic import __all__ as _basic
from ._logsumexp import *  # noqa: F403
from ._logsumexp import __all__ as _sums
from ._ufuncs import *  # noqa: F403
from ._ufuncs import __all__ as _ufunc_names
from ...lib._windows_impl import sinc

digamma = psi  # noqa: F405
jn = jv  # noqa: F405

__all__ = [*_basic, *_sums, *_ufunc_names, "digamma", "jn", "sinc"]  # noqa: PLE0604
