"""gpunp.scipy.fft and gpunp.scipy.fftpack beside SciPy's."""

import inspect
import itertools
import warnings

import cases
import numpy as np
import pytest

import gpunp as cp

theirs = pytest.importorskip("scipy.fft")
import scipy.fftpack  # noqa: E402

import gpunp.scipy.fft as ours  # noqa: E402
import gpunp.scipy.fftpack  # noqa: E402

LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
GRIDS = [name[:-1] + end for name in ("fftn", "ifftn", "rfftn", "irfftn") for end in "2n"]
GRIDS += ["hfft2", "ihfft2", "hfftn", "ihfftn"]
REALS = ["dct", "idct", "dst", "idst"]


def near(call, values, *, modules=(ours, theirs)):
    """call(module, array) gives the same with both, or raises the same type of exception."""
    try:
        expected = call(modules[1], values.copy())
    except Exception as error:
        with pytest.raises(type(error)):
            call(modules[0], cp.asarray(values))
        return
    result = call(modules[0], cp.asarray(values))
    assert result.dtype == expected.dtype and result.shape == expected.shape
    eps = 1e-5 if expected.dtype.char in "fF" else 2e-13
    limit = eps * np.abs(expected).max(initial=1e-30)
    np.testing.assert_allclose(result.get(), expected, rtol=0, atol=limit)


def takes_real_only(name):
    return name[0] == "r" or name[:2] == "ih"


@pytest.mark.parametrize("dtype", "?bHiefdFD")
@pytest.mark.parametrize("name", LINES + GRIDS)
def test_fourier_dtypes(name, dtype, rng):
    values = cases.values(dtype, (4, 5, 6), rng)
    near(lambda m, x: getattr(m, name)(x), values)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward", "both"])
@pytest.mark.parametrize("name", LINES + GRIDS)
def test_fourier_arguments(name, norm, rng):
    values = cases.values("d", (4, 5, 6), rng)
    near(lambda m, x: getattr(m, name)(x, norm=norm, workers=2), values)
    if name in LINES:
        near(lambda m, x: getattr(m, name)(x, 7, 1, norm), values)
    else:
        near(lambda m, x: getattr(m, name)(x, (7, -1), (2, 0), norm), values)


def test_fourier_errors(rng):
    values = cases.values("d", (4, 5), rng)
    for name in LINES:  # SciPy lets irfft and hfft make nothing of 0 points
        with pytest.raises(ValueError):
            getattr(ours, name)(cp.asarray(values), 0)
    for name, arguments in itertools.product(LINES, [{"n": -1}, {"axis": 2}, {"n": 2.5}]):
        near(lambda m, x: getattr(m, name)(x, **arguments), values)
    for arguments in (
        {"axes": (0, 0)},
        {"axes": (5, 1)},
        {"axes": (2**63, 1)},
        {"axes": [0.5]},
        {"s": float},
        {"s": (2, 2), "axes": (0,)},
        {"s": (1, 2, 3)},
        {"axes": ()},
    ):
        for name in ("fftn", "rfftn", "irfftn"):
            near(lambda m, x: getattr(m, name)(x, **arguments), values)
    near(lambda m, x: m.fftn(x, 3, 1), values)


def test_overwriting_saves_a_copy(rng):
    x = cp.asarray(cases.values("D", (8, 8), rng))
    kept = x.get()
    assert ours.fft(x, overwrite_x=True).data.ptr == x.data.ptr
    np.testing.assert_allclose(x.get(), np.fft.fft(kept))
    frozen = x.copy()
    frozen.flags.writeable = False
    assert ours.fft(frozen, overwrite_x=True).data.ptr != frozen.data.ptr


@pytest.mark.parametrize("dtype", "?befdFD")
@pytest.mark.parametrize("name", REALS)
def test_cosine_dtypes(name, dtype, rng):
    values = cases.values(dtype, (3, 8), rng)
    near(lambda m, x: getattr(m, name)(x), values)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 15, 16, 30, 101])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", REALS)
def test_cosine_types(name, type, n, rng):
    for norm, orthogonal in [(None, None), ("ortho", None), ("forward", True), ("ortho", False)]:
        near(
            lambda m, x: getattr(m, name)(x, type, norm=norm, orthogonalize=orthogonal),
            cases.values("d", (2, n), rng),
        )


@pytest.mark.parametrize("name", REALS)
def test_cosine_arguments(name, rng):
    values = cases.values("f", (4, 5, 6), rng)
    for n, axis in itertools.product((None, 3, 9), (0, 1, -1)):
        near(lambda m, x: getattr(m, name)(x, 2, n, axis), values)
    for arguments in ({"type": 5}, {"n": 0}, {"norm": "both"}, {"axis": 3}):
        near(lambda m, x: getattr(m, name)(x, **arguments), values)
    near(lambda m, x: getattr(m, name)(x), np.zeros((0, 4)))
    near(lambda m, x: getattr(m, name)(x), np.zeros((4, 0)))


@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", REALS)
def test_cosines_of_grids(name, type, rng):
    values = cases.values("d", (4, 5, 6), rng)
    for arguments in (
        {},
        {"axes": (0, 2)},
        {"axes": (2, 1)},
        {"s": (3, 7)},
        {"s": 3, "axes": 1},
        {"norm": "ortho"},
        {"axes": (1, 1)},
    ):
        near(lambda m, x: getattr(m, name + "n")(x, type, **arguments), values)


def test_cosines_come_back(rng):
    x = cp.asarray(cases.values("d", (16, 15), rng))
    for type, name in itertools.product((1, 2, 3, 4), ("dct", "dst")):
        there = getattr(ours, name + "n")(x, type)
        np.testing.assert_allclose(getattr(ours, f"i{name}n")(there, type).get(), x.get())


@pytest.mark.parametrize("bias", [0.0, 0.1, -0.3, 0.5])
@pytest.mark.parametrize("mu", [0.3, 2.0, -0.5])
@pytest.mark.parametrize("n", [16, 17])
def test_hankel(n, mu, bias, rng):
    values = cases.values("d", (2, n), rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for offset in (0.0, 0.4):
            near(lambda m, x: m.fht(x, 0.1, mu, offset, bias), values)
            near(lambda m, x: m.ifht(x, 0.1, mu, offset, bias), values)


@pytest.mark.parametrize(("mu", "bias"), [(400, 0.0), (400.5, 0.5), (-5.3, 0.5), (250.3, 3.0)])
def test_hankel_transforms_of_large_orders(mu, bias):
    values = np.arange(1.0, 9.0)
    for name in ("fht", "ifht"):
        actual = getattr(ours, name)(cp.asarray(values), 0.1, mu, 0.0, bias)
        desired = getattr(theirs, name)(values, 0.1, mu, 0.0, bias)
        np.testing.assert_allclose(actual.get(), desired, rtol=1e-11)


def test_singular_hankel_warns():
    with pytest.warns(UserWarning, match="singular inverse"):
        ours.ifht(cp.ones(8), 0.1, -0.5, bias=0.5)
    with pytest.warns(UserWarning, match="singular transform"):
        ours.fht(cp.ones(8), 0.1, -0.5, bias=-0.5)


def test_fast_lengths():
    for n in range(1, 300):
        fast = ours.next_fast_len(n)
        assert n <= fast <= theirs.next_fast_len(n, real=True)
        assert theirs.prev_fast_len(n, real=True) <= ours.prev_fast_len(n) <= n
    with pytest.raises(ValueError):
        ours.next_fast_len(-1)
    with pytest.raises(TypeError):
        ours.next_fast_len(2.5)


def test_backend_of_scipy(rng):
    values = cases.values("d", (4, 6), rng)
    with theirs.set_backend(ours):
        for name in ("fft", "irfft2", "dctn", "hfftn", "dst"):
            result = getattr(theirs, name)(cp.asarray(values))
            assert isinstance(result, cp.ndarray)
            assert np.array_equal(result.get(), getattr(ours, name)(cp.asarray(values)).get())
        assert isinstance(theirs.fht(cp.asarray(values), 0.1, 0.3), cp.ndarray)


def test_lengths_as_arrays_without_axes(rng):
    x = cp.asarray(cases.values("d", (4, 6), rng))
    for name in ("dctn", "idstn", "fftn"):
        made = getattr(ours, name)(x, s=cp.asarray(3), axes=1)
        assert np.array_equal(made.get(), getattr(ours, name)(x, s=3, axes=1).get())


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name):
    for n, d in ((9, 1.0), (10, 0.5), (1, 2)):
        for given in ({}, {"xp": cp}, {"device": 0}, {"xp": cp, "device": cp.cuda.Device(0)}):
            made = getattr(ours, name)(n, d, **given)
            assert isinstance(made, cp.ndarray)
            np.testing.assert_array_equal(made.get(), getattr(theirs, name)(n, d))
    with pytest.raises(ValueError, match="xp must be gpunp"):
        getattr(ours, name)(4, xp=np)


def test_signatures():
    for name in ours.__all__:
        if hasattr(theirs, name):
            mine, numpys = (inspect.signature(getattr(m, name)) for m in (ours, theirs))
            assert str(mine).split(" ->")[0] == str(numpys), name


# ---- plans ---------------------------------------------------------------------------------------


def test_plans(rng):
    x = cp.asarray(cases.values("D", (4, 6), rng))
    plan = ours.get_fft_plan(x, axes=1)
    with plan as same:
        assert same is plan
        first = ours.fft(x, plan=plan)
    np.testing.assert_array_equal(first.get(), ours.fft(x).get())
    out = cp.empty_like(x)
    plan.fft(x, out, 1)
    np.testing.assert_allclose(out.get(), np.fft.ifft(x.get(), norm="forward"))
    for wrong in (x[:2], x.astype("F")):
        with pytest.raises(ValueError, match="plan is for"):
            ours.fft(wrong, plan=plan)
    with pytest.raises(ValueError, match="plan is for"):
        ours.fft(x, axis=0, plan=plan)
    with pytest.raises(TypeError):
        ours.fft(x, plan="plan")
    for arguments in ({"value_type": "D2D"}, {"value_type": "R2C"}, {"shape": (1, 2), "axes": 0}):
        with pytest.raises(ValueError):
            ours.get_fft_plan(x, **arguments)


# ---- fftpack -------------------------------------------------------------------------------------

PACKS = (gpunp.scipy.fftpack, scipy.fftpack)


@pytest.mark.parametrize("dtype", "iefdFD")
@pytest.mark.parametrize("name", ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"])
def test_pack_complex(name, dtype, rng):
    values = cases.values(dtype, (4, 5, 6), rng)
    near(lambda m, x: getattr(m, name)(x), values, modules=PACKS)


@pytest.mark.parametrize("dtype", "iefdF")
@pytest.mark.parametrize("name", ["rfft", "irfft"])
def test_pack_real(name, dtype, rng):
    for n, (size, axis) in itertools.product((None, 1, 2, 5, 6, 9), ((6, 1), (5, 0))):
        values = cases.values(dtype, (size, size), rng)
        near(lambda m, x: getattr(m, name)(x, n, axis), values, modules=PACKS)


def test_pack_has_every_name_of_scipys():
    assert set(gpunp.scipy.fftpack.__all__) == {*scipy.fftpack.__all__, "get_fft_plan"}


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("name", REALS)
def test_pack_cosines_and_sines(name, norm, rng):
    for type, dtype in ((1, "d"), (2, "f"), (3, "i"), (4, "D")):
        values = cases.values(dtype, (4, 5), rng)
        near(lambda m, x: getattr(m, name)(x, type, norm=norm), values, modules=PACKS)
        near(lambda m, x: getattr(m, name)(x, type, 7, 0, norm), values, modules=PACKS)
        several = name + "n"
        near(lambda m, x: getattr(m, several)(x, type, norm=norm), values, modules=PACKS)
        near(lambda m, x: getattr(m, several)(x, type, (3, 8), (1, 0), norm), values, modules=PACKS)


def test_pack_lengths_and_types_that_do_not_fit():
    for name in ("fftn", "ifftn", "dctn", "dstn", "idctn", "idstn"):
        for shape in (3, (3,), (3, 4, 5)):
            near(lambda m, x: getattr(m, name)(x, shape=shape), np.ones((2, 3)), modules=PACKS)
    for name in ("dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"):
        with pytest.raises(ValueError, match="type"):
            getattr(gpunp.scipy.fftpack, name)(cp.ones(4), 5)


def test_pack_frequencies():
    for n, d in ((0, 1.0), (1, 2.0), (5, 0.1), (6, 3)):
        found = gpunp.scipy.fftpack.rfftfreq(n, d)
        np.testing.assert_array_equal(found.get(), scipy.fftpack.rfftfreq(n, d))
    with pytest.raises(ValueError, match="at least 0"):
        gpunp.scipy.fftpack.rfftfreq(-1)


DIFFS = {
    "diff": ((), (2,), (3, 2.5), (-1,), (-2, 1.5), (4,), (2, 0)),
    "hilbert": ((),),
    "ihilbert": ((),),
    "tilbert": ((0.3,), (0.3, 2.0), (1000.0,)),
    "itilbert": ((0.3,), (0.3, 2.0)),
    "cs_diff": ((0.3, 0.5), (0.3, 0.5, 2.0)),
    "sc_diff": ((0.3, 0.5), (0.3, 0.5, 2.0)),
    "ss_diff": ((0.3, 0.5), (0.3, 0.5, 2.0), (1.0, 0.0)),
    "cc_diff": ((0.3, 0.5), (0.3, 0.5, 2.0)),
    "shift": ((0.3,), (-0.7, 2.0)),
}


def test_pack_orders():
    x = cp.arange(3)
    assert gpunp.scipy.fftpack.diff(x, 0) is x
    with pytest.raises(TypeError, match="integer"):
        gpunp.scipy.fftpack.diff(x, 1.5)


@pytest.mark.parametrize("name", DIFFS)
def test_pack_diffs(name, rng):
    for arguments, dtype in itertools.product(DIFFS[name], "dfiD"):
        for size in (1, 2, 5, 8):
            values = cases.values(dtype, (size,), rng)
            near(lambda m, x: getattr(m, name)(x, *arguments), values, modules=PACKS)
    for shape in ((2, 3), (0,), ()):
        with pytest.raises(ValueError, match="one dimension"):
            getattr(gpunp.scipy.fftpack, name)(cp.ones(shape), *DIFFS[name][0])


@pytest.mark.parametrize(
    ("value_type", "dtype", "axes", "forward"),
    [
        ("C2C", "D", 0, np.fft.fft), ("C2C", "F", (0, 1), np.fft.fft2),
        ("R2C", "f", 1, np.fft.rfft), ("R2C", "d", (1, 0), np.fft.rfft2),
        ("C2R", "D", 1, np.fft.irfft),
    ],
)  # fmt: skip
def test_plans_have_the_attributes_of_cufft(value_type, dtype, axes, forward, rng):
    """The transform of a plan is not scaled; its kind, lengths and results are those of cuFFT."""
    cufft, x = cp.cuda.cufft, cases.values(dtype, (6, 8), rng)
    a = cp.asarray(x)
    plan = ours.get_fft_plan(a, axes=axes, value_type=value_type)
    several = isinstance(axes, tuple)
    assert isinstance(plan, cufft.PlanNd if several else cufft.Plan1d)
    double = {"C2C": "Z2Z", "R2C": "D2Z", "C2R": "Z2D"}[value_type]
    name = double if dtype in "dD" else value_type
    assert plan.fft_type == getattr(cufft, f"CUFFT_{name}")
    out = plan.get_output_array(a, order="F")
    plan.check_output_array(a, out)
    plan.fft(a, out, cufft.CUFFT_INVERSE if value_type == "C2R" else cufft.CUFFT_FORWARD)
    desired = forward(x, **{"axes" if several else "axis": axes})
    scale = desired.shape[axes] if value_type == "C2R" else 1
    np.testing.assert_allclose(out.get(), desired * scale, rtol=1e-5, atol=1e-5)
    if several:
        assert (plan.shape, plan.batch) == (tuple(x.shape[k] for k in axes), 1)
    else:
        full = desired.shape[axes] if value_type == "C2R" else x.shape[axes]
        assert (plan.nx, plan.batch) == (full, x.size // x.shape[axes])
    with pytest.raises(ValueError, match="out must be"):
        plan.check_output_array(a, cp.zeros(3))
