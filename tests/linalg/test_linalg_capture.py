"""Linear algebra inside a graph: without looking it can be captured, looking is refused."""

import numpy as np
import pytest

import gpunp as cp

CALLS = {
    "matmul": lambda a: a @ a,
    "einsum": lambda a: cp.einsum("...ij,...jk->...ik", a, a),
    "norm": lambda a: cp.linalg.norm(a, axis=(-2, -1)),
    "cholesky": cp.linalg.cholesky,
    "solve": lambda a: cp.linalg.solve(a, a[..., :3]),
    "inv": cp.linalg.inv,
    "det": cp.linalg.det,
    "qr": lambda a: cp.linalg.qr(a).R,
    "eigh": lambda a: cp.linalg.eigh(a).eigenvalues,
    "svd": lambda a: cp.linalg.svd(a).S,
    "pinv": cp.linalg.pinv,
}
PRODUCTS = ("matmul", "einsum", "norm")


def positive(shape, rng):
    a = rng.normal(size=shape)
    return a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1])


@pytest.mark.parametrize("shape", [(6, 6), (3, 6, 6), (140, 140)], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_unchecked_calls_are_captured(name, shape, rng):
    if name not in PRODUCTS and not cp.cuda.is_emulated():
        pytest.skip("of the emulated device: whether a solver waits is the library's business")
    a = cp.asarray(positive(shape, rng))
    with cp.errstate(linalg="ignore"):
        expected = CALLS[name](a).get()
        stream = cp.cuda.Stream(non_blocking=True)
        cp.cuda.get_current_stream().synchronize()
        with stream:
            stream.begin_capture()
            out = CALLS[name](a)
            graph = stream.end_capture()
            a *= 2  # before the launch: a graph sees what is there then
            a /= 2
            graph.launch(stream)
            stream.synchronize()
    assert np.allclose(out.get(), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.skipif(not cp.cuda.is_emulated(), reason="of the emulated device")
@pytest.mark.parametrize("name", ["cholesky", "solve", "eigh"])
def test_a_check_in_a_capture_is_refused_and_breaks_nothing(name, rng):
    a = cp.asarray(positive((5, 5), rng))
    CALLS[name](a)
    cp.cuda.get_current_stream().synchronize()
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        with pytest.raises(cp.cuda.CUDADriverError, match="captured into a graph"):
            CALLS[name](a)
        stream.end_capture()
        stream.synchronize()
        assert np.isfinite(CALLS[name](a).get()).all()
