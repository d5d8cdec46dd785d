"""Functions of the extension for gpunp.random: sources of random words, and samples."""

from typing import Any

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
    "looked_at",
    "random_distributions",
    "random_draw",
    "random_integers",
    "random_permutation",
    "random_rows",
    "random_sample",
]


def looked_at(value: Any) -> Any:
    """A parameter for checks: on the host if set_index_mode("raise") allows to wait."""
    return value.get() if isinstance(value, ndarray) and index_mode_raises() else value
