"""images.py WHAT THREADS VARIANT SOURCE: batches of 64 pictures, cropped at random to 224, flipped,
normalized, as float32 NCHW.

WHAT: folder | tar | lmdb. VARIANT: loader-pil, loader-io (PyTorch's DataLoader; torchvision v2 with
Pillow's decoder or its own), webdataset, opencv (a loop), grain, tfdata, dali."""

import io
import os
import sys

import images_by_graph
import images_by_opencv
from serving import endless, pytorch_loader, serve

BATCH, SIZE = 64, 224
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def v2_transform(of_tensor):
    import torch
    from torchvision.transforms import v2

    first = [] if of_tensor else [v2.PILToTensor()]
    crop = [v2.RandomResizedCrop(SIZE, antialias=False), v2.RandomHorizontalFlip()]
    last = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    return v2.Compose(crop + first + last)


def loader(what, threads, variant, source):
    import torch
    import torchvision

    of_tensor = variant == "loader-io"
    transform = v2_transform(of_tensor)

    def decode(data):
        if of_tensor:
            tensor = torch.frombuffer(bytearray(data), dtype=torch.uint8)
            return torchvision.io.decode_jpeg(tensor, mode=torchvision.io.ImageReadMode.RGB)
        from PIL import Image

        return Image.open(io.BytesIO(data)).convert("RGB")

    class Folder(torch.utils.data.Dataset):
        def __init__(self):
            self.files = files_of(source)

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

    return pytorch_loader(Folder() if what == "folder" else Lmdb(), BATCH, threads)


def webdataset(threads, source):
    import torch
    import webdataset

    torch.set_num_threads(1)
    transform = v2_transform(False)
    dataset = (
        webdataset.WebDataset(source, shardshuffle=100)
        .shuffle(1000)
        .decode("pil")
        .to_tuple("jpg")
        .map_tuple(transform)
        .batched(BATCH, partial=False)
    )
    return endless(webdataset.WebLoader(dataset, batch_size=None, num_workers=threads))


def files_of(folder):
    return sorted(f"{path}/{name}" for path, _, names in os.walk(folder) for name in names)


def batches(what, threads, variant, source):
    if variant.startswith("loader"):
        return loader(what, threads, variant, source)
    if variant == "webdataset":
        return webdataset(threads, source)
    if variant == "dali":
        import braceexpand

        files = files_of(source) if what == "folder" else list(braceexpand.braceexpand(source))
        return images_by_graph.dali(what, threads, files, (BATCH, SIZE, MEAN, STD))
    known = {
        "opencv": images_by_opencv.loop,
        "grain": images_by_opencv.grain,
        "tfdata": images_by_graph.tfdata,
    }
    return known[variant](threads, files_of(source), (BATCH, SIZE, MEAN, STD))


if __name__ == "__main__":
    serve(batches(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]))
