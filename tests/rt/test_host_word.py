"""Numbers that kernels store in page-locked memory: selections by a mask wait for one."""

import threading

import numpy as np
import pytest

import gpunp as cp


def selected(size, step):
    x = cp.arange(size)
    return x[x % step == 0].get().tolist() == list(range(0, size, step))


def test_sizes_below_and_above_one_block():
    assert selected(5, 2) and selected(8192, 7) and selected(8193, 7) and selected(30_000, 11)


def test_words_of_calls_that_failed_come_back():
    """More calls than there are words: each is refused where it would wait."""
    x = cp.arange(9)
    mask = x > 4
    for _ in range(600):
        with cp.allow_synchronize(False), pytest.raises(cp.DeviceSynchronized):
            x[mask]
    assert x[mask].get().tolist() == [5, 6, 7, 8]


def test_a_stored_selection_leaves_the_word_alone():
    """The second launch of an assignment comes after its word was given back."""
    x, mask = cp.zeros(50), cp.arange(50) % 3 == 0
    for k in range(20):
        x[mask] = cp.full(17, float(k))
        assert len(cp.nonzero(mask)[0]) == 17
    assert x.get().tolist() == [19.0 * (i % 3 == 0) for i in range(50)]


def test_threads_have_words_of_their_own():
    wrong = []

    def work(step):
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            wrong.extend(step for _ in range(20) if not selected(300 * step, step))

    threads = [threading.Thread(target=work, args=(step,)) for step in range(2, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_all_forms_count():
    host = np.arange(40).reshape(5, 8) % 3
    x = cp.asarray(host)
    assert cp.argwhere(x == 1).get().tolist() == np.argwhere(host == 1).tolist()
    assert [i.get().tolist() for i in cp.nonzero(x)] == [i.tolist() for i in np.nonzero(host)]
    assert cp.flatnonzero(x == 2).get().tolist() == np.flatnonzero(host == 2).tolist()
