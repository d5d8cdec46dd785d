"""Window functions beside SciPy's."""

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


def test_weights_of_the_device():
    result = ours.windows.general_cosine(9, cp.array([0.5, 0.3, 0.2]))
    np.testing.assert_allclose(result.get(), theirs.windows.general_cosine(9, [0.5, 0.3, 0.2]))
