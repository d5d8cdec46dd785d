"""Whether programs can call cuTENSOR: no. `einsum` and `tensordot` use cuBLAS or own kernels."""

__all__ = ["available"]

available = False
