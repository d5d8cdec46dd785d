"""Tests as projects on CuPy have them: unittest, with CuPy's decorators."""

import unittest

import cupy
import numpy
from cupy import testing


class TestSums(unittest.TestCase):
    @testing.for_all_dtypes()
    @testing.numpy_cupy_array_equal()
    def test_add(self, xp, dtype):
        a = testing.shaped_arange((2, 3), xp, dtype)
        return a + testing.shaped_reverse_arange((2, 3), xp, dtype)

    @testing.for_orders("CF")
    @testing.for_dtypes_combination("fd", names=["first", "second"])
    @testing.numpy_cupy_allclose(rtol=1e-5)
    def test_order(self, xp, order, first, second):
        return xp.full((2, 3), 2, first, order) + xp.ones((2, 3), second, order)

    def test_raises(self):
        for xp in (numpy, cupy):
            with self.assertRaises(ValueError):
                xp.ones(3).reshape(2)


@testing.parameterize(*testing.product({"shape": [(2,), (2, 3)], "axis": [0, -1]}))
class TestAxes(unittest.TestCase):
    @testing.numpy_cupy_allclose()
    def test_sum(self, xp):
        return testing.shaped_random(self.shape, xp, "d").sum(self.axis)


suite = unittest.TestSuite()
for case in [value for name, value in sorted(globals().items()) if name.startswith("Test")]:
    suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
result = unittest.TestResult()
suite.run(result)
assert result.wasSuccessful(), result.failures + result.errors
assert result.testsRun >= 7
