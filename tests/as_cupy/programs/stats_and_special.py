"""Special functions of cupyx.scipy and statistics."""

import cupy as cp
import cupyx.scipy.special as special
import scipy.special

x = cp.linspace(0.1, 4, 30)
for name in ("gamma", "gammaln", "erf", "erfinv", "j0", "digamma", "expit", "ndtri"):
    argument = x / 5 if name in ("erfinv", "ndtri") else x
    expected = getattr(scipy.special, name)(argument.get())
    cp.testing.assert_allclose(getattr(special, name)(argument), expected, rtol=1e-9, atol=1e-12)
assert float(cp.corrcoef(x, x**2)[0, 1]) > 0.9
assert abs(float(cp.percentile(x, 50)) - float(cp.median(x))) < 1e-12
assert abs(float(special.logsumexp(cp.zeros(4))) - 1.3862943611198906) < 1e-12
