# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.scipy.stats import chi2_contingency as chi2_contingency

def association(observed: _T.ArrayLike, method: _t.Literal['cramer', 'tschuprow', 'pearson'] = 'cramer', correction: _T._Bool = False, lambda_: _t.SupportsFloat | _b.str | None = None) -> _g.ndarray: ...
def crosstab(*args: _T.ArrayLike, levels: _a.Sequence[_t.Any] | None = None, sparse: _T._Bool = False) -> _b.tuple[_t.Any, ...]: ...
def expected_freq(observed: _T.ArrayLike) -> _g.ndarray: ...
margins: _t.Any
def odds_ratio(table: _T._ArrayLikeOrHost, *, kind: _t.Literal['conditional', 'sample'] = 'conditional') -> _t.Any: ...
def relative_risk(exposed_cases: _t.SupportsIndex, exposed_total: _t.SupportsIndex, control_cases: _t.SupportsIndex, control_total: _t.SupportsIndex) -> _t.Any: ...
