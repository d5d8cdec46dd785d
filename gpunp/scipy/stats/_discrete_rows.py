"""The table of discrete distributions: formulas in CUDA C++ of the standard forms.

Shapes have SciPy's names. Derivations are in N. L. Johnson, A. W. Kemp, S. Kotz, "Univariate
Discrete Distributions" (2005), and the papers named at their rows.
"""

from ._continuous_rows import moments
from ._distn_kernels import Row

__all__ = ["DISCRETE"]

DISCRETE: list[Row] = []

WHOLE = ("0", "INFINITY_F64")
COUNTING = ("1", "INFINITY_F64")


def _add(name: str, shapes: str, valid: str, support: tuple[str, str], title: str, density: str,
         draw: str = "", constants: str = "", **formulas: str) -> None:  # fmt: skip
    DISCRETE.append(
        Row(name, tuple(shapes.split()), valid, support, formulas, True, draw, f"{title}.",
            density, constants))  # fmt: skip


_BINOMIAL = {
    "logpmf": "stats::binomial_log_pmf(k, n, p, 1 - p)",
    "pmf": "stats::binomial_pmf(k, n, p)",
    "cdf": "bdtr(k, n, p)", "sf": "bdtrc(k, n, p)",
    **moments("n * p", "n * p * (1 - p)", "(1 - 2 * p) / sqrt(n * p * (1 - p))",
              "(1 - 6 * p * (1 - p)) / (n * p * (1 - p))"),
}  # fmt: skip
_add(
    "bernoulli",
    "p",
    "p >= 0 && p <= 1",
    ("0", "1"),
    "Bernoulli distribution",
    "p at 1 and 1 - p at 0",
    "binomial(1, p)",
    pmf="k == 1 ? p : 1 - p",
    logpmf="k == 1 ? log(p) : log1p(-p)",
    cdf="1 - p",
    sf="p",
    ppf="q <= 1 - p ? 0 : 1",
    isf="q < p ? 1 : 0",
    **moments(
        "p",
        "p * (1 - p)",
        "(1 - 2 * p) / sqrt(p * (1 - p))",
        "(1 - 6 * p * (1 - p)) / (p * (1 - p))",
    ),
    munp="order == 0 ? 1 : p",
    entropy="entr(p) + entr(1 - p)",
)
_add(
    "binom",
    "n p",
    "n >= 0 && floor(n) == n && p >= 0 && p <= 1",
    ("0", "n"),
    "Binomial distribution",
    "C(n, k) p^k (1 - p)^(n - k)",
    "binomial(n, p)",
    **_BINOMIAL,
)
_add(
    "nbinom",
    "n p",
    "n > 0 && p > 0 && p <= 1",
    WHOLE,
    "Negative binomial distribution",
    "C(k + n - 1, n - 1) p^n (1 - p)^k",
    "negative_binomial(n, p)",
    logpmf="stats::waiting_log_pmf(k, n, p, 1 - p)",
    pmf="k == 0 ? pow(p, n) : n / (n + k) * stats::binomial_pmf(n, n + k, p)",
    cdf="betainc(n, k + 1, p)",
    sf="betaincc(n, k + 1, p)",
    **moments(
        "n * (1 - p) / p",
        "n * (1 - p) / (p * p)",
        "(2 - p) / sqrt(n * (1 - p))",
        "(p * p - 6 * p + 6) / (n * (1 - p))",
    ),
)
_add(
    "geom",
    "p",
    "p > 0 && p <= 1",
    COUNTING,
    "Geometric distribution",
    "p (1 - p)^(k - 1)",
    "geometric(p)",
    pmf="exp(xlog1py(k - 1, -p)) * p",
    logpmf="xlog1py(k - 1, -p) + log(p)",
    cdf="-expm1(log1p(-p) * k)",
    sf="exp(log1p(-p) * k)",
    logsf="k * log1p(-p)",
    ppf="stats::rounded_up(*this, log1p(-q) / log1p(-p), q)",
    **moments(
        "1 / p", "(1 - p) / (p * p)", "(2 - p) / sqrt(1 - p)", "(p * p - 6 * p + 6) / (1 - p)"
    ),
    entropy="(entr(p) + entr(1 - p)) / p",
)
_add(
    "poisson",
    "mu",
    "mu >= 0",
    WHOLE,
    "Poisson distribution",
    "exp(-mu) mu^k / k!",
    "poisson(mu)",
    logpmf="stats::poisson_log_pmf(k, mu)",
    pmf="stats::poisson_pmf(k, mu)",
    cdf="pdtr(k, mu)",
    sf="pdtrc(k, mu)",
    # R. J. Evans, J. Boersma, N. M. Blachman and A. A. Jagers, SIAM Review 30 (1988) 314-317.
    entropy="mu < 1e3 ? stats::expectation(*this, [](f64 k, f64 p) { return -log(p); }) : "
    "0.5 * log(2 * PI_F64 * mu) + 0.5 - (1.0 / 12 + (1.0 / 24 + 19.0 / 360 / mu) / mu) / mu",
    **moments("mu", "mu", "mu > 0 ? 1 / sqrt(mu) : INFINITY_F64", "mu > 0 ? 1 / mu : INFINITY_F64"),
)
_add(
    "hypergeom",
    "M n N",
    "M > 0 && n >= 0 && N >= 0 && n <= M && N <= M && floor(M) == M && floor(n) == n"
    " && floor(N) == N",
    ("fmax(N - M + n, 0.0)", "fmin(n, N)"),
    "Hypergeometric distribution",
    "C(n, k) C(M - n, N - k) / C(M, N)",
    "hypergeometric(n, M - n, N)",
    pmf="stats::hypergeometric_pmf(k, M, n, N)",
    logpmf="stats::hypergeometric_log_pmf(k, M, n, N)",
    cdf="stats::hypergeometric_tail(k, M, n, N, false)",
    sf="stats::hypergeometric_tail(k, M, n, N, true)",
    logcdf="stats::hypergeometric_log_tail(k, M, n, N, false)",
    logsf="stats::hypergeometric_log_tail(k, M, n, N, true)",
    **moments(
        "N * (n / M)",
        "N * n / M * ((M - n) / M) * ((M - N) / (M - 1))",
        "(M - 2 * n) * (M - 2 * N) / (M - 2) * sqrt((M - 1) / (N * n * (M - n) * (M - N)))",
        "const f64 m = M - n, g = N * n * m * (M - N) * (M - 2) * (M - 3);"
        " return ((M - 1) * M * M * (M * (M + 1) - 6 * N * (M - N) - 6 * n * m)"
        " + 6 * N * n * (M - N) * m * (5 * M - 6)) / g;",
    ),
)
_add(
    "randint",
    "low high",
    "high > low && floor(low) == low && floor(high) == high",
    ("low", "high - 1"),
    "Discrete uniform distribution on low ... high - 1",
    "1 / (high - low)",
    pmf="1 / (high - low)",
    cdf="(k - low + 1) / (high - low)",
    sf="(high - k - 1) / (high - low)",
    ppf="stats::rounded_up(*this, q * (high - low) + low - 1, q)",
    **moments(
        "0.5 * (high + low - 1)",
        "(square(high - low) - 1) / 12",
        "0",
        "const f64 d = square(high - low); return -1.2 * (d + 1) / (d - 1);",
    ),
    entropy="log(high - low)",
)
_add(
    "zipf",
    "a",
    "a > 1",
    COUNTING,
    "Zipf or zeta distribution",
    "1 / (zeta(a) k^a)",
    "zipf(a)",
    pmf="pow(k, -a) / special::zeta(a, 1.0)",
    logpmf="-a * log(k) - log(special::zeta(a, 1.0))",
    cdf="1 - sf(k)",
    sf="special::zeta(a, k + 1) / special::zeta(a, 1.0)",
    entropy="stats::zipf_entropy(a)",
    munp="a > order + 1 ? special::zeta(a - order, 1.0) / special::zeta(a, 1.0) : INFINITY_F64",
    finite="a - 1",
)
_add(
    "planck",
    "lambda_",
    "lambda_ > 0",
    WHOLE,
    "Planck discrete exponential distribution",
    "(1 - exp(-lambda)) exp(-lambda k)",
    pmf="-expm1(-lambda_) * exp(-lambda_ * k)",
    logpmf="log(-expm1(-lambda_)) - lambda_ * k",
    cdf="-expm1(-lambda_ * (k + 1))",
    sf="exp(-lambda_ * (k + 1))",
    logsf="-lambda_ * (k + 1)",
    ppf="stats::rounded_up(*this, -log1p(-q) / lambda_ - 1, q)",
    **moments(
        "1 / expm1(lambda_)",
        "exp(-lambda_) / square(expm1(-lambda_))",
        "2 * cosh(0.5 * lambda_)",
        "4 + 2 * cosh(lambda_)",
    ),
    entropy="lambda_ * exp(-lambda_) / -expm1(-lambda_) - log(-expm1(-lambda_))",
)
_add(
    "boltzmann",
    "lambda_ N",
    "lambda_ > 0 && N > 0 && floor(N) == N",
    ("0", "N - 1"),
    "Boltzmann distribution, the truncated Planck",
    "(1 - exp(-lambda)) exp(-lambda k) / (1 - exp(-lambda N))",
    pmf="-expm1(-lambda_) * exp(-lambda_ * k) / -expm1(-lambda_ * N)",
    cdf="expm1(-lambda_ * (k + 1)) / expm1(-lambda_ * N)",
    sf="(exp(-lambda_ * (k + 1)) - exp(-lambda_ * N)) / -expm1(-lambda_ * N)",
    ppf="stats::rounded_up(*this, -log1p(q * expm1(-lambda_ * N)) / lambda_ - 1, q)",
)
_add(
    "betabinom",
    "n a b",
    "n >= 0 && floor(n) == n && a > 0 && b > 0",
    ("0", "n"),
    "Beta-binomial distribution",
    "C(n, k) B(k + a, n - k + b) / B(a, b)",
    # Quotients of few factors where shapes are small, whatever n is.
    logpmf="a + b > 40 ? stats::polya_log_pmf(k, n - k, a, b)"
    " : log((n + a + b) / fmax(k + a, n - k + b) / fmin(k + a, n - k + b))"
    " - betaln(k + 1, a) - betaln(n - k + 1, b) + betaln(n + 1, a + b)",
    entropy="stats::entropy_of_counts(*this)",
    # Above the mean that of the failures, whose number is exact where it is small.
    cdf="k > mean() ? stats::sum_of_pmf(Distribution{n, b, a}, n - k - 1, true)"
    " : stats::sum_of_pmf(*this, k, false)",
    sf="k > mean() ? stats::sum_of_pmf(Distribution{n, b, a}, n - k - 1, false)"
    " : stats::sum_of_pmf(*this, k, true)",
    mean="n * (a / (a + b))",
    var="n * (a + b + n) * (a / (a + b)) * (b / (a + b)) / (a + b + 1)",
    skew="sqrt((a + b + 1) / ((a + b + n) * n * a * b)) * (a + b + 2 * n) * (b - a) / (a + b + 2)",
    kurt="const f64 s = a + b; return s * s * (1 + s) / (n * a * b * (s + 2) * (s + 3) * (s + n))"
    " * (s * (s - 1 + 6 * n) + 3 * a * b * (n - 2) + 6 * n * n - 3 * a * b * n * (6 - n) / s"
    " - 18 * a * b * n * n / (s * s)) - 3;",
)
_add(
    "skellam",
    "mu1 mu2",
    "mu1 > 0 && mu2 > 0",
    ("-INFINITY_F64", "INFINITY_F64"),
    "Skellam distribution, of the difference of Poisson numbers",
    "exp(-mu1 - mu2) (mu1 / mu2)^(k / 2) I_k(2 sqrt(mu1 mu2))",
    logpmf="stats::skellam_log_pmf(k, mu1, mu2)",
    cdf="k < 0 ? chndtr(2 * mu2, -2 * k, 2 * mu1) : 1 - chndtr(2 * mu1, 2 * (k + 1), 2 * mu2)",
    sf="k < 0 ? 1 - chndtr(2 * mu2, -2 * k, 2 * mu1) : chndtr(2 * mu1, 2 * (k + 1), 2 * mu2)",
    **moments("mu1 - mu2", "mu1 + mu2", "(mu1 - mu2) / pow(mu1 + mu2, 1.5)", "1 / (mu1 + mu2)"),
)
_add(
    "logser",
    "p",
    "p > 0 && p < 1",
    COUNTING,
    "Logarithmic series distribution",
    "-p^k / (k log(1 - p))",
    "logseries(p)",
    pmf="-pow(p, k) / (k * log1p(-p))",
    entropy="stats::entropy_of_counts(*this)",
    logpmf="k * log(p) - log(k) - log(-log1p(-p))",
    cdf="stats::sum_of_pmf(*this, k, false)",
    sf="stats::sum_of_pmf(*this, k, true)",
    mean="-p / ((1 - p) * log1p(-p))",
    var="const f64 r = log1p(-p); return -p * (p + r) / square((1 - p) * r);",
    skew="const f64 r = log1p(-p), m1 = mean(), v = var(), m2 = m1 / (1 - p),"
    " m3 = -p / r * (1 + p) / cube(1 - p);"
    " return (m3 - 3 * m1 * m2 + 2 * cube(m1)) / (v * sqrt(v));",
    kurt="const f64 r = log1p(-p), m1 = mean(), v = var(), m2 = m1 / (1 - p),"
    " m3 = -p / r * (1 + p) / cube(1 - p),"
    " m4 = -p / r * (1 + p * (4 + p)) / square(square(1 - p));"
    " return (m4 - 4 * m3 * m1 + 6 * m2 * m1 * m1 - 3 * square(m1 * m1)) / (v * v) - 3;",
)
_add(
    "dlaplace",
    "a",
    "a > 0",
    ("-INFINITY_F64", "INFINITY_F64"),
    "Discrete Laplace distribution",
    "tanh(a / 2) exp(-a |k|)",
    pmf="tanh(0.5 * a) * exp(-a * fabs(k))",
    logpmf="log(tanh(0.5 * a)) - a * fabs(k)",
    cdf="k >= 0 ? 1 - exp(-a * k) / (exp(a) + 1) : exp(a * (k + 1)) / (exp(a) + 1)",
    sf="k >= 0 ? exp(-a * k) / (exp(a) + 1) : 1 - exp(a * (k + 1)) / (exp(a) + 1)",
    **moments(
        "0",
        "2 * exp(-a) / square(expm1(-a))",
        "0",
        "const f64 e = exp(a), v = var(); return 2 * e * (e * e + 10 * e + 1)"
        " / square(square(e - 1)) / (v * v) - 3;",
    ),
    entropy="a / sinh(a) - log(tanh(0.5 * a))",
)
_add(
    "yulesimon",
    "alpha",
    "alpha > 0",
    COUNTING,
    "Yule-Simon distribution",
    "alpha B(k, alpha + 1)",
    pmf="alpha * special::beta(k, alpha + 1)",
    logpmf="log(alpha) + betaln(k, alpha + 1)",
    cdf="1 - k * special::beta(k, alpha + 1)",
    entropy="stats::entropy_of_power(*this, alpha)",
    sf="k * special::beta(k, alpha + 1)",
    logsf="log(k) + betaln(k, alpha + 1)",
    mean="alpha > 1 ? alpha / (alpha - 1) : INFINITY_F64",
    var="alpha > 2 ? square(alpha / (alpha - 1)) / (alpha - 2) : alpha > 1 ? INFINITY_F64 : NAN_F64",
    skew="alpha > 3 ? sqrt(alpha - 2) * square(alpha + 1) / (alpha * (alpha - 3)) : INFINITY_F64",
    kurt="alpha > 4 ? alpha + 3 + (11 * cube(alpha) - 49 * alpha - 22)"
    " / (alpha * (alpha - 4) * (alpha - 3)) : INFINITY_F64",
    finite="alpha",
)
_add(
    "nhypergeom",
    "M n r",
    "n >= 0 && r >= 0 && n <= M && r <= M - n && floor(M) == M && floor(n) == n && floor(r) == r",
    ("0", "n"),
    "Negative hypergeometric distribution",
    "C(k + r - 1, k) C(M - r - k, n - k) / C(M, n)",
    # The failure after k successes and r - 1 failures in any order.
    pmf="k == 0 && r == 0 ? 1 : r == 0 ? 0"
    " : stats::hypergeometric_pmf(k, M, n, k + r - 1) * ((M - n - r + 1) / (M - k - r + 1))",
    logpmf="pmf(k) > 1e-290 ? log(pmf(k)) : k == 0 && r == 0 ? 0 : -betaln(k + 1, r) + betaln(k + r, 1)"
    " - betaln(n - k + 1, M - r - n + 1) + betaln(M - r - k + 1, 1) + betaln(n + 1, M - n + 1)"
    " - betaln(M + 1, 1)",
    cdf="stats::sum_of_pmf(*this, k, false)",
    sf="stats::sum_of_pmf(*this, k, true)",
    mean="r * n / (M - n + 1)",
    var="r * (M + 1) * n / ((M - n + 1) * (M - n + 2)) * (1 - r / (M - n + 1))",
)
_add(
    "betanbinom",
    "n a b",
    "n >= 0 && floor(n) == n && a > 0 && b > 0",
    WHOLE,
    "Beta-negative-binomial distribution",
    "C(n + k - 1, k) B(a + n, b + k) / B(a, b)",
    # As that of betabinom, of n + k.
    logpmf="n == 0 ? log(k == 0 ? 1.0 : 0.0)"
    " : a + b < 40 ? -log(k + b) - betaln(k + 1, b) - betaln(n, a) + betaln(n + k, a + b)"
    " : log(n / (n + k)) + stats::polya_log_pmf(k, n, b, a)",
    entropy="stats::entropy_of_power(*this, a)",
    cdf="stats::sum_of_power(*this, k, false, a)",
    sf="stats::sum_of_power(*this, k, true, a)",
    mean="a > 1 ? n * b / (a - 1) : INFINITY_F64",
    var="a > 2 ? n * b * (n + a - 1) * (a + b - 1) / ((a - 2) * square(a - 1)) : INFINITY_F64",
    skew="a > 3 ? (2 * n + a - 1) * (2 * b + a - 1) / (a - 3)"
    " / sqrt(n * b * (n + a - 1) * (b + a - 1) / (a - 2)) : INFINITY_F64",
    finite="a",
)
_add(
    "zipfian",
    "a n",
    "a >= 0 && n > 0 && floor(n) == n",
    ("1", "n"),
    "Zipfian distribution",
    "1 / (H(n, a) k^a)",
    pmf="pow(k, -a) / stats::harmonic(n, a)",
    logpmf="-a * log(k) - log(stats::harmonic(n, a))",
    cdf="stats::harmonic(k, a) / stats::harmonic(n, a)",
    sf="stats::harmonic_above(k, n, a) / stats::harmonic(n, a)",
    munp="stats::harmonic(n, a - order) / stats::harmonic(n, a)",
)
