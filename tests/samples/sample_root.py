"""The project's root as the scripts samples/*/run see it, with what is built already."""
import os
import pathlib
import shutil
import subprocess

PROJECT = pathlib.Path(__file__).resolve().parents[2]


class SampleRoot:
    """Samples are copied into folder; build is a build tree; tools are stubs that do nothing."""

    def __init__(self, folder, build, samples):
        self.folder = pathlib.Path(folder)
        for name in samples:
            shutil.copytree(PROJECT / "samples" / name, self.folder / "samples" / name)
        (self.folder / "tools").mkdir()
        for tool in ("setup", "build"):
            self.tool(tool, "")
        (self.folder / "build").mkdir()
        (self.folder / "build/release").symlink_to(pathlib.Path(build).resolve())

    def tool(self, name, text):
        file = self.folder / "tools" / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def run(self, sample, *arguments, preexec_fn=None, **environment):
        """Exit code, output and errors of its script."""
        return subprocess.run([self.folder / "samples" / sample / "run", *arguments], text=True,
                              capture_output=True, preexec_fn=preexec_fn,
                              env={**os.environ, **environment})
