"""Log folders for the tests in the browser."""
import json
import math
import os
import struct
import zlib


EVENTS = "events.out.tfevents.1700000000.here"


def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc32c_table()


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(number):
    data = b""
    while number >= 128:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def field(number, value):
    """A field of protobuf's wire format: int, float or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def png(width, height, pixel):
    """pixel(x, y): red, green, blue."""
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width))
                    for y in range(height))
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def image(tag, step):
    data = png(16, 16, lambda x, y: (x * 16, y * 16, step * 8 % 256))
    return field(1, field(1, tag.encode())
                 + field(4, field(1, 16) + field(2, 16) + field(3, 3) + field(4, data)))


def histogram(tag, step):
    limits = [-3 + i * 0.25 for i in range(25)]
    counts = [1000 * math.exp(-((limit - step / 50) ** 2)) for limit in limits]
    return field(1, field(1, tag.encode()) + field(5, (
        field(1, limits[0] - 0.25) + field(2, limits[-1]) + field(3, sum(counts))
        + field(6, struct.pack(f"<{len(limits)}d", *limits))
        + field(7, struct.pack(f"<{len(counts)}d", *counts)))))


def text(tag, text):
    """A text for the plugin "text", as a tensor of one."""
    metadata = field(1, field(1, b"text"))
    tensor = field(1, 7) + field(2, field(2, field(1, 1))) + field(8, text.encode())
    return field(1, field(1, tag.encode()) + field(8, tensor) + field(9, metadata))


def event(time, step, summary=b"", message=b""):
    data = field(1, float(time)) + field(2, step)
    if summary:
        data += field(5, summary)
    if message:
        data += field(6, field(2, message))
    length = struct.pack("<Q", len(data))
    return length + masked_crc(length) + data + masked_crc(data)


def record(rate, step):
    """The values at a step of a run of add_run."""
    cost = 2.3 * math.exp(-rate * step) + 0.05 + 0.05 * math.sin(step * 1.7 + rate * 1000)
    return {"cost": cost, "validation_error": cost / 3, "learning_rate": rate,
            "epoch_num": (step - 1) // 100 + 1, "global_step": step}


def media(name, step):
    """What the event files of such a run have at the end of an epoch."""
    return (image("input", step) + image("filters", step + 50) + histogram("weights", step)
            + text("samples", f"what {name} makes at step {step}"))


def add_run(folder, name, rate, started, steps=300, exit_code=0, events=True):
    """A run whose cost falls the faster the larger the rate is."""
    path = folder / name
    path.mkdir(parents=True)
    (path / "log.log").write_text(f"12:00:00 info Start Epoch 1 ...\n12:00:09 info {name} ends\n")
    records = [record(rate, step) for step in range(10, steps + 1, 10)]
    (path / "stats.json").write_text("[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n")
    manifest = {"broch": 1, "name": name, "seed": 1, "model": {"use": "digits.convnet", "with": {}},
                "optimizer": {"use": "broch.optimizer.adam", "with": {"learning_rate": rate}},
                "trainer": {"use": "broch.trainer.simple"}, "max_epoch": steps // 100,
                "log_dir": str(path)}
    (path / "manifest.json").write_text(json.dumps(manifest, indent=2))
    (path / "manifest.resolved.json").write_text(json.dumps(manifest))
    (path / "manifest.origins.json").write_text(json.dumps(
        {"/seed": "default of seed", "/optimizer/with/learning_rate": "override optimizer.with"}))
    (path / "plugins.json").write_text(json.dumps(
        [{"id": "broch.optimizer.adam", "version": "1.0.0", "file": "adam.so", "xxh128": "0",
          "build_id": "0123456789abcdef"}]))
    (path / "run.json").write_text(json.dumps(
        {"host": "here", "pid": 1, "started": started, "ended": started + steps,
         "exit": exit_code, "resumed_from": None, "settings": {}, "manifest_says": {}}))
    (path / "environment.json").write_text(json.dumps(
        {"broch": "0.2.0", "interface": "0.2", "runtime": "LibTorch 2.11.0 (AVX2)",
         "system": "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64",
         "cpu": {"model": "some processor", "cores": 8, "usable_cores": 4, "isa": ["avx2", "fma"]},
         "memory_bytes": 2 ** 34, "gpus": [{"device": "cuda:0", "name": "some accelerator",
                                            "memory_bytes": 2 ** 36}]}))
    if events:
        data = event(started, 0)
        for step in range(10, steps + 1, 10):
            summary = media(name, step) if step % 100 == 0 else b""
            data += event(started + step, step, summary, b"note: half way" if step == 150 else b"")
        (path / EVENTS).write_bytes(data)
    return path


def go_on(path, rate, started, step):
    """One more record of a run of add_run, with its media."""
    with open(path / EVENTS, "ab") as file:
        file.write(event(started + step, step, media(path.name, step)))
    written = (path / "stats.json").read_text().removesuffix("\n]\n")
    (path / "stats.json").write_text(written + ",\n" + json.dumps(record(rate, step)) + "\n]\n")


def add_long_runs(folder, count, steps):
    """Runs of so many records, which share a few files."""
    files = []
    for kind in range(4):
        path = folder / f"records-{kind}"
        with open(path, "w") as file:
            file.write("[\n")
            for step in range(1, steps + 1):
                cost = 2 / (1 + step / 5000) + 0.1 * math.sin(step * (1 + kind))
                file.write(f'{{"cost":{cost:.6f},"epoch_num":{step // 1000 + 1},'
                           f'"global_step":{step}}}' + (",\n" if step < steps else "\n]\n"))
        files.append(path)
    for number in range(count):
        path = folder / "runs" / f"run-{number:03}"
        path.mkdir(parents=True)
        (path / "log.log").write_text("")
        (path / "manifest.resolved.json").write_text(json.dumps({"name": f"run {number}"}))
        (path / "run.json").write_text(json.dumps(
            {"host": "here", "pid": 1, "started": 1.7e9 + number, "ended": 1.7e9 + number + 60.5,
             "exit": 0}))
        os.link(files[number % len(files)], path / "stats.json")
    return folder / "runs"
