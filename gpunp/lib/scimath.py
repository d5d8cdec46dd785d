"""numpy.lib.scimath, also known as numpy.emath."""

from ._scimath_impl import arccos, arcsin, arctanh, log, log2, log10, logn, power, sqrt

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]
