"""Classes of exceptions that long runs of hostile calls found to differ from NumPy's or SciPy's."""

import numpy as np
import pytest
import scipy.fft
import scipy.interpolate
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.special
import scipy.stats
from check import check

import gpunp as cp
import gpunp.scipy

SCIPY = {"numpy": scipy, "gpunp": gpunp.scipy}


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[s]"])
@pytest.mark.parametrize("sparse", [False, True])
def test_indices_as_times(dtype, sparse):
    check(lambda xp: xp.indices((3, 2), dtype, sparse))


def test_shuffle_of_a_state_has_no_axis():
    for module in (np, cp):
        with pytest.raises(TypeError):
            module.random.shuffle(module.ones((2, 2)), 1)


@pytest.mark.parametrize("norm", [[1, "a"], {}, "ortho ", 5], ids=repr)
def test_norm_that_is_none(norm):
    check(lambda xp: SCIPY[xp.__name__].fft.ihfft(xp.ones((2, 2)), norm=norm))


def test_transform_along_no_axis():
    check(lambda xp: SCIPY[xp.__name__].fft.fft(xp.ones(3), axis=None))


@pytest.mark.parametrize("degree", ["C", b"ab", bytearray(4), -1, 2.5, -np.inf], ids=repr)
def test_degree_that_is_none(degree):
    check(lambda xp: SCIPY[xp.__name__].special.chebyt(degree))


def test_degree_that_is_an_array():
    check(lambda xp: SCIPY[xp.__name__].special.legendre(xp.ones(3)))


@pytest.mark.parametrize("out", [5, (None,)], ids=repr)
def test_choose_into_what_is_no_array(out):
    for module in (np, cp):
        with pytest.raises(TypeError):
            module.choose([0, 1], [module.ones(2), module.zeros(2)], out)


@pytest.mark.parametrize("function", ["nanvar", "nanstd"])
def test_mean_of_integers_is_given(function):
    check(lambda xp: getattr(xp, function)(xp.arange(6).reshape(3, 2), 0, mean=xp.ones((1, 2))))


@pytest.mark.parametrize("function", ["cspline1d_eval", "qspline1d_eval"])
def test_splines_of_no_coefficients(function):
    with pytest.raises(ValueError, match="at least one coefficient"):
        getattr(gpunp.scipy.signal, function)(cp.zeros((3, 0, 2)), cp.ones(3))


@pytest.mark.parametrize("tck", [range(3), ([], [], 1), (range(8), [1.0], 3), (range(8), 1.0, 1)])
def test_splines_of_parts_that_do_not_fit(tck):
    for function in ("splev", "spalde"):
        with pytest.raises(ValueError, match="tck needs"):
            getattr(gpunp.scipy.interpolate, function)(cp.ones(2), tck)


@pytest.mark.parametrize("tck", [{1: 2}, {}, np.dtype("f8")], ids=repr)
@pytest.mark.parametrize("function", ["splder", "splantider"])
def test_splines_of_what_has_no_parts(function, tck):
    check(lambda xp: getattr(SCIPY[xp.__name__].interpolate, function)(tck))


@pytest.mark.parametrize("axes", [(2, 0), (0, -3), (0.5, 0), ("0", 1)], ids=repr)
def test_axes_of_sparse_arrays_that_there_are_not(axes):
    for module in (scipy.sparse, gpunp.scipy.sparse):
        with pytest.raises(ValueError, match="Invalid axis"):
            module.swapaxes(module.coo_array((2, 3)), *axes)


def test_shape_of_a_sparse_matrix_in_a_dict():
    with pytest.raises(TypeError):
        gpunp.scipy.sparse.coo_matrix(cp.ones((2, 2)), {"a": [1]})


def test_differences_of_nothing_end():
    assert cp.diff(cp.ones((2, 3)), 2**31).shape == (2, 0)


def test_unaligned_fields_of_records():
    wave = cp.zeros(9, "f4,f8")
    wave["f1"] = cp.array([0.0, 1, 0, 2, 0, 3, 0, 1, 0])
    peaks = cp.array([3, 5])
    widths = gpunp.scipy.signal.peak_widths(wave["f1"], peaks)[0]
    exact = gpunp.scipy.signal.peak_widths(wave["f1"].copy(), peaks)[0]
    assert (widths == exact).all()


def test_labels_to_measure_that_are_no_numbers():
    with pytest.raises(TypeError, match="index must be real numbers"):
        gpunp.scipy.ndimage.maximum(cp.array([5, 6]), cp.array([1, 2]), "clip")


class Index:
    """What is an integer by its index alone, as operator.index takes it."""

    def __index__(self):
        return 3


def identity_factors(xp, sp):
    return sp.sparse.linalg.splu(sp.sparse.csc_array(xp.eye(3)))


REFUSED = {
    "pad": lambda xp, sp: xp.pad(xp.ones(3), 2**63 - 1),
    "pad by edges": lambda xp, sp: xp.pad(xp.ones(3), 2**62, "edge"),
    "draws of 65 axes": lambda xp, sp: xp.random.default_rng(1).multivariate_hypergeometric(
        [5, 6], 4, size=(2,) * 64
    ),
    "axis": lambda xp, sp: sp.integrate.cumulative_simpson(xp.ones(6), axis=Index()),
    "points": lambda xp, sp: sp.integrate.fixed_quad(lambda x: x, 0.0, 1.0, n=1.5),
    "text for points": lambda xp, sp: sp.integrate.fixed_quad(lambda x: x, 0.0, 1.0, n="a"),
    "lengths": lambda xp, sp: sp.sparse.linalg.LaplacianNd((2.5, 2)),
    "seed": lambda xp, sp: xp.random.default_rng(xp.array([1.0, 2.0])),
    "left": lambda xp, sp: xp.interp(xp.ones(2), xp.arange(3.0), xp.arange(3.0), left=[1, 2]),
    "right": lambda xp, sp: xp.interp(xp.ones(2), xp.arange(3.0), xp.arange(3.0), right=xp.ones(2)),
    "diagonal": lambda xp, sp: sp.sparse.eye_array(3, 4, k=1.5),
    "NaN as diagonal": lambda xp, sp: sp.sparse.eye_array(3, 4, k=np.float32("nan")),
    "restarts": lambda xp, sp: sp.sparse.linalg.gcrotmk(xp.eye(3), xp.ones(3), m=-(2**64)),
    "steps": lambda xp, sp: sp.optimize.approx_fprime(xp.ones(2), xp.sum, xp.zeros((3, 0, 2))),
    "a number as axes": lambda xp, sp: sp.signal.fftconvolve(xp.eye(3), xp.eye(3), axes=1.5),
    "an array as axes": lambda xp, sp: sp.signal.oaconvolve(xp.eye(3), xp.eye(3), axes=xp.array(1)),
    "an array as a letter": lambda xp, sp: identity_factors(xp, sp).solve(xp.ones(3), xp.ones(3)),
    "no letter": lambda xp, sp: identity_factors(xp, sp).solve(xp.ones(3), ""),
    "two letters": lambda xp, sp: identity_factors(xp, sp).solve(xp.ones(3), "NT"),
    "another letter": lambda xp, sp: identity_factors(xp, sp).solve(xp.ones(3), "x"),
    "a truth value as points": lambda xp, sp: xp.histogramdd(np.bool_(True), bins=(2, 3)),
    "a complex degree": lambda xp, sp: sp.special.lqn(2j, xp.ones(3)),
    "a complex order": lambda xp, sp: sp.special.lqmn(complex(1), 2, 0.5),
    "one bin without limits": lambda xp, sp: sp.stats.cumfreq(xp.array([3.0, 4.0]), 1),
    "one bin of one value": lambda xp, sp: sp.stats.relfreq(xp.array([3.0]), 1),
    "bins": lambda xp, sp: xp.histogram(xp.ones(3), 2**64 - 1),
    "edges": lambda xp, sp: xp.histogram_bin_edges(xp.ones(3), 10**30),
    "records of no length": lambda xp, sp: xp.fill_diagonal(xp.eye(4), xp.zeros((0, 2), "i4,i4")),
    "floats as places": lambda xp, sp: sp.linalg.eig_banded(
        xp.ones((2, 4)), select="i", select_range=[0.5, 1]
    ),
    "text as a place": lambda xp, sp: sp.linalg.eig_banded(
        xp.ones((2, 4)), select="i", select_range=[1, "a"]
    ),
    "axes of an array": lambda xp, sp: xp.size(xp.ones((3, 2)), xp.array([0, 5])),
    "axes named twice": lambda xp, sp: xp.size(xp.ones((3, 2)), [0, 0]),
    "a type as a system": lambda xp, sp: sp.signal.dlsim({1: 2}, xp.ones(3)),
    "indices beyond int64": lambda xp, sp: xp.random.choice(2**64 - 1),
    "indices of a generator": lambda xp, sp: xp.random.default_rng(1).choice(2**64 - 1),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_numbers_that_are_none(call):
    check(lambda xp: call(xp, SCIPY[xp.__name__]))


@pytest.mark.parametrize("matrix", [3.0, [1.0, 2.0]], ids=repr)
def test_poles_of_what_is_no_matrix(matrix):
    for pair in ((matrix, np.ones((2, 1))), (np.eye(2), matrix)):
        with pytest.raises(ValueError, match="must be a matrix"):
            gpunp.scipy.signal.place_poles(*pair, [-1.0, -2.0])


def test_a_value_for_several_points():
    at = gpunp.scipy.interpolate.BarycentricInterpolator(cp.arange(2.0), cp.arange(2.0))
    with pytest.raises(ValueError, match="yi must have 2 values"):
        at.add_xi(cp.array([2.0, 3.0]), -7)


def test_a_negative_number_of_directions():
    with pytest.raises(ValueError, match="m must not be negative"):
        gpunp.scipy.sparse.linalg.gcrotmk(cp.eye(3), cp.ones(3), m=-1)


def nested_in_itself():
    items = []
    items.append((items, items))
    return items[0]


@pytest.mark.parametrize("name", ["hermite_e.hermeline", "polynomial.polyline", "legendre.legline"])
def test_lines_of_lists_that_contain_themselves(name):
    module, function = name.split(".")
    for given in ((nested_in_itself(), np.float64(0.25)), (0.5, nested_in_itself())):
        with pytest.raises(ValueError, match="contains itself"):
            getattr(getattr(cp.polynomial, module), function)(*given)


@pytest.mark.parametrize("name", ["lil_matrix", "lil_array", "dok_matrix", "dok_array"])
def test_sparse_arrays_of_lists_that_contain_themselves(name):
    with pytest.raises(ValueError, match="contains itself"):
        getattr(gpunp.scipy.sparse, name)(nested_in_itself())


@pytest.mark.parametrize("d", [np.inf, 2.0**60, 2.5], ids=repr)
def test_dimension_that_is_none(d):
    check(lambda xp: SCIPY[xp.__name__].special.multigammaln(3.0, d))


@pytest.mark.parametrize("size", [(1,) * 65, (3, 3)], ids=len)
def test_windows_of_other_dimensions(size):
    check(lambda xp: SCIPY[xp.__name__].signal.medfilt(xp.ones(8), size))


def test_a_line_through_a_sample_of_many_axes():
    check(lambda xp: SCIPY[xp.__name__].stats.probplot(xp.ones((2, 3))))


def test_expectation_of_what_is_no_function():
    """Before anything is summed."""
    check(lambda xp: SCIPY[xp.__name__].stats.poisson.expect(5, (2.0,)))


def test_a_filter_without_a_window_and_without_a_function():
    check(lambda xp: SCIPY[xp.__name__].ndimage.generic_filter(xp.ones((2, 3)), 5))


def test_axes_named_twice():
    with pytest.raises(ValueError, match="duplicate axes"):
        cp.tensordot(cp.ones(4), cp.ones(4), [[1, 1], [1, 1]])


@pytest.mark.parametrize("axes", [5, 2**40])
def test_more_axes_than_there_are(axes):
    with pytest.raises(IndexError, match="out of range"):
        cp.tensordot(cp.ones((2, 2)), cp.ones((2, 2)), axes)


@pytest.mark.parametrize("weights", [len, lambda f: f[:2]], ids=["a number", "too few"])
def test_weights_that_are_none(weights):
    with pytest.raises(ValueError, match="window must give 8 weights"):
        gpunp.scipy.signal.resample(cp.ones(8), 4, window=weights)


@pytest.mark.parametrize("order", [3, 4, 9, 2**31])
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_neighbours_beyond_the_ends(order, mode):
    """Complex numbers and times are compared by a loop, which ends after as many as there are."""
    check(
        lambda xp: SCIPY[xp.__name__].signal.argrelmax(
            xp.asarray(np.array([3, 1, 4, 5], "m8[s]")),
            order=min(order, 9 if xp is np else order),
            mode=mode,
        )
    )


TOO_LARGE = {
    "smoothed window": lambda m: m.signal.savgol_filter(cp.ones(8), 2**40 + 1, 2),
    "weights of a window": lambda m: m.signal.savgol_coeffs(2**40 + 1, 2),
    "discrete response": lambda m: m.signal.dimpulse(([1.0], [1.0, 0.5], 1.0), n=2**40),
    "response at late times": lambda m: m.signal.dlti([1.0], [1.0, 0.5]).impulse(t=(2**40,) * 3),
    "response": lambda m: m.signal.lti([1.0], [1.0, 0.5]).impulse(N=2**40),
    "points of a search": lambda m: m.optimize.shgo(lambda x: x.sum(), [(0, 1)], n=2**40),
    "means": lambda m: m.cluster.vq.kmeans2(cp.ones((2, 3)), 2**40),
    "repetitions": lambda m: cp.repeat(cp.ones(3), (2**40,) * 3),
}


@pytest.mark.parametrize("call", TOO_LARGE.values(), ids=TOO_LARGE)
def test_sizes_beyond_the_memory(call):
    """Before the host makes such an array."""
    with pytest.raises(MemoryError):
        call(gpunp.scipy)


def test_samples_that_are_numbers():
    with pytest.raises(ValueError, match="samples of one dimension"):
        gpunp.scipy.stats.anderson_ksamp(range(2**62))


def test_tables_without_columns():
    check(lambda xp: SCIPY[xp.__name__].stats.random_table.rvs([0, 0], [], size=2))


@pytest.mark.parametrize("steps", [-1, -2, -(10**30)])
def test_no_steps_of_eigenvectors(steps):
    found = [
        m.sparse.linalg.lobpcg(xp.diag(xp.arange(1.0, 9.0)), xp.eye(8)[:, :1], maxiter=steps)[0]
        for m, xp in ((scipy, np), (gpunp.scipy, cp))
    ]
    assert found[1].get() == found[0]


def test_residuals_on_a_parabola():
    """A search whose polynomial of degree three is one of degree two."""
    found = gpunp.scipy.optimize.anderson(lambda x: x - 1, np.float16(2), maxiter=5, f_tol=0.01)
    assert abs(float(found) - 1) < 0.01


ENDLESS = {
    "axes": lambda m: m.sparse.coo_array((3, 3)).transpose(range(2**62)),
    "shape": lambda m: cp.resize(cp.ones(3), range(2**62)),
    "bound": lambda m: m.stats.gamma.expect(lambda x: x, (2.0,), lb=nested_in_itself()),
    "bracket": lambda m: m.stats.ppcc_max(cp.arange(6.0), nested_in_itself()),
    "constraints": lambda m: m.sparse.linalg.lobpcg(cp.eye(9), cp.eye(9)[:, :1], Y=5),
    "word": lambda m: m.spatial.distance.squareform(cp.ones(6), force=5),
}


@pytest.mark.parametrize("call", ENDLESS.values(), ids=ENDLESS)
def test_arguments_without_an_end_or_of_another_kind(call):
    with pytest.raises(ValueError):
        call(gpunp.scipy)


def test_size_along_several_axes():
    for axes in ([0, 1], (1, 2), [], np.array([0, 2])):
        check(lambda xp, axes=axes: xp.asarray(xp.size(xp.ones((2, 3, 4)), axes)))
