#!/usr/bin/env python3
"""The same training in PyTorch: the same simulators, network, batches and threads. Prints frames
per second after each epoch; measure compares them with Broch's.

    pytorch_loop.py '{"python": PYTHON, "network": "a3c", ...}'      settings: those of measure
"""

import collections
import json
import pathlib
import queue
import struct
import subprocess
import sys
import tempfile
import threading
import time

import numpy
import torch
import zmq
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent
REPORT = struct.Struct("<IIff")  # as in simulator.py
ORDER = struct.Struct("<II")
GOES_ON, ENDED, BEGAN = range(3)
FRAMES, SIDE = 4, 84

Answer = collections.namedtuple("Answer", "game action probability value")
Taken = collections.namedtuple("Taken", "state action probability value")
Lesson = collections.namedtuple("Lesson", "state action goal probability")


def initial(layer, gain):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def features(network):
    """The layers before both heads, and how many numbers they end in."""
    if network == "tensorpack":
        sizes, layers = [(32, 5), (32, 5), (64, 3), (64, 3)], []
        for i, (channels, kernel) in enumerate(sizes):
            inputs = FRAMES if i == 0 else sizes[i - 1][0]
            layers += [nn.Conv2d(inputs, channels, kernel, padding=kernel // 2), nn.ReLU()]
            if i < 3:
                layers.append(nn.MaxPool2d(2))
        units, flat = 512, 64 * 10 * 10
    elif network == "nature":
        layers = [nn.Conv2d(FRAMES, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(),
                  nn.Conv2d(64, 64, 3), nn.ReLU()]
        units, flat = 512, 64 * 7 * 7
    else:
        layers = [nn.Conv2d(FRAMES, 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU()]
        units, flat = 256, 32 * 9 * 9
    layers += [nn.Flatten(), nn.Linear(flat, units), nn.ReLU()]
    for layer in layers:
        if hasattr(layer, "weight"):
            initial(layer, 2 ** 0.5)
    return nn.Sequential(*layers), units


class ActorCritic(nn.Module):
    def __init__(self, network, actions):
        super().__init__()
        self.features, units = features(network)
        self.policy = initial(nn.Linear(units, actions), 0.01)
        self.critic = initial(nn.Linear(units, 1), 1)

    def forward(self, state):
        x = self.features(state.float() / 255)
        return functional.log_softmax(self.policy(x), 1), self.critic(x)[:, 0]


class Game:
    """What was done since the last lessons."""

    def __init__(self, settings):
        self.steps, self.discount = settings["steps"], settings["discount"]
        self.taken, self.rewards = [], []

    def take(self, kind, reward, frame):
        lessons = []
        if self.taken:
            self.rewards.append(min(max(reward, -1), 1))
            if kind == ENDED:
                lessons = self.learn(len(self.taken), 0)
            elif len(self.taken) == self.steps + 1:
                lessons = self.learn(self.steps, self.taken[-1].value)
        if kind == GOES_ON:
            self.state = numpy.concatenate([self.state[1:], frame])
        else:
            self.state = numpy.repeat(frame, FRAMES, 0)
        return lessons

    def act(self, answer):
        self.taken.append(Taken(self.state, answer.action, answer.probability, answer.value))

    def learn(self, n, later):
        lessons = []
        for taken, reward in zip(self.taken[n - 1::-1], self.rewards[n - 1::-1]):
            later = reward + self.discount * later
            lessons.append(Lesson(taken.state, taken.action, later, taken.probability))
        del self.taken[:n], self.rewards[:n]
        return lessons


class Players(threading.Thread):
    """Talks to the simulators. Asks the policy on a thread of its own."""

    def __init__(self, model, settings):
        super().__init__(daemon=True)
        self.model, self.settings = model, settings
        self.lessons = queue.Queue(settings["capacity"] * settings["batch_size"])
        self.questions = queue.Queue()
        self.answers = queue.SimpleQueue()
        self.folder = tempfile.TemporaryDirectory(prefix="broch-a3c-")
        address = f"ipc://{self.folder.name}/socket"
        self.context = zmq.Context.instance()
        self.socket = self.context.socket(zmq.ROUTER)
        self.socket.bind(address)
        self.answered = self.context.socket(zmq.PULL)
        self.answered.bind("inproc://answered")
        games = settings["games"]
        self.games = [Game(settings) for _ in range(settings["processes"] * games)]
        self.processes = [
            subprocess.Popen([settings["python"], HERE / "simulator.py", address, settings["game"],
                              str(i * games), str(games), str(settings["seed"])],
                             stdin=subprocess.PIPE)
            for i in range(settings["processes"])]
        threading.Thread(target=self.answer, daemon=True).start()

    def run(self):
        poller = zmq.Poller()
        poller.register(self.socket, zmq.POLLIN)
        poller.register(self.answered, zmq.POLLIN)
        while True:
            ready = dict(poller.poll())
            if self.answered in ready:
                self.answered.recv()
                while not self.answers.empty():
                    self.send(self.answers.get())
            while self.socket.get(zmq.EVENTS) & zmq.POLLIN:
                self.take(self.socket.recv_multipart()[1])

    def send(self, answer):
        self.games[answer.game].act(answer)
        count = self.settings["games"]
        self.socket.send_multipart([str(answer.game // count * count).encode(),
                                    ORDER.pack(answer.game, answer.action)])

    def take(self, report):
        number, kind, reward, _ = REPORT.unpack_from(report)
        frame = numpy.frombuffer(report, "uint8", offset=REPORT.size).reshape(1, SIDE, SIDE)
        game = self.games[number]
        for lesson in game.take(kind, reward, frame):
            self.lessons.put(lesson)
        self.questions.put((number, game.state))

    def answer(self):
        done = self.context.socket(zmq.PUSH)
        done.connect("inproc://answered")
        draws = numpy.random.default_rng(self.settings["seed"])
        while True:
            asked = [self.questions.get()]
            while len(asked) < self.settings["questions"] and not self.questions.empty():
                asked.append(self.questions.get())
            states = torch.from_numpy(numpy.stack([state for _, state in asked]))
            with torch.inference_mode():
                log_policy, value = self.model(states)
            policy, value = log_policy.exp().numpy(), value.numpy()
            bounds = policy.cumsum(1)
            actions = (bounds[:, :-1] <= draws.random((len(asked), 1))).sum(1)
            for i, (number, _) in enumerate(asked):
                action = int(actions[i])
                self.answers.put(Answer(number, action, policy[i, action], value[i]))
            done.send(b"")

    def batch(self):
        lessons = [self.lessons.get() for _ in range(self.settings["batch_size"])]
        state, action, goal, probability = zip(*lessons)
        return (torch.from_numpy(numpy.stack(state)), torch.tensor(action),
                torch.from_numpy(numpy.array(goal, "float32")),
                torch.from_numpy(numpy.array(probability, "float32")))

    def end(self):
        for process in self.processes:
            process.stdin.close()
            process.wait()


def cost(model, batch, settings):
    state, action, goal, probability = batch
    log_policy, value = model(state)
    chosen = log_policy.gather(1, action[:, None])[:, 0]
    importance = (chosen.detach().exp() / (probability + 1e-8)).clamp(max=10)
    gain = (chosen * (goal - value.detach()) * importance).mean()
    entropy = -(log_policy.exp() * log_policy).sum(1).mean()
    error = functional.mse_loss(value, goal)
    return 0.5 * error - gain - settings["entropy_weight"] * entropy


def main():
    settings = json.loads(sys.argv[1])
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(settings["threads"])
    model = ActorCritic(settings["network"], settings["actions"])
    optimizer = torch.optim.Adam(model.parameters(), settings["learning_rate"], eps=1e-5)
    players = Players(model, settings)
    players.start()
    for _ in range(settings["epochs"]):
        begin = time.monotonic()
        for _ in range(settings["batches"]):
            optimizer.zero_grad()
            cost(model, players.batch(), settings).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
        frames = settings["batches"] * settings["batch_size"]
        print(frames / (time.monotonic() - begin), flush=True)
    players.end()


if __name__ == "__main__":
    main()
