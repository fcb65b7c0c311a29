"""torch_models.py: the workloads as torch.nn modules; forward gives the cost of a batch, or one
cost for each scope of the workload, and scores, where there is one, what is predicted."""

import formula
import torch
from torch import nn
from torch.nn import functional as F


class Mlp(nn.Module):
    def __init__(self, options):
        super().__init__()
        pairs = zip(options.sizes, options.sizes[1:])
        self.layers = [nn.Linear(a, b) for a, b in pairs]
        for i, layer in enumerate(self.layers):
            self.add_module(f"fc{i + 1}", layer)

    def scores(self, x):
        for layer in self.layers[:-1]:
            x = F.relu(layer(x))
        return self.layers[-1](x)

    def forward(self, x, label):
        return F.cross_entropy(self.scores(x), label)


class Convnet(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, padding=options.padding)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=options.padding)
        self.bn = nn.BatchNorm2d(64)
        self.fc = nn.Linear(64 * options.pooled**2, 10)

    def scores(self, image):
        x = F.relu(self.bn(self.conv2(F.relu(self.conv1(image)))))
        return self.fc(F.max_pool2d(x, 2).flatten(1))

    def forward(self, image, label):
        return F.cross_entropy(self.scores(image), label)


class Convolved(nn.Module):
    def __init__(self, channels_in, channels, kernel, stride):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels, kernel, stride, kernel // 2, bias=False)
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.bn(self.conv(x))


class ResidualBlock(nn.Module):
    def __init__(self, channels_in, channels, stride):
        super().__init__()
        self.a = Convolved(channels_in, channels, 3, stride)
        self.b = Convolved(channels, channels, 3, 1)
        self.shortcut = Convolved(channels_in, channels, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.b(F.relu(self.a(x))) + self.shortcut(x))


class Resnet20(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.stem = Convolved(3, 16, 3, 1)
        self.blocks, channels_in = [], 16
        for i in range(9):
            block = ResidualBlock(channels_in, 16 << i // 3, 2 if i in (3, 6) else 1)
            self.add_module(f"block{i + 1}", block)
            self.blocks.append(block)
            channels_in = 16 << i // 3
        self.fc = nn.Linear(64, 10)

    def scores(self, image):
        x = F.relu(self.stem(image))
        for block in self.blocks:
            x = block(x)
        return self.fc(x.mean((2, 3)))

    def forward(self, image, label):
        return F.cross_entropy(self.scores(image), label)


class GptBlock(nn.Module):
    def __init__(self, options):
        super().__init__()
        width = options.width
        self.heads = options.heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, context, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, context, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, context, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.token = nn.Embedding(options.vocabulary, options.width)
        self.position = nn.Embedding(options.context, options.width)
        self.blocks = [GptBlock(options) for _ in range(options.layers)]
        for i, block in enumerate(self.blocks):
            self.add_module(f"block{i + 1}", block)
        self.norm = nn.LayerNorm(options.width)
        self.head = nn.Linear(options.width, options.vocabulary, bias=False)

    def scores(self, tokens):
        x = self.token(tokens) + self.position.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))

    def forward(self, tokens, following):
        logits = self.scores(tokens)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), following.view(-1))


class Generator(nn.Module):
    def __init__(self, options):
        super().__init__()
        width = options.width
        self.fc = nn.Linear(options.noise, 4 * width * 16, bias=False)
        self.bn0 = nn.BatchNorm2d(4 * width)
        self.up1 = nn.ConvTranspose2d(4 * width, 2 * width, 4, 2, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(2 * width)
        self.up2 = nn.ConvTranspose2d(2 * width, width, 4, 2, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.up3 = nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False)

    def forward(self, z):
        x = F.relu(self.bn0(self.fc(z).unflatten(1, (-1, 4, 4))))
        x = F.relu(self.bn2(self.up2(F.relu(self.bn1(self.up1(x))))))
        return torch.tanh(self.up3(x))


class Discriminator(nn.Module):
    def __init__(self, options):
        super().__init__()
        width = options.width
        self.conv1 = nn.Conv2d(3, width, 4, 2, 1, bias=False)
        self.conv2 = nn.Conv2d(width, 2 * width, 4, 2, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(2 * width)
        self.conv3 = nn.Conv2d(2 * width, 4 * width, 4, 2, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.fc = nn.Linear(4 * width * 16, 1, bias=False)

    def forward(self, x):
        x = F.leaky_relu(self.conv1(x), 0.2)
        x = F.leaky_relu(self.bn2(self.conv2(x)), 0.2)
        return self.fc(F.leaky_relu(self.bn3(self.conv3(x)), 0.2).flatten(1))


class Gan(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.gen, self.discrim = Generator(options), Discriminator(options)

    def forward(self, z, image):
        real, fake = self.discrim(image), self.discrim(self.gen(z))
        takes, refuses = torch.ones_like(fake), torch.zeros_like(fake)
        entropy = F.binary_cross_entropy_with_logits
        return entropy(fake, takes), entropy(real, takes) + entropy(fake, refuses)


class Recsys(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.tables = []
        for i in range(options.tables):
            table = nn.EmbeddingBag(options.rows, options.width, mode="sum", sparse=True)
            self.add_module(f"table{i + 1}", table)
            self.tables.append(table)
        self.fc1 = nn.Linear(options.dense + options.tables * options.width, 128)
        self.fc2 = nn.Linear(128, 64)
        self.fc3 = nn.Linear(64, 2)
        self.register_buffer("offsets", torch.arange(2048), persistent=False)

    def forward(self, dense, ids, click):
        looked_up = [table(ids[i], self.offsets) for i, table in enumerate(self.tables)]
        x = F.relu(self.fc1(torch.cat([dense, *looked_up], 1)))
        return F.cross_entropy(self.fc3(F.relu(self.fc2(x))), click)


FAMILIES = {
    "mlp": Mlp,
    "convnet": Convnet,
    "resnet20": Resnet20,
    "gpt": Gpt,
    "gan": Gan,
    "recsys": Recsys,
}


def made(workload):
    if workload.family != "exported":
        return FAMILIES[workload.family](workload.options)
    import exported_models  # only these need torchvision and transformers

    return exported_models.build(workload.options)


def build(workload):
    """The module with the benchmark's first values."""
    module = made(workload)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.dim() > 1:
                formula_name = name.removesuffix(".weight").replace(".", "/") + "/W"
                value = formula.weight(formula_name, tuple(parameter.shape))
                parameter.copy_(torch.from_numpy(value))
            elif name.endswith("bias"):
                parameter.zero_()
            else:
                parameter.fill_(1)
    return module


def channels_last(points):
    def laid_out(tensor):
        return tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor

    return [tuple(map(laid_out, point)) for point in points]


def batches(workload):
    """A list of tuples of tensors, one a batch."""
    columns = [torch.from_numpy(column) for column in workload.columns()]
    return list(zip(*columns))


def learners(workload, module):
    """The parameters that learn from each cost."""
    named = [(name.replace(".", "/"), value) for name, value in module.named_parameters()]
    return [[v for name, v in named if name.startswith(scope)] for scope in workload.scopes]


def optimizers(workload, module, fused):
    """One for each cost."""
    return [optimizer(workload, those, fused) for those in learners(workload, module)]


def costs_of(given):
    return given if isinstance(given, tuple) else (given,)


def optimizer(workload, parameters, fused):
    """Gradients of embedding tables are sparse, which only plain descent takes."""
    if workload.rule == "sgd":
        return torch.optim.SGD(parameters, lr=workload.rate)
    if workload.rule == "momentum":
        return torch.optim.SGD(parameters, lr=workload.rate, momentum=0.9, fused=fused or None)
    return torch.optim.Adam(parameters, lr=workload.rate, fused=fused or None)
