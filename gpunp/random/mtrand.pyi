# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.random import RandomState as RandomState
from gpunp.random import beta as beta
from gpunp.random import binomial as binomial
from gpunp.random import bytes as bytes
from gpunp.random import chisquare as chisquare
from gpunp.random import choice as choice
from gpunp.random import dirichlet as dirichlet
from gpunp.random import exponential as exponential
from gpunp.random import f as f
from gpunp.random import gamma as gamma
from gpunp.random import geometric as geometric
from gpunp.random import get_random_state as get_random_state
from gpunp.random import get_state as get_state
from gpunp.random import gumbel as gumbel
from gpunp.random import hypergeometric as hypergeometric
from gpunp.random import laplace as laplace
from gpunp.random import logistic as logistic
from gpunp.random import lognormal as lognormal
from gpunp.random import logseries as logseries
from gpunp.random import multinomial as multinomial
from gpunp.random import multivariate_normal as multivariate_normal
from gpunp.random import negative_binomial as negative_binomial
from gpunp.random import noncentral_chisquare as noncentral_chisquare
from gpunp.random import noncentral_f as noncentral_f
from gpunp.random import normal as normal
from gpunp.random import pareto as pareto
from gpunp.random import permutation as permutation
from gpunp.random import poisson as poisson
from gpunp.random import power as power
from gpunp.random import rand as rand
from gpunp.random import randint as randint
from gpunp.random import randn as randn
from gpunp.random import random as random
from gpunp.random import random_integers as random_integers
from gpunp.random import random_sample as random_sample
from gpunp.random import rayleigh as rayleigh
from gpunp.random import reset_states as reset_states
from gpunp.random import seed as seed
from gpunp.random import set_random_state as set_random_state
from gpunp.random import set_state as set_state
from gpunp.random import shuffle as shuffle
from gpunp.random import standard_cauchy as standard_cauchy
from gpunp.random import standard_exponential as standard_exponential
from gpunp.random import standard_gamma as standard_gamma
from gpunp.random import standard_normal as standard_normal
from gpunp.random import standard_t as standard_t
from gpunp.random import triangular as triangular
from gpunp.random import uniform as uniform
from gpunp.random import vonmises as vonmises
from gpunp.random import wald as wald
from gpunp.random import weibull as weibull
from gpunp.random import zipf as zipf

ranf = _g.random.random_sample
sample = _g.random.random_sample
