"""Design of filters beside SciPy's: what is computed on the host, and responses on the device."""

import inspect
import warnings

import numpy as np
import pytest

import gpunp as cp

pytest.importorskip("scipy", minversion="1.17")
from signals import near, ours, theirs

from gpunp.scipy.signal import _filter_design, _fir_filter_design

pytestmark = pytest.mark.filterwarnings("ignore")

B, A = np.array([0.2, 0.3, 0.1]), np.array([1.0, -0.4, 0.2])
Z, P = np.array([-1.0 + 0j, -0.5]), np.array([-0.5 + 0.3j, -0.5 - 0.3j, -1.0])
SOS = np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.2], [0.5, 0.1, 0.0, 1.0, 0.3, 0.1]])
STATES = (np.array([[-1.0, 0.5], [0, -2]]), np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)))

# The arguments of one call of each function; arrays go to the device.
CALLS = {
    "abcd_normalize": STATES[:3],
    "band_stop_obj": (0.2, 0, [0.1, 0.8], [0.3, 0.6], 1, 40, "butter"),
    "bessel": (3, [0.2, 0.4], "bandpass", False, "zpk"),
    "besselap": (3,),
    "bilinear": (B, A, 2.0),
    "bilinear_zpk": (Z, P, 2.0, 10.0),
    "buttap": (3,),
    "butter": (4, 0.2),
    "buttord": (np.array([0.2, 0.5]), np.array([0.1, 0.6]), 3, 40),
    "cheb1ap": (3, 1.0),
    "cheb1ord": (0.2, 0.3, 3, 40),
    "cheb2ap": (3, 20.0),
    "cheb2ord": (0.2, 0.3, 3, 40),
    "cheby1": (4, 1, 0.3, "high", False, "sos"),
    "cheby2": (4, 40, 0.3),
    "ellip": (4, 1, 40, 0.3, "low", True, "zpk"),
    "ellipap": (3, 1.0, 20.0),
    "ellipord": (0.2, 0.3, 3, 40),
    "findfreqs": (B, A, 8),
    "firls": (7, np.array([0, 0.3, 0.6, 1]), [1, 1, 0, 0]),
    "firwin": (11, 0.3),
    "firwin2": (11, [0, 0.5, 1], [1, 1, 0]),
    "firwin_2d": ((5, 5), ("hamming", "hamming")),
    "gammatone": (440.0, "iir", None, None, 16000.0),
    "iircomb": (8.0, 30.0, "notch", 200.0),
    "iirdesign": (0.2, 0.3, 1, 40),
    "iirfilter": (3, [0.2, 0.4], None, None, "band", False, "butter", "sos"),
    "iirnotch": (0.3, 30.0),
    "iirpeak": (0.3, 30.0),
    "invres": (np.array([1.0, 2.0]), np.array([-1.0, -2.0]), np.array([3.0])),
    "invresz": (np.array([1.0, 2.0]), np.array([-1.0, -2.0]), np.array([3.0])),
    "kaiser_atten": (101, 0.1),
    "kaiser_beta": (65.0,),
    "kaiserord": (65.0, 0.1),
    "lp2bp": (B, A, 2.0, 1.0),
    "lp2bp_zpk": (Z, P, 2.0, 2.0, 1.0),
    "lp2bs": (B, A, 2.0, 1.0),
    "lp2bs_zpk": (Z, P, 2.0, 2.0, 1.0),
    "lp2hp": (B, A, 2.0),
    "lp2hp_zpk": (Z, P, 2.0, 2.0),
    "lp2lp": (B, A, 2.0),
    "lp2lp_zpk": (Z, P, 2.0, 2.0),
    "minimum_phase": (np.array([0.1, 0.3, 0.5, 0.3, 0.1, 0.05, 0.01]),),
    "normalize": (2 * B, 2 * A),
    "remez": (11, [0, 0.1, 0.2, 0.5], [1, 0]),
    "residue": (np.array([1.0, 2, 3]), np.array([1.0, 3, 2])),
    "residuez": (np.array([1.0, 2, 3]), np.array([1.0, 3, 2])),
    "sos2tf": (SOS,),
    "sos2zpk": (SOS,),
    "ss2tf": STATES,
    "ss2zpk": STATES,
    "tf2sos": (B, A),
    "tf2ss": (B, A),
    "tf2zpk": (B, A),
    "unique_roots": (np.array([1.0, 1.0001, 2.0]),),
    "zpk2sos": (Z, P, 2.0),
    "zpk2ss": (Z, P, 2.0),
    "zpk2tf": (Z, P, 2.0),
}


def on_device(value):
    if isinstance(value, np.ndarray):
        return cp.asarray(value)
    return tuple(map(on_device, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize("name", [*_filter_design.__all__, *_fir_filter_design.__all__])
def test_results_lie_on_the_device(name):
    def call(module):
        arguments = CALLS[name] if module is theirs else on_device(CALLS[name])
        return getattr(module, name)(*arguments)

    near(call)


@pytest.mark.parametrize("name", [*_filter_design.__all__, *_fir_filter_design.__all__])
def test_parameters_are_scipys(name):
    mine, others = (inspect.signature(getattr(m, name)).parameters for m in (ours, theirs))
    assert [(p.name, p.kind, p.default) for p in mine.values()] == [
        (p.name, p.kind, p.default) for p in others.values()
    ]


def test_errors_of_design():
    for call in (
        lambda m: m.butter(4, 2.0),
        lambda m: m.butter(4, 0.2, btype="none"),
        lambda m: m.butter(4),
        lambda m: m.iirdesign(0.2, 0.3, 1, 40, ftype="none"),
        lambda m: m.firwin(0, 0.1),
        lambda m: m.remez(11, [0.5, 0.1], [1]),
    ):
        near(call)


RESPONSES = [
    lambda m, b, a, w: m.freqz(b, a),
    lambda m, b, a, w: m.freqz(b, a, 9, True, None, 10.0),
    lambda m, b, a, w: m.freqz(b, a, 9, include_nyquist=True),
    lambda m, b, a, w: m.freqz(b, 2, w, fs=3.0),
    lambda m, b, a, w: m.freqz(b, a, 1.0),
    lambda m, b, a, w: m.freqz(b, a, 0),
    lambda m, b, a, w: m.freqz(b, a, -1),
    lambda m, b, a, w: m.freqz(b, a, None, fs=None),
    lambda m, b, a, w: m.freqz(b.reshape(3, 1), a),
    lambda m, b, a, w: m.freqs(b, a, w),
    lambda m, b, a, w: m.freqs(b, a),
    lambda m, b, a, w: m.freqz_zpk(b, a, 0.5, w),
    lambda m, b, a, w: m.freqz_zpk(b, a, 0.5, 33, True, 2.0),
    lambda m, b, a, w: m.freqs_zpk(b, a, 0.5, w),
    lambda m, b, a, w: m.freqs_zpk(b, a, 0.5),
    lambda m, b, a, w: m.freqz_zpk([], [], 0.5, 3),
]


@pytest.mark.parametrize("dtype", "fdD")
@pytest.mark.parametrize("number", range(len(RESPONSES)))
def test_responses(number, dtype):
    w = np.linspace(0.1, 2, 7).astype("f" if dtype == "f" else "d")
    if dtype == "D":  # the frequencies of the result are complex in SciPy
        near(lambda m, *given: RESPONSES[number](m, *given)[1], B.astype(dtype), A.astype(dtype), w)
        return
    eps = 1e-6 if dtype == "f" else 1e-11
    near(RESPONSES[number], B.astype(dtype), A.astype(dtype), w, eps=eps)


def test_responses_of_sections_and_of_many_filters():
    for call in (
        lambda m, s: m.freqz_sos(s),
        lambda m, s: m.freqz_sos(s[0]),
        lambda m, s: m.sosfreqz(s, worN=[0.1, 0.2]),
        lambda m, s: m.freqz_sos(s[:, :5]),
        lambda m, s: m.freqz_sos(s[:0]),
        lambda m, s: m.freqz(s.T[:, :, None], 1, 8),
        lambda m, s: m.freqz(s.T, 1, 8),
    ):
        near(call, SOS)


def test_group_delay():
    for call in (
        lambda m, b, a: m.group_delay((b, a)),
        lambda m, b, a: m.group_delay((b, a), 5, True, 3.0),
        lambda m, b, a: m.group_delay((b, [2.0]), [0.1, 0.7]),
        lambda m, b, a: m.group_delay(([1, 1], [1]), [0.1, np.pi]),
        lambda m, b, a: m.group_delay(b),
    ):
        near(call, B, A)


def test_the_response_is_plotted():
    seen = []
    w, h = ours.freqz(B, A, plot=lambda *results: seen.extend(results))
    assert seen[0] is w and seen[1] is h


def test_badly_conditioned_coefficients():
    assert ours.BadCoefficients is theirs.BadCoefficients
    with warnings.catch_warnings():
        warnings.simplefilter("error", ours.BadCoefficients)
        for call in (
            lambda: ours.normalize([0.0, 1.0], [1.0, 2.0]),
            lambda: ours.normalize(cp.array([0.0, 1.0]), [1.0, 2.0]),
            lambda: ours.tf2zpk([0.0, 1.0], [1.0, 2.0]),
            lambda: ours.tf2sos([0.0, 1.0], [1.0, 2.0]),
            lambda: ours.TransferFunction([0.0, 1.0], [1.0, 2.0]),
        ):
            with pytest.raises(ours.BadCoefficients):
                call()
        ours.normalize([1.0, 0.0], [2.0, 1.0])


def test_parameters_on_the_device():
    """Numbers of the device are taken wherever those of the host are."""
    at, step = cp.asarray(0.2), cp.asarray(0.5)
    for name in ("buttord", "cheb1ord", "cheb2ord", "ellipord"):
        order, edge = getattr(ours, name)(at, cp.asarray(0.3), 3, 40)
        want = getattr(theirs, name)(0.2, 0.3, 3, 40)
        assert type(order) is int and order == want[0]
        assert isinstance(edge, cp.ndarray) and edge.shape == ()
        np.testing.assert_allclose(float(edge), want[1])
    system = ([[0.5]], [[1.0]], [[2.0]], [[0.0]])
    hosts = tuple(map(np.asarray, system))
    got = ours.cont2discrete(tuple(map(cp.asarray, system)), step, "bilinear")
    assert got[4] is step
    for x, y in zip(got[:4], theirs.cont2discrete(hosts, 0.5, "bilinear")[:4], strict=True):
        np.testing.assert_allclose(x.get(), y)
    x = np.cos(np.arange(20.0))
    np.testing.assert_allclose(
        ours.savgol_filter(cp.asarray(x), 5, 2, 1, step).get(),
        theirs.savgol_filter(x, 5, 2, 1, 0.5),
    )
    np.testing.assert_allclose(
        ours.savgol_coeffs(5, 2, 1, step).get(), theirs.savgol_coeffs(5, 2, 1, 0.5)
    )
    for gain in ([2.0], np.asarray(2.0), cp.asarray([2.0])):
        got = ours.freqs_zpk(cp.asarray([1.0]), cp.asarray([-1.0]), gain, [1.0, 2.0])[1]
        np.testing.assert_allclose(got.get(), theirs.freqs_zpk([1.0], [-1.0], 2.0, [1.0, 2.0])[1])


@pytest.mark.parametrize("density", [0, -2, np.int64(-1)])
def test_a_grid_without_points(density):
    """SciPy writes beyond its arrays then."""
    with pytest.raises(ValueError, match="grid_density must be at least 1"):
        ours.remez(5, [0, 0.25, 0.3, 0.5], [1, 0], grid_density=density)
