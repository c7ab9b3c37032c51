#!/usr/bin/env python3
"""Measures how far each command exceeds its limits.

    bench/overshoot.py build/release/cli/tessera
    bench/overshoot.py build/release/cli/tessera --sizes 1000,10000 --limits 200ms,1s
    bench/overshoot.py build/release/cli/tessera --only place/smt --limits 256MiB

Prints for every command, engine and number of buffers: the limit, wall and processor seconds of the call,
the excess over the limit, peak resident memory, and the exit code. Wall time means little on a busy
machine; networks have 0 buffers here. A line ends in "late" above 1.1 times the time limit plus 100 ms,
and in "large" above 1.1 times the memory limit. Instances are generated once, in a temporary folder.
"""

import argparse
import glob
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ENGINES = ["auto", "canonical", "learning", "sat", "smt", "guided", "boxing", "greedy"]
KILL_AFTER = 30
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")


def seconds_of(limit):
    match = re.fullmatch(r"(\d+)(ms|s)", limit)
    return int(match[1]) / (1000 if match[2] == "ms" else 1) if match else None


def mib_of(limit):
    match = re.fullmatch(r"(\d+)MiB", limit)
    return int(match[1]) if match else None


def run(command):
    """Wall seconds, processor seconds, peak MiB, exit code (None: killed)."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = start + KILL_AFTER
    killed = False
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        if not killed and time.monotonic() > deadline:
            child.send_signal(signal.SIGKILL)
            killed = True
        time.sleep(0.002)
    took = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, None if killed else child.returncode


def make(tessera, folder, kind, n, seed):
    """The instance, and a capacity at which it is hard."""
    name = os.path.join(folder, f"{kind}-{n}.csv")
    if not os.path.exists(name):
        made = subprocess.run([tessera, "generate", kind, "-n", str(n), "--seed", str(seed),
                               "-o", name], capture_output=True, text=True, check=True)
        capacity = re.search(r"--capacity (\d+)", made.stderr)
        with open(name + ".capacity", "w") as out:
            out.write(capacity[1] if capacity else "1048576")
    with open(name + ".capacity") as text:
        return name, int(text.read())


def commands(tessera, folder, n):
    """(label, command without limits)."""
    random, load = make(tessera, folder, "random", n, 7)
    packable, full = make(tessera, folder, "packable", n, 9)
    for engine in ENGINES:
        yield f"place/{engine} random", ["place", random, "-c", str(load), "-e", engine]
    yield "place/greedy roomy", ["place", random, "-c", str(100 * load), "-e", "greedy", "-o",
                                 os.path.join(folder, "out.json")]
    for engine in ["auto", "learning", "sat"]:
        yield f"place/{engine} packable", ["place", packable, "-c", str(full), "-e", engine]
    for engine in ["auto", "learning", "smt"]:
        yield f"minimize/{engine} random", ["place", random, "--minimize=height", "-e", engine,
                                            "-o", os.path.join(folder, "out.json")]
    yield "proof packable", ["place", packable, "-c", str(full - 1), "--proof",
                             os.path.join(folder, "out.proof")]
    yield "explain overfull", ["explain", random, "-c", str(load // 2)]
    yield "explain tight", ["explain", random, "-c", str(load)]
    placed = os.path.join(folder, f"placed-{n}.csv")
    if not os.path.exists(placed):
        subprocess.run([tessera, "place", random, "-c", str(100 * load), "-e", "greedy", "-o",
                        placed, "--quiet"], check=True)
    yield "check", ["check", random, placed, "-c", str(100 * load)]
    yield "export/dimacs", ["export", random, "-c", str(load), "--to", "dimacs",
                            "-o", os.path.join(folder, "out.cnf")]
    yield "export/smt2", ["export", random, "-c", str(load), "--to", "smt2",
                          "-o", os.path.join(folder, "out.smt2")]
    for kind in ["random", "packable", "network", "malloc", "training"]:
        yield f"generate/{kind}", ["generate", kind, "-n", str(n),
                                   "-o", os.path.join(folder, "made.csv")]


def of_networks():
    """(label, command without limits) of the examples."""
    for network in sorted(glob.glob(os.path.join(EXAMPLES, "*.onnx"))):
        name = os.path.basename(network).removesuffix(".onnx")
        given = [network, "--dtype", "int8", "-p", "ethos-u55-like"]
        yield f"plan {name}", ["plan", *given]
        yield f"tile {name}", ["tile", *given, "--ops", "0:3"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--limits", default="1s,256MiB")
    parser.add_argument("--only", default="", help="lines whose first column contains this")
    parser.add_argument("--slow-only", action="store_true", help="only lines over a limit")
    own = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"{'command':28} {'buffers':>8} {'limit':>7} {'seconds':>8} {'cpu':>6} {'over':>7} {'MiB':>6} exit",
          flush=True)
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        for n in [0, *map(int, own.sizes.split(","))]:
            for label, command in of_networks() if n == 0 else commands(own.tessera, folder, n):
                if own.only not in label:
                    continue
                for limit in own.limits.split(","):
                    span, most = seconds_of(limit), mib_of(limit)
                    # Without a time limit a search gets three seconds.
                    rule = ["-t", limit] if span else ["--memory-limit", limit, "-t", "3s"]
                    took, worked, peak, code = run([own.tessera, *command, *rule, "--quiet"])
                    span = span or 3
                    late = took > 1.1 * span + 0.1
                    large = most is not None and peak > 1.1 * most
                    over += late or large
                    if own.slow_only and not late and not large:
                        continue
                    print(f"{label:28} {n:8} {limit:>7} {took:8.2f} {worked:6.2f} {max(0, took - span):7.2f} "
                          f"{peak:6.0f} {code if code is not None else 'killed':>4}"
                          f"{' late' if late else ''}{' large' if large else ''}", flush=True)
    print(f"{over} over a limit")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
