#!/usr/bin/env python3
"""broch serve under load: right answers for everybody, and memory that does not grow.

  load_test.py BROCH BUNDLES --seconds N      BUNDLES: the program broch_serve_bundles

Eight clients ask for batches of all sizes, in JSON and in binary. Beside them, others send wrong
requests, leave in the middle of one, and connect anew each time.
"""
import argparse
import http.client
import json
import random
import re
import socket
import struct
import sys
import threading
import time

from served import Served, linear

CLIENTS = 8
MOST_ROWS = 40            # above the largest batch of the server
ALLOWED_BYTES = 8 << 20   # how much the memory may grow after a third of the time


class Load:
    def __init__(self, address, seconds):
        self.host, port = address.split(":")
        self.port = int(port)
        self.end = time.monotonic() + seconds
        self.answers, self.refused, self.failures = 0, 0, []
        self.lock = threading.Lock()

    def run(self):
        bodies = [self.ask] * CLIENTS + [self.ask_wrongly, self.leave]
        threads = [threading.Thread(target=self.guarded, args=(body, seed))
                   for seed, body in enumerate(bodies)]
        for thread in threads:
            thread.start()
        return threads

    def guarded(self, body, seed):
        try:
            body(random.Random(seed))
        except Exception as failure:  # reported at the end
            with self.lock:
                self.failures.append(repr(failure))

    def connection(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=60)

    def post(self, connection, body, headers=None):
        connection.request("POST", "/v2/models/linear/infer", body, headers or {})
        response = connection.getresponse()
        return response, response.read()

    def ask(self, chance):
        connection = self.connection()
        while time.monotonic() < self.end:
            rows = [[chance.randint(-4, 4) for _ in range(3)]
                    for _ in range(chance.randint(1, MOST_ROWS))]
            got = self.ask_once(connection, rows, chance.random() < 0.5)
            if got != linear(rows):
                raise AssertionError(f"{got} for {rows}")
            with self.lock:
                self.answers += 1
            if chance.random() < 0.02:
                connection.close()

    def ask_once(self, connection, rows, binary):
        numbers = [number for row in rows for number in row]
        x = {"name": "x", "datatype": "FP32", "shape": [len(rows), 3]}
        if not binary:
            x["data"] = numbers
            response, body = self.post(connection, json.dumps({"inputs": [x]}))
            assert response.status == 200, body
            data = json.loads(body)["outputs"][0]["data"]
        else:
            x["parameters"] = {"binary_data_size": 12 * len(rows)}
            text = json.dumps({"inputs": [x], "parameters": {"binary_data_output": True}}).encode()
            response, body = self.post(
                connection, text + struct.pack(f"<{len(numbers)}f", *numbers),
                {"Inference-Header-Content-Length": str(len(text))})
            assert response.status == 200, body
            start = int(response.headers["Inference-Header-Content-Length"])
            data = struct.unpack(f"<{2 * len(rows)}f", body[start:])
        return [list(data[i:i + 2]) for i in range(0, len(data), 2)]

    def ask_wrongly(self, chance):
        while time.monotonic() < self.end:
            connection = self.connection()
            for body in ("", "{", '{"inputs":[]}', "[" * 50, "x" * chance.randint(1, 100_000)):
                response, answer = self.post(connection, body)
                assert response.status == 400 and json.loads(answer)["error"], answer
                self.refused += 1
            connection.close()
            time.sleep(0.01)

    def leave(self, chance):
        request = (b"POST /v2/models/linear/infer HTTP/1.1\r\nHost: localhost\r\n"
                   b"Content-Length: 50000\r\n\r\n" + b"1" * 9999)
        while time.monotonic() < self.end:
            with socket.create_connection((self.host, self.port)) as other:
                other.sendall(request[:chance.randint(0, len(request))])
            time.sleep(0.01)

    def memory(self):
        connection = self.connection()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return float(re.search(r"^process_resident_memory_bytes (\S+)$", text, re.M).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("broch")
    parser.add_argument("bundles")
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    with Served(options.broch, options.bundles) as server:
        load = Load(server.address, options.seconds)
        begin = time.monotonic()
        threads = load.run()
        early = late = 0
        while time.monotonic() < load.end:
            time.sleep(min(1, options.seconds / 10))
            late = load.memory()
            if not early or time.monotonic() - begin < options.seconds / 3:
                early = max(early, late)
        for thread in threads:
            thread.join()
        late = load.memory()
        code = server.end()
    print(f"{load.answers} answers and {load.refused} refusals in {options.seconds:g} s; "
          f"memory {early / 2**20:.1f} MiB after a third of the time, {late / 2**20:.1f} at the end")
    if code:
        load.failures.append(f"exit code {code}")
    if late > early + ALLOWED_BYTES:
        load.failures.append("the memory has grown")
    if not load.answers or not load.refused:
        load.failures.append("nobody was answered")
    print("\n".join(load.failures))
    return 1 if load.failures else 0


if __name__ == "__main__":
    sys.exit(main())
