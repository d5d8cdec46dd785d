"""`gpunp.scipy.special`, where code that takes its namespace from `__array_namespace__` looks."""

import sys

from .scipy import special

sys.modules[__name__] = special
