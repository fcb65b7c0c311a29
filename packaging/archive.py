"""The packages that CPack makes of a staged prefix: a .deb, and a tarball."""
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def config(generator, stage, versions, work):
    triggers = work / "triggers"
    triggers.write_text("activate-noawait ldconfig\n")
    text = (HERE / "CPackConfig.cmake.in").read_text()
    for name, value in {"GENERATOR": generator, "STAGE": stage, "VERSION": versions["broch"],
                        "TORCH": versions["libtorch"], "OUTPUT": work / "packed",
                        "TRIGGERS": triggers}.items():
        text = text.replace(f"@{name}@", str(value))
    file = work / "CPackConfig.cmake"
    file.write_text(text)
    return file


def make(generator, stage, versions, work, output):
    """Packs with CPack's generator, DEB or TGZ; returns the file."""
    if generator == "DEB":
        shutil.copy(stage / "share/licenses/broch/LICENSE", stage / "share/doc/broch/copyright")
    subprocess.run(["cpack", "--config", config(generator, stage, versions, work)],
                   check=True, cwd=work, stdout=subprocess.DEVNULL)
    packed, = (path for path in (work / "packed").iterdir() if path.is_file())
    return pathlib.Path(shutil.copy(packed, os.path.join(output, packed.name)))
