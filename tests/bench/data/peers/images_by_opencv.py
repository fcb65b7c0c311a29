"""images_by_opencv.py: pictures decoded and resized by OpenCV, which releases Python's lock: in a
loop as one writes it by hand, and in a dataset of Grain."""

import random


def window(height, width):
    """A random crop as in torchvision's RandomResizedCrop: top, left, height, width."""
    for _ in range(10):
        area = random.uniform(0.08, 1) * height * width
        aspect = random.uniform(3 / 4, 4 / 3)
        w, h = round((area * aspect) ** 0.5), round((area / aspect) ** 0.5)
        if 0 < w <= width and 0 < h <= height:
            return random.randint(0, height - h), random.randint(0, width - w), h, w
    side = min(height, width)
    return (height - side) // 2, (width - side) // 2, side, side


def picture_reader(size, mean, std):
    """A function that reads a file into an array: float32 of shape (3, size, size)."""
    import cv2
    import numpy

    cv2.setNumThreads(0)
    mean = numpy.array(mean, numpy.float32) * 255
    scale = 1 / (numpy.array(std, numpy.float32) * 255)

    def read(path, out):
        image = cv2.imread(path, cv2.IMREAD_COLOR)
        top, left, height, width = window(*image.shape[:2])
        image = cv2.resize(image[top : top + height, left : left + width], (size, size))
        if random.random() < 0.5:
            image = image[:, ::-1]
        image = (image[:, :, ::-1].astype(numpy.float32) - mean) * scale
        out[:] = image.transpose(2, 0, 1)

    return read


def loop(threads, files, work):
    from concurrent.futures import ThreadPoolExecutor

    import numpy

    batch_size, size, mean, std = work
    read = picture_reader(size, mean, std)
    pool = ThreadPoolExecutor(threads)
    while True:
        random.shuffle(files)
        for first in range(0, len(files) - batch_size + 1, batch_size):
            batch = numpy.empty((batch_size, 3, size, size), numpy.float32)
            if threads == 1:
                for i in range(batch_size):
                    read(files[first + i], batch[i])
            else:
                list(pool.map(read, files[first : first + batch_size], batch))
            yield batch


def grain(threads, files, work):
    import grain
    import numpy

    batch_size, size, mean, std = work
    read = picture_reader(size, mean, std)

    def one(path):
        picture = numpy.empty((3, size, size), numpy.float32)
        read(path, picture)
        return picture

    flow = grain.MapDataset.source(files).shuffle(seed=1).repeat().map(one)
    flow = flow.batch(batch_size, drop_remainder=True)
    options = grain.ReadOptions(num_threads=threads, prefetch_buffer_size=2 * threads)
    return iter(flow.to_iter_dataset(options))
