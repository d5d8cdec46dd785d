"""Whether programs can call Thrust: no. Sorts and searches are gpunp's own kernels."""

__all__ = ["available"]

available = False
