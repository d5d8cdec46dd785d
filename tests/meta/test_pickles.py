"""Public functions and classes are pickled by their names, as workers and caches need them."""

import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys

import child

import gpunp

# Modules of functions for kernels, which are no functions of the host.
WITHOUT = ("gpunp.jit", "gpunp.__main__", "gpunp.as_cupy", "gpunp.libgpunp", "gpunp.typing")


def modules():
    yield "gpunp"
    for found in pkgutil.walk_packages(gpunp.__path__, "gpunp."):
        if not found.name.startswith(WITHOUT) and "._" not in found.name:
            yield found.name


def pickled_otherwise():
    """What no pickle finds under its name. Objects that are called, as distributions, are copied."""
    for name in modules():
        module = importlib.import_module(name)
        for key in getattr(module, "__all__", dir(module)):
            value = getattr(module, key, None)
            if key.startswith("_") or not callable(value) or not hasattr(value, "__name__"):
                continue
            try:
                same = pickle.loads(pickle.dumps(value)) is value
            except Exception:
                same = False
            if not same and not inspect.ismodule(value):
                yield f"{name}.{key}"


def test_functions_and_classes():
    """In SciPy's array API mode, which some names need."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__],
        env={**child.environment(child.ROOT / "tests"), "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


if __name__ == "__main__":
    print(*pickled_otherwise(), sep="\n")
