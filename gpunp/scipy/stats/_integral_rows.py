"""Rows of distributions whose functions are sums and integrals, which headers of kernels/stats take.

Statistics of Kolmogorov and Smirnov, sums of uniform numbers, stable distributions, the studentized
range, the Gauss hypergeometric distribution, and noncentral hypergeometric counts.
"""

from ._continuous_rows import POSITIVE, REAL, UNIT, moments, row
from ._distn_kernels import Row

__all__ = ["INTEGRALS", "NONCENTRAL_COUNTS"]

_UNKNOWN = moments("NAN_F64", "NAN_F64", "NAN_F64", "NAN_F64")

INTEGRALS: list[Row] = [
    row(
        "ksone",
        "n",
        "n >= 1 && floor(n) == n",
        UNIT,
        "Kolmogorov-Smirnov one-sided statistic of n numbers",
        "minus the slope of the probability of Smirnov's statistic above x",
        pdf="stats::smirnov_pdf(n, x)",
        cdf="stats::smirnov_cdf(n, x)",
        sf="smirnov(n, x)",
        ppf="smirnovi(n, 1 - q)",
        isf="smirnovi(n, q)",
    ),
    row(
        "kstwo",
        "n",
        "n >= 1 && floor(n) == n",
        ("0.5 / n", "1"),
        "Kolmogorov-Smirnov two-sided statistic of n numbers",
        "minus the slope of the probability of Kolmogorov's statistic above x",
        pdf="stats::kolmogorov_two_pdf(n, x)",
        cdf="stats::kolmogorov_two(n, x, false)",
        sf="stats::kolmogorov_two(n, x, true)",
        ppf="stats::kolmogorov_two_quantile(n, q, 1 - q)",
        isf="stats::kolmogorov_two_quantile(n, 1 - q, q)",
    ),
    row(
        "irwinhall",
        "n",
        "n >= 1 && floor(n) == n",
        ("0", "n"),
        "Irwin-Hall distribution, of the sum of n uniform numbers",
        "the B-spline of order n on whole numbers",
        pdf="stats::irwin_hall(n, x, false)",
        cdf="stats::irwin_hall(n, x, true)",
        sf="stats::irwin_hall(n, n - x, true)",
        **moments("0.5 * n", "n / 12", "0", "-1.2 / n"),
        entropy="stats::entropy_of_uniforms(n)",
    ),
    row(
        "landau",
        "",
        "",
        REAL,
        "Landau distribution of the loss of energy in thin layers",
        "of the characteristic function exp(-|t| - 2 i t log|t| / pi)",
        pdf="stats::stable_pdf(1, 1, x)",
        cdf="stats::stable_tail(1, 1, x, false)",
        sf="stats::stable_tail(1, 1, x, true)",
        munp="NAN_F64",
        finite="1",
        entropy="2.37263644000448182",
        **_UNKNOWN,
    ),
    row(
        "levy_stable",
        "alpha beta",
        "alpha > 0 && alpha <= 2 && fabs(beta) <= 1",
        REAL,
        "Levy stable distribution",
        "of the characteristic function exp(-|t|^alpha (1 - i beta sign(t) tan(pi alpha / 2)))",
        pdf="stats::stable_pdf(alpha, beta, x)",
        cdf="stats::stable_tail(alpha, beta, x, false)",
        sf="stats::stable_tail(alpha, beta, x, true)",
        entropy="stats::entropy_about(*this, 0)",
        finite="alpha == 2 ? INFINITY_F64 : alpha",
        **moments(
            "alpha > 1 ? 0 : NAN_F64",
            "alpha == 2 ? 2 : INFINITY_F64",
            "alpha == 2 ? 0 : NAN_F64",
            "alpha == 2 ? 0 : NAN_F64",
        ),
    ),
    row(
        "studentized_range",
        "k df",
        "k > 1 && df > 0",
        POSITIVE,
        "Studentized range of k normal numbers",
        "of their range over a root of a chi-squared number divided by its df degrees of freedom",
        pdf="stats::studentized_range(x, k, df, stats::RANGE_PDF)",
        cdf="stats::studentized_range(x, k, df, stats::RANGE_CDF)",
        sf="stats::studentized_range(x, k, df, stats::RANGE_SF)",
        finite="df",
        munp="order < df ? stats::studentized_moment(k, df, order) : INFINITY_F64",
        entropy="stats::entropy_about(*this, 0)",
    ),
    row(
        "gausshyper",
        "a b c z",
        "a > 0 && b > 0 && c == c && z > -1",
        UNIT,
        "Gauss hypergeometric distribution",
        "x^(a - 1) (1 - x)^(b - 1) (1 + z x)^(-c) / (B(a, b) 2F1(c, a; a + b; -z))",
        logpdf="xlogy(a - 1, x) + xlog1py(b - 1, -x) - c * log1p(z * x) - betaln(a, b)"
        " - log(hyp2f1(c, a, a + b, -z))",
        cdf="const f64 p = a - 1, s = b - 1, w = z, r = c, from_end = 1 - x;"
        " const auto f = [=](f64 u) {"
        " return pow(u, p) * pow(from_end + (x - u), s) * pow(1 + w * u, -r); };"
        " return stats::integral_from(f, 0, 1, x) / (beta(a, b) * hyp2f1(c, a, a + b, -z));",
        sf="const f64 p = a - 1, s = b - 1, w = z, r = c;"
        " const auto f = [=](f64 u) {"
        " return pow(1 - u, p) * pow(u, s) * pow(1 + w * (1 - u), -r); };"
        " return stats::integral_from(f, 0, 1, 1 - x) / (beta(a, b) * hyp2f1(c, a, a + b, -z));",
        munp="beta(a + order, b) / beta(a, b) * hyp2f1(c, a + order, a + b + order, -z)"
        " / hyp2f1(c, a, a + b, -z)",
        entropy="stats::entropy_of_pdf(*this)",
    ),
]

_URN = "M >= 0 && n >= 0 && N >= 0 && n <= M && N <= M && odds > 0"
_WHOLE_URN = f"{_URN} && floor(M) == M && floor(n) == n && floor(N) == N"
_WITHIN = ("fmax(N - M + n, 0.0)", "fmin(n, N)")

NONCENTRAL_COUNTS: list[Row] = [
    Row(
        "nchypergeom_fisher",
        ("M", "n", "N", "odds"),
        _WHOLE_URN,
        _WITHIN,
        {
            "pmf": "stats::fisher_urn(M, n, N, odds, k, k, 0)",
            "cdf": "stats::fisher_urn(M, n, N, odds, lower(), k, 0)",
            "sf": "stats::fisher_urn(M, n, N, odds, k + 1, upper(), 0)",
            "mean": "stats::fisher_urn(M, n, N, odds, lower(), upper(), 1)",
        },
        True,
        "",
        "Fisher's noncentral hypergeometric distribution.",
        "C(n, k) C(M - n, N - k) odds^k over their sum",
    ),
    Row(
        "nchypergeom_wallenius",
        ("M", "n", "N", "odds"),
        _WHOLE_URN,
        _WITHIN,
        {
            "pmf": "stats::wallenius_urn(k, M, n, N, odds)",
            "cdf": "stats::sum_of_pmf_between(*this, lower(), k)",
            "sf": "stats::sum_of_pmf_between(*this, k + 1, upper())",
        },
        True,
        "",
        "Wallenius' noncentral hypergeometric distribution.",
        "C(n, k) C(M - n, N - k) times the integral of (1 - t^(odds / d))^k (1 - t^(1 / d))^(N - k),"
        " d = odds (n - k) + M - n - N + k",
    ),
]
