"""Numbers, empty samples and samples of one element: values, dtypes, shapes and errors are SciPy's."""

import itertools

import numpy as np
import pytest
import scipy.stats
from stats_cases import called, parts, to_device, to_numpy

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # SciPy's, of samples that are too small

SAMPLES = {
    "number": 2.5,
    "0-d": np.array(2.0),
    "0-d int": np.array(3),
    "0-d float32": np.array(2, "f4"),
    "0-d nan": np.array(np.nan),
    "empty": np.array([]),
    "no rows": np.zeros((0, 3)),
    "empty rows": np.zeros((3, 0)),
    "one": np.array([2.0]),
    "one int": np.array([3]),
    "one float32": np.array([2], "f4"),
    "one nan": np.array([np.nan]),
    "one of two axes": np.array([[2.0]]),
}
OPTIONS = (
    {},
    {"keepdims": True},
    {"nan_policy": "omit"},
    {"nan_policy": "raise"},
    {"nan_policy": "omit", "keepdims": True},
)
AXES = ({}, *({"axis": axis} for axis in (0, None, -1, 1)))

ANY, NO_POLICY, NO_DIMS, AXIS = OPTIONS, OPTIONS[:2], (OPTIONS[0], *OPTIONS[2:4]), OPTIONS[:1]
# Arguments after the sample, options beside `axis`, samples that are left out and why.
FUNCTIONS = {
    "boxcox_llf": ((), ANY, ()),
    "circmean": ((), ANY, ()),
    "circstd": ((), ANY, ()),
    "circvar": ((), ANY, ()),
    # SciPy's masked arrays give zeros and infinities where no element is left.
    "describe": ((), (OPTIONS[0], OPTIONS[3]), ()),
    "entropy": ((), ANY, ()),
    "gmean": ((), ANY, ()),
    # With axis=None SciPy ignores keepdims for numbers, and omits no NaN of them.
    "gstd": ((), ANY, ("number", "0-d", "0-d int", "0-d float32", "0-d nan")),
    "gzscore": ((), NO_DIMS, ()),
    "hmean": ((), ANY, ()),
    "iqr": ((), ANY, ()),
    "jarque_bera": ((), ANY, ()),
    "kurtosis": ((), ANY, ()),
    "kurtosistest": ((), ANY, ()),
    "median_abs_deviation": ((), ANY, ()),
    "mode": ((), ANY, ()),
    "moment": ((2,), ANY, ()),
    "normaltest": ((), ANY, ()),
    "pmean": ((2,), ANY, ()),
    # SciPy gives an empty result for an axis that an empty sample does not have.
    "rankdata": ((), NO_DIMS, ("empty",)),
    "sem": ((), ANY, ()),
    "skew": ((), ANY, ()),
    "skewtest": ((), ANY, ()),
    "tmean": ((), ANY, ()),
    "trim1": ((0.1,), AXIS, ()),
    "trim_mean": ((0.1,), ANY, ()),
    "trimboth": ((0.1,), AXIS, ()),
    "tsem": ((), ANY, ()),
    "tstd": ((), ANY, ()),
    "ttest_1samp": ((0.5,), ANY, ()),
    "tvar": ((), ANY, ()),
    "variation": ((), ANY, ()),
    "wilcoxon": ((), ANY, ()),
    "zscore": ((), NO_DIMS, ()),
}
# Types that SciPy has from 1.18 on: counts are int64, of no element too; ranks of float32 float32.
SINCE_1_18 = {"mode": np.int64, "rankdata": np.float32}


def _agree(name, actual, desired):
    tolerance = 1e-3 if actual.dtype == np.float32 else 1e-6  # of deviations on a circle
    if actual.dtype != desired.dtype and actual.dtype == SINCE_1_18.get(name):
        desired = desired.astype(actual.dtype)
    assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=1e-6, atol=tolerance)


def _compare(name, arguments, options):
    wanted, error = called(getattr(scipy.stats, name), arguments, options)
    found, our_error = called(getattr(cp.scipy.stats, name), to_device(arguments), options)
    if error:
        assert our_error and issubclass(our_error, error)
        return
    assert our_error is None
    for actual, desired in zip(parts(found, None), parts(wanted, None), strict=True):
        _agree(name, to_numpy(actual), np.asarray(desired))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_few_elements(name):
    extra, options, left_out = FUNCTIONS[name]
    samples = [x for label, x in SAMPLES.items() if label not in left_out]
    for x, axis, more in itertools.product(samples, AXES, options):
        arguments = (1.5, x) if name == "boxcox_llf" else (x, *extra)
        _compare(name, arguments, axis | more)


@pytest.mark.parametrize("name", ["gstd", "zscore", "gzscore"])
def test_numbers_have_no_axis(name):
    for axis in (0, -1, (0,)):
        with pytest.raises(np.exceptions.AxisError):
            getattr(cp.scipy.stats, name)(2.0, axis=axis)


@pytest.mark.parametrize("name, more", [("percentileofscore", (0.5,)), ("tiecorrect", ())])
def test_one_dimension_is_wanted(name, more):
    for x in (2.0, cp.ones((1, 3))):
        with pytest.raises(ValueError, match="dimension"):
            getattr(cp.scipy.stats, name)(x, *more)
