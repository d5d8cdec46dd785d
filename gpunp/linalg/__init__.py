"""Linear algebra that needs only element-wise work and reductions: norms and views of matrices."""

from ._linalg import *
from ._linalg import __all__
