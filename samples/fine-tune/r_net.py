"""R-Net, the second network of MTCNN, which finds faces, as the package facenet-pytorch has it.

The package is not imported as a whole, since its other networks need libraries for downloads: only
its file mtcnn.py, which defines the network, and the weights that it ships.
"""

import importlib
import importlib.util
import pathlib
import sys
import types

FOLDER = pathlib.Path(importlib.util.find_spec("facenet_pytorch").submodule_search_locations[0])
WEIGHTS = FOLDER / "data/rnet.pt"


def authors_class():
    for name, folder in (("facenet_pytorch", FOLDER), ("facenet_pytorch.models", FOLDER / "models")):
        package = sys.modules[name] = types.ModuleType(name)  # instead of running its __init__.py
        package.__path__ = [str(folder)]
    return importlib.import_module("facenet_pytorch.models.mtcnn").RNet


class Scores(authors_class()):
    """(N, 3, 24, 24) images to (N, 2) scores of no face and a face, before the authors' softmax."""

    def __init__(self):
        super().__init__(pretrained=False)
        del self.dense5_2  # where in the image the face is

    def forward(self, image):
        x = self.pool1(self.prelu1(self.conv1(image)))
        x = self.prelu3(self.conv3(self.pool2(self.prelu2(self.conv2(x)))))
        x = x.permute(0, 3, 2, 1).flatten(1)
        return self.dense5_1(self.prelu4(self.dense4(x)))


def authors_network():
    return authors_class()().eval()  # it loads WEIGHTS
