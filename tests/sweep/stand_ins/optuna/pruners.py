"""What decides that a trial ends early."""


class MedianPruner:
    def __init__(self, n_startup_trials=5, n_warmup_steps=0, interval_steps=1, *, n_min_trials=1):
        self.n_startup_trials = n_startup_trials
