"""Chooses x from 1, 3, 5 in turn: command.py LOG [MISTAKE]. What it reads is appended to LOG."""
import json
import sys
import time

CHOICES = [1, 3, 5]
mistake = sys.argv[2] if len(sys.argv) > 2 else ""
log = open(sys.argv[1], "a")
waited = False


def say(message):
    print(message if isinstance(message, str) else json.dumps(message), flush=True)


def propose(number):
    x = CHOICES[number - 1]
    say({"trial": f"t{x}", "parameters": {"vars.x": x}})


for line in sys.stdin:
    log.write(line)
    log.flush()
    message = json.loads(line)
    if "report" in message and mistake == "stop" and message["report"] == "t1":
        say({"stop": "t1"})
    if "ask" not in message:
        continue
    number = message["ask"]
    if mistake == "stop at once" and number == 1:
        trial = json.dumps({"trial": "t1", "parameters": {"vars.x": 1}})
        say(trial + "\n" + json.dumps({"stop": "t1"}))
        continue
    if mistake == "die" and number == 3:
        sys.exit(3)
    if mistake == "silent" and number == 2:
        time.sleep(60)
    if mistake in ("wait", "wait late") and number == 2 and not waited:
        waited = True
        if mistake == "wait late":
            time.sleep(4)  # t1 ends meanwhile, which has not been read yet
        say({"wait": True})
        continue
    if mistake == "wait always":
        say({"wait": True})
        continue
    if mistake.startswith("say:") and number == 2:
        say(mistake[4:])
        continue
    if mistake == "long":
        say("x" * 2_000_000)
    if number > len(CHOICES):
        say({"done": True})
    else:
        propose(number)
log.write("end\n")
