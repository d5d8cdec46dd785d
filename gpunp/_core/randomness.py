"""Functions of the extension for gpunp.random: sources of random words, and samples."""

from collections.abc import Sized
from typing import Any

import numpy as np

from .._C import (
    CurandGenerator,
    RandomStream,
    index_mode_raises,
    random_distributions,
    random_draw,
    random_integers,
    random_permutation,
    random_rows,
    random_sample,
)
from ._convert import without_cycles
from .multiarray import ndarray

__all__ = [
    "CurandGenerator",
    "RandomStream",
    "checked_seed",
    "host_generator",
    "looked_at",
    "random_distributions",
    "random_draw",
    "random_integers",
    "random_permutation",
    "random_rows",
    "random_sample",
]


#: Numbers of a seed: NumPy keeps an array for each while it collects them, which Ctrl-C cannot end.
MOST_SEEDS = 1 << 28


def looked_at(value: Any) -> Any:
    """A parameter for checks: on the host if set_index_mode("raise") allows to wait."""
    return value.get() if isinstance(value, ndarray) and index_mode_raises() else value


def checked_seed(seed: Any) -> Any:
    """A seed as the user gave it; MemoryError for more numbers than a seed can have, and ValueError
    for a list that contains itself, in which NumPy would not come to an end.
    """
    if isinstance(seed, Sized) and len(seed) > MOST_SEEDS:
        raise MemoryError(f"a seed of {len(seed)} numbers")
    return without_cycles(seed)


def host_generator(rng: Any) -> np.random.Generator:
    """NumPy's generator of what `numpy.random.default_rng` takes. Numbers of an array are read one
    by one: NumPy descends into a `numpy.matrix`, whose rows are matrices, until the process ends.
    """
    numbers = rng.ravel().tolist() if isinstance(rng, np.ndarray) else checked_seed(rng)
    return np.random.default_rng(numbers[0] if isinstance(rng, np.matrix) else numbers)
