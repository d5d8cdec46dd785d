"""fft.config.set_cufft_callbacks: elements pass through functions of the caller."""

import threading

import numpy as np
import pytest

import gpunp as cp
import gpunp.scipy.fft
from gpunp.fft import config

KINDS = {  # dtype of the elements: cuFFT's letter, type, and how a number is made of one
    "F": ("C", "cufftComplex", "{{x.x * {0}f, x.y * {0}f}}"),
    "D": ("Z", "cufftDoubleComplex", "{{x.x * {0}, x.y * {0}}}"),
    "f": ("R", "cufftReal", "x * {0}f"),
    "d": ("D", "cufftDoubleReal", "x * {0}"),
}


def load(char, factor="2.0", name=None):
    """A load callback that multiplies; `name`, or the pointer that cuFFT's legacy callbacks have."""
    letter, kind, made = KINDS[char]
    size = "unsigned long long" if name else "size_t"
    code = f"""
    __device__ {kind} {name or "times"}(void *data, {size} k, void *info, void *shared)
    {{
        {kind} x = (({kind} *)data)[k];
        return {made.format(factor)};
    }}"""
    return (
        code if name else f"{code}\n__device__ cufftCallbackLoad{letter} d_loadCallbackPtr = times;"
    )


def store(char, factor="3.0"):
    letter, kind, made = KINDS[char]
    return f"""
    __device__ void place(void *data, size_t k, {kind} x, void *info, void *shared)
    {{
        (({kind} *)data)[k] = {made.format(factor)};
    }}
    __device__ cufftCallbackStore{letter} d_storeCallbackPtr = place;"""


CASES = [
    # (function, dtype of the argument, of the input's elements, of the output's, arguments)
    ("fft", "F", "F", "F", {}),
    ("fft", "f", "F", "F", {"axis": 0, "n": 5}),
    ("ifft", "D", "D", "D", {"norm": "ortho"}),
    ("ifft", "D", "D", "D", {"axis": 1}),
    ("rfft", "f", "f", "F", {"axis": 1}),
    ("rfft", "i", "d", "D", {"norm": "forward"}),
    ("irfft", "F", "F", "f", {"n": 5}),
    ("hfft", "D", "D", "d", {}),
    ("ihfft", "d", "d", "D", {"axis": 0}),
    ("fft2", "D", "D", "D", {"axes": (0, 2)}),
    ("ifftn", "F", "F", "F", {"s": (3, 4), "axes": (1, 2)}),
    ("rfftn", "d", "d", "D", {}),
    ("irfftn", "D", "D", "d", {"axes": (2, 0)}),
]


@pytest.mark.parametrize(("name", "given", "first", "last", "arguments"), CASES)
def test_both_callbacks(name, given, first, last, arguments, rng):
    x = rng.normal(size=(4, 3, 6)).astype(given)
    x = x + 1j * rng.normal(size=x.shape).astype(x.real.dtype) if given in "FD" else x
    x = x.astype(given)
    want = 6 * getattr(np.fft, name)(x, **arguments)
    with config.set_cufft_callbacks(cb_load=load(first), cb_store=store(last)):
        got = getattr(cp.fft, name)(cp.asarray(x), **arguments)
    plain = getattr(cp.fft, name)(cp.asarray(x), **arguments)
    assert got.shape == plain.shape and got.dtype == plain.dtype
    np.testing.assert_allclose(got.get(), want, rtol=2e-5, atol=2e-5)
    np.testing.assert_allclose(6 * plain.get(), want, rtol=2e-5, atol=2e-5)


def test_data_and_positions(rng):
    window = cp.asarray(rng.normal(size=8))
    code = """
    __device__ cufftDoubleComplex windowed(void *data, size_t k, void *info, void *)
    {
        cufftDoubleComplex x = ((cufftDoubleComplex *)data)[k];
        double w = ((double *)info)[k % 8];
        return make_double2(x.x * w, x.y * w);
    }
    __device__ cufftCallbackLoadZ d_loadCallbackPtr = windowed;"""
    x = rng.normal(size=(8, 3)) + 0j
    for data in ({"cb_load_aux_arr": window}, {"cb_load_data": window.data}):
        with config.set_cufft_callbacks(cb_load=code, **data):
            got = cp.fft.fft(cp.asarray(x), axis=0)
        np.testing.assert_allclose(got.get(), np.fft.fft(x * window.get()[:, None], axis=0))


def test_jit_callbacks_are_named():
    with config.set_cufft_callbacks(
        cb_load=load("F", "4.0", "quadruple"), cb_load_name="quadruple", cb_ver="jit"
    ):
        assert cp.fft.fft(cp.ones(2, "F")).tolist() == [8, 0]


def test_nesting_threads_and_ends():
    x = cp.ones(2, "F")
    outer = config.set_cufft_callbacks(cb_load=load("F"))
    inner = config.set_cufft_callbacks(cb_store=store("F"))
    seen = []
    assert config.get_current_callback_manager() is None
    with outer as entered:
        assert entered is outer is config.get_current_callback_manager()
        with inner:
            assert cp.fft.fft(x)[0] == 6
            assert config.get_current_callback_manager() is inner
        thread = threading.Thread(target=lambda: seen.append(complex(cp.fft.fft(x)[0])))
        thread.start()
        thread.join()
        assert cp.fft.fft(x)[0] == 4
        assert cp.scipy.fft.fft(x)[0] == 4
        with pytest.raises(ValueError, match="Invalid number"):
            cp.fft.fft(x, n=0)
    assert seen == [2]
    assert cp.fft.fft(x)[0] == 2
    with pytest.raises(ZeroDivisionError), outer:
        raise ZeroDivisionError
    assert cp.fft.fft(x)[0] == 2


def test_results_go_to_out():
    out = cp.empty((3, 4), "D")
    with config.set_cufft_callbacks(cb_store=store("D")):
        assert cp.fft.fft(cp.ones((3, 4)), out=out) is out
        assert cp.fft.fft(cp.ones((0, 4))).shape == (0, 4)
    assert out[:, 0].tolist() == [12, 12, 12]


def test_plans_use_them():
    x = cp.ones(4, "F")
    plan = gpunp.scipy.fft.get_fft_plan(x)
    with config.set_cufft_callbacks(cb_load=load("F")), plan:
        assert gpunp.scipy.fft.fft(x, plan=plan)[0] == 8


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, ValueError, "cb_load, cb_store or both"),
        ({"cb_load": "x", "cb_ver": "other"}, ValueError, "cb_ver must be .*'other'"),
        ({"cb_load": b"lto"}, TypeError, "string of CUDA C"),
        ({"cb_store": "x", "cb_load_data": cp.ndarray}, ValueError, "cb_load is missing"),
        ({"cb_load": "x", "cb_load_data": 3}, TypeError, "must be an array"),
    ],
)
def test_misuse(arguments, error, words):
    with pytest.raises(error, match=words):
        config.set_cufft_callbacks(**arguments)


def test_code_that_does_not_compile():
    with config.set_cufft_callbacks(cb_load="no code"), pytest.raises(cp.cuda.CompileException):
        cp.fft.fft(cp.ones(2, "F"))
    assert cp.fft.fft(cp.ones(2, "F"))[0] == 2
