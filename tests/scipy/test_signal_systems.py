"""Linear systems beside SciPy's: their numbers, responses and simulations."""

import numpy as np
import pytest
from signals import near, ours, theirs

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")

TF = ([1.0, 2.0], [1.0, 0.5, 2.0])
ZPK = ([-1.0], [-0.2 + 1j, -0.2 - 1j], 3.0)
SS = ([[-0.1, 1.0], [-1.0, -0.3]], [[1.0, 0.0], [0.5, 2.0]], [[1.0, 1.0]], [[0.0, 0.5]])
ONE = (SS[0], [[1.0], [0.5]], SS[2], [[0.3]])
T = np.linspace(0, 9, 60)
U = np.sin(T)


def arrays(system):
    """A state space as arrays, since SciPy's functions of these do not take lists; we do."""
    return tuple(map(np.asarray, system)) if len(system) == 4 else system


@pytest.mark.parametrize("system", [TF, ZPK, ONE, SS], ids=["tf", "zpk", "one", "ss"])
def test_continuous(system):
    for call in (
        lambda m: m.lti(*system).poles,
        lambda m: m.lti(*system).to_ss().A,
        lambda m: m.lti(*system).to_tf().num,
        lambda m: m.lti(*system).to_zpk().gain,
        lambda m: m.impulse(system, T=T) if system is not SS else None,
        lambda m: m.impulse(system, N=30)[1] if system is not SS else None,
        lambda m: m.step(system, T=T, X0=[0.5, 0.1]) if system is not SS else None,
        lambda m: m.lsim(system, np.stack([U] * (2 if system is SS else 1), axis=1), T),
        lambda m: m.lsim(
            system, np.stack([U] * (2 if system is SS else 1), axis=1), T, interp=False
        ),
        lambda m: m.lsim(system, None, T + 1, [0.5, 0.1]),
        lambda m: m.lsim(system, U, T[:-1]),
        lambda m: m.lsim(system, np.ones((60, 3)), T),
        lambda m: m.lsim(system, 0, T**2),
        lambda m: m.lsim(system, 0, T - 1),
        lambda m: m.lti(*system).to_discrete(0.1).to_ss().A,
        lambda m: m.cont2discrete(arrays(system), 0.1, "bilinear"),
    ):
        near(call, eps=1e-9)
    if system is not SS:
        for call in (
            lambda m: m.freqresp(system, [0.1, 1.0, 3.0]),
            lambda m: m.freqresp(system, n=50),
            lambda m: m.bode(system, [0.1, 1.0, 3.0]),
            lambda m: m.lti(*system).bode(n=20),
        ):
            near(call, eps=1e-9)


@pytest.mark.parametrize("system", [TF, ZPK, ONE, SS], ids=["tf", "zpk", "one", "ss"])
def test_discrete(system):
    if system is ZPK:
        system = ([-1.0], [0.2 + 0.5j, 0.2 - 0.5j], 3.0)
    elif system is TF:
        system = ([1.0, 2.0], [1.0, 0.5, 0.2])
    given = (*system, 0.5)
    inputs = np.stack([U] * (2 if system is SS else 1), axis=1)
    for call in (
        lambda m: m.dlti(*system, dt=0.5).zeros,
        lambda m: m.dlti(*system, dt=0.5).dt,
        lambda m: m.dlsim(given, inputs),
        lambda m: m.dlsim(given, inputs, T, [0.5, 0.1]),
        lambda m: m.dimpulse(given, n=20),
        lambda m: m.dstep(given, t=np.arange(0, 9, 0.5)),
        lambda m: m.dlti(*system, dt=0.5).output(inputs, T),
    ):
        near(call, eps=1e-9)
    if system is not SS:
        for call in (
            lambda m: m.dfreqresp(given, [0.1, 1.0, 3.0]),
            lambda m: m.dfreqresp(given, n=50, whole=True),
            lambda m: m.dbode(given, n=20),
        ):
            near(call, eps=1e-9)


def test_classes():
    system = ours.lti(*TF)
    assert isinstance(system, ours.TransferFunction) and isinstance(system, ours.lti)
    assert isinstance(ours.StateSpace(*SS, dt=0.1), ours.dlti)
    assert repr(system) == repr(theirs.lti(*TF))
    assert isinstance(ours.ZerosPolesGain(system), ours.ZerosPolesGain)
    device = ours.lti(cp.array(TF[0]), cp.array(TF[1]))
    assert cp.array_equal(device.den, system.den) and (device.inputs, device.outputs) == (1, 1)
    with pytest.raises(AttributeError):
        ours.dlsim(system, U)
    with pytest.raises(AttributeError):
        ours.lsim(ours.dlti(*TF), U, T)
    with pytest.raises(ValueError):
        ours.lti(1.0)


def test_arithmetic_of_state_spaces():
    for call in (
        lambda s, t: s * t,
        lambda s, t: 2 * s,
        lambda s, t: s + t,
        lambda s, t: -s - 3,
        lambda s, t: s / 2,
    ):
        near(
            lambda m, call=call: [
                getattr(call(m.StateSpace(*ONE), m.StateSpace(*ONE)), name) for name in "ABCD"
            ]
        )


def test_place_poles():
    for name in ("gain_matrix", "computed_poles", "rtol"):
        near(
            lambda m, name=name: getattr(m.place_poles(*arrays(SS)[:2], [-1.0, -2.0]), name),
            eps=1e-8,
        )
