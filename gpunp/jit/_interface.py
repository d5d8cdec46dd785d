"""The decorator: a Python function becomes a kernel, compiled for the types it is called with."""

import functools

from .._C import Dispatch
from .._core.raw import RawModule
from ..cuda import is_emulated
from ._program import Program, argument_value, bind_arguments, kernel_name
from ._source import remember_source

# NumPy rounds each operation; C++ may join a product and a sum.
# Lambdas have no execution space of their own, which NVRTC before 13.1 takes for the host's.
_OPTIONS = {
    "cuda": ("--std=c++17", "-default-device"),
    "numpy": ("--std=c++17", "-default-device", "--fmad=false"),
}


class _JitRawKernel(Dispatch):
    """A kernel written in Python.

    Calling it launches it: ``kernel(grid, block, args, shared_mem=0, stream=None)``; so does
    ``kernel[grid, block](*args)``, and ``kernel[grid, block, shared_mem, stream](*args)``.
    """

    def __new__(cls, function, mode):
        return super().__new__(cls, function.__name__)

    def __init__(self, function, mode):
        functools.update_wrapper(self, function)
        self._device_function = None
        self._function = function
        self._mode = mode
        self._codes = {}
        self._modules = []

    def _compile(self, types):
        """Called by Dispatch for types that come first; gives the kernel and how it is launched."""
        code, program = self._translate(types, is_emulated())
        module = RawModule(code=code, options=_OPTIONS[self._mode])
        self._modules.append(module)
        self._codes[types] = code
        return module.module.get_function(program.kernel_name), program.is_cooperative

    def _translate(self, types, with_lines):
        values = [argument_value(description, self._mode) for description in types]
        program = Program(kernel_name(self._function), with_lines)
        arguments = bind_arguments(self._function, values, {})
        compiled = program.compile(self._function, self._mode, arguments)
        return program.text(compiled), program

    @property
    def cached_codes(self):
        """Dict of argument types to the CUDA C++ that was compiled for them."""
        return dict(self._codes)

    @property
    def cached_code(self):
        """The CUDA C++ that was compiled; that of the first types, where there are several."""
        if not self._codes:
            raise RuntimeError("the kernel was not compiled yet: it is at its first launch")
        return next(iter(self._codes.values()))

    def __repr__(self):
        return f"<gpunp.jit.rawkernel {self.__name__}>"


class _DeviceFunction:
    """A function for kernels to call."""

    def __init__(self, function, mode):
        functools.update_wrapper(self, function)
        self._device_function = function
        self._mode = mode

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{self.__name__} is a device function: only kernels call it")

    def __repr__(self):
        return f"<gpunp.jit.rawkernel {self.__name__}, a device function>"


def rawkernel(*, mode="cuda", device=False):
    """Return a decorator that compiles a Python function to a CUDA kernel.

    The function is written in a subset of Python: numbers, arrays given to it, and what this module
    offers. It is compiled when it is first launched with arguments of new types. The types of local
    variables follow from what is assigned to them.

    Parameters
    ----------
    mode : {'cuda', 'numpy'}
        Typing rules: those of C++, or those of NumPy. In both, Python numbers take the type of the
        other operand. On their own they have 32 bits in 'cuda' and 64 bits in 'numpy'. In 'numpy'
        each operation is rounded separately; in 'cuda' the compiler may fuse multiplications and
        additions.
    device : bool
        If True, compile a device function, which kernels may call and which returns a value.
        Functions without the decorator may be called as well.

    Returns
    -------
    decorator
        The decorator to apply to a function.

    Notes
    -----
    A launch waits for nothing. Besides CuPy's subset these work: default arguments, negative
    constant indices (``x[-1]``), fewer indices than axes (``x[i]`` is a view), conditions that are
    known while compiling (the other branch is not compiled), ``for`` over a tuple, variables first
    assigned inside a branch or a loop.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp import jit
    >>> @jit.rawkernel()
    ... def scale(x, y, factor):
    ...     start = jit.grid(1)
    ...     for i in range(start, x.size, jit.gridsize(1)):
    ...         y[i] = x[i] * factor
    >>> x = cp.arange(5, dtype=cp.float32)
    >>> y = cp.empty_like(x)
    >>> scale[1, 32](x, y, 2)
    >>> y
    array([0., 2., 4., 6., 8.], dtype=float32)
    """
    if mode not in ("cuda", "numpy"):
        raise ValueError(f"mode must be 'cuda' or 'numpy', not {mode!r}")
    if not isinstance(device, bool):
        raise TypeError(f"device must be a bool, not {type(device).__name__}")

    def decorator(function):
        if not hasattr(function, "__code__"):
            raise TypeError(f"a Python function is needed, not {type(function).__name__}")
        remember_source(function)
        return (_DeviceFunction if device else _JitRawKernel)(function, mode)

    return decorator
