"""vectorize: a Python function of numbers, applied to arrays (in NumPy's `function_base`)."""

import inspect

import numpy as np

from .._core.multiarray import asarray, ndarray
from ..jit._elementwise import elementwise_kernel
from ..jit._types import Const

__all__ = ["vectorize"]


class vectorize:
    """Generalize a Python function of numbers to a function of arrays.

    The function is translated to a kernel and runs on the device, once for each element of its
    arguments, broadcast together.

    Parameters
    ----------
    pyfunc : function, optional
        Function of numbers that returns a number or a tuple of them, in the subset of Python that
        `gpunp.jit.rawkernel` supports, with NumPy's typing rules. If omitted, the object is a
        decorator, which takes the function when it is called.
    otypes : str or sequence of dtype, optional
        Types of the results, as a string of character codes or a list of dtypes. By default those
        that the function returns.
    doc : str, optional
        Docstring of the object. By default that of `pyfunc`.
    excluded : set of int or str, optional
        Positions or names of arguments that are passed unchanged: numbers, dtypes, functions, which
        are constants of the kernel.
    cache : bool, optional
        Accepted for compatibility; the function runs on the device only.
    signature : optional
        Must be None: functions of whole arrays cannot be kernels.

    Differences
    -----------
    The dtypes of results follow from those of the arguments, not from the values that the function
    returns for the first elements. For empty arguments the function is not called, and the results
    are empty.

    See Also
    --------
    numpy.vectorize, gpunp.jit.rawkernel, gpunp.ElementwiseKernel

    Examples
    --------
    >>> import gpunp as cp
    >>> def clip_above(x, top):
    ...     return top if x > top else x
    >>> cp.vectorize(clip_above)(cp.arange(5), 2)
    array([0, 1, 2, 2, 2])
    """

    def __init__(
        self,
        pyfunc=np._NoValue,
        otypes=None,
        doc=None,
        excluded=None,
        cache=False,
        signature=None,
    ) -> None:
        if signature is not None:
            raise NotImplementedError("signature is not supported: kernels see one element")
        self.otypes = otypes
        self.excluded = set() if excluded is None else set(excluded)
        self.cache = cache
        self.signature = signature
        self.__doc__ = doc
        self._dtypes = None if otypes is None else [np.dtype(letter) for letter in otypes]
        self._kernels: dict[object, object] = {}
        self._of_arrays: dict[object, object] = {}  # the same for calls with nothing but arrays
        self.pyfunc = None
        if pyfunc is not np._NoValue:
            self._take(pyfunc)

    def _take(self, pyfunc):
        if not hasattr(pyfunc, "__code__"):
            raise TypeError(f"pyfunc must be a Python function, not {type(pyfunc).__name__}")
        self.pyfunc = pyfunc
        self.__name__ = pyfunc.__name__
        self.__doc__ = pyfunc.__doc__ if self.__doc__ is None else self.__doc__
        self._signature = inspect.signature(pyfunc)
        return self

    def __call__(self, *args, **kwargs):
        """Call the function for each element of the arguments, broadcast together."""
        if not kwargs and all(type(arg) is ndarray for arg in args):
            kernel = self._of_arrays.get(tuple([arg.dtype for arg in args]))
            if kernel is not None:
                return kernel(*args)
        if self.pyfunc is None:
            return self._take(*args, **kwargs)
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        names = {name for name in self.excluded if isinstance(name, str)}
        names |= {list(bound.arguments)[k] for k in self.excluded if not isinstance(k, str)}
        operands = []
        key = []
        arguments = []
        for name, value in bound.arguments.items():
            if self._signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                described = [_describe(item, name in names, operands, key) for item in value]
                arguments.append((name, described))
            else:
                arguments.append((name, _describe(value, name in names, operands, key)))
        if not operands:
            raise ValueError("vectorize needs at least one argument that is not excluded")
        kernel = self._kernels.get(tuple(key))
        if kernel is None:
            kernel = elementwise_kernel(self.pyfunc, arguments, self._dtypes)
            self._kernels[tuple(key)] = kernel
        if len(operands) == len(args) == len(key) and all(type(arg) is ndarray for arg in args):
            self._of_arrays[tuple([arg.dtype for arg in args])] = kernel
        return kernel(*operands)


def _describe(value, is_excluded, operands, key):
    """What `elementwise_kernel` is told of an argument; operands and the kernel's key grow."""
    if is_excluded or callable(value) or isinstance(value, np.dtype):
        key.append((type(value), repr(value), id(value) if callable(value) else 0))
        return Const(value)
    operand = value if isinstance(value, ndarray) else _operand(value)
    operands.append(operand)
    key.append(operand.dtype)
    return operand.dtype


def _operand(value):
    """An array or NumPy scalar of what is no array of ours; numbers are passed by value."""
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        return np.asarray(value)[()]
    return value if isinstance(value, np.generic) else asarray(value)
