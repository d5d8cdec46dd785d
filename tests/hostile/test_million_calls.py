"""Calls that a run of a million found: they end, and raise what NumPy or SciPy raises."""

import numpy as np
import pytest
import worker

import gpunp as cp

SAME_CLASS = [
    "sp.ndimage.generic_filter(xp.ones((3, 3)), lambda v: v[0], size=(1,)*65)",
    "sp.stats.binned_statistic(xp.arange(3.0), xp.ones(3), bins=[])",
    "sp.stats.binned_statistic(xp.arange(3.0), xp.ones(3), bins=[[]])",
    "sp.stats.binned_statistic_dd(xp.ones((4, 2)), xp.ones(4), bins=[[], [1, 2]])",
]


@pytest.mark.parametrize("text", SAME_CLASS)
def test_classes_found_in_the_run(text):
    ours, theirs = worker.called(text, cp), worker.called(text, np)
    assert isinstance(ours, Exception) and worker.same_class(ours, theirs), (ours, theirs)


REFUSED = {  # a size or a count that can only be a mistake
    "sp.stats.binned_statistic(xp.array([0, 5, -9]), xp.ones(3), bins=Vanishing([1, 2, 3]))": ValueError,
    "sp.integrate.dblquad(lambda y, x: x, np.timedelta64(1), selfish_tuple(), 0.0, 1.0)": ValueError,
    "sp.signal.find_peaks_cwt(xp.arange(20.0) % 5, [1, 2], gap_thresh=2, min_snr=selfish())": ValueError,
    "sp.sparse.linalg.lobpcg(xp.eye(8), xp.eye(8)[:, :1], maxiter=cp.zeros(4).data)": ValueError,
    "sp.signal.ShortTimeFFT.from_window('hann', 1.0, 2**45, 4)": MemoryError,
}


@pytest.mark.parametrize("text", REFUSED)
def test_mistakes_are_refused(text):
    assert isinstance(worker.called(text, cp), REFUSED[text])
    cp.cuda.Device().synchronize()


BOUNDED = [  # as much work as the array needs, whatever was asked for
    "sp.stats.ncf.ppf(xp.array([0.5]), 5.0, 6.0, 1e308)",
    "sp.signal.medfilt(xp.ones(8), 2**31-1)",
    "sp.sparse.linalg.lobpcg(xp.diag(xp.arange(1.0, 9.0)), xp.eye(8)[:, :1], tol=np.nan, maxiter=2**40)",
]


@pytest.mark.parametrize("text", BOUNDED)
def test_work_is_bounded(text):
    assert worker.called(text, cp) is None
