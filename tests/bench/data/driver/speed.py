"""speed.py: seconds per batch, in a race."""

import math
import statistics

from contender import Failed
from race import race, ratios_to

CHECKED_BATCHES = 20
# More batches than any contender makes ready while it waits for its turn.
MOST_READY = {"cifar": 40, "tokens": 40, "csv": 40}
MOST_READY_OF_IMAGES = 12
LEAST = 10  # batches of a block, since workers may finish some of them together


def measure(contenders, workload, threads, options, say):
    """Prints a table. Gives rows for JSON, and whether a contender failed."""
    racers = [contenders.broch(workload, threads)]
    racers += [contenders.peer(name, workload, threads) for name in options.peers_of(workload)]
    for racer in racers:
        racer.untimed = MOST_READY.get(workload, MOST_READY_OF_IMAGES)
    rounds, seconds = (3, 0.5) if options.quick else (12, 2)
    ours, *theirs = race(racers, rounds, seconds, say, compare_batches, LEAST)
    ratios = [] if ours.void else ratios_to(ours, theirs)
    show(workload, threads, ours, theirs, ratios)
    rows = [
        {
            "workload": workload,
            "threads": threads,
            "peer": ratio.peer,
            "us_per_batch": None if ratio.void else entry.median() * 1e6,
            "broch_us_per_batch": ours.median() * 1e6,
            "ratio": ratio.ratio,
            "low": ratio.low,
            "high": ratio.high,
        }
        for entry, ratio in zip(theirs, ratios)
    ]
    return rows, any(entry.void for entry in (ours, *theirs))


def compare_batches(entries, say):
    """Equal work: batches of the same dtype and shape, with the same mean as far as chance allows.
    The first contender that lives is the reference."""
    samples = {}
    for entry in entries:
        if entry.void:
            continue
        try:
            samples[entry.name] = sample_of(entry.contender)
            reference = next(iter(samples.values()))
            if not agree(samples[entry.name], reference):
                entry.void = (
                    f"{entry.name} has batches of {text_of(samples[entry.name])}, "
                    f"{next(iter(samples))} of {text_of(reference)}"
                )
        except Failed as failure:
            entry.void = str(failure)
        say(entry.void or f"{entry.name}: batches of {text_of(samples[entry.name])}")


def sample_of(contender):
    """dtype, shape, mean, and the standard error of the mean."""
    batches = [contender.batch() for _ in range(CHECKED_BATCHES)]
    means = [mean for _, _, mean in batches]
    error = statistics.stdev(means) / math.sqrt(len(means))
    return *batches[0][:2], statistics.mean(means), error


def agree(sample, reference):
    # Means by chance further apart than 5 standard errors: once in a million. 0.01: rounding.
    most = 5 * math.hypot(sample[3], reference[3]) + 0.01
    return sample[:2] == reference[:2] and abs(sample[2] - reference[2]) <= most


def text_of(sample):
    dtype, shape, mean, error = sample
    return f"{dtype} {shape} with mean {mean:.4g} (± {error:.2g})"


def show(workload, threads, ours, theirs, ratios):
    print(f"\n{workload}, {threads} thread(s)")
    print(f"  {'':12}{'us/batch':>10}{'ratio':>8}  {'95 %':13}{'MiB':>7}")
    for entry, ratio in [(ours, None), *zip(theirs, ratios)]:
        if entry.void:
            print(f"  {entry.name:12}      VOID  {entry.void.splitlines()[0]}")
            continue
        text = f"  {entry.name:12}{entry.median() * 1e6:10.1f}"
        if ratio:
            text += f"{ratio.ratio:8.2f}  {f'{ratio.low:.2f}-{ratio.high:.2f}':13}"
        else:
            text += " " * 23
        print(f"{text}{entry.memory:7.0f}", flush=True)
