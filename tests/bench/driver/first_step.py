"""first_step.py: how long contenders take from the start of a process to the end of its first
step. They take turns, each time as a new process."""

import random
import time


def seconds_to_first_step(contender):
    begin = time.monotonic()
    try:
        contender.start()
        contender.run(1)
        return time.monotonic() - begin
    finally:
        contender.stop()


def measure(contenders, rounds):
    """Seconds by name, one a round; the first round only warms caches."""
    times = {contender.name: [] for contender in contenders}
    order = random.Random(1)
    for _ in range(rounds + 1):
        order.shuffle(contenders)
        for contender in contenders:
            times[contender.name].append(seconds_to_first_step(contender))
    return {name: list_of[1:] for name, list_of in times.items()}
