"""A residual network for images of 8x8 pixels, as anybody writes it in PyTorch."""
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)

    def forward(self, x):
        y = self.bn1(self.conv1(x)).relu()
        return (x + self.bn2(self.conv2(y))).relu()


class DigitsNet(nn.Module):
    def __init__(self, width=12, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        self.blocks = nn.Sequential(Block(width), nn.MaxPool2d(2), Block(width))
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(width * 16, classes)

    def forward(self, image):
        x = self.blocks(self.stem(image).relu())
        return self.head(self.drop(x.flatten(1)))
