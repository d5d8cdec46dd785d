"""The extension's part of gpunp.random: sources of random words and draws from them."""

from .._C import (
    CurandGenerator,
    RandomStream,
    random_distributions,
    random_draw,
    random_integers,
    random_order,
    random_rows,
    random_sample,
)

__all__ = [
    "CurandGenerator",
    "RandomStream",
    "random_distributions",
    "random_draw",
    "random_integers",
    "random_order",
    "random_rows",
    "random_sample",
]
