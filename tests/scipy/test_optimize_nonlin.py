"""Systems of equations by quasi-Newton and Krylov methods: SciPy's iterations on the device."""

import numpy as np
import pytest
import scipy.optimize as host

import gpunp as cp
from gpunp.scipy import optimize
from gpunp.scipy.optimize import _jacobians
from gpunp.scipy.sparse.linalg import LinearOperator

START = [1.0, 2.0, 3.0, 4.0]


def system(x):
    xp = cp if isinstance(x, cp.ndarray) else np
    return 3 * x + xp.cos(x) + 0.5 * x[::-1] - xp.asarray(START)


def iterated(module, name, start=START, fun=system, **options):
    """The vectors of the iterations, the largest residuals, and how they ended."""
    xp = cp if module is optimize else np
    seen = []

    def callback(x, f):
        assert type(x) is type(f) is xp.ndarray
        seen.append(float(abs(f).max()))

    try:
        found = getattr(module, name)(fun, xp.array(start), callback=callback, **options)
        end = found.get() if xp is cp else found
    except module.NoConvergence as error:
        end = None
        assert error.args[0].shape == np.shape(start)
    except ValueError as error:
        end = str(error)
    return seen, end


RUNS = [
    ("broyden1", {}),
    ("broyden1", {"max_rank": 3}),
    ("broyden1", {"max_rank": 3, "reduction_method": "simple", "maxiter": 12}),
    ("broyden1", {"max_rank": 4, "reduction_method": ("svd", 2), "maxiter": 12}),
    ("broyden1", {"line_search": None}),
    ("broyden1", {"iter": 3}),
    ("broyden2", {"alpha": -0.3, "f_rtol": 1e-3, "x_tol": 1e-2}),
    ("anderson", {"M": 3}),
    ("linearmixing", {"alpha": -0.2}),
    ("diagbroyden", {"alpha": -0.3}),
    ("excitingmixing", {"alpha": -0.1, "maxiter": 4}),
    ("excitingmixing", {"fun": lambda x: 1 - x, "alpha": 0.2, "alphamax": 0.6}),
    ("newton_krylov", {"method": "gmres"}),
    ("newton_krylov", {"method": "bicgstab", "inner_maxiter": 3}),
]


@pytest.mark.parametrize(
    "name, options", RUNS, ids=lambda v: v if isinstance(v, str) else ",".join(v) or "none"
)
def test_iterations_are_scipys(name, options):
    (mine, my_end), (theirs, their_end) = (iterated(m, name, **options) for m in (optimize, host))
    assert len(mine) == len(theirs)
    np.testing.assert_allclose(mine, theirs, rtol=1e-2, atol=1e-8)
    if isinstance(their_end, np.ndarray):
        np.testing.assert_allclose(my_end, their_end, rtol=1e-4, atol=1e-6)
    else:
        assert my_end == their_end


@pytest.mark.parametrize("options", [{}, {"line_search": "wolfe"}, {"method": "minres"}], ids=str)
def test_krylov_methods(options):
    seen, end = iterated(optimize, "newton_krylov", **options)
    assert len(seen) < 9 and abs(system(end)).max() < 1e-5


def test_shapes_and_complex_numbers():
    start = np.array([[1.0, 0.5j], [0.2, 1.0]])

    def twisted(x):
        return (2 + 1j) * x + 0.2 * x * x - 1

    for name in ("broyden1", "anderson", "newton_krylov"):
        found = getattr(optimize, name)(twisted, cp.asarray(start))
        assert found.shape == (2, 2) and float(abs(twisted(found)).max()) < 1e-5
    whole = optimize.broyden2(lambda x: 2.0 * x - 1, cp.zeros(3, int))
    np.testing.assert_allclose(whole.get(), 0.5, rtol=1e-5)


def test_preconditioners(rng):
    n = 40
    stiff = np.linspace(1, 400, n)
    scale = cp.asarray(stiff)

    def far(x):
        return scale * x + 0.1 * x**3 - 1

    calls = []

    def counted(x):
        calls.append(0)
        return far(x)

    exact = LinearOperator((n, n), matvec=lambda v: v / scale)
    counts = []
    for inner in (None, exact, optimize.InverseJacobian(optimize.BroydenFirst())):
        calls.clear()
        found = optimize.newton_krylov(counted, cp.zeros(n), inner_M=inner, inner_maxiter=10)
        assert float(abs(far(found)).max()) < 1e-5
        counts.append(len(calls))
    assert counts[1] < counts[0]


def test_jacobians(rng):
    mine, theirs = optimize.BroydenFirst(alpha=0.4), host.BroydenFirst(alpha=0.4)
    points = rng.standard_normal((6, 4))
    mine.setup(cp.asarray(points[0]), system(cp.asarray(points[0])), system)
    theirs.setup(points[0], system(points[0]), system)
    v = rng.standard_normal(4)
    for count, point in enumerate(points[1:]):
        mine.update(cp.asarray(point), system(cp.asarray(point)))
        theirs.update(point, system(point))
        if count in (1, 4):  # few pairs, and more than there are variables
            for name in ("matvec", "rmatvec", "solve", "rsolve"):
                found = getattr(mine, name)(cp.asarray(v))
                np.testing.assert_allclose(found.get(), getattr(theirs, name)(v), rtol=1e-7)
            np.testing.assert_allclose(mine.todense().get(), theirs.todense(), rtol=1e-7, atol=1e-9)
    inverse = mine.aspreconditioner()
    np.testing.assert_allclose(inverse.matvec(cp.asarray(v)).get(), theirs.solve(v), rtol=1e-7)
    assert inverse.shape == (4, 4)


@pytest.mark.parametrize(
    "method, options",
    [
        ("broyden1", {}),
        ("krylov", {"options": {"jac_options": {"method": "gmres"}}}),
        ("anderson", {"tol": 1e-3}),
        ("broyden2", {"options": {"maxiter": 3, "fatol": 1e-2}}),
        ("broyden1", {"options": {"nit": 3, "line_search": None}}),
    ],
    ids=str,
)
def test_root(method, options):
    mine = optimize.root(lambda x, a: system(x) - a, cp.array(START), (0.5,), method, **options)
    theirs = host.root(lambda x, a: system(x) - a, START, (0.5,), method, **options)
    assert set(mine) >= set(theirs) - {"nfev"}
    for name in ("success", "status", "message", "nit", "method"):
        assert mine[name] == theirs[name], name
    np.testing.assert_allclose(mine.x.get(), theirs.x, rtol=1e-3)
    assert type(mine.fun) is cp.ndarray


def test_errors():
    for wrong in ({"line_search": "none"}, {"reduction_method": "none"}):
        with pytest.raises(ValueError):
            optimize.broyden1(system, cp.array(START), **wrong)
    with pytest.raises(ValueError):
        optimize.newton_krylov(system, cp.array(START), method="none")
    with pytest.raises(ValueError):
        optimize.newton_krylov(system, cp.array(START), unknown=1)
    with pytest.raises(TypeError):
        optimize.broyden1(system, cp.array(START), unknown=1)
    with pytest.warns(UserWarning, match="inner_atol"):
        optimize.newton_krylov(system, cp.array(START), method="minres", inner_atol=1e-5)
    with pytest.warns(optimize.OptimizeWarning):
        optimize.root(system, cp.array(START), method="broyden1", options={"unknown": 1})


def test_inner_iterations_end_where_they_suffice(rng):
    """A few calls of the function more than SciPy's: the host looks after some products only."""
    side = 1 + 0.5 * rng.random(100)
    calls = []
    for module, xp in ((optimize, cp), (host, np)):
        given = xp.asarray(side)

        def ring(u, xp=xp, given=given):
            return 4 * u - xp.roll(u, 1) - xp.roll(u, -1) + 0.1 * u**3 - given

        calls.append(module.root(ring, xp.zeros(100), method="krylov").nfev)
    assert calls[0] <= 1.4 * calls[1]


@pytest.mark.parametrize("method", ["linearmixing", "diagbroyden", "excitingmixing", "broyden1"])
def test_tolerances_of_steps(method):
    """The whole step counts, not the part of it that a line search takes."""
    found = []
    for module, xp in ((optimize, cp), (host, np)):
        options = {"maxiter": 20}
        found.append(
            module.root(
                lambda x: x + x**3 / 10 - 1, xp.zeros(3), method=method, tol=1e-3, options=options
            )
        )
    assert (found[0].nit, found[0].nfev) == (found[1].nit, found[1].nfev)
    assert found[0].status == found[1].status


def test_residuals_that_are_not_finite():
    def later(x):
        return x * np.nan if float(abs(x).max()) > 0.4 else x - 1.0

    for function in (lambda x: x * np.nan, later):
        for module, xp in ((optimize, cp), (host, np)):
            with pytest.raises(ValueError):
                module.broyden1(function, xp.zeros(3), line_search=None, maxiter=4)


@pytest.mark.parametrize(
    "name", ["BroydenFirst", "BroydenSecond", "Anderson", "Linear", "Diagonal", "Exciting"]
)
@pytest.mark.parametrize("dtype", ["d", "D"])
def test_jacobians_are_the_inverse_of_what_they_solve(name, dtype, rng):
    jacobian = getattr(_jacobians, name)(alpha=0.4)
    points = [
        cp.asarray(rng.random(5).astype(dtype) + (1j if dtype == "D" else 0)) for _ in range(5)
    ]
    jacobian.setup(points[0], system_of_five(points[0]), system_of_five)
    for x in points[:4]:
        jacobian.update(x + 0.1, system_of_five(x + 0.1))
    f = points[4]
    np.testing.assert_allclose(jacobian.matvec(jacobian.solve(f)).get(), f.get(), rtol=1e-9)
    np.testing.assert_allclose(jacobian.solve(jacobian.matvec(f)).get(), f.get(), rtol=1e-9)


def system_of_five(x):
    return 3 * x + x**2 / 10 - 1


@pytest.mark.parametrize("method", [None, "CG", "L-BFGS-B"])
def test_a_start_without_elements_is_named(method):
    with pytest.raises(ValueError, match="x0 must have at least one element"):
        optimize.minimize(lambda x: (x**2).sum(), cp.zeros(0), method=method)
    with pytest.raises(ValueError, match="x0 must have at least one element"):
        optimize.least_squares(lambda x: x, cp.zeros(0))


@pytest.mark.parametrize(
    "name", ["broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden", "newton_krylov"]
)
def test_steps_whose_squares_vanish(name):
    """A step of 1e-170 is one, though its squared length is zero."""
    end = cp.asarray([1.0, 2.0, 3.0])
    options = {} if name == "newton_krylov" else {"alpha": -0.7e-170}
    found = getattr(optimize, name)(
        lambda v: v * 1e170 - end, cp.full(3, 2e-170), f_tol=1e-9, **options
    )
    np.testing.assert_allclose(found.get() * 1e170, end.get(), rtol=1e-8)


@pytest.mark.parametrize("name", ["broyden1", "anderson"])
def test_residuals_whose_squares_vanish(name):
    """SciPy divides by the squared residuals too."""
    for module, xp in ((host, np), (optimize, cp)):
        with pytest.raises(ZeroDivisionError):
            getattr(module, name)(lambda v: (v**3 + v) * 1e-200, xp.asarray([0.4, 0.6]), f_tol=0)
