"""A hook that attributes allocations to the lines of Python code that made them."""

import sys
import traceback

from ..memory_hook import MemoryHook

__all__ = ["LineProfileHook"]


class _Frame:
    def __init__(self, where):
        self.where = where
        self.used_bytes = 0
        self.acquired_bytes = 0
        self.children = {}


class LineProfileHook(MemoryHook):
    """Count the bytes that each line of Python code allocates from the pool and from the device.

    Parameters
    ----------
    max_depth : int
        Number of innermost frames of each call stack to keep; 0 keeps all.
    """

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self._root = _Frame(None)
        self._max_depth = max_depth

    def malloc_preprocess(self, **kwargs) -> None:
        self._count("used_bytes", kwargs["mem_size"])

    def alloc_preprocess(self, **kwargs) -> None:
        self._count("acquired_bytes", kwargs["mem_size"])

    def _count(self, field, size):
        stack = [
            (f.filename, f.name, f.lineno)
            for f in traceback.extract_stack()
            if "memory_hook" not in f.filename
        ]
        frame = self._root
        for where in stack[-self._max_depth :]:
            frame = frame.children.setdefault(where, _Frame(where))
            setattr(frame, field, getattr(frame, field) + size)

    def print_report(self, file=None) -> None:
        """Print the tree of lines: bytes from the pool, bytes from the device.

        Parameters
        ----------
        file : file, optional
            File to print to. By default standard output.
        """
        out = sys.stdout if file is None else file
        out.write(f"{'used':>12} {'acquired':>12}  line\n")
        self._print(self._root, 0, out)
        out.flush()

    def _print(self, frame, depth, out):
        for child in frame.children.values():
            name, function, line = child.where
            out.write(
                f"{child.used_bytes:12d} {child.acquired_bytes:12d}  "
                f"{'  ' * depth}{name}:{line}:{function}\n"
            )
            self._print(child, depth + 1, out)
