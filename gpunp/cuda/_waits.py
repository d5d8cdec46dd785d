"""What other threads have to say to a wait for the device."""

from gpunp._C import _fail_waits as fail_waits

__all__ = ["fail_waits"]
