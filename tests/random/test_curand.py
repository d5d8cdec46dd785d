"""RandomState on cuRAND's generators."""

import ctypes
import gc
import pickle
import weakref

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import curand

stats = pytest.importorskip("scipy.stats")

PHILOX = curand.CURAND_RNG_PSEUDO_PHILOX4_32_10
XORWOW = curand.CURAND_RNG_PSEUDO_XORWOW
MRG32K3A = curand.CURAND_RNG_PSEUDO_MRG32K3A
TWISTERS = [curand.CURAND_RNG_PSEUDO_MTGP32, curand.CURAND_RNG_PSEUDO_MT19937]
IMITATED = [PHILOX, XORWOW, MRG32K3A]
ALL = [*IMITATED, *TWISTERS]


def state(method=PHILOX, seed=1234):
    try:
        return cp.random.RandomState(seed, method)
    except ImportError:
        pytest.skip("cuRAND is not installed")
    except RuntimeError as error:
        assert "CURAND_STATUS_TYPE_ERROR" in str(error) and method in TWISTERS
        assert "CURAND_RNG_PSEUDO_XORWOW" in str(error)  # what there is instead
        pytest.skip("the emulated library has no Mersenne Twister")


def words(s, n):
    """The next words as they come."""
    return s._bit_generator._words(n).get()


def test_words_of_philox_are_curands():
    # Of cuRAND's own host generator, seed 1234; 65,536 groups later comes the first sequence's next.
    x = words(state(), 4 * 65536 + 4)
    assert x[:8].tolist() == [
        546353992, 3665621163, 1140953199, 3419031310,
        3507855656, 1392278645, 3354607383, 253049307,
    ]  # fmt: skip
    reference = cp.random.Philox4x3210(key=1234, counter=1)
    assert x[-4:].tolist() == reference.random_raw(4).get().tolist()


@pytest.fixture(scope="module")
def installed():
    """Where a toolkit is: the library's host interface makes the same words without a GPU."""
    for name in ("libcurand.so.10", "/usr/local/cuda/lib64/libcurand.so.10"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    pytest.skip("no cuRAND here")


def host_words(library, method, seed, offset, n):
    handle, out = ctypes.c_void_p(), np.zeros(n, np.uint32)
    assert library.curandCreateGeneratorHost(ctypes.byref(handle), method) == 0
    library.curandSetPseudoRandomGeneratorSeed(handle, ctypes.c_ulonglong(seed))
    assert library.curandSetGeneratorOffset(handle, ctypes.c_ulonglong(offset)) == 0
    pointer = out.ctypes.data_as(ctypes.c_void_p)
    assert library.curandGenerate(handle, pointer, ctypes.c_size_t(n)) == 0
    library.curandDestroyGenerator(handle)
    return out


@pytest.mark.parametrize("method", IMITATED)
def test_words_are_those_of_the_installed_library(installed, method):
    parts = (4, 3, 9, 1000, 0, 4096, 84000)
    for seed in (0, 77, 0xDEADBEEF00000005):
        expected = host_words(installed, method, seed, 0, sum(parts))
        s = state(method, seed)
        assert (np.concatenate([words(s, n) for n in parts]) == expected).all()


@pytest.mark.parametrize("method", IMITATED)
@pytest.mark.parametrize("offset", [5, 81919, 10**7 + 3, (1 << 40) + 4095])
def test_offsets_are_those_of_the_installed_library(installed, method, offset):
    s = state(method)
    s._bit_generator._source.set_offset(offset)
    assert (words(s, 200) == host_words(installed, method, 1234, offset, 200)).all()


@pytest.mark.parametrize(
    "method, first, turn, word",
    [
        (XORWOW, (624778773, 3522650202, 2363946744), 4096, 1867875844),
        (MRG32K3A, (3379073520, 653317650, 4012281984), 81920, 2521876100),
    ],
)
def test_words_of_sequences_come_in_turns(method, first, turn, word):
    """Of the library, seed 1234: the first sequences' first words, then the first one's second."""
    x = words(state(method), turn + 1)
    assert tuple(x[:3].tolist()) == first and x[turn] == word


@pytest.mark.parametrize("method", ALL)
def test_distributions_fit(method):
    s = state(method)
    assert stats.kstest(s.rand(20000).get(), "uniform").pvalue > 1e-4
    assert stats.kstest(s.randn(20000, dtype=np.float32).get(), "norm").pvalue > 1e-4
    assert stats.kstest(s.gamma(0.5, size=20000).get(), stats.gamma(0.5).cdf).pvalue > 1e-4
    counts = np.bincount(s.randint(0, 10, 20000).get(), minlength=10)
    assert stats.chisquare(counts).pvalue > 1e-4
    assert abs(float(s.poisson(20, 20000).mean()) - 20) < 0.2


@pytest.mark.parametrize("method", ALL)
def test_seed_begins_anew(method):
    s = state(method, 5)
    x = s.rand(100)
    s.seed(5)
    assert (s.rand(100) == x).all()
    s.seed(6)
    assert (s.rand(100) != x).any()
    s.seed(np.array([1, 2]))
    y = s.rand(5)
    s.seed(np.array([1, 2]))
    assert (s.rand(5) == y).all()


def test_state_goes_back():
    s = state()
    s.rand(7)
    saved = s.get_state()
    x = s.randn(5)
    s.set_state(saved)
    other = pickle.loads(pickle.dumps(s))
    assert (s.randn(5) == x).all() and (other.randn(5) == x).all()


def test_orders_and_rows():
    s = state()
    assert sorted(s.permutation(50).get().tolist()) == list(range(50))
    assert (s.multinomial(30, [0.2, 0.3, 0.5], 100).sum(axis=1) == 30).all()
    assert (np.sort(s.permutation(70000).get()) == np.arange(70000)).all()


def test_streams():
    s, t = state(), state()
    stream = cp.cuda.Stream(non_blocking=True)
    first = s.rand(500)
    with stream:
        second = s.rand(500)
    stream.synchronize()
    assert (first == t.rand(500)).all() and (second == t.rand(500)).all()


def test_what_is_no_generator_is_refused():
    for method in (1, 200, "philox"):
        with pytest.raises(ValueError):
            cp.random.RandomState(1, method)
    default = cp.random.RandomState(1, curand.CURAND_RNG_PSEUDO_DEFAULT)
    assert (default.rand(3) == cp.random.RandomState(1).rand(3)).all()


def test_generators_are_freed():
    """The bit generator and its source of words refer to each other: a cycle that is collected."""
    s = state(XORWOW)
    s.random_sample(10)
    there = weakref.ref(s._bit_generator)
    del s
    gc.collect()
    assert there() is None
