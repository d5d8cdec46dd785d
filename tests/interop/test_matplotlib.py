"""Matplotlib draws device arrays: each function the same picture as of NumPy's arrays."""

import io
import types
import warnings

import numpy as np
import pytest

import gpunp as cp

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
collections = pytest.importorskip("matplotlib.collections")


def data(xp):
    """The same data for either module."""
    rng = np.random.default_rng(1)
    array = np.asarray if xp is np else xp.asarray
    x = np.linspace(0.1, 6, 12)
    z = np.outer(np.sin(x), np.cos(x))
    X, Y = np.meshgrid(x, x)
    host = {
        "x": x, "y": np.sin(x), "z": z, "X": X, "Y": Y, "e": np.full(12, 0.1),
        "r": rng.normal(size=64), "im": rng.random((8, 8, 3)),
    }  # fmt: skip
    return types.SimpleNamespace(xp=xp, **{name: array(value) for name, value in host.items()})


def solid(plt):
    return plt.figure().add_subplot(projection="3d")


CASES = {
    "plot": lambda plt, d: plt.plot(d.x, d.y),
    "plot1": lambda plt, d: plt.plot(d.y),
    "plot2d": lambda plt, d: plt.plot(d.x, d.xp.stack([d.y, d.y], 1)),
    "scatter": lambda plt, d: plt.scatter(d.x, d.y, c=d.y, s=d.xp.abs(d.y) * 9),
    "imshow": lambda plt, d: plt.imshow(d.z),
    "imshow rgb": lambda plt, d: plt.imshow(d.im),
    "contour": lambda plt, d: plt.contour(d.x, d.x, d.z),
    "contourf": lambda plt, d: plt.contourf(d.X, d.Y, d.z, levels=d.xp.linspace(-1, 1, 5)),
    "hist": lambda plt, d: plt.hist(d.r),
    "hist bins": lambda plt, d: plt.hist(d.r, bins=d.xp.linspace(-2, 2, 9)),
    "hist list": lambda plt, d: plt.hist([d.r, d.r]),
    "hist2d": lambda plt, d: plt.hist2d(d.r, d.r),
    "bar": lambda plt, d: plt.bar(d.x, d.y),
    "barh": lambda plt, d: plt.barh(d.x, d.y),
    "bar yerr": lambda plt, d: plt.bar(d.x, d.y, yerr=d.e),
    "errorbar": lambda plt, d: plt.errorbar(d.x, d.y, yerr=d.e, xerr=d.xp.stack([d.e, d.e])),
    "fill_between": lambda plt, d: plt.fill_between(d.x, d.y, -d.y, where=d.y > 0),
    "fill_betweenx": lambda plt, d: plt.fill_betweenx(d.x, d.y),
    "fill": lambda plt, d: plt.fill(d.x, d.y),
    "pcolormesh": lambda plt, d: plt.pcolormesh(d.X, d.Y, d.z),
    "pcolor": lambda plt, d: plt.pcolor(d.x, d.x, d.z),
    "quiver": lambda plt, d: plt.quiver(d.X, d.Y, d.z, d.z),
    "streamplot": lambda plt, d: plt.streamplot(d.x, d.x, d.z, d.z, density=0.2),
    "barbs": lambda plt, d: plt.barbs(d.X, d.Y, d.z, d.z),
    "boxplot": lambda plt, d: plt.boxplot(d.r),
    "boxplot list": lambda plt, d: plt.boxplot([d.r, d.r]),
    "boxplot 2d": lambda plt, d: plt.boxplot(d.z),
    "violinplot": lambda plt, d: plt.violinplot(d.r),
    "violin list": lambda plt, d: plt.violinplot([d.r, d.r], positions=d.xp.arange(2)),
    "stem": lambda plt, d: plt.stem(d.x, d.y),
    "step": lambda plt, d: plt.step(d.x, d.y),
    "stairs": lambda plt, d: plt.stairs(d.y[1:], d.x),
    "stackplot": lambda plt, d: plt.stackplot(d.x, d.y, d.y),
    "stackplot2d": lambda plt, d: plt.stackplot(d.x, d.xp.stack([d.y, d.y])),
    "pie": lambda plt, d: plt.pie(d.xp.abs(d.y)),
    "hexbin": lambda plt, d: plt.hexbin(d.r, d.r),
    "tricontour": lambda plt, d: plt.tricontour(d.r, d.r[::-1], d.r),
    "tripcolor": lambda plt, d: plt.tripcolor(d.r, d.r[::-1], d.r),
    "triplot": lambda plt, d: plt.triplot(d.r, d.r[::-1]),
    "specgram": lambda plt, d: plt.specgram(d.r, NFFT=64, noverlap=8),
    "psd": lambda plt, d: plt.psd(d.r, NFFT=64),
    "csd": lambda plt, d: plt.csd(d.r, d.r, NFFT=64),
    "cohere": lambda plt, d: plt.cohere(d.r, d.r, NFFT=32),
    "magnitude_spectrum": lambda plt, d: plt.magnitude_spectrum(d.r),
    "angle_spectrum": lambda plt, d: plt.angle_spectrum(d.r),
    "phase_spectrum": lambda plt, d: plt.phase_spectrum(d.r),
    "acorr": lambda plt, d: plt.acorr(d.r),
    "xcorr": lambda plt, d: plt.xcorr(d.r, d.r),
    "spy": lambda plt, d: plt.spy(d.z > 0),
    "matshow": lambda plt, d: plt.matshow(d.z, fignum=0),
    "eventplot": lambda plt, d: plt.eventplot(d.r),
    "eventplot2": lambda plt, d: plt.eventplot([d.r, d.r]),
    "loglog": lambda plt, d: plt.loglog(d.x, d.y),
    "semilogx": lambda plt, d: plt.semilogx(d.x, d.y),
    "semilogy": lambda plt, d: plt.semilogy(d.x, d.y),
    "ecdf": lambda plt, d: plt.ecdf(d.r),
    "axhline": lambda plt, d: plt.axhline(d.y[:4].max()),
    "axvline": lambda plt, d: plt.axvline(d.y[3]),
    "axhspan": lambda plt, d: plt.axhspan(d.y[0], d.y[3]),
    "axline": lambda plt, d: plt.axline((d.x[0], d.y[0]), (d.x[1], d.y[1])),
    "hlines": lambda plt, d: plt.hlines(d.y, d.x[0], d.x[-1]),
    "vlines": lambda plt, d: plt.vlines(d.x, 0, d.y),
    "text": lambda plt, d: plt.text(d.x[2], d.y[2], "a"),
    "annotate": lambda plt, d: plt.annotate("a", (d.x[2], d.y[2]), xytext=(d.x[3], d.y[3])),
    "annotate1": lambda plt, d: plt.annotate("a", d.x[:2]),
    "arrow": lambda plt, d: plt.arrow(d.x[0], d.y[0], d.x[1], d.y[1]),
    "set_xlim": lambda plt, d: plt.gca().set_xlim(d.x[0], d.x[-1]),
    "xlim": lambda plt, d: plt.xlim(d.x[[0, -1]]),
    "xticks": lambda plt, d: plt.xticks(d.x[:4]),
    "axis": lambda plt, d: plt.axis(d.xp.asarray([0.0, 1, 0, 1])),
    "colorbar": lambda plt, d: plt.colorbar(plt.imshow(d.z, vmin=d.z.min(), vmax=d.z.max())),
    "clim": lambda plt, d: (plt.imshow(d.z), plt.clim(d.z.min(), d.z.max())),
    "extent": lambda plt, d: plt.imshow(d.z, extent=d.xp.asarray([0.0, 1, 0, 1])),
    "cmap": lambda plt, d: plt.cm.viridis(d.x / 6),
    "norm": lambda plt, d: plt.Normalize(d.z.min(), d.z.max())(d.z),
    "clabel": lambda plt, d: plt.clabel(plt.contour(d.z)),
    "imsave": lambda plt, d: plt.imsave(io.BytesIO(), d.z),
    "figimage": lambda plt, d: plt.figimage(d.im),
    "polar": lambda plt, d: plt.polar(d.x, d.y),
    "bar_label": lambda plt, d: plt.bar_label(plt.bar(d.x, d.y)),
    "table": lambda plt, d: plt.table(d.z[:2, :2]),
    "broken_barh": lambda plt, d: plt.broken_barh(d.z[:3, :2], (0, 1)),
    "LineCollection": lambda plt, d: plt.gca().add_collection(
        collections.LineCollection(d.xp.stack([d.x, d.y], 1)[None])
    ),
    "Polygon": lambda plt, d: plt.gca().add_patch(plt.Polygon(d.xp.stack([d.x, d.y], 1))),
    "Circle": lambda plt, d: plt.gca().add_patch(plt.Circle((d.x[0], d.y[0]), d.y[3])),
    "set_data": lambda plt, d: plt.plot(d.x, d.y)[0].set_data(d.x, d.y),
    "im.set_data": lambda plt, d: plt.imshow(d.z).set_data(d.z * 2),
    "scatter offsets": lambda plt, d: plt.scatter(d.x, d.y).set_offsets(d.xp.stack([d.x, d.y], 1)),
    "set_array": lambda plt, d: plt.scatter(d.x, d.y, c=d.x).set_array(d.y),
    "3d surface": lambda plt, d: solid(plt).plot_surface(d.X, d.Y, d.z),
    "3d wire": lambda plt, d: solid(plt).plot_wireframe(d.X, d.Y, d.z),
    "3d scatter": lambda plt, d: solid(plt).scatter(d.r, d.r, d.r),
    "3d plot": lambda plt, d: solid(plt).plot(d.x, d.y, d.x),
    "3d contour": lambda plt, d: solid(plt).contour(d.X, d.Y, d.z),
    "3d trisurf": lambda plt, d: solid(plt).plot_trisurf(d.r, d.r[::-1], d.r),
    "3d bar": lambda plt, d: solid(plt).bar3d(d.x, d.y, 0, 1, 1, d.y),
    "3d voxels": lambda plt, d: solid(plt).voxels(d.xp.ones((2, 2, 2), bool)),
    "3d quiver": lambda plt, d: solid(plt).quiver(d.x, d.y, d.x, d.y, d.x, d.y),
    "3d stem": lambda plt, d: solid(plt).stem(d.x, d.y, d.x),
}


def picture(function, xp):
    """What a function draws, as bytes."""
    plt.close("all")
    plt.figure(figsize=(2, 2), dpi=50)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of empty rows, logarithms and margins, for NumPy too
            function(plt, data(xp))
            plt.gcf().canvas.draw()
        return bytes(plt.gcf().canvas.buffer_rgba())
    finally:
        plt.close("all")


@pytest.mark.parametrize("function", CASES.values(), ids=CASES)
def test_picture_is_that_of_numpy(function):
    assert picture(function, cp) == picture(function, np)


def test_arrays_stay_where_they_are():
    d = data(cp)
    d.y[...] = 1
    line = plt.plot(d.x, d.y)[0]
    plt.fill_between(d.x, d.y, -d.y, where=d.y > 0)
    plt.gcf().canvas.draw()
    assert isinstance(d.y, cp.ndarray) and float(d.y.sum()) == 12
    assert isinstance(line.get_ydata(), np.ndarray)
    plt.close("all")


def test_the_users_own_functions_are_still_refused():
    a = cp.arange(3.0)

    def text(value, position):
        with pytest.raises(TypeError, match="Implicit conversion"):
            np.asarray(a)
        with pytest.raises(TypeError, match="numpy.ndarray"):
            a * np.ones(3)
        assert isinstance(np.sin(a), cp.ndarray)
        seen.append(value)
        return "text"

    seen = []
    figure, axes = plt.subplots(figsize=(1, 1))
    axes.xaxis.set_major_formatter(text)
    axes.plot(a)
    figure.canvas.draw()
    plt.close("all")
    assert seen
    text(0, 0)
