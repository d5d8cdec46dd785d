"""Reductions used by gpunp.linalg's norms: rows of csrc/tables/reductions.def."""

from .._C import norm_max, norm_min, norm_one, norm_three, norm_two, norm_zero

__all__ = ["norm_max", "norm_min", "norm_one", "norm_three", "norm_two", "norm_zero"]
