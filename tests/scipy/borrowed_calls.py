"""One call of each borrowed name: `CALLS[name](function, a)`, where `a` makes an array of NumPy's or ours.

The names are those of `gpunp.scipy._borrowed_names.NAMES`, "module.name". What a call returns is compared
number by number with what the same call returns for NumPy's arrays.
"""

import numpy as np

rng = np.random.default_rng(7)
X = rng.normal(size=20)
Y = X * 0.7 + rng.normal(size=20)
M = rng.normal(size=(4, 12))
N = rng.normal(size=(4, 12)) + 0.2
POSITIVE = np.abs(M) + 0.5
LINKAGE = np.asarray([[0.0, 1, 0.5, 2], [2, 3, 0.6, 2], [4, 5, 1.0, 4]])
QUATERNION = np.asarray([0.0, 0.6, 0.0, 0.8])


def one(*arrays, **options):
    """A call with these arrays."""
    return lambda f, a: f(*(a(x) if isinstance(x, np.ndarray) else x for x in arrays), **options)


def square(x):
    return x**2


CALLS = {}


def add(module, **calls):
    CALLS.update({f"{module}.{name}": call for name, call in calls.items()})


for _name in [
    "differential_entropy",
    "kstat",
    "kstatvar",
    "tmax",
    "tmin",
]:
    add("stats", **{_name: one(X) if _name in ("kstat", "kstatvar") else one(M, axis=1)})
for _name in ["yeojohnson_llf"]:
    add("stats", **{_name: one(0.4, POSITIVE)})
for _name in [
    "epps_singleton_2samp",
    "fligner",
    "mood",
    "alexandergovern",
    "chatterjeexi",
    "spearmanrho",
]:
    add("stats", **{_name: one(X, Y)})
add("stats", lmoment=one(X))
add(
    "stats",
    directional_stats=lambda f, a: f(a(M)).mean_direction,
    quantile=one(M, 0.3, axis=1),
    sigmaclip=one(X, 1.5, 1.5),
    bootstrap=lambda f, a: (
        f(
            (a(X),),
            lambda x, axis: x.mean(axis=axis),
            n_resamples=50,
            method="percentile",
            rng=np.random.default_rng(3),
        ).standard_error
    ),
    monte_carlo_test=lambda f, a: f(
        a(X),
        lambda size: a(np.random.default_rng(3).normal(size=size)),
        lambda x, axis: x.mean(axis=axis),
        n_resamples=50,
    ),
    permutation_test=lambda f, a: f(
        (a(X), a(Y)),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        n_resamples=50,
        rng=np.random.default_rng(3),
        vectorized=True,
    ),
    ttest_ind_from_stats=lambda f, a: f(
        a(np.asarray(1.0)), a(np.asarray(2.0)), 10, a(np.asarray(1.5)), a(np.asarray(1.0)), 12
    ),
)
add(
    "integrate",
    cubature=lambda f, a: f(lambda x: (x**2).sum(axis=-1), a(np.zeros(2)), a(np.ones(2))).estimate,
    nsum=lambda f, a: f(lambda k: 1 / k**2, a(np.asarray(1.0)), a(np.asarray(50.0))).sum,
    qmc_quad=lambda f, a: (
        f(
            lambda x: (x**2).sum(axis=0), a(np.zeros(2)), a(np.ones(2)), n_points=16, qrng=halton()
        ).integral
    ),
    tanhsinh=lambda f, a: f(square, a(np.asarray([0.0, 1.0])), a(np.asarray([2.0, 3.0]))).integral,
)
add(
    "differentiate",
    derivative=lambda f, a: f(square, a(X)).df,
    jacobian=lambda f, a: f(lambda x: x**2, a(X[:3])).df,
    hessian=lambda f, a: f(lambda x: (x**2).sum(axis=0), a(X[:3])).ddf,
)
LOW, HIGH = (np.asarray([0.0, 0.5]), np.asarray([3.0, 4.0]))
add(
    "optimize.elementwise",
    find_root=lambda f, a: f(lambda x: x**2 - 2, (a(LOW), a(HIGH))).x,
    find_minimum=lambda f, a: f(lambda x: (x - 2) ** 2, (a(LOW), a(LOW + 1), a(HIGH))).f_x,
    bracket_root=lambda f, a: f(lambda x: x**2 - 2, a(LOW), a(HIGH)).bracket,
    bracket_minimum=lambda f, a: (
        f(lambda x: (x - 2) ** 2, a(LOW), xl0=a(LOW - 1), xr0=a(HIGH)).bracket
    ),
)
add("stats.contingency", margins=one(POSITIVE))
add(
    "constants",
    convert_temperature=one(X, "Celsius", "Kelvin"),
    lambda2nu=one(POSITIVE),
    nu2lambda=one(POSITIVE),
)
add(
    "cluster.hierarchy",
    is_isomorphic=one(np.asarray([1, 1, 2]), np.asarray([2, 2, 1])),
    is_monotonic=one(LINKAGE),
    is_valid_im=one(np.zeros((3, 4))),
    is_valid_linkage=one(LINKAGE),
    num_obs_linkage=one(LINKAGE),
    to_tree=lambda f, a: f(a(LINKAGE)).count,
    correspond=one(LINKAGE, np.asarray([1.0] * 6)),
    cut_tree=one(LINKAGE),
    to_mlab_linkage=one(LINKAGE),
)
add(
    "spatial.transform",
    Rotation=lambda f, a: f.from_quat(a(QUATERNION)).as_matrix(),
    RigidTransform=lambda f, a: f.from_translation(a(X[:3])).as_matrix(),
    Slerp=lambda f, a: f(a(np.asarray([0.0, 1.0])), rotations(a))(a(np.asarray([0.25]))).as_quat(),
)


def halton():
    """A generator of points with a seed of its own."""
    from scipy.stats.qmc import Halton

    return Halton(2, rng=np.random.default_rng(3))


def rotations(a):
    """Two rotations, from quaternions of either kind."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(a(np.asarray([[0.0, 0.0, 0.0, 1.0], QUATERNION])))
