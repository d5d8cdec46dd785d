"""Window functions beside SciPy's."""

import inspect

import numpy as np
import pytest
from signals import near, ours, theirs

import gpunp as cp

PARAMETERS = {
    "chebwin": (100,),
    "dpss": (2.5,),
    "gaussian": (2.0,),
    "general_cosine": ([0.5, 0.3, 0.2],),
    "general_gaussian": (1.5, 2.0),
    "general_hamming": (0.6,),
    "kaiser": (8.0,),
    "kaiser_bessel_derived": (4.0,),
}
NAMES = sorted(set(ours.windows.__all__) - {"get_window"})
pytestmark = pytest.mark.filterwarnings("ignore")


def test_all_windows_are_there():
    assert set(ours.windows.__all__) == set(theirs.windows.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_lengths(name):
    for M in (0, 1, 2, 3, 8, 51, 4.5, -1):
        for sym in (True, False):
            near(
                lambda m, M=M, sym=sym: getattr(m, name)(M, *PARAMETERS.get(name, ()), sym=sym),
                module="windows",
            )


def test_further_parameters():
    for call in (
        lambda m: m.taylor(9, 5, 40, False),
        lambda m: m.taylor(8, 3, 25, True, False),
        lambda m: m.exponential(9, 2, 0.5, False),
        lambda m: m.exponential(9, 2, 0.5),
        lambda m: m.tukey(9, 0.1),
        lambda m: m.tukey(9, 0),
        lambda m: m.tukey(9, 1, False),
        lambda m: m.dpss(16, 2, 3, return_ratios=True),
        lambda m: m.general_gaussian(9, 0.5, 3),
        lambda m: m.chebwin(33, 50),
    ):
        near(call, module="windows")


NAMED = [
    name if name not in PARAMETERS else (name, *PARAMETERS[name])
    for name in sorted(ours.windows._BY_NAME)
    if ours.windows._BY_NAME[name][0].__name__ not in PARAMETERS
]
NAMED += [(name, *PARAMETERS[name]) for name in PARAMETERS if "bessel" not in name]
NAMED += ["hann_symmetric", "hann_periodic", ("tukey_periodic", 0.3), 6.0, ("kbd", 4.0), "kaiser"]
NAMED += ["none", "gaussian", ("general gaussian", 1, 2), "hann symmetric", None, (1, 2), ()]


@pytest.mark.parametrize("window", NAMED, ids=str)
def test_windows_by_name(window):
    near(lambda m: m.get_window(window, 12))
    near(lambda m: m.get_window(window, 12, False))


@pytest.mark.parametrize("window", [("hann", 1), ("hann", 1, 2), ("dpss", 2, 3)], ids=str)
def test_windows_with_too_many_parameters(window):
    with pytest.raises(ValueError, match="parameters"):
        ours.get_window(window, 12)


def test_weights_of_the_device():
    result = ours.windows.general_cosine(9, cp.array([0.5, 0.3, 0.2]))
    np.testing.assert_allclose(result.get(), theirs.windows.general_cosine(9, [0.5, 0.3, 0.2]))


def with_keywords(module):
    """The functions of SciPy's module that have the keywords `xp` and `device`."""
    found = [n for n in module.__all__ if inspect.isfunction(getattr(module, n))]
    return [n for n in found if "xp" in inspect.signature(getattr(module, n)).parameters]


@pytest.mark.parametrize("name", with_keywords(theirs.windows))
def test_namespace_and_device_of_a_window(name):
    first = ("hann", 10) if name == "get_window" else (10, *PARAMETERS.get(name, ()))
    window = getattr(ours.windows, name)
    want = getattr(theirs.windows, name)(*first)
    for keywords in ({"xp": cp, "device": cp.cuda.Device()}, {"device": 0}, {"xp": None}):
        got = window(*first, **keywords)
        assert isinstance(got, cp.ndarray)
        np.testing.assert_allclose(got.get(), want, rtol=1e-13, atol=1e-16)
    got = window(*first, xp=np, device="cpu")
    assert type(got) is np.ndarray
    np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-16)
    with pytest.raises(ValueError, match="device"):
        window(*first, device="cpu")


DESIGNS = {
    "besselap": (3,),
    "buttap": (3,),
    "cheb1ap": (3, 1.0),
    "cheb2ap": (3, 20.0),
    "ellipap": (3, 1.0, 20.0),
    "gammatone": (0.2, "iir"),
    "get_window": ("hann", 5),
    "iircomb": (0.2, 5.0),
    "iirnotch": (0.2, 5.0),
    "iirpeak": (0.2, 5.0),
    "savgol_coeffs": (5, 2),
}


@pytest.mark.parametrize("name", with_keywords(theirs))
def test_namespace_and_device_of_a_design(name):
    def arrays(value):
        return [x for x in (value if isinstance(value, tuple) else (value,)) if np.ndim(x)]

    design, values = getattr(ours, name), DESIGNS[name]
    want = arrays(getattr(theirs, name)(*values))
    for keywords in ({"xp": cp, "device": cp.cuda.Device()}, {"device": 0}):
        got = arrays(design(*values, **keywords))
        assert got and all(isinstance(x, cp.ndarray) for x in got)
        for x, y in zip(got, want, strict=True):
            np.testing.assert_allclose(x.get(), y, rtol=1e-13)
    got = arrays(design(*values, xp=np))
    assert got and all(type(x) is np.ndarray for x in got)
