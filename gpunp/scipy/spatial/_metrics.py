"""The metrics of `scipy.spatial.distance`: what each adds up, and the kernels made of it.

A distance is one thread's work: it walks along the coordinates of both points, of which one set is
transposed so that neighbouring threads read neighbouring memory.
"""

import functools
from typing import Any, NamedTuple

from ..._core.raw import ElementwiseKernel

# Names in the code: x and y the coordinates, w their weight, p the exponent, n the number of
# coordinates or the sum of weights; a, b, c and s are sums that begin at zero.
_FLAGS = """
    const bool u = x != 0, v = y != 0;
    a += w * (u && v);
    b += w * (u != v);
    c += w * (u && !v);
    s += w * (!u && !v);
"""


class Metric(NamedTuple):
    """A metric: what one coordinate adds, and the distance that follows."""

    step: str
    finish: str
    boolean: bool = False
    other: str = ""  # SciPy's other names
    weighted: bool = True


METRICS = {
    "braycurtis": Metric("a += w * fabs(x - y); b += w * fabs(x + y);", "a / b"),
    "canberra": Metric(
        "const double size = fabs(x) + fabs(y); a += size > 0 ? w * fabs(x - y) / size : 0;", "a"
    ),
    "chebyshev": Metric(
        "const double d = w > 0 ? fabs(x - y) : 0; a = d > a || d != d ? d : a;", "a",
        other="ch cheby cheb chebychev",
    ),
    "cityblock": Metric("a += w * fabs(x - y);", "a", other="cblock cb c"),
    "correlation": Metric("a += w * x * y; b += w * x * x; c += w * y * y;",
                          "clipped(1 - a / sqrt(b * c))", other="co"),
    "cosine": Metric("a += w * x * y; b += w * x * x; c += w * y * y;",
                     "clipped(1 - a / sqrt(b * c))", other="cos"),
    "dice": Metric(_FLAGS, "b / (2 * a + b)", True),
    "euclidean": Metric("a += w * (x - y) * (x - y);", "sqrt(a)", other="euclid eu e"),
    "hamming": Metric("a += w * (x != y);", "a / n", other="matching"),
    "jaccard": Metric(
        "a += w * ((x != 0) != (y != 0)); b += w * (x != 0 || y != 0);", "b > 0 ? a / b : 0", True,
        other="jacc ja j",
    ),
    "jensenshannon": Metric(
        "const double m = (x + y) / 2;"
        " a += x > 0 ? x * log(x / m) : x == 0 ? 0 : INFINITY;"
        " b += y > 0 ? y * log(y / m) : y == 0 ? 0 : INFINITY;",
        "sqrt(fmax(a + b, 0.0) / 2)", other="js", weighted=False,
    ),
    "mahalanobis": Metric("", "sqrt(a)", other="mahal mi", weighted=False),
    "minkowski": Metric("a += w * pow(fabs(x - y), p);", "pow(a, 1 / p)", other="mi m pnorm"),
    "rogerstanimoto": Metric(_FLAGS, "2 * b / (a + s + 2 * b)", True),
    "russellrao": Metric(_FLAGS, "(n - a) / n", True),
    "seuclidean": Metric("a += (x - y) * (x - y) / w;", "sqrt(a)", other="se s", weighted=False),
    "sokalsneath": Metric(_FLAGS, "2 * b / (a + 2 * b)", True),
    "sqeuclidean": Metric("a += w * (x - y) * (x - y);", "a", other="sqe sqeuclid"),
    "yule": Metric(_FLAGS, "b == c || c == 0 ? 0 : 2 * c * (b - c) / (a * s + c * (b - c))", True),
}  # fmt: skip
ALIASES = {other: name for name, metric in METRICS.items() for other in metric.other.split()}

PREAMBLE = """
__device__ double clipped(double d) { return d < 0 ? 0 : d > 2 ? 2 : d; }
"""
_BODY = """
    double a = 0, b = 0, c = 0, s = 0;
    for (int64_t k = 0; k < size; k++) {
        const double x = left[row * size + k], y = right[k * count + column];
        const double w = weights[weighted ? k : 0];
        %s
    }
    distance = %s;
"""
_QUADRATIC = """
    double a = 0;
    for (int64_t j = 0; j < size; j++) {
        double sum = 0;
        for (int64_t k = 0; k < size; k++)
            sum += weights[j * size + k]
                   * (left[row * size + k] - right[k * count + column]);
        a += sum * (left[row * size + j] - right[j * count + column]);
    }
    distance = sqrt(a);
"""
_OPERANDS = (
    "raw float64 left, raw float64 right, raw float64 weights, bool weighted, int64 count,"
    " int64 size, float64 p, float64 n"
)
_PLACES = {
    "cdist": "const ptrdiff_t row = i / count, column = i - row * count;",
    # The pair (row, column) of rank i among those with row < column; the root may be off by one.
    "pdist": """
        const double m = 2.0 * count - 1;
        ptrdiff_t row = (ptrdiff_t)((m - sqrt(fmax(m * m - 8.0 * i, 0.0))) / 2);
        if (row < 0) row = 0;
        while (row > 0 && row * (2 * count - row - 1) / 2 > i) row--;
        while ((row + 1) * (2 * count - row - 2) / 2 <= i) row++;
        const ptrdiff_t column = i - row * (2 * count - row - 1) / 2 + row + 1;
    """,
}


@functools.cache
def kernel(name: str, form: str) -> Any:
    """The kernel of a metric, for two sets of points or for the pairs of one."""
    metric = METRICS[name]
    body = _QUADRATIC if name == "mahalanobis" else _BODY % (metric.step, metric.finish)
    return ElementwiseKernel(
        _OPERANDS, "float64 distance", _PLACES[form] + body, f"{form}_{name}", preamble=PREAMBLE
    )
