"""Classes that SciPy lets programs subscript for type checkers, and no others."""

import importlib
import inspect
import types

import pytest

pytest.importorskip("scipy", minversion="1.17")
MODULES = [
    *("cluster.hierarchy", "cluster.vq", "fft", "integrate", "interpolate", "linalg", "ndimage"),
    *("optimize", "signal", "signal.windows", "sparse", "sparse.csgraph", "sparse.linalg"),
    *("spatial", "spatial.distance", "spatial.transform", "special", "stats", "stats.qmc"),
]


def classes(module):
    """Names of public classes of both packages, with the classes of each."""
    theirs, ours = (importlib.import_module(f"{p}scipy.{module}") for p in ("", "gpunp."))
    for name in theirs.__all__:
        pair = getattr(theirs, name), getattr(ours, name, None)
        if all(map(inspect.isclass, pair)) and pair[0] is not pair[1]:
            yield name, *pair


@pytest.mark.parametrize("module", MODULES)
def test_subscripts(module):
    for name, theirs, ours in classes(module):
        assert hasattr(ours, "__class_getitem__") == hasattr(theirs, "__class_getitem__"), name
        if hasattr(theirs, "__class_getitem__"):
            assert isinstance(ours[int], types.GenericAlias), name
            assert ours[int].__origin__ is ours
