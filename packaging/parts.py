"""The parts that a build leaves out where it lacks a library, and with them a package."""

# file: (what is missing without it, what the build needs)
PARTS = {
    "lib/broch/broch_cuda.so": ("training on GPUs", "the CUDA toolkit 13"),
    "lib/broch/broch_nccl.so": ("ranks that talk over NCCL", "the CUDA toolkit 13 with nccl.h"),
    "lib/broch/broch_mpi.so": ("ranks that talk over MPI", "libopenmpi-dev"),
    "lib/broch/plugins/hdf5.so": ("the dataflow hdf5", "libhdf5-dev"),
    "lib/broch/plugins/images.so":
        ("the transforms of images",
         "libopencv-imgproc-dev, libjpeg62-turbo-dev, libspng-dev and libwebp-dev"),
    "lib/broch/plugins/lmdb_file.so": ("writing LMDB", "liblmdb-dev"),
    "lib/broch/plugins/wav.so": ("the transform wav", "libsndfile1-dev"),
    "lib/broch/plugins/zmq.so": ("data points over ZeroMQ", "libzmq3-dev"),
}


def warnings(prefix):
    """A line for each part that a prefix lacks."""
    return [f"warning: without {name}, and so without {what}; a build has it that finds {needs}"
            for name, (what, needs) in PARTS.items() if not (prefix / name).exists()]
