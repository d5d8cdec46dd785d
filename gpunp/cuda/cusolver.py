"""What programs catch of cuSOLVER; its functions are reached through `gpunp.linalg`."""

from gpunp._C import CUSOLVERError

__all__ = ["CUSOLVERError"]
