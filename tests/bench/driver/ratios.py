"""ratios.py: paired ratios, their median, and how sure it is."""

import random
import statistics

RESAMPLES = 2000


def paired(times, base):
    """Quotients within each round, so that what slows a whole round down cancels."""
    return [a / b for a, b in zip(times, base)]


def median_interval(values, seed=1):
    """Median, and the bounds of its 95 % bootstrap interval."""
    source = random.Random(seed)
    medians = sorted(
        statistics.median(source.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    low, high = medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES) - 1]
    return statistics.median(values), low, high
