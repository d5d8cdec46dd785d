"""More rows of the table of continuous distributions: the less common ones."""

from typing import Any

from ._continuous_rows import POSITIVE, REAL, UNIT, moments, row
from ._distn_kernels import Row

__all__ = ["MORE_CONTINUOUS"]

MORE_CONTINUOUS: list[Row] = []


def _add(*columns: str | tuple[str, str], **formulas: Any) -> None:
    MORE_CONTINUOUS.append(row(*columns, **formulas))  # type: ignore[arg-type]


_HEAVY = moments("INFINITY_F64", "INFINITY_F64", "NAN_F64", "NAN_F64")
_NONE = moments("NAN_F64", "NAN_F64", "NAN_F64", "NAN_F64")

# ---- of the normal distribution ------------------------------------------------------------------
_add(
    "alpha",
    "a",
    "a > 0",
    POSITIVE,
    "Alpha distribution",
    "exp(-(a - 1 / x)^2 / 2) / (x^2 Phi(a) sqrt(2 pi))",
    logpdf="x > 0 ? -2 * log(x) - 0.5 * square(a - 1 / x) - LOG_ROOT_TWO_PI_F64 - log_ndtr(a)"
    " : -INFINITY_F64",
    cdf="ndtr(a - 1 / x) / ndtr(a)",
    logcdf="log_ndtr(a - 1 / x) - log_ndtr(a)",
    ppf="1 / (a - ndtri(q * ndtr(a)))",
    finite="1",
    **_HEAVY,
)
_add(
    "crystalball",
    "beta m",
    "m > 1 && beta > 0",
    REAL,
    "Crystal Ball function of physics",
    "exp(-x^2 / 2) above -beta, and a power of order -m below, divided by the integral",
    pdf="const f64 r = m / beta, e = exp(-0.5 * beta * beta);"
    " const f64 all = r / (m - 1) * e + ROOT_TWO_PI_F64 * ndtr(beta);"
    " return (x > -beta ? exp(-0.5 * x * x) : e * pow(r / (r - beta - x), m)) / all;",
    cdf="const f64 r = m / beta, e = exp(-0.5 * beta * beta), tail = r / (m - 1) * e;"
    " const f64 all = tail + ROOT_TWO_PI_F64 * ndtr(beta);"
    " return (x > -beta ? tail + ROOT_TWO_PI_F64 * (ndtr(x) - ndtr(-beta))"
    " : tail * pow(r / (r - beta - x), m - 1)) / all;",
    sf="const f64 r = m / beta, tail = r / (m - 1) * exp(-0.5 * beta * beta);"
    " return x > -beta ? ROOT_TWO_PI_F64 * ndtr(-x) / (tail + ROOT_TWO_PI_F64 * ndtr(beta))"
    " : 1 - cdf(x);",
    entropy="const f64 e = exp(-0.5 * beta * beta), half = ROOT_TWO_PI_F64 * ndtr(beta);"
    " const f64 tail = m / beta / (m - 1) * e, all = tail + half;"
    " return log(all) + (0.5 * (half - beta * e) + tail * (m / (m - 1) + 0.5 * beta * beta)) / all;",
    finite="m - 1",
)
_add(
    "exponnorm",
    "K",
    "K > 0",
    REAL,
    "Exponentially modified normal distribution",
    "exp(1 / (2 K^2) - x / K) Phi(x - 1 / K) / K",
    logpdf="-log(K) + (0.5 / K - x) / K + log_ndtr(x - 1 / K)",
    cdf="ndtr(x) - exp((0.5 / K - x) / K + log_ndtr(x - 1 / K))",
    sf="ndtr(-x) + exp((0.5 / K - x) / K + log_ndtr(x - 1 / K))",
    **moments(
        "K",
        "1 + K * K",
        "2 * cube(K) / pow(1 + K * K, 1.5)",
        "6 * square(K * K) / square(1 + K * K)",
    ),
)
_add(
    "fatiguelife",
    "c",
    "c > 0",
    POSITIVE,
    "Fatigue life or Birnbaum-Saunders distribution",
    "(x + 1) exp(-(x - 1)^2 / (2 x c^2)) / (2 c sqrt(2 pi x^3))",
    logpdf="x > 0 ? log(x + 1) - square((x - 1) / c) / (2 * x) - log(2 * c)"
    " - LOG_ROOT_TWO_PI_F64 - 1.5 * log(x) : -INFINITY_F64",
    cdf="ndtr((x - 1) / (c * sqrt(x)))",
    sf="ndtr((1 - x) / (c * sqrt(x)))",
    ppf="const f64 t = c * ndtri(q), r = sqrt(t * t + 4);"
    " return t > 0 ? 0.25 * square(t + r) : 4 / square(r - t);",
    isf="const f64 t = -c * ndtri(q), r = sqrt(t * t + 4);"
    " return t > 0 ? 0.25 * square(t + r) : 4 / square(r - t);",
    **moments(
        "0.5 * c * c + 1",
        "c * c * (1.25 * c * c + 1)",
        "4 * c * (11 * c * c + 6) / pow(5 * c * c + 4, 1.5)",
        "6 * c * c * (93 * c * c + 40) / square(5 * c * c + 4)",
    ),
)
_add(
    "foldnorm",
    "c",
    "c >= 0",
    POSITIVE,
    "Normal distribution of mean c without its sign",
    "sqrt(2 / pi) cosh(c x) exp(-(x^2 + c^2) / 2)",
    pdf="(exp(-0.5 * square(x - c)) + exp(-0.5 * square(x + c))) / ROOT_TWO_PI_F64",
    cdf="0.5 * (erf((x - c) / ROOT_TWO_F64) + erf((x + c) / ROOT_TWO_F64))",
    sf="ndtr(c - x) + ndtr(-x - c)",
    mean="SQRT_TWO_OVER_PI_F64 * exp(-0.5 * c * c) + c * erf(c / ROOT_TWO_F64)",
    var="c * c + 1 - square(mean())",
)
_add(
    "gibrat",
    "",
    "",
    POSITIVE,
    "Gibrat distribution, the log-normal of s = 1",
    "exp(-log(x)^2 / 2) / (x sqrt(2 pi))",
    "lognormal(0, 1)",
    logpdf="x > 0 ? -0.5 * square(log(x)) - log(x) - LOG_ROOT_TWO_PI_F64 : -INFINITY_F64",
    cdf="ndtr(log(x))",
    sf="ndtr(-log(x))",
    ppf="exp(ndtri(q))",
    isf="exp(-ndtri(q))",
    mean="exp(0.5)",
    var="expm1(1.0) * exp(1.0)",
    skew="(exp(1.0) + 2) * sqrt(expm1(1.0))",
    kurt="exp(4.0) + 2 * exp(3.0) + 3 * exp(2.0) - 6",
    munp="exp(0.5 * order * order)",
    entropy="0.5 + LOG_ROOT_TWO_PI_F64",
)
_add(
    "johnsonsb",
    "a b",
    "b > 0 && fabs(a) < INFINITY_F64",
    UNIT,
    "Johnson's bounded distribution",
    "b phi(a + b logit(x)) / (x (1 - x))",
    logpdf="x == 0 || x == 1 ? -INFINITY_F64 : log(b) - log(x) - log1p(-x) - 0.5 * square(a + b * logit(x)) - LOG_ROOT_TWO_PI_F64",
    cdf="ndtr(a + b * logit(x))",
    sf="ndtr(-a - b * logit(x))",
    ppf="expit((ndtri(q) - a) / b)",
    isf="expit((-ndtri(q) - a) / b)",
)
_add(
    "johnsonsu",
    "a b",
    "b > 0 && fabs(a) < INFINITY_F64",
    REAL,
    "Johnson's unbounded distribution",
    "b phi(a + b asinh(x)) / sqrt(x^2 + 1)",
    logpdf="log(b) - 0.5 * log1p(x * x) - 0.5 * square(a + b * asinh(x)) - LOG_ROOT_TWO_PI_F64",
    cdf="ndtr(a + b * asinh(x))",
    sf="ndtr(-a - b * asinh(x))",
    ppf="sinh((ndtri(q) - a) / b)",
    isf="sinh((-ndtri(q) - a) / b)",
    mean="-exp(0.5 / (b * b)) * sinh(a / b)",
    var="0.5 * expm1(1 / (b * b)) * (exp(1 / (b * b)) * cosh(2 * a / b) + 1)",
)
_add(
    "levy",
    "",
    "",
    POSITIVE,
    "Levy distribution",
    "exp(-1 / (2 x)) / (x sqrt(2 pi x))",
    logpdf="x > 0 ? -0.5 / x - 1.5 * log(x) - LOG_ROOT_TWO_PI_F64 : -INFINITY_F64",
    cdf="erfc(sqrt(0.5 / x))",
    sf="erf(sqrt(0.5 / x))",
    ppf="1 / square(ndtri(0.5 * q))",
    isf="0.5 / square(erfinv(q))",
    finite="0.5",
    **moments("INFINITY_F64", "INFINITY_F64", "NAN_F64", "NAN_F64"),
    entropy="0.5 * (1 + 3 * EULER_F64 + log(16 * PI_F64))",
)
_add(
    "levy_l",
    "",
    "",
    ("-INFINITY_F64", "0"),
    "Levy distribution of negative numbers",
    "exp(1 / (2 x)) / (-x sqrt(-2 pi x))",
    logpdf="x < 0 ? 0.5 / x - 1.5 * log(-x) - LOG_ROOT_TWO_PI_F64 : -INFINITY_F64",
    cdf="erf(sqrt(-0.5 / x))",
    sf="erfc(sqrt(-0.5 / x))",
    ppf="-0.5 / square(erfinv(q))",
    isf="-1 / square(ndtri(0.5 * q))",
    finite="0.5",
    **moments("INFINITY_F64", "INFINITY_F64", "NAN_F64", "NAN_F64"),
    entropy="0.5 * (1 + 3 * EULER_F64 + log(16 * PI_F64))",
)
_add(
    "moyal",
    "",
    "",
    REAL,
    "Moyal distribution",
    "exp(-(x + exp(-x)) / 2) / sqrt(2 pi)",
    logpdf="-0.5 * (x + exp(-x)) - LOG_ROOT_TWO_PI_F64",
    cdf="erfc(exp(-0.5 * x) / ROOT_TWO_F64)",
    sf="erf(exp(-0.5 * x) / ROOT_TWO_F64)",
    ppf="-log(2 * square(erfcinv(q)))",
    isf="-log(2 * square(erfinv(q)))",
    **moments(
        "LOG_TWO_F64 + EULER_F64",
        "0.5 * PI_F64 * PI_F64",
        "28 * ROOT_TWO_F64 * ZETA3_F64 / cube(PI_F64)",
        "4",
    ),
)
_add(
    "powerlognorm",
    "c s",
    "c > 0 && s > 0",
    POSITIVE,
    "Power log-normal distribution",
    "c phi(log(x) / s) Phi(-log(x) / s)^(c - 1) / (x s)",
    logpdf="if (!(x > 0)) return -INFINITY_F64; const f64 z = log(x) / s;"
    " return log(c) - log(x) - log(s) - 0.5 * z * z - LOG_ROOT_TWO_PI_F64 + (c - 1) * log_ndtr(-z);",
    logsf="c * log_ndtr(-log(x) / s)",
    sf="exp(logsf(x))",
    cdf="-expm1(logsf(x))",
    ppf="exp(-s * ndtri_exp(log1p(-q) / c))",
    isf="exp(-s * ndtri_exp(log(q) / c))",
)
_add(
    "powernorm",
    "c",
    "c > 0",
    REAL,
    "Power normal distribution",
    "c phi(x) Phi(-x)^(c - 1)",
    logpdf="log(c) - 0.5 * x * x - LOG_ROOT_TWO_PI_F64 + (c - 1) * log_ndtr(-x)",
    logsf="c * log_ndtr(-x)",
    sf="exp(logsf(x))",
    cdf="-expm1(logsf(x))",
    ppf="-ndtri_exp(log1p(-q) / c)",
    isf="-ndtri_exp(log(q) / c)",
)
_add(
    "recipinvgauss",
    "mu",
    "mu > 0",
    POSITIVE,
    "Reciprocal inverse Gaussian distribution",
    "exp(-(1 - mu x)^2 / (2 x mu^2)) / sqrt(2 pi x)",
    logpdf="x > 0 ? -square(1 - mu * x) / (2 * x * mu * mu) - LOG_ROOT_TWO_PI_F64 - 0.5 * log(x)"
    " : -INFINITY_F64",
    cdf="const f64 r = 1 / sqrt(x), a = log_ndtr(-r * (1 / mu - x)),"
    " b = 2 / mu + log_ndtr(-r * (1 / mu + x)); return exp(a) * -expm1(b - a);",
    sf="const f64 r = 1 / sqrt(x);"
    " return ndtr(r * (1 / mu - x)) + exp(2 / mu + log_ndtr(-r * (1 / mu + x)));",
    mean="1 / mu + 1",
    var="1 / mu + 2",
    skew="(3 / mu + 8) / pow(1 / mu + 2, 1.5)",
    kurt="(15 / mu + 48) / square(1 / mu + 2)",
)

# ---- of the gamma distribution -------------------------------------------------------------------
_add(
    "chi",
    "df",
    "df > 0",
    POSITIVE,
    "Chi distribution",
    "x^(df - 1) exp(-x^2 / 2) / (2^(df / 2 - 1) Gamma(df / 2))",
    logpdf="(1 - 0.5 * df) * LOG_TWO_F64 - gammaln(0.5 * df) + xlogy(df - 1, x) - 0.5 * x * x",
    cdf="gammainc(0.5 * df, 0.5 * x * x)",
    sf="gammaincc(0.5 * df, 0.5 * x * x)",
    ppf="sqrt(2 * gammaincinv(0.5 * df, q))",
    isf="sqrt(2 * gammainccinv(0.5 * df, q))",
    mean="ROOT_TWO_F64 * poch(0.5 * df, 0.5)",
    var="df - square(mean())",
    munp="exp2(0.5 * order) * poch(0.5 * df, 0.5 * order)",
    entropy="stats::gamma_entropy(0.5 * df) - 0.5 * (LOG_TWO_F64 + psi(0.5 * df))",
)
_add(
    "dgamma",
    "a",
    "a > 0",
    REAL,
    "Double gamma distribution",
    "|x|^(a - 1) exp(-|x|) / (2 Gamma(a))",
    logpdf="xlogy(a - 1, fabs(x)) - fabs(x) - LOG_TWO_F64 - gammaln(a)",
    cdf="x > 0 ? 0.5 + 0.5 * gammainc(a, x) : 0.5 * gammaincc(a, -x)",
    sf="x > 0 ? 0.5 * gammaincc(a, x) : 0.5 + 0.5 * gammainc(a, -x)",
    ppf="q > 0.5 ? gammainccinv(a, 2 * (1 - q)) : -gammainccinv(a, 2 * q)",
    isf="-ppf(q)",
    **moments("0", "a * (a + 1)", "0", "(a + 2) * (a + 3) / (a * (a + 1)) - 3"),
    munp="order % 2 == 1 ? 0 : poch(a, order)",
    entropy="LOG_TWO_F64 + stats::gamma_entropy(a)",
)
_add(
    "gengamma",
    "a c",
    "a > 0 && c != 0",
    POSITIVE,
    "Generalized gamma distribution",
    "|c| x^(c a - 1) exp(-x^c) / Gamma(a)",
    logpdf="x == 0 && c < 0 ? -INFINITY_F64"
    " : log(fabs(c)) - gammaln(a) + xlogy(c * a - 1, x) - pow(x, c)",
    cdf="c > 0 ? gammainc(a, pow(x, c)) : gammaincc(a, pow(x, c))",
    sf="c > 0 ? gammaincc(a, pow(x, c)) : gammainc(a, pow(x, c))",
    ppf="pow(c > 0 ? gammaincinv(a, q) : gammainccinv(a, q), 1 / c)",
    isf="pow(c > 0 ? gammainccinv(a, q) : gammaincinv(a, q), 1 / c)",
    munp="a + order / c > 0 ? poch(a, order / c) : INFINITY_F64",
    finite="c < 0 ? -a * c : INFINITY_F64",
    entropy="const f64 e = a < 60 ? a * (1 - psi(a)) + psi(a) / c + gammaln(a)"
    " : stats::gamma_entropy(a) + (1 - c) / c * psi(a); return e - log(fabs(c));",
)
_add(
    "gennorm",
    "beta",
    "beta > 0",
    REAL,
    "Generalized normal distribution",
    "beta exp(-|x|^beta) / (2 Gamma(1 / beta))",
    logpdf="log(0.5 * beta) - gammaln(1 / beta) - pow(fabs(x), beta)",
    cdf="const f64 tail = 0.5 * gammaincc(1 / beta, pow(fabs(x), beta));"
    " return x > 0 ? 1 - tail : tail;",
    sf="cdf(-x)",
    ppf="const f64 y = pow(gammainccinv(1 / beta, 2 * fmin(q, 1 - q)), 1 / beta);"
    " return q < 0.5 ? -y : y;",
    isf="-ppf(q)",
    **moments(
        "0",
        "exp(gammaln(3 / beta) - gammaln(1 / beta))",
        "0",
        "exp(gammaln(5 / beta) + gammaln(1 / beta) - 2 * gammaln(3 / beta)) - 3",
    ),
    munp="order % 2 == 1 ? 0 : exp(gammaln((order + 1) / beta) - gammaln(1 / beta))",
    entropy="1 / beta - log(0.5 * beta) + gammaln(1 / beta)",
)
_add(
    "halfgennorm",
    "beta",
    "beta > 0",
    POSITIVE,
    "Upper half of a generalized normal distribution",
    "beta exp(-x^beta) / Gamma(1 / beta)",
    logpdf="log(beta) - gammaln(1 / beta) - pow(x, beta)",
    cdf="gammainc(1 / beta, pow(x, beta))",
    sf="gammaincc(1 / beta, pow(x, beta))",
    ppf="pow(gammaincinv(1 / beta, q), 1 / beta)",
    isf="pow(gammainccinv(1 / beta, q), 1 / beta)",
    munp="exp(gammaln((order + 1) / beta) - gammaln(1 / beta))",
    entropy="1 / beta - log(beta) + gammaln(1 / beta)",
)
_add(
    "loggamma",
    "c",
    "c > 0",
    REAL,
    "Distribution of the logarithm of gamma numbers",
    "exp(c x - exp(x)) / Gamma(c)",
    logpdf="c * x - exp(x) - gammaln(c)",
    cdf="x > -600 ? gammainc(c, exp(x)) : exp(logcdf(x))",
    sf="x > -600 ? gammaincc(c, exp(x)) : -expm1(logcdf(x))",
    logcdf="if (x <= -600) return c * x - gammaln(c + 1); const f64 p = gammainc(c, exp(x));"
    " return p > 0.5 ? log1p(-gammaincc(c, exp(x))) : log(p);",
    ppf="const f64 g = gammaincinv(c, q); return g > 1e-290 ? log(g) : (log(q) + gammaln(c + 1)) / c;",
    isf="const f64 g = gammainccinv(c, q);"
    " return g > 1e-290 ? log(g) : (log1p(-q) + gammaln(c + 1)) / c;",
    **moments(
        "psi(c)",
        "special::zeta(2.0, c)",
        "-2 * special::zeta(3.0, c) / pow(var(), 1.5)",
        "6 * special::zeta(4.0, c) / square(var())",
    ),
    entropy="c < 60 ? gammaln(c) + c - c * psi(c) : stats::gamma_entropy(c) - psi(c)",
)
_add(
    "nakagami",
    "nu",
    "nu > 0",
    POSITIVE,
    "Nakagami distribution",
    "2 nu^nu x^(2 nu - 1) exp(-nu x^2) / Gamma(nu)",
    logpdf="LOG_TWO_F64 + xlogy(nu, nu) - gammaln(nu) + xlogy(2 * nu - 1, x) - nu * x * x",
    cdf="gammainc(nu, nu * x * x)",
    sf="gammaincc(nu, nu * x * x)",
    ppf="sqrt(gammaincinv(nu, q) / nu)",
    isf="sqrt(gammainccinv(nu, q) / nu)",
    mean="poch(nu, 0.5) / sqrt(nu)",
    var="1 - square(mean())",
    munp="poch(nu, 0.5 * order) / pow(nu, 0.5 * order)",
    entropy="stats::gamma_entropy(nu) - 0.5 * (psi(nu) + log(nu)) - LOG_TWO_F64",
)
_add(
    "argus",
    "chi",
    "chi > 0",
    UNIT,
    "Argus distribution",
    "x sqrt(1 - x^2) exp(-chi^2 (1 - x^2) / 2), divided by the integral",
    logpdf="const f64 y = (1 - x) * (1 + x), g = gammainc(1.5, 0.5 * chi * chi);"
    " return 3 * log(chi) - LOG_ROOT_TWO_PI_F64 + LOG_TWO_F64 - log(g) + log(x)"
    " + 0.5 * log(y) - 0.5 * chi * chi * y;",
    cdf="stats::argus_cdf(x, chi)",
    sf="gammainc(1.5, 0.5 * chi * chi * (1 - x) * (1 + x)) / gammainc(1.5, 0.5 * chi * chi)",
    ppf="return q < 0.1 ? stats::quantile(*this, q, 1 - q) : isf(1 - q);",
    isf="sqrt(1 - 2 / (chi * chi) * gammaincinv(1.5, q * gammainc(1.5, 0.5 * chi * chi)))",
)
_add(
    "pearson3",
    "skew",
    "fabs(skew_) < INFINITY_F64",
    ("skew_ > 0 ? -2 / skew_ : -INFINITY_F64", "skew_ < 0 ? -2 / skew_ : INFINITY_F64"),
    "Pearson's distribution of the third kind, of mean 0, variance 1 and a skewness",
    "that of skew / 2 (G - 4 / skew^2), where G is a gamma number of shape 4 / skew^2",
    logpdf="stats::pearson3_log_density(skew_ < 0 ? -x : x, fabs(skew_))",
    cdf="stats::pearson3_tail(skew_ < 0 ? -x : x, fabs(skew_), skew_ < 0)",
    sf="stats::pearson3_tail(skew_ < 0 ? -x : x, fabs(skew_), skew_ >= 0)",
    ppf="const f64 y = stats::pearson3_quantile(q, fabs(skew_), skew_ < 0); return skew_ < 0 ? -y : y;",
    isf="const f64 y = stats::pearson3_quantile(q, fabs(skew_), skew_ >= 0); return skew_ < 0 ? -y : y;",
    **moments("0", "1", "skew_", "1.5 * skew_ * skew_"),
    entropy="const f64 a = 4 / (skew_ * skew_), t = 1 / a;"
    " if (!(a < 1000)) return LOG_ROOT_TWO_PI_F64 + 0.5 - t * (1.0 / 3 + t * (1.0 / 12 + t / 90));"
    " return a + (1 - a) * psi(a) + gammaln(a) + log(0.5 * fabs(skew_));",
)
_add(
    "ncx2",
    "df nc",
    "df > 0 && nc >= 0",
    POSITIVE,
    "Noncentral chi-square distribution",
    "exp(-(nc + x) / 2) (x / nc)^((df - 2) / 4) I_(df / 2 - 1)(sqrt(nc x)) / 2",
    logpdf="const f64 v = 0.5 * df - 1; if (nc == 0) return xlogy(v, 0.5 * x) - 0.5 * x"
    " - gammaln(v + 1) - LOG_TWO_F64; const f64 r = sqrt(x), s = sqrt(nc);"
    " return xlogy(0.5 * v, x / nc) - 0.5 * square(r - s) + log(0.5 * ive(v, r * s));",
    cdf="chndtr(x, df, nc)",
    ppf="chndtrix(q, df, nc)",
    **moments(
        "df + nc",
        "2 * (df + 2 * nc)",
        "2 * ROOT_TWO_F64 * (df + 3 * nc) / pow(df + 2 * nc, 1.5)",
        "12 * (df + 4 * nc) / square(df + 2 * nc)",
    ),
)
_add(
    "rice",
    "b",
    "b >= 0",
    POSITIVE,
    "Rice distribution",
    "x exp(-(x^2 + b^2) / 2) I_0(x b)",
    pdf="x * exp(-0.5 * square(x - b)) * i0e(x * b)",
    cdf="chndtr(x * x, 2.0, b * b)",
    logpdf="log(x) - 0.5 * square(x - b) + log(i0e(x * b))",
    ppf="sqrt(chndtrix(q, 2.0, b * b))",
    munp="exp2(0.5 * order) * special::gamma(1 + 0.5 * order)"
    " * hyp1f1(-0.5 * order, 1.0, -0.5 * b * b)",
)

# ---- of the beta distribution --------------------------------------------------------------------
_add(
    "betaprime",
    "a b",
    "a > 0 && b > 0",
    POSITIVE,
    "Beta prime distribution",
    "x^(a - 1) (1 + x)^(-a - b) / B(a, b)",
    logpdf="x == 0 && a < 1 ? -INFINITY_F64 : xlogy(a - 1, x) - xlog1py(a + b, x) - betaln(a, b)",
    cdf="x > 1 ? betaincc(b, a, 1 / (1 + x)) : betainc(a, b, x / (1 + x))",
    sf="x > 1 ? betainc(b, a, 1 / (1 + x)) : betaincc(a, b, x / (1 + x))",
    ppf="const f64 r = betaincinv(a, b, q), s = betainccinv(b, a, q);"
    " return r < 0.5 ? r / (1 - r) : (1 - s) / s;",
    isf="const f64 r = betainccinv(a, b, q), s = betaincinv(b, a, q);"
    " return r < 0.5 ? r / (1 - r) : (1 - s) / s;",
    finite="b",
    raw="munp(order)",
    mean="b > 1 ? munp(1) : INFINITY_F64",
    var="b > 2 ? stats::var_of_raw(munp(1), munp(2)) : INFINITY_F64",
    skew="b > 3 ? stats::skew_of_raw(munp(1), munp(2), munp(3)) : NAN_F64",
    kurt="b > 4 ? stats::kurt_of_raw(munp(1), munp(2), munp(3), munp(4)) : NAN_F64",
    munp="order < b ? exp(betaln(a + order, b - order) - betaln(a, b)) : INFINITY_F64",
)
_add(
    "rdist",
    "c",
    "c > 0",
    ("-1", "1"),
    "R distribution, a symmetric beta on [-1, 1]",
    "(1 - x^2)^(c / 2 - 1) / B(1/2, c / 2)",
    logpdf="xlogy(0.5 * c - 1, (1 - x) * (1 + x)) - betaln(0.5, 0.5 * c)",
    cdf="betainc(0.5 * c, 0.5 * c, 0.5 * (x + 1))",
    sf="cdf(-x)",
    ppf="2 * betaincinv(0.5 * c, 0.5 * c, q) - 1",
    isf="-ppf(q)",
    mean="0",
    var="1 / (c + 1)",
    skew="0",
    kurt="-6 / (c + 3)",
    munp="order % 2 == 1 ? 0 : exp(betaln(0.5 * (order + 1), 0.5 * c) - betaln(0.5, 0.5 * c))",
)
_add(
    "semicircular",
    "",
    "",
    ("-1", "1"),
    "Semicircular distribution",
    "2 sqrt(1 - x^2) / pi",
    pdf="2 / PI_F64 * sqrt((1 - x) * (1 + x))",
    logpdf="log(2 / PI_F64) + 0.5 * (log1p(x) + log1p(-x))",
    cdf="betainc(1.5, 1.5, 0.5 * (x + 1))",
    sf="cdf(-x)",
    ppf="2 * betaincinv(1.5, 1.5, q) - 1",
    isf="-ppf(q)",
    **moments("0", "0.25", "0", "-1"),
    entropy="LOG_PI_F64 - 0.5",
)
_add(
    "jf_skew_t",
    "a b",
    "a > 0 && b > 0",
    REAL,
    "Skew t distribution of Jones and Faddy",
    "(1 + r)^(a + 1/2) (1 - r)^(b + 1/2), divided by the integral, with r = x / sqrt(a + b + x^2)",
    logpdf="const f64 w = sqrt(a + b + x * x), up = x > 0 ? (w + x) / w : (a + b) / (w * (w - x)),"
    " down = x > 0 ? (a + b) / (w * (w + x)) : (w - x) / w;"
    " return (a + 0.5) * log(up) + (b + 0.5) * log(down) - (a + b - 1) * LOG_TWO_F64"
    " - betaln(a, b) - 0.5 * log(a + b);",
    cdf="const f64 w = sqrt(a + b + x * x);"
    " return x > 0 ? betaincc(b, a, 0.5 * (a + b) / (w * (w + x)))"
    " : betainc(a, b, 0.5 * (a + b) / (w * (w - x)));",
    sf="const f64 w = sqrt(a + b + x * x);"
    " return x > 0 ? betainc(b, a, 0.5 * (a + b) / (w * (w + x)))"
    " : betaincc(a, b, 0.5 * (a + b) / (w * (w - x)));",
    ppf="const f64 t = betaincinv(a, b, q), u = betainccinv(b, a, q);"
    " return (t - u) * sqrt(a + b) / (2 * sqrt(t * u));",
    isf="const f64 t = betainccinv(a, b, q), u = betaincinv(b, a, q);"
    " return (t - u) * sqrt(a + b) / (2 * sqrt(t * u));",
    finite="2 * fmin(a, b)",
)

# ---- powers, exponentials, lifetimes -------------------------------------------------------------
_add(
    "burr12",
    "c d",
    "c > 0 && d > 0",
    POSITIVE,
    "Burr distribution of type XII",
    "c d x^(c - 1) (1 + x^c)^(-d - 1)",
    logpdf="log(c) + log(d) + xlogy(c - 1, x) - (d + 1) * log1p(pow(x, c))",
    logsf="-d * log1p(pow(x, c))",
    sf="exp(logsf(x))",
    cdf="-expm1(logsf(x))",
    ppf="pow(expm1(-log1p(-q) / d), 1 / c)",
    isf="pow(expm1(-log(q) / d), 1 / c)",
    finite="c * d",
    mean="c * d > 1 ? munp(1) : NAN_F64",
    var="c * d > 2 ? stats::var_of_raw(munp(1), munp(2)) : NAN_F64",
    skew="c * d > 3 ? stats::skew_of_raw(munp(1), munp(2), munp(3)) : NAN_F64",
    kurt="c * d > 4 ? stats::kurt_of_raw(munp(1), munp(2), munp(3), munp(4)) : NAN_F64",
    munp="order < c * d ? d * special::beta(1 + order / c, d - order / c) : INFINITY_F64",
)
_add(
    "dweibull",
    "c",
    "c > 0",
    REAL,
    "Double Weibull distribution",
    "c |x|^(c - 1) exp(-|x|^c) / 2",
    logpdf="log(0.5 * c) + xlogy(c - 1, fabs(x)) - pow(fabs(x), c)",
    cdf="const f64 t = 0.5 * exp(-pow(fabs(x), c)); return x > 0 ? 1 - t : t;",
    sf="cdf(-x)",
    ppf="const f64 y = pow(-log(2 * fmin(q, 1 - q)), 1 / c); return q > 0.5 ? y : -y;",
    isf="-ppf(q)",
    mean="0",
    skew="0",
    var="special::gamma(1 + 2 / c)",
    kurt="special::gamma(1 + 4 / c) / square(special::gamma(1 + 2 / c)) - 3",
    munp="order % 2 == 1 ? 0 : special::gamma(1 + order / c)",
    entropy="-EULER_F64 / c - log(c) + EULER_F64 + 1 + LOG_TWO_F64",
)
_add(
    "exponpow",
    "b",
    "b > 0",
    POSITIVE,
    "Exponential power distribution",
    "b x^(b - 1) exp(1 + x^b - exp(x^b))",
    logpdf="1 + log(b) + xlogy(b - 1, x) + pow(x, b) - exp(pow(x, b))",
    logsf="-expm1(pow(x, b))",
    sf="exp(logsf(x))",
    cdf="-expm1(logsf(x))",
    ppf="pow(log1p(-log1p(-q)), 1 / b)",
    isf="pow(log1p(-log(q)), 1 / b)",
)
_add(
    "genexpon",
    "a b c",
    "a > 0 && b > 0 && c > 0",
    POSITIVE,
    "Generalized exponential distribution",
    "(a + b (1 - exp(-c x))) exp(-(a + b) x + b (1 - exp(-c x)) / c)",
    logpdf="log(a - b * expm1(-c * x)) + logsf(x)",
    logsf="-(a + b) * x - b * expm1(-c * x) / c",
    sf="exp(logsf(x))",
    cdf="-expm1(logsf(x))",
)
_add(
    "genhalflogistic",
    "c",
    "c > 0",
    ("0", "1 / c"),
    "Generalized half-logistic distribution",
    "2 (1 - c x)^(1 / c - 1) / (1 + (1 - c x)^(1 / c))^2",
    logpdf="const f64 l = log1p(-c * x); return LOG_TWO_F64 + (1 / c - 1) * l"
    " - 2 * log1p(exp(l / c));",
    cdf="-tanh(0.5 * log1p(-c * x) / c)",
    sf="2 * expit(log1p(-c * x) / c)",
    ppf="-expm1(-2 * c * atanh(q)) / c",
    isf="-expm1(c * logit(0.5 * q)) / c",
    entropy="2 - (2 * c + 1) * LOG_TWO_F64",
)
_add(
    "genlogistic",
    "c",
    "c > 0",
    REAL,
    "Generalized logistic distribution",
    "c exp(-x) / (1 + exp(-x))^(c + 1)",
    logpdf="const f64 l = log1p(exp(-fabs(x)));"
    " return log(c) + (x > 0 ? -x : c * x) - (c + 1) * l;",
    logcdf="c * log_expit(x)",
    cdf="exp(logcdf(x))",
    sf="-expm1(logcdf(x))",
    ppf="-log(expm1(-log(q) / c))",
    isf="-log(expm1(-log1p(-q) / c))",
    mean="EULER_F64 + psi(c)",
    var="PI_F64 * PI_F64 / 6 + special::zeta(2.0, c)",
    skew="2 * (ZETA3_F64 - special::zeta(3.0, c)) / pow(var(), 1.5)",
    kurt="(square(PI_F64 * PI_F64) / 15 + 6 * special::zeta(4.0, c)) / square(var())",
    entropy="-log(c) + psi(c + 1) + EULER_F64 + 1",
)
_add(
    "gompertz",
    "c",
    "c > 0",
    POSITIVE,
    "Gompertz distribution",
    "c exp(x) exp(-c (exp(x) - 1))",
    logpdf="log(c) + x - c * expm1(x)",
    logsf="-c * expm1(x)",
    sf="exp(logsf(x))",
    cdf="-expm1(logsf(x))",
    ppf="log1p(-log1p(-q) / c)",
    isf="log1p(-log(q) / c)",
    entropy="1 - log(c) - stats::exp_times_exp1(c)",
)
_add(
    "invweibull",
    "c",
    "c > 0",
    POSITIVE,
    "Inverted Weibull distribution",
    "c x^(-c - 1) exp(-x^-c)",
    logpdf="x > 0 ? log(c) - (c + 1) * log(x) - pow(x, -c) : -INFINITY_F64",
    logcdf="-pow(x, -c)",
    cdf="exp(-pow(x, -c))",
    sf="-expm1(-pow(x, -c))",
    ppf="pow(-log(q), -1 / c)",
    isf="pow(-log1p(-q), -1 / c)",
    finite="c",
    munp="order < c ? special::gamma(1 - order / c) : INFINITY_F64",
    entropy="1 + EULER_F64 + EULER_F64 / c - log(c)",
)
_add(
    "kappa3",
    "a",
    "a > 0",
    POSITIVE,
    "Kappa distribution of three parameters",
    "a (a + x^a)^(-(a + 1) / a)",
    logpdf="log(a) - (1 + 1 / a) * log(a + pow(x, a))",
    cdf="x > 1 ? pow(1 + a * pow(x, -a), -1 / a) : x * pow(a + pow(x, a), -1 / a)",
    sf="-expm1(x > 1 ? -log1p(a * pow(x, -a)) / a : log(x) - log(a + pow(x, a)) / a)",
    ppf="pow(a / expm1(-a * log(q)), 1 / a)",
    isf="pow(a / expm1(-a * log1p(-q)), 1 / a)",
    finite="a",
)
_add(
    "loglaplace",
    "c",
    "c > 0",
    POSITIVE,
    "Log-Laplace distribution",
    "c x^(c - 1) / 2 below 1, c x^(-c - 1) / 2 above",
    logpdf="log(0.5 * c) + (x < 1 ? xlogy(c - 1, x) : -(c + 1) * log(x))",
    cdf="x < 1 ? 0.5 * pow(x, c) : 1 - 0.5 * pow(x, -c)",
    sf="x < 1 ? 1 - 0.5 * pow(x, c) : 0.5 * pow(x, -c)",
    ppf="q < 0.5 ? pow(2 * q, 1 / c) : pow(2 * (1 - q), -1 / c)",
    isf="q > 0.5 ? pow(2 * (1 - q), 1 / c) : pow(2 * q, -1 / c)",
    finite="c",
    munp="order < c ? c * c / (c * c - order * order) : INFINITY_F64",
    var="c > 2 ? munp(2) - square(munp(1)) : INFINITY_F64",
    entropy="log(2 / c) + 1",
)
_add(
    "lomax",
    "c",
    "c > 0",
    POSITIVE,
    "Lomax distribution, a Pareto distribution from 0 on",
    "c / (1 + x)^(c + 1)",
    logpdf="log(c) - (c + 1) * log1p(x)",
    logsf="-c * log1p(x)",
    sf="exp(logsf(x))",
    cdf="-expm1(logsf(x))",
    ppf="expm1(-log1p(-q) / c)",
    isf="expm1(-log(q) / c)",
    mean="c > 1 ? 1 / (c - 1) : INFINITY_F64",
    var="c > 2 ? c / ((c - 2) * square(c - 1)) : INFINITY_F64",
    skew="c > 3 ? 2 * (1 + c) / (c - 3) * sqrt((c - 2) / c) : NAN_F64",
    kurt="c > 4 ? 6 * (((c + 1) * c - 6) * c - 2) / (c * (c - 3) * (c - 4)) : NAN_F64",
    munp="order < c ? exp(gammaln(c - order) + gammaln(order + 1.0) - gammaln(c)) : INFINITY_F64",
    finite="c",
    entropy="1 + 1 / c - log(c)",
)
_add(
    "mielke",
    "k s",
    "k > 0 && s > 0",
    POSITIVE,
    "Mielke's beta-kappa distribution",
    "k x^(k - 1) / (1 + x^s)^(1 + k / s)",
    logpdf="log(k) + xlogy(k - 1, x) - (1 + k / s) * log1p(pow(x, s))",
    logcdf="-k / s * log1p(pow(x, -s))",
    cdf="exp(logcdf(x))",
    sf="-expm1(logcdf(x))",
    ppf="pow(expm1(-s / k * log(q)), -1 / s)",
    isf="pow(expm1(-s / k * log1p(-q)), -1 / s)",
    finite="s",
    munp="order < s ? exp(gammaln((k + order) / s) + gammaln(1 - order / s)"
    " - gammaln(k / s)) : INFINITY_F64",
)
_add(
    "laplace_asymmetric",
    "kappa",
    "kappa > 0",
    REAL,
    "Asymmetric Laplace distribution",
    "exp(-x kappa) for x >= 0, exp(x / kappa) below, divided by kappa + 1 / kappa",
    logpdf="(x >= 0 ? -x * kappa : x / kappa) - log(kappa + 1 / kappa)",
    cdf="const f64 all = kappa + 1 / kappa;"
    " return x >= 0 ? 1 - exp(-x * kappa) / (kappa * all) : exp(x / kappa) * kappa / all;",
    sf="const f64 all = kappa + 1 / kappa;"
    " return x >= 0 ? exp(-x * kappa) / (kappa * all) : 1 - exp(x / kappa) * kappa / all;",
    ppf="const f64 all = kappa + 1 / kappa; return q >= kappa / all"
    " ? -log((1 - q) * all * kappa) / kappa : kappa * log(q * all / kappa);",
    isf="const f64 all = kappa + 1 / kappa; return q <= 1 / (kappa * all)"
    " ? -log(q * all * kappa) / kappa : kappa * log((1 - q) * all / kappa);",
    mean="1 / kappa - kappa",
    var="kappa * kappa + 1 / (kappa * kappa)",
    skew="2 * (1 - pow(kappa, 6.0)) / pow(1 + pow(kappa, 4.0), 1.5)",
    kurt="6 * (1 + pow(kappa, 8.0)) / square(1 + pow(kappa, 4.0))",
    entropy="1 + log(kappa + 1 / kappa)",
)
_add(
    "hypsecant",
    "",
    "",
    REAL,
    "Hyperbolic secant distribution",
    "1 / (pi cosh(x))",
    pdf="1 / (PI_F64 * cosh(x))",
    cdf="2 / PI_F64 * atan(exp(x))",
    sf="2 / PI_F64 * atan(exp(-x))",
    ppf="log(tan(0.5 * PI_F64 * q))",
    isf="-log(tan(0.5 * PI_F64 * q))",
    logpdf="-fabs(x) - log1p(exp(-2 * fabs(x))) + log(2 / PI_F64)",
    **moments("0", "0.25 * PI_F64 * PI_F64", "0", "2"),
    entropy="log(2 * PI_F64)",
)
_add(
    "halflogistic",
    "",
    "",
    POSITIVE,
    "Half-logistic distribution",
    "1 / (2 cosh(x / 2)^2)",
    pdf="0.5 / square(cosh(0.5 * x))",
    logpdf="LOG_TWO_F64 - x - 2 * log1p(exp(-x))",
    cdf="tanh(0.5 * x)",
    sf="2 * expit(-x)",
    ppf="2 * atanh(q)",
    isf="-logit(0.5 * q)",
    mean="2 * LOG_TWO_F64",
    var="PI_F64 * PI_F64 / 3 - square(2 * LOG_TWO_F64)",
    entropy="2 - LOG_TWO_F64",
)

# ---- Cauchy distributions ------------------------------------------------------------------------
_add(
    "foldcauchy",
    "c",
    "c >= 0",
    POSITIVE,
    "Cauchy distribution around c without its sign",
    "(1 / (1 + (x - c)^2) + 1 / (1 + (x + c)^2)) / pi",
    pdf="(1 / (1 + square(x - c)) + 1 / (1 + square(x + c))) / PI_F64",
    cdf="(atan(x - c) + atan(x + c)) / PI_F64",
    sf="(atan2(1.0, x - c) + atan2(1.0, x + c)) / PI_F64",
    finite="1",
    **_HEAVY,
)
_add(
    "halfcauchy",
    "",
    "",
    POSITIVE,
    "Half-Cauchy distribution",
    "2 / (pi (1 + x^2))",
    pdf="2 / (PI_F64 * (1 + x * x))",
    logpdf="log(2 / PI_F64) - log_one_square(x)",
    cdf="2 / PI_F64 * atan(x)",
    sf="2 / PI_F64 * atan2(1.0, x)",
    ppf="sinpi(0.5 * q) / cospi(0.5 * q)",
    isf="cospi(0.5 * q) / sinpi(0.5 * q)",
    finite="1",
    **_HEAVY,
    entropy="log(2 * PI_F64)",
)
_add(
    "skewcauchy",
    "a",
    "fabs(a) < 1",
    REAL,
    "Skewed Cauchy distribution",
    "1 / (pi (1 + x^2 / (1 + a sign(x))^2))",
    pdf="1 / (PI_F64 * (1 + square(x / (x < 0 ? 1 - a : 1 + a))))",
    cdf="x > 0 ? 1 - sf(x) : (1 - a) * atan2(1.0, -x / (1 - a)) / PI_F64",
    sf="x > 0 ? (1 + a) * atan2(1.0, x / (1 + a)) / PI_F64"
    " : 1 - (1 - a) * atan2(1.0, -x / (1 - a)) / PI_F64",
    ppf="if (q < 0.5 * (1 - a)) { const f64 t = q / (1 - a); return -(1 - a) * cospi(t) / sinpi(t); }"
    " const f64 t = (1 - q) / (1 + a); return (1 + a) * cospi(t) / sinpi(t);",
    isf="if (q > 0.5 * (1 + a)) { const f64 t = (1 - q) / (1 - a);"
    " return -(1 - a) * cospi(t) / sinpi(t); }"
    " const f64 t = q / (1 + a); return (1 + a) * cospi(t) / sinpi(t);",
    finite="1",
    **_NONE,
)
_add(
    "wrapcauchy",
    "c",
    "c > 0 && c < 1",
    ("0", "2 * PI_F64"),
    "Cauchy distribution wrapped around the circle",
    "(1 - c^2) / (2 pi (1 + c^2 - 2 c cos(x)))",
    turn=0.0,
    pdf="(1 - c * c) / (2 * PI_F64 * (square(1 - c) + 4 * c * square(sin(0.5 * x))))",
    cdf="const f64 v = (1 + c) / (1 - c); return x < PI_F64 ? atan(v * tan(0.5 * x)) / PI_F64"
    " : 1 - atan(v * tan(0.5 * (2 * PI_F64 - x))) / PI_F64;",
    ppf="const f64 v = (1 - c) / (1 + c), y = 2 * atan2(v * sinpi(fmin(q, 1 - q)),"
    " cospi(fmin(q, 1 - q))); return q < 0.5 ? y : 2 * PI_F64 - y;",
    entropy="log(2 * PI_F64 * (1 - c * c))",
)

# ---- bounded supports ----------------------------------------------------------------------------
_add(
    "anglit",
    "",
    "",
    ("-0.25 * PI_F64", "0.25 * PI_F64"),
    "Anglit distribution",
    "cos(2 x)",
    pdf="cos(2 * x)",
    cdf="square(sin(x + 0.25 * PI_F64))",
    sf="square(cos(x + 0.25 * PI_F64))",
    ppf="asin(sqrt(q)) - 0.25 * PI_F64",
    isf="0.25 * PI_F64 - asin(sqrt(q))",
    **moments(
        "0",
        "PI_F64 * PI_F64 / 16 - 0.5",
        "0",
        "-2 * (square(PI_F64 * PI_F64) - 96) / square(PI_F64 * PI_F64 - 8)",
    ),
    entropy="1 - LOG_TWO_F64",
)
_add(
    "arcsine",
    "",
    "",
    UNIT,
    "Arcsine distribution",
    "1 / (pi sqrt(x (1 - x)))",
    pdf="1 / (PI_F64 * sqrt(x * (1 - x)))",
    cdf="2 / PI_F64 * asin(sqrt(x))",
    sf="2 / PI_F64 * asin(sqrt(1 - x))",
    ppf="square(sinpi(0.5 * q))",
    isf="square(cospi(0.5 * q))",
    **moments("0.5", "0.125", "0", "-1.5"),
    entropy="log(0.25 * PI_F64)",
)
_add(
    "bradford",
    "c",
    "c > 0",
    UNIT,
    "Bradford distribution",
    "c / (log(1 + c) (1 + c x))",
    pdf="c / (log1p(c) * (1 + c * x))",
    cdf="log1p(c * x) / log1p(c)",
    ppf="expm1(q * log1p(c)) / c",
    mean="(c - log1p(c)) / (c * log1p(c))",
    var="((c + 2) * log1p(c) - 2 * c) / (2 * c * square(log1p(c)))",
    entropy="0.5 * log1p(c) - log(c / log1p(c))",
)
_add(
    "cosine",
    "",
    "",
    ("-PI_F64", "PI_F64"),
    "Cosine distribution",
    "(1 + cos(x)) / (2 pi)",
    pdf="square(cos(0.5 * x)) / PI_F64",
    logpdf="fabs(x) == PI_F64 ? -INFINITY_F64 : log(square(cos(0.5 * x)) / PI_F64)",
    cdf="const f64 y = x + PI_F64;"
    " if (y < 0.1) { const f64 s = y * y; return y * s * (1 - s / 20 * (1 - s / 42 * (1 - s / 72)))"
    " / (12 * PI_F64); } return (y + sin(x)) / (2 * PI_F64);",
    sf="cdf(-x)",
    **moments(
        "0",
        "PI_F64 * PI_F64 / 3 - 2",
        "0",
        "-1.2 * (square(PI_F64 * PI_F64) - 90) / square(PI_F64 * PI_F64 - 6)",
    ),
    entropy="log(4 * PI_F64) - 1",
)
_add(
    "trapezoid",
    "c d",
    "c >= 0 && c <= 1 && d >= c && d <= 1",
    UNIT,
    "Trapezoidal distribution",
    "2 / (d - c + 1) between c and d, with lines to 0 at 0 and 1",
    pdf="const f64 u = 2 / (d - c + 1); return x < c ? u * x / c : x <= d ? u"
    " : u * (1 - x) / (1 - d);",
    cdf="const f64 w = d - c + 1; return x < c ? x * x / (c * w) : x <= d ? (2 * x - c) / w"
    " : 1 - square(1 - x) / (w * (1 - d));",
    sf="const f64 w = d - c + 1; return x < c ? 1 - x * x / (c * w) : x <= d ? (1 + d - 2 * x) / w"
    " : square(1 - x) / (w * (1 - d));",
    ppf="const f64 w = d - c + 1; return q * w < c ? sqrt(q * c * w)"
    " : (1 - q) * w >= 1 - d ? 0.5 * (q * w + c) : 1 - sqrt((1 - q) * w * (1 - d));",
    isf="const f64 w = d - c + 1; return (1 - q) * w < c ? sqrt((1 - q) * c * w)"
    " : q * w >= 1 - d ? 0.5 * ((1 - q) * w + c) : 1 - sqrt(q * w * (1 - d));",
    munp="const f64 e = order, top = pow(d, e + 1), bottom = pow(c, e + 1);"
    " const f64 rest = d < 1 ? ((1 - top) / (e + 1) - (1 - top * d) / (e + 2)) / (1 - d) : 0;"
    " return 2 / (1 + d - c) * (bottom / (e + 2) + (top - bottom) / (e + 1) + rest);",
    entropy="0.5 * (1 - d + c) / (1 + d - c) + log(0.5 * (1 + d - c))",
)
_add(
    "truncexpon",
    "b",
    "b > 0",
    ("0", "b"),
    "Exponential distribution within [0, b]",
    "exp(-x) / (1 - exp(-b))",
    logpdf="-x - log(-expm1(-b))",
    cdf="expm1(-x) / expm1(-b)",
    sf="exp(-x) * expm1(x - b) / expm1(-b)",
    ppf="-log1p(q * expm1(-b))",
    isf="q > 0.5 ? -log1p((1 - q) * expm1(-b)) : -log(exp(-b) - q * expm1(-b))",
    entropy="b + log(-expm1(-b)) + (expm1(-b) + b) / expm1(-b)",
)
_add(
    "truncpareto",
    "b c",
    "b != 0 && c > 1",
    ("1", "c"),
    "Pareto distribution within [1, c]",
    "b x^(-b - 1) / (1 - c^-b)",
    logpdf="log(b / -expm1(-b * log(c))) - (b + 1) * log(x)",
    cdf="expm1(-b * log(x)) / expm1(-b * log(c))",
    sf="(pow(x, -b) - pow(c, -b)) / -expm1(-b * log(c))",
    ppf="exp(-log1p(q * expm1(-b * log(c))) / b)",
    munp="if (order == b) return b * log(c) / -expm1(-b * log(c));"
    " return b / (b - order) * expm1((order - b) * log(c)) / expm1(-b * log(c));",
    entropy="const f64 l = log(c), p = -expm1(-b * l);"
    " return -log(b / p) + (b + 1) * (1 / b - l * exp(-b * l) / p);",
)
_add(
    "truncweibull_min",
    "c a b",
    "c > 0 && a >= 0 && b > a",
    ("a", "b"),
    "Weibull distribution of minima within [a, b]",
    "c x^(c - 1) exp(-x^c) / (exp(-a^c) - exp(-b^c))",
    logpdf="const f64 l = pow(a, c), w = pow(b, c) - l;"
    " return log(c) + xlogy(c - 1, x) - (pow(x, c) - l) - log(-expm1(-w));",
    cdf="const f64 l = pow(a, c); return expm1(l - pow(x, c)) / expm1(l - pow(b, c));",
    sf="const f64 l = pow(a, c), w = pow(b, c);"
    " return exp(l - pow(x, c)) * expm1(pow(x, c) - w) / expm1(l - w);",
    ppf="const f64 l = pow(a, c); return pow(l - log1p(q * expm1(l - pow(b, c))), 1 / c);",
    isf="const f64 l = pow(a, c), w = pow(b, c); return pow(w - log1p(q * expm1(w - l)), 1 / c);",
)
_add(
    "tukeylambda",
    "lam",
    "fabs(lam) < INFINITY_F64",
    ("lam > 0 ? -1 / lam : -INFINITY_F64", "lam > 0 ? 1 / lam : INFINITY_F64"),
    "Tukey's lambda distribution",
    "1 / (F^(lam - 1) + (1 - F)^(lam - 1)) of the cdf F",
    pdf="if (lam > 0 && fabs(x) * lam >= 1) return 0; const f64 p = tklmbda(x, lam), q = tklmbda(-x, lam);"
    " return 1 / (pow(p, lam - 1) + pow(q, lam - 1));",
    cdf="tklmbda(x, lam)",
    sf="tklmbda(-x, lam)",
    ppf="boxcox(q, lam) - boxcox1p(-q, lam)",
    isf="boxcox1p(-q, lam) - boxcox(q, lam)",
    mean="lam > -1 ? 0 : NAN_F64",
    skew="3 * lam > -1 ? 0 : NAN_F64",
    finite="lam < 0 ? -1 / lam : INFINITY_F64",
)
_add(
    "kstwobign",
    "",
    "",
    POSITIVE,
    "Kolmogorov's limiting distribution",
    "8 x sum of (-1)^(k - 1) k^2 exp(-2 k^2 x^2)",
    pdf="stats::kolmogorov_pdf(x)",
    cdf="1 - kolmogorov(x)",
    sf="kolmogorov(x)",
    ppf="stats::quantile(*this, q, 1 - q)",
    isf="kolmogi(q)",
)

# ---- noncentral and generalized ones, whose functions are integrals or hypergeometric -------------
_add(
    "ncf",
    "dfn dfd nc",
    "dfn > 0 && dfd > 0 && nc >= 0",
    POSITIVE,
    "Noncentral F distribution",
    "that of f times exp(-nc / 2) 1F1((dfn + dfd) / 2; dfn / 2; nc r / (2 (1 + r))), r = x dfn / dfd",
    logpdf="const f64 r = dfn / dfd * x, a = 0.5 * dfn, b = 0.5 * dfd;"
    " return a * log(dfn / dfd) + xlogy(a - 1, x) - (a + b) * log1p(r) - betaln(a, b)"
    " - 0.5 * nc + log(hyp1f1(a + b, a, 0.5 * nc * r / (1 + r)));",
    cdf="ncfdtr(dfn, dfd, nc, x)",
    ppf="ncfdtri(dfn, dfd, nc, q)",
    finite="0.5 * dfd",
    mean="dfd > 2 ? dfd / (dfd - 2) * (1 + nc / dfn) : INFINITY_F64",
    var="dfd > 4 ? 2 * square(dfd / dfn) * (square(dfn + nc) + (dfn + 2 * nc) * (dfd - 2))"
    " / (square(dfd - 2) * (dfd - 4)) : INFINITY_F64",
)
_add(
    "nct",
    "df nc",
    "df > 0 && nc == nc",
    REAL,
    "Noncentral t distribution",
    "that of (Z + nc) / sqrt(V / df) for a normal Z and a chi-square V",
    pdf="stats::noncentral_t_pdf(df, nc, x)",
    cdf="nctdtr(df, nc, x)",
    sf="nctdtr(df, -nc, -x)",
    ppf="nctdtrit(df, nc, q)",
    isf="-nctdtrit(df, -nc, q)",
    finite="df",
    munp="if (!(order < df)) return INFINITY_F64; f64 sum = 0, term = 1;"
    " for (int j = 0; 2 * j <= order; j++) { sum += term * pow(nc, (f64)(order - 2 * j));"
    " term *= (order - 2 * j) * (order - 2 * j - 1) / (2.0 * (j + 1)); }"
    " return sum * exp(0.5 * order * log(0.5 * df) + gammaln(0.5 * (df - order)) - gammaln(0.5 * df));",
    mean="df > 1 ? munp(1) : NAN_F64",
    var="df > 2 ? stats::var_of_raw(munp(1), munp(2)) : NAN_F64",
    skew="df > 3 ? stats::skew_of_raw(munp(1), munp(2), munp(3)) : NAN_F64",
    kurt="df > 4 ? stats::kurt_of_raw(munp(1), munp(2), munp(3), munp(4)) : NAN_F64",
)
_add(
    "kappa4",
    "h k",
    "h == h && k == k",
    (
        "h > 0 ? (k == 0 ? log(h) : (1 - pow(h, -k)) / k) : k < 0 ? 1 / k : -INFINITY_F64",
        "k > 0 ? 1 / k : INFINITY_F64",
    ),
    "Kappa distribution of four parameters",
    "(1 - k x)^(1 / k - 1) F(x)^(1 - h) with F(x) = (1 - h (1 - k x)^(1 / k))^(1 / h)",
    logcdf="const f64 t = exp(k == 0 ? -x : log1p(-k * x) / k);"
    " return h == 0 ? -t : log1p(-h * t) / h;",
    logpdf="const f64 y = k == 0 ? -x : log1p(-k * x) / k; return y * (1 - k) + (1 - h) * logcdf(x);",
    cdf="exp(logcdf(x))",
    sf="-expm1(logcdf(x))",
    ppf="const f64 y = log(h == 0 ? -log(q) : -expm1(h * log(q)) / h);"
    " return k == 0 ? -y : -expm1(k * y) / k;",
    isf="const f64 l = log1p(-q), y = log(h == 0 ? -l : -expm1(h * l) / h);"
    " return k == 0 ? -y : -expm1(k * y) / k;",
    finite="k < 0 ? -1 / k : h < 0 && k > 0 ? -1 / (h * k) : INFINITY_F64",
    mean="finite() > 1 ? stats::central_moment(*this, 0, 1) : NAN_F64",
    var="finite() > 2 ? stats::central_moment(*this, mean(), 2) : NAN_F64",
)
# The integral of the density from x outwards; its constant is computed once.
_INVERSE_GAUSS_TAIL = (
    "const f64 c = p - 1, h = 0.5 * b, norm = LOG_TWO_F64 + stats::log_kve(p, b);"
    " const auto f = [=](f64 t) {"
    " return t > 0 ? exp(xlogy(c, t) - h * square(t - 1) / t - norm) : 0; };"
    " const f64 way = %d;"
    " return fmin(stats::integral_from(f, x, way, way > 0 ? INFINITY_F64 : x), 1.0);"
)
_add(
    "geninvgauss",
    "p b",
    "p == p && b > 0",
    POSITIVE,
    "Generalized inverse Gaussian distribution",
    "x^(p - 1) exp(-b (x + 1 / x) / 2) / (2 K_p(b))",
    logpdf="x > 0 ? xlogy(p - 1, x) - 0.5 * b * square(x - 1) / x - LOG_TWO_F64"
    " - stats::log_kve(p, b) : -INFINITY_F64",
    cdf=_INVERSE_GAUSS_TAIL % -1,
    sf=_INVERSE_GAUSS_TAIL % 1,
    munp="exp(stats::log_kve(p + order, b) - stats::log_kve(p, b))",
    entropy="stats::entropy_of_pdf(*this)",
)
_add(
    "norminvgauss",
    "a b",
    "a > 0 && fabs(b) < a",
    REAL,
    "Normal inverse Gaussian distribution",
    "a K_1(a s) exp(sqrt(a^2 - b^2) + b x) / (pi s) with s = sqrt(1 + x^2)",
    logpdf="const f64 s = sqrt(1 + x * x), g = sqrt((a - b) * (a + b));"
    " return log(a / (PI_F64 * s)) + log(k1e(a * s)) + g + b * x - a * s;",
    # The integral outwards from x, as the one across the mode would need more points.
    cdf="return x < mean() ? stats::tail_of_pdf(*this, x, false)"
    " : 1 - stats::tail_of_pdf(*this, x, true);",
    sf="return x > mean() ? stats::tail_of_pdf(*this, x, true)"
    " : 1 - stats::tail_of_pdf(*this, x, false);",
    mean="b / sqrt((a - b) * (a + b))",
    var="a * a / pow((a - b) * (a + b), 1.5)",
    skew="3 * b / (a * sqrt(sqrt((a - b) * (a + b))))",
    kurt="3 * (1 + 4 * b * b / (a * a)) / sqrt((a - b) * (a + b))",
    entropy="stats::entropy_of_pdf(*this)",
)
_add(
    "genhyperbolic",
    "p a b",
    "p == p && fabs(b) < a",
    REAL,
    "Generalized hyperbolic distribution",
    "t^p exp(b x) K_(p - 1/2)(a s) / (sqrt(2 pi) (a / s)^(p - 1/2) K_p(t)) with t = sqrt(a^2 - b^2)"
    " and s = sqrt(1 + x^2)",
    logpdf="const f64 t = sqrt((a - b) * (a + b)), s = sqrt(1 + x * x);"
    " return p * log(t) - LOG_ROOT_TWO_PI_F64 + (p - 0.5) * log(s / a) + log(kve(p - 0.5, a * s))"
    " - log(kve(p, t)) + t - a * s + b * x;",
    # The integral outwards from x, as the one across the mode would need more points.
    cdf="return x < mean() ? stats::tail_of_pdf(*this, x, false)"
    " : 1 - stats::tail_of_pdf(*this, x, true);",
    sf="return x > mean() ? stats::tail_of_pdf(*this, x, true)"
    " : 1 - stats::tail_of_pdf(*this, x, false);",
    # A normal number of mean b V and variance V, where t V is a generalized inverse Gaussian one:
    # sums of C(n, 2 k) (2 k - 1)!! b^(n - 2 k) E V^(n - k).
    munp="const f64 t = sqrt((a - b) * (a + b)); f64 sum = 0, ways = 1;"
    " for (int k = 0; 2 * k <= order; k++) {"
    " sum += ways * pow(b, (f64)(order - 2 * k)) * pow(t, (f64)(k - order))"
    " * kve(p + order - k, t) / kve(p, t);"
    " ways *= (f64)(order - 2 * k) * (order - 2 * k - 1) / (2 * (k + 1)); }"
    " return sum;",
    entropy="stats::entropy_of_pdf(*this)",
)
_add(
    "dpareto_lognorm",
    "u s a b",
    "fabs(u) < INFINITY_F64 && s > 0 && a > 0 && b > 0",
    POSITIVE,
    "Double Pareto lognormal distribution",
    "a b / ((a + b) x) phi(z) (R(a s - z) + R(b s + z)), with z = (log(x) - u) / s"
    " and R(t) = (1 - Phi(t)) / phi(t)",
    # phi(z) R(t) = exp(log Phi(-t) + (t^2 - z^2) / 2).
    logpdf="if (!(x > 0)) return -INFINITY_F64; const f64 z = (log(x) - u) / s;"
    " return log(a / (a + b) * b) - log(x)"
    " + stats::log_sum(log_ndtr(z - a * s) + 0.5 * a * s * (a * s - 2 * z),"
    " log_ndtr(-z - b * s) + 0.5 * b * s * (b * s + 2 * z));",
    cdf="const f64 z = (log(x) - u) / s;"
    " return ndtr(z) - (b * exp(log_ndtr(z - a * s) + 0.5 * a * s * (a * s - 2 * z))"
    " - a * exp(log_ndtr(-z - b * s) + 0.5 * b * s * (b * s + 2 * z))) / (a + b);",
    sf="const f64 z = (log(x) - u) / s;"
    " return ndtr(-z) + (b * exp(log_ndtr(z - a * s) + 0.5 * a * s * (a * s - 2 * z))"
    " - a * exp(log_ndtr(-z - b * s) + 0.5 * b * s * (b * s + 2 * z))) / (a + b);",
    munp="order < a ? a * b / ((a - order) * (b + order)) * exp(order * u + 0.5 * square(order * s))"
    " : INFINITY_F64",
    finite="a",
)
_add(
    "rel_breitwigner",
    "rho",
    "rho > 0",
    POSITIVE,
    "Relativistic Breit-Wigner distribution",
    "proportional to 1 / ((x^2 - rho^2)^2 + rho^2)",
    pdf="stats::breit_wigner_of(rho).factor * rho / (square((x - rho) * (x + rho)) + rho * rho)",
    cdf="stats::breit_wigner_cdf(x, rho)",
    sf="stats::breit_wigner_sf(x, rho)",
    munp="if (order == 0) return 1;"
    " if (order == 1) return 0.5 * stats::breit_wigner_of(rho).factor * (0.5 * PI_F64 + atan(rho));"
    " return order == 2 ? stats::breit_wigner_of(rho).norm : INFINITY_F64;",
    skew="NAN_F64",
    kurt="NAN_F64",
    finite="3",
)
