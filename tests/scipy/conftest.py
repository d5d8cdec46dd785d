"""What differs among versions of SciPy, the reference: tests of newer ones, what they deprecate."""

import pytest
import scipy
from emulated import emulator, stream_check

__all__ = ["emulator", "stream_check"]

INSTALLED = tuple(map(int, scipy.__version__.split(".")[:2]))

# By version, tests of a file, or cases of one, whose reference is SciPy from that version on: older
# ones compute something else, or have it not, and the tests are skipped there.
SINCE = {
    (1, 17): {
        "test_bivariate.py": ["test_smoothing_on_a_grid"],
        "test_distance.py": ["test_metrics[yule]"],
        "test_interpolate.py": [
            "test_derivatives_of_several_variables",
            "test_polynomials",
            "test_through_points",
        ],
        "test_rationals.py": ["test_quotients[22]", "test_points_stand_where_the_axis_was"],
        "test_signal_spectral.py": [
            "test_choices",
            "test_empty_and_periodograms",
            "test_errors_of_lombscargle",
            "test_lombscargle",
        ],
        "test_signal_waves.py": ["test_chirps", "test_waves[18-f]"],
        "test_signal_windows.py": [
            "test_windows_by_name[hann_symmetric]",
            "test_windows_by_name[hann_periodic]",
            "test_windows_by_name[('tukey_periodic', 0.3)]",
        ],
        "test_smoothing.py": [
            "test_calls",
            "test_knots",
            "test_cross_validation_reads_each_column",
        ],
        "test_spatial.py": ["test_on_the_sphere[0]"],
    },
}

# Functions that SciPy warns of from a version on. Here they stay, without a warning.
DEPRECATED = [
    "approximate_taylor_polynomial",
    "distance_matrix",
    "lagrange",
    "minkowski_distance",
    "minkowski_distance_p",
    "pade",
    "tsearch",
]


def pytest_collection_modifyitems(items):
    ignored = f"ignore:`({'|'.join(DEPRECATED)})` is deprecated:DeprecationWarning"
    for item in items:
        if item.path.parent.name == "scipy":
            item.add_marker(pytest.mark.filterwarnings(ignored), append=False)
        for version, files in SINCE.items():
            names = files.get(item.path.name, [])
            if version > INSTALLED and {item.name, item.originalname} & set(names):
                reason = f"the reference is SciPy {version[0]}.{version[1]}'s"
                item.add_marker(pytest.mark.skip(reason=reason))
