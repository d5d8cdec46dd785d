"""Functions of the extension for gpunp.random: sources of random words, and samples."""

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
from .multiarray import ndarray

__all__ = [
    "CurandGenerator",
    "RandomStream",
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


def host_generator(rng: Any) -> np.random.Generator:
    """NumPy's generator of what `numpy.random.default_rng` takes. Numbers of an array are read one
    by one: NumPy descends into a `numpy.matrix`, whose rows are matrices, until the process ends.
    """
    if isinstance(rng, range) and len(rng) > MOST_SEEDS:
        raise MemoryError(f"a seed of {len(rng)} numbers")
    numbers = rng.ravel().tolist() if isinstance(rng, np.ndarray) else rng
    return np.random.default_rng(numbers[0] if isinstance(rng, np.matrix) else numbers)
