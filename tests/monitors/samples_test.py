#!/usr/bin/env python3
"""The callback samples, by what reaches the event file.

  samples_test.py BROCH PLUGIN
"""
import io
import pathlib
import struct
import sys
import unittest
import wave

import event_file
from training import Training


def batches(points, size):
    """Data points of images and labels, so many at once."""
    return {"use": "batch", "with": {"batch_size": size, "remainder": True, "dataflow": {
        "use": "list", "with": {"points": [[image, 0] for image in points],
                                "dtypes": ["float32", "int64"]}}}}


class Samples(Training):
    def shown(self, shape, points, outputs, size=2, expect=0, **more):
        """What an epoch of a network over these inputs has shown, by tag."""
        data = batches(points, size)
        said = self.train("tf-event-writer", expect=expect, max_epoch=1, steps_per_epoch=1,
                          model={"use": "mlp", "with": {"shape": shape, "hidden": [2]}},
                          dataflow={"use": "repeat", "with": {"dataflow": data}},
                          callbacks=[{"use": "samples", "with": {
                              "dataflow": data, "outputs": outputs, **more}}])
        return said if expect else event_file.by_tag(self.folder / "log")

    def text(self, found, tag):
        (step, value), = found[tag]
        self.assertEqual(step, 1)
        return event_file.Tensor(value).elements[0]

    def test_texts_of_bytes_and_of_a_vocabulary(self):
        points = [list(b"Hi!\n"), list(b"tea."), list(b"cup?"), list(b"end.")]
        found = self.shown([4], points, [{"name": "image", "as": "texts"}], count=3)
        self.assertEqual(self.text(found, "samples/image"), "- `Hi! `\n- `tea.`\n- `cup?`\n")
        # The second as an editor on Windows writes it.
        for i, words in enumerate(("the\ncat\nsat\n", "\ufeffthe\r\ncat\r\nsat\r\n")):
            (self.folder / "words.txt").write_bytes(words.encode())
            found = self.shown([4], [[0, 1, 2, 9]], prefix=f"seen{i}", outputs=[
                {"name": "image", "as": "texts", "vocabulary": "words.txt"}])
            self.assertEqual(self.text(found, f"seen{i}/image"), "- `the cat sat ?`\n")

    def test_sounds_and_numbers(self):
        points = [[0, 0.5, -1, 1], [1, 1, 1, 1]]
        found = self.shown([4], points, [{"name": "image", "as": "sounds", "rate": 8000},
                                         {"name": "image", "as": "numbers"}])
        sound = event_file.fields(found["samples/image/0"][0][1][6][0])
        with wave.open(io.BytesIO(sound[4][0])) as file:
            self.assertEqual(struct.unpack("<4h", file.readframes(4)), (0, 16384, -32767, 32767))
        self.assertIn("samples/image/1", found)
        self.assertEqual(self.text(found, "samples/image"), "- 0, 0.5, -1, 1\n- 1, 1, 1, 1\n")

    def test_pictures_with_channels_in_front_or_behind(self):
        points = [[[[0, 1]], [[0.5, 1]], [[2, -1]]]]  # 3 channels of 1 x 2
        found = self.shown([3, 1, 2], points, [{"name": "image", "as": "images"}])
        picture = event_file.fields(found["samples/image"][0][1][4][0])
        self.assertEqual((picture[1], picture[2], picture[3]), ([1], [2], [3]))
        points = [[[[0], [1]], [[0.5], [1]], [[2], [-1]]]]  # 3 x 2 with 1 channel
        found = self.shown([3, 2, 1], points, [
            {"name": "image", "as": "images", "channels_last": True, "scale": 100}])
        picture = event_file.fields(found["samples/image"][0][1][4][0])
        self.assertEqual((picture[1], picture[2], picture[3]), ([3], [2], [1]))
        self.assertEqual(event_file.gray_pixels(picture[4][0]), [[0, 100], [50, 100], [200, 0]])

    def test_what_the_shape_does_not_fit_is_refused(self):
        said = self.shown([4], [[1, 2, 3, 4]], [{"name": "image", "as": "images"}], expect=1)
        self.assertIn("found samples/image of shape (N, 4), expected (N, height, width)", said)
        said = self.shown([4], [[1, 2, 3, 4]], [{"name": "cost", "as": "sounds"}], expect=1)
        self.assertIn("found samples/cost of shape (N), expected (N, frames)", said)


if __name__ == "__main__":
    Training.broch = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
