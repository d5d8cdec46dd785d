# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


class _ConfidenceInterval(_t.NamedTuple):
    low: None
    high: None
class _Mean(_t.NamedTuple):
    statistic: None
    minmax: None
class _Variance(_t.NamedTuple):
    statistic: None
    minmax: None
class _Std_dev(_t.NamedTuple):
    statistic: None
    minmax: None
class _ConfidenceInterval(_t.NamedTuple):
    low: None
    high: None
class _TtestResult(_t.NamedTuple):
    statistic: None
    pvalue: None
class _PearsonRResult(_t.NamedTuple):
    statistic: None
    pvalue: None
class _ConfidenceInterval(_t.NamedTuple):
    low: None
    high: None
alexandergovern: _t.Any
alpha: _t.Any
anglit: _t.Any
ansari: _t.Any
arcsine: _t.Any
argus: _t.Any
def barnard_exact(table: _T._ArrayLikeOrHost, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', pooled: _T._Bool = True, n: _t.SupportsIndex = 32) -> _t.Any: ...
bartlett: _t.Any
def bayes_mvs(data: _T.ArrayLike, alpha: _t.SupportsFloat = ...) -> _b.tuple: ...
bernoulli: _t.Any
beta: _t.Any
betabinom: _t.Any
betanbinom: _t.Any
betaprime: _t.Any
def binned_statistic(x: _T.ArrayLike, values: _T.ArrayLike | _a.Sequence[_t.Any], statistic: _b.str | _a.Callable[..., _t.Any] = 'mean', bins: _t.SupportsIndex | _T.ArrayLike = 10, range: _a.Sequence[_t.SupportsFloat] | None = None) -> _b.tuple: ...
def binned_statistic_2d(x: _T.ArrayLike, y: _T.ArrayLike, values: _T.ArrayLike | _a.Sequence[_t.Any], statistic: _b.str | _a.Callable[..., _t.Any] = 'mean', bins: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | _T.ArrayLike | _a.Sequence[_T.ArrayLike] = 10, range: _a.Sequence[_a.Sequence[_t.SupportsFloat]] | None = None, expand_binnumbers: _T._Bool = False) -> _b.tuple: ...
def binned_statistic_dd(sample: _g.ndarray | _a.Sequence[_g.ndarray], values: _T.ArrayLike | _a.Sequence[_t.Any], statistic: _b.str | _a.Callable[..., _t.Any] = 'mean', bins: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | _T.ArrayLike = 10, range: _a.Sequence[_a.Sequence[_t.SupportsFloat]] | None = None, expand_binnumbers: _T._Bool = False, binned_statistic_result: _t.Any = None) -> _b.tuple: ...
binom: _t.Any
def binomtest(k: _t.SupportsIndex, n: _t.SupportsIndex, p: _t.SupportsFloat = ..., alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided') -> _t.Any: ...
boltzmann: _t.Any
bootstrap: _t.Any
def boschloo_exact(table: _T._ArrayLikeOrHost, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', n: _t.SupportsIndex = 32) -> _t.Any: ...
def boxcox(x: _T.ArrayLike, lmbda: _t.SupportsFloat | None = None, alpha: _t.SupportsFloat | None = None, optimizer: _a.Callable[..., _t.Any] | None = None) -> _b.tuple[_g.ndarray, _b.float, _b.tuple[_b.float, ...], _b.tuple[_b.float, ...]]: ...
def boxcox_llf(lmb: _t.SupportsFloat | _g.ndarray, data: _T.ArrayLike, *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, keepdims: _T._Bool = False, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _g.ndarray: ...
def boxcox_normmax(x: _T.ArrayLike, brack: _a.Sequence[_t.SupportsFloat] | None = None, method: _t.Literal['pearsonr', 'mle', 'all'] = 'pearsonr', optimizer: _a.Callable[..., _t.Any] | None = None, *, ymax: _t.SupportsFloat = ...) -> _t.Any: ...
def boxcox_normplot(x: _T.ArrayLike, la: _t.SupportsFloat, lb: _t.SupportsFloat, plot: _t.Any = None, N: _t.SupportsIndex = 80) -> _b.tuple[_g.ndarray, _g.ndarray]: ...
bradford: _t.Any
brunnermunzel: _t.Any
burr: _t.Any
burr12: _t.Any
cauchy: _t.Any
chatterjeexi: _t.Any
chi: _t.Any
chi2: _t.Any
def chi2_contingency(observed: _T.ArrayLike, correction: _T._Bool = True, lambda_: _t.SupportsFloat | _b.str | None = None, *, method: _t.Any = None) -> _b.tuple: ...
chisquare: _t.Any
circmean: _t.Any
circstd: _t.Any
circvar: _t.Any
combine_pvalues: _t.Any
cosine: _t.Any
def cramervonmises(rvs: _T.ArrayLike, cdf: _a.Callable[..., _t.Any] | _b.str, args: _a.Sequence[_t.Any] = ..., *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _t.Any: ...
def cramervonmises_2samp(x: _T.ArrayLike, y: _T.ArrayLike, method: _t.Literal['auto', 'asymptotic', 'exact'] = 'auto', *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _t.Any: ...
crystalball: _t.Any
def cumfreq(a: _T.ArrayLike, numbins: _t.SupportsIndex = 10, defaultreallimits: _a.Sequence[_t.SupportsFloat] | None = None, weights: _T.ArrayLike | None = None) -> _b.tuple: ...
def describe(a: _T.ArrayLike, axis: _t.SupportsIndex | None = 0, ddof: _t.SupportsIndex = 1, bias: _T._Bool = True, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _b.tuple: ...
dgamma: _t.Any
differential_entropy: _t.Any
directional_stats: _t.Any
dirichlet: _t.Any
dlaplace: _t.Any
dweibull: _t.Any
def ecdf(sample: _T.ArrayLike) -> _t.Any: ...
def energy_distance(u_values: _T.ArrayLike, v_values: _T.ArrayLike, u_weights: _T.ArrayLike | None = None, v_weights: _T.ArrayLike | None = None) -> _g.ndarray: ...
def entropy(pk: _T.ArrayLike, qk: _T.ArrayLike | None = None, base: _t.SupportsFloat | None = None, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, *, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _g.ndarray: ...
epps_singleton_2samp: _t.Any
erlang: _t.Any
def expectile(a: _T.ArrayLike, alpha: _t.SupportsFloat = ..., *, weights: _T.ArrayLike | None = None) -> _g.ndarray: ...
expon: _t.Any
exponnorm: _t.Any
exponpow: _t.Any
exponweib: _t.Any
f: _t.Any
def f_oneway(*samples: _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, equal_var: _T._Bool = True, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
false_discovery_control: _t.Any
fatiguelife: _t.Any
def fisher_exact(table: _T._ArrayLikeOrHost, alternative: _t.Literal['two-sided', 'less', 'greater'] | None = None, *, method: _t.Any = None) -> _t.Any: ...
fisk: _t.Any
fligner: _t.Any
foldcauchy: _t.Any
foldnorm: _t.Any
friedmanchisquare: _t.Any
gamma: _t.Any
class gaussian_kde:
    def __init__(self, dataset: _T.ArrayLike, bw_method: _b.str | _t.SupportsFloat | _a.Callable[..., _t.Any] | None = None, weights: _T.ArrayLike | None = None) -> None: ...
    def __call__(self, points: _T.ArrayLike) -> _g.ndarray: ...
    def covariance_factor(self) -> _b.float: ...
    def evaluate(self, points: _T.ArrayLike) -> _g.ndarray: ...
    def integrate_box(self, low_bounds: _T.ArrayLike, high_bounds: _T.ArrayLike, maxpts: _t.SupportsIndex | None = None, *, rng: _t.SupportsIndex | _np.random.Generator | None = None) -> _g.ndarray: ...
    def integrate_box_1d(self, low: _t.SupportsFloat, high: _t.SupportsFloat) -> _g.ndarray: ...
    def integrate_gaussian(self, mean: _T.ArrayLike, cov: _T.ArrayLike) -> _g.ndarray: ...
    def integrate_kde(self, other: _t.Any) -> _g.ndarray: ...
    @_b.property
    def inv_cov(self) -> _g.ndarray: ...
    def logpdf(self, x: _T.ArrayLike) -> _g.ndarray: ...
    def marginal(self, dimensions: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex]) -> _g.scipy.stats.gaussian_kde: ...
    @_b.property
    def neff(self) -> _b.float: ...
    def pdf(self, x: _T.ArrayLike) -> _g.ndarray: ...
    def resample(self, size: _t.SupportsIndex | None = None, seed: _t.SupportsIndex | _g.random.Generator | None = None) -> _g.ndarray: ...
    def scotts_factor(self) -> _b.float: ...
    def set_bandwidth(self, bw_method: _b.str | _t.SupportsFloat | _a.Callable[..., _t.Any] | None = None) -> None: ...
    def silverman_factor(self) -> _b.float: ...
    @_b.property
    def weights(self) -> _g.ndarray: ...
    cho_cov: _t.Any
    covariance: _g.ndarray
    d: _t.SupportsIndex
    dataset: _g.ndarray
    factor: _t.SupportsFloat
    n: _t.SupportsIndex
genexpon: _t.Any
genextreme: _t.Any
gengamma: _t.Any
genhalflogistic: _t.Any
geninvgauss: _t.Any
genlogistic: _t.Any
gennorm: _t.Any
genpareto: _t.Any
geom: _t.Any
gibrat: _t.Any
gmean: _t.Any
gompertz: _t.Any
gstd: _t.Any
gumbel_l: _t.Any
gumbel_r: _t.Any
gzscore: _t.Any
halfcauchy: _t.Any
halfgennorm: _t.Any
halflogistic: _t.Any
halfnorm: _t.Any
hmean: _t.Any
hypergeom: _t.Any
hypsecant: _t.Any
invgamma: _t.Any
invgauss: _t.Any
invweibull: _t.Any
iqr: _t.Any
def jarque_bera(x: _T.ArrayLike, *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
jf_skew_t: _t.Any
johnsonsb: _t.Any
johnsonsu: _t.Any
kappa3: _t.Any
kappa4: _t.Any
def kendalltau(x: _T.ArrayLike, y: _T.ArrayLike, *, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', method: _t.Literal['auto', 'asymptotic', 'exact'] = 'auto', variant: _t.Literal['b', 'c'] = 'b', alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None, keepdims: _T._Bool = False) -> _b.tuple: ...
def kruskal(*samples: _T.ArrayLike, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, keepdims: _T._Bool = False) -> _b.tuple: ...
def ks_1samp(x: _T.ArrayLike, cdf: _a.Callable[..., _t.Any] | _b.str, args: _a.Sequence[_t.Any] = ..., alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', method: _t.Literal['auto', 'exact', 'approx', 'asymp'] = 'auto', *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
def ks_2samp(data1: _T.ArrayLike, data2: _T.ArrayLike, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', method: _t.Literal['auto', 'exact', 'asymp'] = 'auto', *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
kstat: _t.Any
kstatvar: _t.Any
def kstest(rvs: _T.ArrayLike | _a.Callable[..., _t.Any] | _b.str, cdf: _T.ArrayLike | _a.Callable[..., _t.Any] | _b.str, args: _a.Sequence[_t.Any] = ..., N: _t.SupportsIndex = 20, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', method: _t.Literal['auto', 'exact', 'approx', 'asymp'] = 'auto', *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
kstwobign: _t.Any
def kurtosis(a: _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, fisher: _T._Bool = True, bias: _T._Bool = True, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', *, keepdims: _T._Bool = False) -> _g.ndarray: ...
def kurtosistest(a: _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', *, keepdims: _T._Bool = False) -> _b.tuple: ...
laplace: _t.Any
laplace_asymmetric: _t.Any
levene: _t.Any
levy: _t.Any
levy_l: _t.Any
def linregress(x: _T.ArrayLike, y: _T.ArrayLike, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple[_g.ndarray, _g.ndarray, _g.ndarray, _g.ndarray, _g.ndarray]: ...
lmoment: _t.Any
loggamma: _t.Any
logistic: _t.Any
loglaplace: _t.Any
lognorm: _t.Any
logser: _t.Any
loguniform: _t.Any
lomax: _t.Any
mannwhitneyu: _t.Any
maxwell: _t.Any
median_abs_deviation: _t.Any
def median_test(*samples: _T.ArrayLike, ties: _t.Literal['below', 'above', 'ignore'] = 'below', correction: _T._Bool = True, lambda_: _t.SupportsFloat | _b.str = 1, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _b.tuple: ...
mielke: _t.Any
mode: _t.Any
moment: _t.Any
monte_carlo_test: _t.Any
mood: _t.Any
moyal: _t.Any
multinomial: _t.Any
multivariate_normal: _t.Any
multivariate_t: _t.Any
def mvsdist(data: _T.ArrayLike) -> _b.tuple: ...
nakagami: _t.Any
nbinom: _t.Any
ncf: _t.Any
nct: _t.Any
ncx2: _t.Any
nhypergeom: _t.Any
norm: _t.Any
def normaltest(a: _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', *, keepdims: _T._Bool = False) -> _b.tuple: ...
norminvgauss: _t.Any
def obrientransform(*samples: _T.ArrayLike) -> _t.Any: ...
pareto: _t.Any
def pearsonr(x: _T.ArrayLike, y: _T.ArrayLike, *, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', method: _t.Any = None, axis: _t.SupportsIndex | None = 0) -> _g.scipy.stats._PearsonRResult: ...
def percentileofscore(a: _T.ArrayLike, score: _t.SupportsFloat | _T.ArrayLike, kind: _t.Literal['rank', 'weak', 'strict', 'mean'] = 'rank', nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _g.ndarray: ...
permutation_test: _t.Any
planck: _t.Any
pmean: _t.Any
def pointbiserialr(x: _T.ArrayLike, y: _T.ArrayLike, *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
poisson: _t.Any
def poisson_means_test(k1: _t.SupportsIndex, n1: _t.SupportsFloat, k2: _t.SupportsIndex, n2: _t.SupportsFloat, *, diff: _t.SupportsFloat = 0, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided') -> _t.Any: ...
power_divergence: _t.Any
powerlaw: _t.Any
powerlognorm: _t.Any
powernorm: _t.Any
def ppcc_max(x: _T.ArrayLike, brack: _a.Sequence[_t.SupportsFloat] = ..., dist: _t.Any = 'tukeylambda') -> _b.float: ...
def ppcc_plot(x: _T.ArrayLike, a: _t.SupportsFloat, b: _t.SupportsFloat, dist: _t.Any = 'tukeylambda', plot: _t.Any = None, N: _t.SupportsIndex = 80) -> _b.tuple[_g.ndarray, _g.ndarray]: ...
def probplot(x: _T.ArrayLike, sparams: _b.tuple[_t.Any, ...] | _t.SupportsFloat = ..., dist: _t.Any = 'norm', fit: _T._Bool = True, plot: _t.Any = None, rvalue: _T._Bool = False) -> _b.tuple: ...
quantile: _t.Any
def quantile_test(x: _T.ArrayLike, *, q: _t.SupportsFloat = 0, p: _t.SupportsFloat = ..., alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided') -> _t.Any: ...
randint: _t.Any
def rankdata(a: _T.ArrayLike, method: _t.Literal['average', 'min', 'max', 'dense', 'ordinal'] = 'average', *, axis: _t.SupportsIndex | None = None, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _g.ndarray: ...
def ranksums(x: _T.ArrayLike, y: _T.ArrayLike, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
rayleigh: _t.Any
rdist: _t.Any
recipinvgauss: _t.Any
reciprocal: _t.Any
def relfreq(a: _T.ArrayLike, numbins: _t.SupportsIndex = 10, defaultreallimits: _a.Sequence[_t.SupportsFloat] | None = None, weights: _T.ArrayLike | None = None) -> _b.tuple: ...
rice: _t.Any
def scoreatpercentile(a: _T.ArrayLike, per: _t.SupportsFloat | _a.Sequence[_t.Any], limit: _a.Sequence[_t.SupportsFloat] = ..., interpolation_method: _t.Literal['fraction', 'lower', 'higher'] = 'fraction', axis: _t.SupportsIndex | None = None) -> _g.ndarray: ...
def sem(a: _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, ddof: _t.SupportsIndex = 1, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', *, keepdims: _T._Bool = False) -> _g.ndarray: ...
semicircular: _t.Any
def shapiro(x: _T.ArrayLike, *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
def siegelslopes(y: _T.ArrayLike, x: _T.ArrayLike | None = None, method: _t.Literal['hierarchical', 'separate'] = 'hierarchical', *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple[_g.ndarray, _g.ndarray]: ...
sigmaclip: _t.Any
skellam: _t.Any
def skew(a: _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, bias: _T._Bool = True, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', *, keepdims: _T._Bool = False) -> _g.ndarray: ...
skewcauchy: _t.Any
skewnorm: _t.Any
def skewtest(a: _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', *, keepdims: _T._Bool = False) -> _b.tuple: ...
def somersd(x: _T.ArrayLike, y: _T.ArrayLike | None = None, alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided') -> _t.Any: ...
def spearmanr(a: _T.ArrayLike, b: _T.ArrayLike | None = None, axis: _t.SupportsIndex | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided') -> _b.tuple: ...
spearmanrho: _t.Any
t: _t.Any
def theilslopes(y: _T.ArrayLike, x: _T.ArrayLike | None = None, alpha: _t.SupportsFloat = ..., method: _t.Literal['separate', 'joint'] = 'separate', *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple[_g.ndarray, _g.ndarray, _g.ndarray, _g.ndarray]: ...
def tiecorrect(rankvals: _T.ArrayLike) -> _g.ndarray: ...
tmax: _t.Any
tmean: _t.Any
tmin: _t.Any
trapezoid: _t.Any
triang: _t.Any
def trim1(a: _T.ArrayLike, proportiontocut: _t.SupportsFloat, tail: _t.Literal['right', 'left'] = 'right', axis: _t.SupportsIndex | None = 0) -> _g.ndarray: ...
def trim_mean(a: _T.ArrayLike, proportiontocut: _t.SupportsFloat, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, *, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _g.ndarray: ...
def trimboth(a: _T.ArrayLike, proportiontocut: _t.SupportsFloat, axis: _t.SupportsIndex | None = 0) -> _g.ndarray: ...
truncexpon: _t.Any
truncnorm: _t.Any
truncpareto: _t.Any
truncweibull_min: _t.Any
tsem: _t.Any
tstd: _t.Any
def ttest_1samp(a: _T.ArrayLike, popmean: _t.SupportsFloat | _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', *, keepdims: _T._Bool = False) -> _g.scipy.stats._TtestResult: ...
def ttest_ind(a: _T.ArrayLike, b: _T.ArrayLike, *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, equal_var: _T._Bool = True, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', trim: _t.SupportsFloat = 0, method: _t.Any = None, keepdims: _T._Bool = False) -> _g.scipy.stats._TtestResult: ...
ttest_ind_from_stats: _t.Any
def ttest_rel(a: _T.ArrayLike, b: _T.ArrayLike, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', alternative: _t.Literal['two-sided', 'less', 'greater'] = 'two-sided', *, keepdims: _T._Bool = False) -> _g.scipy.stats._TtestResult: ...
def tukey_hsd(*args: _T.ArrayLike, equal_var: _T._Bool = True) -> _t.Any: ...
tukeylambda: _t.Any
tvar: _t.Any
uniform: _t.Any
variation: _t.Any
vonmises: _t.Any
vonmises_line: _t.Any
wald: _t.Any
def wasserstein_distance(u_values: _T.ArrayLike, v_values: _T.ArrayLike, u_weights: _T.ArrayLike | None = None, v_weights: _T.ArrayLike | None = None) -> _g.ndarray: ...
weibull_max: _t.Any
weibull_min: _t.Any
def weightedtau(x: _T.ArrayLike, y: _T.ArrayLike, rank: _T._Bool | _T._ArrayLikeOrHost = True, weigher: _a.Callable[..., _t.Any] | None = None, additive: _T._Bool = True, *, axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate', keepdims: _T._Bool = False) -> _b.tuple: ...
wilcoxon: _t.Any
wrapcauchy: _t.Any
def yeojohnson(x: _T.ArrayLike, lmbda: _t.SupportsFloat | None = None) -> _b.tuple[_g.ndarray, _b.float]: ...
yeojohnson_llf: _t.Any
def yeojohnson_normmax(x: _T.ArrayLike, brack: _a.Sequence[_t.SupportsFloat] | None = None) -> _b.float: ...
def yeojohnson_normplot(x: _T.ArrayLike, la: _t.SupportsFloat, lb: _t.SupportsFloat, plot: _t.Any = None, N: _t.SupportsIndex = 80) -> _b.tuple[_g.ndarray, _g.ndarray]: ...
yulesimon: _t.Any
zipf: _t.Any
zipfian: _t.Any
def zmap(scores: _T.ArrayLike, compare: _T.ArrayLike, axis: _t.SupportsIndex | None = 0, ddof: _t.SupportsIndex = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _g.ndarray: ...
def zscore(a: _T.ArrayLike, axis: _t.SupportsIndex | None = 0, ddof: _t.SupportsIndex = 0, nan_policy: _t.Literal['propagate', 'omit', 'raise'] = 'propagate') -> _g.ndarray: ...
