"""Arguments of kernels that raise while they are asked what they are."""

import pytest

import gpunp as cp


class Raises:
    """An object whose address and handle cannot be read now."""

    def __init__(self, error):
        self.error = error

    @property
    def ptr(self):
        raise self.error

    _handle = ptr


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("memory was freed")])
def test_the_exception_of_the_argument_is_raised(error):
    raw = cp.RawKernel('extern "C" __global__ void f(float *x) {}', "f")
    elementwise = cp.ElementwiseKernel("T x", "T y", "y = x")
    with pytest.raises(type(error)):
        raw((1,), (1,), (Raises(error),))
    with pytest.raises(type(error)):
        elementwise(Raises(error))


def test_an_argument_without_an_address_is_named():
    raw = cp.RawKernel('extern "C" __global__ void f(float *x) {}', "f")
    elementwise = cp.ElementwiseKernel("T x", "T y", "y = x", "k")
    with pytest.raises(TypeError, match="argument 0 of kernel f: unsupported type"):
        raw((1,), (1,), (Raises(AttributeError()),))
    with pytest.raises(TypeError, match="k: argument 'x' must be a gpunp array or a number"):
        elementwise(Raises(AttributeError()))
