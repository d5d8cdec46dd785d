"""Video instructions against what an H200 gave (tests/emu/golden/video.txt.xz): a form, then lines of
the target before, three operands, and the target behind it."""

import lzma
from pathlib import Path

import harness
import numpy as np
import pytest

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "video.txt.xz"
HEADER = ".version 8.3\n.target sm_90\n.address_size 64\n"
KERNEL = """.visible .entry k{number}(.param .u64 p)
{{ .reg .b32 t, r<5>; .reg .b64 a;
mov.u32 t, %tid.x; ld.param.u64 a, [p]; mad.wide.u32 a, t, 16, a;
ld.global.v4.b32 {{r1, r2, r3, r4}}, [a];
{form}
st.global.b32 [a], r1; ret; }}
"""


def measured():
    """{form: rows of five words}."""
    rows = {}
    for line in lzma.decompress(GOLDEN.read_bytes()).decode().splitlines():
        if line[0] != " ":
            form = line
        else:
            rows.setdefault(form, []).append([int(x, 16) for x in line.split()])
    return rows


@pytest.mark.parametrize("level", (0, 2))
def test_video_golden(level):
    rows = measured()
    assert len(rows) > 250
    harness.library().stub_optimise(level)
    text = "".join(KERNEL.format(number=k, form=form) for k, form in enumerate(rows))
    module = harness.Module(HEADER + text)
    wrong = []
    for k, (form, values) in enumerate(rows.items()):
        words = np.array(values, "u4")
        data = harness.Buffer(words[:, :4])
        module.launch(f"k{k}", 1, len(words), data)
        if not np.array_equal(data.array[:, 0], words[:, 4]):
            wrong.append(form)
        data.free()
    module.close()
    harness.library().stub_optimise(2)
    assert not wrong
