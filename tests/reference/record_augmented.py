#!/usr/bin/env python3
"""Writes what augmentations give, as numpy, OpenCV and Pillow define them.

  tests/reference/record_augmented.py > tests/plugins_images/files/augmented.json

Needs opencv-python-headless 5.0, Pillow 13 and scikit-image 0.26 of PyPI.

The draws are fixed here; the test gives the same to the functions of plugins/transforms/images. The
definitions are those of tensorpack's imgaug, written anew.
"""
import json
import math

import cv2
import numpy as np
from PIL import Image, ImageEnhance, ImageFilter, ImageOps
from skimage import data

BYTES = np.ascontiguousarray(data.astronaut()[60:72, 190:200])
FLOATS = BYTES.astype(np.float32) + np.float32(0.25)
cases = {}


def values(array):
    return [round(float(v), 5) if array.dtype.kind == "f" else int(v) for v in array.ravel()]


def record(name, function):
    """Of the image as uint8 and as float32."""
    for kind, image in ("uint8", BYTES), ("float32", FLOATS):
        result = np.asarray(function(image.copy()))
        cases[f"{name}, {kind}"] = {"shape": list(result.shape), "dtype": str(result.dtype),
                                    "values": values(result)}


def back(function):
    """Computes in float32, clips, and gives the type of the image."""
    def run(image):
        return np.clip(function(image.astype(np.float32)), 0, 255).astype(image.dtype)
    return run


def contrast(mean_of, factor):
    def run(image):
        mean = mean_of(image)
        result = image.astype(np.float64) * factor + mean * (1 - factor)
        return np.clip(result, 0, 255).astype(image.dtype)
    return run


def saturation(factor):
    def run(image):
        gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
        factor32 = np.float32(factor)
        result = image.astype(np.float32) * factor32 + (gray * (1 - factor32))[:, :, None]
        return np.clip(result, 0, 255).astype(image.dtype)
    return run


def hue(offset):
    def run(image):
        hsv = cv2.cvtColor(image, cv2.COLOR_RGB2HSV)
        if image.dtype == np.uint8:
            hsv[..., 0] = ((hsv[..., 0].astype(np.float32) + offset) % 180).astype(np.uint8)
        else:
            hsv[..., 0] = (hsv[..., 0] + 2 * offset) % 360
        return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)
    return run


def gamma(value):
    def run(image):
        lut = ((np.arange(256, dtype=np.float32) / 255) ** (1. / (1. + value)) * 255)
        return cv2.LUT(np.clip(image, 0, 255).astype(np.uint8),
                       lut.astype(np.uint8)).astype(image.dtype)
    return run


def variance(axis):
    def run(image):
        image = image.astype(np.float32)
        std = np.maximum(image.std(axis=axis, keepdims=True), 1 / np.sqrt(image.size))
        return (image - image.mean(axis=axis, keepdims=True)) / std
    return run


def minmax(axis, low, high):
    def run(image):
        image = image.astype(np.float32)
        least, most = image.min(axis=axis, keepdims=True), image.max(axis=axis, keepdims=True)
        return (high - low) * (image - least) / (most - least) + low
    return run


def jpeg(image):
    encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 50])[1]
    return cv2.imdecode(encoded, cv2.IMREAD_COLOR).astype(image.dtype)


def affine_matrix(width, height, scale, dx, dy, shear, degrees):
    center = (width * 0.5 - 0.5, height * 0.5 - 0.5)
    m = cv2.getRotationMatrix2D(center, degrees, scale)
    if shear:
        sine, cosine = math.sin(math.radians(shear)), math.cos(math.radians(shear))
        m00, m01, m10, m11 = m[0, 0], m[0, 1], m[1, 0], m[1, 1]
        m[0, 1], m[1, 1] = m01 * cosine + m00 * sine, m11 * cosine + m10 * sine
        m[0, 2] = center[0] * (1 - m00) - center[1] * m[0, 1]
        m[1, 2] = -center[0] * m10 + center[1] * (1 - m[1, 1])
    m[0, 2] += dx
    m[1, 2] += dy
    return m


def deform(image):
    """One anchor, sampled bilinearly."""
    h, w = image.shape[:2]
    y, x = np.mgrid[:h, :w].astype(np.float32)
    weight = np.exp(-((y / h - 0.25) ** 2 + (x / w - 0.5) ** 2) / 0.5)
    y, x = np.clip(y + weight * 1.5, 0, h - 1), np.clip(x - weight * 2.25, 0, w - 1)
    y0, x0 = np.floor(y).astype(int), np.floor(x).astype(int)
    y1, x1 = np.minimum(y0 + 1, h - 1), np.minimum(x0 + 1, w - 1)
    fy, fx = (y - y0)[..., None], (x - x0)[..., None]
    result = (image[y0, x0] * (1 - fx) * (1 - fy) + image[y1, x1] * fx * fy +
              image[y0, x1] * (1 - fy) * fx + image[y1, x0] * fy * (1 - fx))
    return np.rint(result).astype(np.uint8) if image.dtype == np.uint8 else result


def policy(name, function):
    result = np.asarray(function(Image.fromarray(BYTES)))
    cases[f"policy {name}"] = {"shape": list(result.shape), "dtype": "uint8",
                               "values": values(result)}


def numbers(name, array):
    array = np.asarray(array, dtype=np.float64)
    cases[name] = {"shape": list(array.shape), "dtype": "float64",
                   "values": [float(v) for v in array.ravel()]}


for kind, image in ("uint8", BYTES), ("float32", FLOATS):
    cases[f"input, {kind}"] = {"shape": list(image.shape), "dtype": kind, "values": values(image)}
record("brightness 20.7", back(lambda x: x + np.float32(20.7)))
record("brightness -31.2", back(lambda x: x + np.float32(-31.2)))
record("brightness_scale 1.37", back(lambda x: x * np.float32(1.37)))
record("contrast 1.4", contrast(lambda x: x.mean(axis=(0, 1), keepdims=True, dtype=np.float64), 1.4))
record("contrast 0.6 rgb", contrast(lambda x: cv2.cvtColor(
    x.astype(np.float32), cv2.COLOR_RGB2GRAY).mean(dtype=np.float64), 0.6))
record("saturation 1.3", saturation(1.3))
record("saturation 0.6", saturation(0.6))
record("hue 33.3", hue(33.3))
record("hue -20", hue(-20))
record("gamma 0.3", gamma(0.3))
record("gamma -0.4", gamma(-0.4))
record("clip 60 to 120", lambda x: np.clip(x, 60, 120).astype(x.dtype))
record("light", back(lambda x: x + np.float32([12.5, -7.25, 40])))
record("variance", variance(None))
record("variance per channel", variance((0, 1)))
record("min_max", minmax(None, -1, 1))
record("min_max per channel", minmax((0, 1), 0, 255))
for interp in "nearest", "linear", "cubic", "area", "lanczos4":
    flag = getattr(cv2, "INTER_" + interp.upper())
    record(f"resize 17x9 {interp}", lambda x: cv2.resize(x, (17, 9), interpolation=flag))
    record(f"resize 5x6 {interp}", lambda x: cv2.resize(x, (5, 6), interpolation=flag))
TURN = affine_matrix(10, 12, 1.1, 1, -2, 12, 33)
for border in "constant", "replicate", "reflect", "reflect_101", "wrap":
    mode = getattr(cv2, "BORDER_" + border.upper())
    record(f"warp {border}", lambda x: cv2.warpAffine(
        x, TURN, (10, 12), flags=cv2.INTER_LINEAR, borderMode=mode, borderValue=(77,) * 4))
record("deform", deform)
record("jpeg_noise 50", jpeg)
policy("brightness 0.6", lambda x: ImageEnhance.Brightness(x).enhance(0.6))
policy("brightness 1.7", lambda x: ImageEnhance.Brightness(x).enhance(1.7))
policy("color 0.3", lambda x: ImageEnhance.Color(x).enhance(0.3))
policy("color 1.8", lambda x: ImageEnhance.Color(x).enhance(1.8))
policy("contrast 0.4", lambda x: ImageEnhance.Contrast(x).enhance(0.4))
policy("contrast 1.5", lambda x: ImageEnhance.Contrast(x).enhance(1.5))
policy("sharpness 0.2", lambda x: ImageEnhance.Sharpness(x).enhance(0.2))
policy("sharpness 1.9", lambda x: ImageEnhance.Sharpness(x).enhance(1.9))
policy("posterize 3", lambda x: ImageOps.posterize(x, 3))
policy("solarize 99.5", lambda x: ImageOps.solarize(x, 99.5))
policy("auto_contrast", ImageOps.autocontrast)
policy("equalize", ImageOps.equalize)
numbers("matrix", TURN)
numbers("matrix without shear", affine_matrix(31, 20, 0.8, -3, 2, 0, -71))

lines = [f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items()]
print("{" + ",\n ".join(lines) + "}")
