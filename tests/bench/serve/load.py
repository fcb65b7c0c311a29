#!/usr/bin/env python3
"""A server of the Open Inference Protocol with clients that ask it: a child of ../driver.

    load.py --server-cpu N --client-cpu N --clients N --model NAME --input NAME=SHAPE
            --encoding json|binary -- COMMAND...

COMMAND gets a port as its last argument. On standard input: "go N" has the clients ask N times
together, each over one connection, one request at a time, and answers "done N SECONDS P99".
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

START_SECONDS = 120


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server-cpu", type=int, required=True)
    parser.add_argument("--client-cpu", type=int, required=True)
    parser.add_argument("--clients", type=int, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--input", required=True)
    parser.add_argument("--encoding", required=True)
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def request_of(options):
    """The bytes of a request, which are the same each time."""
    name, shape = options.input.split("=")
    shape = [int(size) for size in shape.split("x")]
    count = 1
    for size in shape:
        count *= size
    chance = random.Random(1)
    numbers = [round(chance.uniform(-1, 1), 4) for _ in range(count)]
    tensor = {"name": name, "datatype": "FP32", "shape": shape}
    kind, headers = "application/json", ""
    if options.encoding == "binary":
        tensor["parameters"] = {"binary_data_size": 4 * count}
        text = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
        body = text + struct.pack(f"<{count}f", *numbers)
        kind = "application/octet-stream"
        headers = f"Inference-Header-Content-Length: {len(text)}\r\n"
    else:
        tensor["data"] = numbers
        body = json.dumps({"inputs": [tensor]}).encode()
    head = (f"POST /v2/models/{options.model}/infer HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Content-Type: {kind}\r\n{headers}Content-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def ask(self, request):
        """Headers, by lower-case name, and body of the response."""
        self.socket.sendall(request)
        head, body = self._until(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        length = int(headers["content-length"])
        while len(body) < length:
            body += self._more()
        if first.split()[1] != "200":
            sys.exit(f"{first}: {body[:500]}")
        return headers, body

    def _until(self, end):
        data = b""
        while end not in data:
            data += self._more()
        return data.split(end, 1)

    def _more(self):
        chunk = self.socket.recv(1 << 20)
        if not chunk:
            sys.exit("the server has closed the connection")
        return chunk


def client(port, request, cpu, orders, results):
    """Asks as often as an order says, and returns the seconds of each request. Between orders,
    while other servers have their turn, a server may close a connection that is not used."""
    os.sched_setaffinity(0, [cpu])
    while count := orders.get():
        try:
            results.put(times_of(count, Connection(port), request))
        except (Exception, SystemExit) as error:
            results.put(f"{type(error).__name__}: {error}")


def times_of(count, connection, request):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        connection.ask(request)
        times.append(time.perf_counter() - begin)
    return times


def outputs_of(headers, body):
    """The numbers of the first output."""
    if "inference-header-content-length" in headers:
        start = int(headers["inference-header-content-length"])
        return struct.unpack(f"<{(len(body) - start) // 4}f", body[start:])
    data = json.loads(body)["outputs"][0]["data"]
    while isinstance(data[0], list):
        data = [number for row in data for number in row]
    return data


def wait_for(port, model, process):
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/models/{model}/ready") as ready:
                if ready.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError):
            pass
        if process.poll() is not None or time.monotonic() > end:
            sys.exit(f"the server is not ready; exit code {process.poll()}")
        time.sleep(0.1)


def memory_mib(process, word):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(word + ":"))


class Load:
    def __init__(self, options):
        port = free_port()
        command = ["taskset", "-c", str(options.server_cpu), *options.command, str(port)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        wait_for(port, options.model, self.process)
        self.request = request_of(options)
        self.port = port
        self.results = multiprocessing.Queue()
        self.orders = [multiprocessing.Queue() for _ in range(options.clients)]
        for orders in self.orders:
            multiprocessing.Process(
                target=client, daemon=True,
                args=(port, self.request, options.client_cpu, orders, self.results)).start()

    def go(self, requests):
        share = -(-requests // len(self.orders))
        begin = time.perf_counter()
        for orders in self.orders:
            orders.put(share)
        found = [self.results.get(timeout=600) for _ in self.orders]
        seconds = time.perf_counter() - begin
        for one in found:
            if isinstance(one, str):
                sys.exit(f"a client failed: {one}")
        times = sorted(second for one in found for second in one)
        return len(times), seconds, times[int(0.99 * (len(times) - 1))]

    def mean(self):
        numbers = outputs_of(*Connection(self.port).ask(self.request))
        return sum(map(abs, numbers)) / len(numbers)

    def end(self):
        for orders in self.orders:
            orders.put(0)
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def main():
    load = Load(arguments())
    print("ready", flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "quit":
            break
        if word == "go":
            print("done", *load.go(int(rest[0])), flush=True)
        elif word == "loss":
            print("loss", load.mean(), flush=True)
        elif word == "memory":
            print("memory", memory_mib(load.process, rest[0]), flush=True)
    load.end()


main()
