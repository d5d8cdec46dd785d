"""A hook that prints each allocation."""

import sys

from ..memory_hook import MemoryHook

__all__ = ["DebugPrintHook"]


class DebugPrintHook(MemoryHook):
    """Print a line for each block that is allocated or freed.

    Parameters
    ----------
    file : file object, optional
        File to print to. By default standard output.
    flush : bool
        If True, flush after each line.
    """

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file = file
        self.flush = flush

    def _print(self, event, keywords):
        numbers = ",".join(f'"{key}":{value}' for key, value in keywords.items())
        out = sys.stdout if self.file is None else self.file
        out.write(f'{{"hook":"{event}",{numbers}}}\n')
        if self.flush:
            out.flush()

    def alloc_postprocess(self, **kwargs) -> None:
        self._print("alloc", kwargs)

    def malloc_postprocess(self, **kwargs) -> None:
        self._print("malloc", kwargs)

    def free_postprocess(self, **kwargs) -> None:
        self._print("free", kwargs)
