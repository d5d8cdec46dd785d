"""The programs that come with gpunp: the tour and the benchmark table, in small."""

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from check import assert_same
from sources import ROOT

import gpunp as cp


def loaded(name):
    """The module of a program in examples/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tour():
    pytest.importorskip("matplotlib")
    return loaded("tour")


@pytest.mark.parametrize("step", ["blur", "sharpen", "edges", "recolour"])
def test_tour_of_a_picture(tour, step, rng):
    image = rng.random((21, 17, 3), dtype="f4")
    body = getattr(tour, step)
    assert_same(body(cp, cp.asarray(image)), body(np, image), rtol=1e-5, atol=1e-6, order=False)


def test_tour_of_a_fractal(tour):
    ours, theirs = (tour.mandelbrot(xp, 24, 18, 12) for xp in (cp, np))
    assert_same(ours, theirs, rtol=1e-9, atol=1e-9)


def test_options():
    module = loaded("options")
    ours, error = module.price(cp, cp.random.default_rng(1), 4000)
    theirs, other = module.price(np, np.random.default_rng(1), 4000)
    assert abs(ours - theirs) < 4 * (error + other)


def test_spectrum():
    module = loaded("spectrum")
    clean, heard = module.chord(0.5, 0), module.chord(0.5)
    assert np.allclose(module.peaks(heard).get(), sorted(module.CHORD.values()), atol=3)
    assert cp.std(module.denoise(heard) - clean) < 0.7 * cp.std(heard - clean)
    assert module.delay(heard, cp.roll(heard, 100)) == 100


def test_spectrogram(tmp_path):
    module = loaded("spectrogram")
    heard = module.sweeps(0.5)
    assert abs(float(module.loudest(heard)) - 1500) < module.RATE / 512
    frequency, times, levels = module.decibels(heard)
    assert levels.shape == (frequency.size, times.size) and abs(float(levels.max())) < 1e-9
    pytest.importorskip("matplotlib")
    module.draw(heard, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert (ROOT / "docs" / "spectrogram.png").stat().st_size < 100_000


def test_terrain():
    module = loaded("terrain")
    terrain, made, _ = module.maps(20)
    errors = [float(abs(made[method] - terrain).mean()) for method in module.METHODS]
    assert errors[2] < 0.1 and errors == sorted(errors, reverse=True)
    assert (ROOT / "docs" / "terrain.png").stat().st_size < 130_000


def test_stations():
    module = loaded("stations")
    places = module.stations()
    nearest, triangle = module.regions(places, 40)
    apart = ((module.pixels(40)[:, :, None] - places) ** 2).sum(axis=-1)
    assert (nearest == apart.argmin(axis=-1)).all()
    assert abs(float((triangle >= 0).mean()) - module.covered(places)) < 0.02
    assert (ROOT / "docs" / "stations.png").stat().st_size < 100_000


@pytest.mark.slow
def test_pendulums(tmp_path):
    module = loaded("pendulums")
    magnet, work = module.resting(9)
    assert magnet.shape == (9, 9) and int(magnet[4, 6]) == 0 and int(work.max()) > 100
    pytest.importorskip("matplotlib")
    module.draw(magnet, work, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_lights(tmp_path):
    module = loaded("lights")
    truth, blurred = module.scene(48), module.blur(48)
    measured = blurred(truth)
    found = module.restored(measured, blurred, 30).x.reshape(truth.shape)
    assert float(abs(found - truth).mean()) < 0.7 * float(abs(measured - truth).mean())
    pytest.importorskip("matplotlib")
    module.draw([truth, measured, found], tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_distributions(tmp_path):
    module = loaded("distributions")
    years = module.lifetimes(2000)
    life = module.fitted(years)
    assert abs(life.args[0] - module.SHAPE) < 0.1 and abs(life.args[2] - module.SCALE) < 0.5
    pytest.importorskip("matplotlib")
    module.draw(years, life, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert (ROOT / "docs" / "stats-lifetimes.png").stat().st_size < 100_000


def test_clusters(tmp_path):
    module = loaded("clusters")
    sample = module.points(100)
    means, label = module.clusters(sample)
    nearest = abs(means.get()[:, None] - module.CENTRES).max(axis=2).min(axis=0)
    assert label.size == 400 and nearest.max() < 0.3
    pytest.importorskip("matplotlib")
    module.draw(sample, tmp_path)
    for name in ("clusters.png", "density.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert (ROOT / "docs" / name).stat().st_size < 100_000


def test_regression():
    module = loaded("regression")
    matrix, y = module.data()
    theirs = np.linalg.lstsq(matrix.get(), y.get())[0]
    for fit in (module.by_normal_equations, module.by_qr, module.by_singular_values):
        assert np.allclose(fit(matrix, y).get(), theirs, rtol=1e-8)
    assert np.allclose(theirs, module.TRUTH, atol=0.02)
    assert (module.resampled(matrix, y) < 0.05).all()


def test_heat():
    module = loaded("heat")
    plate = module.hot_edge(12)
    eager, graph = (module.run(f, plate, 4) for f in (module.step, module.replayed))
    assert (eager == graph).all() and len(module.replayed.graphs) == 1
    assert 0 < float(eager[1, 5]) < 100
    module.replayed.clear()


def test_fusion():
    program = loaded("fusion")
    plates = [p.get() for p in program.main(24)]
    assert all((p == plates[0]).all() for p in plates) and plates[0][1, 12] > 40


def test_kernels():
    """In a process of its own, as it finds its functions' source by its file."""
    program = [sys.executable, str(ROOT / "examples" / "kernels.py"), "32"]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("agree: True\n"), done.stderr


def test_tour_of_a_table(tour, rng):
    x = np.linspace(0, 30, 200)
    y = 2.0 ** (x / 7 + 1 + rng.normal(0, 0.01, 200))
    ours, theirs = (tour.fit_line(xp, x, y) for xp in (cp, np))
    assert_same(ours, theirs, rtol=1e-10)
    assert abs(float(ours[0]) - 1 / 7) < 1e-3


@pytest.mark.skipif("GPUNP_SANITIZE" in os.environ, reason="the floor's program is not sanitized")
def test_benchmark_table_runs_in_small(tmp_path):
    out = tmp_path / "results.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "run.py"), "--mods", "gpunp,numpy"]
    command += ["--nocold", "--scale", "1e-5", "--out", str(out)]
    command += ["--only", "host/a |device/add f4|transfer"]
    subprocess.run(command, check=True, capture_output=True)
    result = json.loads(out.read_text())
    assert result["floor"]["launch_us"] > 0
    for name in ("gpunp", "numpy"):
        cells = result["libraries"][name]["cells"]
        errors = {key: cell["error"] for key, cell in cells.items() if "error" in cell}
        assert cells and not errors
    subprocess.run([*command, "--resume"], check=True, capture_output=True)
    again = json.loads(out.read_text())
    assert again["libraries"] == result["libraries"] and again["floor"] == result["floor"]
    refused = subprocess.run([*command, "--record"], capture_output=True, text=True)
    assert refused.returncode != 0 and "whole table" in refused.stderr


@pytest.mark.skipif("GPUNP_SANITIZE" in os.environ, reason="the floor's program is not sanitized")
def test_parts_of_the_benchmark_are_put_together(tmp_path):
    outs = [tmp_path / f"part{k}.json" for k in (1, 2)]
    command = [sys.executable, str(ROOT / "benchmarks" / "run.py"), "--mods", "gpunp,numpy"]
    command += ["--nocold", "--scale", "1e-5", "--only", "host/a [-*>] |device/add f4$"]
    for k, out in enumerate(outs, 1):
        subprocess.run(
            [*command, "--part", f"{k}/2", "--out", out], check=True, capture_output=True
        )
    whole = tmp_path / "whole.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "parts.py"), "--join", *outs]
    done = subprocess.run([*command, "--out", whole], check=True, capture_output=True, text=True)
    result = json.loads(whole.read_text())
    rows = ["host/a * 2.0", "host/a > b", "device/add f4"]
    for name in ("gpunp", "numpy"):
        assert list(result["libraries"][name]["cells"]) == rows
    parts = [json.loads(out.read_text())["libraries"]["gpunp"]["cells"] for out in outs]
    assert [len(part) for part in parts] == [2, 1] and result["machine"]["parts"] == 2
    assert "rows shared out to 2 of them" in done.stdout


def test_benchmark_beside_scipy_runs_in_small(tmp_path):
    out = tmp_path / "beside.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "beside_scipy.py"), "--out", str(out)]
    command += ["--scale", "1e-5", "--limit", "0.02", "--only", "zscore|minima of|KDTree of"]
    subprocess.run(command, check=True, capture_output=True)
    rows = json.loads(out.read_text())["beside"]
    assert {"stats/zscore", "integrate/minima of 4 variables"} < set(rows)
    assert all(row["gpunp_ms"] > 0 and row["scipy_ms"] > 0 for row in rows.values())


def test_series():
    module = loaded("series")
    x, curve, noise = module.noisy_curve()
    fit = module.Chebyshev.fit(x, curve + noise, deg=20)
    turns = np.arctan(5.0) + np.pi * np.arange(3)  # where exp(-x / 5) sin(x) has slope 0
    assert np.allclose(module.extremes(fit).get(), turns, atol=0.03)
    assert float(cp.abs(fit(x) - curve).max()) < 0.02


def test_images(tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    module = loaded("images")
    picture = module.coins(60, 80, 5, 0.05)
    labels, count = module.objects(picture)
    area, brightness, centers = module.measure(picture, labels, count)
    assert 1 <= count <= 5 and len(centers) == count
    assert int(area.sum()) == int((labels > 0).sum()) > 0
    assert (brightness > 0.35).all() and float(module.edges(picture).min()) >= 0
    assert ((module.depth(labels) > 0) == (labels > 0)).all()
    for path in module.save(tmp_path, picture):
        assert path.read_bytes()[:4] == b"\x89PNG" and path.stat().st_size < 100_000


def test_cold_start_keeps_its_rows_when_it_is_stopped(tmp_path):
    """Each row is printed and written when it is known."""
    out = tmp_path / "cold.json"
    command = [sys.executable, "benchmarks/cold_start.py", "--repeat", "1", "--pack", "off"]
    command += ["--only", "^import$|^ten", "--out", str(out)]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        lines = [child.stdout.readline().split() for _ in range(3)]
    finally:
        child.kill()
        child.communicate()
    assert [line[0] for line in lines] == ["bare", "seconds", "import"]
    assert list(json.loads(out.read_text())["rows"]) == ["import"]
