"""Seeds as NumPy takes them, of which it would not come to an end or would take all memory."""

from collections.abc import Sized
from typing import Any

import numpy as np
from numpy.random import SeedSequence
from numpy.random.bit_generator import ISeedSequence

from .._core._convert import refuse_endless
from .._core.multiarray import ndarray

#: Numbers of a seed: NumPy keeps an array for each while it collects them, which Ctrl-C cannot end.
_MOST_ENTROPY = 1 << 28


def seed_sequence(seed: Any) -> Any:
    """What numpy.random.SeedSequence makes of a seed; arrays of any kind count as entropy."""
    if isinstance(seed, ISeedSequence):
        return seed
    if isinstance(seed, ndarray):
        seed = seed.get()
    if isinstance(seed, np.bool_):
        seed = int(seed)
    if isinstance(seed, np.ndarray):
        seed = [int(x) for x in seed.ravel()]
    seed = refuse_endless(seed)
    if isinstance(seed, Sized) and len(seed) > _MOST_ENTROPY:
        raise MemoryError(f"a seed of {len(seed)} numbers")
    return SeedSequence(seed)


def host_generator(rng: Any) -> np.random.Generator:
    """NumPy's generator of what `numpy.random.default_rng` takes. Numbers of an array are read one
    by one: NumPy descends into a `numpy.matrix`, whose rows are matrices, until the process ends.
    """
    return np.random.default_rng(seed_sequence(rng) if isinstance(rng, np.ndarray) else rng)
