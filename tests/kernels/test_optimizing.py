"""`gpunp.optimizing`: block sizes of elementwise kernels, found by measuring."""

import json
import threading

import numpy as np
import pytest

import gpunp as cp
from gpunp.optimizing import optimize

SHOWN = cp.ElementwiseKernel("T x", "T y", "y = x * 2 + 0 * blockDim.x", "doubled")
THREADS = cp.ElementwiseKernel("T x", "int32 n", "n = blockDim.x", "threads")
WEIGHED = cp.ElementwiseKernel("T x, T w", "T y", "y = x * w", "weighed")


def saved(path):
    return json.loads(path.read_text())["block sizes"]


@pytest.fixture
def path(tmp_path):
    """A file that says: 64 threads for THREADS of eight numbers."""
    path = tmp_path / "sizes.json"
    with optimize(key=path, path=path, max_trials=1):
        THREADS(cp.zeros(8))
    (name,) = saved(path)
    path.write_text(json.dumps({"block sizes": {name: 64}}))
    return path


def test_results_are_the_same_and_a_size_is_found(tmp_path):
    path = tmp_path / "sizes.json"
    x = cp.arange(1000.0)
    with optimize(key="values", path=path, max_trials=3):
        for _ in range(3):
            assert (SHOWN(x) == 2 * x).all()
            np.testing.assert_array_equal(WEIGHED(x, 3.0).get(), 3 * x.get())
            np.testing.assert_array_equal(SHOWN(x[::2]).get(), 2 * x.get()[::2])
    sizes = saved(path)
    assert len(sizes) == 3 and set(sizes.values()) <= {0, 64, 128}


def test_sizes_are_read_from_a_file_and_used(path):
    with optimize(key="file", path=path, readonly=True):
        assert (THREADS(cp.zeros(8)) == 64).all()
        assert (THREADS(cp.zeros(9)) == 128).all()  # unknown, and not measured
        assert (THREADS(cp.zeros(8), block_size=32) == 32).all()
        others = []
        thread = threading.Thread(target=lambda: others.append(THREADS(cp.zeros(8)).get()))
        thread.start()
        thread.join()
        assert (others[0] == 128).all()  # the block is this thread's
    assert (THREADS(cp.zeros(8)) == 128).all()
    assert list(saved(path).values()) == [64]


def test_blocks_of_one_key_share_what_they_find(path):
    with optimize(key="shared", path=path, readonly=True):
        pass
    with optimize(key="shared", readonly=True):
        assert (THREADS(cp.zeros(8)) == 64).all()
        with optimize(key="another", readonly=True):
            assert (THREADS(cp.zeros(8)) == 128).all()


def test_calls_that_cannot_be_repeated_are_not(tmp_path):
    path = tmp_path / "sizes.json"
    count = cp.ElementwiseKernel("raw T x", "", "x[i] += 1", "count")
    more = cp.ElementwiseKernel("T x", "T y", "y += x", "more")
    x, y = cp.zeros(5), cp.zeros(5)
    stream = cp.cuda.Stream(non_blocking=True)
    with optimize(key="once", path=path):
        count(x, size=5)
        more(cp.ones(5), y)
        with stream:
            stream.begin_capture()
            z = WEIGHED(x, 1.0)
            stream.end_capture().launch(stream)
        stream.synchronize()
    assert (x == 1).all() and (y == 1).all() and (z == x).all()
    assert saved(path) == {}


def test_errors_are_those_of_the_kernel(tmp_path):
    with optimize(), pytest.raises(TypeError, match="wrong number of arguments"):
        WEIGHED(1)
    with optimize(), pytest.raises(ValueError, match="broadcast"):
        WEIGHED(cp.ones(3), cp.ones(4))
    with pytest.raises(TypeError, match="unknown limits"), optimize(trials=3):
        pass
    broken = tmp_path / "broken"
    broken.write_text('{"block sizes": {"x": 3000}}')
    with pytest.raises(ValueError, match="does not hold block sizes"), optimize(path=broken):
        pass
