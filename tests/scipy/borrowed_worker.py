"""Run in a process with SCIPY_ARRAY_API=1: every borrowed name on gpunp's arrays and on NumPy's.

Prints a line for each name whose results differ, and the number of names at the end.
"""

import importlib
import traceback
import warnings

import numpy as np
from borrowed_calls import CALLS

import gpunp as cp
from gpunp.scipy._borrowed_names import NAMES


def numbers(result):
    """The arrays and numbers that a result holds, in order."""
    if isinstance(result, (tuple, list)):
        return [x for part in result for x in numbers(part)]
    if hasattr(result, "statistic"):
        return numbers([result.statistic, result.pvalue])
    return [] if result is None else [result]


def on_device(result):
    """Whether no part of a result is a host array; Python's numbers are."""
    return not any(isinstance(x, np.ndarray) for x in numbers(result))


def compare(name, call):
    """Raise if a call with gpunp's arrays differs from the same with NumPy's."""
    module, _, function = name.rpartition(".")
    theirs = getattr(importlib.import_module(f"scipy.{module}"), function)
    ours = getattr(importlib.import_module(f"gpunp.scipy.{module}"), function)
    expected = numbers(call(theirs, np.copy))
    result = call(ours, cp.asarray)
    assert on_device(result), "a host array"
    result = numbers(result)
    assert len(result) == len(expected)
    for a, b in zip(result, expected, strict=True):
        a, b = cp.asnumpy(a), np.asarray(b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9)


def main():
    warnings.simplefilter("ignore")
    names = [f"{module}.{name}" for module, listed in NAMES.items() for name in listed.split()]
    for name in sorted(names):
        try:
            compare(name, CALLS[name])
        except Exception:
            print(name, traceback.format_exc())
    print(f"{len(names)} names")


main()
