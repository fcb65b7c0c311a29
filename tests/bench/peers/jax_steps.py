"""jax_steps.py WORKLOAD THREADS VARIANT: JAX.

jit    one compiled step with donated buffers, called for each batch
scan   lax.scan over the steps of a block; the data set lies on the device
"""

import functools
import os
import sys

name, threads, variant = sys.argv[1:]
if threads == "1":
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = flags + " --xla_cpu_multi_thread_eigen=false"

import jax  # noqa: E402  (reads XLA_FLAGS)
import jax_models  # noqa: E402
import turns  # noqa: E402
import workloads  # noqa: E402

workload = workloads.WORKLOADS[name]
parameters, averages, costs_of = jax_models.build(workload)
columns = jax_models.columns(workload)
BATCHES = len(columns[0])


def step(state, point):
    parameters, averages, slots = state
    both = jax_models.gradients_of(workload, costs_of, parameters, averages, point)
    cost, averages, gradients = both
    parameters, slots = jax_models.updated(workload, parameters, slots, gradients)
    return (parameters, averages, slots), cost


first_slots = jax_models.first_slots(workload, parameters)
state = jax.device_put((parameters, averages, first_slots))
done, cost = 0, None


def make_jit():
    points = [tuple(column[k] for column in columns) for k in range(BATCHES)]
    compiled = jax.jit(step, donate_argnums=0)

    def run(count):
        global state, cost, done
        for done in range(done, done + count):
            state, cost = compiled(state, points[done % BATCHES])
        done += 1

    return run


def make_scan():
    on_device = [jax.device_put(column) for column in columns]

    @functools.partial(jax.jit, static_argnums=3, donate_argnums=0)
    def many(state, columns, first, count):
        def body(state, index):
            return step(state, tuple(column[index % BATCHES] for column in columns))

        state, costs = jax.lax.scan(body, state, first + jax.numpy.arange(count))
        return state, costs[-1]

    def run(count):
        global state, cost, done
        state, cost = many(state, on_device, done, count)
        done += count

    return run


def read_cost():
    jax.block_until_ready(state)
    return float(cost)


turns.serve(make_scan() if variant == "scan" else make_jit(), read_cost)
