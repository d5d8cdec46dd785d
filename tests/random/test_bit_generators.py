"""Bit generators: published vectors, skip-ahead, seeds, states."""

import pickle

import numpy as np
import pytest

import gpunp as cp

KINDS = [cp.random.Philox4x3210, cp.random.XORWOW, cp.random.MRG32k3a]
LOW = 0xFFFFFFFF

# counter, key -> words: the known answers that come with Random123.
PHILOX = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((LOW,) * 4, (LOW, LOW), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def philox(counter, key):
    """One group of Philox4x32-10 in Python, from the paper."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [b >> 32 ^ c[1] ^ k[0], b & LOW, a >> 32 ^ c[3] ^ k[1], a & LOW]
        k = [k[0] + 0x9E3779B9 & LOW, k[1] + 0xBB67AE85 & LOW]
    return tuple(c)


@pytest.mark.parametrize("counter, key, words", PHILOX)
def test_philox_reference_is_the_published_one(counter, key, words):
    assert philox(counter, key) == words


def test_philox_first_words_are_published():
    bits = cp.random.Philox4x3210(key=0)
    assert tuple(bits.random_raw(4).get().tolist()) == PHILOX[0][2]


def test_philox_of_any_state():
    bits = cp.random.Philox4x3210(3)
    counter, key = (LOW - 1, 5, 0, 7), (0xA4093822, 0x299F31D0)
    bits.state = {
        "bit_generator": "Philox4x3210",
        "state": {"counter": np.array(counter), "key": np.array(key)},
    }
    ours = bits.random_raw((4, 4)).get()
    for row, number in zip(ours, range(4), strict=True):
        at = counter[0] + (counter[1] << 32) + number
        assert tuple(row.tolist()) == philox((at & LOW, at >> 32, 0, 7), key)
    assert bits.state["state"]["counter"].tolist() == [2, 6, 0, 7]


def xorwow(x):
    """One step in Python (Marsaglia, 2003): the next state and its word."""
    t = x[0] ^ x[0] >> 2
    v = (x[4] ^ x[4] << 4 ^ t ^ t << 1) & LOW
    d = x[5] + 362437 & LOW
    return [x[1], x[2], x[3], x[4], v, d], v + d & LOW


def mrg32k3a(x):
    """One step in Python (L'Ecuyer, 1999)."""
    m1, m2 = 4294967087, 4294944443
    p = (1403580 * x[1] - 810728 * x[0]) % m1
    q = (527612 * x[5] - 1370589 * x[3]) % m2
    return [x[1], x[2], p, x[4], x[5], q], (p - q) % m1


@pytest.mark.parametrize("kind, step", [(KINDS[1], xorwow), (KINDS[2], mrg32k3a)])
def test_kept_words_follow_the_recurrence(kind, step):
    bits = kind(11)
    states = bits.state["state"]["words"].astype(np.uint64)
    assert states.shape == (6, 65536)
    words = bits.random_raw(4 * 65536 + 8).get()
    for sequence in (0, 1, 2, 65535):
        state = [int(x) for x in states[:, sequence]]
        for place in range(4):
            state, word = step(state)
            assert words[4 * sequence + place] == word
        if sequence < 2:  # the groups begin again with the first sequences
            for place in range(4):
                state, word = step(state)
                assert words[4 * 65536 + 4 * sequence + place] == word


def test_mrg32k3a_near_the_ends_of_its_words():
    bits = cp.random.MRG32k3a(1)
    state = bits.state
    words = state["state"]["words"]
    ends = [0, 1, 4294944442, 4294967086]
    states = [[a, b, c, 1, min(c, 4294944442), 7] for a in ends for b in ends for c in ends]
    words[:, : len(states)] = np.array(states, words.dtype).T
    state["state"]["words"] = words
    bits.state = state
    drawn = bits.random_raw(4 * len(states)).get().reshape(-1, 4)
    for state, row in zip(states, drawn):
        for word in row:
            state, expected = mrg32k3a(state)
            assert word == expected


def matrix_power_of_two(matrix, log, modulus):
    """matrix ** (2 ** log) modulo a number, in Python's integers."""
    matrix = matrix.astype(object)
    for _ in range(log):
        matrix = matrix.dot(matrix) % modulus
    return matrix


def test_sequences_of_mrg32k3a_are_2_to_76_apart():
    states = cp.random.MRG32k3a(1).state["state"]["words"].astype(object)
    halves = [
        (4294967087, [[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]]),
        (4294944443, [[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]]),
    ]
    for half, (modulus, rows) in enumerate(halves):
        far = matrix_power_of_two(np.array(rows), 76, modulus)
        part = states[3 * half : 3 * half + 3]
        for t in (0, 1, 500, 65534):
            assert (far.dot(part[:, t]) % modulus == part[:, t + 1]).all()


def test_sequences_of_xorwow_are_2_to_67_apart():
    def bits_of(words):
        return np.array([int(w) >> b & 1 for w in words for b in range(32)])

    matrix = np.zeros((160, 160))
    for place in range(160):
        x = [0] * 6
        x[place // 32] = 1 << place % 32
        matrix[:, place] = bits_of(xorwow(x)[0][:5])
    for _ in range(67):
        matrix = matrix.dot(matrix) % 2
    states = cp.random.XORWOW(1).state["state"]["words"]
    for t in (0, 1, 65534):
        assert (matrix.dot(bits_of(states[:5, t])) % 2 == bits_of(states[:5, t + 1])).all()
    assert (states[5] == states[5, 0]).all()


def draws(bits, n=9):
    return cp.random.Generator(bits).random(n).get().tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 5, 2**70, [1, 2, 3], np.array([4, 5], np.uint32)], ids=str)
def test_a_seed_gives_the_same_numbers(kind, seed):
    assert draws(kind(seed)) == draws(kind(seed)) != draws(kind(6))
    assert draws(kind(seed)) == draws(kind(np.random.SeedSequence(seed)))


def test_a_seed_of_too_many_numbers():
    for seed in (range(2**62), range(10**10)):
        with pytest.raises(MemoryError, match="a seed of"):
            cp.random.default_rng(seed)


def test_a_device_array_is_a_seed():
    seed = np.array([1, 2, 3, 4, 5])
    assert draws(KINDS[0](cp.asarray(seed))) == draws(KINDS[0](seed)) != draws(KINDS[0](1))


@pytest.mark.parametrize("kind", KINDS)
def test_no_seed_gives_other_numbers(kind):
    assert draws(kind()) != draws(kind())


@pytest.mark.parametrize("kind", KINDS)
def test_state_goes_back(kind):
    bits = kind(1)
    rng = cp.random.Generator(bits)
    rng.random(100)
    state = bits.state
    first = [rng.random(5).get(), rng.gamma(2, size=5).get(), rng.integers(9, size=5).get()]
    bits.state = state
    again = [rng.random(5).get(), rng.gamma(2, size=5).get(), rng.integers(9, size=5).get()]
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    with pytest.raises(TypeError):
        bits.state = 5
    with pytest.raises(ValueError, match="state must be for"):
        bits.state = {"bit_generator": "MT19937", "state": {}}


@pytest.mark.parametrize("kind", KINDS)
def test_pickles(kind):
    rng = cp.random.Generator(kind(1))
    rng.random(10)
    other = pickle.loads(pickle.dumps(rng))
    assert type(other.bit_generator) is kind
    assert (other.random(20) == rng.random(20)).all()
    assert (other.spawn(1)[0].random(3) == rng.spawn(1)[0].random(3)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_jumped(kind):
    bits = kind(1)
    once, twice = bits.jumped(), bits.jumped(2)
    assert draws(once.jumped()) == draws(twice)
    assert len({tuple(draws(b)) for b in (kind(1), kind(1).jumped(), kind(1).jumped(2))}) == 3


def test_jumps_of_xorwow_end_where_the_next_sequence_would_begin():
    here, there = (b.state["state"]["words"] for b in (KINDS[1](4), KINDS[1](4).jumped()))
    far = KINDS[1](4)
    far.state = {"bit_generator": "XORWOW", "state": {"words": there}}
    assert draws(far) == draws(KINDS[1](4).jumped())
    assert not (here == there).any(axis=1)[:5].any()


@pytest.mark.parametrize("kind", KINDS)
def test_spawned_children_differ(kind):
    children = kind(1).spawn(3)
    assert len({tuple(draws(child)) for child in [kind(1), *children]}) == 4
    theirs = [np.random.Philox(s) for s in np.random.SeedSequence(1).spawn(2)]
    ours = kind(1).spawn(2)
    for child, reference in zip(ours, theirs, strict=True):
        assert child.seed_seq.spawn_key == reference.seed_seq.spawn_key


def test_base_class_is_abstract():
    with pytest.raises(NotImplementedError):
        cp.random.BitGenerator(1)


@pytest.mark.parametrize("kind", KINDS)
def test_random_raw(kind):
    bits = kind(1)
    words = bits.random_raw((3, 5))
    assert words.shape == (3, 5) and words.dtype == np.uint32
    assert bits.random_raw().shape == ()
    assert bits.random_raw(3, output=False) is None
    assert isinstance(bits.generator, int)


@pytest.mark.parametrize("kind", KINDS)
def test_lock_may_be_held(kind):
    bits = kind(1)
    with bits.lock:
        assert draws(bits, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_bits_are_fair(kind):
    words = kind(2).random_raw(40000).get()
    ones = np.unpackbits(words.view(np.uint8)).reshape(-1, 32).mean(axis=0)
    assert (abs(ones - 0.5) < 5 * 0.5 / 200).all()


def test_the_seed_has_its_older_name():
    bits = cp.random.Philox4x3210(3)
    assert [s.entropy for s in bits._seed_seq.spawn(2)] == [3, 3]


def test_the_bit_generator_of_a_generator_can_be_replaced():
    rng = cp.random.default_rng(1)
    rng.bit_generator = cp.random.XORWOW(3)
    other = cp.random.Generator(cp.random.XORWOW(3))
    assert rng.random(4).get().tolist() == other.random(4).get().tolist()
    with pytest.raises(ValueError, match="must be a gpunp"):
        rng.bit_generator = np.random.PCG64(1)
    assert isinstance(rng.bit_generator, cp.random.XORWOW)
