# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp import trapezoid as trapezoid

class __Level(_t.NamedTuple):
    sides: _g.ndarray
    beside: _g.ndarray
    more: _g.ndarray
class __Residuals(_t.NamedTuple):
    collocation: _g.ndarray
    places: _g.ndarray
    middle: _g.ndarray
    f: _g.ndarray
    f_middle: _g.ndarray
    ends: _g.ndarray
class BDF(_g.scipy.integrate.OdeSolver):
    def __init__(self, fun: _a.Callable[..., _t.Any], t0: _t.SupportsFloat, y0: _T.ArrayLike, t_bound: _t.SupportsFloat, max_step: _t.SupportsFloat = ..., rtol: _t.SupportsFloat | _T.ArrayLike = ..., atol: _t.SupportsFloat | _T.ArrayLike = ..., jac: _T.ArrayLike | _a.Callable[..., _t.Any] | None = None, jac_sparsity: None = None, vectorized: _T._Bool = False, first_step: _t.SupportsFloat | None = None, **extraneous: _t.Any) -> None: ...
    D: _t.Any
    J: _t.Any
    current_jac: _t.Any
    h_abs: _t.Any
    n_equal_steps: _t.Any
    order: _t.Any
    t: _t.Any
    y: _t.Any
    atol: _t.Any
    f: _t.Any
    jac: _t.Any
    max_step: _t.Any
    newton_tol: _t.Any
    nlu: _t.Any
    rtol: _t.Any
    direction: _t.Any
    n: _t.Any
    nfev: _t.Any
    njev: _t.Any
    status: _t.Any
    t_bound: _t.Any
    t_old: _t.Any
    vectorized: _t.Any
class DOP853(_g.scipy.integrate.OdeSolver):
    def __init__(self, fun: _a.Callable[..., _t.Any], t0: _t.SupportsFloat, y0: _T.ArrayLike, t_bound: _t.SupportsFloat, max_step: _t.SupportsFloat = ..., rtol: _t.SupportsFloat | _T.ArrayLike = ..., atol: _t.SupportsFloat | _T.ArrayLike = ..., vectorized: _T._Bool = False, first_step: _t.SupportsFloat | None = None, **extraneous: _t.Any) -> None: ...
    error_estimator_order: _b.int
    n_stages: _b.int
    order: _b.int
    K: _t.Any
    atol: _t.Any
    error_exponent: _t.Any
    f: _t.Any
    f_old: _t.Any
    h_abs: _t.Any
    h_previous: _t.Any
    max_step: _t.Any
    rtol: _t.Any
    t: _t.Any
    y: _t.Any
    y_old: _t.Any
    direction: _t.Any
    n: _t.Any
    nfev: _t.Any
    njev: _t.Any
    nlu: _t.Any
    status: _t.Any
    t_bound: _t.Any
    t_old: _t.Any
    vectorized: _t.Any
class DenseOutput:
    def __init__(self, t_old: _t.SupportsFloat, t: _t.SupportsFloat) -> None: ...
    def __call__(self, t: _t.SupportsFloat | _T.ArrayLike) -> _g.ndarray: ...
    t: _t.Any
    t_max: _t.SupportsFloat
    t_min: _t.SupportsFloat
    t_old: _t.Any
IntegrationWarning: _t.Any
class LSODA(_g.scipy.integrate.OdeSolver):
    def __init__(self, fun: _a.Callable[..., _t.Any], t0: _t.SupportsFloat, y0: _T.ArrayLike, t_bound: _t.SupportsFloat, first_step: _t.SupportsFloat | None = None, min_step: _t.SupportsFloat = ..., max_step: _t.SupportsFloat = ..., rtol: _t.SupportsFloat | _T.ArrayLike = ..., atol: _t.SupportsFloat | _T.ArrayLike = ..., jac: _a.Callable[..., _t.Any] | None = None, lband: _t.SupportsIndex | None = None, uband: _t.SupportsIndex | None = None, vectorized: _T._Bool = False, **extraneous: _t.Any) -> None: ...
    max_step: _t.Any
    njev: _t.Any
    nlu: _t.Any
    t: _t.Any
    y: _t.Any
    direction: _t.Any
    n: _t.Any
    nfev: _t.Any
    status: _t.Any
    t_bound: _t.Any
    t_old: _t.Any
    vectorized: _t.Any
ODEintWarning: _t.Any
class OdeSolution:
    def __init__(self, ts: _T.ArrayLike, interpolants: _a.Sequence[_g.scipy.integrate.DenseOutput], alt_segment: _T._Bool = False) -> None: ...
    def __call__(self, t: _t.SupportsFloat | _T.ArrayLike) -> _g.ndarray: ...
    ascending: _t.Any
    interpolants: _t.Any
    n_segments: _t.Any
    side: _t.Any
    t_max: _t.SupportsFloat
    t_min: _t.SupportsFloat
    ts: _t.Any
    ts_sorted: _t.Any
class OdeSolver:
    def __init__(self, fun: _a.Callable[..., _t.Any], t0: _t.SupportsFloat, y0: _T.ArrayLike, t_bound: _t.SupportsFloat, vectorized: _T._Bool, support_complex: _T._Bool = False) -> None: ...
    TOO_SMALL_STEP: _b.str
    def dense_output(self) -> _g.scipy.integrate.DenseOutput: ...
    def fun(self, t: _b.float, y: _g.ndarray) -> _g.ndarray: ...
    def fun_vectorized(self, t: _b.float, y: _g.ndarray) -> _g.ndarray: ...
    def step(self) -> _b.str | None: ...
    @_b.property
    def step_size(self) -> _t.Any: ...
    direction: _t.Any
    n: _t.Any
    nfev: _t.SupportsIndex
    njev: _t.SupportsIndex
    nlu: _t.SupportsIndex
    status: _t.Literal['running', 'finished', 'failed']
    t: _t.SupportsFloat
    t_bound: _t.Any
    t_old: _t.SupportsFloat
    vectorized: _t.Any
    y: _g.ndarray
class RK23(_g.scipy.integrate.OdeSolver):
    def __init__(self, fun: _a.Callable[..., _t.Any], t0: _t.SupportsFloat, y0: _T.ArrayLike, t_bound: _t.SupportsFloat, max_step: _t.SupportsFloat = ..., rtol: _t.SupportsFloat | _T.ArrayLike = ..., atol: _t.SupportsFloat | _T.ArrayLike = ..., vectorized: _T._Bool = False, first_step: _t.SupportsFloat | None = None, **extraneous: _t.Any) -> None: ...
    error_estimator_order: _b.int
    n_stages: _b.int
    order: _b.int
    K: _t.Any
    atol: _t.Any
    error_exponent: _t.Any
    f: _t.Any
    f_old: _t.Any
    h_abs: _t.Any
    h_previous: _t.Any
    max_step: _t.Any
    rtol: _t.Any
    t: _t.Any
    y: _t.Any
    y_old: _t.Any
    direction: _t.Any
    n: _t.Any
    nfev: _t.Any
    njev: _t.Any
    nlu: _t.Any
    status: _t.Any
    t_bound: _t.Any
    t_old: _t.Any
    vectorized: _t.Any
class RK45(_g.scipy.integrate.OdeSolver):
    def __init__(self, fun: _a.Callable[..., _t.Any], t0: _t.SupportsFloat, y0: _T.ArrayLike, t_bound: _t.SupportsFloat, max_step: _t.SupportsFloat = ..., rtol: _t.SupportsFloat | _T.ArrayLike = ..., atol: _t.SupportsFloat | _T.ArrayLike = ..., vectorized: _T._Bool = False, first_step: _t.SupportsFloat | None = None, **extraneous: _t.Any) -> None: ...
    error_estimator_order: _b.int
    n_stages: _b.int
    order: _b.int
    K: _t.Any
    atol: _t.Any
    error_exponent: _t.Any
    f: _t.Any
    f_old: _t.Any
    h_abs: _t.Any
    h_previous: _t.Any
    max_step: _t.Any
    rtol: _t.Any
    t: _t.Any
    y: _t.Any
    y_old: _t.Any
    direction: _t.Any
    n: _t.Any
    nfev: _t.Any
    njev: _t.Any
    nlu: _t.Any
    status: _t.Any
    t_bound: _t.Any
    t_old: _t.Any
    vectorized: _t.Any
class Radau(_g.scipy.integrate.OdeSolver):
    def __init__(self, fun: _a.Callable[..., _t.Any], t0: _t.SupportsFloat, y0: _T.ArrayLike, t_bound: _t.SupportsFloat, max_step: _t.SupportsFloat = ..., rtol: _t.SupportsFloat | _T.ArrayLike = ..., atol: _t.SupportsFloat | _T.ArrayLike = ..., jac: _T.ArrayLike | _a.Callable[..., _t.Any] | None = None, jac_sparsity: None = None, vectorized: _T._Bool = False, first_step: _t.SupportsFloat | None = None, **extraneous: _t.Any) -> None: ...
    J: _t.Any
    Z: _t.Any
    current_jac: _t.Any
    error_norm_old: _t.Any
    f: _t.Any
    h_abs: _t.Any
    h_abs_old: _t.Any
    sol: _t.Any
    t: _t.Any
    t_old: _t.Any
    y: _t.Any
    y_old: _t.Any
    atol: _t.Any
    jac: _t.Any
    max_step: _t.Any
    newton_tol: _t.Any
    nlu: _t.Any
    rtol: _t.Any
    direction: _t.Any
    n: _t.Any
    nfev: _t.Any
    njev: _t.Any
    status: _t.Any
    t_bound: _t.Any
    vectorized: _t.Any
class complex_ode(_g.scipy.integrate.ode):
    def __init__(self, f: _a.Callable[..., _t.Any], jac: _a.Callable[..., _t.Any] | None = None) -> None: ...
    f: _t.Any
    f_params: _t.Any
    jac: _t.Any
    jac_params: _t.Any
cubature: _t.Any
def cumulative_simpson(y: _T.ArrayLike, *, x: _T.ArrayLike | None = None, dx: _t.SupportsFloat | _T.ArrayLike = ..., axis: _t.SupportsIndex = -1, initial: _t.SupportsFloat | _T.ArrayLike | None = None) -> _g.ndarray: ...
def cumulative_trapezoid(y: _T.ArrayLike, x: _T.ArrayLike | None = None, dx: _t.SupportsFloat = ..., axis: _t.SupportsIndex = -1, initial: _t.Literal[0] | None = None) -> _g.ndarray: ...
def dblquad(func: _a.Callable[..., _t.Any], a: _t.SupportsFloat, b: _t.SupportsFloat, gfun: _a.Callable[..., _t.Any] | _t.SupportsFloat, hfun: _a.Callable[..., _t.Any] | _t.SupportsFloat, args: _b.tuple[_t.Any, ...] = ..., epsabs: _t.SupportsFloat = ..., epsrel: _t.SupportsFloat = ...) -> _b.tuple[_t.Any, ...]: ...
def fixed_quad(func: _a.Callable[..., _t.Any], a: _t.SupportsFloat | _T.ArrayLike, b: _t.SupportsFloat | _T.ArrayLike, args: _b.tuple[_t.Any, ...] = ..., n: _t.SupportsIndex = 5) -> _b.tuple[_g.ndarray, None]: ...
def lebedev_rule(n: _t.SupportsIndex) -> _b.tuple[_g.ndarray, _g.ndarray]: ...
def newton_cotes(rn: _t.SupportsIndex | _T.ArrayLike, equal: _t.SupportsIndex = 0) -> _b.tuple[_g.ndarray, _b.float]: ...
@_t.overload
def nquad(func: _a.Callable[..., _t.Any], ranges: _t.Any, args: _b.tuple[_t.Any, ...] | None = None, opts: _b.dict[_t.Any, _t.Any] | _a.Callable[..., _t.Any] | _a.Sequence[_t.Any] | None = None, full_output: _t.Literal[False, 0] = False) -> _b.tuple[_b.float, _b.float]: ...
@_t.overload
def nquad(func: _a.Callable[..., _t.Any], ranges: _t.Any, args: _b.tuple[_t.Any, ...] | None = None, opts: _b.dict[_t.Any, _t.Any] | _a.Callable[..., _t.Any] | _a.Sequence[_t.Any] | None = None, full_output: _T._Bool = False) -> _t.Any: ...
nsum: _t.Any
class ode:
    def __init__(self, f: _a.Callable[..., _t.Any], jac: _a.Callable[..., _t.Any] | None = None) -> None: ...
    def get_return_code(self) -> _b.int: ...
    def integrate(self, t: _t.SupportsFloat, step: _T._Bool = False, relax: _T._Bool = False) -> _g.ndarray: ...
    def set_f_params(self, *args: _t.Any) -> _t.Any: ...
    def set_initial_value(self, y: _T.ArrayLike, t: _t.SupportsFloat = ...) -> _t.Any: ...
    def set_integrator(self, name: _t.Literal['vode', 'zvode', 'lsoda', 'dopri5', 'dop853'], **integrator_params: _t.Any) -> _t.Any: ...
    def set_jac_params(self, *args: _t.Any) -> _t.Any: ...
    def set_solout(self, solout: _a.Callable[..., _t.Any]) -> None: ...
    def successful(self) -> _b.bool: ...
    @_b.property
    def t(self) -> _t.Any: ...
    @_b.property
    def y(self) -> _g.ndarray: ...
    f: _t.Any
    f_params: _t.Any
    jac: _t.Any
    jac_params: _t.Any
@_t.overload
def odeint(func: _a.Callable[..., _t.Any], y0: _T.ArrayLike, t: _T.ArrayLike, args: _b.tuple[_t.Any, ...] = ..., Dfun: _a.Callable[..., _t.Any] | None = None, col_deriv: _T._Bool | _b.int = 0, full_output: _t.Literal[False, 0] = 0, ml: _t.SupportsIndex | None = None, mu: _t.SupportsIndex | None = None, rtol: _t.SupportsFloat | _T.ArrayLike | None = None, atol: _t.SupportsFloat | _T.ArrayLike | None = None, tcrit: _T.ArrayLike | None = None, h0: _t.SupportsFloat = ..., hmax: _t.SupportsFloat = ..., hmin: _t.SupportsFloat = ..., ixpr: _T._Bool | _b.int = 0, mxstep: _t.SupportsIndex = 0, mxhnil: _t.SupportsIndex = 0, mxordn: _t.SupportsIndex = 12, mxords: _t.SupportsIndex = 5, printmessg: _T._Bool | _b.int = 0, tfirst: _T._Bool = False) -> _g.ndarray: ...
@_t.overload
def odeint(func: _a.Callable[..., _t.Any], y0: _T.ArrayLike, t: _T.ArrayLike, args: _b.tuple[_t.Any, ...] = ..., Dfun: _a.Callable[..., _t.Any] | None = None, col_deriv: _T._Bool | _b.int = 0, full_output: _T._Bool | _b.int = 0, ml: _t.SupportsIndex | None = None, mu: _t.SupportsIndex | None = None, rtol: _t.SupportsFloat | _T.ArrayLike | None = None, atol: _t.SupportsFloat | _T.ArrayLike | None = None, tcrit: _T.ArrayLike | None = None, h0: _t.SupportsFloat = ..., hmax: _t.SupportsFloat = ..., hmin: _t.SupportsFloat = ..., ixpr: _T._Bool | _b.int = 0, mxstep: _t.SupportsIndex = 0, mxhnil: _t.SupportsIndex = 0, mxordn: _t.SupportsIndex = 12, mxords: _t.SupportsIndex = 5, printmessg: _T._Bool | _b.int = 0, tfirst: _T._Bool = False) -> _t.Any: ...
qmc_quad: _t.Any
@_t.overload
def quad(func: _a.Callable[..., _t.Any], a: _t.SupportsFloat, b: _t.SupportsFloat, args: _b.tuple[_t.Any, ...] = ..., full_output: _t.Literal[False, 0] = 0, epsabs: _t.SupportsFloat = ..., epsrel: _t.SupportsFloat = ..., limit: _t.SupportsIndex = 50, points: _a.Sequence[_t.SupportsFloat] | None = None, weight: _t.Any = None, wvar: _t.Any = None, wopts: _t.Any = None, maxp1: _t.SupportsIndex = 50, limlst: _t.SupportsIndex = 50, complex_func: _T._Bool = False) -> _b.tuple[_b.float, _b.float]: ...
@_t.overload
def quad(func: _a.Callable[..., _t.Any], a: _t.SupportsFloat, b: _t.SupportsFloat, args: _b.tuple[_t.Any, ...] = ..., full_output: _t.SupportsIndex = 0, epsabs: _t.SupportsFloat = ..., epsrel: _t.SupportsFloat = ..., limit: _t.SupportsIndex = 50, points: _a.Sequence[_t.SupportsFloat] | None = None, weight: _t.Any = None, wvar: _t.Any = None, wopts: _t.Any = None, maxp1: _t.SupportsIndex = 50, limlst: _t.SupportsIndex = 50, complex_func: _T._Bool = False) -> _t.Any: ...
@_t.overload
def quad_vec(f: _a.Callable[..., _t.Any], a: _t.SupportsFloat, b: _t.SupportsFloat, epsabs: _t.SupportsFloat = ..., epsrel: _t.SupportsFloat = ..., norm: _t.Literal['max', '2'] | _a.Callable[..., _t.Any] = '2', cache_size: _t.SupportsIndex = ..., limit: _t.SupportsIndex = 10000, workers: _t.SupportsIndex | _a.Callable[..., _t.Any] = 1, points: _a.Sequence[_t.SupportsFloat] | None = None, quadrature: _t.Literal['gk21', 'gk15', 'trapezoid'] | None = None, full_output: _t.Literal[False, 0] = False, *, args: _b.tuple[_t.Any, ...] = ...) -> _b.tuple[_g.ndarray, _b.float]: ...
@_t.overload
def quad_vec(f: _a.Callable[..., _t.Any], a: _t.SupportsFloat, b: _t.SupportsFloat, epsabs: _t.SupportsFloat = ..., epsrel: _t.SupportsFloat = ..., norm: _t.Literal['max', '2'] | _a.Callable[..., _t.Any] = '2', cache_size: _t.SupportsIndex = ..., limit: _t.SupportsIndex = 10000, workers: _t.SupportsIndex | _a.Callable[..., _t.Any] = 1, points: _a.Sequence[_t.SupportsFloat] | None = None, quadrature: _t.Literal['gk21', 'gk15', 'trapezoid'] | None = None, full_output: _T._Bool = False, *, args: _b.tuple[_t.Any, ...] = ...) -> _t.Any: ...
def romb(y: _T.ArrayLike, dx: _t.SupportsFloat = ..., axis: _t.SupportsIndex = -1, show: _T._Bool = False) -> _g.ndarray: ...
def simpson(y: _T.ArrayLike, x: _T.ArrayLike | None = None, *, dx: _t.SupportsFloat = ..., axis: _t.SupportsIndex = -1) -> _g.ndarray: ...
def solve_bvp(fun: _a.Callable[..., _t.Any], bc: _a.Callable[..., _t.Any], x: _T.ArrayLike, y: _T.ArrayLike, p: _T.ArrayLike | None = None, S: _T.ArrayLike | _a.Sequence[_t.Any] | None = None, fun_jac: _a.Callable[..., _t.Any] | None = None, bc_jac: _a.Callable[..., _t.Any] | None = None, tol: _t.SupportsFloat = ..., max_nodes: _t.SupportsIndex = 1000, verbose: _t.Literal[0, 1, 2] = 0, bc_tol: _t.SupportsFloat | None = None) -> _t.Any: ...
def solve_ivp(fun: _a.Callable[..., _t.Any], t_span: _a.Sequence[_t.SupportsFloat], y0: _T.ArrayLike, method: _t.Literal['RK45', 'RK23', 'DOP853', 'Radau', 'BDF', 'LSODA'] | _b.type[_b.object] = 'RK45', t_eval: _T.ArrayLike | None = None, dense_output: _T._Bool = False, events: _a.Callable[..., _t.Any] | _a.Sequence[_a.Callable[..., _t.Any]] | None = None, vectorized: _T._Bool = False, args: _b.tuple[_t.Any, ...] | None = None, **options: _t.Any) -> _t.Any: ...
def solve_ivp_batched(fun: _a.Callable[..., _t.Any] | _g.RawKernel, t_span: _a.Sequence[_t.SupportsFloat] | _T.ArrayLike, y0: _T.ArrayLike, method: _t.Literal['RK45', 'RK23', 'DOP853', 'Rosenbrock23'] = 'RK45', t_eval: _T.ArrayLike | None = None, args: _b.tuple[_t.Any, ...] = ..., *, rtol: _t.SupportsFloat = ..., atol: _t.SupportsFloat | _T.ArrayLike = ..., first_step: _t.SupportsFloat | None = None, max_step: _t.SupportsFloat = ..., max_steps: _t.SupportsIndex = 100000) -> _t.Any: ...
tanhsinh: _t.Any
def tplquad(func: _a.Callable[..., _t.Any], a: _t.SupportsFloat, b: _t.SupportsFloat, gfun: _a.Callable[..., _t.Any] | _t.SupportsFloat, hfun: _a.Callable[..., _t.Any] | _t.SupportsFloat, qfun: _a.Callable[..., _t.Any] | _t.SupportsFloat, rfun: _a.Callable[..., _t.Any] | _t.SupportsFloat, args: _b.tuple[_t.Any, ...] = ..., epsabs: _t.SupportsFloat = ..., epsrel: _t.SupportsFloat = ...) -> _b.tuple[_t.Any, ...]: ...
