"""Work that is put off until the program imports another library.

`when_imported("dask.array", "gpunp._dask")` imports gpunp._dask once dask.array has been imported;
at once if it has been. Neither is imported by the call itself, so that a program without that
library pays for nothing but a name in a dict. The classes here have the methods that the import
system asks for, without the base classes of importlib.abc, whose own imports take as long as
gpunp's.
"""

import importlib
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

_awaited: dict[str, str] = {}


class _Loader:
    """The library's own loader, and the work after it."""

    def __init__(self, loader: Any, name: str) -> None:
        self._loader, self._name = loader, name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._loader, attribute)

    def create_module(self, spec: "ModuleSpec") -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        _run(self._name)


class _Finder:
    """Finds awaited modules by the other finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> "ModuleSpec | None":
        if fullname not in _awaited:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, fullname)  # type: ignore[assignment]
                return spec
        return None


def _run(name: str) -> None:
    module = _awaited.pop(name, None)
    if module is not None:
        importlib.import_module(module)
    if not _awaited:
        sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, _Finder)]


def when_imported(library: str, module: str) -> None:
    """Import a module of ours when `library` has been imported."""
    _awaited[library] = module
    if library in sys.modules:
        _run(library)
    elif not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
