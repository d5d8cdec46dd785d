"""Whatever form of an instruction the toolkit's assembler takes for sm_90, the machine decodes."""

import itertools
import os
import re
import subprocess
from pathlib import Path

import harness
import pytest

pytestmark = pytest.mark.skipif(not os.path.exists(harness.PTXAS), reason="no ptxas here")

HEAD = ".version 8.7\n.target sm_90\n.address_size 64\n.global .align 16 .b8 VAR[64];\n"
DECLARATIONS = (
    ".reg .b32 r<10>; .reg .b64 d<10>; .reg .b16 h<10>; .reg .pred p<10>; .reg .b128 q<10>; "
    ".shared .align 16 .b8 SHV[64];\n"
)
CHUNK = 700


def expand(text):
    """All texts that {a|b} stands for; {R,R} is a vector and stays."""
    parts = re.split(r"(\{[^{}]*\})", text)
    choices = ([p] if "," in p else p.strip("{}").split("|") for p in parts)
    return ["".join(p) for p in itertools.product(*choices)]


def operands(opcode, text):
    """Letters as registers."""
    counts = {}
    vector = re.search(r"\.v(\d)", opcode)
    for kind in "HR":
        text = text.replace(f"{kind}*", ",".join(kind * int(vector[1] if vector else 1)))
    combined = any(x in opcode for x in (".and", ".or", ".xor"))
    text = re.sub(r"([HRD])Q\b", lambda m: m[1] + (",P" if combined else ""), text)

    def register(m):
        counts[m[1]] = counts.get(m[1], 0) + 1
        return f"{m[1].lower()}{counts[m[1]] % 9}"

    before, special, after = text.partition("%")
    return re.sub(r"\b([RDHPQ])(?=\.|[^A-Za-z0-9_:]|$)", register, before) + special + after


def instructions(arch="sm_90"):
    """All lines of an architecture: those behind `# sm_100` and the like are its own."""
    out, section = {}, "sm_90"
    for line in Path(__file__).with_name("isa_templates.txt").read_text().splitlines():
        section = line[2:] if line.startswith("# sm_") else section
        if line.startswith("#") or section != arch:
            continue
        opcode, _, rest = line.partition(" ")
        listed = "%{" in rest or re.search(r",\{\d", rest)
        for op in expand(opcode):
            for r in expand(rest) if listed else [rest]:
                out[f"{op} {operands(op, r)}".strip() + ";"] = None
    return list(out)


def assembled(lines, folder, arch="sm_90"):
    """The lines that ptxas takes."""
    path = folder / "x.ptx"
    start = HEAD + ".visible .entry k(){\n" + DECLARATIONS
    while True:
        path.write_text(start.replace("sm_90", arch) + "\n".join(lines) + "\nret;}\n")
        command = [harness.PTXAS, f"-arch={arch}", "-O0", str(path), "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        first = start.count("\n") + 1
        bad = {int(n) - first for n in re.findall(r"line (\d+); (?:error|fatal)", done.stderr)}
        if done.returncode == 0 or not bad:
            return lines if done.returncode == 0 else []
        lines = [line for k, line in enumerate(lines) if k not in bad]


def refused(lines):
    """What of the lines the machine does not decode, and why."""
    lib, out = harness.library(), []
    for line in lines:
        module = harness.Module(HEAD + ".visible .entry k(){\n" + DECLARATIONS + line + "\nret;}\n")
        name, error, _ = module.info(lib.stub_function(module.handle, b"k"))
        if name is None:
            out.append((line, error))
        module.close()
    return out[:10]


@pytest.mark.parametrize("part", range(12))
def test_all_forms(part, tmp_path):
    lines = assembled(instructions()[part * CHUNK : (part + 1) * CHUNK], tmp_path)
    assert not refused(lines)
    assert len(lines) > 30 or part > 10


def test_forms_of_the_dialect_of_100(tmp_path):
    lines = assembled(instructions("sm_100"), tmp_path, "sm_100")
    assert not refused(lines)
    assert len(lines) > 100
