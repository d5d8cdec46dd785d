"""The inverse Hessian that L-BFGS keeps, as a linear operator."""

from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.multiarray import ndarray
from ..._core.umath import matmul
from ...lib._twodim_base_impl import eye
from ..sparse.linalg._interface import LinearOperator

__all__ = ["LbfgsInvHessProduct"]


class LbfgsInvHessProduct(LinearOperator):
    """Approximate inverse Hessian of the last steps of L-BFGS.

    Parameters
    ----------
    sk : ndarray, (m, n)
        Steps, the oldest first.
    yk : ndarray, (m, n)
        Changes of the gradient in these steps.

    Attributes
    ----------
    n_corrs : int
        Number of steps m.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import LbfgsInvHessProduct
    >>> LbfgsInvHessProduct(cp.array([[2.0, 0.0]]), cp.array([[1.0, 0.0]])).todense()
    array([[2., 0.],
           [0., 1.]])
    """

    def __init__(self, sk, yk) -> None:
        sk, yk = as_array(sk), as_array(yk)
        if sk.shape != yk.shape or sk.ndim != 2:
            raise ValueError("sk and yk must have matching shape, (n_corrs, n)")
        super().__init__(np.float64, (sk.shape[1], sk.shape[1]))
        self.sk, self.yk, self.n_corrs = sk, yk, sk.shape[0]
        self.rho = 1 / (sk * yk).sum(axis=1)

    def _matvec(self, x: ndarray) -> ndarray:
        return self._matmat(x.reshape(-1, 1)).reshape(x.shape)

    def _matmat(self, x: ndarray) -> ndarray:
        q, factors = x.astype(self.dtype), []
        for s, y, rho in reversed(list(zip(self.sk, self.yk, self.rho, strict=True))):
            factors.append(rho * matmul(s, q))
            q = q - y[:, None] * factors[-1]
        for s, y, rho in zip(self.sk, self.yk, self.rho, strict=True):
            q = q + s[:, None] * (factors.pop() - rho * matmul(y, q))
        return q

    def _adjoint(self) -> Any:
        return self

    def todense(self) -> ndarray:
        """Return the matrix.

        Returns
        -------
        ndarray, (n, n)
            Approximate inverse Hessian.
        """
        return self._matmat(eye(self.shape[0]))
