"""Methods of `minimize` whose vectors stay on the device; decisions are made on the host.

J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd edition: BFGS (chapter 6), nonlinear
conjugate gradients (5), truncated Newton methods (7), trust regions (4).
"""

import math
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.fusion import fuse
from ..._core.multiarray import ndarray, where, zeros
from ..._core.umath import absolute, matmul
from ...lib._twodim_base_impl import eye
from ...linalg._decomposition import LinAlgError, cholesky
from ...linalg._linalg import norm as length
from ._line_search import wolfe_step
from ._objective import EPS, Line, Objective, read
from ._result import OptimizeResult

SUCCESS = "Optimization terminated successfully."
MESSAGES = {
    0: SUCCESS,
    1: "Maximum number of iterations has been exceeded.",
    2: "Desired error not necessarily achieved due to precision loss.",
    3: "NaN result encountered.",
    99: "`callback` raised `StopIteration`.",
}


class Run:
    """What the methods share: the point, limits, the callback and the result."""

    def __init__(self, objective: Objective, x: ndarray, callback: Any, options: dict) -> None:
        self.objective, self.x, self.callback = objective, x, callback
        self.options = options
        self.nit, self.status = 0, 0
        self.all_points = [x]
        self.f, self.g = objective.value(x), objective.gradient(x)
        self.value = float(self.f)

    def moved(self, x: ndarray, value: float, gradient: ndarray) -> None:
        """Take a new point as the current one."""
        self.x, self.value, self.g = x, value, gradient
        self.nit += 1
        if self.options.get("return_all"):
            self.all_points.append(x)

    def report(self) -> bool:
        """Call the user's function; returns whether it stopped the method."""
        if self.callback is None:
            return False
        try:
            self.callback(OptimizeResult(fun=np.float64(self.value), x=self.x.copy()))
        except StopIteration:
            self.status = 99
            return True
        return False

    def result(self, messages: dict = MESSAGES, **more: Any) -> OptimizeResult:
        found = OptimizeResult(
            fun=self.value,
            jac=self.g,
            **more,
            nfev=self.objective.nfev,
            njev=self.objective.njev,
            status=self.status,
            success=self.status == 0,
            message=messages[self.status],
            x=self.x,
            nit=self.nit,
        )
        if self.options.get("return_all"):
            found["allvecs"] = self.all_points
        if self.options.get("disp"):
            _display(found)
        return found


def _display(found: OptimizeResult) -> None:
    print(found.message)
    print(f"         Current function value: {found.fun:f}")
    print(f"         Iterations: {found.nit}")
    print(f"         Function evaluations: {found.nfev}")
    print(f"         Gradient evaluations: {found.njev}")
    if "nhev" in found:
        print(f"         Hessian evaluations: {found.nhev}")


def _most(options: dict, x: ndarray) -> int:
    """Largest number of iterations."""
    return x.size * 200 if options["maxiter"] is None else options["maxiter"]


def _check_wolfe(options: dict) -> None:
    if not 0 < options["c1"] < options["c2"] < 1:
        raise ValueError(
            f"c1 and c2 must be such that 0 < c1 < c2 < 1, not {options['c1']} and {options['c2']}"
        )


def _final_status(run: Run, most: int, norm: float) -> None:
    """The status of a method that ended by its own conditions."""
    if run.status:
        return
    if run.nit >= most:
        run.status = 1
    elif math.isnan(norm) or math.isnan(run.value) or bool((run.x != run.x).any()):
        run.status = 3


@fuse
def _factors(sy: Any, yhy: Any) -> Any:
    """Factors of `_updated`, of the products s^T y and y^T H y."""
    rho = where(sy == 0, 1000.0, 1 / where(sy == 0, 1, sy))
    return rho + rho * rho * yhy, rho


@fuse
def _updated(h: Any, s: Any, hy: Any, first: Any, second: Any) -> Any:
    """H + first s s^T - second (Hy s^T + s (Hy)^T), in one launch."""
    outer = s[:, None] * s[None, :]
    mixed = hy[:, None] * s[None, :] + s[:, None] * hy[None, :]
    return h + first * outer - second * mixed


@fuse
def _first_scale(sy: Any, yy: Any) -> Any:
    """What the identity is multiplied by before its first update.

    That is s^T y / y^T y (Nocedal and Wright, "Numerical Optimization", (6.20)) where the function
    is so steep that the update would lose the half of all digits, otherwise 1.
    """
    ratio = sy / yy
    return where((ratio > 0) & (ratio < 1e-8), ratio, 1.0)


def _first_inverse(given: Any, x: ndarray) -> ndarray:
    """The inverse Hessian at the start: the identity, or the user's matrix if it is one."""
    if given is None:
        return eye(x.size, dtype=x.dtype)
    h = as_array(given).astype(x.dtype)
    if h.shape != (x.size, x.size):
        raise ValueError(
            f"'hess_inv0' must have the shape {(x.size, x.size)} of the Hessian, not {h.shape}"
        )
    try:
        cholesky(h)
    except LinAlgError:
        is_definite = False
    else:
        is_definite = bool((absolute(h - h.T) <= 1e-8 * absolute(h) + 1e-8).all())
    if not is_definite:
        raise ValueError("'hess_inv0' must be symmetric and positive definite")
    return h


def bfgs(objective: Objective, x: ndarray, callback: Any, options: dict) -> OptimizeResult:
    """Minimize by the method of Broyden, Fletcher, Goldfarb and Shanno."""
    most = _most(options, x)
    gtol, order = options["gtol"], options["norm"]
    _check_wolfe(options)
    run = Run(objective, x, callback, options)
    h = _first_inverse(options["hess_inv0"], x)
    p = -matmul(h, run.g)
    norm, two, slope = read(length(run.g, order), length(run.g, 2), matmul(run.g, p))
    before = run.value + two / 2
    while norm > gtol and run.nit < most:
        line = Line(objective, run.x, p)
        step = wolfe_step(line, run.value, slope, before, options["c1"], options["c2"])
        if step is None:
            run.status = 2
            break
        s, y = step * p, line.gradient - run.g
        before, x_before = run.value, run.x
        run.moved(line.point, line(step)[0], line.gradient)
        if run.report():
            break
        # The next direction before it is known to be wanted: one read for all.
        sy = matmul(s, y)
        if run.nit == 1 and options["hess_inv0"] is None:
            h = h * _first_scale(sy, matmul(y, y))
        hy = matmul(h, y)
        following = _updated(h, s, hy, *_factors(sy, matmul(y, hy)))
        ahead = -matmul(following, run.g)
        norm, short, size, slope = read(
            length(run.g, order), length(p, 2), length(x_before, 2), matmul(run.g, ahead)
        )
        if norm <= gtol or step * short <= options["xrtol"] * (options["xrtol"] + size):
            break
        if not math.isfinite(run.value):
            run.status = 2
            break
        h, p = following, ahead
    _final_status(run, most, norm)
    return run.result(hess_inv=h)


class _Following:
    """The factor of the next direction of conjugate gradients, at places along a line.

    Called, it says whether the direction leads down enough.
    """

    def __init__(self, line: Line, g: ndarray, square: float, gtol: float, order: float) -> None:
        self.line, self.g, self.square, self.gtol, self.order = line, g, square, gtol, order
        self._found: dict = {}

    def at(self, step: float) -> tuple[float, float, float, float]:
        """The factor, the norm of the gradient, its square, and the slope along the direction that
        follows. Waits for the device."""
        if step not in self._found:
            self(step)
        return self._found[step]

    def __call__(self, step: float) -> bool:
        _, across = self.line(step)
        g = self.line.gradient
        norm, change, square = read(length(g, self.order), matmul(g - self.g, g), matmul(g, g))
        beta = max(0.0, change / self.square)
        slope = beta * across - square
        self._found[step] = beta, norm, square, slope
        return norm <= self.gtol or slope <= -0.01 * square


def cg(objective: Objective, x: ndarray, callback: Any, options: dict) -> OptimizeResult:
    """Minimize by nonlinear conjugate gradients after Polak and Ribiere."""
    most = _most(options, x)
    gtol, order = options["gtol"], options["norm"]
    _check_wolfe(options)
    run = Run(objective, x, callback, options)
    p = -run.g
    norm, two, square = read(length(run.g, order), length(run.g, 2), matmul(run.g, run.g))
    before, slope = run.value + two / 2, -square
    while norm > gtol and run.nit < most:
        line = Line(objective, run.x, p)
        following = _Following(line, run.g, square, gtol, order)
        step = wolfe_step(line, run.value, slope, before, options["c1"], options["c2"], following)
        if step is None:
            run.status = 2
            break
        beta, norm, square, slope = following.at(step)
        before = run.value
        run.moved(line.point, line(step)[0], line.gradient)
        p = beta * p - run.g
        if run.report():
            break
    _final_status(run, most, norm)
    return run.result()


# ---- second derivatives --------------------------------------------------------------------------


class Curvature:
    """Products with the Hessian: the user's matrix or function, or differences of gradients."""

    def __init__(
        self, objective: Objective, args: tuple, hess: Any, hessp: Any, eps: float
    ) -> None:
        self.objective, self.args, self.hess, self.hessp = objective, args, hess, hessp
        self.eps, self.nhev = eps, 0
        self.matrix: Any = None

    def at(self, x: ndarray, g: ndarray) -> Any:
        """The function that multiplies by the Hessian at x, which its first call computes."""
        if callable(self.hess):
            made: list = []

            def product(v: ndarray) -> ndarray:
                if not made:
                    self.nhev += 1
                    self.matrix = self.hess(x.copy(), *self.args)
                    made.append(self.matrix)
                return made[0] @ v

            return product
        if self.hessp is not None:
            return lambda v: self._product(x, v)
        eps = max(self.eps, math.sqrt(np.finfo(x.dtype).eps))  # float32 has fewer digits
        return lambda v: (self.objective.gradient(x + eps * v) - g) / eps

    def _product(self, x: ndarray, v: ndarray) -> ndarray:
        self.nhev += 1
        return as_array(self.hessp(x.copy(), v, *self.args))


def _newton_direction(g: ndarray, product: Any) -> ndarray | None:
    """Minus the inverse Hessian times the gradient, by conjugate gradients, as far as it pays."""
    rest, square = read(length(g, 1), matmul(g, g))
    target = min(0.5, math.sqrt(rest)) * rest
    x, r, p = zeros(g.size, g.dtype), g, -g
    for i in range(20 * g.size):
        if rest <= target:
            return x
        image = product(p)
        bend = matmul(p, image)
        ahead = r + (square / bend) * image  # before it is known to be wanted: one read for all
        rest, curvature, following = read(length(ahead, 1), bend, matmul(ahead, ahead))
        if 0 <= curvature <= 3 * EPS:
            return x
        if curvature < 0:
            return x if i else (square / -curvature) * -g
        x, r = x + (square / curvature) * p, ahead
        p = (following / square) * p - r
        square = following
    return None


def newton_cg(
    objective: Objective, x: ndarray, callback: Any, options: dict, curvature: Curvature
) -> OptimizeResult:
    """Minimize by a Newton method whose systems are solved by conjugate gradients."""
    most = _most(options, x)
    xtol = x.size * options["xtol"]
    run = Run(objective, x, callback, options)
    messages = {**MESSAGES, 1: "Warning: " + MESSAGES[1], 2: "Warning: " + MESSAGES[2]}
    messages[3] = MESSAGES[3]
    before, moved = None, math.inf
    while moved > xtol:
        if run.nit >= most:
            run.status = 1
            break
        p = _newton_direction(run.g, curvature.at(run.x, run.g))
        if p is None:
            run.status = 3
            messages[3] = (
                "Warning: CG iterations didn't converge. The Hessian is not positive definite."
            )
            break
        slope, size = read(matmul(run.g, p), length(p, 1))
        if size == 0:  # where the gradient is zero
            moved = 0.0
            run.moved(run.x, run.value, run.g)
        else:
            line = Line(objective, run.x, p)
            rule = options["c1"], options["c2"]
            step = wolfe_step(line, run.value, slope, before, *rule, limits=(1e-8, 50.0))
            if step is None:
                run.status = 2
                break
            before, moved = run.value, step * size
            run.moved(line.point, line(step)[0], line.gradient)
        if run.report():
            break
    if not run.status and (math.isnan(run.value) or math.isnan(moved)):
        run.status = 3
    return run.result(messages, nhev=curvature.nhev)


def _steihaug(g: ndarray, size: float, product: Any, radius: float) -> tuple[ndarray, bool]:
    """A step within the radius by conjugate gradients, and whether it ends at the boundary."""
    z, r, d = zeros(g.size, g.dtype), g, -g
    target = min(0.5, math.sqrt(size)) * size
    square = size * size
    while True:
        image = product(d)
        bend = matmul(d, image)
        ahead = r + (square / bend) * image
        curved, zz, zd, dd, following = read(
            bend, matmul(z, z), matmul(z, d), matmul(d, d), matmul(ahead, ahead)
        )
        root = math.sqrt(max(0.0, zd * zd - dd * (zz - radius * radius)))
        if curved <= 0:
            ends = [z + ((-zd + sign * root) / dd) * d for sign in (-1.0, 1.0)]
            low, high = read(*(matmul(g, e) + matmul(e, product(e)) / 2 for e in ends))
            return (ends[0] if low < high else ends[1]), True
        step = square / curved
        if zz + 2 * step * zd + step * step * dd >= radius * radius:
            return z + ((-zd + root) / dd) * d, True
        z, r = z + step * d, ahead
        if math.sqrt(following) < target:
            return z, False
        d = (following / square) * d - r
        square = following


def trust_ncg(
    objective: Objective, x: ndarray, callback: Any, options: dict, curvature: Curvature
) -> OptimizeResult:
    """Minimize by conjugate gradients within a trust region."""
    most = _most(options, x)
    largest, eta, gtol = options["max_trust_radius"], options["eta"], options["gtol"]
    radius = options["initial_trust_radius"]
    _check_trust(radius, largest, eta)
    run = Run(objective, x, callback, options)
    messages = {
        **MESSAGES,
        2: "A bad approximation caused failure to predict improvement.",
    }
    product = curvature.at(run.x, run.g)
    size = _finite_length(run.g)
    while size >= gtol:
        p, at_boundary = _steihaug(run.g, size, product, radius)
        proposed = run.x + p
        value, gain = read(objective.value(proposed), -matmul(run.g, p) - matmul(p, product(p)) / 2)
        if gain <= 0:
            run.status = 2
            break
        ratio = (run.value - value) / gain
        if ratio < 0.25:
            radius *= 0.25
        elif ratio > 0.75 and at_boundary:
            radius = min(2 * radius, largest)
        if ratio > eta:
            run.moved(proposed, value, objective.gradient(proposed))
            product = curvature.at(run.x, run.g)
            size = _finite_length(run.g)
        else:
            run.nit += 1
        if run.report():
            break
        if size >= gtol and run.nit >= most:
            run.status = 1
            break
    more = {"nhev": curvature.nhev}
    if curvature.matrix is not None:
        more["hess"] = curvature.matrix
    return run.result(messages, **more)


def _finite_length(g: ndarray) -> float:
    size = float(length(g, 2))
    if not math.isfinite(size):
        raise ValueError("the gradient must not contain infs or NaNs")
    return size


def _check_trust(radius: float, largest: float, eta: float) -> None:
    if not 0 <= eta < 0.25:
        raise ValueError("invalid acceptance stringency")
    if largest <= 0:
        raise ValueError("the max trust radius must be positive")
    if radius <= 0:
        raise ValueError("the initial trust radius must be positive")
    if radius >= largest:
        raise ValueError("the initial trust radius must be less than the max trust radius")
