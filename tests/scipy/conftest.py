"""Tests that compare with what older SciPy versions do otherwise, or have not, are skipped there."""

import pytest
import scipy

# Tests of a file, or a case of one, whose reference is SciPy 1.17's.
OF_SCIPY_1_17 = {
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
    "test_smoothing.py": ["test_calls", "test_knots", "test_cross_validation_reads_each_column"],
    "test_spatial.py": ["test_on_the_sphere[0]"],
}


def pytest_collection_modifyitems(items):
    if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17):
        return
    for item in items:
        if {item.name, item.originalname} & set(OF_SCIPY_1_17.get(item.path.name, [])):
            item.add_marker(pytest.mark.skip(reason="the reference is SciPy 1.17's"))
