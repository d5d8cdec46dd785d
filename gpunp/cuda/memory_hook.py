"""Hooks called around allocations of device memory."""

import threading

from gpunp import _C

__all__ = ["MemoryHook", "get_memory_hooks"]

_thread = threading.local()


def _hooks():
    """The hooks this thread has entered, by name, in order."""
    if not hasattr(_thread, "hooks"):
        _thread.hooks = {}
    return _thread.hooks


def get_memory_hooks():
    """Return the hooks that this thread has entered.

    Returns
    -------
    dict of MemoryHook
        Hooks by their names, in the order of their `with` statements.
    """
    return _hooks()


class MemoryHook:
    """Base class of memory hooks; use an instance in a `with` block.

    `alloc_*` methods are called for memory of the driver, `malloc_*` and `free_*` for memory of a
    pool. They receive keyword arguments only: device_id, size (bytes requested), mem_size (bytes
    allocated), mem_ptr (address) and pmem_id (identifier of the block), as far as they are known.
    """

    name = "MemoryHook"

    def __enter__(self):
        hooks = _hooks()
        if self.name in hooks:
            raise KeyError(f"memory hook {self.name} is already in use in this thread")
        hooks[self.name] = self
        _C._count_memory_hooks(len(hooks))
        return self

    def __exit__(self, *_):
        hooks = _hooks()
        del hooks[self.name]
        _C._count_memory_hooks(len(hooks))

    def alloc_preprocess(self, **kwargs) -> None:
        """Called before memory is allocated from the driver.

        Parameters
        ----------
        **kwargs
            Keyword arguments device_id, and mem_size in bytes.
        """

    def alloc_postprocess(self, **kwargs) -> None:
        """Called after memory was allocated from the driver.

        Parameters
        ----------
        **kwargs
            Keyword arguments device_id, mem_size in bytes, and mem_ptr, the address.
        """

    def malloc_preprocess(self, **kwargs) -> None:
        """Called before memory is allocated from a pool.

        Parameters
        ----------
        **kwargs
            Keyword arguments device_id, size as requested, and mem_size as rounded up.
        """

    def malloc_postprocess(self, **kwargs) -> None:
        """Called after memory was allocated from a pool.

        Parameters
        ----------
        **kwargs
            Keyword arguments device_id, size, mem_size, mem_ptr, and pmem_id, an identifier of the
            block.
        """

    def free_preprocess(self, **kwargs) -> None:
        """Called before memory is returned to a pool.

        Parameters
        ----------
        **kwargs
            Keyword arguments device_id, mem_size, mem_ptr, and pmem_id.
        """

    def free_postprocess(self, **kwargs) -> None:
        """Called after memory was returned to a pool.

        Parameters
        ----------
        **kwargs
            Keyword arguments device_id, mem_size, mem_ptr, and pmem_id.
        """


# Which of the numbers each call passes on.
_KEYWORDS = {
    "alloc_preprocess": ("device_id", "mem_size"),
    "alloc_postprocess": ("device_id", "mem_size", "mem_ptr"),
    "malloc_preprocess": ("device_id", "size", "mem_size"),
    "malloc_postprocess": ("device_id", "size", "mem_size", "mem_ptr", "pmem_id"),
    "free_preprocess": ("device_id", "mem_size", "mem_ptr", "pmem_id"),
    "free_postprocess": ("device_id", "mem_size", "mem_ptr", "pmem_id"),
}


def _call_hooks(when, device_id, size, mem_size, mem_ptr, pmem_id):
    values = {
        "device_id": device_id,
        "size": size,
        "mem_size": mem_size,
        "mem_ptr": mem_ptr,
        "pmem_id": pmem_id,
    }
    arguments = {key: values[key] for key in _KEYWORDS[when]}
    for hook in list(_hooks().values()):
        getattr(hook, when)(**arguments)


_C._set_memory_hook(_call_hooks)
