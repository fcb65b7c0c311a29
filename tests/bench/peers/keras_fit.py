"""keras_fit.py WORKLOAD THREADS VARIANT: Keras 3 on JAX, through Model.fit.

plain   compiled step by step
multi   steps_per_execution=20
"""

import itertools
import os
import sys

name, threads, variant = sys.argv[1:]
os.environ["KERAS_BACKEND"] = "jax"
if threads == "1":
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = flags + " --xla_cpu_multi_thread_eigen=false"

import keras  # noqa: E402  (reads KERAS_BACKEND)
import keras_models  # noqa: E402
import turns  # noqa: E402
import workloads  # noqa: E402

STEPS = 20 if variant == "multi" else 1  # a step of Keras's loop


class LastCost(keras.metrics.Metric):
    """The cost of the last step: the built-in number is a mean over the epoch."""

    def __init__(self, loss):
        super().__init__(name="last_cost")
        self.loss = loss
        self.value = self.add_variable((), "zeros", name="value")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.value.assign(keras.ops.mean(self.loss(y_true, y_pred)))

    def result(self):
        return keras.ops.convert_to_tensor(self.value)

    def reset_state(self):
        pass


class TakeTurns(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.turns = turns.Turns(lambda: float(self.logs["last_cost"]))

    def on_train_begin(self, logs=None):
        self._go_on(self.turns.ready())

    def on_train_batch_end(self, batch, logs=None):
        self.logs = logs
        self._go_on(self.turns.steps_done(STEPS))

    def _go_on(self, asked):
        if not asked:
            sys.exit()


def optimizer(workload):
    if workload.rule == "adam":
        return keras.optimizers.Adam(workload.rate, epsilon=1e-8)
    return keras.optimizers.SGD(workload.rate, momentum=0.9 if workload.rule == "momentum" else 0.0)


workload = workloads.WORKLOADS[name]
model = keras_models.build(workload)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer(workload), loss, metrics=[LastCost(loss)], steps_per_execution=STEPS)
# fit takes generators and no other iterators.
points = (point for point in itertools.cycle(keras_models.batches(workload)))
model.fit(points, steps_per_epoch=10**9, verbose=0, callbacks=[TakeTurns()])
