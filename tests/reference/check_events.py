"""Reads event files with TensorBoard and, if given, compares their scalars with a stats.json.

    check_events.py LOG_DIR [stats.json]

Prints one line per tag: kind, tag, then (step, value) of scalars and texts, size of images and
sounds, count of histograms, thresholds of curves. Then the nodes of the graph, the
hyper-parameters, and how the run ended.
"""

import io
import json
import sys
import wave

import numpy
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2
from tensorboard.util import tensor_util

EVERYTHING = {"scalars": 0, "images": 0, "histograms": 0, "tensors": 0, "audio": 0}


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
    for tag in sorted(events.Tags()["audio"]):
        print("audio", tag, " ".join(
            f"{event.step}:{event.sample_rate:g}x{channels(event)}x{event.length_frames}"
            for event in events.Audio(tag)))
    if events.Tags()["graph"]:
        for node in events.Graph().node:
            print("node", node.name, node.op, *node.input)
    print_tensors(events)


def channels(event):
    with wave.open(io.BytesIO(event.encoded_audio_string)) as file:
        if file.getnframes() != event.length_frames or file.getframerate() != event.sample_rate:
            sys.exit("a sound is not what its event says")
        return file.getnchannels()


def print_tensors(events):
    hparams = []
    for tag in sorted(events.Tags()["tensors"]):
        plugin = events.SummaryMetadata(tag).plugin_data
        values = [(event.step, tensor_util.make_ndarray(event.tensor_proto))
                  for event in events.Tensors(tag)]
        if plugin.plugin_name == "text":
            print("text", tag, " ".join(f"{step}:{text[0].decode()}" for step, text in values))
        elif plugin.plugin_name == "pr_curves":
            print("pr_curve", tag, " ".join(f"{step}:{rows.shape[1]}" for step, rows in values))
        elif plugin.plugin_name == "hparams":
            hparams.append(plugin_data_pb2.HParamsPluginData.FromString(plugin.content))
    if hparams:
        begin = next(one.session_start_info for one in hparams if one.HasField("session_start_info"))
        end = next(one.session_end_info for one in hparams if one.HasField("session_end_info"))
        values = {name: getattr(value, value.WhichOneof("kind"))
                  for name, value in sorted(begin.hparams.items())}
        success = end.status == api_pb2.STATUS_SUCCESS
        print("hparams", " ".join(f"{name}={value}" for name, value in values.items()),
              "success" if success else "failure")


if __name__ == "__main__":
    main(*sys.argv[1:])
