"""What the package itself tells the runtime about work that is not the runtime's own."""

from gpunp._C import _fail_waits as fail_waits
from gpunp._C import _nccl_buffer as buffer_of
from gpunp._C import _nccl_uses as stream_uses

__all__ = ["buffer_of", "fail_waits", "stream_uses"]
