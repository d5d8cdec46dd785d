"""Two sweeps and a beat in noise, and their spectrogram as a picture.

python examples/spectrogram.py [picture.png]      the picture needs Matplotlib
"""

import sys

import gpunp as cp
from gpunp.scipy import signal

RATE = 8000  # samples per second


def sweeps(seconds=4.0, noise=0.02):
    """Samples of a rising sweep, a falling one, and a tone that comes and goes."""
    time = cp.arange(int(seconds * RATE)) / RATE
    rising = signal.chirp(time, 200, seconds, 3600, method="quadratic")
    falling = signal.chirp(time, 3000, seconds, 400, method="hyperbolic")
    beat = signal.square(2 * cp.pi * 2 * time, duty=0.3) + 1
    tone = beat * cp.sin(2 * cp.pi * 1500 * time)
    return rising + falling + tone + noise * cp.random.default_rng(1).standard_normal(time.size)


def decibels(samples, nperseg=512):
    """(frequencies, times, levels in decibels, the highest 0)."""
    f, t, power = signal.spectrogram(samples, RATE, nperseg=nperseg, noverlap=nperseg * 7 // 8)
    return f, t, 10 * cp.log10(power / power.max() + 1e-12)


def loudest(samples, nperseg=512):
    """The frequency of the highest peak of the average spectrum, in hertz."""
    f, power = signal.welch(samples, RATE, nperseg=nperseg)
    peaks, found = signal.find_peaks(power, height=0)
    return f[peaks[found["peak_heights"].argmax()]]


def draw(samples, path):
    """Write the spectrogram as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    f, t, levels = decibels(samples)
    figure, axes = pyplot.subplots(figsize=(6.4, 3), dpi=75)
    axes.pcolormesh(t.get(), f.get(), levels.get(), vmin=-40, vmax=0, cmap="magma")
    axes.set(xlabel="time in seconds", ylabel="frequency in hertz")
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


if __name__ == "__main__":
    heard = sweeps()
    print(f"loudest: {float(loudest(heard)):.0f} Hz")
    if len(sys.argv) > 1:
        draw(heard, sys.argv[1])
