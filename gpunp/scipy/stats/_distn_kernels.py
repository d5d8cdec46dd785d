"""Kernels of distributions, made from the rows of their tables.

A row has the formulas of a distribution in standard form, as CUDA C++ in `x`, `k` or `q` and the
shapes. They become the member functions of a struct, of which a kernel gets those it calls; what a
row lacks follows from others (`_CONTINUOUS`, `_DISCRETE`). Location, scale, supports and invalid
parameters are handled for all of them by kernels/stats/continuous.cuh and discrete.cuh. A method is
one launch.
"""

import dataclasses
import functools
import re
from typing import Any

from ..._core.raw import ElementwiseKernel, ReductionKernel
from ...jit._special import special_headers

__all__ = ["Row", "kernel", "likelihood"]


@dataclasses.dataclass(frozen=True, eq=False)  # a key: each is itself alone
class Row:
    """A distribution in standard form.

    A formula is an expression, or statements with `return`. `finite` is the order below which
    moments exist.
    """

    name: str
    shapes: tuple[str, ...]
    valid: str  # of the shapes
    support: tuple[str, str]
    formulas: dict[str, str]
    discrete: bool = False
    draw: str = ""  # a method of random generators and its arguments
    summary: str = ""
    density: str = ""  # for the documentation
    constants: str = ""  # shapes with a fixed value: "d = 1"
    turn: float | None = None  # samples are angles of one turn from here on

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the shapes in formulas; one that is a method's has an underscore."""
        return tuple(f"{name}_" if name in _ARGUMENTS else name for name in self.shapes)


_ARGUMENTS = {
    **dict.fromkeys(("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"), "f64 x"),
    **dict.fromkeys(("pmf", "logpmf"), "f64 k"),
    **dict.fromkeys(("ppf", "isf"), "f64 q"),
    **dict.fromkeys(("mean", "var", "skew", "kurt", "entropy", "finite", "lower", "upper"), ""),
    **dict.fromkeys(("munp", "raw"), "int order"),
}
# What follows from other formulas, where a row has none; logarithms near 0 from the other tail,
# where a row has both.
_LOG_TAILS = {
    "logcdf": "const f64 p = cdf(x); return p > 0.5 ? log1p(-sf(x)) : log(p);",
    "logsf": "const f64 p = sf(x); return p > 0.5 ? log1p(-cdf(x)) : log(p);",
}
_BOTH = {
    "sf": "1 - cdf(x)",
    "cdf": "1 - sf(x)",
    "logcdf": "log(cdf(x))",
    "logsf": "log(sf(x))",
    "finite": "INFINITY_F64",
    "raw": "if (order <= 4) return stats::raw_of_stats(*this, order); return munp(order);",
}
_CONTINUOUS = {
    **_BOTH,
    "pdf": "exp(logpdf(x))",
    "logpdf": "log(pdf(x))",
    "ppf": "stats::quantile(*this, q, 1 - q)",
    "isf": "stats::quantile(*this, 1 - q, q)",
    "mean": "finite() > 1 ? stats::central_moment(*this, 0, 1) : INFINITY_F64",
    "var": "finite() > 2 ? stats::central_moment(*this, mean(), 2) : INFINITY_F64",
    "skew": "if (!(finite() > 3)) return NAN_F64; const f64 v = var();"
    " return stats::central_moment(*this, mean(), 3) / (v * sqrt(v));",
    "kurt": "if (!(finite() > 4)) return NAN_F64; const f64 v = var();"
    " return stats::central_moment(*this, mean(), 4) / (v * v) - 3;",
    "munp": "order < finite() ? stats::central_moment(*this, 0, order) : INFINITY_F64",
    "entropy": "stats::entropy_integral(*this)",
}
_DISCRETE = {
    **_BOTH,
    "pmf": "exp(logpmf(k))",
    "logpmf": "log(pmf(k))",
    "ppf": "stats::least_reached(*this, q, false)",
    "isf": "stats::least_reached(*this, q, true)",
    "mean": "stats::expectation(*this, [](f64 k, f64) { return k; })",
    "var": "const f64 m = mean();"
    " return stats::expectation(*this, [m](f64 k, f64) { return (k - m) * (k - m); });",
    "skew": "const f64 m = mean(), v = var(); return stats::expectation(*this, "
    "[m](f64 k, f64) { return (k - m) * (k - m) * (k - m); }) / (v * sqrt(v));",
    "kurt": "const f64 m = mean(), v = var(); return stats::expectation(*this, "
    "[m](f64 k, f64) { return (k - m) * (k - m) * (k - m) * (k - m); }) / (v * v) - 3;",
    "munp": "order < finite() ? stats::expectation(*this,"
    " [order](f64 k, f64) { return pow(k, (f64)order); }) : INFINITY_F64",
    "entropy": "stats::expectation(*this, [](f64 k, f64 p) { return -log(p); })",
}
# Moments of a row that has the raw ones.
_RAW = {
    "mean": "munp(1)",
    "var": "stats::var_of_raw(munp(1), munp(2))",
    "skew": "stats::skew_of_raw(munp(1), munp(2), munp(3))",
    "kurt": "stats::kurt_of_raw(munp(1), munp(2), munp(3), munp(4))",
    "raw": "munp(order)",
}
# Functions of the headers: the header, and the members they call.
_TEMPLATES = {
    "quantile": ("stats/quantile.cuh", "cdf sf"),
    "central_moment": ("stats/expectation.cuh", "ppf isf"),
    "entropy_integral": ("stats/expectation.cuh", "ppf isf logpdf"),
    "raw_of_stats": ("stats/moments.cuh", "mean var skew kurt"),
    "var_of_raw": ("stats/moments.cuh", ""),
    "skew_of_raw": ("stats/moments.cuh", ""),
    "kurt_of_raw": ("stats/moments.cuh", ""),
    "least_reached": ("stats/discrete.cuh", "cdf sf"),
    "rounded_up": ("stats/discrete.cuh", "cdf"),
    "expectation": ("stats/discrete.cuh", "pmf cdf sf"),
    **dict.fromkeys(
        (
            "binomial_pmf",
            "binomial_log_pmf",
            "waiting_log_pmf",
            "polya_log_pmf",
            "poisson_pmf",
            "poisson_log_pmf",
        ),
        ("stats/counting.cuh", ""),
    ),
    **{
        f"hypergeometric_{name}": ("stats/hypergeometric.cuh", "")
        for name in ("pmf", "log_pmf", "tail", "log_tail")
    },
    "harmonic": ("stats/counting.cuh", ""),
    "harmonic_above": ("stats/counting.cuh", ""),
    "zipf_entropy": ("stats/zipf.cuh", ""),
    "tail_of_pdf": ("stats/tail.cuh", "pdf"),
    "entropy_of_pdf": ("stats/tail.cuh", "pdf mean"),
    "entropy_about": ("stats/tail.cuh", "pdf"),
    "log_kve": ("stats/log_kve.cuh", ""),
    "integral_from": ("stats/tail.cuh", ""),
    "smirnov_pdf": ("stats/smirnov_two.cuh", ""),
    "kolmogorov_two": ("stats/smirnov_two.cuh", ""),
    "kolmogorov_two_pdf": ("stats/smirnov_two.cuh", ""),
    "kolmogorov_two_quantile": ("stats/smirnov_two.cuh", ""),
    "smirnov_cdf": ("stats/smirnov_two.cuh", ""),
    "irwin_hall": ("stats/irwin_hall.cuh", ""),
    "entropy_of_uniforms": ("stats/irwin_hall.cuh", ""),
    "stable_pdf": ("stats/stable.cuh", ""),
    "stable_tail": ("stats/stable.cuh", ""),
    "studentized_range": ("stats/studentized.cuh", ""),
    "studentized_moment": ("stats/studentized.cuh", ""),
    "noncentral_t_pdf": ("stats/noncentral_t.cuh", ""),
    "fisher_urn": ("stats/urns.cuh", ""),
    "wallenius_urn": ("stats/urns.cuh", ""),
    "sum_of_pmf_between": ("stats/urns.cuh", "pmf"),
    "kolmogorov_pdf": ("stats/kolmogorov.cuh", ""),
    "skellam_log_pmf": ("stats/skellam.cuh", ""),
    "sum_of_pmf": ("stats/probability_sums.cuh", "pmf mean"),
    "sum_of_power": ("stats/probability_sums.cuh", "pmf mean"),
    "entropy_of_counts": ("stats/probability_sums.cuh", "pmf mean"),
    "entropy_of_power": ("stats/probability_sums.cuh", "logpmf mean"),
    **{f"breit_wigner_{name}": ("stats/breit_wigner.cuh", "") for name in ("of", "cdf", "sf")},
    "argus_cdf": ("stats/argus.cuh", ""),
    "exp_times_exp1": ("stats/exp1.cuh", ""),
    "gamma_entropy": ("stats/gamma_entropy.cuh", ""),
    "vonmises_cdf": ("stats/vonmises.cuh", ""),
    "vonmises_ppf": ("stats/vonmises.cuh", ""),
    **{
        f"pearson3_{name}": ("stats/pearson3.cuh", "")
        for name in ("log_density", "tail", "quantile")
    },
    "gauss_mass": ("stats/normal.cuh", ""),
    "log_gauss_mass": ("stats/normal.cuh", ""),
    "log_part": ("stats/normal.cuh", ""),
    "log_sum": ("stats/normal.cuh", ""),
}
# Methods: the operation, in d, the distribution, and the members that it calls.
_TAILS = {name: (f"y = stats::{name}(d, x, AT);", name) for name in _ARGUMENTS if "cdf" in name}
_METHODS = {
    **_TAILS,
    **{name: (f"y = stats::{name}(d, x, AT);", name) for name in ("sf", "logsf", "ppf", "isf")},
    **{name: (f"y = stats::{name}(d, x, AT);", name) for name in ("pdf", "logpdf")},
    **{name: (f"y = stats::{name}(d, x, AT);", name) for name in ("pmf", "logpmf")},
    "mean": ("y = VALID ? d.mean() * SCALE + loc : NAN_F64;", "mean"),
    "var": ("y = VALID ? d.var() * SCALE * SCALE : NAN_F64;", "var"),
    "std": ("y = VALID ? sqrt(d.var()) * SCALE : NAN_F64;", "var"),
    "skew": ("y = VALID ? d.skew() : NAN_F64;", "skew"),
    "kurt": ("y = VALID ? d.kurt() : NAN_F64;", "kurt"),
    "entropy": ("y = VALID ? d.entropy() + log((f64)SCALE) : NAN_F64;", "entropy"),
    "moment": ("y = stats::moment(d, (int)x, loc, SCALE);", "raw"),
    "lower": ("y = VALID ? d.lower() * SCALE + loc : NAN_F64;", ""),
    "upper": ("y = VALID ? d.upper() * SCALE + loc : NAN_F64;", ""),
}
# Methods of data, which come before the parameters.
ORDERED = {"pdf", "logpdf", "pmf", "logpmf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "moment"}
_CALL = re.compile(r"(?<![\w.:>])([A-Za-z]\w*)\(")
_QUALIFIED = re.compile(r"stats::(\w+)\(")
_SPECIAL = re.compile(r"special::(\w+)\(")


def _formulas(row: Row) -> dict[str, str]:
    """All formulas of a row, its own and those that follow from them."""
    given = dict(row.formulas)
    made = {**(_DISCRETE if row.discrete else _CONTINUOUS), **(_RAW if "munp" in given else {})}
    if "cdf" in given and "sf" in given:
        made |= _LOG_TAILS
    if "mean" in given:
        made["raw"] = _BOTH["raw"]
    for one, other in (("ppf", "isf"), ("isf", "ppf")):
        if other in given and not row.discrete:
            made[one] = f"{other}(1 - q)"
    argument = "k" if row.discrete else "x"
    made = {k: re.sub(r"\bx\b", argument, v) for k, v in made.items()}
    return {**made, **given, "lower": row.support[0], "upper": row.support[1]}


def _needed(formulas: dict[str, str], members: str) -> tuple[list[str], set[str]]:
    """The members that some members call, themselves included, and the headers of all."""
    names, headers, waiting = [], set(), ["lower", "upper", *members.split()]
    special = special_headers()
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.append(name)
        text = formulas[name]
        for called in _QUALIFIED.findall(text):
            header, called_back = _TEMPLATES[called]
            headers.add(header)
            waiting += called_back.split()
        headers |= {special[called] for called in _SPECIAL.findall(text)}
        for called in _CALL.findall(text):
            if called in _ARGUMENTS and called in formulas:
                waiting.append(called)
            elif called in special:
                headers.add(special[called])
    return names, headers


def _member(name: str, formula: str, discrete: bool) -> str:
    """A member function of the struct; special functions get their namespace."""
    special = special_headers()

    def full(match: Any) -> str:
        known = match[1] in special and match[1] not in _ARGUMENTS
        return f"special::{match[1]}(" if known else match[0]

    body = formula if formula.endswith(";") else f"return {formula};"
    argument = _ARGUMENTS[name]
    if discrete and argument == "f64 x":
        argument = "f64 k"
    return f"    GNP_FN f64 {name}({argument}) const {{ {_CALL.sub(full, body)} }}\n"


def _struct(row: Row, members: str) -> str:
    """The struct `Distribution` with some members and what they call, and its headers."""
    formulas = _formulas(row)
    names, headers = _needed(formulas, members)
    headers |= {"stats/discrete.cuh" if row.discrete else "stats/continuous.cuh"}
    headers |= {"stats/moments.cuh"} if "raw" in names else set()
    includes = "".join(f'#include "{header}"\n' for header in sorted(headers))
    shapes = f"    f64 {', '.join(row.fields)};\n" if row.shapes else ""
    if row.constants:
        shapes += f"    static constexpr f64 {row.constants};\n"
    functions = "".join(_member(name, formulas[name], row.discrete) for name in sorted(names))
    return f"""
using namespace gnp;
{includes}using namespace stats;
struct Distribution {{
{shapes}    GNP_FN bool valid() const {{ return {row.valid or "true"}; }}
{functions}}};
"""


def _parameters(row: Row) -> str:
    places = ("loc",) if row.discrete else ("loc", "scale")
    return ", ".join(f"float64 {name}" for name in _renamed(row) + places)


def _renamed(row: Row) -> tuple[str, ...]:
    """The shapes' names as parameters of a kernel, where `n` and `i` have a meaning."""
    return tuple(f"shape_{name}" for name in row.shapes)


def _in_place(row: Row, text: str) -> str:
    """An operation with the distribution's own location and scale."""
    known = ("", "loc", "1") if row.discrete else (", scale", "loc, scale", "scale")
    text = text.replace("VALID", f"stats::is_valid(d, loc{known[0]})")
    text = text.replace("AT", known[1]).replace("SCALE", known[2])
    return f"const Distribution d = {{{', '.join(_renamed(row))}}};\n{text}"


@functools.cache
def kernel(row: Row, methods: tuple[str, ...]) -> Any:
    """The kernel of a method; several of parameters alone have an output each."""
    members = " ".join(_METHODS[name][1] for name in methods)
    outputs = [f"y{k}" for k in range(len(methods))] if len(methods) > 1 else ["y"]
    texts = [
        _METHODS[name][0].replace("y =", f"{out} =")
        for name, out in zip(methods, outputs, strict=True)
    ]
    before = "T x, " if methods[0] in ORDERED else ""
    return ElementwiseKernel(
        before + _parameters(row),
        ", ".join(f"float64 {out}" for out in outputs),
        _in_place(row, "\n".join(texts)),
        f"{row.name}_{'_'.join(methods)}",
        preamble=_struct(row, members),
    )


@functools.cache
def likelihood(row: Row) -> Any:
    """The sum of minus the logarithm of the density, with a penalty for what is not finite."""
    name = "logpmf" if row.discrete else "logpdf"
    call = f"stats::{name}(Distribution{{{', '.join(_renamed(row))}}}, x, loc"
    call += ")" if row.discrete else ", scale)"
    return ReductionKernel(
        f"T x, {_parameters(row)}, float64 penalty",
        "float64 y",
        f"penalised({call}, penalty)",
        "a + b",
        "y = -a",
        "0",
        f"{row.name}_likelihood",
        preamble=_struct(row, name)
        + """
GNP_FN f64 penalised(f64 value, f64 penalty)
{
    return penalty > 0 && !(fabs(value) < INFINITY_F64) ? -penalty : value;
}
""",
    )
