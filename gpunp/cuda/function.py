"""Modules and kernels of the driver, on which RawModule and RawKernel are built."""

from .._C import Function, LinkState, Module
from .memory import MemoryPointer, UnownedMemory

__all__ = ["Function", "LinkState", "Module", "global_pointer"]


def global_pointer(module, name):
    """Return a pointer to a global or constant variable of a module.

    Parameters
    ----------
    module : Module
        Module that contains the variable; it stays loaded as long as the pointer exists.
    name : str
        Symbol of the variable, or a name expression.

    Returns
    -------
    MemoryPointer
        Pointer to the variable.
    """
    if not isinstance(module, Module):
        raise TypeError(f"module must be a Module, not {type(module).__name__}")
    ptr, size = module._global(name)
    return MemoryPointer(UnownedMemory(ptr, size, module), 0)
