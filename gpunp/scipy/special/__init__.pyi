# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp import sinc as sinc
from gpunp.special import ai_zeros as ai_zeros
from gpunp.special import assoc_laguerre as assoc_laguerre
from gpunp.special import assoc_legendre_p as assoc_legendre_p
from gpunp.special import assoc_legendre_p_all as assoc_legendre_p_all
from gpunp.special import bei_zeros as bei_zeros
from gpunp.special import beip_zeros as beip_zeros
from gpunp.special import ber_zeros as ber_zeros
from gpunp.special import bernoulli as bernoulli
from gpunp.special import berp_zeros as berp_zeros
from gpunp.special import bi_zeros as bi_zeros
from gpunp.special import btdtr as btdtr
from gpunp.special import btdtri as btdtri
from gpunp.special import chebyc as chebyc
from gpunp.special import chebys as chebys
from gpunp.special import chebyt as chebyt
from gpunp.special import chebyu as chebyu
from gpunp.special import comb as comb
from gpunp.special import diric as diric
from gpunp.special import ellip_harm as ellip_harm
from gpunp.special import ellip_harm_2 as ellip_harm_2
from gpunp.special import ellip_normal as ellip_normal
from gpunp.special import erf_zeros as erf_zeros
from gpunp.special import euler as euler
from gpunp.special import factorial as factorial
from gpunp.special import factorial2 as factorial2
from gpunp.special import factorialk as factorialk
from gpunp.special import fresnel_zeros as fresnel_zeros
from gpunp.special import fresnelc_zeros as fresnelc_zeros
from gpunp.special import fresnels_zeros as fresnels_zeros
from gpunp.special import gegenbauer as gegenbauer
from gpunp.special import genlaguerre as genlaguerre
from gpunp.special import h1vp as h1vp
from gpunp.special import h2vp as h2vp
from gpunp.special import hermite as hermite
from gpunp.special import hermitenorm as hermitenorm
from gpunp.special import ivp as ivp
from gpunp.special import jacobi as jacobi
from gpunp.special import jn_zeros as jn_zeros
from gpunp.special import jnjnp_zeros as jnjnp_zeros
from gpunp.special import jnp_zeros as jnp_zeros
from gpunp.special import jnyn_zeros as jnyn_zeros
from gpunp.special import jvp as jvp
from gpunp.special import kei_zeros as kei_zeros
from gpunp.special import keip_zeros as keip_zeros
from gpunp.special import kelvin_zeros as kelvin_zeros
from gpunp.special import ker_zeros as ker_zeros
from gpunp.special import kerp_zeros as kerp_zeros
from gpunp.special import kvp as kvp
from gpunp.special import laguerre as laguerre
from gpunp.special import lambertw as lambertw
from gpunp.special import legendre as legendre
from gpunp.special import legendre_p as legendre_p
from gpunp.special import legendre_p_all as legendre_p_all
from gpunp.special import lmbda as lmbda
from gpunp.special import log_softmax as log_softmax
from gpunp.special import logsumexp as logsumexp
from gpunp.special import lqmn as lqmn
from gpunp.special import lqn as lqn
from gpunp.special import mathieu_even_coef as mathieu_even_coef
from gpunp.special import mathieu_odd_coef as mathieu_odd_coef
from gpunp.special import multigammaln as multigammaln
from gpunp.special import obl_cv_seq as obl_cv_seq
from gpunp.special import pbdn_seq as pbdn_seq
from gpunp.special import pbdv_seq as pbdv_seq
from gpunp.special import pbvv_seq as pbvv_seq
from gpunp.special import perm as perm
from gpunp.special import polygamma as polygamma
from gpunp.special import pro_cv_seq as pro_cv_seq
from gpunp.special import riccati_jn as riccati_jn
from gpunp.special import riccati_yn as riccati_yn
from gpunp.special import roots_chebyc as roots_chebyc
from gpunp.special import roots_chebys as roots_chebys
from gpunp.special import roots_chebyt as roots_chebyt
from gpunp.special import roots_chebyu as roots_chebyu
from gpunp.special import roots_gegenbauer as roots_gegenbauer
from gpunp.special import roots_genlaguerre as roots_genlaguerre
from gpunp.special import roots_hermite as roots_hermite
from gpunp.special import roots_hermitenorm as roots_hermitenorm
from gpunp.special import roots_jacobi as roots_jacobi
from gpunp.special import roots_laguerre as roots_laguerre
from gpunp.special import roots_legendre as roots_legendre
from gpunp.special import roots_sh_chebyt as roots_sh_chebyt
from gpunp.special import roots_sh_chebyu as roots_sh_chebyu
from gpunp.special import roots_sh_jacobi as roots_sh_jacobi
from gpunp.special import roots_sh_legendre as roots_sh_legendre
from gpunp.special import sh_chebyt as sh_chebyt
from gpunp.special import sh_chebyu as sh_chebyu
from gpunp.special import sh_jacobi as sh_jacobi
from gpunp.special import sh_legendre as sh_legendre
from gpunp.special import softmax as softmax
from gpunp.special import softplus as softplus
from gpunp.special import sph_harm_y as sph_harm_y
from gpunp.special import sph_harm_y_all as sph_harm_y_all
from gpunp.special import sph_legendre_p as sph_legendre_p
from gpunp.special import sph_legendre_p_all as sph_legendre_p_all
from gpunp.special import spherical_in as spherical_in
from gpunp.special import spherical_jn as spherical_jn
from gpunp.special import spherical_kn as spherical_kn
from gpunp.special import spherical_yn as spherical_yn
from gpunp.special import stirling2 as stirling2
from gpunp.special import y0_zeros as y0_zeros
from gpunp.special import y1_zeros as y1_zeros
from gpunp.special import y1p_zeros as y1p_zeros
from gpunp.special import yn_zeros as yn_zeros
from gpunp.special import ynp_zeros as ynp_zeros
from gpunp.special import yvp as yvp
from gpunp.special import zeta as zeta

agm: _C._Ufunc21
airy: _C.ufunc
airye: _C.ufunc
bdtr: _C._Ufunc31
bdtrc: _C._Ufunc31
bdtri: _C._Ufunc31
bdtrik: _C._Ufunc31
bdtrin: _C._Ufunc31
bei: _C._Ufunc11
beip: _C._Ufunc11
ber: _C._Ufunc11
berp: _C._Ufunc11
besselpoly: _C._Ufunc31
beta: _C._Ufunc21
betainc: _C._Ufunc31
betaincc: _C._Ufunc31
betainccinv: _C._Ufunc31
betaincinv: _C._Ufunc31
betaln: _C._Ufunc21
binom: _C._Ufunc21
boxcox: _C._Ufunc21
boxcox1p: _C._Ufunc21
btdtria: _C._Ufunc31
btdtrib: _C._Ufunc31
c_roots = _g.special.roots_chebyc
cbrt: _C._Ufunc11
cg_roots = _g.special.roots_gegenbauer
chdtr: _C._Ufunc21
chdtrc: _C._Ufunc21
chdtri: _C._Ufunc21
chdtriv: _C._Ufunc21
chndtr: _C._Ufunc31
chndtridf: _C._Ufunc31
chndtrinc: _C._Ufunc31
chndtrix: _C._Ufunc31
cosdg: _C._Ufunc11
cosm1: _C._Ufunc11
cotdg: _C._Ufunc11
dawsn: _C._Ufunc11
digamma: _C._Ufunc11
ellipe: _C._Ufunc11
ellipeinc: _C._Ufunc21
ellipj: _C.ufunc
ellipk: _C._Ufunc11
ellipkinc: _C._Ufunc21
ellipkm1: _C._Ufunc11
elliprc: _C._Ufunc21
elliprd: _C._Ufunc31
elliprf: _C._Ufunc31
elliprg: _C._Ufunc31
elliprj: _C.ufunc
entr: _C._Ufunc11
erf: _C._Ufunc11
erfc: _C._Ufunc11
erfcinv: _C._Ufunc11
erfcx: _C._Ufunc11
erfi: _C._Ufunc11
erfinv: _C._Ufunc11
eval_chebyc: _C._Ufunc21
eval_chebys: _C._Ufunc21
eval_chebyt: _C._Ufunc21
eval_chebyu: _C._Ufunc21
eval_gegenbauer: _C._Ufunc31
eval_genlaguerre: _C._Ufunc31
eval_hermite: _C._Ufunc21
eval_hermitenorm: _C._Ufunc21
eval_jacobi: _C.ufunc
eval_laguerre: _C._Ufunc21
eval_legendre: _C._Ufunc21
eval_sh_chebyt: _C._Ufunc21
eval_sh_chebyu: _C._Ufunc21
eval_sh_jacobi: _C.ufunc
eval_sh_legendre: _C._Ufunc21
exp1: _C._Ufunc11
exp10: _C._Ufunc11
exp2: _C._Ufunc11
expi: _C._Ufunc11
expit: _C._Ufunc11
expm1: _C._Ufunc11
expn: _C._Ufunc21
exprel: _C._Ufunc11
fdtr: _C._Ufunc31
fdtrc: _C._Ufunc31
fdtri: _C._Ufunc31
fdtridfd: _C._Ufunc31
fresnel: _C._Ufunc12
gamma: _C._Ufunc11
gammainc: _C._Ufunc21
gammaincc: _C._Ufunc21
gammainccinv: _C._Ufunc21
gammaincinv: _C._Ufunc21
gammaln: _C._Ufunc11
gammasgn: _C._Ufunc11
gdtr: _C._Ufunc31
gdtrc: _C._Ufunc31
gdtria: _C._Ufunc31
gdtrib: _C._Ufunc31
gdtrix: _C._Ufunc31
h_roots = _g.special.roots_hermite
hankel1: _C._Ufunc21
hankel1e: _C._Ufunc21
hankel2: _C._Ufunc21
hankel2e: _C._Ufunc21
he_roots = _g.special.roots_hermitenorm
huber: _C._Ufunc21
hyp0f1: _C._Ufunc21
hyp1f1: _C._Ufunc31
hyp2f1: _C.ufunc
hyperu: _C._Ufunc31
i0: _C._Ufunc11
i0e: _C._Ufunc11
i1: _C._Ufunc11
i1e: _C._Ufunc11
inv_boxcox: _C._Ufunc21
inv_boxcox1p: _C._Ufunc21
it2i0k0: _C._Ufunc12
it2j0y0: _C._Ufunc12
it2struve0: _C._Ufunc11
itairy: _C.ufunc
iti0k0: _C._Ufunc12
itj0y0: _C._Ufunc12
itmodstruve0: _C._Ufunc11
itstruve0: _C._Ufunc11
iv: _C._Ufunc21
ive: _C._Ufunc21
j0: _C._Ufunc11
j1: _C._Ufunc11
j_roots = _g.special.roots_jacobi
jn: _C._Ufunc21
js_roots = _g.special.roots_sh_jacobi
jv: _C._Ufunc21
jve: _C._Ufunc21
k0: _C._Ufunc11
k0e: _C._Ufunc11
k1: _C._Ufunc11
k1e: _C._Ufunc11
kei: _C._Ufunc11
keip: _C._Ufunc11
kelvin: _C.ufunc
ker: _C._Ufunc11
kerp: _C._Ufunc11
kl_div: _C._Ufunc21
kn: _C._Ufunc21
kolmogi: _C._Ufunc11
kolmogorov: _C._Ufunc11
kv: _C._Ufunc21
kve: _C._Ufunc21
l_roots = _g.special.roots_laguerre
la_roots = _g.special.roots_genlaguerre
log1p: _C._Ufunc11
log_expit: _C._Ufunc11
log_ndtr: _C._Ufunc11
log_wright_bessel: _C._Ufunc31
loggamma: _C._Ufunc11
logit: _C._Ufunc11
lpmv: _C._Ufunc31
mathieu_a: _C._Ufunc21
mathieu_b: _C._Ufunc21
mathieu_cem: _C.ufunc
mathieu_modcem1: _C.ufunc
mathieu_modcem2: _C.ufunc
mathieu_modsem1: _C.ufunc
mathieu_modsem2: _C.ufunc
mathieu_sem: _C.ufunc
modfresnelm: _C._Ufunc12
modfresnelp: _C._Ufunc12
modstruve: _C._Ufunc21
nbdtr: _C._Ufunc31
nbdtrc: _C._Ufunc31
nbdtri: _C._Ufunc31
nbdtrik: _C._Ufunc31
nbdtrin: _C._Ufunc31
ncfdtr: _C.ufunc
ncfdtri: _C.ufunc
ncfdtridfd: _C.ufunc
ncfdtridfn: _C.ufunc
ncfdtrinc: _C.ufunc
nctdtr: _C._Ufunc31
nctdtridf: _C._Ufunc31
nctdtrinc: _C._Ufunc31
nctdtrit: _C._Ufunc31
ndtr: _C._Ufunc11
ndtri: _C._Ufunc11
ndtri_exp: _C._Ufunc11
nrdtrimn: _C._Ufunc31
nrdtrisd: _C._Ufunc31
obl_ang1: _C.ufunc
obl_ang1_cv: _C.ufunc
obl_cv: _C._Ufunc31
obl_rad1: _C.ufunc
obl_rad1_cv: _C.ufunc
obl_rad2: _C.ufunc
obl_rad2_cv: _C.ufunc
owens_t: _C._Ufunc21
p_roots = _g.special.roots_legendre
pbdv: _C._Ufunc22
pbvv: _C._Ufunc22
pbwa: _C._Ufunc22
pdtr: _C._Ufunc21
pdtrc: _C._Ufunc21
pdtri: _C._Ufunc21
pdtrik: _C._Ufunc21
poch: _C._Ufunc21
powm1: _C._Ufunc21
pro_ang1: _C.ufunc
pro_ang1_cv: _C.ufunc
pro_cv: _C._Ufunc31
pro_rad1: _C.ufunc
pro_rad1_cv: _C.ufunc
pro_rad2: _C.ufunc
pro_rad2_cv: _C.ufunc
ps_roots = _g.special.roots_sh_legendre
pseudo_huber: _C._Ufunc21
psi: _C._Ufunc11
radian: _C._Ufunc31
rel_entr: _C._Ufunc21
rgamma: _C._Ufunc11
round: _C._Ufunc11
s_roots = _g.special.roots_chebys
shichi: _C._Ufunc12
sici: _C._Ufunc12
sindg: _C._Ufunc11
smirnov: _C._Ufunc21
smirnovi: _C._Ufunc21
spence: _C._Ufunc11
stdtr: _C._Ufunc21
stdtridf: _C._Ufunc21
stdtrit: _C._Ufunc21
struve: _C._Ufunc21
t_roots = _g.special.roots_chebyt
tandg: _C._Ufunc11
tklmbda: _C._Ufunc21
ts_roots = _g.special.roots_sh_chebyt
u_roots = _g.special.roots_chebyu
us_roots = _g.special.roots_sh_chebyu
voigt_profile: _C._Ufunc31
wofz: _C._Ufunc11
wright_bessel: _C._Ufunc31
wrightomega: _C._Ufunc11
xlog1py: _C._Ufunc21
xlogy: _C._Ufunc21
y0: _C._Ufunc11
y1: _C._Ufunc11
yn: _C._Ufunc21
yv: _C._Ufunc21
yve: _C._Ufunc21
zetac: _C._Ufunc11
