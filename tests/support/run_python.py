#!/usr/bin/env python3
"""Runs the unittest cases of a file, and names those that are skipped with the reason.

    python3 tests/support/run_python.py tests/usage/place_test.py [Case.test ...]
"""

import importlib
import pathlib
import sys
import unittest


class NamesSkipped(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"left out: {test.id()}: {reason}", flush=True)


def main():
    file = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file), *sys.argv[2:]]
    unittest.main(module=importlib.import_module(file.stem),
                  testRunner=unittest.TextTestRunner(resultclass=NamesSkipped))


if __name__ == "__main__":
    main()
