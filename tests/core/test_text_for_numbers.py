"""Text where a number belongs: a difference from NumPy, which reads it (docs/differences.md)."""

import numpy as np
import pytest
from check import check

import gpunp as cp

PLACES = {
    "element": lambda xp, text: xp.zeros(3).__setitem__(0, text),
    "slice": lambda xp, text: xp.zeros(3).__setitem__(slice(None), text),
    "fill": lambda xp, text: xp.zeros(3).fill(text),
    "take": lambda xp, text: xp.zeros(9).take(text),
    "put": lambda xp, text: xp.zeros(3).put(0, text),
    "full": lambda xp, text: xp.full(3, text, float),
}


@pytest.mark.parametrize("place", PLACES)
def test_text_is_no_number(place):
    PLACES[place](np, "3")
    with pytest.raises(ValueError):
        PLACES[place](np, "x")
    for text in ("3", "x"):
        with pytest.raises(TypeError):
            PLACES[place](cp, text)


@pytest.mark.parametrize(
    "arguments",
    [
        ("x",), ("2020", "2021"), ("2020", 5), (3, "5"), ("x", {"dtype": int}),
        ("2020", {"dtype": "M8[Y]"}), ("2020", "2022", {"dtype": "M8[Y]"}),
    ],
)  # fmt: skip
def test_arange_of_text(arguments):
    options = arguments[-1] if isinstance(arguments[-1], dict) else {}
    numbers = arguments[: len(arguments) - len(options)]
    check(lambda xp: xp.arange(*numbers, **options))


def test_arange_of_text_beside_a_date():
    check(lambda xp: xp.arange("2020", np.datetime64("2023")))
    check(lambda xp: xp.arange(np.datetime64("2020"), "2023"))
