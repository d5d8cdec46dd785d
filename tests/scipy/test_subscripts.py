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
LATER = ("CensoredData", "NdPPoly", "gaussian_kde")  # of SciPy 1.18


def classes(module):
    """Names of public classes of both packages, with the classes of each."""
    theirs, ours = (importlib.import_module(f"{p}scipy.{module}") for p in ("", "gpunp."))
    for name in theirs.__all__:
        pair = getattr(theirs, name), getattr(ours, name, None)
        if not all(map(inspect.isclass, pair)) or pair[0] is pair[1]:
            continue
        if type(pair[1]) is type:  # none that says why SciPy's class cannot be used
            yield name, *pair


@pytest.mark.parametrize("module", MODULES)
def test_subscripts(module):
    for name, theirs, ours in classes(module):
        wanted = hasattr(theirs, "__class_getitem__") or name in LATER
        assert hasattr(ours, "__class_getitem__") == wanted, name
        if wanted:
            assert isinstance(ours[int], types.GenericAlias), name
            assert ours[int].__origin__ is ours
