"""race.py: contenders train in shuffled turn; who does not do the same work is void."""

import dataclasses
import random
import statistics

from contender import Failed
from ratios import median_interval, paired

CHECKED_STEPS = 20  # after them the losses are compared; blocks are multiples of it or shorter
PROBES = 6  # blocks that tell how fast a contender is
TOLERANCE = 1e-4  # of a loss, relative where it is more than 1


@dataclasses.dataclass
class Entry:
    """A contender in a race."""

    contender: object
    loss: float = None
    steps: int = 1  # of a block
    times: list = dataclasses.field(default_factory=list)  # seconds a step, one a round
    memory: float = None  # MiB
    void: str = ""  # why its times do not count

    @property
    def name(self):
        return self.contender.name

    def median(self):
        return statistics.median(self.times)


@dataclasses.dataclass(frozen=True)
class Ratio:
    """How many times the seconds of base a peer takes."""

    peer: str
    ratio: float = None
    low: float = None
    high: float = None
    void: str = ""


def same_loss(loss, reference):
    return abs(loss - reference) <= TOLERANCE * max(1, abs(reference))


def race(contenders, rounds, seconds, say=lambda text: None, compare=None, least=1):
    """Blocks of about so many seconds, and at least so many steps; the loss of the first contender
    that lives is the reference. compare(entries, say): voids those that do other work, instead of
    comparing their losses. Gives an Entry for each; all children have ended."""
    entries = [Entry(contender) for contender in contenders]
    try:
        for entry in entries:
            say(f"{entry.name} warms up")
            attempt(entry, lambda: warm_up(entry, seconds, least), say)
        (compare or compare_losses)(entries, say)
        order = random.Random(1)
        for number in range(rounds + 1):
            live = [entry for entry in entries if not entry.void]
            order.shuffle(live)
            for entry in live:
                attempt(entry, lambda: take_turn(entry), say)
            say(f"round {number} of {rounds}")
        for entry in entries:
            entry.times = entry.times[1:]  # the first round still warms up
            if not entry.void:
                attempt(entry, lambda: note_memory(entry), say)
    finally:
        for entry in entries:
            entry.contender.stop()
    return entries


def attempt(entry, action, say):
    try:
        action()
    except Failed as failure:
        entry.void = str(failure)
        say(entry.void)


def warm_up(entry, seconds, least):
    entry.contender.start()
    entry.contender.run(CHECKED_STEPS)
    entry.loss = entry.contender.loss()
    entry.steps = max(least, block_size(seconds / seconds_a_step(entry.contender, seconds)))


def seconds_a_step(contender, seconds):
    """The fastest of a few blocks, since one that was interrupted says nothing; of one block where
    that takes long."""
    found = [contender.run(CHECKED_STEPS)]
    while len(found) < PROBES and found[0] * CHECKED_STEPS < 10 * seconds:
        found.append(contender.run(CHECKED_STEPS))
    return min(found)


def block_size(steps):
    if steps < CHECKED_STEPS:
        return max(1, round(steps))
    return round(steps / CHECKED_STEPS) * CHECKED_STEPS


def take_turn(entry):
    entry.times.append(entry.contender.run(entry.steps))


def note_memory(entry):
    entry.memory = entry.contender.memory("VmHWM")


def compare_losses(entries, say):
    live = [entry for entry in entries if not entry.void]
    if not live:
        return
    reference = live[0]
    for entry in live:
        if not same_loss(entry.loss, reference.loss):
            entry.void = (
                f"{entry.name} has loss {entry.loss:.6f} after {CHECKED_STEPS} steps, "
                f"{reference.name} {reference.loss:.6f}"
            )
            say(entry.void)


def ratios_to(base, entries):
    """Of each entry; void where it or the base is."""
    found = []
    for entry in entries:
        void = base.void or entry.void
        if void:
            found.append(Ratio(entry.name, void=void))
        else:
            found.append(Ratio(entry.name, *median_interval(paired(entry.times, base.times))))
    return found
