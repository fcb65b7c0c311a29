"""moons.py: points of two half circles that reach into each other, drawn anew in each round."""
import math
import random


class Moons:
    def __init__(self, round, seed):
        self.round, self.seed = round, seed

    def __iter__(self, start=0):
        print(f"moons: round {self.round} from {start}")
        for i in range(start, 100):
            draws = random.Random(f"{self.seed} {self.round} {i}")
            moon, angle = i % 2, math.pi * draws.random()
            x = 1 - math.cos(angle) if moon else math.cos(angle)
            y = 0.5 - math.sin(angle) if moon else math.sin(angle)
            noise = [0.1 * draws.uniform(-1, 1) for _ in range(2)]
            yield {"position": [x + noise[0], y + noise[1]], "moon": moon}
