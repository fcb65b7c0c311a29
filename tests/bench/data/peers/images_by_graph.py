"""images_by_graph.py: pictures read by libraries that run a graph of their own operators."""

from serving import configure_tensorflow

AREA, ASPECT = (0.08, 1.0), (3 / 4, 4 / 3)


def tfdata(threads, files, work):
    batch_size, size, mean, std = work
    tf = configure_tensorflow(threads)

    def one(path):
        data = tf.io.read_file(path)
        begin, extent, _ = tf.image.sample_distorted_bounding_box(
            tf.io.extract_jpeg_shape(data),
            tf.zeros([0, 0, 4]),
            min_object_covered=0.0,
            area_range=AREA,
            aspect_ratio_range=ASPECT,
            use_image_if_no_bounding_boxes=True,
        )
        window = tf.stack([begin[0], begin[1], extent[0], extent[1]])
        image = tf.image.resize(tf.io.decode_and_crop_jpeg(data, window, channels=3), [size, size])
        image = tf.image.random_flip_left_right(image) / 255.0
        return tf.transpose((image - mean) / std, [2, 0, 1])

    flow = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    flow = flow.map(one, num_parallel_calls=threads).batch(batch_size, drop_remainder=True)
    return iter(flow.prefetch(2))


def dali(what, threads, files, work):
    """On the CPU. files: of a folder, or the shards of WebDataset if what is tar."""
    import numpy
    from nvidia.dali import fn, pipeline_def, types

    batch_size, size, mean, std = work
    shuffle = {"random_shuffle": True, "name": "reader"}

    @pipeline_def(batch_size=batch_size, num_threads=threads, device_id=None, seed=1)
    def pictures():
        if what == "folder":
            data, _ = fn.readers.file(files=files, initial_fill=len(files), **shuffle)
        else:
            data = fn.readers.webdataset(paths=files, ext=["jpg"], initial_fill=1000, **shuffle)
        image = fn.decoders.image_random_crop(
            data, device="cpu", random_area=list(AREA), random_aspect_ratio=list(ASPECT)
        )
        image = fn.resize(
            image, size=[size, size], interp_type=types.INTERP_LINEAR, antialias=False
        )
        return fn.crop_mirror_normalize(
            image,
            mirror=fn.random.coin_flip(),
            mean=[255 * value for value in mean],
            std=[255 * value for value in std],
            dtype=types.FLOAT,
            output_layout="CHW",
        )

    pipeline = pictures()
    pipeline.build()
    while True:
        (batch,) = pipeline.run()
        yield numpy.asarray(batch.as_tensor())
