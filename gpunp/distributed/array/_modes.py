"""What several chunks say together about an element that they share."""

import numpy as np

__all__ = ["MAX", "MIN", "PROD", "REPLICA", "SUM", "Mode", "mode_of"]


def _lowest(dtype):
    if dtype.kind == "b":
        return False
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _highest(dtype):
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


class Mode:
    """An operation whose result over all chunks that have an element is the element.

    The modes are the constants of the module; programs make no others.

    Parameters
    ----------
    label : str
        How the mode is shown to users.
    name : str
        Name of the ufunc that combines chunks.
    idempotent : bool
        Whether equal values combined give that value, so that chunks may repeat it.
    identity : callable
        Function of a dtype, for the value that changes no other.
    """

    def __init__(self, label, name, idempotent, identity):
        self._label = label
        self.name = name
        self.idempotent = idempotent
        self._identity = identity

    def identity(self, dtype):
        """Return the value that changes no other when combined with it.

        Parameters
        ----------
        dtype : dtype
            Type of the elements.

        Returns
        -------
        scalar
            Number of Python, infinity included.
        """
        return self._identity(dtype)

    def __repr__(self):
        return self._label


REPLICA = None  # chunks have the same value of an element that they share
MIN = Mode("MIN", "minimum", True, _highest)
MAX = Mode("MAX", "maximum", True, _lowest)
SUM = Mode("SUM", "add", False, lambda dtype: 0)
PROD = Mode("PROD", "multiply", False, lambda dtype: 1)

_NAMES = {"replica": REPLICA, "min": MIN, "max": MAX, "sum": SUM, "prod": PROD}


def mode_of(mode):
    """A mode, given as such or by its name.

    Parameters
    ----------
    mode : Mode, None or str
        Mode, or one of "replica", "min", "max", "sum" and "prod".

    Returns
    -------
    Mode or None
        The mode; None is REPLICA.
    """
    if isinstance(mode, str) and mode in _NAMES:
        return _NAMES[mode]
    if mode is not None and not isinstance(mode, Mode):
        raise ValueError(f"mode must be one of {', '.join(map(repr, _NAMES))}, not {mode!r}")
    return mode
