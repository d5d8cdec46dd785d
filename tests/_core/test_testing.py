"""gpunp.testing, and what the namespace says about itself."""

import os
import unittest
import warnings

import numpy as np
import pytest

import gpunp as cp
from gpunp import testing


def test_assertions_take_both_sides():
    a, b = cp.array([1.0, 2.0]), np.array([1.0, 2.0])
    testing.assert_array_equal(a, b)
    testing.assert_allclose(a, b + 1e-12)
    testing.assert_allclose(a, b + 1e-9, rtol=0, atol=cp.asarray(1e-8))
    testing.assert_array_almost_equal(a, b)
    testing.assert_array_less(a, b + 1)
    testing.assert_array_max_ulp(a, b)
    testing.assert_array_almost_equal_nulp(a, b)
    testing.assert_array_list_equal([a], [b])
    testing.assert_equal(a, b)
    testing.assert_equal(
        {"x": [a, (b, 3)], "y": cp.float64(np.nan)}, {"x": [b, (a, 3)], "y": np.nan}
    )
    testing.assert_almost_equal(a, b + 1e-9)
    testing.assert_approx_equal(a[0], 1.00000001)
    testing.assert_raises(TypeError, a.sum, axis="x")
    for wrong in (
        lambda: testing.assert_array_equal(a, b + 1),
        lambda: testing.assert_allclose(a, b + 1),
        lambda: testing.assert_array_less(a, b),
        lambda: testing.assert_equal([a], [b + 1]),
        lambda: testing.assert_almost_equal(a, b + 1e-6),
        lambda: testing.assert_approx_equal(a[0], 1.001),
        lambda: testing.assert_array_list_equal([a], [b, b]),
        lambda: testing.assert_array_equal(cp.ones((2, 3)), cp.ones((3, 2)).T, strides_check=True),
    ):
        with pytest.raises(AssertionError):
            wrong()


def test_example_data():
    assert testing.shaped_arange((2, 3)).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert testing.shaped_reverse_arange((3,), np, int).tolist() == [3, 2, 1]
    for dtype in ("?", "i4", "f8", "c8"):
        ours, theirs = (testing.shaped_random((3, 2), xp, dtype, seed=5) for xp in (cp, np))
        testing.assert_array_equal(ours, theirs)
        assert ours.dtype == np.dtype(dtype)


def test_env(monkeypatch):
    monkeypatch.setenv("GPUNP_SYNC", "0")
    with testing.env(SYNC=1, NEW="x"):
        assert (os.environ["GPUNP_SYNC"], os.environ["GPUNP_NEW"]) == ("1", "x")
    assert os.environ["GPUNP_SYNC"] == "0" and "GPUNP_NEW" not in os.environ


def test_namespace_info():
    info = cp.__array_namespace_info__()
    assert info.capabilities()["max dimensions"] == 64
    assert info.default_dtypes()["integral"] == np.int64
    assert set(info.dtypes(kind="signed integer")) == {"int8", "int16", "int32", "int64"}
    assert len(info.dtypes(kind=("bool", "real floating"))) == 3
    assert info.default_device() == cp.cuda.Device() and info.default_device() in info.devices()
    assert isinstance(info.devices(), list)
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="text")
    assert cp.ones(1).__array_namespace__() is cp


def test_show_config(capsys):
    cp.show_config()
    assert "gpunp" in capsys.readouterr().out
    assert cp.show_config(mode="dicts")["NumPy"] == np.__version__
    assert cp.is_available()


def test_device_keyword():
    assert cp.zeros(3, device=cp.cuda.Device(0)).device.id == 0
    assert cp.arange(3, device=0).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="device"):
        cp.zeros(3, device="cpu")


# ---- decorators --------------------------------------------------------------------------------


def test_results_of_both_sides_are_compared():
    asked = []

    @testing.numpy_cupy_allclose(rtol=1e-6)
    def body(xp):
        asked.append(xp)
        return xp.exp(xp.arange(3.0)), xp.ones((2, 3))

    body()
    assert asked == [cp, np]
    for wrong in (
        lambda xp: xp.ones(2) * (xp is cp),
        lambda xp: xp.ones(2, "f4" if xp is cp else "f8"),
        lambda xp: xp.ones((2, 3)) if xp is np else xp.ones((3, 2)).T,
        lambda xp: (xp.ones(2),) * (1 + (xp is cp)),
    ):
        with pytest.raises(AssertionError):
            testing.numpy_cupy_allclose()(wrong)()
    testing.numpy_cupy_allclose(type_check=False)(
        lambda xp: xp.ones(2, "f4" if xp is cp else "f8")
    )()
    loose = {"default": 1e-7, np.float32: 0.5}
    testing.numpy_cupy_allclose(rtol=loose)(lambda xp: xp.full(2, 1 + 0.1 * (xp is cp), "f4"))()


@pytest.mark.parametrize(
    "decorator",
    [
        testing.numpy_cupy_array_equal(),
        testing.numpy_cupy_array_almost_equal(),
        testing.numpy_cupy_array_almost_equal_nulp(),
        testing.numpy_cupy_array_max_ulp(),
        testing.numpy_cupy_array_list_equal(),
    ],
)
def test_kinds_of_equality(decorator):
    decorator(lambda xp: [xp.arange(3.0)])()
    with pytest.raises(AssertionError):
        decorator(lambda xp: [xp.arange(3.0) + (xp is cp)])()


def test_less_and_equal():
    testing.numpy_cupy_array_less()(lambda xp: xp.arange(3) - (xp is cp))()
    testing.numpy_cupy_equal()(lambda xp: xp.ones((2, 3)).shape)()
    with pytest.raises(AssertionError):
        testing.numpy_cupy_equal()(lambda xp: xp is cp)()


def test_errors_of_both_sides():
    def wrong(xp):
        return xp.ones(2) + xp.ones(3)

    testing.numpy_cupy_raises()(wrong)()
    testing.numpy_cupy_allclose(accept_error=ValueError)(wrong)()
    testing.numpy_cupy_allclose(accept_error=True)(wrong)()
    for decorated in (
        testing.numpy_cupy_allclose()(wrong),
        testing.numpy_cupy_allclose(accept_error=TypeError)(wrong),
        testing.numpy_cupy_raises()(lambda xp: xp.ones(2)),
        testing.numpy_cupy_raises()(lambda xp: xp.ones(2) + xp.ones(2 + (xp is cp))),
    ):
        with pytest.raises(AssertionError):
            decorated()


def test_once_for_each_dtype():
    seen = []
    testing.for_all_dtypes(name="t")(lambda t: seen.append(t))()
    assert len(seen) == 16 and np.bool_ in seen and np.float16 in seen and np.complex64 in seen
    counts = {
        testing.for_float_dtypes: 3,
        testing.for_complex_dtypes: 2,
        testing.for_signed_dtypes: 5,
        testing.for_unsigned_dtypes: 5,
        testing.for_int_dtypes: 11,
        testing.for_CF_orders: 5,
    }
    for decorator, count in counts.items():
        seen.clear()
        decorator("t")(lambda t: seen.append(t))()
        assert len(seen) == count
    seen.clear()
    testing.for_all_dtypes_combination(("a", "b"))(lambda a, b: seen.append((a, b)))()
    assert len(seen) == len(set(seen)) and {a for a, _ in seen} == {b for _, b in seen}
    seen.clear()
    testing.for_int_dtypes_combination("ab", True, full=True)(lambda a, b: seen.append((a, b)))()
    assert len(seen) == 100
    with pytest.raises(ZeroDivisionError):
        testing.for_dtypes("if")(lambda dtype: 1 / (dtype == np.int32))()


def test_skips_count_only_where_nothing_runs():
    def some(dtype):
        if dtype == np.float32:
            pytest.skip("not this one")

    testing.for_dtypes("fd")(some)()
    with pytest.raises(pytest.skip.Exception):
        testing.for_dtypes("f")(some)()


def test_contiguous_axes():
    class Case:
        shape, order, seen = (2, 3, 4), "C", []

        @testing.for_contiguous_axes()
        def body(self, axis):
            self.seen.append(axis)

    Case().body()
    assert Case.seen == [(2,), (1, 2), (0, 1, 2)]
    Case.order = "F"
    Case().body()
    assert Case.seen[3:] == [(0,), (0, 1), (0, 1, 2)]


@testing.parameterize(*testing.product({"n": [1, 2], "dtype": [np.float32, np.int64]}))
class TestParameters:
    seen = set()  # noqa: RUF012

    @testing.numpy_cupy_array_equal()
    def test_it(self, xp):
        self.seen.add((self.n, self.dtype))
        return xp.ones(self.n, self.dtype)


def test_parameterized_classes_stand_in_the_module():
    made = [name for name in globals() if name.startswith("TestParameters_param_")]
    assert len(made) == 4 and not TestParameters.__test__
    assert testing.product_dict([{"a": 1}], [{"b": 2}, {"b": 3}])[1] == {"a": 1, "b": 3}


@testing.parameterize({"n": 1}, {"n": 2})
class TestParametersOfUnittest(unittest.TestCase):
    def test_it(self):
        assert cp.ones(self.n).size == self.n


def test_unittest_runs_the_parameterized_classes_alone():
    names = [name for name in globals() if name.startswith("TestParametersOfUnittest")]
    found = unittest.TestResult()
    for name in names:
        unittest.defaultTestLoader.loadTestsFromTestCase(globals()[name]).run(found)
    assert found.wasSuccessful() and found.testsRun == len(names) == 3
    assert [type(test) for test, _ in found.skipped] == [TestParametersOfUnittest]


def test_requirements():
    assert testing.installed("numpy>=1", "pytest") and not testing.installed("numpy<1")
    assert testing.numpy_satisfies(">=2.0")
    with pytest.raises(unittest.SkipTest):
        testing.with_requires("no-such-package")(lambda: None)()
    with pytest.raises(unittest.SkipTest):
        testing.multi_gpu(1000)(lambda: None)()

    @testing.slow
    def marked():
        pass

    assert marked.pytestmark[0].name == "slow"


def test_random_numbers_repeat():
    @testing.fix_random()
    def draw():
        return np.random.rand(), testing.generate_seed()

    assert draw() == draw()

    @testing.fix_random()
    class Draws:
        def test_one(self):
            return testing.generate_seed()

    assert Draws().test_one() == Draws().test_one()


def test_generated_matrices():
    for dtype in ("f4", "c16"):
        a = testing.generate_matrix((2, 4, 3), cp, dtype, singular_values=[3, 2, 1])
        assert a.dtype == dtype and isinstance(a, cp.ndarray)
        values = np.linalg.svd(a.get(), compute_uv=False)
        np.testing.assert_allclose(values, [[3, 2, 1]] * 2, rtol=1e-5)
    with pytest.raises(ValueError, match="floating"):
        testing.generate_matrix((2, 2), np, int, singular_values=1)
    assert testing.shaped_linspace(0, 1, (1, 3), np, "f8").tolist() == [[0, 0.5, 1]]


def test_patches_and_warnings():
    with testing.AssertFunctionIsCalled("os.getpid", times_called=2):
        os.getpid(), os.getpid()
    with pytest.raises(AssertionError), testing.AssertFunctionIsCalled("os.getpid"):
        pass
    with testing.assert_warns(DeprecationWarning):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    with pytest.raises(AssertionError), testing.assert_warns(UserWarning):
        pass


class TestAlias(testing.NumpyAliasValuesTestBase):
    func = "shape"
    args = (np.ones((2, 3)),)


def test_sparse_example_data():
    sparse = pytest.importorskip("scipy.sparse")
    a = testing.shaped_sparse_random((10, 10), sparse, "c8", density=0.2)
    assert a.dtype == "c8" and a.nnz == 20
