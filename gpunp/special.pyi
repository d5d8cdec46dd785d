# ruff: noqa
from gpunp.scipy.special import *
