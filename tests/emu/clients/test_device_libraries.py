"""Kernels over CUB, Thrust, cooperative groups, libcu++ and cuRAND's device functions, compiled by nvcc,
against NumPy; the words and numbers of cuRAND are an H200's."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

HERE = Path(__file__).parent
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

pytestmark = [
    pytest.mark.null,
    pytest.mark.slow,
    pytest.mark.skipif(not Path(NVCC).exists(), reason="no nvcc here"),
]

A = np.random.default_rng(0).integers(0, 1000, 512).astype("i4")
BYTES = (A % 256).astype("u1")
REALS = np.random.default_rng(1).standard_normal(512).astype("f4")
SORTED = np.sort(A % 20)
S = A[:128]
W = S.reshape(4, 32)
I = np.arange(128)
SMALL = (S.astype("f4") - 500) * np.float32(0.02)


def warps(o):
    """A warp's sums, maxima, sums of eight, and scan."""
    assert (o[:128].reshape(4, 32) == np.cumsum(W, 1) - W).all()
    assert (o[128:132] == W.sum(1)).all() and (o[132:136] == W.max(1)).all()
    assert (o[136:152] == S.reshape(16, 8).sum(1)).all()


def groups(o):
    """Reductions and scans of tiles, of every third thread, of threads with equal labels."""
    eight, same = S.reshape(16, 8), I[:, None] // 32 == I // 32
    assert (o[:128].reshape(4, 32) == W.sum(1)[:, None]).all()
    assert (o[128:256].reshape(16, 8) == np.cumsum(eight, 1)).all()
    assert (o[256:384].reshape(16, 8) == eight.max(1)[:, None]).all()
    third = same & (I % 3 == 0)
    assert (o[384:512] == (third * S).sum(1) * 100 + third.sum(1))[I % 3 == 0].all()
    assert (o[512:640] == (same & (S[:, None] & 3 == S & 3)).sum(1)).all()
    assert (o[640:768] == (same & (S[:, None] & 1 == S & 1)).sum(1)).all()


def complexes(o):
    z = S * np.float32(0.01) + 0.5j
    want = np.exp(z) * np.sqrt(z) / (1 + 2j) + z**2 + np.log(z) + np.sin(z) + np.tanh(z)
    np.testing.assert_allclose(o[:256:2] + 1j * o[1:256:2], want, rtol=1e-4)


def spans(o):
    v = S.reshape(16, 8)
    zeros = 32 - np.vectorize(int.bit_length)(v.astype(object)).astype("i4")
    assert (v + np.bitwise_count(v) + zeros == o[:128].reshape(8, 16).T).all()


def small(o):
    x = SMALL * np.float32(0.1)
    names = ("float8_e4m3fn", "float8_e5m2", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")
    for k, name in enumerate(names):
        rounded = x.astype(getattr(ml_dtypes, name)).astype("f4")
        np.testing.assert_array_equal(o[128 * k : 128 * k + 128], rounded)


def equal(part, *wanted):
    """A check that the start of the output, in parts of `part` words, is what was wanted."""

    def check(o):
        for k, want in enumerate(wanted):
            np.testing.assert_array_equal(o[k * part : k * part + np.size(want)], want)

    return check


RUNS = np.repeat(S, I % 3 + 1)
# kernel: (input, check of 1,024 words of output, type of them)
CASES = {
    "reduce3": (A, equal(1, S.sum(), S.sum(), S.sum()), "i4"),
    "scan3": (A, equal(128, *3 * [np.cumsum(S)]), "i4"),
    "radix": (A, equal(512, np.sort(A), np.argsort(A, kind="stable")), "i4"),
    "radixf": (REALS, equal(512, np.sort(REALS)[::-1]), "f4"),
    "merge": (A, equal(512, np.sort(A)), "i4"),
    "wmerge": (A, equal(512, np.sort(A.reshape(4, 128)).ravel()), "i4"),
    "histo": (BYTES, equal(256, *2 * [np.bincount(BYTES, minlength=256)]), "i4"),
    "exchange": (A, equal(512, A), "i4"),
    "loadstore": (A, equal(512, np.r_[A[:500], 12 * [-7]]), "i4"),
    "discont": (SORTED, equal(512, np.r_[1, SORTED[1:] != SORTED[:-1]]), "i4"),
    "adj": (A, equal(512, np.r_[A[0], np.diff(A)]), "i4"),
    "shufflek": (A, equal(128, np.roll(S, -5)), "i4"),
    "rle": (A, equal(512, RUNS, RUNS.size), "i4"),
    "warps": (A, warps, "i4"),
    "wexch": (A, equal(512, A), "i4"),
    "groups": (A, groups, "i4"),
    "memcpyasync": (A, equal(128, A[511 - I]), "i4"),
    "barrier": (A, equal(128, A[511 - I]), "i4"),
    "pipek": (A, equal(128, A.reshape(4, 128).sum(0)[::-1]), "i4"),
    "pipet": (A, equal(128, S[::-1]), "i4"),
    "sema": (None, equal(129, np.full(129, 127 * 64)), "i4"),
    "complexes": (S.astype("f4"), complexes, "f4"),
    "spans": (A, spans, "i4"),
    "small": (SMALL, small, "f4"),
    "targets": (None, equal(1, 90), "i4"),
}
GENERATORS = {  # MD5 of the words, and of the numbers made from them
    "rnd_xorwow": ("ef927dfe", "43e2e7b8"),
    "rnd_mrg": ("af868a9e", "ba0a26d1"),
    "rnd_philox": ("a1732cd9", "f52800a2"),
}


@pytest.fixture(scope="session")
def image(tmp_path_factory):
    out = tmp_path_factory.mktemp("libraries") / "libraries.ptx"
    source = HERE / "device_libraries.cu"
    command = [NVCC, "-std=c++17", "-arch=compute_90", "-ptx", str(source), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 and "No such file" in done.stderr:
        pytest.skip("the toolkit's headers are not here")
    assert done.returncode == 0, done.stderr[-3000:]
    return out


def run_all(image):
    """In a process with exact approximations: every case, then what each generator gave."""
    import gpunp as cp

    module = cp.RawModule(path=image)
    for name, (source, check, dtype) in CASES.items():
        start = -1 if name not in ("sema", "complexes") else 0
        out = cp.full(1024, start, dtype)
        args = (out,) if source is None else (cp.asarray(source), out)
        module.get_function(name)((1,), (128,), args)
        check(out.get())
        print("passed", name)
    numbers, doubles = cp.zeros(8, "i4"), cp.zeros(2)
    module.get_function("atomics")((1,), (128,), (numbers, doubles, cp.zeros(4)))
    assert numbers.get()[:5].tolist() == [256, 127, 128, 384, 512] and doubles.get()[0] == 64
    values, out = cp.asarray(A[:64]), cp.zeros(65, "i4")
    module.get_function("thr")((1,), (32,), (values, out))
    assert (values.get() == np.sort(A[:64])).all() and out.get()[0] == A[:64].sum()
    assert (out.get()[1:] == np.cumsum(np.sort(A[:64]))).all()
    for name, wanted in GENERATORS.items():
        words, floats = cp.zeros(1024, "u4"), cp.zeros(4096, "f4")
        module.get_function(name)((1,), (128,), (words, floats))
        sums = [hashlib.md5(x.get().tobytes()).hexdigest()[:8] for x in (words, floats)]
        assert tuple(sums) == wanted, name
        print("passed", name)


def test_device_libraries(image):
    import test_clients

    settings = {"GPUNP_DEVICE": "emulated", "GPUNP_EMU_EXACT": "1"}
    out = test_clients.run([sys.executable, __file__, str(image)], **settings)
    assert out.count("passed") == len(CASES) + len(GENERATORS)


if __name__ == "__main__":
    run_all(sys.argv[1])
