# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp._C import EmulatedDeviceWarning as EmulatedDeviceWarning
from numpy.exceptions import AxisError as AxisError
from numpy.exceptions import ComplexWarning as ComplexWarning
from numpy.exceptions import DTypePromotionError as DTypePromotionError
from numpy.exceptions import ModuleDeprecationWarning as ModuleDeprecationWarning
from numpy.exceptions import RankWarning as RankWarning
from numpy.exceptions import TooHardError as TooHardError
from numpy.exceptions import VisibleDeprecationWarning as VisibleDeprecationWarning

class PerformanceWarning(_b.RuntimeWarning):
    ...
