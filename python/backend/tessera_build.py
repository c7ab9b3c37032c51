"""Builds the wheel of the Python module with CMake: the backend that pyproject.toml names (PEP 517).

    pip install --no-build-isolation .
    TESSERA_BUILD_DIR=build/release pip install --no-build-isolation .    # from what is built there

Nothing but the standard library, CMake and what Tessera itself needs; nothing is fetched.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "tessera"
SUMMARY = "Places the buffers of a neural network in the memory of an accelerator"


def version():
    """The version of the library, defined in one header."""
    text = (ROOT / "include/tessera/version.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"constexpr int version_\w+ = (\d+);", text))


def tag():
    """Which Python and machine the extension is for."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: {SUMMARY}\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
            "Description-Content-Type: text/markdown\n\n"
            + (ROOT / "docs/reference/python.md").read_text(encoding="utf-8"))


def extension():
    """The built extension: of TESSERA_BUILD_DIR as it is there, else built now."""
    given = os.environ.get("TESSERA_BUILD_DIR")
    folder = pathlib.Path(given).resolve() if given else ROOT / "build" / f"python-{tag()}"
    if not given:
        build(folder)
    name = "_tessera" + sysconfig.get_config_var("EXT_SUFFIX")
    found = folder / "python" / NAME / name
    if not found.is_file():
        raise SystemExit(
            f"{found}: there is no such extension. Is it built, for this Python ({sys.executable}), "
            "and are pybind11-dev and python3-dev installed?")
    return found


def build(folder):
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release",
                 "-DTESSERA_TESTS=OFF", "-DTESSERA_BENCH=OFF", f"-DTESSERA_PYTHON={sys.executable}"]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    jobs = (os.environ.get("TESSERA_JOBS") or os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL")
            or str(os.cpu_count() or 1))
    make = ["cmake", "--build", str(folder), "--target", "tessera_python", "-j", jobs]
    subprocess.run(configure, check=True)
    subprocess.run(make, check=True)


def package_files():
    """(path in the wheel, file)."""
    sources = ROOT / "python" / NAME
    files = [(f"{NAME}/{path.relative_to(sources).as_posix()}", path) for path in sorted(sources.rglob("*"))
             if path.is_file() and "__pycache__" not in path.parts]
    profiles = ROOT / "hw_profiles"
    files += [(f"{NAME}/profiles/{path.relative_to(profiles).as_posix()}", path)
              for path in sorted(profiles.rglob("*.yaml"))]
    built = extension()
    # The module of the baselines, which the extension loads on first use, if this build has it.
    modules = sorted((built.parents[2] / "lib" / NAME).glob(f"{NAME}-*-{version()}.so"))
    return [*files, *((f"{NAME}/{file.name}", file) for file in (built, *modules))]


# The hooks that pip calls.


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / f"{NAME}-{version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(wheel_text(), encoding="utf-8")
    return folder.name


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    about = f"{NAME}-{version()}.dist-info"
    name = f"{NAME}-{version()}-{tag()}.whl"
    contents = [(path, file.read_bytes()) for path, file in package_files()]
    contents.append((f"{about}/METADATA", metadata().encode()))
    contents.append((f"{about}/WHEEL", wheel_text().encode()))
    contents.append((f"{about}/LICENSE", (ROOT / "LICENSE").read_bytes()))
    record = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")
            wheel.writestr(path, data)
        record.append(f"{about}/RECORD,,\n")
        wheel.writestr(f"{about}/RECORD", "".join(record))
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files of the repository, as git knows them."""
    name = f"{NAME}-{version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in listed.stdout.decode().split("\0"):
            if path:
                archive.add(ROOT / path, f"{name}/{path}", recursive=False)
    return f"{name}.tar.gz"
