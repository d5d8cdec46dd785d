"""SciPy's older interfaces to solvers of the host, of right-hand sides on the device."""

import types
from typing import Any

import numpy as np

from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, ndarray
from ..optimize._host import array_on_host, on_host, to_device, to_host
from ..optimize._objective import tuple_of
from ._ivp_common import number_of

__all__ = ["complex_ode", "ode", "odeint"]


def odeint(
    func,
    y0,
    t,
    args=(),
    Dfun=None,
    col_deriv=0,
    full_output=0,
    ml=None,
    mu=None,
    rtol=None,
    atol=None,
    tcrit=None,
    h0=0.0,
    hmax=0.0,
    hmin=0.0,
    ixpr=0,
    mxstep=0,
    mxhnil=0,
    mxordn=12,
    mxords=5,
    printmessg=0,
    tfirst=False,
) -> Any:
    """Integrate a system of ordinary differential equations by the solver LSODA of ODEPACK.

    Parameters
    ----------
    func : callable
        Right-hand side ``func(y, t, *args)``, or ``func(t, y, *args)`` with `tfirst`: `y` is a
        device array of shape (n,), `t` a number of the host. It returns an array of that shape, or
        a list of n numbers.
    y0 : array_like, (n,)
        Initial state of the system, or a number.
    t : array_like, (m,)
        Times in order at which the state is wanted, the first of them being that of `y0`.
    args : tuple, optional
        Further arguments of the functions.
    Dfun : callable, optional
        Jacobian with the arguments of `func`; by default it is computed by differences.
    col_deriv : bool, optional
        Whether the Jacobian has a row for each variable, rather than for each value.
    full_output : bool, optional
        If True, return also what became of the steps.
    ml, mu : int, optional
        Numbers of diagonals of the Jacobian below and above the main one.
    rtol, atol : float or array_like, optional
        Relative and absolute tolerance of the error of a step.
    tcrit : array_like, optional
        Times at which the right-hand side is singular, which steps do not pass.
    h0, hmax, hmin : float, optional
        Length of the first step, largest and smallest length; 0 means that the solver chooses.
    ixpr : bool, optional
        If True, print when the method changes.
    mxstep, mxhnil : int, optional
        Largest numbers of steps between two times, and of messages; 0 means the default.
    mxordn, mxords : int, optional
        Largest orders of the methods for systems that are not stiff, and that are.
    printmessg : bool, optional
        If True, warn also of success.
    tfirst : bool, optional
        Whether the time comes before the state among the arguments of the functions.

    Returns
    -------
    y : ndarray, (m, n)
        States at the times, as rows.
    infodict : dict
        With `full_output`: step sizes and counts of steps, by their names in SciPy.

    See Also
    --------
    solve_ivp : methods that keep the state on the device
    solve_ivp_batched : many small systems in one launch

    Notes
    -----
    ODEPACK keeps the state, Jacobian and factors on the host: an evaluation uploads n numbers and
    reads n.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import odeint
    >>> odeint(lambda y, t: -y, cp.array([1.0, 2.0]), [0, 1], rtol=1e-8).round(5)
    array([[1.     , 2.     ],
           [0.36788, 0.73576]])
    """
    from scipy.integrate import odeint as solve

    args = tuple_of(args)
    found = solve(
        on_host(func, args),
        to_host(y0),
        array_on_host(t),
        Dfun=on_host(Dfun, args),
        col_deriv=col_deriv,
        full_output=full_output,
        ml=ml,
        mu=mu,
        rtol=to_host(rtol),
        atol=to_host(atol),
        tcrit=to_host(tcrit),
        h0=number_of(h0),
        hmax=number_of(hmax),
        hmin=number_of(hmin),
        ixpr=ixpr,
        mxstep=mxstep,
        mxhnil=mxhnil,
        mxordn=mxordn,
        mxords=mxords,
        printmessg=printmessg,
        tfirst=tfirst,
    )
    return (asarray(found[0]), dict(to_device(found[1]))) if full_output else asarray(found)


class ode:
    """Integrate a system of ordinary differential equations step by step, on the host.

    Parameters
    ----------
    f : callable
        Right-hand side ``f(t, y, *f_params)``: `t` is a number of the host, `y` a device array of
        shape (n,). It returns an array of that shape, or a list of n numbers.
    jac : callable, optional
        Jacobian ``jac(t, y, *jac_params)`` of shape (n, n); by default it is computed by
        differences.

    Attributes
    ----------
    t : float
        Current time of the integration.
    y : ndarray, (n,)
        Current state, on the device.

    See Also
    --------
    solve_ivp : methods that keep the state on the device

    Notes
    -----
    The solvers are SciPy's: an evaluation uploads n numbers and reads n.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import ode
    >>> solver = ode(lambda t, y, a: -a * y).set_integrator("dopri5", rtol=1e-8)
    >>> solver = solver.set_f_params(2.0).set_initial_value(cp.ones(2))
    >>> solver.integrate(1.0).round(5)
    array([0.13534, 0.13534])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)
    _name = "ode"

    def __init__(self, f, jac=None) -> None:
        import scipy.integrate

        self.f, self.jac = f, jac
        self.f_params = self.jac_params = ()
        self._solver = getattr(scipy.integrate, self._name)(
            on_host(lambda t, y: self.f(t, y, *self.f_params)),
            None if jac is None else on_host(lambda t, y: self.jac(t, y, *self.jac_params)),
        )

    @property
    def t(self) -> Any:
        """Current time of the integration."""
        return self._solver.t

    @property
    def y(self) -> ndarray:
        """Current state, which is uploaded."""
        return asarray(self._solver.y)

    def set_initial_value(self, y, t=0.0) -> Any:
        """Set the state at which the integration begins.

        Parameters
        ----------
        y : array_like, (n,)
            Initial state of the system.
        t : float, optional
            Time of that state.

        Returns
        -------
        ode
            The object itself.
        """
        self._solver.set_initial_value(np.atleast_1d(array_on_host(y, None)), number_of(t))
        return self

    def set_integrator(self, name, **integrator_params) -> Any:
        """Choose the solver.

        Parameters
        ----------
        name : {'vode', 'zvode', 'lsoda', 'dopri5', 'dop853'}
            Name of the solver.
        **integrator_params : object
            Options of the solver, as SciPy's documentation lists them.

        Returns
        -------
        ode
            The object itself.
        """
        self._solver.set_integrator(name, **{k: to_host(v) for k, v in integrator_params.items()})
        return self

    def integrate(self, t, step=False, relax=False) -> ndarray:
        """Integrate up to a time.

        Parameters
        ----------
        t : float
            Time at which the state is wanted.
        step : bool, optional
            If True, make one step; some solvers cannot.
        relax : bool, optional
            If True, end at the first time beyond `t`; some solvers cannot.

        Returns
        -------
        ndarray, (n,)
            State of the system there.
        """
        return asarray(self._solver.integrate(number_of(t), step, relax))

    def successful(self) -> bool:
        """Return whether the last integration was successful.

        Returns
        -------
        bool
            Whether the solver reported no failure.
        """
        return self._solver.successful()

    def get_return_code(self) -> int:
        """Return the solver's code of how the last integration ended.

        Returns
        -------
        int
            Code of the solver, negative for failures.
        """
        return self._solver.get_return_code()

    def set_f_params(self, *args) -> Any:
        """Set further arguments of the right-hand side.

        Parameters
        ----------
        *args : object
            Arguments behind the time and the state.

        Returns
        -------
        ode
            The object itself.
        """
        self.f_params = args
        return self

    def set_jac_params(self, *args) -> Any:
        """Set further arguments of the Jacobian.

        Parameters
        ----------
        *args : object
            Arguments behind the time and the state.

        Returns
        -------
        ode
            The object itself.
        """
        self.jac_params = args
        return self

    def set_solout(self, solout) -> None:
        """Set a function that 'dopri5' and 'dop853' call after each step.

        Parameters
        ----------
        solout : callable
            Function ``solout(t, y)`` of the time and the state on the device; -1 ends the
            integration. It is set before the initial value.
        """
        self._solver.set_solout(lambda t, y: solout(t, asarray(y)))


@documented_as(ode)
class complex_ode(ode):
    """Integrate a system of complex numbers by the solvers of real ones.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.integrate import complex_ode
    >>> solver = complex_ode(lambda t, y: 1j * y).set_integrator("dopri5", rtol=1e-8)
    >>> solver.set_initial_value(cp.ones(1)).integrate(1.0).round(4)
    array([0.5403+0.8415j])
    """

    _name = "complex_ode"
