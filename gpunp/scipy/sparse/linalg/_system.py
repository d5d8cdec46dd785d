"""What the methods for A x = b share: their arguments, and the state that says when to stop."""

from typing import Any

import numpy as np

from ...._core import umath
from ...._core.fusion import fuse
from ...._core.multiarray import asarray, ndarray, where, zeros
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
        n = self.A.shape[0]
        if b.shape not in ((n,), (n, 1)):
            raise ValueError(f"shapes of A {self.A.shape} and b {b.shape} are incompatible")
        dtype = upcast(self.A.dtype, b.dtype, least or b.dtype)
        self.dtype = np.dtype("d") if dtype.kind in "biu" else dtype
        self.b = b.reshape(-1).astype(self.dtype, copy=False)
        self.M = preconditioner(M, self.A.shape)
        if isinstance(x0, str) and x0 == "Mb":
            x0 = self.psolve(self.b)
        self.has_start = x0 is not None
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
        super().__init__(A, b, x0, M)
        self.maxiter = 10 * self.b.size if maxiter is None else int(maxiter)
        self.callback = callback
        size = norm(self.b)
        self.tolerance = umath.maximum(size * rtol, asarray(atol, dtype=size.dtype))
        self.nonzero = size != 0
        self.state = where(self.nonzero, RUNNING, CONVERGED).astype("i4")
        self.eps = float(np.finfo(self.dtype).eps)
        self.r = self.residual()

    def is_reading(self, step: int) -> bool:
        """Whether the host looks at this step whether to stop."""
        return self.callback is not None or step % EVERY == 0

    def test(self, r: ndarray) -> None:
        """Stop if this residual is small enough."""
        _settle(self.state, norm(r), self.tolerance)

    def steps(self) -> Any:
        """Numbers of the steps, each of which tests the residual first."""
        for step in range(self.maxiter):
            self.test(self.r)
            if self.is_reading(step) and self.state.get() != RUNNING:
                return
            yield step
            if self.callback is not None and self.state.get() == RUNNING:
                self.callback(self.x)

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
