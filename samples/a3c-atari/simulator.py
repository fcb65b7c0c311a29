#!/usr/bin/env python3
"""Plays games of Atari for a trainer, which says by ZeroMQ what to do.

    simulator.py ADDRESS GAME FIRST GAMES SEED

It plays GAMES games with the numbers FIRST, FIRST + 1 ... A report is REPORT and a frame; an order
is ORDER. It ends with its standard input, which the trainer holds open as long as it lives.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

import pathlib  # noqa: E402
import random  # noqa: E402
import shutil  # noqa: E402
import struct  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402

import ale_py.roms  # noqa: E402
import numpy  # noqa: E402
import zmq  # noqa: E402

REPORT = struct.Struct("<IIff")  # game, kind, reward of the action, score of the episode that ended
ORDER = struct.Struct("<II")  # game, action
GOES_ON, ENDED, BEGAN = range(3)
SIDE = 84
REPEATS = 4  # of an action
MOST_PAUSES = 30  # at the beginning of an episode, so that no two are alike
MOST_STEPS = 27_000  # of an episode: half an hour of play


def shares(pixels):
    """(SIDE, pixels): how much of each pixel lies in each of SIDE equal parts of them."""
    part = numpy.arange(SIDE)[:, None] * pixels / SIDE
    pixel = numpy.arange(pixels)[None, :]
    overlap = numpy.minimum(part + pixels / SIDE, pixel + 1) - numpy.maximum(part, pixel)
    return (numpy.clip(overlap, 0, 1) * SIDE / pixels).astype("float32")


# Two rows of a frame are five of the screen, which is 210 pixels high and 160 wide.
ROWS = shares(210)[:2, :5]
COLUMNS = shares(160).T.copy()


def shrunk(screen):
    """The means of 84 x 84 parts of a gray screen."""
    rows = (ROWS @ screen.reshape(42, 5, 160).astype("float32")).reshape(SIDE, 160)
    return (rows @ COLUMNS + 0.5).astype("uint8")


class Game:
    def __init__(self, name, seed):
        self.ale = ale_py.ALEInterface()
        self.ale.setInt("random_seed", seed % 2**31)
        self.ale.setFloat("repeat_action_probability", 0)
        self.ale.loadROM(ale_py.roms.get_rom_path(name))
        self.actions = self.ale.getMinimalActionSet()
        self.draws = random.Random(seed)
        self.screens = [numpy.empty((210, 160), "uint8") for _ in range(2)]

    def begin(self):
        """The first frame of an episode."""
        self.ale.reset_game()
        for _ in range(self.draws.randint(1, MOST_PAUSES)):
            self.ale.act(self.actions[0])
        self.score, self.steps = 0, 0
        self.ale.getScreenGrayscale(self.screens[0])
        return shrunk(self.screens[0])

    def act(self, action):
        """Frame, reward and whether the episode has ended."""
        reward = 0
        for i in range(REPEATS):
            reward += self.ale.act(self.actions[action])
            if i >= REPEATS - 2:  # some games show things in every other picture only
                self.ale.getScreenGrayscale(self.screens[i % 2])
        self.score += reward
        self.steps += 1
        ended = self.ale.game_over() or self.steps == MOST_STEPS
        return shrunk(numpy.maximum(*self.screens)), reward, ended


def end_with_trainer(address):
    while os.read(0, 1):
        pass
    shutil.rmtree(pathlib.Path(address.removeprefix("ipc://")).parent, ignore_errors=True)
    os._exit(0)


def main():
    address, name, first, count, seed = sys.argv[1:]
    threading.Thread(target=end_with_trainer, args=[address], daemon=True).start()
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.setsockopt(zmq.IDENTITY, first.encode())
    socket.connect(address)
    games = {number: Game(name, int(seed) + number)
             for number in range(int(first), int(first) + int(count))}
    for number, game in games.items():
        socket.send(REPORT.pack(number, BEGAN, 0, 0) + game.begin().tobytes())
    while True:
        number, action = ORDER.unpack(socket.recv())
        game = games[number]
        frame, reward, ended = game.act(action)
        kind, score = (ENDED if ended else GOES_ON), game.score
        if ended:
            frame = game.begin()
        socket.send(REPORT.pack(number, kind, reward, score) + frame.tobytes())


if __name__ == "__main__":
    main()
