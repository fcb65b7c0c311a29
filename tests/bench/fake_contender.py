"""fake_contender.py SECONDS LOSS [dies|hangs]: a contender whose steps take no time but say so; it
may die or hang at its second block."""

import sys
import time

seconds, loss, *fault = sys.argv[1:]
blocks = 0
print("some library says hello", flush=True)
print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "quit":
        break
    if word == "loss":
        print("loss", loss, flush=True)
        continue
    blocks += 1
    if blocks == 2 and fault == ["dies"]:
        sys.exit("out of ideas")
    if blocks == 2 and fault == ["hangs"]:
        time.sleep(3600)
    steps = int(rest[0])
    print("done", steps, steps * float(seconds), flush=True)
