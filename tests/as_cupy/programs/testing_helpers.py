"""Tests written with cupy.testing."""

import unittest

import cupy
import numpy
from cupy import testing


class TestSum(unittest.TestCase):
    @testing.for_all_dtypes(no_complex=True, no_bool=True)
    @testing.numpy_cupy_allclose(rtol=1e-3)
    def test_sum(self, xp, dtype):
        return testing.shaped_arange((2, 3), xp, dtype).sum(axis=1)

    @testing.numpy_cupy_array_equal()
    def test_where(self, xp):
        a = testing.shaped_random((3, 3), xp, seed=0)
        return xp.where(a > 5, a, 0)


result = unittest.TextTestRunner(verbosity=0).run(
    unittest.defaultTestLoader.loadTestsFromTestCase(TestSum)
)
assert result.testsRun == 2 and result.wasSuccessful()
testing.assert_array_almost_equal(cupy.ones(2), numpy.ones(2))
