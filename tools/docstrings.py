"""Lists the public functions whose docstring lacks Parameters or Returns.

    python tools/docstrings.py [module ...]      gpunp's own namespace without arguments

A function without arguments needs no Parameters; one that returns nothing (by its annotation) no
Returns. Ufuncs are made from a table and left out, and so is what is NumPy's own.
"""

import importlib
import inspect
import sys


def lacks(function):
    """The names of the sections that are missing."""
    text = inspect.getdoc(function) or ""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    missing = []
    if signature.parameters and "Parameters\n---" not in text:
        missing.append("Parameters")
    if signature.return_annotation not in (None, "None") and "Returns\n---" not in text:
        missing.append("Returns")
    return missing


def main():
    """Prints a line for each function, and how many there are."""
    total = found = 0
    for name in sys.argv[1:] or ["gpunp"]:
        module = importlib.import_module(name)
        for key in sorted(module.__all__):
            value = getattr(module, key)
            if not inspect.isfunction(value) or not value.__module__.startswith("gpunp"):
                continue
            total += 1
            missing = lacks(value)
            if missing:
                found += 1
                print(f"{name}.{key}: {', '.join(missing)} ({value.__module__})")
    print(f"{found} of {total} functions lack a section")


if __name__ == "__main__":
    main()
