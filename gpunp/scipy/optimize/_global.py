"""Global minima of functions of device arrays: SciPy's drivers, and searches of grids."""

import functools
import inspect
import math
from typing import Any

import numpy as np

from ..._core._convert import as_array, check_device_memory
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.multiarray import asarray, ndarray
from ..._core.randomness import checked_seed
from ..._core.shape_base import stack
from ...lib._index_tricks_impl import mgrid
from ._constraints import constraints_on_host
from ._front import fmin
from ._host import (
    array_on_host,
    callback_on_host,
    errors_of_compiled_code,
    number,
    on_host,
    options_on_host,
    scipy_optimize,
    to_device,
    to_host,
)
from ._minimize import minimize
from ._objective import scalar, tuple_of
from ._result import OptimizeResult

__all__ = [
    "basinhopping",
    "brute",
    "differential_evolution",
    "direct",
    "dual_annealing",
    "shgo",
]


def _check_workers(workers: Any) -> None:
    if workers != 1:
        raise ValueError("`workers` must be 1: the device evaluates many points by `vectorized`")


class _Older:
    """A seed by its older name, with which SciPy draws other numbers."""

    def __init__(self, seed: Any) -> None:
        self.seed = seed


def _takes_seed(function: Any) -> Any:
    """A function that takes `seed`, the older name of `rng`."""

    @functools.wraps(function)
    def called(*args: Any, seed: Any = None, **kwds: Any) -> Any:
        if seed is None:
            return function(*args, **kwds)
        if kwds.get("rng") is not None:
            raise TypeError(f"{function.__name__}() got `rng` and `seed`, which are the same")
        return function(*args, **{**kwds, "rng": _Older(seed)})

    return called


def _seed(driver: Any, rng: Any) -> dict:
    """The generator under the name that this version of SciPy has for it."""
    if isinstance(rng, _Older):
        return {"seed": checked_seed(to_host(rng.seed))}
    name = "rng" if "rng" in inspect.signature(driver).parameters else "seed"
    return {name: checked_seed(to_host(rng))}


def _polish(polish: Any) -> Any:
    """A user's function that improves a vector, whose result becomes one of SciPy's."""
    if not callable(polish):
        return polish

    def called(func: Any, x: np.ndarray, **options: Any) -> Any:
        found = polish(lambda v: func(to_host(v)), asarray(x), **options)
        if not isinstance(found, dict):
            return found
        return scipy_optimize().OptimizeResult({k: to_host(v) for k, v in found.items()})

    return called


def _minimizer_on_host(options: Any, args: tuple) -> dict | None:
    """Arguments of SciPy's `minimize`, whose functions take device arrays and further arguments."""
    if options is None:
        return None
    made = dict(options)
    takes: dict[str, Any] = {
        **dict.fromkeys(("jac", "hess", "hessp"), functools.partial(on_host, args=args)),
        "bounds": to_host,
        "constraints": constraints_on_host,
        "callback": callback_on_host,
        "options": options_on_host,
    }
    return {key: takes.get(key, to_host)(value) for key, value in made.items()}


@_takes_seed
def differential_evolution(
    func,
    bounds,
    args=(),
    strategy="best1bin",
    maxiter=1000,
    popsize=15,
    tol=0.01,
    mutation=(0.5, 1),
    recombination=0.7,
    rng=None,
    callback=None,
    disp=False,
    polish=True,
    init="latinhypercube",
    atol=0,
    updating="immediate",
    workers=1,
    constraints=(),
    x0=None,
    *,
    integrality=None,
    vectorized=False,
) -> OptimizeResult:
    """Search a box for the global minimum of a function by differential evolution.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array of shape (n,) that returns a number; with
        `vectorized` of one of shape (n, s), a population as columns, that returns s numbers.
    bounds : Bounds or sequence of pairs
        Bounds of the variables.
    args : tuple, optional
        Further arguments of the function.
    strategy : str or callable, optional
        How trial vectors are made.
    maxiter : int, optional
        Largest number of generations.
    popsize : int, optional
        Size of the population over the number of variables.
    tol, atol : float, optional
        Relative and absolute spread of the population's values at which the search ends.
    mutation : float or pair of float, optional
        Weight of differences; a pair are the ends from which it is drawn in each generation.
    recombination : float, optional
        Probability with which a component is taken from the trial vector.
    rng : int or numpy.random.Generator, optional
        Generator of the host, or its seed.
    callback : callable, optional
        Function that is called after each generation, as for `minimize`.
    disp : bool, optional
        If True, print the value of each generation.
    polish : bool, optional
        If True, the best vector is improved by 'L-BFGS-B'.
    init : str or array_like, optional
        First population, or how it is drawn.
    updating : {'immediate', 'deferred'}, optional
        Whether vectors are replaced at once, or after a generation, as `vectorized` needs.
    workers : int, optional
        Accepted for compatibility with SciPy; must be 1.
    constraints : constraint or list of them, optional
        Constraints, whose functions take device arrays.
    x0 : array_like, (n,), optional
        Vector that is put into the first population.
    integrality : array_like of bool, (n,), optional
        Which variables are whole numbers.
    vectorized : bool, optional
        Whether the function takes a population at once.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `message`, `nit`, `nfev`, `population` and
        `population_energies`; arrays are on the device.

    Notes
    -----
    SciPy makes the populations on the host. With `vectorized` a generation is uploaded as one array
    and its values are read at once, so the function does its work in few launches.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import differential_evolution
    >>> found = differential_evolution(
    ...     lambda x: (x**2).sum(axis=0), [(-3, 4), (-3, 4)], rng=1, updating="deferred",
    ...     vectorized=True)
    >>> found.success, float(found.fun) < 1e-10
    (True, True)
    """
    _check_workers(workers)
    check_device_memory(popsize)
    driver = scipy_optimize().differential_evolution
    found = driver(
        on_host(func, tuple_of(args), to_host if vectorized else number),
        to_host(bounds),
        strategy=strategy,
        maxiter=maxiter,
        popsize=popsize,
        tol=tol,
        mutation=to_host(mutation),
        recombination=to_host(recombination),
        **_seed(driver, rng),
        callback=callback_on_host(callback),
        disp=disp,
        polish=_polish(polish),
        init=to_host(init),
        atol=atol,
        updating=updating,
        constraints=constraints_on_host(constraints),
        x0=None if x0 is None else array_on_host(x0),
        integrality=None if integrality is None else array_on_host(integrality, bool),
        vectorized=vectorized,
    )
    return to_device(found)


class _Step:
    """A user's function that proposes points, of host arrays; its `stepsize` remains the user's."""

    def __init__(self, step: Any) -> None:
        object.__setattr__(self, "_step", step)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return array_on_host(self._step(asarray(x)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._step, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._step, name, value)


@_takes_seed
def basinhopping(
    func,
    x0,
    niter=100,
    T=1.0,
    stepsize=0.5,
    minimizer_kwargs=None,
    take_step=None,
    accept_test=None,
    callback=None,
    interval=50,
    disp=False,
    niter_success=None,
    rng=None,
    *,
    target_accept_rate=0.5,
    stepwise_factor=0.9,
) -> OptimizeResult:
    """Search for the global minimum of a function by random steps between local minima.

    Parameters
    ----------
    func : callable
        Function ``func(x)`` of a device array of shape (n,), that returns a number. Further
        arguments are the item `args` of `minimizer_kwargs`.
    x0 : array_like, (n,)
        Vector at which the search begins.
    niter : int, optional
        Number of random steps, each with a local search.
    T : float, optional
        Temperature: differences of this size between local minima are accepted often.
    stepsize : float, optional
        Largest change of a component by a random step, which is adapted to the rate of acceptance.
    minimizer_kwargs : dict, optional
        Further arguments of `minimize`, which does the local searches.
    take_step : callable, optional
        Function ``take_step(x)`` that returns the vector after a random step. Its attribute
        `stepsize`, if there is one, is adapted.
    accept_test : callable or list of callable, optional
        Functions ``accept_test(f_new=, x_new=, f_old=, x_old=, ...)`` that return whether a step is
        accepted, or 'force accept'.
    callback : callable, optional
        Function ``callback(x, f, accept)`` that is called for each local minimum; True ends the
        search.
    interval : int, optional
        Number of steps after which the step size is adapted.
    disp : bool, optional
        If True, print each step.
    niter_success : int, optional
        Number of steps without a better minimum after which the search ends.
    rng : int or numpy.random.Generator, optional
        Generator of the host, or its seed.
    target_accept_rate : float, optional
        Rate of acceptance to which the step size is adapted.
    stepwise_factor : float, optional
        Factor by which the step size is changed.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `message`, `nit`, `nfev`,
        `minimization_failures` and `lowest_optimization_result`, the result of the best local
        search. Vectors and matrices are on the device.

    See Also
    --------
    minimize : the local searches, with the methods that run on the device

    Notes
    -----
    SciPy makes the random steps of the n variables on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import basinhopping
    >>> found = basinhopping(lambda x: (cp.cos(14.5 * x - 0.3) + (x + 0.2) * x).sum(), [1.0],
    ...                      niter=20, rng=1)
    >>> found.x.round(3)
    array([-0.195])
    """
    options = dict(minimizer_kwargs or {})
    args = tuple_of(options.pop("args", ()))

    def local(fun: Any, start: np.ndarray, *_: Any, **__: Any) -> OptimizeResult:
        found = minimize(func, asarray(start), args, **options)
        return scipy_optimize().OptimizeResult({**found, "x": found.x.get()})

    def accepts(test: Any) -> Any:
        return lambda **values: test(**{key: to_device(v) for key, v in values.items()})

    tests = list(accept_test) if isinstance(accept_test, (list, tuple)) else [accept_test]
    for given, name in ((take_step, "take_step"), *((test, "accept_test") for test in tests)):
        if given is not None and not callable(given):
            raise TypeError(f"{name} must be callable")
    if accept_test is not None:
        accept_test = [accepts(test) for test in tests] if len(tests) > 1 else accepts(tests[0])
    driver = scipy_optimize().basinhopping
    found = driver(
        on_host(func, args, number),
        array_on_host(x0),
        niter=niter,
        T=T,
        stepsize=stepsize,
        minimizer_kwargs={"method": local},
        take_step=None if take_step is None else _Step(take_step),
        accept_test=accept_test,
        callback=callback_on_host(callback),
        interval=interval,
        disp=disp,
        niter_success=niter_success,
        **_seed(driver, rng),
        target_accept_rate=target_accept_rate,
        stepwise_factor=stepwise_factor,
    )
    return to_device(found)


@_takes_seed
def dual_annealing(
    func,
    bounds,
    args=(),
    maxiter=1000,
    minimizer_kwargs=None,
    initial_temp=5230.0,
    restart_temp_ratio=2e-05,
    visit=2.62,
    accept=-5.0,
    maxfun=1e7,
    rng=None,
    no_local_search=False,
    callback=None,
    x0=None,
) -> OptimizeResult:
    """Search a box for the global minimum of a function by generalized simulated annealing.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array of shape (n,), that returns a number.
    bounds : Bounds or sequence of pairs
        Finite bounds of the variables.
    args : tuple, optional
        Further arguments of the function.
    maxiter : int, optional
        Largest number of iterations.
    minimizer_kwargs : dict, optional
        Arguments of the local searches, as those of `minimize`.
    initial_temp : float, optional
        Temperature at which the search begins.
    restart_temp_ratio : float, optional
        Fraction of the first temperature at which the search begins again.
    visit : float, optional
        Shape of the distribution of steps, between 1 and 3.
    accept : float, optional
        Shape of the distribution of acceptance, between -1e4 and -5.
    maxfun : int, optional
        Number of evaluations after which the search ends.
    rng : int or numpy.random.Generator, optional
        Generator of the host, or its seed.
    no_local_search : bool, optional
        If True, there are no local searches.
    callback : callable, optional
        Function ``callback(x, f, context)`` that is called for each better minimum; True ends the
        search.
    x0 : array_like, (n,), optional
        Vector at which the search begins.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `status`, `message`, `nit`, `nfev`, `njev` and
        `nhev`.

    Notes
    -----
    SciPy chooses the vectors on the host, one after another: an evaluation uploads n numbers and
    reads one.

    Examples
    --------
    >>> from gpunp.scipy.optimize import dual_annealing
    >>> found = dual_annealing(lambda x: ((x - 1) ** 2).sum(), [(-5, 5)] * 2, maxiter=20, rng=1)
    >>> found.x.round(4)
    array([1., 1.])
    """
    if number(maxiter) < 1:  # SciPy's loop would not end
        raise ValueError(f"maxiter must be at least 1, not {maxiter}")
    if number(initial_temp) < 0:  # nor would it for one that begins again at each step
        raise ValueError(f"initial_temp must not be negative, but is {initial_temp}")
    driver = scipy_optimize().dual_annealing
    found = driver(
        on_host(func, tuple_of(args), number),
        to_host(bounds),
        maxiter=maxiter,
        minimizer_kwargs=_minimizer_on_host(minimizer_kwargs, tuple_of(args)),
        initial_temp=initial_temp,
        restart_temp_ratio=restart_temp_ratio,
        visit=visit,
        accept=accept,
        maxfun=maxfun,
        **_seed(driver, rng),
        no_local_search=no_local_search,
        callback=callback_on_host(callback),
        x0=None if x0 is None else array_on_host(x0),
    )
    return to_device(found)


@documented_as(dual_annealing)
def shgo(
    func,
    bounds,
    args=(),
    constraints=None,
    n=100,
    iters=1,
    callback=None,
    minimizer_kwargs=None,
    options=None,
    sampling_method="simplicial",
    *,
    workers=1,
) -> OptimizeResult:
    """Search a box for all minima of a function by the homology of its simplices.

    Parameters
    ----------
    bounds : Bounds or sequence of pairs
        Bounds of the variables; None means none.
    constraints : dict, constraint, or list of them, optional
        Constraints, whose functions take device arrays.
    n : int, optional
        Number of points of the first sample.
    iters : int, optional
        Number of samples, which become finer.
    callback : callable, optional
        Function that is called with the vector after each iteration.
    options : dict, optional
        Options of the search, as SciPy's documentation lists them, such as `maxfev`, `f_min`,
        `jac`, `hess`.
    sampling_method : {'simplicial', 'halton', 'sobol'} or callable, optional
        How points are chosen; a function ``sampling_method(n, d)`` returns a host array.
    workers : int, optional
        Accepted for compatibility with SciPy; must be 1.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `xl` and `funl` (all minima found, as rows), `success`,
        `message`, `nit`, `nfev`, `nlfev`, `nlhev`.

    Notes
    -----
    SciPy chooses the vectors on the host: an evaluation uploads n numbers and reads one.

    Examples
    --------
    >>> from gpunp.scipy.optimize import shgo
    >>> found = shgo(lambda x: ((x - 1) ** 2).sum(), [(-5, 5), (-5, 5)])
    >>> found.x.round(4)
    array([1., 1.])
    """
    _check_workers(workers)
    check_device_memory(n)
    found = scipy_optimize().shgo(
        on_host(func, tuple_of(args), number),
        to_host(bounds),
        constraints=constraints_on_host(constraints),
        n=n,
        iters=iters,
        callback=callback_on_host(callback),
        minimizer_kwargs=_minimizer_on_host(minimizer_kwargs, tuple_of(args)),
        options=None if options is None else {k: on_host(v) for k, v in dict(options).items()},
        sampling_method=sampling_method,
    )
    return to_device(found)


@documented_as(dual_annealing)
def direct(
    func,
    bounds,
    *,
    args=(),
    eps=1e-4,
    maxfun=None,
    maxiter=1000,
    locally_biased=True,
    f_min=-np.inf,
    f_min_rtol=1e-4,
    vol_tol=1e-16,
    len_tol=1e-6,
    callback=None,
) -> OptimizeResult:
    """Search a box for the global minimum of a function by dividing it into smaller boxes.

    Parameters
    ----------
    eps : float, optional
        Smallest difference between the value now and that of a box worth dividing.
    maxfun, maxiter : int, optional
        Largest numbers of evaluations and of iterations.
    locally_biased : bool, optional
        Whether boxes near good points are divided first.
    f_min : float, optional
        Value of the global minimum, if it is known.
    f_min_rtol : float, optional
        Relative difference from `f_min` at which the search ends.
    vol_tol, len_tol : float, optional
        Volume and length of the box with the best point at which the search ends.
    callback : callable, optional
        Function that is called with the best vector after each iteration.

    Returns
    -------
    OptimizeResult
        With the attributes `x`, `fun`, `success`, `status`, `message`, `nit` and `nfev`.

    Notes
    -----
    SciPy chooses the vectors on the host: an evaluation uploads n numbers and reads one.

    Examples
    --------
    >>> from gpunp.scipy.optimize import direct
    >>> found = direct(lambda x: ((x - 1) ** 2).sum(), [(-4, 5), (-4, 5)])
    >>> float(found.fun) < 1e-4
    True
    """
    with errors_of_compiled_code():
        found = scipy_optimize().direct(
            on_host(func, tuple_of(args), number),
            to_host(bounds),
            eps=eps,
            maxfun=maxfun,
            maxiter=maxiter,
            locally_biased=locally_biased,
            f_min=f_min,
            f_min_rtol=f_min_rtol,
            vol_tol=vol_tol,
            len_tol=len_tol,
            # SciPy calls it with a list.
            callback=None if callback is None else lambda x: callback(asarray(array_on_host(x))),
        )
    return to_device(found)


# ---- grids ---------------------------------------------------------------------------------------


def _grid(ranges: Any, count: int) -> ndarray:
    """Coordinates of the points of a grid, the variables along the first axis."""
    slices = []
    for entry in ranges:
        if not isinstance(entry, slice):
            pair = tuple(map(number, entry))
            if len(pair) < 3:
                pair = (*pair, complex(count))
            entry = slice(*pair)
        slices.append(entry)
    return mgrid[tuple(slices)]


def _polished(finish: Any, func: Any, x: Any, args: tuple, disp: Any) -> tuple:
    """Vector, value and success of a search that begins at the best point of a grid."""
    try:
        named = set(inspect.signature(finish).parameters)
    except (TypeError, ValueError):
        named = {"full_output", "disp"}
    options: dict = {"args": args}
    if "full_output" in named:
        options["full_output"] = 1
    if "disp" in named:
        options["disp"] = disp
    elif "options" in named:
        options["options"] = {"disp": disp}
    found = finish(func, x, **options)
    if isinstance(found, OptimizeResult):
        return found.x, found.fun, found.success
    return found[0], found[1], found[-1] == 0


def brute(
    func,
    ranges,
    args=(),
    Ns=20,
    full_output=0,
    finish=fmin,
    disp=False,
    workers=1,
    *,
    vectorized=False,
) -> Any:
    """Search a box for the global minimum of a function at the points of a grid.

    Parameters
    ----------
    func : callable
        Function ``func(x, *args)`` of a device array of shape (n,) that returns a number; with
        `vectorized` of one of shape (n, s), points as columns, that returns s numbers.
    ranges : tuple
        For each variable a pair, the bounds, or a slice, from which a grid is made as by `mgrid`.
    args : tuple, optional
        Further arguments of the function.
    Ns : int, optional
        Number of points along axes of which bounds are given.
    full_output : bool, optional
        If True, return also the grid and the values.
    finish : callable or None, optional
        Function like `fmin` that improves the best point. It is called with the keyword `args`,
        and with `full_output` and `disp` if it has them.
    disp : bool, optional
        If True, print how `finish` ended.
    workers : int, optional
        Accepted for compatibility with SciPy; must be 1.
    vectorized : bool, optional
        Whether the function takes all points of the grid at once, which needs few launches. By
        `finish` it is called with one column.

    Returns
    -------
    x0 : ndarray, (n,)
        Vector of the minimum; a number of one variable without `finish`.
    fval : ndarray or float
        With `full_output`: the value there.
    grid, Jout : ndarray
        With `full_output`: coordinates of the grid, and the values at its points.

    Raises
    ------
    ValueError
        If there are more than 40 variables.

    Notes
    -----
    The grid and the values stay on the device; the place of the smallest value is read.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import brute
    >>> brute(lambda x: ((x - 0.2) ** 2).sum(axis=0), ((-1, 1), (-1, 1)), vectorized=True).round(3)
    array([0.2, 0.2])
    """
    _check_workers(workers)
    args, n = tuple_of(args), len(ranges)
    if n > 40:
        raise ValueError("Brute Force not possible with more than 40 variables.")
    grid = _grid(ranges, Ns)
    points = grid.reshape(n, math.prod(grid.shape[1:]))
    if vectorized:
        values = as_array(func(points, *args)).reshape(grid.shape[1:])
    else:
        rows = points.T.copy()
        values = stack([scalar(func(row, *args)) for row in rows]).reshape(grid.shape[1:])
    place = int(values.argmin())
    x, value = points[:, place].copy(), values.reshape(-1)[place]
    if n == 1:
        grid, x = grid[0], x[0]
    if callable(finish):
        called = func
        if vectorized:

            def called(point: ndarray, *more: Any) -> ndarray:
                return scalar(func(as_array(point).reshape(n, 1), *more))

        x, value, success = _polished(finish, called, x, args, disp)
        if not success and disp:
            warn(
                "Either final optimization did not succeed or `finish` does not return "
                "`statuscode` as its last argument.",
                RuntimeWarning,
            )
    return (x, value, grid, values) if full_output else x
