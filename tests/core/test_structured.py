"""Arrays of structured dtypes and of void: made, viewed by field, copied, indexed, compared."""

import copy
import io
import pickle

import cases
import numpy as np
import pytest
from check import assert_raises_same, assert_same, check

import gpunp as cp

DTYPES = {
    "packed": np.dtype([("x", "f4"), ("y", "f8"), ("z", "i2")]),
    "aligned": np.dtype([("x", "i1"), ("y", "f8"), ("z", "i2")], align=True),
    "words": np.dtype([("x", "i4"), ("y", "f4"), ("z", "u4")]),
    "vector": np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("w", "f4")]),
    "one": np.dtype([("x", "i1")]),
    "gaps": np.dtype(
        {"names": ["x", "y"], "formats": ["i4", "i1"], "offsets": [4, 12], "itemsize": 16}
    ),
    "backwards": np.dtype({"names": ["x", "y"], "formats": ["f8", "i2"], "offsets": [2, 0]}),
    "overlapping": np.dtype({"names": ["x", "y"], "formats": ["u4", "u2"], "offsets": [0, 2]}),
    "nested": np.dtype([("x", "i2"), ("in", [("a", "f8"), ("b", "i1")], (2,)), ("z", "?")]),
    "nested gaps": np.dtype(
        [("x", "i4"), ("in", np.dtype([("a", "i1"), ("b", "f8")], align=True), (2,))]
    ),
    "subarray": np.dtype([("x", "f4", (2, 3)), ("y", "i1")]),
    "times": np.dtype([("x", "M8[ms]"), ("y", "m8[s]")]),
    "complex": np.dtype([("x", "c16"), ("y", "c8"), ("z", "e")]),
    "titled": np.dtype([(("title of x", "x"), "i4"), ("y", "f4")]),
    "void": np.dtype("V6"),
}
PLAIN = ["packed", "gaps", "nested", "nested gaps", "subarray", "void"]


def host(name, shape=(4, 3), seed=0):
    """Elements of small numbers, none of them NaN."""
    rng = np.random.default_rng(seed)

    def fill(a):
        if a.dtype.names is None:
            if a.dtype.kind == "V":
                a[...] = (
                    rng.integers(0, 200, (*a.shape, a.itemsize)).astype("u1").view(a.dtype)[..., 0]
                )
            else:
                a[...] = rng.integers(0, 2 if a.dtype == bool else 100, a.shape).astype(a.dtype)
        for field in a.dtype.names or ():
            fill(a[field])

    a = np.zeros(shape, DTYPES[name])
    fill(a)
    return a


@pytest.mark.parametrize("name", DTYPES)
def test_there_and_back(name):
    values = host(name)
    check(lambda xp: xp.asarray(values))
    check(lambda xp: xp.array(values.T, order="C"))
    a = cp.asarray(values)
    assert a.dtype == values.dtype and a.dtype.isalignedstruct == values.dtype.isalignedstruct
    assert a.itemsize == values.itemsize and a.nbytes == values.nbytes
    assert a.strides == values.strides and a.dtype.fields == values.dtype.fields
    assert str(a.tolist()) == str(values.tolist())
    assert str(a[1, 2].item()) == str(values[1, 2].item())
    assert repr(a) == repr(values) and str(a) == str(values)
    into = np.empty_like(values)
    a.get(out=into)
    assert_same(into, values)
    b = cp.empty_like(a)
    b.set(values)
    assert_same(b, values)
    for again in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        assert_same(again, values)


@pytest.mark.parametrize("layout", ["c", "f", "strided", "rows", "reversed"])
@pytest.mark.parametrize("name", DTYPES)
def test_copies_of_layouts(name, layout):
    values = host(name)

    def arranged(xp):
        return cases.arrange(xp, values, layout)

    check(arranged)
    check(lambda xp: arranged(xp).copy())
    check(lambda xp: arranged(xp).copy("F"))
    check(lambda xp: xp.ascontiguousarray(arranged(xp)))
    check(lambda xp: arranged(xp).reshape(-1))
    check(lambda xp: arranged(xp).astype(values.dtype, order="C"))
    if values.dtype.names:
        check(lambda xp: arranged(xp)["x"])
        check(lambda xp: arranged(xp)[["x"]].copy())


@pytest.mark.parametrize("name", DTYPES)
def test_views_of_fields(name):
    values = host(name)
    for field in values.dtype.names or ():
        check(lambda xp, f=field: xp.asarray(values)[f])
        check(lambda xp, f=field: xp.asarray(values)[1:, ::-1][f])
        a = cp.asarray(values)
        assert a[field].strides == values[field].strides
        assert cp.shares_memory(a, a[field])
        check(lambda xp, f=field: write(xp.array(values), f, 1))
        check(lambda xp, f=field: write(xp.array(values), f, xp.asarray(values)[::-1][f]))
        check(lambda xp, f=field: write(xp.array(values)[::2], f, xp.asarray(values)[:2][f]))


def write(a, key, value):
    a[key] = value
    return a


KEYS = {
    "an int": lambda xp: 1,
    "a slice": lambda xp: slice(None, None, -2),
    "two": lambda xp: (slice(1, 3), 0),
    "newaxis": lambda xp: (Ellipsis, None),
    "indices": lambda xp: xp.asarray([2, 0, 2]),
    "a list": lambda xp: [3, 1],
    "broadcast indices": lambda xp: (xp.asarray([[0], [3]]), xp.asarray([1, 2])),
    "behind a slice": lambda xp: (slice(1, None), xp.asarray([0, 2])),
    "a mask": lambda xp: xp.asarray(np.arange(12).reshape(4, 3) % 5 < 2),
    "a mask of rows": lambda xp: xp.asarray([True, False, False, True]),
    "True": lambda xp: True,
    "nothing": lambda xp: [],
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", PLAIN)
def test_get_and_set(name, key):
    values, other = host(name), host(name, seed=1)
    of = KEYS[key]
    check(lambda xp: xp.asarray(values)[of(xp)], order=False)
    check(lambda xp: write(xp.array(values), of(xp), xp.asarray(other)[0, 0]))
    check(lambda xp: write(xp.array(values), of(xp), xp.asarray(other)[of(xp)]))
    check(lambda xp: write(xp.array(values), of(xp), other[0, 0]))
    check(lambda xp: write(xp.array(values.T).T, of(xp), xp.asarray(other)[of(xp)]))


def test_what_lies_between_fields_is_left_alone():
    dtype = np.dtype([("x", "i4"), ("y", "i4"), ("z", "i4"), ("w", "f8")])
    values, other = np.zeros((5, 2), dtype), np.ones((5, 2), dtype)
    names = ["z", "x"]
    mask = np.array([True, False, True, True, False])

    def part(xp, change):
        a, b = xp.array(values), xp.asarray(other)
        change(xp, a[names], b[names])
        return a

    check(lambda xp: part(xp, lambda _, a, b: write(a, Ellipsis, b)))
    check(lambda xp: part(xp, lambda _, a, b: write(a, slice(1, 3), b[::2][:2])))
    check(lambda xp: part(xp, lambda _, a, b: write(a, [0, 2], b[[1, 3]])))
    check(lambda xp: part(xp, lambda xp, a, b: write(a, xp.asarray(mask), b[0, 0])))
    check(lambda xp: part(xp, lambda xp, a, b: write(a, xp.asarray(mask), b[:3])))
    check(lambda xp: part(xp, lambda xp, a, b: xp.copyto(a, b, where=xp.asarray(mask)[:, None])))
    check(lambda xp: part(xp, lambda _, a, b: write(a, Ellipsis, (7, 8))))
    check(lambda xp: write(xp.array(other), names, 3))
    check(lambda xp: write(xp.array(other), names, xp.asarray(values)[["x", "y"]]))


def test_fields_change_places():
    values = host("words")
    check(lambda xp: write(xp.array(values), ["x", "z"], xp.array(values)[["z", "x"]]))

    def swap(xp):
        a = xp.array(values)
        a[["x", "z"]] = a[["z", "x"]]
        return a

    check(swap)


CONVERSIONS = [
    ("packed", [("p", "f8"), ("q", "f4"), ("r", "i8")]),
    ("packed", [("p", "f8"), ("q", "f4")]),
    ("packed", "f4"),
    ("one", "f4"),
    ("one", [("a", "c16")]),
    ("nested", [("a", "f4"), ("b", [("c", "f4"), ("d", "f8")], (2,)), ("e", "i1")]),
    ("subarray", [("x", "f8", (2, 3)), ("y", "f4")]),
    ("times", [("x", "M8[s]"), ("y", "m8[us]")]),
    ("packed", "V14"),
]


@pytest.mark.parametrize(("name", "to"), CONVERSIONS)
def test_conversions(name, to):
    values = host(name)
    check(lambda xp: xp.asarray(values).astype(to))
    check(lambda xp: xp.asarray(values)[:0].astype(to))
    check(lambda xp: write(xp.zeros((4, 3), to), Ellipsis, xp.asarray(values)))


def test_numbers_go_to_every_field():
    values = np.arange(4, dtype="f4")
    for name in ("packed", "nested", "subarray", "gaps"):
        dtype = DTYPES[name]
        check(lambda xp, d=dtype: xp.asarray(values).astype(d))
        check(lambda xp, d=dtype: write(xp.zeros(4, d), Ellipsis, xp.asarray(values)))
        check(lambda xp, d=dtype: xp.ones(3, d))
        check(lambda xp, d=dtype: xp.full((2, 2), 7, d))
        check(lambda xp, d=dtype: filled(xp.zeros(4, d), 5))


def filled(a, value):
    a.fill(value)
    return a


def test_creation():
    dtype = DTYPES["packed"]
    one = host("packed")[0, 0]
    for name in DTYPES:
        check(lambda xp, d=DTYPES[name]: xp.zeros((2, 3), d))
        assert (
            cp.empty((2, 3), DTYPES[name], order="F").strides
            == np.empty((2, 3), DTYPES[name], order="F").strides
        )
    check(lambda xp: xp.zeros(3, "i4,f8"))
    check(lambda xp: xp.array([(1, 2, 3), (4, 5, 6)], dtype))
    check(lambda xp: xp.array((1, 2, 3), dtype))
    check(lambda xp: xp.array([(1, 2)], dtype))
    check(lambda xp: xp.asarray([[(1, 2, 3)]], dtype))
    check(lambda xp: xp.asarray(one))
    check(lambda xp: xp.array([one, one]))
    check(lambda xp: xp.full(2, one))
    check(lambda xp: xp.full(2, (1, 2, 3), dtype))
    check(lambda xp: xp.full_like(xp.asarray(host("packed")), (1, 2, 3)))
    check(lambda xp: xp.zeros_like(xp.asarray(host("packed"))))
    check(lambda xp: xp.frombuffer(b"\1" * 28, dtype))
    check(lambda xp: xp.fromiter([(1, 2, 3)], dtype))
    a = cp.asarray(host("packed"))
    assert_same(cp.array([a[0], a[1]]), host("packed")[:2])
    b = cp.ndarray((4, 3), dtype, memptr=a.data)
    assert_same(b, host("packed"))


def test_files():
    values = host("packed")
    file = io.BytesIO()
    cp.save(file, cp.asarray(values))
    file.seek(0)
    assert_same(cp.load(file), values)


@pytest.mark.parametrize(
    "function",
    [
        lambda xp, a: xp.concatenate([a, a[:1]]),
        lambda xp, a: xp.concatenate([a.T, a[::-1].T], axis=1),
        lambda xp, a: xp.stack([a, a], axis=1),
        lambda xp, a: xp.tile(a, (2, 1)),
        lambda xp, a: xp.repeat(a, 2, axis=1),
        lambda xp, a: xp.roll(a, 1, axis=0),
        lambda xp, a: xp.roll(a, 2),
        lambda xp, a: xp.flip(a),
        lambda xp, a: xp.pad(a, 1, mode="edge"),
        lambda xp, a: xp.take(a, xp.asarray([1, 5])),
        lambda xp, a: xp.take(a.T, xp.asarray([[1], [2]]), axis=-1),
        lambda xp, a: xp.take(a, [0, 9], axis=0, mode="clip"),
        lambda xp, a: xp.take(a, xp.asarray([0, 2]), axis=0, out=xp.empty((2, 3), a.dtype)),
        lambda xp, a: xp.take(a, xp.asarray([0]), axis=2),
        lambda xp, a: xp.take_along_axis(a, xp.asarray([[0, 1, 2]]), axis=0),
        lambda xp, a: xp.compress([True, False, True], a, axis=0),
        lambda xp, a: xp.where(xp.asarray([True, False, True]), a, a[0, 0]),
        lambda xp, a: xp.where(xp.asarray([True, False, True]), a, 0),
        lambda xp, a: copied(xp, a.copy(), a[::-1], xp.asarray([True, False, True])),
        lambda xp, a: xp.broadcast_to(a[0], (2, 3)),
        lambda xp, a: xp.delete(a, 1, axis=0),
        lambda xp, a: xp.asarray_chkfinite(a),
        lambda xp, a: xp.split(a, 2),
        lambda xp, a: a.flat[3:5],
        lambda xp, a: a.getfield("u2", 2),
        lambda xp, a: xp.array_equal(a, a.copy()),
        lambda xp, a: a.byteswap(),
        lambda xp, a: a[::2].copy().byteswap(inplace=True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["packed", "nested gaps"])
def test_functions_that_move_elements(function, name):
    values = host(name)
    check(lambda xp: function(xp, xp.asarray(values)), order=False)


@pytest.mark.parametrize(
    "function",
    [
        lambda xp, a: xp.concatenate([a, a]),
        lambda xp, a: xp.stack([a, a], axis=1),
        lambda xp, a: xp.where(xp.asarray([True, False, True]), a, a[::-1]),
        lambda xp, a: xp.array([a, a]),
        lambda xp, a: xp.append(a, a),
        lambda xp, a: xp.choose(xp.asarray([[0], [1], [0], [1]]), [a, a]),
        lambda xp, a: xp.select([xp.asarray([True, False, True])], [a], a[0, 0]),
        lambda xp, a: xp.tril(a),
        lambda xp, a: xp.unique(a),
        lambda xp, a: xp.repeat(a, 2, axis=0),
        lambda xp, a: xp.searchsorted(xp.unique(a), a[0]),
    ],
)
@pytest.mark.parametrize("name", ["gaps", "backwards", "aligned"])
def test_results_of_several_arrays_have_no_gaps(function, name):
    """Promotion packs the fields, of equal dtypes as well."""
    values = host(name)
    check(lambda xp: function(xp, xp.asarray(values)), order=False)


def copied(xp, a, source, mask):
    xp.copyto(a, source, where=mask)
    return a


def test_views_of_other_dtypes():
    values = host("packed")
    check(lambda xp: xp.asarray(values).view("u1"))
    check(lambda xp: xp.asarray(values).view("u2"))
    check(lambda xp: xp.asarray(values).view("V7"))
    check(lambda xp: xp.asarray(values).view("u1").view(values.dtype))
    check(lambda xp: xp.asarray(values).view([("a", "u2", (7,))])["a"])
    check(lambda xp: xp.asarray(values).view("f8"))
    check(lambda xp: xp.zeros((3, 2), "f4").view("f4,f4"))
    check(lambda xp: xp.zeros((3, 2), "f4").T.view("f4,f4"))
    a = cp.zeros(3, "i4")
    a.dtype = [("low", "u2"), ("high", "u2")]
    assert a.dtype.names == ("low", "high") and a.shape == (3,)


@pytest.mark.parametrize("name", DTYPES)
def test_comparison(name):
    values = host(name)
    other = values.copy()
    if values.dtype.names:
        last = values.dtype.names[-1]
        other[1:, 0] = host(name, seed=3)[1:, 0]
        other[last][0] = values[last][::-1][0]
    else:
        other[1:, 0] = host(name, seed=3)[1:, 0]
    check(lambda xp: xp.asarray(values) == xp.asarray(other))
    check(lambda xp: xp.asarray(values) != xp.asarray(other))
    check(lambda xp: xp.asarray(values) == xp.asarray(other)[:, :1])
    check(lambda xp: xp.asarray(values).T[::2] != other[1, 1])


def test_comparison_with_what_is_something_else():
    values = host("packed")
    for other in (0, (1, 2, 3), None, 2.5):
        assert_raises_same(lambda xp, o=other: xp.asarray(values) == o)
    for dtype in ("f4", "V14", "V4", [("x", "f4"), ("y", "f8"), ("q", "i2")]):
        assert_raises_same(lambda xp, d=dtype: xp.asarray(values) == xp.zeros(3, d))
    wider = [("x", "f8"), ("y", "f8"), ("z", "i8")]
    check(lambda xp: xp.asarray(values) == xp.asarray(values.astype(wider)))
    assert_raises_same(lambda xp: xp.zeros(3, "V4") == xp.zeros(3, "V8"))
    assert_raises_same(lambda xp: xp.asarray(values) == xp.zeros(5, values.dtype))
    check(lambda xp: xp.asarray([(float("nan"),), (-0.0,)], "f4,") == xp.zeros(2, "f4,"))


REFUSED = [
    lambda xp, a: a + a, lambda xp, a: 1 - a, lambda xp, a: -a, lambda xp, a: abs(a),
    lambda xp, a: a < a, lambda xp, a: a @ a, lambda xp, a: ~a, lambda xp, a: xp.sqrt(a),
    lambda xp, a: xp.isnan(a), lambda xp, a: xp.add(a, 1, out=a), lambda xp, a: xp.logical_and(a, a),
    lambda xp, a: a.sum(), lambda xp, a: a.max(), lambda xp, a: xp.mean(a), lambda xp, a: a.any(),
    lambda xp, a: xp.cumsum(a), lambda xp, a: xp.add.at(a, 0, a[0]),
    lambda xp, a: xp.einsum("ij->j", a), lambda xp, a: xp.fft.fft(a), lambda xp, a: xp.clip(a, 0, 1),
    lambda xp, a: xp.linalg.norm(a), lambda xp, a: xp.histogram(a), lambda xp, a: a.conj(),
    lambda xp, a: xp.interp(a[0], a[0], a[0]), lambda xp, a: float(a[0, 0]),
    lambda xp, a: int(a[0, 0]), lambda xp, a: xp.zeros(3).sum(out=a[0, 0]),
    lambda xp, a: xp.sin(xp.zeros((4, 3)), out=a), lambda xp, a: xp.arange(3, dtype=a.dtype),
    lambda xp, a: a["x", "y"], lambda xp, a: a["none"], lambda xp, a: a[["x", "none"]],
    lambda xp, a: a[["x", "x"]], lambda xp, a: a[["x", 1]], lambda xp, a: write(a, "none", 1),
    lambda xp, a: write(a, 0, (1, 2)), lambda xp, a: write(a, 0, None),
    lambda xp, a: write(a, "x", a), lambda xp, a: xp.copyto(a, 5), lambda xp, a: xp.zeros(3)["x"],
    lambda xp, a: write(xp.zeros(3), "x", 1), lambda xp, a: xp.copyto(xp.zeros((4, 3)), a),
    lambda xp, a: xp.concatenate([a, xp.zeros((4, 3))]), lambda xp, a: xp.argmax(a),
    lambda xp, a: xp.bincount(a[0]), lambda xp, a: xp.zeros(3)[a], lambda xp, a: xp.take(a, a),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_numpy_refuses_it_too(number):
    values = host("packed")
    assert_raises_same(lambda xp: REFUSED[number](xp, xp.array(values)))


REFUSED_HERE = [
    lambda a: cp.dot(a.T, a),  # a ValueError of NumPy 2.5
    lambda a: cp.random.default_rng().random(out=a), lambda a: a.astype(bool),
    lambda a: cp.ElementwiseKernel("T x", "T y", "y = x", "k")(a),
    lambda a: cp.ElementwiseKernel("raw T x, int32 i", "int32 y", "y = i", "k")(a, 1),
    lambda a: cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "k")(a),
    lambda a: cp.fuse(lambda x: x + x)(a), lambda a: cp.linalg.inv(a[:3]),
    lambda a: cp.scipy.ndimage.gaussian_filter(a, 1), lambda a: cp.scipy.special.erf(a),
    lambda a: cp.scipy.signal.lfilter([1.0], [1.0], a), lambda a: cp.scipy.sparse.csr_matrix(a),
    lambda a: cp.empty(3, ("f4", (2,))), lambda a: cp.zeros(3).astype("V4"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED_HERE)))
def test_what_is_refused(number):
    a = cp.asarray(host("packed"))
    with pytest.raises((TypeError, ValueError)):
        REFUSED_HERE[number](a)
    assert_same(a, host("packed"))


@pytest.mark.parametrize(
    ("dtype", "field"),
    [
        ([("x", "f4"), ("y", ">f8")], "y"), ([("x", "O")], "x"), ([("x", "U3")], "x"),
        ([("x", "i4"), ("in", [("a", "S2")])], "in"), ([("x", ">M8[s]")], "x"), ([("x", "g")], "x"),
        ([("x", ">i4", (2,))], "x"),
    ],
)  # fmt: skip
def test_a_field_that_is_not_supported_is_named(dtype, field):
    for make in (lambda: cp.zeros(2, dtype), lambda: cp.asarray(np.zeros(2, dtype))):
        with pytest.raises(TypeError, match=f"its field '{field}' is"):
            make()


def test_depth():
    dtype = np.dtype("f4")
    for _ in range(64):
        dtype = np.dtype([("x", dtype)])
    a = cp.zeros(2, dtype)
    assert_same(a.copy(), np.zeros(2, dtype))
    with pytest.raises(TypeError):
        cp.zeros(2, [("x", dtype)])


def test_no_bytes():
    for dtype in ("V", []):
        with pytest.raises(TypeError, match="0 bytes"):
            cp.zeros(2, dtype)


def test_the_class_of_its_scalars_and_its_alignment_are_kept():
    for dtype in (np.dtype((np.record, DTYPES["packed"])), DTYPES["aligned"]):
        a = cp.zeros(2, dtype)
        assert a.get().dtype.type is dtype.type
        assert a.copy().dtype.isalignedstruct == dtype.isalignedstruct


def test_names_may_be_set():
    dtype = np.dtype([("x", "f4"), ("never elsewhere", "i2")])
    a = cp.zeros(2, dtype)
    a.dtype.names = ("p", "q")
    a["p"] = 3
    assert a.dtype.names == ("p", "q") and a["p"].sum() == 6
    with pytest.raises(ValueError, match="no field"):
        a["x"]
    assert dtype.names == cp.zeros(2, dtype).dtype.names == ("x", "never elsewhere")
    dtype.names = ("v", "w")
    assert a.dtype.names == ("p", "q")
    assert_same(cp.concatenate([a, a[:1]])["q"], np.zeros(3, "i2"))


def test_equal_dtypes_that_differ_in_being_aligned():
    aligned = np.dtype([("x", "i1"), ("y", "f8")], align=True)
    plain = np.dtype({"names": ["x", "y"], "formats": ["i1", "f8"], "offsets": [0, 8]})
    assert aligned == plain and aligned.isalignedstruct != plain.isalignedstruct
    a, values = cp.zeros(3, aligned), np.ones(3, plain)
    a.set(values)
    assert_same(a, values.astype(aligned))
    a.get(out=values)
    assert_same(cp.concatenate([a, cp.asarray(values)]), np.ones(6, plain))


def test_a_title_finds_its_field():
    values = host("titled")
    check(lambda xp: xp.asarray(values)["title of x"])


def test_subclasses_and_read_only_views():
    class Mine(cp.ndarray):
        pass

    a = cp.zeros(3, DTYPES["packed"]).view(Mine)
    assert type(a["x"]) is Mine
    b = cp.broadcast_to(cp.zeros((), DTYPES["packed"]), (3,))
    with pytest.raises(ValueError, match="read-only"):
        b["x"][0] = 1
    with pytest.raises(ValueError, match="read-only"):
        b["x"] = 1


class Exported:
    def __init__(self, description):
        self.__cuda_array_interface__ = description


def test_cuda_array_interface():
    for name in DTYPES:
        a = cp.asarray(host(name))
        interface = a.__cuda_array_interface__
        assert interface["typestr"] == f"|V{a.itemsize}"
        b = cp.asarray(Exported(interface))
        assert b.data.ptr == a.data.ptr
        if name not in ("overlapping", "backwards"):  # NumPy has no description of these
            assert interface["descr"] == a.dtype.descr
            assert b.dtype.fields is None or list(b.dtype.fields) == list(a.dtype.fields)
            assert_same(b.astype(a.dtype) if name != "titled" else b, host(name))
    interface = cp.asarray(host("packed")).__cuda_array_interface__
    del interface["descr"]
    assert cp.asarray(Exported(interface)).dtype == np.dtype("V14")
    for descr, error in [
        ([("x", "f4")], ValueError), (5, (TypeError, ValueError)), ([("x", ">f4"), ("", "V10")], TypeError),
        ([("x",)], (TypeError, ValueError)),
    ]:  # fmt: skip
        with pytest.raises(error):
            cp.asarray(Exported({**interface, "descr": descr}))
    with pytest.raises(BufferError):
        cp.asarray(host("packed")).__dlpack__()


KERNEL = r"""
struct Particle { float x; double y; short z; };
extern "C" __global__ void move(Particle *p, Particle by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { p[i].x += by.x; p[i].y *= by.y; p[i].z -= by.z; }
}
"""


def test_raw_kernels():
    dtype = np.dtype([("x", "f4"), ("y", "f8"), ("z", "i2")], align=True)
    values = np.zeros(40, dtype)
    values["x"], values["y"], values["z"] = np.arange(40), 2, np.arange(40)
    by = np.array((0.5, 3, 1), dtype)
    kernel = cp.RawKernel(KERNEL, "move")
    for passed in (by, by[()]):
        a = cp.asarray(values)
        kernel((2,), (32,), (a, passed, a.size))
        assert_same(a["x"], values["x"] + np.float32(0.5))
        assert_same(a["y"], values["y"] * 3)
        assert_same(a["z"], values["z"] - np.int16(1))


def test_many_dtypes_and_lazy_mode():
    for n in range(1, 60):
        dtype = [("a", "u1", (n,)), ("b", "f4")]
        a = cp.zeros(3, dtype)
        a["a"] = n
        assert a[1:]["a"].get().max() == n
    values = host("packed")
    with cp.lazy():
        a = cp.asarray(values)
        b = a.T.copy()
        c = b["x"] + 1
        d = b[::2].copy()
    assert_same(c, values.T["x"] + 1, order=False)
    assert_same(d, values.T[::2], order=False)
