"""keras_fit.py SETTINGS: Keras 3 on JAX through Model.fit, batches made ahead. Its steps are
compiled one by one: in the loop of steps_per_execution, XLA's convolutions are far slower."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import fashion  # noqa: E402
import keras  # noqa: E402  (reads KERAS_BACKEND)
import keras_network  # noqa: E402
import numpy as np  # noqa: E402
import settings as race  # noqa: E402


class Evaluation(keras.callbacks.Callback):
    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.images, self.labels = fashion.evaluated(settings)

    def on_epoch_end(self, epoch, logs=None):
        scores = self.model.predict(self.images, batch_size=race.EVALUATED, verbose=0)
        wrong = int((scores.argmax(1) != self.labels).sum())
        self.model.stop_training = race.tell(self.settings, epoch + 1, wrong, len(self.labels))


def points(settings):
    classes = np.eye(10, dtype=np.float32)
    for images, labels in fashion.prefetched(fashion.batches(settings)):
        yield images, classes[labels]


def main():
    settings = race.given()
    model = keras_network.build(settings)
    model.compile(keras_network.optimizer(settings), keras_network.cost(settings))
    model.fit(
        points(settings),
        steps_per_epoch=settings.steps,
        epochs=settings.epochs,
        shuffle=False,
        verbose=0,
        callbacks=[Evaluation(settings)],
    )


main()
