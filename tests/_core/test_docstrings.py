"""The examples in the docstrings print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import gpunp

PACKAGES = [
    "gpunp._core",
    "gpunp.cuda",
    "gpunp.fft",
    "gpunp.lib",
    "gpunp.linalg",
    "gpunp.polynomial",
    "gpunp.profiler",
    "gpunp.scipy.fft",
    "gpunp.scipy.fftpack",
    "gpunp.scipy.signal",
    "gpunp.testing",
]


def modules():
    for name in PACKAGES:
        yield name
        package = importlib.import_module(name)
        for info in pkgutil.iter_modules(package.__path__):
            if info.name != "_ipython_magic":  # needs IPython
                yield f"{name}.{info.name}"


@pytest.mark.parametrize("name", list(modules()))
def test_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0, "see the captured output"


@pytest.mark.parametrize("kind", [gpunp.flatiter, gpunp.ndarray, gpunp.ufunc])
def test_examples_of_methods_made_in_c(kind):
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for name, member in vars(kind).items():
        if isinstance(member.__doc__, str):
            runner.run(parser.get_doctest(member.__doc__, {}, name, None, 0))
    assert runner.summarize().failed == 0


def test_lazy_names():
    assert gpunp.bfloat16.__name__ == "bfloat16"
    assert gpunp.exceptions.AxisError and gpunp.typing.NDArray is gpunp.ndarray
    assert {"cuda", "bfloat16", "zeros"} <= set(dir(gpunp))
