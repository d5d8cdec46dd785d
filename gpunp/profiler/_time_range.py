"""`time_range`: a named range, as a context or around a function."""

import functools

from gpunp.cuda import get_current_stream, nvtx

__all__ = ["time_range"]


class time_range:
    """Named range in profilers and traces, as a context manager or as a decorator of a function.

    Parameters
    ----------
    message : str, optional
        Text that the tool shows. By default the name of the function.
    color_id : int, optional
        Number of the colour, from a fixed list.
    argb_color : int, optional
        Colour of the range as 0xAARRGGBB.
    sync : bool, optional
        If True, synchronize the current stream at both ends of the range, so that it covers the
        device's work.

    Examples
    --------
    >>> import gpunp as cp
    >>> with cp.profiler.time_range("norm", color_id=1):
    ...     y = cp.sqrt((cp.arange(10.0) ** 2).sum())
    >>> @cp.profiler.time_range()
    ... def double(x):
    ...     return x * 2
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("color_id and argb_color exclude each other")
        self.message = message
        self.color_id = -1 if color_id is None and argb_color is None else color_id
        self.argb_color = argb_color
        self.sync = sync

    def _begin(self, message):
        if self.sync:
            get_current_stream().synchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(message, self.argb_color)
        else:
            nvtx.RangePush(message, self.color_id)

    def __enter__(self):
        if self.message is None:
            raise ValueError("a range without a function needs a message")
        self._begin(self.message)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if self.sync and exc_type is None:
            get_current_stream().synchronize()
        nvtx.RangePop()

    def __call__(self, func):
        message = func.__name__ if self.message is None else self.message

        @functools.wraps(func)
        def inner(*args, **kwargs):
            self._begin(message)
            try:
                return func(*args, **kwargs)
            finally:
                if self.sync:
                    get_current_stream().synchronize()
                nvtx.RangePop()

        return inner
