"""Programs written for CuPy, unchanged: after `import gpunp.as_cupy`, `import cupy` gives gpunp.

It comes before the first module that imports `cupy`; `python -m gpunp.as_cupy script.py` and
`python -m gpunp.as_cupy -m module` do so for a program. From then on, in this process:

- `cupy`, `cupyx`, `cupyx.scipy` and `cupy_backends`, with their submodules, are gpunp's own
  modules under other names, loaded when they are imported. `cupy is gpunp`, so that arrays,
  functions and settings are the same under both names.
- `cupy.__name__` is "cupy", `type(array)` is printed as `<class 'cupy.ndarray'>`, and
  `cupy.__version__` is the version of CuPy whose names are served: array-api-compat, SciPy,
  scikit-learn, einops, opt_einsum, Dask and other libraries take arrays for CuPy's.
  gpunp's own version is in `gpunp.get_runtime_info()`.

There is no way back within a process. Importing this module raises `ImportError` where CuPy itself
is loaded already.
"""

import sys

from gpunp._cupy_names import install, run

install()

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
