"""Copies between two devices: one direction, both at once, parts of arrays, new arrays.

Rows of the group PEER, which runs where there are two devices. A body waits for both devices, so a
rate is of wall clock; both directions of `both ways` count.
"""

from case import Case


def arrays(lib, nbytes, source, target):
    """An array on each device, of so many bytes."""
    made = []
    for device in (source, target):
        with lib.on(device):
            made.append(lib.ones((nbytes // 4,)))
    lib.synchronize_all()
    return made


def one_way(lib, nbytes):
    """From device 0 to an array of device 1, in the devices' default streams."""
    a, b = arrays(lib, nbytes, 0, 1)

    def body():
        lib.assign(b, a)
        lib.synchronize_all()

    return body


def both_ways(lib, nbytes):
    """Half of the bytes in each direction, each in streams of its own."""
    pairs = [arrays(lib, nbytes // 2, 0, 1), arrays(lib, nbytes // 2, 1, 0)]
    streams = [[lib.stream(device) for device in (0, 1)] for _ in pairs]

    def body():
        for (a, b), (here, there) in zip(pairs, streams, strict=True):
            with lib.on(0, here), lib.on(1, there):
                lib.assign(b, a)
        lib.synchronize_all()

    return body


def rows(lib, nbytes):
    """The left half of a matrix with rows of 64 KiB to the left half of another one."""
    pair = arrays(lib, nbytes * 2 // 65536 * 65536, 0, 1)
    a, b = (x.reshape(-1, 16384)[:, :8192] for x in pair)

    def body():
        lib.assign(b, a)
        lib.synchronize_all()

    return body


def every_other(lib, nbytes):
    """Every other element, which no copy engine takes."""
    a, b = (x[::2] for x in arrays(lib, nbytes * 2, 0, 1))

    def body():
        lib.assign(b, a)
        lib.synchronize_all()

    return body


def new_array(lib, nbytes):
    """To a new array of device 1."""
    a, _ = arrays(lib, nbytes, 0, 1)

    def body():
        lib.move(a, 1)
        lib.synchronize_all()

    return body


def small(lib, nbytes):
    """A thousand copies of 64 KiB, which measure what a copy costs the host."""
    a, b = arrays(lib, 1 << 16, 0, 1)

    def body():
        for _ in range(max(1, min(1000, nbytes >> 16))):
            lib.assign(b, a)
        lib.synchronize_all()

    return body


PEER = [
    Case("one way", one_way, scale=4),
    Case("both ways", both_ways, scale=4),
    Case("left half of a matrix", rows),
    Case("every other element", every_other),
    Case("new array", new_array, scale=4),
    Case("64 KiB at a time", small, scale=1000 / 4096),
]
