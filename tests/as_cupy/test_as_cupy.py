"""`gpunp.as_cupy`: what its import makes of the names of CuPy, each time in a new process."""

import subprocess
import sys

import pytest
from child import PATIENCE, environment

import gpunp as cp


def run(*arguments, **variables):
    """Run Python, and return what it prints."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_this_process_is_not_changed():
    assert cp.__name__ == "gpunp" and cp.ndarray.__module__ == "gpunp"


NAMES = """
import sys
import gpunp, gpunp.as_cupy
import cupy, cupy as cp, cupyx, cupy_backends
import cupy.cuda.runtime as rt
import cupy.cuda, cupy.linalg, cupy.random, cupy.fft, cupy.testing, cupy.exceptions
import cupyx.scipy.sparse, cupyx.scipy.sparse.linalg as sparse_linalg
from cupy import cuda
from cupy._core import ElementwiseKernel
from cupy._core.core import ndarray
from cupy_backends.cuda.api.runtime import CUDARuntimeError
from cupyx import jit, rsqrt, scatter_add
from cupyx.scipy.sparse.linalg import cg

pairs = [
    (cupy, gpunp), (cuda, gpunp.cuda), (rt, gpunp.cuda.runtime), (jit, gpunp.jit),
    (cupyx.scipy, gpunp.scipy), (cupyx.scipy.sparse, gpunp.scipy.sparse),
    (sparse_linalg, gpunp.scipy.sparse.linalg), (cg, gpunp.scipy.sparse.linalg.cg),
    (ElementwiseKernel, gpunp.ElementwiseKernel), (ndarray, gpunp.ndarray),
    (CUDARuntimeError, gpunp.cuda.runtime.CUDARuntimeError),
    (cupy_backends.cuda.api.driver, gpunp.cuda.driver),
    (rsqrt, gpunp.rsqrt), (scatter_add, gpunp.scatter_add), (cupyx.errstate, gpunp.errstate),
    (cp.get_array_module(cp.ones(2)), cupy), (cp.get_array_module([1]), __import__("numpy")),
]
for theirs, ours in pairs:
    assert theirs is ours, (theirs, ours)
assert gpunp.cuda.runtime.__spec__.name == "gpunp.cuda.runtime"
assert cp.ones(1).__array_namespace__().__name__ == "cupy"
assert repr(type(cp.ones(1))) == "<class 'cupy.ndarray'>"
assert type(cupyx.scipy.sparse.eye(2, format="csr")).__module__.startswith("cupyx.scipy.sparse")
assert int(cupy.__version__.split(".")[0]) >= 14
import gpunp.as_cupy  # again: no effect

import importlib.metadata, pickle
assert importlib.metadata.version("cupy") == cupy.__version__
data = pickle.dumps([cupy.arange(3), cupyx.scipy.sparse.eye(2, format="csr")])
array, matrix = pickle.loads(data)
assert array.get().tolist() == [0, 1, 2] and matrix.nnz == 2

from cupy._core import internal
from cupy._core._scalar import get_typename
from cupy._core.internal import prod
from cupy._environment import get_cuda_path
from cupy._util import memoize
names = [get_typename(t) for t in ("?", "b", "B", "i2", "u4", "q", "e", "f", "D")]
assert names == ["bool", "signed char", "unsigned char", "short", "unsigned int", "long long",
                 "float16", "float", "complex<double>"]
assert prod((2, 3)) == 6 == internal.prod((2, 3)) and memoize is cp.memoize and get_cuda_path is cuda.get_cuda_path

import cupy._core.internal, cupy._manipulation.shape, cupyx.scipy.sparse._csr
from cupy._core.raw import RawModule
from cupy._creation.from_data import asarray
assert cupy._util.memoize is cp.memoize and asarray is cp.asarray and RawModule is cp.RawModule
assert cupy._manipulation.shape.reshape is cp.reshape
assert cupyx.scipy.sparse._csr.csr_matrix is cupyx.scipy.sparse.csr_matrix
assert cp.get_array_module(cupyx.scipy.sparse.eye(2)) is cp
assert cp._default_memory_pool is cp.get_default_memory_pool()
assert cp._default_pinned_memory_pool is cp.get_default_pinned_memory_pool()
copied = cp.zeros((2, 3), "i1")
assert cupy._core.elementwise_copy(cp.arange(3.5, 6), copied) is copied
assert copied.get().tolist() == [[3, 4, 5]] * 2
assert cupy._core.internal._normalize_axis_indices((1, -3), 3) == (0, 1)
assert cupy._core.internal._normalize_axis_indices(None, 2) == (0, 1)
assert cupy._core.internal._normalize_axis_index(-1, 3) == 2
for name in ("cupy._core.nothing", "cupy._nothing", "cupy._creation.nothing"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    raise AssertionError(name)

from cupy import *
linalg.norm(ones(2)); random.RandomState; fft.fft; vectorize(lambda x: x + 1)
"""


def test_modules_are_the_same_objects():
    run("-c", NAMES)


LOADED = """
import sys, gpunp.as_cupy, importlib.util, cupy, cupyx
loaded = ("gpunp.scipy", "gpunp.jit", "gpunp.random")
assert not [name for name in sys.modules if name.startswith(loaded)]
cupyx.scipy.sparse
assert "gpunp.scipy.sparse" in sys.modules
for name in ("cupy.nothing", "cupyx.nothing", "cupyx.scipy.nothing", "cupy_backends.cuda.libs.no"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        assert error.name == name, error.name
    else:
        raise AssertionError(name)
assert importlib.util.find_spec("cupy.nothing") is None
assert importlib.util.find_spec("cupyx.scipy.signal") is not None
assert not hasattr(cupyx, "nothing")
"""


def test_modules_load_on_import_and_absent_ones_are_reported():
    run("-c", LOADED)


def test_a_loaded_cupy_is_refused(tmp_path):
    (tmp_path / "cupy.py").write_text("")
    text = "import cupy\ntry: import gpunp.as_cupy\nexcept ImportError as e: print(e)"
    path = environment(tmp_path)["PYTHONPATH"]
    assert "loaded already" in run("-c", text, PYTHONPATH=path)


def test_an_installed_cupy_is_not_loaded(tmp_path):
    (tmp_path / "cupy.py").write_text("raise SystemExit('the other one')")
    (tmp_path / "cupyx.py").write_text("raise SystemExit('the other one')")
    path = environment(tmp_path)["PYTHONPATH"]
    run("-c", "import gpunp.as_cupy, cupy, cupyx; cupyx.scipy", PYTHONPATH=path)


# ---- the command ---------------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path):
    (tmp_path / "beside.py").write_text("import cupy\nvalue = int(cupy.arange(4).sum())\n")
    path = tmp_path / "program.py"
    path.write_text(
        "import sys, cupy as cp, beside\n"
        "if __name__ == '__main__':\n"
        "    print(sys.argv[1:], beside.value, cp.__name__, __file__.endswith('program.py'))\n"
    )
    return path


def test_command_runs_a_script(script):
    out = run("-m", "gpunp.as_cupy", script, "one", "--two")
    assert out.split("\n")[0] == "['one', '--two'] 6 cupy True"


def test_command_runs_a_module(script):
    path = environment(script.parent)["PYTHONPATH"]
    out = run("-m", "gpunp.as_cupy", "-m", "program", "three", PYTHONPATH=path)
    assert out.split("\n")[0] == "['three'] 6 cupy True"


def test_command_without_a_program_says_how_to_use_it():
    done = subprocess.run(
        [sys.executable, "-m", "gpunp.as_cupy"], env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 1 and "usage:" in done.stderr


# ---- other libraries -----------------------------------------------------------------------------

SCIPY = """
import os; os.environ["SCIPY_ARRAY_API"] = "1"
import gpunp.as_cupy
import cupy as cp, cupyx, numpy as np
import scipy.special, scipy.ndimage, scipy.signal, scipy.fft, scipy.linalg, scipy.stats
from scipy._lib._array_api import array_namespace, is_cupy, scipy_namespace_for

x = cp.linspace(0.1, 2, 8)
xp = array_namespace(x)
assert is_cupy(xp) and is_cupy(cp) and scipy_namespace_for(xp) is cupyx.scipy
for result, wanted in [
    (scipy.special.gammaln(x), scipy.special.gammaln(x.get())),
    (scipy.ndimage.gaussian_filter(x, 1.0), scipy.ndimage.gaussian_filter(x.get(), 1.0)),
    (scipy.signal.medfilt(x, 3), scipy.signal.medfilt(x.get(), 3)),
    (scipy.fft.rfft(x), scipy.fft.rfft(x.get())),
    (scipy.stats.zscore(x), scipy.stats.zscore(x.get())),
]:
    assert type(result) is cp.ndarray, type(result)
    assert np.allclose(result.get(), wanted)
"""


@pytest.mark.filterwarnings("ignore")
def test_scipy_dispatches_to_cupyx():
    run("-W", "ignore", "-c", SCIPY)


NEIGHBOURS = {
    "array_api_compat": """
import array_api_compat as compat
x = cp.arange(4.0)
assert compat.is_cupy_array(x) and compat.is_cupy_namespace(cp)
xp = compat.array_namespace(x)
assert xp.__name__ == "array_api_compat.cupy"
assert abs(float(xp.std(x, correction=1)) - 1.2909944487358056) < 1e-12
assert xp.unique_all(x).counts.get().tolist() == [1] * 4
assert compat.to_device(x, compat.device(x)) is x
""",
    "einops": """
import einops
y = einops.rearrange(cp.arange(6), "(a b) -> b a", a=2)
assert type(y) is cp.ndarray and y.shape == (3, 2)
assert einops.reduce(cp.ones((2, 3)), "a b -> a", "sum").get().tolist() == [3, 3]
""",
    "opt_einsum": """
import numpy, opt_einsum
y = opt_einsum.contract("ij,jk,k->i", cp.ones((2, 3)), cp.ones((3, 4)), cp.ones(4))
assert type(y) is cp.ndarray and y.get().tolist() == [12, 12]
expression = opt_einsum.contract_expression("ij,jk->ik", (2, 2), (2, 2))
assert type(expression(numpy.ones((2, 2)), numpy.eye(2), backend="cupy")) is numpy.ndarray
""",
    "sklearn": """
import os; os.environ["SCIPY_ARRAY_API"] = "1"
import sklearn
from sklearn.utils._array_api import get_namespace
sklearn.set_config(array_api_dispatch=True)
x = cp.asarray(numpy.random.default_rng(0).normal(size=(20, 3)))
assert get_namespace(x)[1]
from sklearn.linear_model import Ridge
ridge = Ridge(solver="svd").fit(x, x[:, 0])
assert type(ridge.predict(x)) is cp.ndarray
""",
    "dask": """
import dask.array as da
x = da.from_array(cp.arange(6.0), chunks=3)
assert type((x + 1).sum().compute()) is cp.ndarray
""",
}


@pytest.mark.parametrize("library", NEIGHBOURS)
def test_other_libraries_take_arrays_for_cupys(library):
    pytest.importorskip(library)
    head = "import gpunp.as_cupy\nimport cupy as cp, numpy\n"
    run("-W", "ignore", "-c", head + NEIGHBOURS[library])
