"""Initial value problems of many small systems in one launch, a thread a system."""

import functools
import math
from typing import Any, cast

import numpy as np

from ..._core._convert import as_array, as_host
from ..._core.multiarray import asarray, empty, ndarray
from ..._core.numeric import moveaxis
from ..._core.raw import RawKernel
from ...jit._elementwise import device_function
from ...lib._stride_tricks_impl import broadcast_to
from ..optimize._batched import parameters_of
from ._ivp import OdeResult
from ._ivp_common import check_max_step, check_tolerances, number_of
from ._ivp_rk import tableau

__all__ = ["solve_ivp_batched"]

METHODS = {"RK23": 3, "RK45": 5, "DOP853": 8}  # one more than the order of the estimated error
STIFF = "Rosenbrock23"
MESSAGE = "0: the end was reached; -1: a step became too small; -2: too many steps"

_BLOCK = 128
_MOST_UNROLLED = 160  # numbers of the stages that are kept in registers
_MOST_UNROLLED_ROWS = 5  # of a Jacobian that is
_OPTIONS = ("--std=c++17", "-default-device")

_KERNEL = """
extern "C" __global__ void __launch_bounds__(%(block)d)
gpunp_solve_ivp(const double *y0, const double *t0, const double *t1, const double *parameters,
                const double *atol, const double *times, double *states, double *last_time,
                int *calls, signed char *status, long long count, long long points,
                long long t0_stride, long long t1_stride, long long most, double rtol,
                double first_step, double max_step)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) {
        const gnp_ode::ode::Call call = {count, points, t0_stride, t1_stride,
                                         most,  rtol,   first_step, max_step};
        const gnp_ode::ode::Output out = {states, last_time, times, calls, status};
        gnp_ode::ode::solve<gnp_ode::System, gnp_ode::Method>(call, i, y0, t0, t1, parameters,
                                                              atol, out);
    }
}
"""

_SYSTEM = """
struct System {
    enum { N = %(n)d, P = %(count)d, UNROLL = %(unroll)d };
    static __device__ __forceinline__ void rhs(double t, const double *y, double *dy,
                                               const double *p)
    {
        %(body)s
    }
};
"""


def _rows(tables: list) -> str:
    """The function of a table's number and row, which are constants, and a column."""
    lines = []
    for number, table in enumerate(tables):
        for k, row in enumerate(np.atleast_2d(table)):
            numbers = ", ".join(float(x).hex() for x in row)
            lines.append(
                f"if constexpr (TABLE == {number} && ROW == {k}) "
                f"{{ const double v[] = {{{numbers}}}; return v[j]; }}"
            )
    body = "\n    else ".join([*lines, "return 0;"])
    return f"""
    template <int TABLE, int ROW> static __device__ __forceinline__ double row(int j)
    {{
        {body}
    }}
"""


@functools.cache
def _table(method: str) -> tuple[str, int]:
    """The struct of a method's coefficients, and its number of stages that are kept."""
    t = tableau(method)
    is_eighth = method == "DOP853"
    errors = [t.E5, t.E3] if is_eighth else [t.E]
    rows = t.n_stages + 1 + (len(t.C_EXTRA) if is_eighth else 0)
    more = [t.A_EXTRA, t.C_EXTRA] if is_eighth else [[0.0], [0.0]]
    terms = t.D if is_eighth else t.P.T
    numbers = {
        "STAGES": t.n_stages,
        "ROWS": rows,
        "Q": METHODS[method],
        "ERRORS": len(errors),
        "TERMS": len(terms),
    }
    enumerators = ", ".join(f"{name} = {value}" for name, value in numbers.items())
    text = (
        f"struct Table {{\n    enum {{ {enumerators} }};\n"
        "    enum { A, B, C, E, P, MORE, MORE_C };\n"
        + _rows([t.A, t.B, t.C, np.array(errors), terms, *more])
        + "};\ntypedef ode::RungeKutta<System, Table> Method;\n"
    )
    return text, rows


def _of_python(function: Any, n: int, count: int) -> tuple[str, str]:
    """Functions in CUDA C++, and the statements that call the first of them."""
    call, results, text = device_function(
        function,
        ["t", [f"y[{c}]" for c in range(n)], *(f"p[{k}]" for k in range(count))],
        np.dtype(np.float64),
    )
    if len(results) != n:
        raise ValueError(f"`fun` returns {len(results)} numbers for a state of {n}")
    stores = "".join(f" dy[{c}] = {code};" for c, code in enumerate(results))
    return text, f"const auto result = {call};{stores}"


def _of_source(kernel: RawKernel) -> tuple[str, str]:
    return (
        cast(str, kernel.code).replace("__global__", "__device__"),
        f"::{kernel.name}(t, y, dy, p);",
    )


@functools.lru_cache(maxsize=64)
def _compiled(function: Any, method: str, n: int, count: int) -> RawKernel:
    if method == STIFF:
        table, unroll = "typedef ode::Rosenbrock<System> Method;\n", n <= _MOST_UNROLLED_ROWS
    else:
        table, rows = _table(method)
        unroll = n * rows <= _MOST_UNROLLED
    if isinstance(function, RawKernel):
        text, body = _of_source(function)
        before, within = text, ""
    else:
        text, body = _of_python(function, n, count)
        before, within = "", text
    system = _SYSTEM % {"n": n, "count": count, "unroll": int(unroll), "body": body}
    code = (
        f'{before}\nnamespace gnp_ode {{\n#include "user/ode.cuh"\n{within}\n{system}\n{table}}}\n'
        + _KERNEL % {"block": _BLOCK}
    )
    return RawKernel(code, "gpunp_solve_ivp", _OPTIONS)


def _times(value: Any, batch: tuple, count: int) -> tuple[ndarray, int]:
    """Times at an end of the interval, and the distance between those of two systems."""
    made = as_array(value).astype(np.float64, copy=False)
    if made.ndim == 0:
        return made, 0
    return broadcast_to(made, batch).reshape(count), 1


def _wanted(t_eval: Any) -> ndarray | None:
    """Times at which states are wanted, on the device; those of the host are checked."""
    if t_eval is None:
        return None
    if not isinstance(t_eval, ndarray):
        times = as_host(t_eval, float)
        steps = np.diff(times)
        if times.ndim == 1 and not ((steps > 0).all() or (steps < 0).all()):
            raise ValueError("Values in `t_eval` are not properly sorted.")
        t_eval = asarray(times)
    if t_eval.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    return t_eval.astype(np.float64).copy()


def solve_ivp_batched(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    args=(),
    *,
    rtol=1e-3,
    atol=1e-6,
    first_step=None,
    max_step=math.inf,
    max_steps=100_000,
) -> OdeResult:
    """Integrate many small systems of one right-hand side, each with its own steps, in one launch.

    Parameters
    ----------
    fun : callable or RawKernel
        Right-hand side ``fun(t, y, *args)``: a Python function of numbers, `y` being a tuple of n,
        that returns a tuple of n numbers (a number, if n is 1). It is compiled by `gpunp.jit`, with
        what it takes from outside as constants. `solve_ivp` of SciPy takes the same function. A
        RawKernel has the signature ``void (double t, const double *y, double *dydt, const double
        *args)`` and is called for one system.
    t_span : pair of float or array_like
        Times between which systems are integrated, in either direction: numbers, or arrays of the
        shape of the batch.
    y0 : array_like, (..., n)
        Initial states; the axes before the last are those of the batch.
    method : {'RK45', 'RK23', 'DOP853', 'Rosenbrock23'}, optional
        Explicit Runge-Kutta method, as for `solve_ivp`; or, for stiff systems, a linearly implicit
        method of order 2, whose Jacobians are made of differences.
    t_eval : array_like, (m,), optional
        Times at which the states of all systems are returned, in the order of the integration. By
        default the state at the end of the interval is.
    args : tuple, optional
        Further arguments of `fun`: numbers, or arrays of the shape of the batch.
    rtol : float, optional
        Relative tolerance of the error of a step.
    atol : float or array_like, (n,), optional
        Absolute tolerance of the error of a step.
    first_step : float, optional
        Length of the first step; by default each system finds its own.
    max_step : float, optional
        Largest length of a step.
    max_steps : int, optional
        Number of steps, accepted or not, after which a system gives up.

    Returns
    -------
    OdeResult
        With the attributes `y` (..., n), or (..., n, m) with `t_eval`; `t`, times that the systems
        reached, or `t_eval`; `nfev`, `status` (0: the end was reached, -1: a step became too small,
        -2: too many steps) and `success` for each system; `message`. States that a system did not
        reach are NaN.

    Raises
    ------
    ValueError
        If the method is not known, `fun` returns another number of values than `y0` has, or an
        argument has a wrong shape or range.

    See Also
    --------
    solve_ivp : one system of any size, stiff methods, events, interpolants

    Notes
    -----
    A thread integrates a system, with an explicit method in the steps that `solve_ivp` would take.
    Nothing waits for the device. States and stages are kept in registers for few components (22
    with 'RK45', 5 with 'Rosenbrock23'), in local memory beyond. The order of memory of `y` is that
    in which threads write it: systems that are neighbours lie side by side.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import solve_ivp_batched
    >>> def decay(t, y, rate):
    ...     return -rate * y[0]
    >>> rates = cp.array([1.0, 2.0, 3.0])
    >>> result = solve_ivp_batched(decay, (0, 1), cp.ones((3, 1)), args=(rates,), rtol=1e-8)
    >>> result.y[:, 0].round(5)
    array([0.36788, 0.13534, 0.04979])
    """
    if method not in (*METHODS, STIFF):
        raise ValueError(f"`method` must be one of {[*METHODS, STIFF]}, not {method!r}.")
    states = as_array(y0).astype(np.float64, order="C")
    if states.ndim < 1 or not states.shape[-1]:
        raise ValueError(f"`y0` must have a last axis of components, not shape {states.shape}.")
    *batch, n = states.shape
    count = math.prod(batch)
    rtol, _ = check_tolerances(number_of(rtol), 0.0, n)
    tolerances = broadcast_to(as_array(atol).astype(np.float64), (n,)).copy()
    first = 0.0 if first_step is None else float(number_of(first_step))
    if first_step is not None and first <= 0:
        raise ValueError("`first_step` must be positive.")
    longest = float(check_max_step(max_step))
    first_time, last_time = t_span
    t0, t0_stride = _times(first_time, tuple(batch), count)
    t1, t1_stride = _times(last_time, tuple(batch), count)
    times = _wanted(t_eval)
    points = 1 if times is None else times.size
    parameters = parameters_of(args, tuple(batch), count)
    kernel = _compiled(fun, method, n, 0 if parameters is None else len(parameters))
    found = empty((points, n, count), np.float64)
    reached, calls = empty(count, np.float64), empty(count, np.int32)
    status = empty(count, np.int8)
    if count:
        integers = np.array([count, points, t0_stride, t1_stride, int(max_steps)], np.int64)
        arrays = (states, t0, t1, parameters, tolerances, times, found, reached, calls, status)
        kernel((-(-count // _BLOCK),), (_BLOCK,), (*arrays, *integers, rtol, first, longest))
    y = moveaxis(found.reshape(points, n, *batch), (0, 1), (-1, -2))
    status = status.reshape(batch)
    return OdeResult(
        t=reached.reshape(batch) if times is None else times,
        y=y[..., 0] if times is None else y,
        nfev=calls.reshape(batch),
        status=status,
        message=MESSAGE,
        success=status == 0,
    )
