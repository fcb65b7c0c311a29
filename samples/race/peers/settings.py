"""settings.py: what the race gives each peer: a JSON object on the command line, which ../run makes
of race.json; and what a peer answers."""

import json
import sys
import types

EVALUATED = 250  # images at once in an evaluation


def given():
    """The settings of this peer."""
    return types.SimpleNamespace(**json.loads(sys.argv[1]))


def tell(settings, epoch, wrong, images):
    """Says which share of the test images was taken for another class, as the log of Broch does.
    True: the target is reached."""
    print(f"epoch {epoch} test_error: {wrong / images:.5g}", flush=True)
    return reached(settings, wrong, images)


def reached(settings, wrong, images):
    return wrong / images <= settings.target_error
