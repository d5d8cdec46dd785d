"""What the methods for A x = b share: their arguments, and the state that says when to stop."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...._core import umath
from ...._core._convert import as_array, shown
from ...._core.fusion import fuse
from ...._core.multiarray import asarray, ascontiguousarray, ndarray, where, zeros
from ....cuda.graph import Replayed  # type: ignore[attr-defined]
from ....linalg import norm
from .._sputils import upcast
from ._interface import aslinearoperator

EVERY = 8  # steps between two readings
RUNNING, CONVERGED = 0, 1  # states; negative ones are kinds of breakdown


@fuse
def _settle(state: Any, size: Any, tolerance: Any) -> None:
    """Note that a residual of this norm is small enough."""
    state[...] = where((state == RUNNING) & (size < tolerance), CONVERGED, state)


@fuse
def _settle_small(state: Any, number: Any, limit: Any, code: Any) -> None:
    """Note a breakdown: a number that is divided by is too small."""
    state[...] = where((state == RUNNING) & (umath.absolute(number) < limit), code, state)


@fuse
def _settle_zero(state: Any, number: Any, code: Any) -> None:
    """Note a breakdown: a number that is divided by is zero."""
    state[...] = where((state == RUNNING) & (number == 0), code, state)


def are_fixed(takes_adjoints: bool, *operators: Any) -> bool:
    """Whether products of operators, which may be None, can be replayed as a graph."""
    return all(
        m is None or (m._is_fixed and (m._is_adjoint_fixed or not takes_adjoints))
        for m in operators
    )


def as_tolerance(value: Any, name: str) -> Any:
    """A tolerance as a float; an array of one real number stays on the device, without axes."""
    if isinstance(value, ndarray):
        if value.size != 1 or value.dtype.kind not in "biuf":
            raise TypeError(
                f"{name} must be a real number, not an array of shape {value.shape} and dtype "
                f"{value.dtype}"
            )
        return value.reshape(())
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} must be a real number, not {shown(value)}") from None


def residual_tolerances(rtol: Any, atol: Any) -> tuple[Any, Any]:
    """The relative and the absolute tolerance of a residual."""
    is_array, is_number = isinstance(atol, ndarray), isinstance(atol, (int, float))
    if atol is None or (is_array and atol.size != 1) or (is_number and atol < 0):
        raise ValueError(f"atol must be a real number that is not negative, not {shown(atol)}")
    return as_tolerance(rtol, "rtol"), as_tolerance(atol, "atol")


def square_operator(A: Any) -> Any:
    """The operator of a square matrix."""
    A = aslinearoperator(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={A.shape}")
    return A


def preconditioner(M: Any, shape: tuple) -> Any:
    """The operator of a preconditioner, or None."""
    M = None if M is None else aslinearoperator(M)
    if M is not None and M.shape != shape:
        raise ValueError("matrix and preconditioner have different shapes")
    return M


class System:
    """A x = b with a preconditioner: arguments of every method, and when it stops.

    Parameters
    ----------
    A, b, x0, M : object
        Arguments of the method.
    least : dtype, optional
        Type that the solution has at least.
    """

    def __init__(self, A: Any, b: Any, x0: Any, M: Any, least: Any = None) -> None:
        self.A = square_operator(A)
        n, b = self.A.shape[0], as_array(b)
        if b.shape not in ((n,), (n, 1)):
            raise ValueError(f"shapes of A {self.A.shape} and b {b.shape} are incompatible")
        dtype = upcast(self.A.dtype, b.dtype, least or b.dtype)
        self.dtype = np.dtype("d") if dtype.kind in "biu" else dtype
        self.b = b.reshape(-1).astype(self.dtype, copy=False)
        self.M = preconditioner(M, self.A.shape)
        if isinstance(x0, str) and x0 == "Mb":
            x0 = self.psolve(self.b)
        self.has_start = x0 is not None
        x0 = as_array(x0) if self.has_start else None
        self.x = x0.reshape(-1).astype(self.dtype) if self.has_start else zeros(n, self.dtype)
        if self.x.size != n:
            raise ValueError(f"shapes of A {self.A.shape} and x0 {x0.shape} are incompatible")

    def residual(self) -> ndarray:
        """The residual of the present solution, a new array."""
        return self.b - self.A.matvec(self.x) if self.has_start else self.b.copy()

    def psolve(self, r: ndarray) -> ndarray:
        """The preconditioner's product."""
        return r if self.M is None else self.M.matvec(r)


class Iteration(System):
    """A system, its residual `r`, and the state of an iteration, which stays on the device: once it
    is no longer `RUNNING` nothing changes any more."""

    def __init__(
        self, A: Any, b: Any, x0: Any, M: Any, rtol: float, atol: float, maxiter: Any, callback: Any
    ) -> None:
        rtol, atol = residual_tolerances(rtol, atol)
        super().__init__(A, b, x0, M)
        self.maxiter = 10 * self.b.size if maxiter is None else int(maxiter)
        self.callback = callback
        size = norm(self.b)
        self.tolerance = umath.maximum(size * rtol, asarray(atol, dtype=size.dtype))
        self.nonzero = size != 0
        self.state = where(self.nonzero, RUNNING, CONVERGED).astype("i4")
        self.eps = float(np.finfo(self.dtype).eps)
        self.r = self.residual()
        self.carried = SimpleNamespace()  # the method's arrays
        self.others: tuple = ()  # further operators

    def vector(self, v: Any) -> ndarray:
        """A product as a contiguous vector of the system's type."""
        return ascontiguousarray(v.astype(self.dtype, copy=False))

    def test(self, r: ndarray) -> None:
        """Stop if this residual is small enough."""
        _settle(self.state, norm(r), self.tolerance)

    def run(
        self,
        advance: Callable[[int], None],
        test: Any = None,
        tests_last: bool = False,
        takes_adjoints: bool = False,
    ) -> int:
        """Step until the state is no longer `RUNNING`; returns the number of steps.

        The host looks at the state before every eighth step, later less often. The eight steps in
        between are recorded once and replayed as a graph, where they are the same launches every
        time.

        Parameters
        ----------
        advance : callable
            Function of the number of a step that computes it. What it carries to the next step are
            arrays in `x`, `r` and in attributes of `carried`.
        test : callable, optional
            Function of the number of a step, before which it tests the residual, by default `r`.
        tests_last : bool, optional
            Whether the residual after the last step is tested as well.
        takes_adjoints : bool, optional
            Whether steps take products of adjoints.
        """
        check = (lambda step: self.test(self.r)) if test is None else test

        def steps(first: int, end: int) -> None:
            for step in range(first, end):
                advance(step)
                if self.callback is not None and self.state.get() == RUNNING:
                    self.callback(self.x)
                if tests_last or step + 1 < self.maxiter:
                    check(step + 1)

        replayed, operators = Replayed(), (self.A, self.M, *self.others)
        is_fixed = self.callback is None and are_fixed(takes_adjoints, *operators)
        check(0)
        step = 0
        while step < self.maxiter and self.state.get() == RUNNING:
            end = min(step + (EVERY if self.callback is None else 1), self.maxiter)
            if not is_fixed or step == 0 or end == self.maxiter:
                steps(step, end)
                step = end
                continue
            for _ in range(min(1 + step // (16 * EVERY), 4, (self.maxiter - 1 - step) // EVERY)):
                replayed(self._in_place, lambda: steps(EVERY, 2 * EVERY))
                step += EVERY
        return step

    def _in_place(self, work: Callable[[], None]) -> None:
        """Do work whose results are stored where it found its arrays, so that it can be repeated
        by a graph."""
        places = [(self, "x"), (self, "r"), *((self.carried, name) for name in vars(self.carried))]
        kept: list[ndarray] = []
        for holder, name in places:
            array = getattr(holder, name)
            kept.append(array.copy() if any(array is other for other in kept) else array)
            setattr(holder, name, kept[-1])
        work()
        made = [getattr(holder, name) for holder, name in places]
        made = [
            array.copy() if array is not mine and any(array is other for other in kept) else array
            for array, mine in zip(made, kept, strict=True)
        ]
        for (holder, name), array, mine in zip(places, made, kept, strict=True):
            if array is not mine:
                mine[...] = array
                setattr(holder, name, mine)

    def stop_if_small(self, number: ndarray, limit: float, code: int) -> None:
        """Stop with this code if a number is less than `limit` in magnitude."""
        _settle_small(self.state, number, limit, code)

    def stop_if_zero(self, number: ndarray, code: int) -> None:
        """Stop with this code if a number is zero."""
        _settle_zero(self.state, number, code)

    def result(self) -> tuple:
        """What a method returns."""
        state = int(self.state)
        x = where(self.nonzero, self.x, zeros((), self.dtype))
        return x, self.maxiter if state == RUNNING else min(state, 0)
