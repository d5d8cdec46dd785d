"""RandomState and the functions of gpunp.random, with CuPy's dtype argument."""

import inspect
import pickle
import warnings

import numpy as np
import pytest

import gpunp as cp

stats = pytest.importorskip("scipy.stats")

FUNCTIONS = [
    name
    for name in cp.random.__all__
    if not inspect.isclass(getattr(cp.random, name)) and hasattr(cp.random.RandomState, name)
]
ARGUMENTS = {
    "beta": (2, 3), "binomial": (10, 0.3), "chisquare": (3,), "dirichlet": ([1, 2, 3],),
    "exponential": (2,), "f": (3, 4), "gamma": (2, 3), "geometric": (0.3,), "gumbel": (0, 1),
    "hypergeometric": (5, 6, 7), "laplace": (0, 1), "logistic": (0, 1), "lognormal": (0, 1),
    "logseries": (0.5,), "multinomial": (5, [0.2, 0.8]), "negative_binomial": (3, 0.5),
    "noncentral_chisquare": (2, 1), "noncentral_f": (2, 3, 1), "normal": (0, 1), "pareto": (2,),
    "poisson": (3,), "power": (2,), "rayleigh": (1,), "standard_cauchy": (),
    "standard_exponential": (), "standard_gamma": (2,), "standard_normal": (), "standard_t": (3,),
    "triangular": (0, 1, 2), "uniform": (0, 2), "vonmises": (0, 1), "wald": (1, 2),
    "weibull": (2,), "zipf": (3,), "random_sample": (), "randint": (7,), "random_integers": (7,),
    "choice": (5,), "multivariate_normal": ([0.0, 1.0], [[2.0, 0.3], [0.3, 1.0]]),
}  # fmt: skip


@pytest.mark.null
def test_every_distribution_is_covered():
    others = {"bytes", "permutation", "rand", "randn", "random", "seed", "shuffle"}
    others |= {"get_state", "set_state"}
    assert set(FUNCTIONS) == set(ARGUMENTS) | others


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_function_draws_from_the_state(name):
    args = ARGUMENTS[name]
    cp.random.seed(5)
    ours = getattr(cp.random, name)(*args, size=(3, 4))
    state = cp.random.RandomState(5)
    again = getattr(state, name)(*args, size=(3, 4))
    numpys = getattr(np.random.RandomState(5), name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        theirs, one = numpys(*args, size=(3, 4)), np.asarray(numpys(*args))
    assert (ours == again).all()
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    single = getattr(cp.random, name)(*args)
    assert single.shape == one.shape


@pytest.mark.parametrize(
    "name", ["normal", "gamma", "vonmises", "uniform", "rand", "randn", "random"]
)
def test_dtype(name):
    args = (2,) if name == "gamma" else (0, 1) if name == "vonmises" else ()
    keywords = {} if name.startswith("rand") and name != "random" else {"size": 3}
    args = (3,) if name in ("rand", "randn") else args
    x = getattr(cp.random, name)(*args, **keywords, dtype=cp.float32)
    assert x.dtype == np.float32 and x.shape == (3,)
    with pytest.raises(TypeError):
        getattr(cp.random, name)(*args, **keywords, dtype=np.int32)


def test_counts_take_integer_dtypes():
    assert cp.random.poisson(3, size=4, dtype=np.int32).dtype == np.int32
    assert cp.random.binomial(3, 0.5, 4, np.uint8).dtype == np.uint8
    with pytest.raises(TypeError):
        cp.random.poisson(3, size=4, dtype=np.float32)


def test_rand_and_randn():
    assert cp.random.rand().shape == () and cp.random.rand(2, 3).shape == (2, 3)
    assert cp.random.randn(4, dtype=np.float32).dtype == np.float32
    x = cp.random.RandomState(1).randn(20000).get()
    assert stats.kstest(x, "norm").pvalue > 1e-4


def test_randint():
    state = cp.random.RandomState(1)
    x = state.randint(3, 9, 2000).get()
    assert x.min() == 3 and x.max() == 8 and x.dtype == np.int64
    assert state.randint(5, size=3, dtype=np.int8).dtype == np.int8
    assert set(state.random_integers(3, size=100).get().tolist()) == {1, 2, 3}
    assert set(state.random_integers(-1, 1, size=100).get().tolist()) == {-1, 0, 1}
    with pytest.raises(ValueError, match="low >= high"):
        state.randint(5, 5)
    x = state.tomaxint(1000).get()
    assert x.min() >= 0 and x.max() > 2**61


def test_legacy_uniform_takes_any_order_of_ends():
    x = cp.random.RandomState(1).uniform(3, 1, 100).get()
    assert ((x > 1) & (x <= 3)).all()


@pytest.mark.parametrize(
    "low, high", [(0, np.inf), (np.nan, 1), ([0, -1e308], [1, 1e308]), (-np.inf, 2)]
)
def test_legacy_uniform_between_finite_ends(low, high):
    for module in (np, cp):
        with np.errstate(over="ignore"), pytest.raises(OverflowError):
            module.random.RandomState(1).uniform(low, high)
        with np.errstate(over="ignore"), pytest.raises(OverflowError):
            module.random.uniform(low, high, 3)


def test_choice_of_a_vector_only():
    state = cp.random.RandomState(1)
    assert state.choice(cp.asarray([5, 6, 7]), (2, 2)).shape == (2, 2)
    for bad in (cp.zeros((2, 2)), 0, []):
        with pytest.raises(ValueError):
            state.choice(bad)


def test_seeds():
    for seed in (3, np.array([1, 2, 3, 4, 5]), [1, 2], None):
        one, other = cp.random.RandomState(seed), cp.random.RandomState(seed)
        assert (one.rand(5) == other.rand(5)).all() == (seed is not None)
    assert (cp.random.RandomState(1).rand(5) != cp.random.RandomState(2).rand(5)).any()
    state = cp.random.RandomState(cp.random.XORWOW(7))
    state.rand(3)
    with pytest.raises((ValueError, TypeError)):
        cp.random.seed(-1)


def test_states_are_kept_and_replaced():
    before = cp.random.get_random_state()
    try:
        mine = cp.random.RandomState(8)
        cp.random.set_random_state(mine)
        assert cp.random.get_random_state() is mine
        assert (cp.random.rand(4) == cp.random.RandomState(8).rand(4)).all()
        with pytest.raises(TypeError):
            cp.random.set_random_state(8)
        cp.random.reset_states()
        assert cp.random.get_random_state() is not mine
    finally:
        cp.random.set_random_state(before)


def test_state_round_trip_and_pickle():
    state = cp.random.RandomState(3)
    state.rand(7)
    saved = state.get_state()
    x = state.randn(5)
    state.set_state(saved)
    other = pickle.loads(pickle.dumps(state))
    assert (state.randn(5) == x).all() and (other.randn(5) == x).all()


@pytest.mark.null
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_have_the_methods_signature(name):
    ours = inspect.signature(getattr(cp.random, name)).parameters
    method = inspect.signature(getattr(cp.random.RandomState, name)).parameters
    assert ["self", *ours] == list(method)
    assert inspect.getdoc(getattr(cp.random, name))


def test_shuffle_and_permutation():
    x = cp.arange(10)
    cp.random.shuffle(x)
    assert sorted(x.get().tolist()) == list(range(10))
    assert sorted(cp.random.permutation(10).get().tolist()) == list(range(10))
    assert len(cp.random.bytes(5)) == 5


def test_dirichlet_takes_a_dtype():
    x = cp.random.dirichlet([1, 2, 3], 5, dtype=np.float32)
    assert x.dtype == np.float32 and x.shape == (5, 3)
    assert abs(x.sum(axis=1) - 1).max() < 1e-6


def test_state_of_the_module():
    cp.random.seed(5)
    cp.random.normal(size=7)
    saved = cp.random.get_state()
    first = cp.random.random(9).get()
    cp.random.set_state(saved)
    assert np.array_equal(cp.random.random(9).get(), first)
    other = cp.random.RandomState(1)
    other.set_state(saved)
    assert np.array_equal(other.random_sample(9).get(), first)
