"""Polynomials in several bases, by their coefficients, lowest degree first.

What needs arithmetic only is here: sums, products, values, derivatives, matrices of basis
functions. Fits and roots need linear algebra and are not; nor are the classes, made of them.
"""

from . import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils

__all__ = ["chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial", "polyutils"]
