"""Whether programs can call CUB: no. Reductions, scans and sorts are gpunp's own kernels."""

__all__ = ["available"]

available = False
