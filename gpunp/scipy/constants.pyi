# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


Avogadro: _b.float
Boltzmann: _b.float
Btu: _b.float
Btu_IT: _b.float
Btu_th: _b.float
ConstantWarning: _t.Any
G: _b.float
Julian_year: _b.float
N_A: _b.float
Planck: _b.float
R: _b.float
Rydberg: _b.float
Stefan_Boltzmann: _b.float
Wien: _b.float
acre: _b.float
alpha: _b.float
angstrom: _b.float
arcmin: _b.float
arcminute: _b.float
arcsec: _b.float
arcsecond: _b.float
astronomical_unit: _b.float
atm: _b.float
atmosphere: _b.float
atomic_mass: _b.float
atto: _b.float
au: _b.float
bar: _b.float
barrel: _b.float
bbl: _b.float
blob: _b.float
c: _b.float
calorie: _b.float
calorie_IT: _b.float
calorie_th: _b.float
carat: _b.float
centi: _b.float
def convert_temperature(val: _t.Any, old_scale: _b.str, new_scale: _b.str) -> _t.Any: ...
day: _b.float
deci: _b.float
degree: _b.float
degree_Fahrenheit: _b.float
deka: _b.float
dyn: _b.float
dyne: _b.float
e: _b.float
eV: _b.float
electron_mass: _b.float
electron_volt: _b.float
elementary_charge: _b.float
epsilon_0: _b.float
erg: _b.float
exa: _b.float
exbi: _b.int
femto: _b.float
fermi: _b.float
find: _t.Any
fine_structure: _b.float
fluid_ounce: _b.float
fluid_ounce_US: _b.float
fluid_ounce_imp: _b.float
foot: _b.float
g: _b.float
gallon: _b.float
gallon_US: _b.float
gallon_imp: _b.float
gas_constant: _b.float
gibi: _b.int
giga: _b.float
golden: _b.float
golden_ratio: _b.float
grain: _b.float
gram: _b.float
gravitational_constant: _b.float
h: _b.float
hbar: _b.float
hectare: _b.float
hecto: _b.float
horsepower: _b.float
hour: _b.float
hp: _b.float
inch: _b.float
k: _b.float
kgf: _b.float
kibi: _b.int
kilo: _b.float
kilogram_force: _b.float
kmh: _b.float
knot: _b.float
def lambda2nu(lambda_: _t.Any) -> _t.Any: ...
lb: _b.float
lbf: _b.float
light_year: _b.float
liter: _b.float
litre: _b.float
long_ton: _b.float
m_e: _b.float
m_n: _b.float
m_p: _b.float
m_u: _b.float
mach: _b.float
mebi: _b.int
mega: _b.float
metric_ton: _b.float
micro: _b.float
micron: _b.float
mil: _b.float
mile: _b.float
milli: _b.float
minute: _b.float
mmHg: _b.float
mph: _b.float
mu_0: _b.float
nano: _b.float
nautical_mile: _b.float
neutron_mass: _b.float
def nu2lambda(nu: _t.Any) -> _t.Any: ...
ounce: _b.float
oz: _b.float
parsec: _b.float
pebi: _b.int
peta: _b.float
physical_constants: _b.dict[_t.Any, _t.Any]
pi: _b.float
pico: _b.float
point: _b.float
pound: _b.float
pound_force: _b.float
precision: _t.Any
proton_mass: _b.float
psi: _b.float
pt: _b.float
quecto: _b.float
quetta: _b.float
ronna: _b.float
ronto: _b.float
short_ton: _b.float
sigma: _b.float
slinch: _b.float
slug: _b.float
speed_of_light: _b.float
speed_of_sound: _b.float
stone: _b.float
survey_foot: _b.float
survey_mile: _b.float
tebi: _b.int
tera: _b.float
ton_TNT: _b.float
torr: _b.float
troy_ounce: _b.float
troy_pound: _b.float
u: _b.float
unit: _t.Any
value: _t.Any
week: _b.float
yard: _b.float
year: _b.float
yobi: _b.int
yocto: _b.float
yotta: _b.float
zebi: _b.int
zepto: _b.float
zero_Celsius: _b.float
zetta: _b.float
