"""cifar.py THREADS VARIANT: batches of 128 pictures of 32x32 from memory, padded by 4, cropped at
random to 32, flipped, normalized, as float32 NCHW.

VARIANT: loader (PyTorch's DataLoader, torchvision v2 picture by picture), batched (torchvision v2
on whole batches: one crop per batch), tfdata."""

import sys

from serving import configure_tensorflow, pytorch_loader, serve

BATCH, COUNT = 128, 50000
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.247, 0.243, 0.262)


def pictures():
    import numpy

    return numpy.random.default_rng(1).integers(0, 256, (COUNT, 32, 32, 3), numpy.uint8)


def of_v2(torch, v2):
    return v2.Compose(
        [
            v2.RandomCrop(32, padding=4),
            v2.RandomHorizontalFlip(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD),
        ]
    )


def loader(threads):
    import torch
    from torchvision.transforms import v2

    data = torch.from_numpy(pictures()).permute(0, 3, 1, 2).contiguous()
    transform = of_v2(torch, v2)

    class Pictures(torch.utils.data.Dataset):
        def __len__(self):
            return len(data)

        def __getitem__(self, index):
            return transform(data[index])

    return pytorch_loader(Pictures(), BATCH, threads)


def batched(threads):
    import torch
    from torchvision.transforms import v2

    torch.set_num_threads(threads)
    data = torch.from_numpy(pictures()).permute(0, 3, 1, 2).contiguous()
    transform = of_v2(torch, v2)
    while True:
        order = torch.randperm(COUNT)
        for first in range(0, COUNT - BATCH + 1, BATCH):
            yield transform(data[order[first : first + BATCH]])


def tfdata(threads):
    tf = configure_tensorflow(threads)

    def one(image):
        image = tf.image.random_crop(tf.pad(image, [[4, 4], [4, 4], [0, 0]]), [32, 32, 3])
        image = tf.cast(tf.image.random_flip_left_right(image), tf.float32) / 255.0
        return tf.transpose((image - MEAN) / STD, [2, 0, 1])

    flow = tf.data.Dataset.from_tensor_slices(pictures()).shuffle(COUNT).repeat()
    return iter(flow.map(one, num_parallel_calls=threads).batch(BATCH).prefetch(2))


if __name__ == "__main__":
    serve({"loader": loader, "batched": batched, "tfdata": tfdata}[sys.argv[2]](int(sys.argv[1])))
