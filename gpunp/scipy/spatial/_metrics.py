"""The metrics of `scipy.spatial.distance`: what each adds up, and the kernels made of it.

A distance is one thread's work: it walks along the coordinates of both points, of which one set is
transposed so that neighbouring threads read neighbouring memory. Between large sets a thread has a
tile of distances, whose coordinates stay in registers, where a metric adds by few operations.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from ..._core.multiarray import ndarray
from ..._core.raw import ElementwiseKernel, RawKernel

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

_PREAMBLE = """
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
        _OPERANDS, "float64 distance", _PLACES[form] + body, f"{form}_{name}", preamble=_PREAMBLE
    )


# Tiles of 64 rows and WIDTH columns: a block reads DEPTH coordinates of their points into shared
# memory while it adds up those before, and each of its 16 x 16 threads has 4 rows and WIDTH / 16
# columns. Sums have the order of those above. What is beyond an end is read from the last point.
_TILE_ROWS, _TILE_THREADS = 64, 256
_TILED = """
enum { ROWS = %(rows)s, WIDTH = %(width)s, DEPTH = 16, THREADS = %(threads)s };
enum { PITCH = ROWS + 2, OWN = WIDTH / 16, HIGH = ROWS / 16 };
enum { LINES = THREADS / WIDTH, PARTS = DEPTH / LINES };
struct Sums { double a, b, c, s; };
struct Step { double xs[DEPTH][PITCH], ys[DEPTH][WIDTH], ws[DEPTH]; };

__device__ __forceinline__ void
add(Sums &sums, const double x, const double y, const double w)
{
    double &a = sums.a, &b = sums.b, &c = sums.c, &s = sums.s;
    %(step)s
}

__device__ __noinline__ double
finish(const Sums &sums, const double n)
{
    const double a = sums.a, b = sums.b, c = sums.c, s = sums.s;
    return %(finish)s;
}

// What a thread reads of a step: coordinate t %% DEPTH of HIGH points, and PARTS coordinates of one.
struct Reader {
    const double *x[HIGH], *y, *weight;
    long long line;
    double xs[HIGH], ys[PARTS], w;

    __device__ __forceinline__ void read(const int depth)
    {
        const int t = threadIdx.x;
        #pragma unroll
        for (int i = 0; i < HIGH; i++) {
            if (t %% DEPTH < depth) xs[i] = *x[i];
            x[i] += DEPTH;
        }
        #pragma unroll
        for (int i = 0; i < PARTS; i++) {
            if (t / WIDTH + i * LINES < depth) ys[i] = *y;
            y += line;
        }
        if (%(weighted)s && t < depth) w = *weight;
        weight += DEPTH;
    }
    __device__ __forceinline__ void store(Step &to) const
    {
        const int t = threadIdx.x;
        #pragma unroll
        for (int i = 0; i < HIGH; i++) to.xs[t %% DEPTH][t / DEPTH + i * (THREADS / DEPTH)] = xs[i];
        #pragma unroll
        for (int i = 0; i < PARTS; i++) to.ys[t / WIDTH + i * LINES][t %% WIDTH] = ys[i];
        if (%(weighted)s && t < DEPTH) to.ws[t] = w;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, WIDTH / 32)
%(called)s(const double *left, const double *right, const double *weights, double *out,
    const long long rows, const long long count, const long long size, const double n)
{
    __shared__ alignas(16) Step steps[2];
    const long long row0 = blockIdx.y * (long long)ROWS, column0 = blockIdx.x * (long long)WIDTH;
    const int t = threadIdx.x, down = t / 16 * 4, beside = t %% 16 * 2;
    if (%(pairs)s && column0 + WIDTH <= row0 + 1) return;
    Sums sums[4][OWN] = {};
    Reader reader = {};
    #pragma unroll
    for (int i = 0; i < HIGH; i++) {
        const long long row = min(row0 + t / DEPTH + i * (THREADS / DEPTH), rows - 1);
        reader.x[i] = left + row * size + t %% DEPTH;
    }
    reader.y = right + t / WIDTH * count + min(column0 + t %% WIDTH, count - 1);
    reader.line = LINES * count;
    reader.weight = weights + t;
    reader.read((int)min(size, (long long)DEPTH));
    reader.store(steps[0]);
    __syncthreads();
    int now = 0;
    #pragma unroll 1
    for (long long k0 = 0; k0 < size; k0 += DEPTH, now ^= 1) {
        const int depth = (int)min(size - k0, (long long)DEPTH);
        const int next = (int)min(size - k0 - depth, (long long)DEPTH);
        reader.read(next);
        const Step &step = steps[now];
        #pragma unroll %(unroll)s
        for (int k = 0; k < depth; k++) {
            double x[4], y[OWN];
            const double w = %(weighted)s ? step.ws[k] : 1;
            #pragma unroll
            for (int i = 0; i < 4; i++) x[i] = step.xs[k][down + i];
            #pragma unroll
            for (int j = 0; j < OWN; j++) y[j] = step.ys[k][beside + j / 2 * 32 + j %% 2];
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int j = 0; j < OWN; j++) add(sums[i][j], x[i], y[j], w);
        }
        reader.store(steps[now ^ 1]);
        __syncthreads();
    }
    // Two neighbours at once: the halves of a sector that are stored one by one take twice as long.
    const bool wide = !%(pairs)s && count %% 2 == 0 && (size_t)out %% sizeof(double2) == 0;
    #pragma unroll
    for (int i = 0; i < 4; i++)
        #pragma unroll
        for (int j = 0; j < OWN; j += 2) {
            const long long row = row0 + down + i, first = column0 + beside + j / 2 * 32;
            const double one = finish(sums[i][j], n), two = finish(sums[i][j + 1], n);
            if (wide && row < rows && first < count) {
                *(double2 *)&out[row * count + first] = make_double2(one, two);
                continue;
            }
            #pragma unroll
            for (int h = 0; h < 2; h++) {
                const long long column = first + h;
                if (row >= rows || column >= count || (%(pairs)s && column <= row)) continue;
                out[%(place)s] = h ? two : one;
            }
        }
}
"""
_TILED_PLACES = {
    "cdist": "row * count + column",
    "pdist": "row * (2 * count - row - 1) / 2 + column - row - 1",
}


def is_tiled(name: str, rows: int, columns: int) -> bool:
    """Whether tiles are worth it: no long operations, which would stand in the code 16 times."""
    metric = METRICS[name]
    is_short = metric.step and not any(word in metric.step for word in ("pow", "log", "/"))
    return bool(is_short) and min(rows, columns) >= _TILE_ROWS and rows < _TILE_ROWS << 16


@functools.cache
def tiled_kernel(name: str, form: str, weighted: bool) -> tuple[Any, int]:
    """The kernel of a metric in tiles, and their width."""
    metric = METRICS[name]
    width = 32 if "c +=" in metric.step else 64  # three sums of a pair need many registers
    called = f"tiled_{form}_{name}"
    words = {
        "rows": _TILE_ROWS,
        "width": width,
        "threads": _TILE_THREADS,
        "step": metric.step,
        "finish": metric.finish,
        "called": called,
        "pairs": int(form == "pdist"),
        "weighted": int(weighted),
        "unroll": 1 + (len(metric.step) < 60),
        "place": _TILED_PLACES[form],
    }
    return RawKernel(_PREAMBLE + _TILED % words, called), width


def launch(name: str, form: str, left: ndarray, right: ndarray, more: tuple, out: ndarray) -> None:
    """All distances into `out`; `right` is transposed, `more` is weights, exponent and total."""
    weights, weighted, p, total = more
    (size, count), rows = right.shape, left.shape[0]
    if is_tiled(name, rows, count):
        made, width = tiled_kernel(name, form, weighted)
        grid = (-(-count // width), -(-rows // _TILE_ROWS))
        sizes = (np.int64(rows), np.int64(count), np.int64(size), np.float64(total))
        made(grid, (_TILE_THREADS,), (left, right, weights, out, *sizes))
    elif out.size:
        kernel(name, form)(left, right, weights, weighted, count, size, p, total, out)
