"""Types and values of rarer calls of scipy.stats and scipy.interpolate."""

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.signal
import scipy.stats
from check import assert_raises_same, check

import gpunp as cp
import gpunp.scipy


def scipy_of(xp):
    return xp.scipy if xp is cp else scipy


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_ranks_of_integers(method, axis):
    values = np.array([[3, 1, 3], [2, 2, 9]], "i2")
    check(  # before SciPy 1.18 some are integers
        lambda xp: scipy_of(xp).stats.rankdata(xp.asarray(values), method, axis=axis).astype("f8"),
        order=False,
    )
    assert scipy_of(cp).stats.rankdata(cp.asarray(values), method, axis=axis).dtype == "f8"


@pytest.mark.parametrize("method", ["min", "dense"])
def test_ranks_of_no_integers(method):
    check(
        lambda xp: scipy_of(xp).stats.rankdata(xp.zeros((3, 0), "i4"), method, axis=0).astype("f8")
    )


@pytest.mark.parametrize(
    "kind", [lambda x: (x**2).sum() * 1j, lambda x: x.sum(), lambda x: x.max()]
)
def test_statistics_of_functions_keep_imaginary_parts(kind):
    def body(xp):
        points, values = xp.asarray([0.1, 0.2, 0.7, 0.9]), xp.asarray([1.0, 2, 3, 4])
        return scipy_of(xp).stats.binned_statistic_dd(points, values, kind, bins=[2])[0]

    check(body)


def test_correlations_of_no_sample():
    check(lambda xp: scipy_of(xp).stats.ppcc_plot(xp.zeros(0), 0, 1, N=5))


@pytest.mark.parametrize("axis", [(1, 2), 1.5, "0"])
def test_axis_of_false_discoveries(axis):
    def body(xp):
        return scipy_of(xp).stats.false_discovery_control(xp.asarray([0.5, 0.7, 0.9]), axis=axis)

    assert_raises_same(body)


def test_densities_of_subclasses():
    def body(xp):
        class Density(scipy_of(xp).stats.gaussian_kde):
            def __init__(self, dataset):
                self.dataset = xp.atleast_2d(dataset)
                self.d, self.n = self.dataset.shape
                self.covariance_factor = self.silverman_factor
                self._compute_covariance()

        return Density(xp.asarray([-1.0, 0, 2, 3]))(xp.asarray([0.0, 1]))

    check(body, rtol=1e-13)


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("ends", [("a", "b"), ("a", "not-a-knot"), ("natural", "b"), ("a", "a")])
def test_splines_with_arrays_as_conditions(count, ends):
    def body(xp):
        x = xp.arange(count, dtype=float)
        y = xp.stack([x**2, x**3, 1 - x], 1)
        values = {"a": (1, xp.asarray([2.0, 1, 0])), "b": (2, xp.asarray([-1.0, 3, 1]))}
        conditions = tuple(values.get(end, end) for end in ends)
        spline = scipy_of(xp).interpolate.CubicSpline(x, y, bc_type=conditions)
        return spline(xp.asarray([0.25, 0.75, 1.5]))

    check(body, rtol=1e-11)


@pytest.mark.parametrize("order", [5, 6, 7, 12])
def test_derivatives_beyond_the_degree(order):
    def polynomial(xp):
        x = xp.linspace(0, 1, 6)
        return scipy_of(xp).interpolate.BarycentricInterpolator(x, xp.stack([x**3, x], 1))

    at = np.array([0.3, 0.4])
    check(lambda xp: polynomial(xp).derivative(xp.asarray(at), order), rtol=1e-6, atol=1e-7)
    if order >= 6:
        assert not polynomial(cp).derivative(cp.asarray(at), order).any()
        assert not polynomial(cp).derivatives(cp.asarray(at), order + 1)[6:].any()


@pytest.mark.parametrize("shapes", [(0, 0), (0, (0, 3)), ((2, 0), (1, 0))])
@pytest.mark.parametrize("dtype", ["f8", "F"])
def test_circulant_systems_without_unknowns(shapes, dtype):
    def body(xp):
        c, b = (xp.zeros(shape, dtype) for shape in shapes)
        axes = {"caxis": -1, "baxis": -1, "outaxis": -1} if isinstance(shapes[0], tuple) else {}
        return scipy_of(xp).linalg.solve_circulant(c, b, **axes)

    check(body, order=False)


@pytest.mark.parametrize("function", ["fftconvolve", "oaconvolve"])
@pytest.mark.parametrize("axes", [[[1, 2], [3, 4]], 1.5, [0.0], "0"])
def test_axes_of_convolutions_that_are_no_integers(function, axes):
    def body(xp):
        a = xp.ones((3, 2))
        return getattr(scipy_of(xp).signal, function)(a, a, axes=axes)

    assert_raises_same(body)


@pytest.mark.parametrize("zero_phase", [True, False])
@pytest.mark.parametrize("dtype", ["D", "d"])
def test_decimation_by_a_complex_system(zero_phase, dtype, rng):
    signals = rng.normal(size=(2, 60)) * np.ones(1, dtype)
    zeros, poles = np.array([-1, -0.9 + 0.1j]), np.array([0.5j, 0.3 + 0.2j])

    def body(xp):
        signal = scipy_of(xp).signal
        system = signal.dlti(zeros, poles, 0.2)
        return signal.decimate(xp.asarray(signals), 3, ftype=system, zero_phase=zero_phase)

    check(body, rtol=1e-10, atol=1e-12, order=False)


@pytest.mark.parametrize("axes", [4, 5])
@pytest.mark.parametrize("method", ["linear", "nearest"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "D"])
def test_grids_of_many_axes(axes, method, dtype, rng):
    sides = [np.sort(rng.random(3)) for _ in range(axes)]
    values = rng.random((3,) * axes).astype(dtype)
    at = rng.random((6, axes))

    def body(xp):
        module = scipy_of(xp).interpolate
        grid = module.RegularGridInterpolator(
            tuple(map(xp.asarray, sides)), xp.asarray(values), method, False, 7.0
        )
        return grid(xp.asarray(at))

    check(body, rtol=1e-6 if dtype == "f4" else 1e-12)
    check(
        lambda xp: scipy_of(xp).interpolate.interpn(
            tuple(map(xp.asarray, sides)), xp.asarray(values), xp.asarray(at), method, False
        ),
        rtol=1e-6 if dtype == "f4" else 1e-12,
    )


@pytest.mark.parametrize("function", ["csd", "coherence"])
@pytest.mark.parametrize(
    ("first", "second", "axis"),
    [
        ((100,), (5, 100), -1),
        ((5, 100), (100,), -1),
        ((5, 100), (2, 1, 100), -1),
        ((2, 1, 100), (5, 100), -1),
        ((100, 5), (2, 100, 1), -2),
    ],
)
def test_spectra_of_signals_with_different_numbers_of_axes(function, first, second, axis, rng):
    x, y = rng.normal(size=first), rng.normal(size=second)

    def body(xp):
        call = getattr(scipy_of(xp).signal, function)
        return call(xp.asarray(x), xp.asarray(y), nperseg=20, axis=axis)[1]

    check(body, rtol=1e-9, atol=1e-12, order=False)


@pytest.mark.parametrize(("first", "second"), [((0,), (5, 2)), ((4,), (5, 0)), ((5, 2), (0,))])
def test_spectra_of_empty_signals(first, second):
    check(lambda xp: scipy_of(xp).signal.csd(xp.ones(first), xp.ones(second)), order=False)


@pytest.mark.parametrize("name", ["height", "threshold", "prominence", "width", "plateau_size"])
@pytest.mark.parametrize("length", [10, 40])
def test_open_intervals_keep_all_peaks(name, length):
    values = np.ones(10) if length == 10 else np.arange(40) % 7 * (np.arange(40) % 5)

    def body(xp):
        options = {name: (None, None), "distance": None}
        peaks, found = scipy_of(xp).signal.find_peaks(xp.asarray(values), **options)
        return [peaks, *found.values()]

    check(body, rtol=1e-12)
    assert not (length == 40 and len(body(np)[0]) < 3)
