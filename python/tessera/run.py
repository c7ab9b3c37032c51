"""tessera run COMMANDS.jsonl: executes the commands of a plan and compares the results with the network.

    python3 -m tessera.run plan.jsonl --seed 1
"""

import argparse
import json
import os
import signal
import sys
import time
from typing import List, Optional

from .interpreter import run_commands
from .interpreter.reader import BadFile

FOUND, BAD_INPUT, WRONG, STOPPED = 0, 2, 3, 30


class Stopped(Exception):
    """A limit ended the run."""


def limit(seconds: Optional[float], memory: Optional[int]) -> None:
    """Raises Stopped in the main thread when the time is over or the process has more resident memory."""
    end = time.monotonic() + seconds if seconds is not None else None

    def look(*_: object) -> None:
        if end is not None and time.monotonic() > end:
            raise Stopped("the time limit")
        if memory is not None:
            with open("/proc/self/statm", encoding="ascii") as file:
                if int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") > memory:
                    raise Stopped("the memory limit")

    if seconds is not None or memory is not None:
        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)


def complain(text: str, as_json: bool, **where: object) -> None:
    print(json.dumps({"error": text, **where}) if as_json else text, file=sys.stderr)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="tessera run", description="Executes the commands of a plan on random data.")
    parser.add_argument("commands", metavar="COMMANDS.jsonl", help="a file of `tessera plan --commands`")
    parser.add_argument("--seed", type=int, default=0, help="of the random weights and inputs (default 0)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--quiet", action="store_true", help="print no report")
    parser.add_argument("--timeout", type=float, metavar="SECONDS")
    parser.add_argument("--memory-limit", type=int, metavar="BYTES")
    given = parser.parse_args(arguments)
    as_json = given.format == "json"
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # there is no result to lose
    limit(given.timeout, given.memory_limit)
    try:
        report = run_commands(given.commands, given.seed)
    except BadFile as error:
        complain(str(error), as_json, file=error.file, line=error.line)
        return BAD_INPUT
    except (Stopped, MemoryError) as error:
        complain(f"tessera run: stopped by {error if isinstance(error, Stopped) else 'the memory limit'} before there was a result", as_json)
        return STOPPED
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if as_json:
        print(json.dumps(report.as_json()))
    elif not given.quiet:
        print(report.as_text())
    return FOUND if report.status == "equal" else WRONG


if __name__ == "__main__":
    sys.exit(main())
