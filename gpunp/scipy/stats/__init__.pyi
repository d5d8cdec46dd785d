# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


alexandergovern: _t.Any
ansari: _t.Any
bartlett: _t.Any
bootstrap: _t.Any
def boxcox_llf(lmb: _t.SupportsFloat | _g.ndarray, data: _T.ArrayLike, *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, keepdims: _T._Bool = False, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _g.ndarray: ...
brunnermunzel: _t.Any
chatterjeexi: _t.Any
chisquare: _t.Any
circmean: _t.Any
circstd: _t.Any
circvar: _t.Any
combine_pvalues: _t.Any
describe: _t.Any
differential_entropy: _t.Any
directional_stats: _t.Any
def entropy(pk: _T.ArrayLike, qk: _T.ArrayLike | None = None, base: _t.SupportsFloat | None = None, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, *, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _g.ndarray: ...
epps_singleton_2samp: _t.Any
f_oneway: _t.Any
false_discovery_control: _t.Any
fligner: _t.Any
friedmanchisquare: _t.Any
gmean: _t.Any
gstd: _t.Any
gzscore: _t.Any
hmean: _t.Any
iqr: _t.Any
jarque_bera: _t.Any
kruskal: _t.Any
kstat: _t.Any
kstatvar: _t.Any
kurtosis: _t.Any
kurtosistest: _t.Any
levene: _t.Any
lmoment: _t.Any
mannwhitneyu: _t.Any
median_abs_deviation: _t.Any
mode: _t.Any
moment: _t.Any
monte_carlo_test: _t.Any
mood: _t.Any
normaltest: _t.Any
pearsonr: _t.Any
permutation_test: _t.Any
pmean: _t.Any
power_divergence: _t.Any
quantile: _t.Any
rankdata: _t.Any
sem: _t.Any
sigmaclip: _t.Any
skew: _t.Any
skewtest: _t.Any
spearmanr: _t.Any
spearmanrho: _t.Any
tmax: _t.Any
tmean: _t.Any
tmin: _t.Any
def trim_mean(a: _T.ArrayLike, proportiontocut: _t.SupportsFloat, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, *, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _g.ndarray: ...
tsem: _t.Any
tstd: _t.Any
ttest_1samp: _t.Any
ttest_ind: _t.Any
ttest_ind_from_stats: _t.Any
ttest_rel: _t.Any
tvar: _t.Any
variation: _t.Any
wilcoxon: _t.Any
yeojohnson_llf: _t.Any
def zmap(scores: _T.ArrayLike, compare: _T.ArrayLike, axis: _t.SupportsIndex | None = 0, ddof: _t.SupportsIndex = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _g.ndarray: ...
def zscore(a: _T.ArrayLike, axis: _t.SupportsIndex | None = 0, ddof: _t.SupportsIndex = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _g.ndarray: ...
