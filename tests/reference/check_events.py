"""Reads event files with TensorBoard and, if given, compares their scalars with a stats.json.

    check_events.py LOG_DIR [stats.json]

Prints one line per tag: kind, tag, then (step, value) of scalars, size of images, count of
histograms.
"""

import io
import json
import sys

import numpy
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

EVERYTHING = {"scalars": 0, "images": 0, "histograms": 0, "tensors": 0}


def load(path):
    events = EventAccumulator(path, size_guidance=EVERYTHING)
    events.Reload()
    return events


def scalars(events):
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def compare(found, path):
    """Event files hold 32-bit floats, JSON holds doubles."""
    expected = {}
    with open(path) as file:
        for record in json.load(file):
            for tag, value in record.items():
                if tag not in ("epoch_num", "global_step"):
                    pair = (record["global_step"], float(numpy.float32(value)))
                    expected.setdefault(tag, []).append(pair)
    for tag in sorted(expected.keys() | found.keys()):
        if expected.get(tag) != found.get(tag):
            sys.exit(f"{tag}: events have {found.get(tag)}, {path} has {expected.get(tag)}")


def main(path, stats=None):
    events = load(path)
    found = scalars(events)
    if stats:
        compare(found, stats)
    for tag, values in sorted(found.items()):
        print("scalar", tag, " ".join(f"{step}:{value!r}" for step, value in values))
    for tag in sorted(events.Tags()["images"]):
        for event in events.Images(tag):
            image = Image.open(io.BytesIO(event.encoded_image_string))
            image.load()
            if image.size != (event.width, event.height):
                sys.exit(f"{tag}: the image has size {image.size}, not what the event says")
            pixel = image.getpixel((0, 0))
            print("image", tag, f"{event.step}:{image.mode} {event.width}x{event.height} {pixel}")
    for tag in sorted(events.Tags()["histograms"]):
        for event in events.Histograms(tag):
            value = event.histogram_value
            if sum(value.bucket) != value.num:
                sys.exit(f"{tag}: buckets hold {sum(value.bucket)} values of {value.num}")
            print("histogram", tag, f"{event.step}:{value.num:g} {value.min:g} {value.max:g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
