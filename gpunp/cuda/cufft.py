"""cuFFT's plans and numbers under CuPy's names.

A plan remembers lengths and layouts; the plans of cuFFT itself are in the device's cache (see
`gpunp.fft.config`), and are made by the first transform. Transforms are not scaled.
"""

import math

import numpy as np

from gpunp._C import CuFFTError, _libraries, empty, fft_axes, ndarray

__all__ = [
    "CUFFT_C2C",
    "CUFFT_C2R",
    "CUFFT_D2Z",
    "CUFFT_FORWARD",
    "CUFFT_INVERSE",
    "CUFFT_R2C",
    "CUFFT_Z2D",
    "CUFFT_Z2Z",
    "CuFFTError",
    "Plan1d",
    "PlanNd",
    "getVersion",
]

CUFFT_R2C = 42
CUFFT_C2R = 44
CUFFT_C2C = 41
CUFFT_D2Z = 106
CUFFT_Z2D = 108
CUFFT_Z2Z = 105
CUFFT_FORWARD = -1
CUFFT_INVERSE = 1

# Types of input and output, and the transforms forward and back.
_KINDS = {
    CUFFT_C2C: ("F", "F", "fftn", "ifftn"),
    CUFFT_Z2Z: ("D", "D", "fftn", "ifftn"),
    CUFFT_R2C: ("f", "F", "rfftn", "rfftn"),
    CUFFT_D2Z: ("d", "D", "rfftn", "rfftn"),
    CUFFT_C2R: ("F", "f", "irfftn", "irfftn"),
    CUFFT_Z2D: ("D", "d", "irfftn", "irfftn"),
}


def getVersion():
    """Return the version of cuFFT, such as 12000 for 12.0.0.

    Returns
    -------
    int
        1000 times the major plus 100 times the minor number plus the patch level.
    """
    text = next(version for name, version, _ in _libraries() if name == "cuFFT")
    major, minor, patch = (int(part) for part in text.split(".")[:3])
    return 1000 * major + 100 * minor + patch


class _Plan:
    """What plans share: `shape` is the transform's, `axes` its axes of an array of batches."""

    def _settle(self, shape, fft_type, batch):
        if fft_type not in _KINDS:
            raise ValueError(f"fft_type must be one of {sorted(_KINDS)}, not {fft_type!r}")
        self.fft_type = fft_type
        self.batch = int(batch)
        self._input, self._output, *self._names = _KINDS[fft_type]
        self._lengths = tuple(int(length) for length in shape)
        if self.batch < 1 or not self._lengths or min(self._lengths) < 1:
            raise ValueError(f"shape and batch must be positive, not {shape!r} and {batch!r}")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def _halved(self, real):
        """Lengths of the side that is complex, where the other one is real."""
        if real or self._input == self._output:
            return self._lengths
        return (*self._lengths[:-1], self._lengths[-1] // 2 + 1)

    def _sides(self):
        """Lengths along the axes, of the input and of the output."""
        return self._halved(self._input in "fd"), self._halved(self._output in "fd")

    def _checked(self, what, array, char, count):
        if array.dtype.char != char:
            raise TypeError(f"{what} must be of {np.dtype(char)}, not {array.dtype}")
        if array.size < count:
            raise ValueError(f"{what} must have {count} elements, not {array.size}")

    def _transformed(self, batches, direction):
        """The transforms of an array of batches along all other axes."""
        name = self._names[direction > 0]
        norm = "forward" if name.startswith("i") else "backward"
        axes = tuple(range(1, len(self._lengths) + 1))
        return fft_axes(name, batches, self._lengths, axes, norm, False)


class Plan1d(_Plan):
    """Transforms of rows that lie one after the other.

    Parameters
    ----------
    nx : int
        Length of a transform; that of the real side where one side is real.
    fft_type : int
        Types of input and output: CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, or those of double precision.
    batch : int, optional
        Number of rows to transform.
    devices, out : None
        Devices and result of a plan of several devices, which there is none of.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.cuda import cufft
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_Z2Z, 1)
    >>> a = cp.ones(4, dtype=complex)
    >>> out = plan.get_output_array(a)
    >>> plan.fft(a, out, cufft.CUFFT_FORWARD)
    >>> out
    array([4.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])
    """

    def __init__(self, nx, fft_type, batch=1, *, devices=None, out=None):
        if devices is not None or out is not None:
            raise ValueError("devices and out are None: a plan works on one device")
        self._settle((nx,), fft_type, batch)
        self.nx = self._lengths[0]

    def fft(self, a, out, direction) -> None:
        """Transform rows, without scaling.

        Parameters
        ----------
        a : ndarray
            Contiguous input, whose elements are the rows one after the other.
        out : ndarray
            Array for the transforms.
        direction : {-1, 1}
            CUFFT_FORWARD or CUFFT_INVERSE; without effect where one side is real.
        """
        (n_in,), (n_out,) = self._sides()
        self._checked("a", a, self._input, self.batch * n_in)
        self._checked("out", out, self._output, self.batch * n_out)
        rows = a.ravel()[: self.batch * n_in].reshape(self.batch, n_in)
        result = self._transformed(rows, direction)
        if out.size == result.size:
            out[...] = result.reshape(out.shape)
        else:
            out.ravel()[: result.size] = result.ravel()

    def get_output_array(self, a):
        """Return a new array for the transforms of an array.

        Parameters
        ----------
        a : ndarray
            Input whose last axis is transformed.

        Returns
        -------
        ndarray
            Uninitialised array.
        """
        return empty((*a.shape[:-1], self._sides()[1][0]), self._output)

    def check_output_array(self, a, out) -> None:
        """Raise unless an array can take the transforms of another.

        Parameters
        ----------
        a : ndarray
            Input of the transforms.
        out : ndarray
            Array for the transforms.
        """
        shape = (*a.shape[:-1], self._sides()[1][0])
        if out.shape != shape or out.dtype.char != self._output:
            raise ValueError(
                f"out must be of {np.dtype(self._output)} and shape {shape}, not of "
                f"{out.dtype} and {out.shape}"
            )


class PlanNd(_Plan):
    """Transforms along several axes, with cuFFT's description of where the elements lie.

    Element (x, y, z) of batch b is at ``b * dist + ((x * embed[1] + y) * embed[2] + z) * stride``.
    Without `inembed` and `onembed` all elements lie one after the other.

    Parameters
    ----------
    shape : sequence of ints
        Length along each axis; that of the real side where one side is real.
    inembed : sequence of ints or None
        Lengths of the axes of the memory that holds the input.
    istride : int
        Distance of elements along the last axis, of the input.
    idist : int
        Distance of batches of the input.
    onembed : sequence of ints or None
        Lengths of the axes of the memory that holds the output.
    ostride : int
        Distance of elements along the last axis, of the output.
    odist : int
        Distance of batches of the output.
    fft_type : int
        Types of input and output, such as CUFFT_C2C.
    batch : int
        Number of transforms at once.
    order : {'C', 'F'}, optional
        Memory layout of arrays that `get_output_array` returns.
    last_axis : int, optional
        Axis along which the complex side is halved, for `get_output_array`.
    last_size : int, optional
        Length of the output along it, for `get_output_array`.
    """

    def __init__(
        self,
        shape,
        inembed,
        istride,
        idist,
        onembed,
        ostride,
        odist,
        fft_type,
        batch,
        order="C",
        last_axis=-1,
        last_size=None,
    ):
        self._settle(shape, fft_type, batch)
        self.shape = self._lengths
        self.order, self.last_axis, self.last_size = order, last_axis, last_size
        shape_in, shape_out = self._sides()
        self._layouts = (
            self._layout(shape_in, inembed, istride, idist),
            self._layout(shape_out, onembed, ostride, odist),
        )

    def _layout(self, lengths, embed, stride, dist):
        """Shape and distances of an array of batches, in elements."""
        if embed is None:
            embed, stride, dist = lengths, 1, math.prod(lengths)
        steps = [int(stride)]
        for length in reversed(tuple(embed)[1:]):
            steps.insert(0, steps[0] * int(length))
        return (self.batch, *lengths), (int(dist), *steps)

    def _batches(self, what, array, side):
        """The array of batches in the memory that an array begins."""
        shape, steps = self._layouts[side]
        char = (self._input, self._output)[side]
        last = sum((length - 1) * step for length, step in zip(shape, steps, strict=True))
        self._checked(what, array, char, last + 1)
        return ndarray(shape, char, array.data, tuple(step * array.itemsize for step in steps))

    def fft(self, a, out, direction) -> None:
        """Transform all batches, without scaling.

        Parameters
        ----------
        a : ndarray
            Array whose memory holds the input; its strides are not looked at.
        out : ndarray
            Array whose memory takes the output; its strides are not looked at.
        direction : {-1, 1}
            CUFFT_FORWARD or CUFFT_INVERSE; without effect where one side is real.
        """
        target = self._batches("out", out, 1)
        target[...] = self._transformed(self._batches("a", a, 0), direction)

    def get_output_array(self, a, order="C"):
        """Return a new array for the transform of an array.

        Parameters
        ----------
        a : ndarray
            Input of the transform.
        order : {'C', 'F'}, optional
            Memory layout of the array.

        Returns
        -------
        ndarray
            Uninitialised array of the shape of `a`, but for the axis that is halved.
        """
        shape = list(a.shape)
        if self.last_size is not None and self._input != self._output:
            shape[self.last_axis] = self.last_size
        return empty(tuple(shape), self._output, order)
