"""What test suites of array programs use: assertions, example data, and decorators that run a test
with NumPy and with gpunp, once for each dtype.

The assertions are NumPy's; both sides may be on the device or on the host.
"""

from . import _array, _data, _helper, _loops, _parameterized, _random
from ._array import *
from ._data import *
from ._helper import *
from ._loops import *
from ._parameterized import *
from ._random import *

__all__ = sorted(
    name
    for module in (_array, _data, _helper, _loops, _parameterized, _random)
    for name in module.__all__
)
