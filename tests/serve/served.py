"""The program as a server of hand-made bundles, for tests in Python."""
import pathlib
import signal
import subprocess
import tempfile


class Served:
    """broch serve on any free port of loopback, with the bundles linear, lookup and products."""

    def __init__(self, broch, bundles, *options):
        self.folder = tempfile.TemporaryDirectory()
        subprocess.run([bundles, self.folder.name], check=True)
        files = sorted(pathlib.Path(self.folder.name).glob("*.bundle"))
        self.process = subprocess.Popen([broch, "serve", *files, "--port", "0", *options],
                                        stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip().rpartition("/")[2]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def end(self):
        """The exit code after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=120)


def linear(rows):
    """What the model linear computes: relu(x W' + b)."""
    return [[max(0, x + 2 * y + 3 * z + 0.5), max(0, -x + z - 0.5)] for x, y, z in rows]
