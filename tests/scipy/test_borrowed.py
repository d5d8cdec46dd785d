"""SciPy's own functions on gpunp's arrays, and what they say without SciPy's array API mode."""

import subprocess
import sys
from pathlib import Path

import child
import pytest
from borrowed_calls import CALLS

import gpunp.scipy
from gpunp.scipy._borrowed_names import NAMES, WITHOUT_MODE

pytest.importorskip("scipy", minversion="1.17")
HERE = Path(__file__).resolve().parent
TABLE = {f"{m}.{n}" for m, names in NAMES.items() for n in names.split()}


def run(mode, *command):
    """Output of a Python process with or without SciPy's array API mode."""
    environment = child.environment(HERE)
    environment.pop("SCIPY_ARRAY_API", None)
    if mode:
        environment["SCIPY_ARRAY_API"] = mode
    done = subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_name_has_a_call():
    assert set(CALLS) == TABLE
    for module, names in WITHOUT_MODE.items():
        assert {f"{module}.{name}" for name in names.split()} <= TABLE


def test_constants_are_scipys_numbers():
    import scipy.constants as theirs

    import gpunp.scipy.constants as ours

    names = {n for n in theirs.__all__ if n not in ("codata", "constants")}
    assert set(ours.__all__) == names and names <= set(dir(ours))
    for name in names - set(NAMES["constants"].split()):
        assert getattr(ours, name) is getattr(theirs, name)
    assert ours.value("electron mass") == ours.physical_constants["electron mass"][0] == ours.m_e


def test_names_agree_with_numpy():
    lines = run("1", str(HERE / "borrowed_worker.py")).strip().splitlines()
    assert len(lines) == 1 and int(lines[0].split()[0]) == len(TABLE), "\n".join(lines)


REFUSED = [
    "stats.lmoment(cp.ones(3))",
    "stats.bootstrap((cp.ones(3),), cp.mean)",
    "integrate.cubature(cp.sin, cp.zeros(1), cp.ones(1))",
    "spatial.transform.Rotation.from_quat(cp.ones(4))",
]


def test_without_the_mode():
    """Errors name the variable; host arrays pass, and the few names that need no mode work."""
    program = f"""
import numpy as np, gpunp as cp
for call in {REFUSED}:
    try:
        eval("cp.scipy." + call)
        print("no error:", call)
    except RuntimeError as error:
        print("SCIPY_ARRAY_API=1" in str(error) and "before scipy" in str(error))
print(float(cp.scipy.stats.lmoment(np.array([1.0, 2, 6]))[0]) > 0)
print(type(cp.scipy.integrate.quad_vec(lambda t: t * cp.ones(3), 0.0, 1.0)[0]) is cp.ndarray)
"""
    assert run("", "-c", program).split() == ["True"] * (len(REFUSED) + 2)


def test_random_rotations():
    """Generators of gpunp draw on the device, as `from_quat` of their normal numbers; NumPy's and
    seeds give SciPy's rotations on the host."""
    program = """
import copy
import numpy as np, gpunp as cp
from scipy.spatial.transform import Rotation as Theirs
from gpunp.scipy.spatial.transform import Rotation
for make in (cp.random.default_rng, cp.random.RandomState, cp.random.Philox4x3210):
    rng = make(3) if make is not cp.random.Philox4x3210 else cp.random.Generator(make(3))
    again = copy.deepcopy(rng)
    for num, shape in ((None, (4,)), (5, (5, 4)), (0, (0, 4))):
        drawn = Rotation.random(num, rng).as_quat()
        made = Theirs.from_quat(again.normal(size=shape)).as_quat() if num != 0 else drawn
        print(type(drawn) is cp.ndarray and drawn.shape == shape, bool((drawn == made).all()))
    print(Rotation.random(shape=(2, 3), random_state=rng).as_matrix().shape == (2, 3, 3, 3))
    for wrong in (dict(num=2, shape=(2,)), dict(rng=rng, random_state=rng)):
        try:
            Rotation.random(**{"rng": rng, **wrong})
        except (TypeError, ValueError) as error:
            print("ne" in str(error))
for seed in (7, np.random.default_rng(7)):
    for key in ("rng", "random_state"):
        drawn = Rotation.random(4, **{key: copy.deepcopy(seed)}).as_quat()
        made = Theirs.random(4, **{key: copy.deepcopy(seed)}).as_quat()
        print(type(drawn) is np.ndarray, (drawn == made).all())
"""
    assert set(run("1", "-c", program).split()) == {"True"}


def test_rotations_are_scipys():
    """What the class makes is of SciPy's class, which passes for it; subclasses are possible."""
    program = """
import pickle
from scipy.spatial.transform import Rotation as Theirs
import gpunp as cp
from gpunp.scipy.spatial.transform import Rotation
turn = Rotation([0, 0, 0, 1])
print(type(turn) is Theirs, isinstance(turn, Rotation), issubclass(Theirs, Rotation))
print(not isinstance(3, Rotation), type(pickle.loads(pickle.dumps(turn))) is Theirs)
print(pickle.loads(pickle.dumps(Rotation)) is Rotation, Rotation.__name__ == "Rotation")
class Named(Rotation):
    pass
named = Named([0, 0, 0, 1])
print(type(named) is Named, isinstance(named, Rotation), not isinstance(turn, Named))
print(isinstance(Rotation.from_quat(cp.ones(4)).inv(), Rotation))
"""
    assert set(run("1", "-c", program).split()) == {"True"}


def test_import_of_the_modules_does_not_import_scipy():
    program = """
import sys, gpunp as cp
for name in ("stats", "integrate", "optimize", "cluster", "signal.windows", "spatial.transform"):
    module = cp.scipy
    for part in name.split("."):
        module = getattr(module, part)
    dir(module), module.__all__
print("scipy" in sys.modules)
"""
    assert run("", "-c", program).strip() == "False"


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="gpunp.scipy.stats"):
        _ = gpunp.scipy.stats.no_such_name
    assert "skew" in dir(gpunp.scipy.stats)


@pytest.mark.parametrize("mode, word", [("", "off"), ("0", "on")])
def test_the_diagnosis_reports_the_mode(mode, word):
    assert f"array API mode {word}" in run(mode, "-m", "gpunp")


def test_limits_and_starts_that_are_numbers():
    """Functions of the user's are called with device arrays, or with host arrays as they are given."""
    program = """
import numpy as np, gpunp as cp
from gpunp.scipy import differentiate, integrate
from gpunp.scipy.optimize import elementwise
print(abs(float(integrate.tanhsinh(lambda x: cp.exp(-x), 0, cp.inf).integral) - 1) < 1e-9)
print(abs(float(integrate.tanhsinh(lambda x, a: cp.exp(-a * x), 0, cp.inf,
                                   args=(cp.asarray(2.0),)).integral) - 0.5) < 1e-9)
print(abs(float(integrate.cubature(lambda x: cp.cos(x[:, 0]), [0.0], [1.0]).estimate) - 0.8414709848) < 1e-9)
print(abs(float(differentiate.derivative(cp.exp, 1.0).df) - 2.718281828) < 1e-6)
print(abs(float(elementwise.find_root(cp.cos, (1.0, 2.0)).x) - 1.5707963268) < 1e-6)
print(type(differentiate.derivative(np.exp, np.asarray(1.0)).df) is not cp.ndarray)
"""
    assert run("1", "-c", program).split() == ["True"] * 6
