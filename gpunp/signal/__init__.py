"""Signals of acoustics and radar: the functions of `cupyx.signal`."""

from . import _acoustics, _convolution, _filtering, _radartools
from ._acoustics import *
from ._convolution import *
from ._filtering import *
from ._radartools import *

__all__: list[str] = []
__all__ += _acoustics.__all__
__all__ += _convolution.__all__
__all__ += _filtering.__all__
__all__ += _radartools.__all__
