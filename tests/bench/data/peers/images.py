"""images.py WHAT THREADS VARIANT SOURCE: batches of 64 pictures, cropped at random to 224, flipped,
normalised, as float32 NCHW.

WHAT: folder | tar | lmdb. VARIANT: loader-pil, loader-io (PyTorch's DataLoader; torchvision v2 with
Pillow's decoder or its own), tfdata, opencv (a loop), webdataset."""

import importlib.util
import io
import pathlib
import random
import sys

# By its path: the names of other files beside it are those of libraries.
_spec = importlib.util.spec_from_file_location(
    "turns", pathlib.Path(__file__).resolve().parents[2] / "peers/turns.py"
)
_turns = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_turns)

BATCH, SIZE = 64, 224
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def serve(batches):
    """batches: an endless iterator of arrays."""
    last = None
    turns = _turns.Turns(lambda: last)
    go_on = turns.ready()
    while go_on:
        batch = next(batches)
        last = 1
        for dim in batch.shape:
            last *= int(dim)
        go_on = turns.steps_done()


def endless(loader):
    while True:
        for batch in loader:
            yield batch[0] if isinstance(batch, (list, tuple)) else batch


def v2_transform(v2, torch, of_tensor):
    first = [] if of_tensor else [v2.PILToTensor()]
    crop = [v2.RandomResizedCrop(SIZE, antialias=False), v2.RandomHorizontalFlip()]
    last = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    return v2.Compose(crop + first + last)


def loader(what, threads, variant, source):
    import torch
    import torchvision
    from torchvision.transforms import v2

    torch.set_num_threads(1)
    of_tensor = variant == "loader-io"
    transform = v2_transform(v2, torch, of_tensor)

    def decode(data):
        if of_tensor:
            tensor = torch.frombuffer(bytearray(data), dtype=torch.uint8)
            return torchvision.io.decode_jpeg(tensor, mode=torchvision.io.ImageReadMode.RGB)
        from PIL import Image

        return Image.open(io.BytesIO(data)).convert("RGB")

    class Folder(torch.utils.data.Dataset):
        def __init__(self):
            self.files = sorted(str(path) for path in pathlib.Path(source).rglob("*.jpg"))

        def __len__(self):
            return len(self.files)

        def __getitem__(self, index):
            with open(self.files[index], "rb") as file:
                return transform(decode(file.read()))

    class Lmdb(torch.utils.data.Dataset):
        def __init__(self):
            self.base = None
            self.length = len(self.open().keys)

        def open(self):
            import lmdb
            import msgpack

            if self.base is None:
                self.base = lmdb.open(source, subdir=False, readonly=True, lock=False)
                with self.base.begin() as transaction:
                    self.keys = msgpack.loads(transaction.get(b"__keys__"), raw=True)
            return self

        def __getstate__(self):
            return {"base": None, "length": self.length}

        def __len__(self):
            return self.length

        def __getitem__(self, index):
            import msgpack
            import msgpack_numpy

            with self.open().base.begin(buffers=True) as transaction:
                value = msgpack.loads(
                    transaction.get(self.keys[index]), object_hook=msgpack_numpy.decode
                )
            return transform(decode(value[0].tobytes()))

    dataset = Folder() if what == "folder" else Lmdb()
    return endless(
        torch.utils.data.DataLoader(
            dataset,
            batch_size=BATCH,
            shuffle=True,
            drop_last=True,
            num_workers=threads,
            persistent_workers=True,
        )
    )


def webdataset(threads, source):
    import torch
    import webdataset
    from torchvision.transforms import v2

    torch.set_num_threads(1)
    transform = v2_transform(v2, torch, False)
    dataset = (
        webdataset.WebDataset(source, shardshuffle=False)
        .shuffle(1000)
        .decode("pil")
        .to_tuple("jpg")
        .map(lambda sample: transform(sample[0]))
        .batched(BATCH, partial=False)
    )
    return endless(webdataset.WebLoader(dataset, batch_size=None, num_workers=threads))


def tfdata(threads, source):
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)

    def one(path):
        data = tf.io.read_file(path)
        begin, size, _ = tf.image.sample_distorted_bounding_box(
            tf.io.extract_jpeg_shape(data),
            tf.zeros([0, 0, 4]),
            min_object_covered=0.0,
            area_range=(0.08, 1.0),
            aspect_ratio_range=(3 / 4, 4 / 3),
            use_image_if_no_bounding_boxes=True,
        )
        window = tf.stack([begin[0], begin[1], size[0], size[1]])
        image = tf.image.resize(tf.io.decode_and_crop_jpeg(data, window, channels=3), [SIZE, SIZE])
        image = tf.image.random_flip_left_right(image) / 255.0
        return tf.transpose((image - MEAN) / STD, [2, 0, 1])

    files = sorted(str(path) for path in pathlib.Path(source).rglob("*.jpg"))
    flow = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    flow = flow.map(one, num_parallel_calls=threads).batch(BATCH, drop_remainder=True).prefetch(2)
    return iter(flow)


def opencv(threads, source):
    """A loop as one writes it by hand; with 2 threads, OpenCV and NumPy release the lock."""
    from concurrent.futures import ThreadPoolExecutor

    import cv2
    import numpy

    cv2.setNumThreads(0)
    files = sorted(str(path) for path in pathlib.Path(source).rglob("*.jpg"))
    mean = numpy.array(MEAN, numpy.float32) * 255
    scale = 1 / (numpy.array(STD, numpy.float32) * 255)

    def window(height, width):
        for _ in range(10):
            area = random.uniform(0.08, 1) * height * width
            aspect = random.uniform(3 / 4, 4 / 3)
            w, h = round((area * aspect) ** 0.5), round((area / aspect) ** 0.5)
            if 0 < w <= width and 0 < h <= height:
                return random.randint(0, height - h), random.randint(0, width - w), h, w
        side = min(height, width)
        return (height - side) // 2, (width - side) // 2, side, side

    def one(path, out):
        image = cv2.imread(path, cv2.IMREAD_COLOR)
        top, left, height, width = window(*image.shape[:2])
        image = cv2.resize(image[top : top + height, left : left + width], (SIZE, SIZE))
        if random.random() < 0.5:
            image = image[:, ::-1]
        image = (image[:, :, ::-1].astype(numpy.float32) - mean) * scale
        out[:] = image.transpose(2, 0, 1)

    pool = ThreadPoolExecutor(threads)
    while True:
        random.shuffle(files)
        for first in range(0, len(files) - BATCH + 1, BATCH):
            batch = numpy.empty((BATCH, 3, SIZE, SIZE), numpy.float32)
            if threads == 1:
                for i in range(BATCH):
                    one(files[first + i], batch[i])
            else:
                list(pool.map(one, files[first : first + BATCH], batch))
            yield batch


def main():
    what, threads, variant, source = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    if variant.startswith("loader"):
        serve(loader(what, threads, variant, source))
    elif variant == "webdataset":
        serve(webdataset(threads, source))
    elif variant == "tfdata":
        serve(tfdata(threads, source))
    else:
        serve(opencv(threads, source))


if __name__ == "__main__":
    main()
