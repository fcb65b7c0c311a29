"""make.py FOLDER [FILE...]: what the benchmarks of data read, or some of it. A second run makes
only what is missing.

FOLDER/jpeg/CLASS/N.jpg   2,048 pictures of 500x375, cut from the photographs of scikit-image
FOLDER/shards/N.tar       the same in 8 tar shards: N.jpg and N.cls
FOLDER/pictures.lmdb      the same in the layout of tensorpack's LMDBSerializer
FOLDER/cifar.npy          50,000 pictures of 32x32 in RGB, noise
FOLDER/tokens.bin         128 million tokens of uint16
FOLDER/table.csv          10 columns of numbers, 1 GB
FOLDER/million            a million hard links to the pictures, in 1,000 folders
"""

import io
import os
import pathlib
import random
import sys
import tarfile

import numpy

COUNT, CLASSES, SHARDS = 2048, 16, 8


def photographs():
    from PIL import Image
    from skimage import data

    for name in ("astronaut", "chelsea", "coffee", "rocket", "cat"):
        if hasattr(data, name):
            yield Image.fromarray(getattr(data, name)()).convert("RGB")


def write_pictures(folder):
    from PIL import Image

    draw = random.Random(1)
    sources = list(photographs())
    for number in range(COUNT):
        source = draw.choice(sources)
        scale = draw.uniform(0.5, 0.95)
        width = int(min(source.width, source.height * 4 / 3) * scale)
        height = width * 3 // 4
        left = draw.randint(0, source.width - width)
        top = draw.randint(0, source.height - height)
        picture = source.crop((left, top, left + width, top + height))
        path = folder / f"{number % CLASSES:03}" / f"{number:06}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.resize((500, 375), Image.BICUBIC).save(path, quality=90)


def pictures(folder):
    return sorted(folder.rglob("*.jpg"), key=lambda path: path.stem)


def write_shards(path, folder):
    path.mkdir(exist_ok=True)
    for number in range(SHARDS):
        write_tar(path / f"{number}.tar", pictures(folder)[number::SHARDS])


def write_tar(path, some_pictures):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for picture in some_pictures:
            for name, content in (
                (picture.name, picture.read_bytes()),
                (picture.stem + ".cls", str(int(picture.parent.name)).encode()),
            ):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))


def write_lmdb(path, folder):
    import lmdb
    import msgpack
    import msgpack_numpy

    base = lmdb.open(str(path), subdir=False, map_size=1 << 34, meminit=False)
    keys = []
    with base.begin(write=True) as transaction:
        for number, picture in enumerate(pictures(folder)):
            keys.append(f"{number:08}".encode())
            content = numpy.frombuffer(picture.read_bytes(), numpy.uint8)
            point = [content, int(picture.parent.name)]
            transaction.put(
                keys[-1], msgpack.dumps(point, use_bin_type=True, default=msgpack_numpy.encode)
            )
        transaction.put(b"__keys__", msgpack.dumps(keys, use_bin_type=True))
    base.close()


def write_cifar(path):
    pictures = numpy.random.default_rng(1).integers(0, 256, (50000, 32, 32, 3), numpy.uint8)
    with open(path, "wb") as file:
        numpy.save(file, pictures)


def write_tokens(path):
    numpy.random.default_rng(1).integers(0, 50257, 128 << 20, numpy.uint16).tofile(path)


def write_table(path):
    values = numpy.random.default_rng(1).normal(size=(100_000, 10))
    text = io.StringIO()
    numpy.savetxt(text, values, "%.7g", ",")
    block = text.getvalue()
    with open(path, "w") as file:
        file.write(",".join(f"x{i}" for i in range(10)) + "\n")
        for _ in range((1 << 30) // len(block)):
            file.write(block)


def write_million(folder, jpeg):
    sources = pictures(jpeg)
    for label in range(1000):
        (folder / f"{label:03}").mkdir(parents=True)
        for number in range(1000):
            source = sources[(1000 * label + number) % len(sources)]
            os.link(source, folder / f"{label:03}/{number:06}.jpg")


def make(folder, names=()):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    jpeg = folder / "jpeg"
    known = {
        "jpeg": write_pictures,
        "shards": lambda path: write_shards(path, jpeg),
        "pictures.lmdb": lambda path: write_lmdb(path, jpeg),
        "cifar.npy": write_cifar,
        "tokens.bin": write_tokens,
        "table.csv": write_table,
        "million": lambda path: write_million(path, jpeg),
    }
    of_pictures = {"shards", "pictures.lmdb", "million"}
    chosen = set(names or known)
    if chosen & of_pictures:
        chosen.add("jpeg")
    for name, write in known.items():
        path = folder / name
        if name in chosen and not path.exists():
            unfinished = path.with_name(path.name + ".unfinished")
            write(unfinished)
            unfinished.rename(path)


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2:])
