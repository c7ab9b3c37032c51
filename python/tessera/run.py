"""tessera run COMMANDS.jsonl: executes the commands of a plan and compares the results with the network.

    python3 -m tessera.run plan.jsonl --seed 1
"""

import argparse
import json
import sys

from .interpreter import run_commands
from .interpreter.reader import BadFile

FOUND, BAD_INPUT, WRONG = 0, 2, 3


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="tessera run", description="Executes the commands of a plan on random data.")
    parser.add_argument("commands", metavar="COMMANDS.jsonl", help="a file of `tessera plan --commands`")
    parser.add_argument("--seed", type=int, default=0, help="of the random weights and inputs (default 0)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    given = parser.parse_args(arguments)
    try:
        report = run_commands(given.commands, given.seed)
    except BadFile as error:
        if given.format == "json":
            print(json.dumps({"error": str(error)}), file=sys.stderr)
        else:
            print(error, file=sys.stderr)
        return BAD_INPUT
    print(json.dumps(report.as_json()) if given.format == "json" else report.as_text())
    return FOUND if report.status == "equal" else WRONG


if __name__ == "__main__":
    sys.exit(main())
