"""The table of continuous distributions: formulas in CUDA C++ of the standard forms.

Shapes have SciPy's names. Derivations are in N. L. Johnson, S. Kotz, N. Balakrishnan, "Continuous
Univariate Distributions" (1994, 1995), and the papers named at their rows.
"""

import math
from typing import Any

from ._distn_kernels import Row

__all__ = ["CONTINUOUS", "POSITIVE", "REAL", "UNIT", "moments", "row"]

REAL = ("-INFINITY_F64", "INFINITY_F64")
POSITIVE = ("0", "INFINITY_F64")
UNIT = ("0", "1")

CONTINUOUS: list[Row] = []


def row(name: str, shapes: str, valid: str, support: tuple[str, str], title: str, density: str,
        draw: str = "", constants: str = "", turn: Any = None, **formulas: str) -> Row:  # fmt: skip
    """A row of the table; the order of columns is that of the calls below."""
    names = tuple(shapes.split())
    more = (draw, f"{title}.", density, constants, turn)
    return Row(name, names, valid, support, formulas, False, *more)


def _add(*columns: str | tuple[str, str], **formulas: Any) -> None:
    CONTINUOUS.append(row(*columns, **formulas))  # type: ignore[arg-type]


def moments(mean: str, var: str, skew: str, kurt: str) -> dict[str, str]:
    return {"mean": mean, "var": var, "skew": skew, "kurt": kurt}


# ---- normal, exponential, gamma and their relatives ----------------------------------------------
_add(
    "norm",
    "",
    "",
    REAL,
    "Normal distribution",
    "exp(-x^2 / 2) / sqrt(2 pi)",
    "standard_normal()",
    pdf="exp(-0.5 * x * x) / ROOT_TWO_PI_F64",
    logpdf="-0.5 * x * x - LOG_ROOT_TWO_PI_F64",
    cdf="ndtr(x)",
    sf="ndtr(-x)",
    logcdf="log_ndtr(x)",
    logsf="log_ndtr(-x)",
    ppf="ndtri(q)",
    isf="-ndtri(q)",
    **moments("0", "1", "0", "0"),
    entropy="LOG_ROOT_TWO_PI_F64 + 0.5",
)
_add(
    "uniform",
    "",
    "",
    UNIT,
    "Uniform distribution on [loc, loc + scale]",
    "1",
    "random()",
    pdf="1",
    logpdf="0",
    cdf="x",
    sf="1 - x",
    ppf="q",
    isf="1 - q",
    **moments("0.5", "1.0 / 12", "0", "-1.2"),
    munp="1.0 / (order + 1)",
    entropy="0",
)
_add(
    "expon",
    "",
    "",
    POSITIVE,
    "Exponential distribution",
    "exp(-x)",
    "standard_exponential()",
    pdf="exp(-x)",
    logpdf="-x",
    cdf="-expm1(-x)",
    sf="exp(-x)",
    logsf="-x",
    ppf="-log1p(-q)",
    isf="-log(q)",
    **moments("1", "1", "2", "6"),
    munp="special::gamma(order + 1.0)",
    entropy="1",
)
for _name, _title in (
    ("gamma", "Gamma distribution"),
    ("erlang", "Erlang distribution, gamma of a whole shape"),
):
    _add(
        _name,
        "a",
        "a > 0",
        POSITIVE,
        _title,
        "x^(a - 1) exp(-x) / Gamma(a)",
        "standard_gamma(a)",
        logpdf="xlogy(a - 1, x) - x - gammaln(a)",
        cdf="gammainc(a, x)",
        sf="gammaincc(a, x)",
        ppf="gammaincinv(a, q)",
        isf="gammainccinv(a, q)",
        **moments("a", "a", "2 / sqrt(a)", "6 / a"),
        munp="poch(a, order)",
        entropy="stats::gamma_entropy(a)",
    )
_add(
    "beta",
    "a b",
    "a > 0 && b > 0",
    UNIT,
    "Beta distribution",
    "x^(a - 1) (1 - x)^(b - 1) / B(a, b)",
    "beta(a, b)",
    logpdf="xlog1py(b - 1, -x) + xlogy(a - 1, x) - betaln(a, b)",
    cdf="betainc(a, b, x)",
    sf="betaincc(a, b, x)",
    ppf="betaincinv(a, b, q)",
    isf="betainccinv(a, b, q)",
    **moments(
        "a / (a + b)",
        "a / (a + b) * (b / (a + b)) / (a + b + 1)",
        "2 * (b - a) * sqrt(a + b + 1) / ((a + b + 2) * sqrt(a * b))",
        "6 * (square(a - b) * (a + b + 1) - a * b * (a + b + 2))"
        " / (a * b * (a + b + 2) * (a + b + 3))",
    ),
    munp="exp(betaln(a + order, b) - betaln(a, b))",
    entropy="stats::gamma_entropy(a) + stats::gamma_entropy(b)"
    " - stats::gamma_entropy(a + b) - psi(a + b)",
)
_add(
    "chi2",
    "df",
    "df > 0",
    POSITIVE,
    "Chi-square distribution",
    "(x / 2)^(df / 2 - 1) exp(-x / 2) / (2 Gamma(df / 2))",
    "chisquare(df)",
    logpdf="xlogy(0.5 * df - 1, 0.5 * x) - 0.5 * x - gammaln(0.5 * df) - LOG_TWO_F64",
    cdf="chdtr(df, x)",
    sf="chdtrc(df, x)",
    ppf="2 * gammaincinv(0.5 * df, q)",
    isf="chdtri(df, q)",
    **moments("df", "2 * df", "sqrt(8 / df)", "12 / df"),
    munp="ldexp(poch(0.5 * df, order), order)",
    entropy="LOG_TWO_F64 + stats::gamma_entropy(0.5 * df)",
)
_add(
    "t",
    "df",
    "df > 0",
    REAL,
    "Student's t distribution",
    "(1 + x^2 / df)^(-(df + 1) / 2) / (sqrt(df) B(1/2, df / 2))",
    "standard_t(df)",
    logpdf="if (df > 1e300) return -0.5 * x * x - LOG_ROOT_TWO_PI_F64;"
    " return -0.5 * log(df) - betaln(0.5, 0.5 * df) - 0.5 * (df + 1) * log1p(x * x / df);",
    cdf="stdtr(df, x)",
    sf="stdtr(df, -x)",
    ppf="stdtrit(df, q)",
    isf="-stdtrit(df, q)",
    mean="df > 1 ? 0 : INFINITY_F64",
    var="df > 1e300 ? 1 : df > 2 ? df / (df - 2) : df > 1 ? INFINITY_F64 : NAN_F64",
    skew="df > 3 ? 0 : NAN_F64",
    kurt="df > 1e300 ? 0 : df > 4 ? 6 / (df - 4) : df > 2 ? INFINITY_F64 : NAN_F64",
    finite="df",
    munp="if (order % 2 == 1) return order < df ? 0 : NAN_F64; if (!(order < df)) return INFINITY_F64;"
    " return exp(betaln(0.5 * (order + 1), 0.5 * (df - order)) - betaln(0.5, 0.5 * df) + 0.5 * order * log(df));",
    entropy="if (df > 1e8) return LOG_ROOT_TWO_PI_F64 + 0.5 + 1 / df;"
    " return 0.5 * (df + 1) * (psi(0.5 * (df + 1)) - psi(0.5 * df)) + 0.5 * log(df)"
    " + betaln(0.5 * df, 0.5);",
)
_add(
    "f",
    "dfn dfd",
    "dfn > 0 && dfd > 0",
    POSITIVE,
    "F distribution",
    "r^(dfn / 2) (1 + r)^(-(dfn + dfd) / 2) / (x B(dfn / 2, dfd / 2)) with r = x dfn / dfd",
    "f(dfn, dfd)",
    logpdf="const f64 r = dfn / dfd; return 0.5 * dfn * log(r) + xlogy(0.5 * dfn - 1, x)"
    " - 0.5 * (dfn + dfd) * log1p(r * x) - betaln(0.5 * dfn, 0.5 * dfd);",
    cdf="fdtr(dfn, dfd, x)",
    sf="fdtrc(dfn, dfd, x)",
    ppf="fdtri(dfn, dfd, q)",
    isf="1 / fdtri(dfd, dfn, q)",
    mean="dfd > 2 ? dfd / (dfd - 2) : INFINITY_F64",
    var="dfd > 4 ? 2 * square(dfd / (dfd - 2)) * (dfn + dfd - 2) / (dfn * (dfd - 4)) : INFINITY_F64",
    skew="dfd > 6 ? (2 * dfn + dfd - 2) / (dfd - 6) * sqrt(8 * (dfd - 4) / (dfn * (dfn + dfd - 2)))"
    " : NAN_F64",
    kurt="if (!(dfd > 8)) return NAN_F64; const f64 g = dfn * (dfn + dfd - 2);"
    " return 12 * (dfn * (5 * dfd - 22) * (dfn + dfd - 2) + (dfd - 4) * square(dfd - 2))"
    " / (g * (dfd - 6) * (dfd - 8));",
    munp="order < 0.5 * dfd ? exp(order * log(dfd / dfn) + betaln(0.5 * dfn + order, 0.5 * dfd - order)"
    " - betaln(0.5 * dfn, 0.5 * dfd)) : INFINITY_F64",
    finite="0.5 * dfd",
    entropy="const f64 a = 0.5 * dfn, b = 0.5 * dfd; return log(dfd / dfn) + betaln(a, b)"
    " + (1 - a) * psi(a) - (1 + b) * psi(b) + (a + b) * psi(a + b);",
)
_add(
    "lognorm",
    "s",
    "s > 0",
    POSITIVE,
    "Log-normal distribution",
    "exp(-log(x)^2 / (2 s^2)) / (s x sqrt(2 pi))",
    "lognormal(0, s)",
    logpdf="x > 0 ? -0.5 * square(log(x) / s) - log(s * x) - LOG_ROOT_TWO_PI_F64 : -INFINITY_F64",
    cdf="ndtr(log(x) / s)",
    sf="ndtr(-log(x) / s)",
    logcdf="log_ndtr(log(x) / s)",
    logsf="log_ndtr(-log(x) / s)",
    ppf="exp(s * ndtri(q))",
    isf="exp(-s * ndtri(q))",
    mean="exp(0.5 * s * s)",
    var="expm1(s * s) * exp(s * s)",
    skew="(exp(s * s) + 2) * sqrt(expm1(s * s))",
    kurt="const f64 p = exp(s * s); return square(p * p) + 2 * cube(p) + 3 * p * p - 6;",
    munp="exp(0.5 * square(order * s))",
    entropy="0.5 + LOG_ROOT_TWO_PI_F64 + log(s)",
)
_add(
    "maxwell",
    "",
    "",
    POSITIVE,
    "Maxwell distribution",
    "sqrt(2 / pi) x^2 exp(-x^2 / 2)",
    pdf="SQRT_TWO_OVER_PI_F64 * x * x * exp(-0.5 * x * x)",
    logpdf="-0.225791352644727432 + 2 * log(x) - 0.5 * x * x",
    cdf="gammainc(1.5, 0.5 * x * x)",
    sf="gammaincc(1.5, 0.5 * x * x)",
    ppf="sqrt(2 * gammaincinv(1.5, q))",
    isf="sqrt(2 * gammainccinv(1.5, q))",
    **moments(
        "2 * SQRT_TWO_OVER_PI_F64",
        "3 - 8 / PI_F64",
        "ROOT_TWO_F64 * (32 - 10 * PI_F64) / pow(3 * PI_F64 - 8, 1.5)",
        "(-12 * PI_F64 * PI_F64 + 160 * PI_F64 - 384) / square(3 * PI_F64 - 8)",
    ),
    munp="exp2(0.5 * order + 1) * special::gamma(0.5 * (order + 3)) / ROOT_PI_F64",
    entropy="EULER_F64 + LOG_ROOT_TWO_PI_F64 - 0.5",
)
_add(
    "halfnorm",
    "",
    "",
    POSITIVE,
    "Half-normal distribution",
    "sqrt(2 / pi) exp(-x^2 / 2)",
    pdf="SQRT_TWO_OVER_PI_F64 * exp(-0.5 * x * x)",
    logpdf="-0.225791352644727432 - 0.5 * x * x",
    cdf="erf(x / ROOT_TWO_F64)",
    sf="2 * ndtr(-x)",
    logsf="LOG_TWO_F64 + log_ndtr(-x)",
    ppf="ROOT_TWO_F64 * erfinv(q)",
    isf="-ndtri(0.5 * q)",
    **moments(
        "SQRT_TWO_OVER_PI_F64",
        "1 - 2 / PI_F64",
        "ROOT_TWO_F64 * (4 - PI_F64) / pow(PI_F64 - 2, 1.5)",
        "8 * (PI_F64 - 3) / square(PI_F64 - 2)",
    ),
    munp="exp2(0.5 * order) * special::gamma(0.5 * (order + 1)) / ROOT_PI_F64",
    entropy="0.5 * log(0.5 * PI_F64) + 0.5",
)
_add(
    "rayleigh",
    "",
    "",
    POSITIVE,
    "Rayleigh distribution",
    "x exp(-x^2 / 2)",
    "rayleigh()",
    pdf="x * exp(-0.5 * x * x)",
    logpdf="log(x) - 0.5 * x * x",
    cdf="-expm1(-0.5 * x * x)",
    sf="exp(-0.5 * x * x)",
    logsf="-0.5 * x * x",
    ppf="sqrt(-2 * log1p(-q))",
    isf="sqrt(-2 * log(q))",
    **moments(
        "sqrt(0.5 * PI_F64)",
        "2 - 0.5 * PI_F64",
        "2 * (PI_F64 - 3) * ROOT_PI_F64 / pow(4 - PI_F64, 1.5)",
        "6 * PI_F64 / (4 - PI_F64) - 16 / square(4 - PI_F64)",
    ),
    munp="exp2(0.5 * order) * special::gamma(1 + 0.5 * order)",
    entropy="0.5 * EULER_F64 + 1 - 0.5 * LOG_TWO_F64",
)
_add(
    "invgamma",
    "a",
    "a > 0",
    POSITIVE,
    "Inverse gamma distribution",
    "x^(-a - 1) exp(-1 / x) / Gamma(a)",
    logpdf="x > 0 ? -(a + 1) * log(x) - gammaln(a) - 1 / x : -INFINITY_F64",
    cdf="gammaincc(a, 1 / x)",
    sf="gammainc(a, 1 / x)",
    ppf="1 / gammainccinv(a, q)",
    isf="1 / gammaincinv(a, q)",
    mean="a > 1 ? 1 / (a - 1) : INFINITY_F64",
    var="a > 2 ? 1 / (square(a - 1) * (a - 2)) : INFINITY_F64",
    skew="a > 3 ? 4 * sqrt(a - 2) / (a - 3) : NAN_F64",
    kurt="a > 4 ? 6 * (5 * a - 11) / ((a - 3) * (a - 4)) : NAN_F64",
    finite="a",
    munp="order < a ? exp(gammaln(a - order) - gammaln(a)) : INFINITY_F64",
    entropy="stats::gamma_entropy(a) - 2 * psi(a)",
)
_INVGAUSS = {
    "logpdf": "if (x <= 0) return -INFINITY_F64;"
    " const f64 z = mu < INFINITY_F64 ? (x - mu) / mu : -1;"
    " return -LOG_ROOT_TWO_PI_F64 - 1.5 * log(x) - 0.5 * z * z / x;",
    "logcdf": "const f64 r = 1 / sqrt(x), a = log_ndtr(r * (x / mu - 1)),"
    " b = 2 / mu + log_ndtr(-r * (x / mu + 1)); return a + log1p(exp(b - a));",
    "logsf": "const f64 r = 1 / sqrt(x), a = log_ndtr(-r * (x / mu - 1)),"
    " b = 2 / mu + log_ndtr(-r * (x / mu + 1)); return a + log1p(-exp(b - a));",
    "cdf": "exp(logcdf(x))", "sf": "exp(logsf(x))",
    **moments("mu", "cube(mu)", "3 * sqrt(mu)", "15 * mu"),
    "entropy": "0.5 + LOG_ROOT_TWO_PI_F64 + 1.5 * (log(mu) - stats::exp_times_exp1(2 / mu))",
}  # fmt: skip
_add(
    "invgauss",
    "mu",
    "mu > 0",
    POSITIVE,
    "Inverse Gaussian distribution of scale 1",
    "exp(-(x - mu)^2 / (2 x mu^2)) / sqrt(2 pi x^3)",
    "wald(mu, 1)",
    **_INVGAUSS,
)
_add(
    "wald",
    "",
    "",
    POSITIVE,
    "Wald distribution, the inverse Gaussian of mean 1",
    "exp(-(x - 1)^2 / (2 x)) / sqrt(2 pi x^3)",
    "wald(1, 1)",
    "mu = 1",
    **_INVGAUSS,
)

# ---- logistic, Laplace, Cauchy -------------------------------------------------------------------
_add(
    "logistic",
    "",
    "",
    REAL,
    "Logistic distribution",
    "exp(-x) / (1 + exp(-x))^2",
    "logistic()",
    logpdf="-fabs(x) - 2 * log1p(exp(-fabs(x)))",
    cdf="expit(x)",
    sf="expit(-x)",
    logcdf="log_expit(x)",
    logsf="log_expit(-x)",
    ppf="logit(q)",
    isf="-logit(q)",
    **moments("0", "PI_F64 * PI_F64 / 3", "0", "1.2"),
    entropy="2",
)
_add(
    "laplace",
    "",
    "",
    REAL,
    "Laplace distribution",
    "exp(-|x|) / 2",
    "laplace()",
    pdf="0.5 * exp(-fabs(x))",
    logpdf="-fabs(x) - LOG_TWO_F64",
    cdf="x > 0 ? 1 - 0.5 * exp(-x) : 0.5 * exp(x)",
    sf="cdf(-x)",
    logcdf="x > 0 ? log1p(-0.5 * exp(-x)) : x - LOG_TWO_F64",
    logsf="logcdf(-x)",
    ppf="q > 0.5 ? -log(2 * (1 - q)) : log(2 * q)",
    isf="-ppf(q)",
    **moments("0", "2", "0", "3"),
    entropy="LOG_TWO_F64 + 1",
    munp="order % 2 == 1 ? 0 : special::gamma(order + 1.0)",
)
_add(
    "cauchy",
    "",
    "",
    REAL,
    "Cauchy distribution",
    "1 / (pi (1 + x^2))",
    "standard_cauchy()",
    pdf="1 / (PI_F64 * (1 + x * x))",
    logpdf="-LOG_PI_F64 - log_one_square(x)",
    cdf="atan2(1.0, -x) / PI_F64",
    sf="atan2(1.0, x) / PI_F64",
    ppf="-cospi(q) / sinpi(q)",
    isf="cospi(q) / sinpi(q)",
    **moments("NAN_F64", "NAN_F64", "NAN_F64", "NAN_F64"),
    munp="NAN_F64",
    finite="1",
    entropy="log(4 * PI_F64)",
)

# ---- extreme values and lifetimes ----------------------------------------------------------------
_add(
    "weibull_min",
    "c",
    "c > 0",
    POSITIVE,
    "Weibull distribution of minima",
    "c x^(c - 1) exp(-x^c)",
    "weibull(c)",
    logpdf="log(c) + xlogy(c - 1, x) - pow(x, c)",
    cdf="-expm1(-pow(x, c))",
    sf="exp(-pow(x, c))",
    logsf="-pow(x, c)",
    ppf="pow(-log1p(-q), 1 / c)",
    isf="pow(-log(q), 1 / c)",
    munp="special::gamma(1 + order / c)",
    entropy="-EULER_F64 / c - log(c) + EULER_F64 + 1",
)
_add(
    "weibull_max",
    "c",
    "c > 0",
    ("-INFINITY_F64", "0"),
    "Weibull distribution of maxima",
    "c (-x)^(c - 1) exp(-(-x)^c)",
    logpdf="log(c) + xlogy(c - 1, -x) - pow(-x, c)",
    cdf="exp(-pow(-x, c))",
    logcdf="-pow(-x, c)",
    sf="-expm1(-pow(-x, c))",
    ppf="-pow(-log(q), 1 / c)",
    isf="-pow(-log1p(-q), 1 / c)",
    munp="(order % 2 == 1 ? -1 : 1) * special::gamma(1 + order / c)",
    entropy="-EULER_F64 / c - log(c) + EULER_F64 + 1",
)
_add(
    "exponweib",
    "a c",
    "a > 0 && c > 0",
    POSITIVE,
    "Exponentiated Weibull distribution",
    "a c (1 - exp(-x^c))^(a - 1) exp(-x^c) x^(c - 1)",
    logpdf="log(a) + log(c) + xlogy(a - 1, -expm1(-pow(x, c))) - pow(x, c) + xlogy(c - 1, x)",
    cdf="pow(-expm1(-pow(x, c)), a)",
    sf="const f64 p = pow(x, c); return -expm1(a * (p < 0.7 ? log(-expm1(-p)) : log1p(-exp(-p))));",
    ppf="pow(-log1p(-pow(q, 1 / a)), 1 / c)",
    isf="pow(-log(-expm1(log1p(-q) / a)), 1 / c)",
)
_add(
    "gumbel_r",
    "",
    "",
    REAL,
    "Gumbel distribution of maxima",
    "exp(-x - exp(-x))",
    "gumbel()",
    logpdf="-x - exp(-x)",
    cdf="exp(-exp(-x))",
    logcdf="-exp(-x)",
    sf="-expm1(-exp(-x))",
    ppf="-log(-log(q))",
    isf="-log(-log1p(-q))",
    **moments(
        "EULER_F64", "PI_F64 * PI_F64 / 6", "12 * sqrt(6.0) * ZETA3_F64 / cube(PI_F64)", "2.4"
    ),
    entropy="EULER_F64 + 1",
)
_add(
    "gumbel_l",
    "",
    "",
    REAL,
    "Gumbel distribution of minima",
    "exp(x - exp(x))",
    logpdf="x - exp(x)",
    cdf="-expm1(-exp(x))",
    logsf="-exp(x)",
    sf="exp(-exp(x))",
    ppf="log(-log1p(-q))",
    isf="log(-log(q))",
    **moments(
        "-EULER_F64", "PI_F64 * PI_F64 / 6", "-12 * sqrt(6.0) * ZETA3_F64 / cube(PI_F64)", "2.4"
    ),
    entropy="EULER_F64 + 1",
)
_add(
    "genextreme",
    "c",
    "fabs(c) < INFINITY_F64",
    ("c < 0 ? 1 / c : -INFINITY_F64", "c > 0 ? 1 / c : INFINITY_F64"),
    "Generalized extreme value distribution",
    "exp(-(1 - c x)^(1 / c)) (1 - c x)^(1 / c - 1), and that of gumbel_r for c = 0",
    logcdf="-exp(c == 0 ? -x : log1p(-c * x) / c)",
    logpdf="if (c * x == 1) return c == 1 ? 0 : c > 1 ? INFINITY_F64 : -INFINITY_F64;"
    " const f64 y = c == 0 ? -x : log1p(-c * x) / c; return y * (1 - c) - exp(y);",
    cdf="exp(logcdf(x))",
    sf="-expm1(logcdf(x))",
    ppf="const f64 y = -log(-log(q)); return c == 0 ? y : -expm1(-c * y) / c;",
    isf="const f64 y = -log(-log1p(-q)); return c == 0 ? y : -expm1(-c * y) / c;",
    finite="c < 0 ? -1 / c : INFINITY_F64",
    entropy="EULER_F64 * (1 - c) + 1",
    mean="c > -1 ? c == 0 ? EULER_F64 : -expm1(gammaln(1 + c)) / c : NAN_F64",
    var="c > -0.5 ? stats::central_moment(*this, mean(), 2) : NAN_F64",
)
_add(
    "genpareto",
    "c",
    "fabs(c) < INFINITY_F64",
    ("0", "c < 0 ? -1 / c : INFINITY_F64"),
    "Generalized Pareto distribution",
    "(1 + c x)^(-1 - 1 / c), and exp(-x) for c = 0",
    logpdf="c * x == -1 ? (c < -1 ? INFINITY_F64 : c == -1 ? 0 : -INFINITY_F64)"
    " : -(c + 1) * (c == 0 ? x : log1p(c * x) / c)",
    logsf="c == 0 ? -x : -log1p(c * x) / c",
    cdf="-expm1(logsf(x))",
    sf="exp(logsf(x))",
    ppf="c == 0 ? -log1p(-q) : expm1(-c * log1p(-q)) / c",
    isf="c == 0 ? -log(q) : expm1(-c * log(q)) / c",
    mean="c < 1 ? 1 / (1 - c) : INFINITY_F64",
    var="c < 0.5 ? 1 / (square(1 - c) * (1 - 2 * c)) : INFINITY_F64",
    skew="3 * c < 1 ? 2 * (1 + c) * sqrt(1 - 2 * c) / (1 - 3 * c) : NAN_F64",
    kurt="4 * c < 1 ? 3 * (1 - 2 * c) * (2 * c * c + c + 3) / ((1 - 3 * c) * (1 - 4 * c)) - 3"
    " : NAN_F64",
    finite="c > 0 ? 1 / c : INFINITY_F64",
    entropy="1 + c",
)
_add(
    "pareto",
    "b",
    "b > 0",
    ("1", "INFINITY_F64"),
    "Pareto distribution",
    "b / x^(b + 1)",
    logpdf="log(b) - (b + 1) * log(x)",
    cdf="-expm1(-b * log(x))",
    sf="pow(x, -b)",
    logsf="-b * log(x)",
    ppf="exp(-log1p(-q) / b)",
    isf="pow(q, -1 / b)",
    mean="b > 1 ? b / (b - 1) : INFINITY_F64",
    var="b > 2 ? b / ((b - 2) * square(b - 1)) : INFINITY_F64",
    skew="b > 3 ? 2 * (1 + b) / (b - 3) * sqrt((b - 2) / b) : NAN_F64",
    kurt="b > 4 ? 6 * (((b + 1) * b - 6) * b - 2) / (b * (b - 3) * (b - 4)) : NAN_F64",
    finite="b",
    munp="order < b ? b / (b - order) : INFINITY_F64",
    entropy="1 + 1 / b - log(b)",
)
_BURR = {
    "logpdf": "if (x == 0) return c * d < 1 ? INFINITY_F64 : c * d > 1 ? -INFINITY_F64 : log(c * d);"
    " const f64 l = log(x); return x > 1 ? log(c) + log(d) - (c + 1) * l - (d + 1) * log1p(pow(x, -c))"
    " : log(c) + log(d) + (c * d - 1) * l - (d + 1) * log1p(pow(x, c));",
    "logcdf": "-d * log1p(pow(x, -c))", "cdf": "exp(-d * log1p(pow(x, -c)))",
    "sf": "-expm1(-d * log1p(pow(x, -c)))",
    "ppf": "pow(expm1(-log(q) / d), -1 / c)", "isf": "pow(expm1(-log1p(-q) / d), -1 / c)",
    "munp": "order < c ? d * special::beta(1 - order / c, d + order / c) : INFINITY_F64", "finite": "c",
    "mean": "c > 1 ? munp(1) : NAN_F64",
    "var": "c > 2 ? stats::var_of_raw(munp(1), munp(2)) : NAN_F64",
    "skew": "c > 3 ? stats::skew_of_raw(munp(1), munp(2), munp(3)) : NAN_F64",
    "kurt": "c > 4 ? stats::kurt_of_raw(munp(1), munp(2), munp(3), munp(4)) : NAN_F64",
}  # fmt: skip
_add(
    "burr",
    "c d",
    "c > 0 && d > 0",
    POSITIVE,
    "Burr distribution of type III",
    "c d x^(-c - 1) (1 + x^-c)^(-d - 1)",
    **_BURR,
)
_add(
    "fisk",
    "c",
    "c > 0",
    POSITIVE,
    "Fisk or log-logistic distribution",
    "c x^(c - 1) / (1 + x^c)^2",
    constants="d = 1",
    **_BURR,
    entropy="2 - log(c)",
)

# ---- bounded supports ----------------------------------------------------------------------------
_add(
    "triang",
    "c",
    "c >= 0 && c <= 1",
    UNIT,
    "Triangular distribution with its mode at c",
    "2 x / c up to c, 2 (1 - x) / (1 - c) beyond",
    "triangular(0, c, 1)",
    pdf="x < c ? 2 * x / c : c < 1 ? 2 * (1 - x) / (1 - c) : 2 * x",
    cdf="x < c ? x * x / c : c < 1 ? 1 - square(1 - x) / (1 - c) : x * x",
    sf="x < c ? 1 - x * x / c : c < 1 ? square(1 - x) / (1 - c) : 1 - x * x",
    ppf="q < c ? sqrt(c * q) : 1 - sqrt((1 - c) * (1 - q))",
    isf="q > 1 - c ? sqrt(c * (1 - q)) : 1 - sqrt((1 - c) * q)",
    **moments(
        "(c + 1) / 3",
        "(1 - c + c * c) / 18",
        "ROOT_TWO_F64 * (2 * c - 1) * (c + 1) * (c - 2) / (5 * pow(1 - c + c * c, 1.5))",
        "-0.6",
    ),
    entropy="0.5 - LOG_TWO_F64",
)
_add(
    "truncnorm",
    "a b",
    "a < b",
    ("a", "b"),
    "Normal distribution within [a, b]",
    "exp(-x^2 / 2) / (sqrt(2 pi) (Phi(b) - Phi(a)))",
    logpdf="-0.5 * x * x - LOG_ROOT_TWO_PI_F64 - stats::log_gauss_mass(a, b)",
    logcdf="stats::log_part(stats::log_gauss_mass(a, x), stats::log_gauss_mass(x, b),"
    " stats::log_gauss_mass(a, b))",
    cdf="exp(logcdf(x))",
    logsf="stats::log_part(stats::log_gauss_mass(x, b), stats::log_gauss_mass(a, x),"
    " stats::log_gauss_mass(a, b))",
    sf="exp(logsf(x))",
    ppf="const f64 m = stats::log_gauss_mass(a, b); return a < 0"
    " ? ndtri_exp(stats::log_sum(log_ndtr(a), log(q) + m))"
    " : -ndtri_exp(stats::log_sum(log_ndtr(-b), log1p(-q) + m));",
    isf="const f64 m = stats::log_gauss_mass(a, b); return a < 0"
    " ? ndtri_exp(stats::log_sum(log_ndtr(a), log1p(-q) + m))"
    " : -ndtri_exp(stats::log_sum(log_ndtr(-b), log(q) + m));",
)
for _name in ("loguniform", "reciprocal"):
    _add(
        _name,
        "a b",
        "a > 0 && b > a",
        ("a", "b"),
        "Log-uniform distribution on [a, b]",
        "1 / (x log(b / a))",
        logpdf="-log(x) - log(log(b) - log(a))",
        cdf="(log(x) - log(a)) / (log(b) - log(a))",
        sf="(log(b) - log(x)) / (log(b) - log(a))",
        ppf="const f64 r = exp(0.5 * q * (log(b) - log(a))); return a * r * r;",
        isf="const f64 r = exp(-0.5 * q * (log(b) - log(a))); return b * r * r;",
        munp="const f64 l = order * (log(b) - log(a));"
        " return (l > 40 ? pow(b, (f64)order) : pow(a, (f64)order) * expm1(l)) / l;",
        entropy="0.5 * (log(a) + log(b)) + log(log(b) - log(a))",
    )
_add(
    "powerlaw",
    "a",
    "a > 0",
    UNIT,
    "Power function distribution",
    "a x^(a - 1)",
    "power(a)",
    logpdf="x == 0 && a < 1 ? -INFINITY_F64 : log(a) + xlogy(a - 1, x)",
    cdf="pow(x, a)",
    logcdf="a * log(x)",
    sf="-powm1(x, a)",
    ppf="pow(q, 1 / a)",
    isf="exp(log1p(-q) / a)",
    **moments(
        "a / (a + 1)",
        "a / ((a + 2) * square(a + 1))",
        "-2 * (a - 1) / (a + 3) * sqrt((a + 2) / a)",
        "6 * (((a - 1) * a - 6) * a + 2) / (a * (a + 3) * (a + 4))",
    ),
    munp="a / (a + order)",
    entropy="1 - 1 / a - log(a)",
)
_add(
    "skewnorm",
    "a",
    "fabs(a) < INFINITY_F64",
    REAL,
    "Skew-normal distribution",
    "2 phi(x) Phi(a x)",
    logpdf="LOG_TWO_F64 - LOG_ROOT_TWO_PI_F64 - 0.5 * x * x + log_ndtr(a * x)",
    cdf="const f64 p = ndtr(x) - 2 * owens_t(x, a);"  # of which little is left in a tail
    " return p > 1e-4 ? fmin(p, 1.0) : stats::tail_of_pdf(*this, x, false);",
    sf="const f64 p = ndtr(-x) + 2 * owens_t(x, a);"
    " return p > 1e-4 ? fmin(p, 1.0) : stats::tail_of_pdf(*this, x, true);",
    mean="SQRT_TWO_OVER_PI_F64 * a / sqrt(1 + a * a)",
    var="1 - square(mean())",
    skew="0.5 * (4 - PI_F64) * cube(mean()) / pow(var(), 1.5)",
    kurt="2 * (PI_F64 - 3) * square(square(mean()) / var())",
)
_VONMISES = {
    "pdf": "exp(kappa * cosm1(x)) / (2 * PI_F64 * i0e(kappa))",
    "logpdf": "kappa * cosm1(x) - log(2 * PI_F64 * i0e(kappa))",
    "cdf": "stats::vonmises_cdf(x, kappa)", "sf": "stats::vonmises_cdf(-x, kappa)",
    "ppf": "stats::vonmises_ppf(q, kappa)", "isf": "-stats::vonmises_ppf(q, kappa)",
    "mean": "0", "skew": "0",
    "entropy": "log(2 * PI_F64 * i0e(kappa)) + kappa * (1 - i1e(kappa) / i0e(kappa))",
}  # fmt: skip
_add(
    "vonmises",
    "kappa",
    "kappa >= 0",
    REAL,
    "Von Mises distribution on the circle",
    "exp(kappa cos(x)) / (2 pi I0(kappa))",
    "vonmises(0, kappa)",
    turn=-math.pi,
    **_VONMISES,
)
_add(
    "vonmises_line",
    "kappa",
    "kappa > 0",
    ("-PI_F64", "PI_F64"),
    "Von Mises distribution on [-pi, pi]",
    "exp(kappa cos(x)) / (2 pi I0(kappa))",
    "vonmises(0, kappa)",
    **_VONMISES,
)
