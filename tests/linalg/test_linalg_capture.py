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
# cuSOLVER's methods for these wait for the device in between.
REFUSED = [("eigh", (140, 140)), *((name, (140, 140)) for name in ("svd", "pinv"))]
CAPTURED = [
    (name, shape)
    for name in CALLS
    for shape in [(6, 6), (3, 6, 6), (140, 140)]
    if (name, shape) not in REFUSED
] + [("eigh", (3, 40, 40)), ("solve", (3, 140, 140)), ("inv", (3, 40, 40))]


def positive(shape, rng):
    a = rng.normal(size=shape)
    return a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1])


@pytest.mark.parametrize("name, shape", CAPTURED, ids=str)
def test_unchecked_calls_are_captured(name, shape, rng):
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


@pytest.mark.parametrize("name, shape", REFUSED, ids=str)
def test_what_has_to_wait_is_refused_and_breaks_nothing(name, shape, rng):
    a = cp.asarray(positive(shape, rng))
    with cp.errstate(linalg="ignore"):
        expected = CALLS[name](a).get()
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            with pytest.raises(cp.cuda.CUDADriverError, match="captured into a graph"):
                CALLS[name](a)
            b = a * 2
            graph = stream.end_capture()
            graph.launch(stream)
            stream.synchronize()
        assert np.array_equal(b.get(), a.get() * 2)
        assert np.array_equal(CALLS[name](a).get(), expected)


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
