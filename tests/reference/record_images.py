#!/usr/bin/env python3
"""Writes tests/plugins_images/files: small images, and what Pillow and OpenCV decode from them.

  tests/reference/record_images.py FOLDER

Needs opencv-python-headless 5.0, Pillow 13 and scikit-image 0.26 of PyPI.

decoded.json has, for each file and way of decoding, the shape and the CRC-32 of the pixels. The
photograph is scikit-image's astronaut (NASA, public domain).
"""
import io
import json
import pathlib
import sys
import zlib

import cv2
import numpy as np
from PIL import Image
from skimage import data

TO = pathlib.Path(sys.argv[1])


def write_files():
    photo = Image.fromarray(data.astronaut()[20:128, 170:259])
    save = {
        "plain.jpg": (photo, dict(quality=90)),
        "full_chroma.jpg": (photo, dict(quality=90, subsampling=0)),
        "half_chroma.jpg": (photo, dict(quality=90, subsampling=1)),
        "progressive.jpg": (photo, dict(quality=80, progressive=True)),
        "restart.jpg": (photo, dict(quality=80, restart_marker_rows=1)),
        "gray.jpg": (photo.convert("L"), dict(quality=90)),
        "cmyk.jpg": (photo.convert("CMYK"), dict(quality=90)),
        "rgb.png": (photo.crop((0, 0, 40, 30)), {}),
        "gray.png": (photo.crop((0, 0, 40, 30)).convert("L"), {}),
        "palette.png": (photo.crop((0, 0, 40, 30)).quantize(16), {}),
        "alpha.png": (photo.crop((0, 0, 40, 30)).convert("RGBA"), {}),
        "two_colors.png": (photo.crop((0, 0, 40, 30)).convert("1"), {}),
        "lossy.webp": (photo, dict(quality=80)),
        "lossless.webp": (photo.crop((0, 0, 41, 31)), dict(lossless=True)),
    }
    exif = photo.getexif()
    for orientation in range(1, 9):
        exif[0x0112] = orientation
        options = dict(quality=70, exif=exif.tobytes())
        save[f"turned_{orientation}.jpg"] = (photo.crop((0, 0, 37, 21)), options)
    exif[0x0112] = 6
    save["turned_6.webp"] = (photo.crop((0, 0, 37, 21)), dict(exif=exif.tobytes()))
    save["turned_6.png"] = (photo.crop((0, 0, 37, 21)), dict(exif=exif.tobytes()))
    for name, (image, options) in save.items():
        image.save(TO / name, **options)


def facts(pixels):
    pixels = np.ascontiguousarray(pixels)
    return {"shape": pixels.shape[:2], "crc32": zlib.crc32(pixels.tobytes())}


def decoded(path):
    content = path.read_bytes()
    image = Image.open(io.BytesIO(content))
    if image.mode == "CMYK":
        return {"rgb": facts(np.asarray(image.convert("RGB")))}
    from PIL import ImageOps
    ways = {"rgb": facts(np.asarray(ImageOps.exif_transpose(image).convert("RGB"))),
            "rgb, as stored": facts(np.asarray(image.convert("RGB")))}
    array = np.frombuffer(content, np.uint8)
    ways["bgr"] = facts(cv2.imdecode(array, cv2.IMREAD_COLOR))
    if path.suffix == ".jpg":
        ways["gray"] = facts(cv2.imdecode(array, cv2.IMREAD_GRAYSCALE))
        for reduction in 2, 4, 8:
            mode = getattr(cv2, f"IMREAD_REDUCED_COLOR_{reduction}")
            ways[f"bgr, 1/{reduction}"] = facts(cv2.imdecode(array, mode))
    return ways


if __name__ == "__main__":
    write_files()
    result = {path.name: decoded(path) for path in sorted(TO.iterdir())
              if path.suffix in (".jpg", ".png", ".webp")}
    lines = [f"{json.dumps(name)}: {json.dumps(ways)}" for name, ways in result.items()]
    (TO / "decoded.json").write_text("{" + ",\n ".join(lines) + "}\n")
