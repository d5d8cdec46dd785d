"""What is no real number is no parameter: TypeError, as in NumPy."""

import numpy as np
import pytest
from check import check

ARRAYS = {
    "dates": lambda: np.array([5], "M8[s]"),
    "times": lambda: np.array([5], "m8[s]"),
    "complex": lambda: np.array([2j]),
    "a date": lambda: np.datetime64(5, "s"),
}


@pytest.mark.parametrize("name", ["poisson", "zipf", "normal", "exponential", "binomial"])
@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("on_device", [False, True])
def test_kinds(name, kind, on_device):
    value = ARRAYS[kind]()
    if on_device and value.ndim == 0:
        value = np.array([value])

    def body(xp):
        given = xp.asarray(value) if on_device else value
        getattr(xp.random, name)(given, *[0.5] * (name == "binomial"))

    check(body)


@pytest.mark.parametrize(
    "value", ["1.5", b"1", np.str_("1"), [np.array(["1.5"])], [np.array([None])]]
)
def test_text_and_objects(value):
    value = value[0] if isinstance(value, list) else value
    check(lambda xp: xp.random.logistic(value))
    check(lambda xp: xp.random.default_rng(1).normal(0, value))


@pytest.mark.parametrize("alpha", [3, 3.5, -5, np.float64(2)])
def test_dirichlet_of_a_number(alpha):
    check(lambda xp: xp.random.dirichlet(alpha))
    check(lambda xp: xp.random.default_rng(1).dirichlet(xp.asarray(alpha)))


VALUES = {
    "seconds": np.timedelta64(5, "s"),
    "no time": np.timedelta64("NaT"),
    "None": None,
    "a list with None": [1.5, None],
    "text": "a",
    "text of a number": "5",
}
OTHERS = {
    "binomial": (0.5,),
    "triangular": (1.0, 2.0),
    "hypergeometric": (5, 3),
    "multinomial": ([0.5, 0.5],),
}


@pytest.mark.parametrize(
    "name",
    [
        "normal",
        "uniform",
        "integers",
        "geometric",
        "binomial",
        "triangular",
        "hypergeometric",
        "multinomial",
    ],
)
@pytest.mark.parametrize("kind", VALUES)
def test_values(name, kind):
    if (name, kind) in (("normal", "a list with None"), ("integers", "text of a number")):
        return  # accepted
    check(lambda xp: getattr(xp.random.default_rng(1), name)(VALUES[kind], *OTHERS.get(name, ())))


@pytest.mark.parametrize("name", ["integers", "multinomial"])
def test_times_on_the_device(name):
    check(
        lambda xp: getattr(xp.random.default_rng(1), name)(
            xp.ones(1, "m8[s]"), *OTHERS.get(name, ())
        )
    )
