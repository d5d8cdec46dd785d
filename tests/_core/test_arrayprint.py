"""Text of arrays, which is NumPy's text of the same values."""

import re

import numpy as np
import pytest

import gpunp as cp

ARRAYS = {
    "ints": np.arange(6).reshape(2, 3),
    "floats": np.array([1.5, -2.25, 1e10]),
    "f4": np.array([0.1, 2], "f4"),
    "complex": np.array([1 + 2j, -0.5j]),
    "bool": np.array([[True, False]]),
    "0-d": np.array(3.5),
    "empty": np.zeros((0, 3)),
    "nan": np.array([np.nan, np.inf]),
    "long": np.arange(5000),
    "long f4": np.linspace(0, 1, 2000, dtype="f4"),
    "tall": np.arange(4000).reshape(1000, 4),
    "wide": np.arange(4000).reshape(4, 1000),
    "cube": np.arange(64000, dtype="i2").reshape(40, 40, 40),
    "transposed": np.arange(4000.0).reshape(4, 1000).T,
    "just short": np.arange(1000),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_text(name):
    theirs = ARRAYS[name]
    ours = cp.asarray(theirs)
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    assert cp.array_repr(ours, precision=2) == np.array_repr(theirs, precision=2)
    assert cp.array_str(ours, 40) == np.array_str(theirs, 40)
    assert cp.array2string(ours, separator=",") == np.array2string(theirs, separator=",")


def test_options():
    theirs = np.linspace(0, 1, 30)
    ours = cp.asarray(theirs)
    with cp.printoptions(threshold=10, edgeitems=2, precision=3):
        assert repr(ours) == repr(theirs)
        assert str(ours.reshape(5, 6)) == str(theirs.reshape(5, 6))
    with np.printoptions(linewidth=30, threshold=5):
        assert repr(ours) == repr(theirs)
    assert cp.get_printoptions() == np.get_printoptions()


def test_bfloat16():
    a = cp.array([1, 2.5], dtype=cp.bfloat16)
    assert repr(a) == repr(a.get())


def test_format():
    assert f"{cp.array(2.5):.2f}" == "2.50"


def cells(array):
    """The texts of the table that a notebook shows, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", array._repr_html_())
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]


def test_notebooks_show_properties_and_a_corner():
    x = cp.arange(6000.0).reshape(60, 100)
    text = x._repr_html_()
    for fact in ("<b>ndarray</b>", "shape (60, 100)", "float64", "46.9 KiB", "device 0, "):
        assert fact in text
    found = cells(x)
    assert found[0] == ["0.", "1.", "2.", "3.", "4.", "5.", "6.", "7.", "…"]
    assert found[4][:2] == ["400.", "401."] and found[5] == ["⋮"] * 8 + ["⋱"]


def test_notebooks_show_every_number_of_axes():
    assert cells(cp.array(2.5)) == [["2.5"]]
    assert cells(cp.arange(3)) == [["0", "1", "2"]]
    assert cells(cp.arange(9)) == [[*"01234567", "…"]]
    assert cells(cp.eye(2, dtype=bool)) == [["True", "False"], ["False", "True"]]
    cube = cp.arange(24).reshape(2, 2, 2, 3)
    assert cells(cube) == [["0", "1", "2"], ["3", "4", "5"]]
    assert "<caption>[0, 0]</caption>" in cube._repr_html_()
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 3)]:
        assert cells(cp.zeros(shape)) == [] and str(shape) in cp.zeros(shape)._repr_html_()


def test_notebooks_show_every_kind_of_element():
    assert cells(cp.array([1 + 2j, -0.5j])) == [["1.+2.j", "-0.-0.5j"]]
    assert cells(cp.array(["2026-11-26", "NaT"], "M8[D]"))[0][0] == "'2026-11-26'"
    assert cells(cp.array([0.1, 1 / 3])) == [["0.1", "0.333333"]]
    with cp.printoptions(precision=2):
        assert cells(cp.array([0.1, 1 / 3])) == [["0.1", "0.33"]]

    class Named(cp.ndarray):
        pass

    assert "<b>Named</b>" in cp.arange(3).view(Named)._repr_html_()


def test_notebooks_copy_the_corner_alone():
    """A view is looked at in its own order, and the array is not copied."""
    x = cp.zeros((1000, 1000), "f4").T[::2]
    pool = cp.get_default_memory_pool()
    before = pool.total_bytes()
    assert "1.9 MiB" in x._repr_html_()
    assert pool.total_bytes() - before < 100_000


@pytest.mark.parametrize("shape, dtype", [((3,), "i8"), ((2, 2), "f4"), ((), "f8"), ((0, 3), "i2")])
@pytest.mark.parametrize("times", [1, 700])
def test_name_of_a_subclass(shape, dtype, times):
    class Grid(cp.ndarray):
        pass

    class Host(np.ndarray):
        pass

    Host.__name__ = "Grid"
    values = np.tile(np.ones(shape, dtype), times)
    ours, theirs = cp.asarray(values).view(Grid), values.view(Host)
    assert repr(ours) == repr(theirs) and str(ours) == str(theirs)
