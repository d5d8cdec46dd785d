"""`scipy.optimize`: minimization, least squares and equations of functions of device arrays."""

from .._borrowed import borrow as _borrow
from . import (
    _batched,
    _constraints,
    _front,
    _global,
    _hessian_updates,
    _jacobians,
    _least_squares,
    _line_search,
    _minimize,
    _nonlin,
    _programs,
    _result,
    _root,
    _rosen,
    _scalar,
    _zeros,
)
from ._batched import *
from ._constraints import *
from ._front import *
from ._global import *
from ._hessian_updates import *
from ._jacobians import *
from ._least_squares import *
from ._line_search import *
from ._minimize import *
from ._nonlin import *
from ._programs import *
from ._result import *
from ._root import *
from ._rosen import *
from ._scalar import *
from ._zeros import *

_OWN = [
    name
    for module in (
        _batched,
        _constraints,
        _front,
        _global,
        _hessian_updates,
        _jacobians,
        _least_squares,
        _line_search,
        _minimize,
        _nonlin,
        _programs,
        _result,
        _root,
        _rosen,
        _scalar,
        _zeros,
    )
    for name in module.__all__
]

__all__, _borrowed, __dir__ = _borrow(
    "optimize",
    own=[*_OWN, "LbfgsInvHessProduct"],
    same=["NoConvergence", "OptimizeWarning", "RootResults", "linprog_verbose_callback"],
)


def __getattr__(name):
    if name == "LbfgsInvHessProduct":  # its base class imports much
        from ._inverse_hessian import LbfgsInvHessProduct

        return LbfgsInvHessProduct
    return _borrowed(name)
