"""Exceptions of the classes that NumPy and SciPy raise, for what hostile calls found; and the rules
by which two classes count as one."""

import numpy as np
import pytest
import refusals
import values
import worker
from check import check

import gpunp as cp

FOUND = [
    "xp.ones((2, 3)).sum(axis=True)",
    "xp.ones((2, 3)).cumsum(axis=np.True_)",
    "xp.multiply.reduce(xp.ones((2, 3)), True)",
    "xp.add.accumulate(xp.ones((2, 3)), True)",
    "xp.take(xp.ones((2, 3)), xp.zeros(1, int), axis=True)",
    "xp.repeat(xp.ones((2, 3)), 2, axis=True)",
    "xp.ones((2, 3)).argsort(axis=True)",
    "xp.argpartition(xp.ones((2, 3)), 1, axis=True)",
    "xp.concatenate([xp.ones((2, 3))] * 2, axis=True)",
    "xp.packbits(xp.ones((2, 3), bool), axis=True)",
    "xp.tensordot(xp.ones((2, 3)), xp.ones(3))",
    "xp.tensordot(xp.ones(3), xp.ones(3))",
    "xp.tensordot(xp.ones((2, 3)), xp.ones((3, 4)), ([0], [7]))",
    "xp.blackman('a')",
    "xp.hanning(xp.zeros((), 'i1,c16'))",
    "xp.arange('\\ud800')",
    "xp.arange(xp.zeros(4, 'V16'))",
    "xp.diag_indices(np.str_('a'))",
    "xp.fft.fftshift(xp.ones((2, 2)), slice(None, None, 0))",
    "xp.fft.fftshift(xp.ones((2, 2)), 1.5)",
    "xp.quantile(xp.ones(3), 2**64)",
    "xp.random.dirichlet(np.array(['a']))",
    "xp.random.randint(np.zeros(2, 'M8[s]'))",
    "xp.random.default_rng(1).integers(np.zeros(2, 'M8[s]'), 5)",
    "xp.random.default_rng(1).standard_exponential(out=xp.ones((3, 3), 'f4,f4').T)",
    "xp.piecewise(xp.ones(3), xp.ones((2, 2), bool), [1, 2])",
    "sp.linalg.hadamard(np.complex64(1 + 1j))",
    "sp.linalg.hadamard(1e308)",
    "sp.linalg.helmert(False)",
    "sp.interpolate.lagrange(xp.ones(3), 1.5)",
    "sp.optimize.rosen(xp.zeros((), 'i1,c16'))",
    "sp.stats.binomtest(xp.ones((3, 3), 'D'), 3)",
    "sp.stats.binned_statistic_dd((), xp.ones((2, 2), 'H'))",
    "sp.stats.cramervonmises(xp.ones(3), 'a')",
    "sp.stats.kstest(xp.ones(3), '')",
    "sp.stats.gstd(xp.ones((2, 2)), (0, 0))",
    "xp.lib.stride_tricks.sliding_window_view(xp.array(5), -3.7)",
    "xp.random.default_rng(1).binomial(-2**64, 0.5)",
    "xp.random.default_rng(1).binomial(np.uint64(2**64-1), 0.5)",
    "xp.random.default_rng(1).binomial(float('inf'), 0.5)",
    "xp.random.hypergeometric(float('inf'), 5, 3)",
    "xp.random.default_rng(1).hypergeometric(xp.ones(3, 'B'), -2**64, 3)",
    "xp.random.RandomState(1).multinomial(2**64, [0.5, 0.5])",
    "xp.random.bytes(1e30)",
    "xp.random.bytes(float('nan'))",
    "xp.random.RandomState(1).choice(np.timedelta64(5, 's'))",
    "xp.random.default_rng(1).choice(None)",
    "xp.random.multivariate_normal(1j, xp.eye(3))",
    "xp.ones((2, 3)).put(2**63, 5)",
    "sp.signal.peak_widths(xp.ones(3), 2**63)",
    "sp.signal.peak_prominences(xp.arange(6), xp.ones((1, 4), 'L'))",
    "xp.ones(5).partition(xp.ones((2, 3)))",
    "sp.linalg.hadamard(float('inf'))",
    "sp.integrate.newton_cotes(2**64+16)",
    "sp.integrate.newton_cotes(-2**64)",
    "sp.linalg.qr_multiply(xp.eye(3), 5.0)",
    "sp.ndimage.percentile_filter(xp.arange(6), float('nan'), 3)",
    "sp.sparse.random_array(float('inf'))",
    "sp.interpolate.lagrange(xp.ones(3), None)",
    "sp.linalg.hadamard(-float('inf'))",
    "sp.special.lqn(-float('inf'), xp.ones(3))",
    "sp.special.lambertw(xp.ones(3), float('inf'))",
    "sp.ndimage.uniform_filter1d(xp.ones((2, 3), 'I'), 3, -2**63)",
    "sp.ndimage.sobel(xp.ones((2, 3)), 2**64)",
    "sp.ndimage.spline_filter1d(xp.ones((2, 3)), 3, 2**64)",
    "sp.ndimage.fourier_gaussian(xp.ones((2, 3)), 3, 2, 2**64)",
    "sp.stats.hmean(xp.ones((2, 3)), float('inf'))",
    "sp.stats.gmean(xp.ones((2, 3)), 1.5)",
    "sp.stats.gmean(xp.ones((2, 3)), 1.0)",
    "sp.stats.binned_statistic_dd(2.5, xp.ones((2, 3)))",
    "sp.stats.yeojohnson(5e-324)",
    "sp.stats.boxcox_normmax(xp.array([3.0]))",
    "sp.stats.ppcc_max(xp.array([3.0]))",
    "xp.ravel_multi_index(xp.array([[1], [2]]), (3, 4), order=5)",
    "xp.unravel_index(xp.array([1]), (3, 4), order=['C'])",
    "xp.unravel_index(xp.array([1]), (3, 4), order='X')",
    "xp.array(xp.ones(3), ndmin=65)",
    "xp.array(readonly(xp, 3), ndmin=2**31-1)",
    "xp.lib.stride_tricks.sliding_window_view(xp.arange(5.0), 'abc'*100)",
    "xp.random.RandomState(1).randint(0, 10, dtype=np.timedelta64(1))",
    "xp.random.default_rng(1).integers(0, 10, dtype=np.timedelta64(1))",
    "sp.signal.medfilt(xp.ones(8), range(3))",
    "sp.signal.medfilt(xp.ones(8), (0, 1))",
    "sp.signal.medfilt(xp.ones(8), bytearray(4))",
    "sp.signal.medfilt(xp.ones(8), (3, 2))",
    "sp.signal.stft(xp.ones(16), nperseg=8, nfft=-float('inf'))",
    "sp.signal.istft(xp.ones((5, 4)), nperseg=8, nfft=-float('inf'))",
    "sp.signal.max_len_seq(2**64+16, length=5)",
    "sp.linalg.eig_banded(xp.ones((2, 4)), select='i', select_range=str)",
    "sp.fft.fhtoffset(False, frozenset({1}))",
    "sp.fft.fhtoffset(False, 0.5)",
    "sp.special.multigammaln(3.0, memoryview(b'abcd'))",
    "sp.linalg.svd(xp.ones((2, 3)), lapack_driver=xp.ones(2))",
    "sp.stats.gamma.expect(lambda x: x, xp.zeros(1100))",
    "sp.stats.random_table.rvs([2, 3], np.zeros(2, 'M8[s]'))",
    "sp.stats.random_table.pmf(xp.ones((2, 2)), np.zeros(2, 'M8[s]'), [1, 4])",
    "xp.diag_indices(np.zeros(2, 'M8[s]'))",
    "xp.histogramdd('')",
    "xp.histogram2d(xp.ones(3), xp.ones((3, 3), 'F'), weights=xp.ones(3))",
    "xp.permute_dims(xp.ones((2, 2, 2)), b'ab')",
    "xp.linalg.pinv(xp.array(['NaT'], 'M8[s]'))",
    "sp.special.sph_legendre_p(0, 0, xp.zeros((1,)*64))",
    "sp.optimize.newton_krylov(lambda x: x - 1, [0.0], method=Text('x'))",
]


ACCEPTED = [
    "xp.ravel_multi_index([[1], [2]], (3, 4), order=None)",
    "xp.take(xp.arange(5), 3, mode=None)",
    "xp.arange(5).take([1, 2], mode=None)",
    "xp.choose(xp.array([0, 1, 0]), [10, 20], mode=None)",
    "xp.ravel_multi_index([[1], [2]], (3, 4), mode=None)",
    "xp.lib.stride_tricks.sliding_window_view(xp.arange(5), xp.array([3]))",
    "xp.asarray('d' in xp.zeros(3))",
    "sp.optimize.anderson(lambda x: x * x + x - 1, [0.0, 0.3], M=0.25, f_tol=1e-8)",
    "sp.optimize.anderson(lambda x: x * x + x - 1, [0.0, 0.3], M=float('nan'), f_tol=1e-8)",
    "xp.mintypecode('d', xp.zeros(4)) and xp.zeros(1)",
    "sp.special.lambertw(xp.ones(3), [0, 1, -1])",
    "sp.signal.savgol_filter(xp.arange(8.0), 5, 2, delta=0.0)",
    "sp.special.lambertw(xp.ones(3), xp.ones(3))",
    "xp.zeros(b'\\1\\2')",
    "xp.ones((1, 2)).transpose(b'\\1\\0')",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", ACCEPTED)
def test_what_the_reference_accepts_is_accepted(text):
    ours, theirs = (eval(text, values.namespace(xp)) for xp in (cp, np))
    assert cp.allclose(ours, cp.asarray(theirs), rtol=1e-12)


def test_bytes_of_floats_and_of_negative_lengths():
    rng = cp.random.default_rng(1)
    assert [len(rng.bytes(n)) for n in (2.5, -1, -1.5, cp.array(3))] == [2, 0, 0, 3]


@pytest.mark.parametrize("rows", ["Array(np.zeros(3))", "Vanishing([1, 2, 3])", "xp.zeros(3)"])
def test_derivatives_that_are_no_rows(rows):
    """Releases of SciPy refuse them in different places."""
    text = f"sp.interpolate.BPoly.from_derivatives(xp.arange(3.0), {rows})"
    assert isinstance(worker.called(text, cp), ValueError)


@pytest.mark.parametrize("text", FOUND)
def test_the_class_is_the_reference_s(text):
    ours, theirs = worker.called(text, cp), worker.called(text, np)
    assert ours is not None and theirs is not None, (ours, theirs)
    assert worker.same_class(ours, theirs), (ours, theirs)


@pytest.mark.parametrize("conditions", [True, [True, False], [[True, False, True]] * 2])
@pytest.mark.parametrize("functions", [[1], [1, 2], [lambda v: v * 2, 5]])
def test_piecewise_takes_conditions_of_leading_axes(conditions, functions):
    check(
        lambda xp: xp.piecewise(xp.arange(6.0).reshape(2, 3), [xp.asarray(conditions)], functions)
    )


@pytest.mark.parametrize(
    "text",
    [
        "sp.signal.butter(2, 0.5, output=xp.ones(3))",
        "sp.signal.cheby1(2, 1.0, 0.5, btype=[None])",
        "sp.signal.iircomb(0.5, 30.0, xp.ones(3))",
        "sp.optimize.root_scalar(len, x0=0.0, x1=3.0, method=5)",
    ],
)
def test_names_that_are_none(text):
    """SciPy asks them for their lower case."""
    assert isinstance(worker.called(text, np), AttributeError)
    with pytest.raises(ValueError, match="must be a name"):
        eval(text, values.namespace(cp))


def test_names_of_images_that_are_linked():
    with pytest.raises(TypeError, match="name must be a str"):
        cp.cuda.driver.linkAddData(0, 1, b"", [1.5, None])


def test_hadamard_of_a_float():
    assert (cp.scipy.linalg.hadamard(4.0) == cp.scipy.linalg.hadamard(4)).all()


@pytest.mark.parametrize(
    ("ours", "theirs", "alike"),
    [
        (TypeError("x must be of real numbers, not of |V5"), ValueError("need 2 points"), True),
        (ValueError("x must be 1-D, not ()"), TypeError("len() of unsized object"), True),
        (IndexError("tuple index out of range"), TypeError("len() of unsized object"), False),
        (AttributeError("no 'x'"), TypeError("Cannot cast array data from a to b"), False),
        (ValueError("x is too short"), TypeError("x must be a list"), False),
        (MemoryError("out of memory"), ValueError("Maximum allowed dimension exceeded"), True),
        (ValueError("Maximum allowed dimension exceeded"), MemoryError(), True),
        (MemoryError("out of memory"), ValueError("n must be odd"), False),
        (ValueError("k is too large"), OverflowError("signed integer is less than minimum"), True),
        (TypeError("an integer is required"), ZeroDivisionError("division by zero"), True),
        (ValueError("x must be finite"), ZeroDivisionError("no points"), False),
        (ValueError("n must be odd"), MemoryError(), False),
        (ValueError("Domain error"), TypeError("loop of ufunc does not support argument 0"), True),
        (TypeError("w must be of one axis, not a number"), KeyError(0), True),
        (KeyError("a"), ValueError("x must be 1-D"), False),
    ],
)
def test_rules(ours, theirs, alike):
    assert refusals.are_alike("sp.stats.f", ours, theirs) is alike
    assert not refusals.are_alike("xp.f", ours, theirs)


def test_classes_of_objects_that_are_arrays_here_alone_are_not_compared():
    errors = ValueError("x must be 1-D"), TypeError("not supported")
    for argument, is_found in (("Interface(shape=(2,))", False), ("xp.ones((2, 2))", True)):
        assert (worker.judge(f"xp.trace({argument})", *errors) is not None) is is_found
    assert worker.judge("xp.trace(Interface())", SystemError(), errors[1])[0] == "SystemError"


def test_exceptions_whose_text_cannot_be_shown():
    """A KeyError shows its key, which may raise."""
    errors = KeyError(values.BadRepr()), TypeError(values.BadRepr())
    kind, detail = worker.judge("xp.trace(BadRepr())", *errors)
    assert kind == "class" and "instead of a text" in detail
    assert worker.judge("sp.stats.f(BadRepr())", *errors)[0] == "class"


@pytest.mark.parametrize(
    "out", ["xp.zeros(())", "xp.array(5)", "xp.array(True)", "xp.ones((), 'q')"]
)
def test_running_sums_into_no_axes_are_ours_alone(out):
    """NumPy writes beyond such an array."""
    for text in (
        "xp.linspace(0, 1, 5).cumsum(out={})",
        "xp.add.accumulate(xp.ones(3), 0, None, {})",
    ):
        assert not worker.is_portable(text.format(out))
        assert isinstance(worker.called(text.format(out), cp), (ValueError, TypeError))
        assert worker.is_portable(text.format("xp.zeros(5)"))
