"""keras_network.py: the network of ../../fashion-mnist/convnet.cpp in Keras, and its schedule."""

import math

import keras
from keras import layers, ops


def he_normal(seed):
    """Keras's own he_normal cuts the tails off."""
    return keras.initializers.VarianceScaling(2, "fan_in", "untruncated_normal", seed)


def block(x, channels, seed):
    x = layers.Conv2D(channels, 3, padding="same", use_bias=False, kernel_initializer=seed())(x)
    return layers.ReLU()(layers.BatchNormalization(momentum=0.9, epsilon=1e-5)(x))


def build(settings):
    width, seeds = settings.width, iter(range(100 * settings.seed, 100 * settings.seed + 100))

    def first_values():
        return he_normal(next(seeds))

    image = keras.Input((28, 28, 1))
    x = layers.MaxPooling2D(2)(block(image, width, first_values))
    x = block(block(x, 2 * width, first_values), 2 * width, first_values)
    x = layers.MaxPooling2D(2)(x)
    x = block(block(x, 4 * width, first_values), 4 * width, first_values)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, layers.Dense(10, kernel_initializer=first_values())(x))


def cost(settings):
    return keras.losses.CategoricalCrossentropy(True, settings.smoothing)


@keras.saving.register_keras_serializable()
class OneCycle(keras.optimizers.schedules.LearningRateSchedule):
    """torch.optim.lr_scheduler.OneCycleLR, which Keras does not have."""

    def __init__(self, peak, steps, rise):
        super().__init__()
        self.peak, self.steps, self.rise = peak, steps, rise

    def __call__(self, step):
        step = ops.cast(step, "float32")
        top, end = self.rise * self.steps - 1, self.steps - 1
        low, last = self.peak / 25, self.peak / 250000
        rising = cosine(low, self.peak, step / top)
        return ops.where(step <= top, rising, cosine(self.peak, last, (step - top) / (end - top)))

    def get_config(self):
        return {"peak": self.peak, "steps": self.steps, "rise": self.rise}


def cosine(begin, end, part):
    """From begin to end along half a wave."""
    return end + (begin - end) / 2 * (1 + ops.cos(math.pi * part))


def optimizer(settings):
    rate = OneCycle(settings.peak, settings.epochs * settings.steps, settings.rise)
    return keras.optimizers.AdamW(rate, weight_decay=settings.weight_decay, epsilon=1e-8)
