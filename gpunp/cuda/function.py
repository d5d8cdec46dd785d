"""Modules and kernels as the driver has them: what RawModule and RawKernel stand on."""

from .._C import Function, LinkState, Module
from .memory import MemoryPointer, UnownedMemory

__all__ = ["Function", "LinkState", "Module", "global_pointer"]


def global_pointer(module, name):
    """Where a module keeps a global or constant variable.

    Parameters
    ----------
    module : Module
        The module; it stays alive as long as the pointer.
    name : str
        The variable's symbol, or a name expression.

    Returns
    -------
    MemoryPointer
    """
    if not isinstance(module, Module):
        raise TypeError(f"module must be a Module, not {type(module).__name__}")
    ptr, size = module._global(name)
    return MemoryPointer(UnownedMemory(ptr, size, module), 0)
