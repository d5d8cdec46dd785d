"""Driver entries that may wait for the device are marked, and called without the GIL.

The compiler sees to the rest: CU_TRY and CU_DROP do not compile with a marked entry.
"""

import re

import pytest
from sources import CSRC, c_files, without_comments

pytestmark = pytest.mark.null

ROW = re.compile(r"^CU(?:_OPTIONAL)?(?:_(WAITS|QUEUES))?\((cu\w+),", re.MULTILINE)
# Words of names of entries that may wait for the device, or queue work.
WAITS = re.compile(
    r"Alloc(?!ation)|Free|Destroy|Unload|Synchronize|Memcpy\w*(?<!Node)$|Memset\w*(?<!Node)$|ModuleLoad|"
    r"LibraryLoad|HostRegister|HostUnregister|Record$|StreamWaitEvent|HostFunc|GraphLaunch"
)
# Documented to return at once, or about the nodes of graphs that do not run.
AT_ONCE = re.compile(
    r"cuEventDestroy_v2|cuGraph\w*(Node|Nodes)\w*|cuGraphDestroyNode|cuMemGetAllocation\w*|"
    r"cuCtxGet\w*|cuFuncIsLoaded|cuMemRetainAllocationHandle|cuModuleGetLoadingMode"
)
# Functions that run without the GIL: workers, and what GNP_NOGIL calls.
UNLOCKED = {
    "rt/device.c": {"open_device"},
    "rt/kernel.c": {"load_entry", "read_attribute"},
    "rt/module.c": {"gnp_load_image"},
    "rt/transfer.c": {"prepare_buffer", "queue_chunk"},
    "rt/wait.c": {"synchronize_context"},
}


def function_at(text, position):
    """Name of the C function around a position: its name stands in column 1."""
    return re.findall(r"^(\w+)\(", text[:position], re.MULTILINE)[-1]


def test_entries_that_wait_are_marked():
    table = (CSRC / "tables" / "cuda_api.def").read_text()
    rows = ROW.findall(table)
    assert len(rows) > 300
    unmarked = [
        name
        for mark, name in rows
        if not mark and WAITS.search(name) and not AT_ONCE.fullmatch(name)
    ]
    assert not unmarked, f"CU_WAITS or CU_QUEUES in cuda_api.def: {unmarked}"


def test_marked_entries_are_called_by_the_macros():
    for path in c_files():
        name = path.relative_to(CSRC).as_posix()
        if name.startswith("emu/") or name == "rt/rt.h":
            continue
        text = without_comments(path.read_text())
        for found in re.finditer(r"(?:->|\.)(?:waits|queues)\.(\w+)\s*(\(|)|CU_UNLOCKED\(", text):
            if found[0] != "CU_UNLOCKED(" and not found[2]:
                continue  # asks whether there is such an entry
            function = function_at(text, found.start())
            assert function in UNLOCKED.get(name, ()), f"{name}: {function}: {found[0]}"
