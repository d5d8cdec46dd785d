"""Two faults in one call are no difference of classes, one fault is: order_of_checks.py."""

import numpy as np
import order_of_checks
import pytest
import values
import worker

import gpunp as cp


def never(ours, theirs):
    return False


def is_proved(text, base="", are_alike=never):
    errors = worker.called(text, cp), worker.called(text, np)
    assert all(isinstance(error, Exception) for error in errors), errors
    assert not worker.same_class(*errors)
    return order_of_checks.is_proved(
        text, base, errors, worker.called, worker.same_class, are_alike
    )


def planted(first, checks):
    """A function that looks for its faults in the order given, or with a wrong class."""

    def function(x, axis=0, flag=True):
        for name in checks:
            if name == "axis" and axis == 7:
                raise np.exceptions.AxisError(axis, x.ndim)
            if isinstance(x, values.Array):
                x = x.what
            if name == "wrong axis" and axis == 7:
                raise TypeError("axis is out of bounds")
            if name == "shape" and x.ndim != 1:
                raise ValueError("x must be 1-D")
            if name == "dtype" and x.dtype.kind == "c":
                raise TypeError("x must be real")
            if name == "flag" and not isinstance(flag, bool):
                raise TypeError("flag must be a bool")
            if name == "wrong flag" and not isinstance(flag, bool):
                raise ValueError("flag must be a bool")
        return x

    function.__name__ = first
    return function


@pytest.fixture
def plant(monkeypatch):
    def put(ours, theirs):
        monkeypatch.setattr(cp, "trace", planted("ours", ours))
        monkeypatch.setattr(np, "trace", planted("theirs", theirs))

    return put


@pytest.mark.parametrize(
    "text",
    [
        "xp.trace(xp.ones(3), 7, 5)",  # two arguments
        "xp.trace(xp.ones(3), flag='a', axis=7)",
        "xp.trace(xp.ones((2, 2), 'D'))",  # two faults of one array
        "xp.trace(np.ones((2, 2), 'D'))",
        "xp.trace(Array(np.ones((2, 2), 'D')))",
        "xp.trace(xp.ones((2, 2)), 0, 5)",
    ],
)
@pytest.mark.parametrize("base", ["", "xp.trace(xp.ones(3), 0, True)"])
def test_two_faults_are_the_order_of_checks(plant, text, base):
    plant(["axis", "shape", "dtype", "flag"], ["flag", "dtype", "shape", "axis"])
    assert is_proved(text, base)


@pytest.mark.parametrize(
    "text",
    [
        "xp.trace(xp.ones(3), 7)",
        "xp.trace(xp.ones((2, 2)), 7)",  # the second fault is refused alike
        "xp.trace(xp.ones(3, 'D'), axis=7)",
        "xp.trace(xp.ones(3), 7, 5)",
    ],
)
@pytest.mark.parametrize("base", ["", "xp.trace(xp.ones(3), 0, True)"])
def test_one_wrong_class_is_none(plant, text, base):
    plant(["wrong axis", "shape", "dtype", "flag"], ["axis", "flag", "shape", "dtype"])
    assert not is_proved(text, base)
    plant(["shape", "dtype", "wrong flag"], ["flag", "shape", "dtype"])
    assert not is_proved("xp.trace(xp.ones(3), 0, 5)", base)
    assert not is_proved("xp.trace(xp.ones(3), flag=xp.ones(3))", base)


@pytest.mark.parametrize(
    "text",
    [
        "xp.trace(xp.ones((5, 2)), out=xp.ones((2, 2), 'q'))",
        "xp.nanstd(xp.ones((2, 3)), 0, out=xp.ones(2, 'q'))",
    ],
)
def test_two_faults_of_a_given_output(monkeypatch, text):
    """Of a good call that gives none."""

    def function(first):
        def result(x, axis=0, out=None):
            wrong = {
                ValueError: out is not None and out.shape != x.shape[1:],
                TypeError: out is not None and out.dtype != x.dtype,
            }
            for error in (first, *wrong):
                if wrong[error]:
                    raise error("out")
            return x[0]

        return result

    for name in ("trace", "nanstd"):
        monkeypatch.setattr(np, name, function(TypeError))
        monkeypatch.setattr(cp, name, function(ValueError))
    assert is_proved(text)


def test_a_fault_that_both_refuse_alike(plant):
    """With another class, which a rule of refusals.py excuses where it is the only fault."""
    plant(["wrong axis", "shape"], ["shape", "axis"])

    def are_alike(ours, theirs):
        return type(ours) is TypeError and isinstance(theirs, np.exceptions.AxisError)

    text = "xp.trace(xp.ones((2, 2)), 7)"
    assert is_proved(text, "", are_alike)
    assert not is_proved(text)
    assert not is_proved("xp.trace(xp.ones(3), 7)", "", are_alike)


def test_a_fault_of_one_package_alone_proves_nothing(plant):
    plant(["axis", "shape"], ["flag"])  # nobody else refuses the axis
    assert not is_proved("xp.trace(xp.ones(3), 7, 5)")


def test_what_is_no_call_proves_nothing():
    errors = ValueError(), TypeError()
    for text in ("5", "xp.trace(", "xp.no_such_function(xp.ones(3), 5)"):
        assert not order_of_checks.is_proved(
            text, "", errors, worker.called, worker.same_class, never
        )
