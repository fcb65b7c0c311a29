"""exported_models.py: networks of torchvision and transformers, as torch.nn modules whose forward
gives the cost of a batch. Nothing is dropped out, since random numbers differ from program to
program."""

import torchvision
import transformers
from torch import nn
from torch.nn import functional as F


class Classifier(nn.Module):
    """Of pictures, by torchvision."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def scores(self, image):
        return self.network(image)

    def forward(self, image, label):
        return F.cross_entropy(self.scores(image), label)


class LanguageModel(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, tokens, next_tokens):
        logits = self.network(input_ids=tokens).logits
        return F.cross_entropy(logits.flatten(0, 1), next_tokens.flatten())


class TextClassifier(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, tokens, mask, label):
        logits = self.network(input_ids=tokens, attention_mask=mask).logits
        return F.cross_entropy(logits, label)


def resnet18(classes):
    return Classifier(torchvision.models.resnet18(num_classes=classes))


def mobilenet_v3_small(classes):
    return Classifier(torchvision.models.mobilenet_v3_small(num_classes=classes, dropout=0.0))


def vit(classes):
    return Classifier(
        torchvision.models.VisionTransformer(
            image_size=64,
            patch_size=8,
            num_layers=4,
            num_heads=3,
            hidden_dim=192,
            mlp_dim=768,
            num_classes=classes,
        )
    )


def gpt2(words):
    config = transformers.GPT2Config(
        vocab_size=words,
        n_positions=64,
        n_embd=128,
        n_layer=4,
        n_head=4,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
    )
    return LanguageModel(transformers.GPT2LMHeadModel(config))


def bert(words):
    """BERT-Tiny of Turc et al. 2019."""
    config = transformers.BertConfig(
        vocab_size=words,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=512,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return TextClassifier(transformers.BertForSequenceClassification(config))


MODELS = {
    "resnet18": resnet18,
    "mobilenet": mobilenet_v3_small,
    "vit": vit,
    "gpt2": gpt2,
    "bert": bert,
}


def build(options):
    return MODELS[options.model](options.size)
