"""`scipy.special`: special functions."""

from ...lib._windows_impl import sinc
from ._basic import *
from ._basic import __all__ as _basic_names
from ._bessel_derivatives import *
from ._bessel_derivatives import __all__ as _bessel_derivative_names
from ._ellipsoidal import *
from ._ellipsoidal import __all__ as _ellipsoidal_names
from ._legendre import *
from ._legendre import __all__ as _legendre_names
from ._legendre_second import *
from ._legendre_second import __all__ as _legendre_second_names
from ._logsumexp import *
from ._logsumexp import __all__ as _logsumexp_names
from ._old_names import *
from ._old_names import __all__ as _old_names
from ._orthogonal import *
from ._orthogonal import __all__ as _orthogonal_names
from ._sequences import *
from ._sequences import __all__ as _sequence_names
from ._spherical_bessel import *
from ._spherical_bessel import __all__ as _spherical_bessel_names
from ._tables import *
from ._tables import __all__ as _table_names
from ._ufuncs import *
from ._ufuncs import __all__ as _ufunc_names

digamma = psi
jn = jv

__all__ = [  # noqa: PLE0604
    *_basic_names,
    *_bessel_derivative_names,
    *_ellipsoidal_names,
    *_legendre_names,
    *_legendre_second_names,
    *_logsumexp_names,
    *_old_names,
    *_orthogonal_names,
    *_sequence_names,
    *_spherical_bessel_names,
    *_table_names,
    *_ufunc_names,
    "digamma",
    "jn",
    "sinc",
]
