"""The array API standard, 2025.12: names, signatures, and values where NumPy's are others."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import gpunp as cp

LINES = [
    line
    for line in (Path(__file__).parent / "array_api_2025_12.txt").read_text().splitlines()
    if not line.startswith("#")
]
INF, NAN = np.inf, np.nan


def found(path):
    value = cp
    for name in path.split("."):
        value = getattr(value, name)
    return value


def required(line):
    """The parameters of a signature by kind."""
    namespace = {}
    exec(f"def f({line.partition('(')[2]}: pass", namespace)
    return list(inspect.signature(namespace["f"]).parameters.values())


@pytest.mark.null
def test_names_and_signatures():
    wrong = []
    for line in LINES:
        path, is_function, _ = line.partition("(")
        value = found(path)
        if not is_function or path.startswith("ndarray."):
            continue
        parameters = required(line)
        positional = [p for p in parameters if p.kind < p.VAR_POSITIONAL]
        named = {p.name: 1 for p in parameters if p.kind is p.KEYWORD_ONLY}
        either = {p.name: 1 for p in positional if p.kind is p.POSITIONAL_OR_KEYWORD}
        signature = inspect.signature(value)
        for args, kwargs in (
            ([1] * len([p for p in positional if p.default is p.empty]), {}),
            ([1] * len(positional), named),
            ([1] * (len(positional) - len(either)), {**either, **named}),
        ):
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                wrong.append(f"{line}: {error}")
    assert len(LINES) > 200 and not wrong, wrong


@pytest.mark.parametrize("k", [2**70, -(2**70), 2**63 - 1, -(2**63)])
def test_diagonals_beyond_all_arrays(k):
    x = cp.ones((2, 3))
    assert not cp.eye(2, 3, k=k).any()
    assert bool(cp.tril(x, k=k).all()) == (k > 0)
    assert bool(cp.triu(x, k=k).all()) == (k < 0)


EXPM1 = {  # the special cases of the standard
    complex(0, 0): complex(0, 0),
    complex(-0.0, 0): complex(-0.0, 0),
    complex(1, INF): complex(NAN, NAN),
    complex(1, NAN): complex(NAN, NAN),
    complex(INF, 0): complex(INF, 0),
    complex(-INF, 1): complex(-1, 0),
    complex(-INF, -1): complex(-1, -0.0),
    complex(INF, 1): complex(INF, INF),
    complex(INF, -3): complex(-INF, -INF),
    complex(-INF, INF): complex(-1, 0),
    complex(INF, INF): complex(INF, NAN),
    complex(-INF, NAN): complex(-1, 0),
    complex(INF, NAN): complex(INF, NAN),
    complex(NAN, 0): complex(NAN, 0),
    complex(NAN, 1): complex(NAN, NAN),
    complex(NAN, NAN): complex(NAN, NAN),
}


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_expm1(dtype):
    got = cp.expm1(cp.asarray(np.array(list(EXPM1), dtype))).get()
    np.testing.assert_array_equal(got, np.array(list(EXPM1.values()), dtype))


def test_frequencies_have_a_dtype_and_a_device():
    x = cp.ones(3, "f4")
    for function in ("fftfreq", "rfftfreq"):
        got = getattr(cp.fft, function)(5, d=2.0, dtype=cp.float32, device=x.device)
        assert got.dtype == "f4"
        np.testing.assert_allclose(got.get(), getattr(np.fft, function)(5, 2.0), rtol=1e-7)
        with pytest.raises(ValueError, match="floating"):
            getattr(cp.fft, function)(5, dtype="i4")


def test_what_the_namespace_says_of_itself():
    info = cp.ones(1).__array_namespace__(api_version="2025.12").__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert all(cp.ones(2, device=d).device == d for d in info.devices())
    assert set(info.capabilities()) == {
        "boolean indexing",
        "data-dependent shapes",
        "max dimensions",
    }


def test_copies_to_the_host():
    x = cp.arange(3.0)
    for copy in (None, True):
        y = np.from_dlpack(x, device="cpu", copy=copy)
        assert type(y) is np.ndarray and y.tolist() == [0, 1, 2]
    with pytest.raises(BufferError):
        np.from_dlpack(x, device="cpu", copy=False)


def test_repeat_of_nothing():
    assert cp.repeat(cp.empty((0, 3)), 4, axis=0).shape == (0, 3)
    assert cp.repeat(cp.empty((0, 3)), cp.empty(0, int), axis=0).shape == (0, 3)
    assert cp.repeat(cp.empty((2, 0)), cp.asarray([1, 2]), axis=0).shape == (3, 0)


def test_eigenvalues_are_complex():
    for x in (cp.eye(3), cp.eye(3, dtype="f4"), cp.eye(3) * 1j):
        values, vectors = cp.linalg.eig(x)
        assert values.dtype == vectors.dtype == cp.linalg.eigvals(x).dtype
        assert values.dtype.kind == "c"


def test_array_api_compat():
    compat = pytest.importorskip("array_api_compat")
    x = cp.arange(6.0).reshape(2, 3)
    assert compat.array_namespace(x, 1.0) is cp
    assert compat.is_array_api_obj(x) and not compat.is_numpy_array(x)
    assert compat.device(x) == x.device and compat.size(x) == 6
    assert compat.to_device(x, compat.device(x)).device == x.device


def test_array_api_extra():
    xpx = pytest.importorskip("array_api_extra")
    x = cp.arange(6.0).reshape(2, 3)
    host = x.get()
    for got, want in (
        (xpx.at(x)[0, 0].set(9.0, copy=True), np.array([[9.0, 1, 2], [3, 4, 5]])),
        (xpx.cov(x), np.cov(host)),
        (xpx.pad(x, 1), np.pad(host, 1)),
        (xpx.create_diagonal(x[0]), np.diag(host[0])),
        (xpx.apply_where(x > 1, x, lambda a: a * 2, fill_value=0), np.where(host > 1, host * 2, 0)),
        (xpx.isin(x, x[0]), np.isin(host, host[0])),
        (xpx.one_hot(cp.arange(3), 4), np.eye(3, 4)),
        (xpx.setdiff1d(x, x[0]), [3, 4, 5]),
    ):
        assert isinstance(got, cp.ndarray)
        np.testing.assert_allclose(got.get(), want)
