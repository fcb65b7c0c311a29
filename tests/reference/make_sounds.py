#!/usr/bin/env python3
"""Makes the good files of tests/plugins_audio: sounds, and what librosa makes of them.

  tests/reference/make_sounds.py     needs requirements.txt

A line of spectrograms.txt: options (see log_mel_test.cpp), number of mels and of frames, values.
"""
import pathlib

import librosa
import numpy as np
import soundfile

OUT = pathlib.Path(__file__).resolve().parents[1] / "plugins_audio" / "good"
RATE, SAMPLES = 16000, 1200


def tone():
    """Two channels of SAMPLES samples, which log_mel_test.cpp computes in the same way."""
    i = np.arange(SAMPLES)
    left = 0.5 * np.sin(2 * np.pi * 440 * i / RATE) + 0.01 * ((i * 7919) % 101 - 50) / 50
    right = 0.25 * np.sin(2 * np.pi * (100 + i) * i / RATE)
    return np.stack([left, right]).astype("float32")


def spectrograms(sound):
    for n_fft, hop, window, mels, htk, norm, power, pad, log in [
        (400, 200, 400, 20, True, None, 2.0, "reflect", "natural"),  # torchaudio's defaults
        (512, 128, 512, 16, False, "slaney", 2.0, "constant", "decibels"),  # librosa's
        (441, 147, 300, 12, False, None, 1.0, "reflect", "none"),
        (394, 160, 320, 10, True, "slaney", 2.0, "none", "log10"),
    ]:
        made = librosa.feature.melspectrogram(
            y=sound.astype("float64"), sr=RATE, n_fft=n_fft, hop_length=hop, win_length=window,
            center=pad != "none", pad_mode="constant" if pad == "none" else pad, power=power,
            n_mels=mels, fmin=20, fmax=7600, htk=htk, norm=norm, dtype="float64")
        if log == "natural":
            made = np.log(np.maximum(made, 1e-10))
        elif log == "log10":
            made = np.log10(np.maximum(made, 1e-10))
        elif log == "decibels":
            made = librosa.power_to_db(made, amin=1e-10, top_db=40)
        options = (n_fft, hop, window, mels, "htk" if htk else "slaney", norm or "none", power,
                   {"constant": "zeros"}.get(pad, pad), log, *made.shape)
        yield " ".join([*map(str, options), *(f"{value:.7g}" for value in made.ravel())])


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    sound = tone()
    soundfile.write(OUT / "tone.wav", sound.T, RATE, subtype="FLOAT")
    soundfile.write(OUT / "tone.flac", sound[0], RATE, subtype="PCM_16")
    (OUT / "spectrograms.txt").write_text("\n".join(spectrograms(sound[0])) + "\n")
