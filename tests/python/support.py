"""Imports the module from the build folder, for its tests. Skips if Python lacks numpy."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TESSERA_BUILD", ROOT / "build/release"))
TESSERA = os.environ.get("TESSERA", str(BUILD / "cli/tessera"))
SHARED = pathlib.Path(os.environ.get("TESSERA_SHARED_DIR", ROOT / ".." / "shared"))

SKIPPED = 77


def skip(reason):
    """Ends the test program as skipped, with the reason."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


try:
    import numpy  # noqa: F401
except ImportError:
    skip("this Python has no numpy (Debian: python3-numpy)")
