"""`scipy.stats`: own functions, and SciPy's that take device arrays."""

from .._borrowed import borrow as _borrow
from . import (
    _ansari,
    _binned_statistic,
    _censored,
    _correlation,
    _covariance,
    _distn_histogram,
    _distn_user,
    _distn_user_discrete,
    _distribution_tests,
    _distributions,
    _fit,
    _goodness,
    _group_tests,
    _hypotests,
    _kde,
    _matrix_distributions,
    _means,
    _mgc,
    _moments,
    _monte_carlo,
    _more_multivariate,
    _morestats,
    _multivariate,
    _order_statistics,
    _ranks,
    _resampled_tests,
    _sensitivity,
    _stats_py,
    _summaries,
    _univariate_made,
    _univariate_mixture,
    _univariate_transformed,
    _wilcoxon,
)
from ._ansari import *
from ._binned_statistic import *
from ._censored import *
from ._correlation import *
from ._covariance import *
from ._distn_histogram import *
from ._distn_user import *
from ._distn_user_discrete import *
from ._distribution_tests import *
from ._distributions import *
from ._fit import *
from ._goodness import *
from ._group_tests import *
from ._hypotests import *
from ._kde import *
from ._matrix_distributions import *
from ._means import *
from ._mgc import *
from ._moments import *
from ._monte_carlo import *
from ._more_multivariate import *
from ._morestats import *
from ._multivariate import *
from ._order_statistics import *
from ._ranks import *
from ._resampled_tests import *
from ._sensitivity import *
from ._stats_py import *
from ._summaries import *
from ._univariate_made import *
from ._univariate_mixture import *
from ._univariate_transformed import abs, exp, log, order_statistic, truncate
from ._wilcoxon import *
from .contingency import chi2_contingency

_OWN = ["chi2_contingency"]
_OWN += _ansari.__all__
_OWN += _binned_statistic.__all__
_OWN += _correlation.__all__
_OWN += _covariance.__all__
_OWN += _distribution_tests.__all__
_OWN += _distn_histogram.__all__
_OWN += _distn_user.__all__
_OWN += _distn_user_discrete.__all__
_OWN += _distributions.__all__
_OWN += _fit.__all__
_OWN += _goodness.__all__
_OWN += _group_tests.__all__
_OWN += _hypotests.__all__
_OWN += _kde.__all__
_OWN += _matrix_distributions.__all__
_OWN += _means.__all__
_OWN += _mgc.__all__
_OWN += _moments.__all__
_OWN += _more_multivariate.__all__
_OWN += _morestats.__all__
_OWN += _multivariate.__all__
_OWN += _order_statistics.__all__
_OWN += _ranks.__all__
_OWN += _stats_py.__all__
_OWN += _sensitivity.__all__
_OWN += _resampled_tests.__all__
_OWN += _monte_carlo.__all__
_OWN += _censored.__all__
_OWN += _summaries.__all__
_OWN += _univariate_made.__all__
_OWN += _univariate_mixture.__all__
_OWN += _wilcoxon.__all__
_OWN += ["abs", "exp", "log", "order_statistic", "truncate"]

_SAME = ["BootstrapMethod", "MonteCarloMethod", "PermutationMethod"]
_SAME += ["ConstantInputWarning", "DegenerateDataWarning", "FitError", "NearConstantInputWarning"]

__all__, __getattr__, __dir__ = _borrow("stats", own=_OWN, same=_SAME)
