"""What a parameter may be."""


class BaseDistribution:
    pass


class CategoricalDistribution(BaseDistribution):
    def __init__(self, choices):
        assert len(choices) > 0
        self.choices = list(choices)

    def choose(self, number):
        return self.choices[number % len(self.choices)]


class FloatDistribution(BaseDistribution):
    def __init__(self, low, high, log=False, step=None):
        assert low <= high and (low > 0 or not log), (low, high, log)
        self.low, self.high, self.log = low, high, log

    def choose(self, number):
        part = number % 8 / 8
        return self.low * (self.high / self.low) ** part if self.log \
            else self.low + (self.high - self.low) * part


class IntDistribution(BaseDistribution):
    def __init__(self, low, high, log=False, step=1):
        assert isinstance(low, int) and isinstance(high, int) and low <= high
        self.low, self.high = low, high

    def choose(self, number):
        return self.low + number % (self.high - self.low + 1)
