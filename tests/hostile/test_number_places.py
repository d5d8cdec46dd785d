"""Numbers of the device in every place of a number that a table of calls has: number_places.py."""

import number_places
import numpy as np
import pytest

import gpunp as cp

PLACES = number_places.places()
PARTS = 16


def refused(places):
    """What gpunp refuses of places, given device arrays without axes and NumPy's numbers."""
    for place in places:
        for number in (cp.asarray, lambda value: np.asarray(value)[()]):
            found = number_places.refused(place, number)
            if found:
                yield f"{place.name}, {place.number}: {found[:200]}"


def test_there_are_places_of_all_modules():
    names = {place.name for place in PLACES}
    assert len(PLACES) > 3000
    assert {"trim_mean", "gaussian_kde", "query", "kmeans2", "eye", "firwin", "welch"} <= names


def test_some_places():
    """Each 40th; the others in the slow test."""
    assert list(refused(PLACES[::40])) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_places(part):
    assert list(refused(PLACES[part::PARTS])) == []
