# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.scipy.stats import entropy as entropy
from gpunp.scipy.stats import rv_continuous as rv_continuous
from gpunp.scipy.stats import rv_discrete as rv_discrete
from gpunp.scipy.stats import rv_histogram as rv_histogram

alpha: _t.Any
anglit: _t.Any
arcsine: _t.Any
argus: _t.Any
bernoulli: _t.Any
beta: _t.Any
betabinom: _t.Any
betanbinom: _t.Any
betaprime: _t.Any
binom: _t.Any
boltzmann: _t.Any
bradford: _t.Any
burr: _t.Any
burr12: _t.Any
cauchy: _t.Any
chi: _t.Any
chi2: _t.Any
cosine: _t.Any
crystalball: _t.Any
dgamma: _t.Any
dlaplace: _t.Any
dpareto_lognorm: _t.Any
dweibull: _t.Any
erlang: _t.Any
expon: _t.Any
exponnorm: _t.Any
exponpow: _t.Any
exponweib: _t.Any
f: _t.Any
fatiguelife: _t.Any
fisk: _t.Any
foldcauchy: _t.Any
foldnorm: _t.Any
gamma: _t.Any
gausshyper: _t.Any
genexpon: _t.Any
genextreme: _t.Any
gengamma: _t.Any
genhalflogistic: _t.Any
genhyperbolic: _t.Any
geninvgauss: _t.Any
genlogistic: _t.Any
gennorm: _t.Any
genpareto: _t.Any
geom: _t.Any
gibrat: _t.Any
gompertz: _t.Any
gumbel_l: _t.Any
gumbel_r: _t.Any
halfcauchy: _t.Any
halfgennorm: _t.Any
halflogistic: _t.Any
halfnorm: _t.Any
hypergeom: _t.Any
hypsecant: _t.Any
invgamma: _t.Any
invgauss: _t.Any
invweibull: _t.Any
irwinhall: _t.Any
jf_skew_t: _t.Any
johnsonsb: _t.Any
johnsonsu: _t.Any
kappa3: _t.Any
kappa4: _t.Any
ksone: _t.Any
kstwo: _t.Any
kstwobign: _t.Any
landau: _t.Any
laplace: _t.Any
laplace_asymmetric: _t.Any
levy: _t.Any
levy_l: _t.Any
levy_stable: _t.Any
loggamma: _t.Any
logistic: _t.Any
loglaplace: _t.Any
lognorm: _t.Any
logser: _t.Any
loguniform: _t.Any
lomax: _t.Any
maxwell: _t.Any
mielke: _t.Any
moyal: _t.Any
nakagami: _t.Any
nbinom: _t.Any
ncf: _t.Any
nchypergeom_fisher: _t.Any
nchypergeom_wallenius: _t.Any
nct: _t.Any
ncx2: _t.Any
nhypergeom: _t.Any
norm: _t.Any
norminvgauss: _t.Any
pareto: _t.Any
pearson3: _t.Any
planck: _t.Any
poisson: _t.Any
poisson_binom: _t.Any
powerlaw: _t.Any
powerlognorm: _t.Any
powernorm: _t.Any
randint: _t.Any
rayleigh: _t.Any
rdist: _t.Any
recipinvgauss: _t.Any
reciprocal: _t.Any
rel_breitwigner: _t.Any
rice: _t.Any
semicircular: _t.Any
skellam: _t.Any
skewcauchy: _t.Any
skewnorm: _t.Any
studentized_range: _t.Any
t: _t.Any
trapezoid: _t.Any
triang: _t.Any
truncexpon: _t.Any
truncnorm: _t.Any
truncpareto: _t.Any
truncweibull_min: _t.Any
tukeylambda: _t.Any
uniform: _t.Any
vonmises: _t.Any
vonmises_line: _t.Any
wald: _t.Any
weibull_max: _t.Any
weibull_min: _t.Any
wrapcauchy: _t.Any
yulesimon: _t.Any
zipf: _t.Any
zipfian: _t.Any
