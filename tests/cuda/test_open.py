"""Opening the driver and NVRTC: where they are looked for, and the errors when they are missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import child
import pytest

import gpunp
from gpunp import _C

pytestmark = pytest.mark.null  # every test works in processes of its own

ROOT = Path(__file__).resolve().parents[2]
EMULATOR = str(Path(gpunp.__file__).with_name("libgpunp_emu.so"))
COUNT = "import gpunp as cp; print(cp.cuda.runtime.getDeviceCount(), cp.cuda.is_emulated())"
COMPILE = "import gpunp as cp; print((cp.arange(3) + 1).tolist())"
PATHS = "import gpunp as cp; from gpunp import _C; cp.cuda.nvrtc.getVersion(); print(_C._library_paths()['nvrtc'])"


def run(program, cwd=None, **environment):
    variables = child.environment(**{"GPUNP_EMU_DEVICES": "1", **environment})
    variables = {name: value for name, value in variables.items() if value is not None}
    return subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, timeout=child.PATIENCE,
        check=False, cwd=cwd,
    )  # fmt: skip


@pytest.fixture
def no_driver(tmp_path):
    """A driver path on which there is none, whatever the machine has."""
    return str(tmp_path / "libcuda.so.1")


@pytest.fixture(scope="module")
def nvrtc():
    process = run(PATHS, GPUNP_DEVICE="emulated", GPUNP_NVRTC="")
    if process.returncode != 0:
        pytest.skip("no NVRTC")
    return process.stdout.strip()


def library(path, source):
    """Compile a small library; its constructor says that it was loaded."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    path.with_suffix(".c").write_text(source)
    command = [compiler, "-shared", "-fPIC", "-o", str(path), str(path.with_suffix(".c"))]
    subprocess.run(command, check=True, capture_output=True)
    return str(path)


TRAP = """
#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { fputs("TRAP\\n", stderr); }
"""


# ---- which device


def test_emulated():
    process = run(COUNT, GPUNP_DEVICE="emulated")
    assert (process.stdout, process.stderr) == ("1 True\n", "")


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_75"])
def test_emulated_architecture(arch):
    program = "import gpunp as cp; print(cp.cuda.Device().compute_capability)"
    process = run(program, GPUNP_DEVICE=f"emulated:{arch}")
    assert (process.stdout, process.stderr) == (arch[3:] + "\n", "")


@pytest.mark.parametrize("text", ["gpu", "emulated:", "emulated:80", "emulated:sm_", "CUDA", "1"])
def test_bad_device(text):
    process = run(COUNT, GPUNP_DEVICE=text)
    assert process.returncode == 1
    assert f"GPUNP_DEVICE is '{text}'" in process.stderr and "emulated:sm_90" in process.stderr


def test_auto_falls_back_with_one_warning(no_driver):
    program = COUNT + "; cp.arange(3); cp.cuda.Device().synchronize()"
    process = run(program, GPUNP_DEVICE="auto", GPUNP_DRIVER=no_driver)
    assert process.stdout == "1 True\n"
    assert process.stderr.count("EmulatedDeviceWarning") == 1
    assert "GPUNP_DEVICE=emulated" in process.stderr


def test_fallback_warning_as_error(no_driver):
    program = (
        "import warnings; warnings.simplefilter('error')\n"
        "import gpunp as cp\n"
        "try: cp.arange(3)\n"
        "except RuntimeWarning: print('warned')\n"
        "print(cp.arange(3).tolist())"
    )
    process = run(program, GPUNP_DEVICE="auto", GPUNP_DRIVER=no_driver)
    assert (process.stdout, process.stderr) == ("warned\n[0, 1, 2]\n", "")


def test_cuda_without_a_driver(no_driver):
    process = run(COUNT, GPUNP_DEVICE="cuda", GPUNP_DRIVER=no_driver)
    assert process.returncode == 1
    for words in ("CUDADriverError", "libcuda.so.1", no_driver, "Install", "GPUNP_DEVICE=emulated"):
        assert words in process.stderr


def test_is_available_without_a_driver(no_driver):
    program = "import gpunp as cp; print(cp.cuda.is_available())"
    process = run(program, GPUNP_DEVICE="cuda", GPUNP_DRIVER=no_driver)
    assert (process.stdout, process.stderr) == ("False\n", "")


def test_neither_driver_nor_emulator(no_driver, tmp_path):
    missing = str(tmp_path / "emu.so")
    process = run(COUNT, GPUNP_DEVICE="auto", GPUNP_DRIVER=no_driver, GPUNP_EMULATOR=missing)
    assert process.returncode == 1
    assert missing in process.stderr and no_driver in process.stderr


def test_import_never_fails(no_driver):
    process = run("import gpunp, gpunp.cuda", GPUNP_DEVICE="cuda", GPUNP_DRIVER=no_driver)
    assert (process.returncode, process.stderr) == (0, "")


# ---- drivers that cannot be used


def test_not_a_driver(tmp_path):
    path = library(tmp_path / "libcuda.so.1", "int unrelated;")
    process = run(COUNT, GPUNP_DEVICE="cuda", GPUNP_DRIVER=path)
    assert "no CUDA driver" in process.stderr and path in process.stderr


def test_stub(tmp_path):
    source = "int cuInit(unsigned f) { return 34; } int cuDriverGetVersion(int *v) { return 34; }"
    path = library(tmp_path / "libcuda.so.1", source)
    process = run(COUNT, GPUNP_DEVICE="cuda", GPUNP_DRIVER=path)
    assert "stub" in process.stderr and "LD_LIBRARY_PATH" in process.stderr


def test_too_old(tmp_path):
    source = "int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *v) { *v = 11080; return 0; }"
    path = library(tmp_path / "libcuda.so.1", source)
    process = run(COUNT, GPUNP_DEVICE="cuda", GPUNP_DRIVER=path)
    assert "CUDA 11.8" in process.stderr and "12.0 or newer" in process.stderr


def test_no_gpu(tmp_path):
    source = "int cuInit(unsigned f) { return 100; } int cuDriverGetVersion(int *v) { return 0; }"
    path = library(tmp_path / "libcuda.so.1", source)
    process = run(COUNT, GPUNP_DEVICE="cuda", GPUNP_DRIVER=path)
    assert "CUDA_ERROR_NO_DEVICE" in process.stderr
    process = run(COUNT, GPUNP_DEVICE="auto", GPUNP_DRIVER=path)
    assert process.stdout == "1 True\n" and "no GPU can be used" in process.stderr


def test_function_missing(tmp_path):
    source = "int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *v) { *v = 13000; return 0; }"
    path = library(tmp_path / "libcuda.so.1", source)
    process = run(COUNT, GPUNP_DEVICE="cuda", GPUNP_DRIVER=path)
    assert "lacks the function cu" in process.stderr


def test_relative_path_is_refused(tmp_path):
    shutil.copy(EMULATOR, tmp_path / "libcuda.so.1")
    process = run(COUNT, GPUNP_DEVICE="cuda", GPUNP_DRIVER="./libcuda.so.1", cwd=tmp_path)
    assert process.returncode == 1 and "absolute path" in process.stderr


# ---- never the working directory


@pytest.mark.parametrize("path", [None, "", ":", "/nowhere:", ":/nowhere", ".", "/a::/b", "lib"])
def test_nothing_comes_from_the_working_directory(tmp_path, path):
    for name in ("libcuda.so.1", "libnvrtc.so.13", "libnvrtc.so.12"):
        library(tmp_path / name, TRAP)
    (tmp_path / "lib").mkdir()
    shutil.copy(tmp_path / "libcuda.so.1", tmp_path / "lib")
    environment = {
        "GPUNP_DEVICE": "auto",
        "LD_LIBRARY_PATH": path,
        "CUDA_PATH": ".",
        "CUDA_HOME": "",
    }
    process = run(
        "import warnings; warnings.simplefilter('ignore')\n" + COMPILE, cwd=tmp_path, **environment
    )
    assert "TRAP" not in process.stderr
    assert process.stdout == "[1, 2, 3]\n", process.stderr


# ---- NVRTC


def test_explicit_nvrtc(nvrtc):
    process = run(PATHS, GPUNP_DEVICE="emulated", GPUNP_NVRTC=nvrtc)
    assert process.stdout.strip() == nvrtc


def test_missing_nvrtc(tmp_path):
    missing = str(tmp_path / "libnvrtc.so.13")
    program = (
        "import gpunp as cp\n"
        "for f in (lambda: cp.arange(3) + 1, cp.cuda.nvrtc.getVersion):\n"
        "    try: f()\n"
        "    except RuntimeError as error: print(type(error).__name__, error)\n"
        "print(cp.get_default_memory_pool().used_bytes())"
    )
    process = run(program, GPUNP_DEVICE="emulated", GPUNP_NVRTC=missing, GPUNP_CACHE_DIR="off")
    assert process.stderr == ""
    assert process.stdout.count("CUDADriverError") == 2 and process.stdout.endswith("\n0\n")
    assert missing in process.stdout and "pip install" in process.stdout


def test_wheel_comes_before_the_toolkit(tmp_path, nvrtc):
    """NVIDIA's wheels put NVRTC into site-packages/nvidia/cu13/lib."""
    folder = tmp_path / "site-packages" / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True)
    (folder / "libnvrtc.so.13").symlink_to(nvrtc)
    path = f"{ROOT}{os.pathsep}{tmp_path / 'site-packages'}"
    if "GPUNP_SANITIZE" in os.environ:
        pytest.skip("the package lies elsewhere")
    process = run(PATHS, GPUNP_DEVICE="emulated", PYTHONPATH=path)
    assert process.stdout.strip() == str(folder / "libnvrtc.so.13"), process.stderr


def test_toolkit_by_variable(tmp_path, nvrtc):
    folder = tmp_path / "toolkit" / "lib64"
    folder.mkdir(parents=True)
    (folder / "libnvrtc.so.13").symlink_to(nvrtc)
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"):
        environment = dict.fromkeys(("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"))
        environment[variable] = str(tmp_path / "toolkit")
        process = run(PATHS, GPUNP_DEVICE="emulated", **environment)
        if "site-packages" in process.stdout:
            pytest.skip("a wheel comes first")
        assert process.stdout.strip() == str(folder / "libnvrtc.so.13"), (variable, process.stderr)


# ---- the diagnosis


def diagnose(*arguments, **environment):
    variables = child.environment(**environment)
    return subprocess.run(
        [sys.executable, "-m", "gpunp", *arguments], env=variables, capture_output=True, text=True,
        timeout=child.PATIENCE, check=False,
    )  # fmt: skip


def test_diagnosis():
    process = diagnose(GPUNP_DEVICE="emulated")
    assert (process.returncode, process.stderr) == (0, "")
    for heading in ("Programs", "Driver", "Devices", "Libraries", "Caches", "Environment"):
        assert f"\n{heading}\n" in process.stdout
    for name, _, meaning in _C._environment:
        assert name in process.stdout and meaning in process.stdout
    assert EMULATOR in process.stdout and "compute capability 90" in process.stdout


def test_diagnosis_names_wrong_variables():
    process = diagnose(
        GPUNP_DEVICE="emulated", GPUNP_DEBUG="high", GPUNP_CACHEDIR="off", GPUNP_EMU="race"
    )
    assert "'high' is no number, so 0 is used" in process.stdout
    assert "no variable of gpunp; is GPUNP_CACHE_DIR meant?" in process.stdout
    assert process.stdout.count("no variable of gpunp") == 1


def test_diagnosis_without_anything(no_driver, tmp_path):
    process = diagnose(
        GPUNP_DEVICE="cuda", GPUNP_DRIVER=no_driver, GPUNP_NVRTC=str(tmp_path / "x"), GPUNP_CACHE_DIR="off"
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (1, "")
    assert no_driver in process.stdout and "in memory only" in process.stdout


def test_emulator_path():
    process = diagnose("emulator-path", GPUNP_EMULATOR="")
    directory = Path(EMULATOR).with_name("emulator")
    assert (process.returncode, process.stdout) == (0, f"{directory}\n")
    assert (directory / "libcuda.so.1").exists() and (directory / "gpunp_emu.h").exists()


def test_cache_commands(tmp_path):
    folder = tmp_path / "cache"
    run(COMPILE, GPUNP_DEVICE="emulated", GPUNP_CACHE_DIR=str(folder))
    shown = diagnose("cache", GPUNP_CACHE_DIR=str(folder))
    assert str(folder) in shown.stdout and " 0 entries" not in shown.stdout
    cleared = diagnose("cache", "clear", GPUNP_CACHE_DIR=str(folder))
    assert cleared.stdout.startswith("removed ")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("arguments", [["x"], ["emulate"], ["cache", "x"], ["cache", "clear", "x"]])
def test_unknown_command(arguments):
    process = diagnose(*arguments)
    assert process.returncode == 2 and "python -m gpunp" in process.stderr


def test_help():
    process = diagnose("--help")
    assert process.returncode == 0 and "emulator-path" in process.stdout
