"""The models of compare.py: what other people wrote, with a loss."""
import torch
import torchvision
from torch import nn
from torch.nn import functional

ALL = {}


def entry(name):
    def add(make):
        ALL[name] = make
        return make
    return add


class Classified(nn.Module):
    """An image classifier, with the cross entropy as the result."""

    def __init__(self, model, classes):
        super().__init__()
        self.model, self.classes = model, classes

    def forward(self, image, label):
        out = self.model(image)
        if isinstance(out, tuple):  # the inception models have auxiliary heads
            logits = [part for part in out if isinstance(part, torch.Tensor)]
            return sum(functional.cross_entropy(one, label) for one in logits)
        return functional.cross_entropy(out, label)


class Segmented(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image, label):
        return functional.cross_entropy(self.model(image)["out"], label)


def without_dropout(model):
    """Random numbers differ from program to program."""
    for module in model.modules():
        if isinstance(module, (nn.Dropout, nn.Dropout2d, nn.Dropout3d)):
            module.p = 0.0
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
        if isinstance(module, torchvision.ops.StochasticDepth):
            module.p = 0.0
    return model


def vision(name, size=32, batch=4, rate=0.001, classes=10, **options):
    def make():
        model = without_dropout(torchvision.models.get_model(name, num_classes=classes, **options))
        return (Classified(model, classes),
                lambda: {"image": torch.randn(batch, 3, size, size),
                         "label": torch.randint(classes, (batch,))}, rate)
    ALL[name] = make


@entry("mlp")
def mlp():
    model = Classified(nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 10)), 10)
    return model, lambda: {"image": torch.randn(8, 20), "label": torch.randint(10, (8,))}, 0.1


for classifier in ["resnet18", "resnet34", "resnet50", "resnext50_32x4d", "wide_resnet50_2",
                   "mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large", "efficientnet_b0",
                   "efficientnet_v2_s", "convnext_tiny", "densenet121", "shufflenet_v2_x0_5",
                   "shufflenet_v2_x1_0", "mnasnet0_5", "mnasnet1_0", "regnet_y_400mf",
                   "regnet_x_400mf", "vgg11", "vgg11_bn", "swin_t", "swin_v2_t"]:
    vision(classifier)
for classifier in ["squeezenet1_0", "squeezenet1_1", "alexnet"]:
    vision(classifier, size=64)
vision("googlenet", aux_logits=True, init_weights=True)
vision("inception_v3", size=96, aux_logits=False, init_weights=True)
vision("vit_b_16", size=32, image_size=32)


@entry("maxvit_t")
def maxvit_t():
    """Its layers with smaller windows, as those of maxvit_t need images of 224 pixels."""
    model = torchvision.models.MaxVit(
        input_size=(64, 64), stem_channels=64, partition_size=2, num_classes=10,
        block_channels=[64, 128, 256, 512], block_layers=[2, 2, 5, 2], head_dim=32,
        stochastic_depth_prob=0)
    return (Classified(without_dropout(model), 10),
            lambda: {"image": torch.randn(4, 3, 64, 64), "label": torch.randint(10, (4,))}, 0.001)


def segmentation(name, **options):
    def make():
        model = without_dropout(torchvision.models.get_model(
            name, weights=None, weights_backbone=None, num_classes=5, **options))
        return (Segmented(model), lambda: {"image": torch.randn(2, 3, 64, 64),
                                           "label": torch.randint(5, (2, 64, 64))}, 0.01)
    ALL[name] = make


for segmenter in ["fcn_resnet50", "deeplabv3_resnet50", "deeplabv3_mobilenet_v3_large",
                  "lraspp_mobilenet_v3_large"]:
    segmentation(segmenter)


def language(name, config, model, make_batch, rate=0.05):
    def make():
        import transformers
        made = getattr(transformers, model)(getattr(transformers, config[0])(**config[1]))
        return Wrapped(made, list(make_batch())), make_batch, rate
    ALL[name] = make


def Wrapped(model, names):
    """A module whose forward has these arguments by name, as torch.export needs them."""
    code = (f"def forward(self, {', '.join(names)}):\n"
            f"    return self.model({', '.join(f'{n}={n}' for n in names)}, return_dict=True).loss\n")
    scope = {}
    exec(code, scope)  # pylint: disable=exec-used
    made = type("Wrapped", (nn.Module,), {"forward": scope["forward"]})()
    made.model = model
    return made


def tokens(n=4, length=16, words=100):
    return torch.randint(words, (n, length))


def with_labels(**more):
    ids = tokens()
    return {"input_ids": ids, "labels": ids.clone(), **more}


SMALL = dict(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
             intermediate_size=64)
NO_DROPOUT = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
language("gpt2", ("GPT2Config", dict(vocab_size=100, n_embd=32, n_layer=2, n_head=2, n_positions=32,
                                     resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                                     use_cache=False)), "GPT2LMHeadModel", with_labels)
language("bert", ("BertConfig", dict(**SMALL, **NO_DROPOUT)), "BertForMaskedLM",
         lambda: with_labels(attention_mask=torch.ones(4, 16, dtype=torch.int64)))
language("distilbert", ("DistilBertConfig", dict(vocab_size=100, dim=32, n_layers=2, n_heads=2,
                                                 hidden_dim=64, dropout=0.0, attention_dropout=0.0)),
         "DistilBertForMaskedLM",
         lambda: with_labels(attention_mask=torch.ones(4, 16, dtype=torch.int64)))
language("t5", ("T5Config", dict(vocab_size=100, d_model=32, d_kv=16, d_ff=64, num_layers=2,
                                 num_heads=2, dropout_rate=0.0, decoder_start_token_id=0,
                                 pad_token_id=0, use_cache=False)),
         "T5ForConditionalGeneration", with_labels)
language("llama", ("LlamaConfig", dict(**SMALL, num_key_value_heads=1, use_cache=False)),
         "LlamaForCausalLM", with_labels)
language("qwen2", ("Qwen2Config", dict(**SMALL, num_key_value_heads=1, use_cache=False)),
         "Qwen2ForCausalLM", with_labels)
language("vit", ("ViTConfig", dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                                   intermediate_size=64, image_size=32, patch_size=8, num_labels=10,
                                   **NO_DROPOUT)), "ViTForImageClassification",
         lambda: {"pixel_values": torch.randn(4, 3, 32, 32), "labels": torch.randint(10, (4,))})


@entry("whisper_encoder")
def whisper():
    import transformers
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    class Mean(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = WhisperEncoder(transformers.WhisperConfig(
                d_model=32, encoder_layers=2, encoder_attention_heads=2, encoder_ffn_dim=64,
                num_mel_bins=16, max_source_positions=16, dropout=0.0, attention_dropout=0.0,
                activation_dropout=0.0))

        def forward(self, input_features):
            return self.model(input_features).last_hidden_state.tanh().square().mean()
    return Mean(), lambda: {"input_features": torch.randn(4, 16, 32)}, 0.05


def further(name, config, options, model, make_batch=with_labels, rate=0.05):
    language(name, (config, options), model, make_batch, rate)


def masked(**more):
    return with_labels(attention_mask=torch.ones(4, 16, dtype=torch.int64), **more)


DECODER = dict(**SMALL, use_cache=False)
further("roberta", "RobertaConfig", dict(**SMALL, **NO_DROPOUT, max_position_embeddings=40),
        "RobertaForMaskedLM", masked)
further("electra", "ElectraConfig", dict(**SMALL, **NO_DROPOUT, embedding_size=16),
        "ElectraForMaskedLM", masked)
further("albert", "AlbertConfig", dict(**SMALL, **NO_DROPOUT, embedding_size=16,
                                       classifier_dropout_prob=0.0), "AlbertForMaskedLM", masked)
further("convbert", "ConvBertConfig", dict(**SMALL, **NO_DROPOUT, embedding_size=32, head_ratio=1,
                                           conv_kernel_size=3), "ConvBertForMaskedLM", masked)
further("deberta", "DebertaV2Config", dict(**SMALL, **NO_DROPOUT, pooler_hidden_size=32,
                                           relative_attention=True, position_buckets=8,
                                           pos_att_type=["p2c", "c2p"]), "DebertaV2ForMaskedLM", masked)
further("mistral", "MistralConfig", dict(**DECODER, num_key_value_heads=1, sliding_window=8),
        "MistralForCausalLM")
further("mixtral", "MixtralConfig", dict(**DECODER, num_key_value_heads=1, num_local_experts=2),
        "MixtralForCausalLM")
further("gemma", "GemmaConfig", dict(**DECODER, num_key_value_heads=1, head_dim=16), "GemmaForCausalLM")
further("gemma2", "Gemma2Config", dict(**DECODER, num_key_value_heads=1, head_dim=16, sliding_window=8),
        "Gemma2ForCausalLM")
further("phi", "PhiConfig", dict(**DECODER, resid_pdrop=0.0), "PhiForCausalLM")
further("qwen3", "Qwen3Config", dict(**DECODER, num_key_value_heads=1, head_dim=16), "Qwen3ForCausalLM")
further("gpt_neox", "GPTNeoXConfig", dict(**DECODER), "GPTNeoXForCausalLM")
further("opt", "OPTConfig", dict(vocab_size=100, hidden_size=32, num_hidden_layers=2, ffn_dim=64,
                                 num_attention_heads=2, max_position_embeddings=32, dropout=0.0,
                                 word_embed_proj_dim=32, use_cache=False), "OPTForCausalLM")
further("bloom", "BloomConfig", dict(vocab_size=100, hidden_size=32, n_layer=2, n_head=2,
                                     use_cache=False), "BloomForCausalLM")
further("falcon", "FalconConfig", dict(vocab_size=100, hidden_size=32, num_hidden_layers=2,
                                       num_attention_heads=2, use_cache=False), "FalconForCausalLM")
further("mamba", "MambaConfig", dict(vocab_size=100, hidden_size=16, num_hidden_layers=2, state_size=4,
                                     use_cache=False), "MambaForCausalLM")
further("bart", "BartConfig", dict(vocab_size=100, d_model=32, encoder_layers=1, decoder_layers=1,
                                   encoder_attention_heads=2, decoder_attention_heads=2,
                                   encoder_ffn_dim=64, decoder_ffn_dim=64, dropout=0.0,
                                   max_position_embeddings=32, use_cache=False),
        "BartForConditionalGeneration")


def pictures(**more):
    return {"pixel_values": torch.randn(4, 3, 32, 32), "labels": torch.randint(10, (4,)), **more}


PICTURES = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                image_size=32, patch_size=8, num_labels=10)
further("deit", "DeiTConfig", dict(**PICTURES, **NO_DROPOUT), "DeiTForImageClassification", pictures)
further("dinov2", "Dinov2Config", dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                                       image_size=32, patch_size=8, num_labels=10, **NO_DROPOUT),
        "Dinov2ForImageClassification", pictures)
further("convnextv2", "ConvNextV2Config", dict(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2,
                                               patch_size=4, num_labels=10),
        "ConvNextV2ForImageClassification", pictures)
further("segformer", "SegformerConfig", dict(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1],
                                             hidden_sizes=[8, 16], num_attention_heads=[1, 2],
                                             patch_sizes=[7, 3], strides=[4, 2], mlp_ratios=[2, 2],
                                             decoder_hidden_size=16, num_labels=5, drop_path_rate=0.0,
                                             classifier_dropout_prob=0.0, **NO_DROPOUT),
        "SegformerForSemanticSegmentation",
        lambda: {"pixel_values": torch.randn(4, 3, 32, 32), "labels": torch.randint(5, (4, 32, 32))})


def averaged(name, make, make_batch, rate=0.05):
    """A model of transformers without a loss of its own: the mean of what it returns."""
    def entry_of():
        made = make()

        class Mean(nn.Module):
            pass
        names = list(make_batch())
        scope = {}
        exec(f"def forward(self, {', '.join(names)}):\n"
             f"    out = self.model({', '.join(f'{n}={n}' for n in names)}, return_dict=True)\n"
             "    return next(iter(out.values())).tanh().square().mean()\n", scope)
        Mean.forward = scope["forward"]
        module = Mean()
        module.model = made
        return module, make_batch, rate
    ALL[name] = entry_of


def clip():
    import transformers
    text = dict(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                intermediate_size=64, max_position_embeddings=32, eos_token_id=99)
    vision = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                  image_size=32, patch_size=8)
    return transformers.CLIPModel(transformers.CLIPConfig(text_config=text, vision_config=vision,
                                                          projection_dim=16))


averaged("clip", clip, lambda: {"input_ids": tokens(), "pixel_values": torch.randn(4, 3, 32, 32)})


def wav2vec2():
    import transformers
    return transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        conv_dim=[16, 16], conv_stride=[5, 2], conv_kernel=[10, 3], num_feat_extract_layers=2,
        num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2, hidden_dropout=0.0,
        attention_dropout=0.0, feat_proj_dropout=0.0, activation_dropout=0.0, layerdrop=0.0,
        mask_time_prob=0.0))


averaged("wav2vec2", wav2vec2, lambda: {"input_values": torch.randn(4, 400)})


class Video(Classified):
    """Clips of images."""


def video(name, frames=4, size=32, **options):
    def make():
        model = without_dropout(torchvision.models.get_model(name, num_classes=5, **options))
        return (Video(model, 5), lambda: {"image": torch.randn(2, 3, frames, size, size),
                                          "label": torch.randint(5, (2,))}, 0.001)
    ALL[name] = make


video("r3d_18")
video("mc3_18")
video("r2plus1d_18")


@entry("raft_small")
def raft():
    model = torchvision.models.optical_flow.raft_small()

    class Flow(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, first, second):
            return sum(flow.abs().mean() for flow in self.model(first, second, num_flow_updates=2))
    return (Flow(), lambda: {"first": torch.rand(2, 3, 128, 128), "second": torch.rand(2, 3, 128, 128)},
            1e-4)


@entry("transformer")
def transformer():
    """torch.nn.Transformer, with a causal mask."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)

        def forward(self, source, target):
            mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
            return self.model(source, target, tgt_mask=mask).tanh().square().mean()
    return Model(), lambda: {"source": torch.randn(4, 6, 16), "target": torch.randn(4, 5, 16)}, 0.05

# What cannot be trained, with a part of the reason (RESULTS.md).
REFUSED = {
    "mixtral": "transformers.grouped_mm_fallback",
    "raft_small": "Constraints violated",
    "transformer": "Could not guard on data-dependent expression",
}
