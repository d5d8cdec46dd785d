"""Functions of images and signals in a captured stream: nothing is read back, and replays agree.

Also the memory that they take beyond their results, as the pool counts it.
"""

import warnings

import numpy as np
import pytest
import scipy.signal

import gpunp as cp
from gpunp.scipy import ndimage, signal

rng = np.random.default_rng(1)
IMAGE = rng.normal(size=(40, 50)).astype("f")
LARGE = rng.normal(size=(140, 150))
LINE = rng.normal(size=2000).astype("f")
MASK = IMAGE > -0.5
LABELS = rng.integers(0, 5, IMAGE.shape)
SOS, (B, A) = scipy.signal.butter(4, 0.2, output="sos"), scipy.signal.butter(3, 0.2)
FOOT = np.array([[0, 1, 1], [1, 1, 0]], bool)
TURN = np.array([[0.9, 0.1], [-0.1, 0.9]])
AT = np.arange(5)


def moved(at):
    return at[0] + 0.5, at[1] - 0.5


def second(window):
    return window[1]


def curvature(a, axis, output, mode, cval):
    return ndimage.correlate1d(a, [1, -2, 1], axis, output, mode, cval)


# Name and arguments of each call; arrays of more than a few numbers go to the device.
FILTERS = [
    *((name, IMAGE, 2.0) for name in (
        "gaussian_filter", "gaussian_filter1d", "gaussian_laplace", "gaussian_gradient_magnitude",
    )),
    *((name, IMAGE) for name in ("laplace", "sobel", "prewitt")),
    *((name, IMAGE, 5) for name in (
        "uniform_filter", "uniform_filter1d", "minimum_filter", "maximum_filter", "median_filter",
        "minimum_filter1d", "maximum_filter1d", "grey_erosion", "grey_dilation", "grey_opening",
        "grey_closing", "morphological_gradient", "morphological_laplace", "white_tophat",
        "black_tophat",
    )),
    ("median_filter", IMAGE, 11), ("maximum_filter", IMAGE, None, FOOT),
    ("rank_filter", IMAGE, 3, 3), ("percentile_filter", IMAGE, 30, 3),
    ("correlate", IMAGE, np.ones((3, 4))), ("convolve", IMAGE, np.ones((3, 4))),
    ("correlate1d", IMAGE, [1.0, 2, 3]), ("convolve1d", IMAGE, [1.0, 2, 3]),
    ("generic_filter", IMAGE, second, 3), ("generic_laplace", IMAGE, curvature),
    ("generic_gradient_magnitude", IMAGE, ndimage.sobel),
]  # fmt: skip
MORPHOLOGY = [
    *((f"binary_{name}", MASK) for name in (
        "erosion", "dilation", "opening", "closing", "fill_holes", "hit_or_miss", "propagation",
    )),
    ("binary_dilation", MASK, None, 3), ("binary_erosion", MASK, None, 2, MASK),
    *((f"distance_transform_{name}", MASK) for name in ("edt", "cdt", "bf")),
    ("distance_transform_edt", MASK, None, True, True),
]  # fmt: skip
MEASUREMENTS = [
    *((name, IMAGE, LABELS, AT) for name in (
        "sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "median",
        "minimum_position", "maximum_position", "extrema", "center_of_mass",
    )),
    ("histogram", IMAGE, -1, 1, 5, LABELS, AT), ("extrema", IMAGE), ("center_of_mass", IMAGE),
]  # fmt: skip
INTERPOLATION = [
    ("map_coordinates", IMAGE, np.ones((2, 700))), ("affine_transform", IMAGE, TURN),
    ("rotate", IMAGE, 30), ("shift", IMAGE, 1.5), ("zoom", IMAGE, 1.5), ("spline_filter", IMAGE),
    ("geometric_transform", IMAGE, moved),
    *((f"fourier_{name}", LARGE, 2.0) for name in ("gaussian", "uniform", "shift", "ellipsoid")),
]  # fmt: skip
SIGNALS = [
    ("convolve", LINE, LINE[:300]), ("correlate", LINE, LINE[:300]),
    ("fftconvolve", LINE, LINE[:300]), ("fftconvolve", LARGE, LARGE[:9, :90]),
    ("oaconvolve", LINE, LINE[:300]), ("convolve2d", IMAGE, IMAGE[:20, :20]),
    ("lfilter", B, A, LINE), ("sosfilt", SOS, LINE), ("filtfilt", B, A, LINE),
    ("lfilter", [1.0, 2.0], [1.0], LINE), ("sosfiltfilt", SOS, LINE),
    ("upfirdn", [1.0, 2, 3], LINE, 3, 2), ("resample", LINE, 1500), ("resample_poly", LINE, 3, 2),
    ("resample_poly", LINE, 3, 2, 0, ("kaiser", 5.0), "median"), ("decimate", LINE, 4),
    ("decimate", LINE, 4, None, "fir"), ("savgol_filter", LINE, 11, 3), ("medfilt", LINE, 5),
    ("medfilt2d", IMAGE, 5), ("order_filter", IMAGE, np.ones((3, 3)), 3), ("wiener", IMAGE, 5),
    ("hilbert", LINE), ("hilbert2", IMAGE), ("envelope", LINE), ("detrend", LINE),
    *((name, LINE) for name in ("stft", "spectrogram", "welch", "periodogram")),
    ("csd", LINE, LINE[::-1]), ("coherence", LINE, LINE[::-1]), ("czt", LINE),
    ("lombscargle", LINE[:300], LINE[300:600], LINE[:300]), ("zoom_fft", LINE, [0.1, 0.2]),
    ("chirp", LINE, 1, 2, 3), ("square", LINE), ("sawtooth", LINE), ("gausspulse", LINE),
    ("cspline1d", LINE), ("qspline1d", LINE), ("cspline1d_eval", LINE, LINE),
    ("cspline2d", LARGE, 2.0), ("qspline2d", LARGE), ("spline_filter", LARGE),
    ("sepfir2d", IMAGE, [1.0, 2, 1], [1.0, 2, 1]), ("symiirorder1", LINE, 0.3, 0.5),
    ("symiirorder2", LINE, 0.5, 0.3), ("cwt", LINE, signal.ricker, [1, 2]), ("freqz", B, A),
    ("group_delay", (B, A)), ("max_len_seq", 8), ("get_window", "hann", 50),
    ("lsim", (B, A), LINE[:300], np.arange(300.0).tolist()), ("vectorstrength", LINE, 2.0),
    ("peak_prominences", LINE, np.arange(300) * 5), ("deconvolve", LINE, [1.0, 0.5]),
]  # fmt: skip
TABLE = [
    *((ndimage, call) for part in (FILTERS, MORPHOLOGY, MEASUREMENTS, INTERPOLATION) for call in part),
    *((signal, call) for call in SIGNALS),
]  # fmt: skip


def on_device(value):
    return cp.asarray(value) if isinstance(value, np.ndarray) and value.size > 200 else value


def arrays_of(result):
    if isinstance(result, cp.ndarray):
        return [result]
    parts = result if isinstance(result, (tuple, list)) else []
    return [a for part in parts for a in arrays_of(part)]


@pytest.mark.parametrize("part", range(8))
def test_captured_calls_repeat(part):
    stream = cp.cuda.Stream(non_blocking=True)
    for module, (name, *given) in TABLE[part::8]:
        function, args = getattr(module, name), [on_device(value) for value in given]
        desired = [a.get() for a in arrays_of(function(*args))]
        cp.cuda.Device().synchronize()
        with stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*args)  # tables and plans of this stream exist before the capture
            stream.begin_capture()
            try:
                result = function(*args)
            finally:
                graph = stream.end_capture()
            for _ in range(2):
                graph.launch()
                stream.synchronize()
                for a, b in zip(arrays_of(result), desired, strict=True):
                    np.testing.assert_array_equal(a.get(), b, err_msg=name)
        del result, graph


# Memory beyond the results, in units of input and output: two at most but for these.
MOST = {
    "generic_filter": 12,  # batches of windows, of 64 MiB and less
    "geometric_transform": 3,  # coordinates, of 8 bytes for each axis
    "median": 4,  # pairs of a label and a value, sorted from one array to another
    "binary_fill_holes": 10,  # labels of 4 bytes beside flags of one
    "binary_propagation": 10,
    "fftconvolve": 3,  # spectra of both arrays with zeros behind them
    "oaconvolve": 3,
    "convolve2d": 3,  # large windows, by the same
    "decimate": 3,  # forwards and backwards before samples are left out
    "welch": 4,  # frames and their spectra, twice the signal each
    "csd": 6,  # of two signals
    "coherence": 6,
    "czt": 6,  # three transforms in complex128 of a float32 signal
    "zoom_fft": 6,
    "gausspulse": 3,  # envelope and phase in float64
    "max_len_seq": 8,
}


@pytest.mark.parametrize("part", range(3))
def test_memory_beyond_results(part):
    larger = {
        id(IMAGE): np.tile(IMAGE, (2, 3)),
        id(MASK): np.tile(MASK, (2, 3)),
        id(LABELS): np.tile(LABELS, (2, 3)),
        id(LINE): np.tile(LINE, 6),
    }
    for module, (name, *given) in TABLE[part::3]:
        function, args = getattr(module, name), [on_device(larger.get(id(v), v)) for v in given]
        function(*args)
        pool = cp.cuda.MemoryPool()
        with cp.cuda.using_allocator(pool.malloc):
            results = arrays_of(function(*args))
        own = sum(a.nbytes for a in results)
        given_bytes = sum(a.nbytes for a in args if isinstance(a, cp.ndarray))
        most = MOST.get(name, 2) * (given_bytes + own) + 32_000
        assert pool.peak_bytes() - own <= most, name
        del results, args
