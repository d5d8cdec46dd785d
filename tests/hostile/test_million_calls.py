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
    "xp.exp(xp.ones(3, 'f'), xp.ones(5, 'Q'))",
    "xp.divmod(xp.ones(3, 'f'), xp.ones(3, 'f'), xp.ones((3, 1), 'q'))",
    "xp.frexp(xp.ones(3), xp.arange(6))",
    "xp.power(xp.array(2.5), xp.arange(6), xp.arange(5)[::-1])",
    "xp.poly1d([1, 2, 3]).integ(float('inf'), 3)",
    "xp.poly1d([1, 2, 3]).deriv(-float('inf'))",
    "xp.cov(xp.eye(3), fweights=1j)",
    "xp.histogram_bin_edges(xp.ones(3, 'f'), np.ndarray)",
    "sp.stats.gamma.moment(-float('inf'), 2.0)",
    "sp.signal.spectrogram(xp.ones(16), nperseg=-float('inf'))",
    "sp.signal.medfilt(xp.ones(8), [3, 3])",
    "sp.fft.dctn(xp.ones((3, 4)), axes=-10**30)",
    "sp.integrate.fixed_quad(lambda x: x * x, 0.0, 1.0, n=0.25)",
    "sp.ndimage.fourier_ellipsoid(0.25, (0,))",
    "sp.spatial.distance.pdist(xp.ones((2, 3)), out=5)",
    "sp.interpolate.make_lsq_spline(xp.arange(8.0), xp.arange(8.0), xp.arange(8.0), k=64)",
    "sp.sparse.linalg.svds(sp.sparse.diags_array(xp.arange(1.0, 9.0)), k=2, which=np.void(b'ab'))",
    "sp.optimize.fmin_l_bfgs_b(lambda x: x.sum(), xp.zeros(0), approx_grad=True, bounds=[(-2, 2)])",
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


TAKEN = [  # as by NumPy or SciPy
    "xp.polyder(xp.array([1, 2, 3]), 1.9)",
    "sp.integrate.fixed_quad(lambda x: x, 0.0, 1.0, n=2.0)",
    "sp.optimize.fmin_l_bfgs_b(lambda x: x.sum(), [1.0], approx_grad=True, bounds=[(1, 1)])",
]


@pytest.mark.parametrize("text", TAKEN)
def test_arguments_are_taken(text):
    assert worker.called(text, np) is None and worker.called(text, cp) is None
