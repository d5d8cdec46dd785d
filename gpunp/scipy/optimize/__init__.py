"""`scipy.optimize`: minimization, least squares and equations of functions of device arrays."""

from .._borrowed import borrow as _borrow
from . import _constraints, _front, _least_squares, _minimize, _result, _root, _zeros
from ._constraints import *
from ._front import *
from ._least_squares import *
from ._minimize import *
from ._result import *
from ._root import *
from ._zeros import *

_OWN = [
    name
    for module in (
        _constraints,
        _front,
        _least_squares,
        _minimize,
        _result,
        _root,
        _zeros,
    )
    for name in module.__all__
]

__all__, _borrowed, __dir__ = _borrow("optimize", own=[*_OWN, "LbfgsInvHessProduct"])


def __getattr__(name):
    if name == "LbfgsInvHessProduct":  # its base class imports much
        from ._inverse_hessian import LbfgsInvHessProduct

        return LbfgsInvHessProduct
    return _borrowed(name)
