"""Kernels of caches as a list of their parameters, so that a run on another machine begins with them.

    python kernel_list.py write LIST CACHE [CACHE ...]
        the kernels of this package that these directories have, of any version of its sources
    python kernel_list.py compile LIST
        compiles them for the emulated device, on all processors, into the cache (GPUNP_CACHE_DIR)

The files of a cache serve only the sources and the compiler that they were made by.
"""

import sys

from gpunp import _C, _pack


def requests_of(cache):
    """Requests for kernels of ours in a cache, of their sources as they are now."""
    for key, _ in _pack.read_cache(cache):
        _, target, request = _pack.read_key(key)
        is_ours = request.header is not None and _C._kernel_source(request.file) is not None
        if target == "emulated" and is_ours and not request.names:
            yield request._replace(source=None, options=None)


def write(path, caches):
    found = {request for cache in caches for request in requests_of(cache)}
    _pack.write_list(path, sorted(found, key=str), "Kernels of hostile calls.")
    print(len(found), "kernels")


def compile_list(path):
    tasks = [(request, "emulated") for request in _pack.read_list(path)]
    print(len(_pack.compile_all(tasks)), "of", len(tasks), "kernels")


def main(command, *arguments):
    if command == "write":
        write(arguments[0], arguments[1:])
    else:
        compile_list(*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
