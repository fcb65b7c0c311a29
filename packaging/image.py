"""The image for containers: packaging/Containerfile, built by buildah, podman or docker."""
import pathlib
import shutil
import subprocess

import elf

HERE = pathlib.Path(__file__).resolve().parent
# What builds, and what writes the image into a file.
BUILDERS = {
    "buildah": (["buildah", "build", "--isolation", "chroot"],
                lambda name, file: ["buildah", "push", "--quiet", name, f"oci-archive:{file}:{name}"]),
    "podman": (["podman", "build"],
               lambda name, file: ["podman", "save", "--quiet", "--format", "oci-archive",
                                   "--output", file, name]),
    "docker": (["docker", "build"],
               lambda name, file: ["docker", "save", "--output", file, name]),
}


def make(stage, versions, work, output, base=None):
    """Builds the image broch:VERSION and writes it into a file, which is returned."""
    builder = next((name for name in BUILDERS if shutil.which(name)), None)
    if not builder:
        raise elf.Unfit(f"none of {', '.join(BUILDERS)} is installed, expected one, which builds "
                        "packaging/Containerfile")
    context, name = work / "context", f"broch:{versions['broch']}"
    context.mkdir()
    stage.rename(context / "prefix")
    file = pathlib.Path(output).resolve() / f"broch-{versions['broch']}-oci.tar"
    file.unlink(missing_ok=True)
    build, save = BUILDERS[builder]
    subprocess.run([*build, "--tag", name, "--file", HERE / "Containerfile",
                    *(["--build-arg", f"BASE={base}"] if base else []), context],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(save(name, file), check=True, stdout=subprocess.DEVNULL)
    return file
