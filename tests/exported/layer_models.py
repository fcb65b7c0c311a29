"""Small networks for compare.py: a layer or a function of torch each, between two linear maps or
convolutions, so that gradients pass through it. The loss is the mean of the squares of the
result."""
import torch
from torch import nn
from torch.nn import functional as F

BATCH = 3


class Squared(nn.Module):
    def __init__(self, before, function, layer=None):
        super().__init__()
        self.before, self.layer, self.function = before, layer, function

    def forward(self, x):
        y = self.before(x)
        y = self.layer(y) if self.function is None else self.function(self.layer, y)
        return (y.float() ** 2).mean()


class First(nn.Module):
    """The first result of a module with several."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x)[0]


def rows(function=None, layer=None, width=6):
    """x: (B, 5), y: (B, width)."""
    return lambda: (Squared(nn.Linear(5, width), function, layer and layer()),
                    lambda: {"x": torch.randn(BATCH, 5)}, 0.05)


def steps(function=None, layer=None, width=6):
    """x: (B, 7, 5), y: (B, 7, width)."""
    return lambda: (Squared(nn.Linear(5, width), function, layer and layer()),
                    lambda: {"x": torch.randn(BATCH, 7, 5)}, 0.05)


def signals(function=None, layer=None, channels=4):
    """x: (B, 2, 12), y: (B, channels, 12)."""
    return lambda: (Squared(nn.Conv1d(2, channels, 3, padding=1), function, layer and layer()),
                    lambda: {"x": torch.randn(BATCH, 2, 12)}, 0.05)


def images(function=None, layer=None, channels=4):
    """x: (B, 2, 8, 8), y: (B, channels, 8, 8)."""
    return lambda: (Squared(nn.Conv2d(2, channels, 3, padding=1), function, layer and layer()),
                    lambda: {"x": torch.randn(BATCH, 2, 8, 8)}, 0.05)


def volumes(function=None, layer=None, channels=4):
    """x: (B, 2, 4, 6, 6), y: (B, channels, 4, 6, 6)."""
    return lambda: (Squared(nn.Conv3d(2, channels, 3, padding=1), function, layer and layer()),
                    lambda: {"x": torch.randn(BATCH, 2, 4, 6, 6)}, 0.05)


def plain(function):
    """A function of y alone."""
    return lambda _, y: function(y)


def attention(bias=None):
    def of(layer, y):
        mask = torch.triu(torch.ones(7, 7, dtype=torch.bool), 1) if bias else None
        return layer(y, y, y, attn_mask=mask, need_weights=False)[0]
    return of


def scattered(_, y):
    index = torch.tensor([[0, 2, 1, 0, 2, 1]]).expand(y.shape[0], 6)
    return torch.zeros(y.shape[0], 3).scatter_add(1, index, y)


def reduced(function):
    """With indices, and without the gradient, which PyTorch does not have."""
    return lambda _, y: y * function(y.detach(), torch.tensor([[0, 2, 1, 0, 2, 1]]).expand(y.shape[0], 6))


def narrowed(_, y):
    """The last elements are written, and read with one before them."""
    z = y.clone()
    z.narrow(1, -2, 2).mul_(3.0)
    return y[:, 3:] * z.narrow(1, -3, 3)


def chosen(_, y):
    """The part that is not taken has no gradient for negative numbers."""
    def root(z):
        return z.sqrt()

    def square(z):
        return z * z
    if torch.compiler.is_exporting():
        return torch.cond(y.min() > 0, root, square, (y,))
    return root(y) if y.min() > 0 else square(y)


def put(_, y):
    z = y.clone()
    z[:, torch.tensor([0, 3])] = 1.0
    return z * y


def sampled(_, y):
    theta = torch.tensor([[[0.8, 0.1, 0.0], [-0.1, 0.9, 0.1]]]).expand(y.shape[0], 2, 3)
    grid = F.affine_grid(theta, [y.shape[0], y.shape[1], 5, 5], align_corners=False)
    return F.grid_sample(y, grid, align_corners=False)


ALL = {
    # functions of rows
    **{name: rows(plain(getattr(F, name))) for name in
       ["celu", "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
        "logsigmoid", "mish", "relu6", "selu", "silu", "softplus", "softshrink", "softsign",
        "tanhshrink", "normalize"]},
    **{name: rows(plain(getattr(torch, name))) for name in
       ["abs", "atan", "ceil", "cos", "erf", "exp", "expm1", "floor", "frac", "neg", "round", "sign",
        "sin", "sinh", "square", "tanh", "trunc", "cosh", "asinh", "sigmoid", "exp2", "erfc", "sinc",
        "deg2rad"]},
    # without gradients
    **{name: rows(plain(lambda y, f=getattr(torch, name): y * f(y))) for name in
       ["signbit", "isfinite", "isnan", "argsort"]},
    **{name: rows(plain(lambda y, f=getattr(torch, name): y * f(y > 0, dim=1, keepdim=True))) for name in
       ["any", "all"]},
    **{name: rows(plain(lambda y, f=getattr(torch, name): f(y.abs() + 0.5))) for name in
       ["log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal", "lgamma", "digamma"]},
    **{name: rows(plain(lambda y, f=getattr(torch, name): f(torch.tanh(y) * 0.9))) for name in
       ["acos", "asin", "atanh", "erfinv"]},
    **{name: rows(plain(lambda y, f=getattr(torch, name): f(y, dim=1))) for name in
       ["cumsum", "cumprod", "logcumsumexp", "logsumexp", "softmax", "log_softmax", "norm", "sum",
        "mean", "prod", "std", "var", "amax", "amin", "nansum"]},
    **{name: rows(plain(lambda y, f=getattr(torch, name): f(y, dim=1)[0])) for name in
       ["max", "min", "sort", "median", "mode", "cummax", "cummin", "std_mean"]},
    "topk": rows(plain(lambda y: torch.topk(y, 3, dim=1)[0])),
    "kthvalue": rows(plain(lambda y: torch.kthvalue(y, 2, dim=1)[0])),
    "maximum": rows(plain(lambda y: torch.maximum(y, y.flip(1)))),
    "minimum": rows(plain(lambda y: torch.minimum(y, y.flip(1)))),
    "fmod": rows(plain(lambda y: torch.fmod(y, 0.7))),
    "remainder": rows(plain(lambda y: torch.remainder(y, 0.7))),
    "floor_divide": rows(plain(lambda y: y * torch.floor_divide(y.detach(), 0.7))),
    "floor_divide_below_whole": rows(plain(lambda y: y * torch.floor_divide(
        torch.tensor([0.5, 1.0, -0.5, 0.5, -1.0, 0.25]), torch.tensor([0.1, 0.1, 0.1, -0.1, -0.1, 0.5])))),
    "remainder_below_whole": rows(plain(lambda y: y * torch.remainder(
        torch.tensor([0.5, 1.0, -0.5, 0.5, -1.0, 0.25]), torch.tensor([0.1, 0.1, 0.1, -0.1, -0.1, 0.5])))),
    "compare_bytes": rows(plain(lambda y: y * torch.lt(
        torch.tensor([200, 100, 0, 5, 255, 128], dtype=torch.uint8),
        torch.tensor([-56, 101, -1, 5, 127, -128], dtype=torch.int8)))),
    "round_decimals": rows(plain(lambda y: y * (torch.round(y.detach(), decimals=1)
                                                + torch.round(y.detach() * 100, decimals=-1)))),
    "pow": rows(plain(lambda y: torch.pow(y.abs() + 0.1, 1.5) + torch.pow(2.0, y))),
    "atan2": rows(plain(lambda y: torch.atan2(y, y.flip(1) + 3))),
    "hypot": rows(plain(lambda y: torch.hypot(y, y + 1))),
    "lerp": rows(plain(lambda y: torch.lerp(y, y.flip(1), 0.3))),
    "addcmul": rows(plain(lambda y: torch.addcmul(y, y, y.flip(1), value=0.5))),
    "addcdiv": rows(plain(lambda y: torch.addcdiv(y, y, y.flip(1).abs() + 1, value=0.5))),
    "clamp": rows(plain(lambda y: y.clamp(-0.3, 0.4) + y.clamp_min(0.1) + y.clamp_max(torch.zeros(6)))),
    "where": rows(plain(lambda y: torch.where(y > 0.1, y, y.exp()))),
    "masked_fill": rows(plain(lambda y: y.masked_fill(y > 0.2, 0.5))),
    "cond": rows(chosen),
    "nan_to_num": rows(plain(lambda y: torch.nan_to_num(y))),
    "logaddexp": rows(plain(lambda y: torch.logaddexp(y, y.flip(1)))),
    "glu": rows(plain(F.glu)),
    "roll": rows(plain(lambda y: y * torch.roll(y, 2, 1))),
    "roll_far": rows(plain(lambda y: y * torch.roll(y, (-8, 13), (1, 0)))),
    "flip": rows(plain(lambda y: y * torch.flip(y, [1]))),
    "repeat": rows(plain(lambda y: y.repeat(2, 3) * 0.5)),
    "repeat_interleave": rows(plain(lambda y: y.repeat_interleave(2, dim=1))),
    "tile": rows(plain(lambda y: torch.tile(y, (1, 2)))),
    "chunk": rows(plain(lambda y: y.chunk(3, 1)[1] * y.split(2, 1)[0])),
    "split_with_sizes": rows(plain(lambda y: torch.cat([p * (i + 1) for i, p in
                                                         enumerate(y.split([1, 3, 2], 1))], 1))),
    "stack_mixed": rows(plain(lambda y: torch.stack([y, (y > 0).long()], 1))),
    "unbind": rows(plain(lambda y: torch.stack(list(y.unbind(1))[::2], 1))),
    "tensor_split": rows(plain(lambda y: torch.tensor_split(y, 4, 1)[0])),
    "narrow": rows(narrowed),
    "gather": rows(plain(lambda y: y.gather(1, y.argsort(1)))),
    "index_select": rows(plain(lambda y: y.index_select(1, torch.tensor([0, 0, 4])))),
    "index_select_one": rows(plain(lambda y: y * y.index_select(1, torch.tensor(4)))),
    "index": rows(plain(lambda y: y[:, torch.tensor([1, 1, 5])] * y[:, None, 2])),
    "index_put": rows(put),
    "index_add": rows(plain(lambda y: y.index_add(1, torch.tensor([0, 2]), y[:, :2] * 2))),
    "scatter_add": rows(scattered),
    "scatter_reduce_add": rows(reduced(lambda y, index: y.scatter(1, index, y * 2, reduce="add"))),
    "scatter_reduce_multiply": rows(reduced(
        lambda y, index: y.scatter(1, index, 2.0, reduce="multiply"))),
    "masked_mean": rows(plain(lambda y: (y * (y > 0)).sum() / (y > 0).sum().clamp(min=1))),
    "argmax_whole": rows(plain(lambda y: torch.cat([y[:1], y.argmax(keepdim=True) * 0.1], 1))),
    "one_hot": rows(plain(lambda y: y * F.one_hot(y.argmax(1), 6))),
    "tril": rows(plain(lambda y: (y[:, :, None] * y[:, None, :]).tril())),
    "diagonal": rows(plain(lambda y: (y[:, :, None] * y[:, None, :]).diagonal(dim1=1, dim2=2))),
    "diag_embed": rows(plain(torch.diag_embed)),
    "outer": rows(plain(lambda y: torch.outer(y[0], y[1]))),
    "einsum": rows(plain(lambda y: torch.einsum("bi,bj->ij", y, y))),
    "bmm": rows(plain(lambda y: torch.bmm(y[:, :, None], y[:, None, :]))),
    "baddbmm": rows(plain(lambda y: torch.baddbmm(y[:, :, None], y[:, :, None], y[:, None, :]))),
    "addmm": rows(plain(lambda y: torch.addmm(y, y, torch.ones(6, 6), beta=0.5))),
    "mv": rows(plain(lambda y: torch.mv(y, torch.arange(6.0)))),
    "dot": rows(plain(lambda y: torch.dot(y[0], y[1]))),
    "cdist": rows(plain(lambda y: torch.cdist(y[:, :, None], y[:, :, None] + 1))),
    "cosine_similarity": rows(plain(lambda y: F.cosine_similarity(y, y.flip(1)))),
    "pairwise_distance": rows(plain(lambda y: F.pairwise_distance(y, y.flip(1)))),
    "cross": rows(plain(lambda y: torch.linalg.cross(y[:, :3], y[:, 3:]))),
    "vector_norm": rows(plain(lambda y: torch.linalg.vector_norm(y, 3, dim=1))),
    "var_mean": rows(plain(lambda y: torch.var_mean(y, 1)[0])),
    "diff": rows(plain(lambda y: torch.diff(y, dim=1))),
    "trapezoid": rows(plain(lambda y: torch.trapezoid(y, dim=1))),
    "bilinear": rows(lambda layer, y: layer(y, y), lambda: nn.Bilinear(6, 6, 3)),
    "prelu": rows(layer=lambda: nn.PReLU(6)),
    "threshold": rows(layer=lambda: nn.Threshold(0.1, 0.2)),
    "softmin": rows(layer=lambda: nn.Softmin(1)),
    "layer_norm": rows(layer=lambda: nn.LayerNorm(6)),
    "rms_norm": rows(layer=lambda: nn.RMSNorm(6)),
    "batch_norm1d": rows(layer=lambda: nn.BatchNorm1d(6)),
    "batch_norm_stateless": rows(layer=lambda: nn.BatchNorm1d(6, track_running_stats=False)),
    "spectral_norm": rows(layer=lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(6, 4))),
    "weight_norm": rows(layer=lambda: nn.utils.parametrizations.weight_norm(nn.Linear(6, 4))),
    "weight_norm_whole": rows(layer=lambda: nn.utils.parametrizations.weight_norm(
        nn.Linear(6, 4), dim=None)),
    "weight_norm_bias": rows(layer=lambda: nn.utils.parametrizations.weight_norm(nn.Linear(6, 4), "bias")),
    # losses
    **{name: rows(plain(lambda y, f=getattr(F, name): f(y, torch.full_like(y, 0.3)))) for name in
       ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss",
        "binary_cross_entropy_with_logits", "poisson_nll_loss"]},
    "kl_div": rows(plain(lambda y: F.kl_div(F.log_softmax(y, 1), torch.full_like(y, 1 / 6),
                                            reduction="batchmean"))),
    "bce": rows(plain(lambda y: F.binary_cross_entropy(y.sigmoid(), torch.full_like(y, 0.3)))),
    "nll": rows(plain(lambda y: F.nll_loss(F.log_softmax(y, 1), y.argmax(1)))),
    "multi_margin": rows(plain(lambda y: F.multi_margin_loss(y, y.argmin(1)))),
    "multilabel_margin": rows(plain(lambda y: F.multilabel_soft_margin_loss(y, (y > 0).float()))),
    "cosine_embedding": rows(plain(lambda y: F.cosine_embedding_loss(
        y, y.flip(1), torch.ones(y.shape[0])))),
    "margin_ranking": rows(plain(lambda y: F.margin_ranking_loss(y[:, 0], y[:, 1], torch.ones(y.shape[0])))),
    "hinge_embedding": rows(plain(lambda y: F.hinge_embedding_loss(y, torch.ones_like(y)))),
    "triplet_margin": rows(plain(lambda y: F.triplet_margin_loss(y, y.flip(1), y.roll(1, 1)))),
    # sequences
    "lstm": steps(layer=lambda: First(nn.LSTM(6, 4, batch_first=True))),
    "lstm_bidirectional": steps(layer=lambda: First(nn.LSTM(6, 4, 2, batch_first=True,
                                                            bidirectional=True))),
    "lstm_projected": steps(layer=lambda: First(nn.LSTM(6, 4, batch_first=True, proj_size=3))),
    "gru": steps(layer=lambda: First(nn.GRU(6, 4, 2, batch_first=True))),
    "rnn": steps(layer=lambda: First(nn.RNN(6, 4, batch_first=True))),
    "rnn_relu": steps(layer=lambda: First(nn.RNN(6, 4, nonlinearity="relu", batch_first=True))),
    "lstm_cell": steps(lambda layer, y: layer(y[:, 0])[0], lambda: nn.LSTMCell(6, 4)),
    "gru_cell": steps(lambda layer, y: layer(y[:, 0]), lambda: nn.GRUCell(6, 4)),
    "attention": steps(attention(), lambda: nn.MultiheadAttention(6, 2, batch_first=True)),
    "attention_masked": steps(attention(True), lambda: nn.MultiheadAttention(6, 2, batch_first=True)),
    "attention_weights": steps(lambda layer, y: layer(y, y, y)[1],
                               lambda: nn.MultiheadAttention(6, 2, batch_first=True)),
    "transformer_encoder": steps(layer=lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(6, 2, 12, 0.0, batch_first=True), 2, enable_nested_tensor=False)),
    "transformer_decoder": steps(lambda layer, y: layer(y, y + 1), lambda: nn.TransformerDecoder(
        nn.TransformerDecoderLayer(6, 2, 12, 0.0, batch_first=True), 2)),
    "transformer": steps(lambda layer, y: layer(y, y), lambda: nn.Transformer(
        6, 2, 1, 1, 12, 0.0, batch_first=True)),
    "sdpa_causal": steps(plain(lambda y: F.scaled_dot_product_attention(y, y, y, is_causal=True))),
    "embedding": steps(lambda layer, y: layer(y.argmax(-1)) * y, lambda: nn.Embedding(6, 6)),
    "embedding_bag": steps(lambda layer, y: layer(y.argmax(-1)), lambda: nn.EmbeddingBag(6, 4)),
    "movedim": steps(plain(lambda y: y.movedim(1, 2).flatten(1) * y.transpose(1, 2).reshape(y.shape[0], -1))),
    "unflatten": steps(plain(lambda y: y.unflatten(2, (2, 3)).sum(2))),
    "as_strided_window": steps(plain(lambda y: y.unfold(1, 3, 2))),
    # signals
    "conv1d": signals(layer=lambda: nn.Conv1d(4, 6, 3, 2, dilation=2, groups=2)),
    "conv1d_same": signals(layer=lambda: nn.Conv1d(4, 6, 4, padding="same")),
    "conv_transpose1d": signals(layer=lambda: nn.ConvTranspose1d(4, 3, 4, 2, 1)),
    "max_pool1d": signals(layer=lambda: nn.MaxPool1d(3, 2)),
    "avg_pool1d": signals(layer=lambda: nn.AvgPool1d(3, 2, 1)),
    "lp_pool1d": signals(layer=lambda: nn.LPPool1d(2, 3)),
    "adaptive_max_pool1d": signals(layer=lambda: nn.AdaptiveMaxPool1d(5)),
    "adaptive_avg_pool1d": signals(layer=lambda: nn.AdaptiveAvgPool1d(5)),
    "instance_norm1d": signals(layer=lambda: nn.InstanceNorm1d(4, affine=True)),
    "upsample_linear": signals(layer=lambda: nn.Upsample(scale_factor=2, mode="linear")),
    "pad_reflect1d": signals(layer=lambda: nn.ReflectionPad1d(2)),
    "pad_circular1d": signals(layer=lambda: nn.CircularPad1d(2)),
    "fft": signals(plain(lambda y: torch.fft.rfft(y).abs())),
    "stft": signals(plain(lambda y: torch.view_as_real(torch.stft(
        y[:, 0], 4, return_complex=True, window=torch.ones(4))))),
    # images
    "conv2d_same": images(layer=lambda: nn.Conv2d(4, 6, 3, padding="same", dilation=2)),
    "conv2d_reflect": images(layer=lambda: nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect")),
    "conv2d_circular": images(layer=lambda: nn.Conv2d(4, 6, 3, padding=1, padding_mode="circular")),
    "depthwise": images(layer=lambda: nn.Conv2d(4, 8, 3, groups=4, padding=1)),
    "conv_transpose2d": images(layer=lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2)),
    "max_pool2d": images(layer=lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True)),
    "max_pool2d_dilated": images(layer=lambda: nn.MaxPool2d(2, 1, dilation=2)),
    "avg_pool2d": images(layer=lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False)),
    "avg_pool2d_cut": images(layer=lambda: nn.AvgPool2d(3, 2, ceil_mode=True)),
    "avg_pool2d_edges": images(layer=lambda: nn.AvgPool2d(3, (2, 3), 1, ceil_mode=True)),
    "lp_pool2d": images(layer=lambda: nn.LPPool2d(2, 2)),
    "adaptive_max_pool2d": images(layer=lambda: nn.AdaptiveMaxPool2d(3)),
    "adaptive_avg_pool2d": images(layer=lambda: nn.AdaptiveAvgPool2d((3, 5))),
    "batch_norm2d": images(layer=lambda: nn.BatchNorm2d(4)),
    "group_norm": images(layer=lambda: nn.GroupNorm(2, 4)),
    "instance_norm2d": images(layer=lambda: nn.InstanceNorm2d(4, affine=True)),
    "instance_norm_tracked": images(layer=lambda: nn.InstanceNorm2d(4, track_running_stats=True)),
    "local_response_norm": images(layer=lambda: nn.LocalResponseNorm(2)),
    "pixel_shuffle": images(layer=lambda: nn.PixelShuffle(2)),
    "pixel_unshuffle": images(layer=lambda: nn.PixelUnshuffle(2)),
    "channel_shuffle": images(layer=lambda: nn.ChannelShuffle(2)),
    "upsample_nearest": images(layer=lambda: nn.Upsample(scale_factor=2)),
    "upsample_bilinear": images(layer=lambda: nn.Upsample(scale_factor=1.5, mode="bilinear")),
    **{"upsample_odd_" + mode: images(layer=lambda mode=mode: nn.Upsample(scale_factor=1.3, mode=mode))
       for mode in ["nearest", "bilinear", "bicubic"]},
    "upsample_bicubic": images(layer=lambda: nn.Upsample(size=(11, 9), mode="bicubic")),
    "interpolate_antialias": images(plain(lambda y: F.interpolate(
        y, size=(5, 5), mode="bilinear", antialias=True))),
    "interpolate_area": images(plain(lambda y: F.interpolate(y, size=(5, 5), mode="area"))),
    "nearest_exact": images(plain(lambda y: F.interpolate(y, size=(5, 5), mode="nearest-exact"))),
    "pad_reflect": images(layer=lambda: nn.ReflectionPad2d(1)),
    "pad_replicate": images(layer=lambda: nn.ReplicationPad2d(1)),
    "pad_constant": images(layer=lambda: nn.ConstantPad2d((1, -1, 2, 0), 0.5)),
    "unfold": images(layer=lambda: nn.Unfold(3, padding=1)),
    "fold": images(plain(lambda y: F.fold(F.unfold(y, 2), (8, 8), 2))),
    "grid_sample": images(sampled),
    "softmax2d": images(layer=lambda: nn.Softmax2d()),
    "dropout_zero": images(layer=lambda: nn.Dropout2d(0.0)),
    "channels_last": images(plain(lambda y: y.contiguous(memory_format=torch.channels_last) * 2)),
    "global_pool": images(plain(lambda y: y.mean((2, 3)) + y.amax((2, 3)))),
    "rot90": images(plain(lambda y: y * torch.rot90(y, 1, (2, 3)))),
    # volumes
    "conv3d": volumes(layer=lambda: nn.Conv3d(4, 4, 3, 2, 1, groups=2)),
    "conv_transpose3d": volumes(layer=lambda: nn.ConvTranspose3d(4, 2, 2, 2)),
    "max_pool3d": volumes(layer=lambda: nn.MaxPool3d(2)),
    "avg_pool3d": volumes(layer=lambda: nn.AvgPool3d(2)),
    "adaptive_avg_pool3d": volumes(layer=lambda: nn.AdaptiveAvgPool3d(2)),
    "adaptive_max_pool3d": volumes(layer=lambda: nn.AdaptiveMaxPool3d(2)),
    "batch_norm3d": volumes(layer=lambda: nn.BatchNorm3d(4)),
    "upsample_trilinear": volumes(layer=lambda: nn.Upsample(scale_factor=2, mode="trilinear")),
}
