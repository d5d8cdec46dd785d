# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.cuda import Event as Event
from gpunp.cuda import ExternalStream as ExternalStream
from gpunp.cuda import Stream as Stream
from gpunp.cuda import get_current_stream as get_current_stream
from gpunp.cuda import get_elapsed_time as get_elapsed_time

