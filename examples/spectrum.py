"""The notes in a chord: a signal, its spectrum, and the signal without the noise.

python examples/spectrum.py      uses a GPU, or the emulated device where there is none
"""

import gpunp as cp
from gpunp.scipy import fft, signal

RATE = 8192  # samples per second
CHORD = {"A": 440.0, "C sharp": 554.4, "E": 659.3}  # hertz


def chord(seconds=1.0, noise=0.5):
    """Samples of the three notes, and noise: the same on every device."""
    time = cp.arange(int(seconds * RATE)) / RATE
    tones = sum(cp.sin(2 * cp.pi * hertz * time) for hertz in CHORD.values())
    return tones + noise * cp.random.default_rng(1).standard_normal(time.size)


def peaks(samples, count=3):
    """The frequencies with the largest amplitudes, in hertz, in ascending order."""
    amplitude = cp.abs(cp.fft.rfft(samples * cp.hanning(samples.size)))
    frequency = cp.fft.rfftfreq(samples.size, 1 / RATE)
    left, middle, right = amplitude[:-2], amplitude[1:-1], amplitude[2:]
    heights = cp.where((middle > left) & (middle >= right), middle, 0)
    highest = cp.argsort(heights)[-count:] + 1
    return cp.sort(frequency[highest])


def denoise(samples, keep=0.05):
    """The signal without the parts of its cosine spectrum below `keep` of the largest one."""
    spectrum = fft.dct(samples, norm="ortho")
    spectrum[cp.abs(spectrum) < keep * cp.abs(spectrum).max()] = 0
    return fft.idct(spectrum, norm="ortho")


def delay(samples, late):
    """How many samples `late` lags behind: where the two correlate most."""
    match = signal.correlate(late, samples, method="fft")
    return signal.correlation_lags(late.size, samples.size)[cp.argmax(match)]


if __name__ == "__main__":
    clean, heard = chord(noise=0), chord()
    print("notes:", *(f"{hertz:.0f} Hz" for hertz in peaks(heard).get()))
    before, after = (float(cp.std(x - clean)) for x in (heard, denoise(heard)))
    print(f"noise: {before:.3f} before, {after:.3f} after")
    print("delay:", int(delay(heard, cp.roll(heard, 100))), "samples")
