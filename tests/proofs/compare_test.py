#!/usr/bin/env python3
"""Two checkers of certificates, proof/ and second_checker.py, have to agree on every certificate.

Random problems and their certificates come from proofs_certificates, which also represents proof/; the real
program checks some of them, to cover the whole path. Then the certificates are corrupted, sealed again, and
given to both. A corrupted certificate of a true claim may be accepted; different results are a failure. In
addition, the accepted certificates have to cover every kind of claim, line, rule and clause of
docs/reference/proofs.md. TESSERA_RANDOM_COUNT sets the number of problems, TESSERA_RANDOM_SEED the first seed,
TESSERA_FORGERIES the number of corrupted certificates per problem, TESSERA_SESSIONS that of sessions whose last
query is certified. TESSERA_KEEP is a folder for
disagreements.
"""

import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import damage  # noqa: E402
import second_checker  # noqa: E402
from second_facts import Wrong  # noqa: E402
from second_reader import BadInput  # noqa: E402

TESSERA = os.environ.get("TESSERA", str(ROOT / "build/release/cli/tessera"))
CERTIFICATES = os.environ.get("TESSERA_CERTIFICATES", str(ROOT / "build/release/tests/proofs/proofs_certificates"))
COUNT = int(os.environ.get("TESSERA_RANDOM_COUNT", os.environ.get("TESSERA_USUAL_COUNT", "2000")))
FIRST = int(os.environ.get("TESSERA_RANDOM_SEED", "0"))
FORGERIES = int(os.environ.get("TESSERA_FORGERIES", "3"))
SESSIONS = int(os.environ.get("TESSERA_SESSIONS", str(COUNT // 10)))
KEEP = os.environ.get("TESSERA_KEEP")
BATCH = 200

EVERYTHING = {
    *(f"claim {kind}" for kind in ("infeasible", "height", "cost", "modes", "switches", "benefit")),
    "choice of benefit",
    *(f"row {what}" for what in ("sum", "set by cut", "set by derivation", "with a grain")),
    *(f"tree {word}" for word in ("prices", "in", "out", "twin", "leaf", "over")),
    *(f"cut of {kind}" for kind in ("infeasible", "height")),
    *(f"derivation of {kind}" for kind in ("infeasible", "height", "cost", "modes", "switches")),
    *(f"line {letter}" for letter in "oipvhfjmkbxutyzalds"),
    *(f"rule {letter}" for letter in "cetwnsrgq"),
    *(f"clause: {what}" for what in (
        "contradiction", "every mode at a step", "every role of a bank", "some mode is used", "a mode that is used",
        "a mode that stays, or a change", "empty",
        "nothing is left", "nothing is left beside a third buffer", "nothing is left in a mode", "nothing is left in a role",
        "one lies below the other", "twins", "not between two differences", "an overlap is paid for")),
    *(f"cut with {what}" for what in ("step", "range", "grain", "two memories")),
    *(f"cut kept apart by {why}" for why in (
        "time", "disjoint", "adjacent", "different_banks", "places", "time of others at one offset",
        "disjoint of others at one offset")),
}


class First:
    """proof/, through proofs_certificates."""

    def __init__(self):
        self.process = subprocess.Popen([CERTIFICATES, "check"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def verdict(self, given, certificate):
        self.process.stdin.write(f"{given}\t{certificate}\n".encode())
        self.process.stdin.flush()
        return self.process.stdout.readline().decode("utf-8", "replace").rstrip("\n")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def second(given, certificate, seen=None):
    """The result of the second checker, in the same words."""
    try:
        return "proved " + "; ".join(line[len("proved: "):] for line in second_checker.check(given, certificate, seen))
    except Wrong as wrong:
        return f"refused line {wrong.line or 1}: {wrong}"
    except BadInput as error:
        return f"bad input {error}"
    except Exception as error:  # noqa: BLE001: a fault of the checker, reported with its context
        return f"crashed: {error!r}"


def kind_of(verdict):
    return verdict.split(" ")[0]


class Compare(unittest.TestCase):
    def setUp(self):
        self.first = First()
        self.addCleanup(self.first.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.count = collections.Counter()
        self.seen = collections.Counter()
        self.differences = []

    def offer(self, given, certificate, what, must_hold=False):
        """Gives a file and the bytes of a certificate to both."""
        path = self.folder / "offered.proof"
        path.write_bytes(certificate)
        one = self.first.verdict(given, path)
        seen = set()
        two = second(given.read_bytes(), certificate, seen)
        kinds = {kind_of(one), kind_of(two)}
        # An invalid input: there is nothing to agree on, and either may be reported first.
        if kind_of(one) == "bad" or kinds == {"bad", "refused"}:
            self.count["inputs that are none"] += 1
            return False
        self.count[f"{what}: {kind_of(one)}"] += 1
        same = kind_of(one) == kind_of(two) and (kind_of(one) == "refused" or one == two)
        if not same or (must_hold and kind_of(one) != "proved"):
            self.differences.append(f"{given.name}, {what}:\n  proof/: {one}\n  second: {two}")
            if KEEP:
                keep = pathlib.Path(KEEP)
                keep.mkdir(parents=True, exist_ok=True)
                name = f"{len(self.differences)}-{given.stem}"
                shutil.copy(given, keep / (name + given.suffix))
                (keep / (name + ".proof")).write_bytes(certificate)
        elif kind_of(one) == "proved" and must_hold:
            self.seen.update(seen)
        return True

    def as_processes(self, given, certificate):
        """Both as separate processes: the same results, as exit codes."""
        path = self.folder / "process.proof"
        path.write_bytes(certificate)
        one = subprocess.run([TESSERA, "check", given, "--proof", path], capture_output=True, text=True, check=False)
        two = subprocess.run([sys.executable, HERE / "second_checker.py", given, path], capture_output=True, text=True, check=False)
        self.count["as processes"] += 1
        # The program reports a file without the header of a certificate as bad input.
        first = 3 if one.returncode == 2 and "proof" in one.stderr else one.returncode
        self.assertEqual(first, two.returncode, f"{given}\n{certificate.decode()}\n{one}\n{two}")
        claims = [line for line in one.stdout.splitlines() if line.startswith("proved: ")]
        if one.returncode == 0:
            self.assertEqual(claims, two.stdout.splitlines())
        else:
            self.assertRegex(two.stdout, r"^not proved: line [0-9]+: ")

    def test_neither_speaks_of_a_base_off_the_alignments(self):
        given = self.folder / "problem.yaml"
        text = ("tessera: problem/1\nmemories: {m: {capacity: 9, base: 0x10}}\nbuffers:\n"
                "  - {id: a, live: [0, 1], size: 6, alignment: 8}\n  - {id: b, live: [0, 1], size: 2, alignment: 8}\n")
        given.write_text(text)
        certificate = self.folder / "c.proof"
        done = subprocess.run([TESSERA, "place", given, "--proof", certificate, "-q"], check=False)
        self.assertEqual(done.returncode, 20)
        one, two = self.first.verdict(given, certificate), second(given.read_bytes(), certificate.read_bytes())
        self.assertEqual((kind_of(one), one), ("proved", two))
        # Relative to these bases other offsets are aligned.
        for base in ("0x11", "12", "17 B"):
            given.write_text(text.replace("0x10", base))
            one, two = self.first.verdict(given, certificate), second(given.read_bytes(), certificate.read_bytes())
            self.assertEqual((kind_of(one), kind_of(two)), ("refused", "bad"), (one, two))
            self.assertIn("base", one)
            self.assertIn("base", two)

    def test_they_agree(self):
        started = time.monotonic()
        for begin in range(FIRST, FIRST + COUNT, BATCH):
            batch = self.folder / "batch"
            batch.mkdir()
            subprocess.run([CERTIFICATES, "make", batch, str(begin), str(min(BATCH, FIRST + COUNT - begin))], check=True)
            self.compare(batch, begin)
            shutil.rmtree(batch)
            if (begin - FIRST) // BATCH % 25 == 24:
                print(self.so_far(), flush=True)
            self.assertLess(len(self.differences), 20, "\n" + "\n".join(self.differences))
        self.readings()
        self.instances()
        took = time.monotonic() - started
        print(f"{self.so_far()}, in {took:.0f} s")
        for what in sorted(self.count):
            print(f"  {what}: {self.count[what]}")
        for what in sorted(EVERYTHING):
            print(f"    {what}: {self.seen[what]}")
        self.assertFalse(self.differences, "\n" + "\n".join(self.differences))
        if COUNT >= 2000:
            self.assertFalse(EVERYTHING - set(self.seen), "kinds of lines that never occurred among the accepted ones")

    def test_they_agree_about_the_last_query_of_a_session(self):
        for begin in range(FIRST, FIRST + SESSIONS, BATCH):
            batch = self.folder / "sessions"
            batch.mkdir()
            subprocess.run([CERTIFICATES, "sessions", batch, str(begin), str(min(BATCH, FIRST + SESSIONS - begin))], check=True)
            for given in sorted(batch.glob("*.yaml")):
                certificate = given.with_suffix(".session.proof").read_bytes()
                self.offer(given, certificate, "of sessions" + (" with rules" if "\nrules:" in given.read_text() else ""), must_hold=True)
            shutil.rmtree(batch)
        print(dict(self.count))
        self.assertFalse(self.differences, "\n" + "\n".join(self.differences))

    def so_far(self):
        whole = self.count["certificates: proved"] + self.count["certificates: refused"]
        asked = sum(count for what, count in self.count.items() if what.endswith((": proved", ": refused")))
        return (f"{self.count['problems']} problems, {whole} certificates, {asked - whole} forgeries, "
                f"{len(self.differences)} differences")

    def compare(self, batch, begin):
        """Checks all certificates of a folder, and corrupted ones."""
        chance = random.Random(begin)
        problems = sorted(batch.glob("*.yaml"), key=lambda path: int(path.stem))
        for at, given in enumerate(problems):
            self.count["problems"] += 1
            certificates = [path.read_bytes() for path in sorted(batch.glob(f"{given.stem}.*.proof"))]
            for certificate in certificates:
                self.offer(given, certificate, "certificates", must_hold=True)
            if not certificates:
                continue
            for _ in range(FORGERIES):
                text = damage.unsealed(chance.choice(certificates))
                about = given
                if chance.random() < 0.15:
                    about, what = self.other_input(chance, given, chance.choice(problems)), "another input"
                    if chance.random() < 0.5:
                        text = damage.damaged(chance, text)[0]
                else:
                    text, what = damage.damaged(chance, text)
                    if chance.random() < 0.2:
                        text = damage.damaged(chance, text)[0]
                forged = damage.sealed(text) if chance.random() < 0.98 else text.encode() + b"end 0123456789abcdef\n"
                if self.offer(about, forged, what) and at % 100 == 7:
                    self.as_processes(about, forged)
            if at % 100 == 7:
                self.as_processes(given, certificates[0])

    def other_input(self, chance, given, other):
        """The problem with one number changed, or another problem."""
        if chance.random() < 0.3:
            return other
        path = self.folder / "other.yaml"
        path.write_text(damage.other_problem(chance, given.read_text()))
        return path

    def readings(self):
        """Options of reading, which each checker applies: known words, each once."""
        given = self.folder / "read.csv"
        given.write_text("id,lower,end,size\na,0,2,6\nb,2,4,6\n")
        claim = "capacity 0 8 memory\nclaim infeasible\ncut\nstep 2\nmemory 0 memory\nbuffer 0 a\nbuffer 1 b\nasked 12 available 8\n"
        for read in ("", "read lifetimes inclusive\n", "read lifetimes half-open\n", "read lifetimes inclusive\nread steps all\n",
                     *(each + "\n" for each in damage.NO_READINGS + damage.TWO_READINGS)):
            self.as_processes(given, damage.sealed("tessera proof/2\n" + read + claim))

    def instances(self):
        """Files of users: a CSV without a capacity, other lifetimes, certificates of many lines."""
        for name, *options in (("../../../examples/residual-block.csv", "--profile", "nvdla-like", "--minimize", "height"),
                               ("../../../examples/residual-block.csv", "--profile", "ethos-u55-like", "-c", "160 KiB", "--minimize"),
                               ("../../../examples/fast-memory.yaml", "--maximize", "benefit"),
                               ("flat-B2-80-0-256.csv", "-c", "256"), ("flat-H2-30-11-256.csv", "--minimize", "-c", "300"),
                               ("flat-H1-25-20-256.csv", "--minimize", "-c", "300", "--lifetimes", "inclusive"),
                               ("gaps-and-windows.yaml", "--minimize", "height"), ("every-relation.yaml", "--minimize", "height"),
                               ("one-place-for-two-without-a-capacity.yaml", "--minimize", "cost", "-e", "learning", "-t", "60s")):
            given, path = ROOT / "tests/regress/instances" / name, self.folder / "instance.proof"
            subprocess.run([TESSERA, "place", given, "--proof", path, "--threads", "1", *options], capture_output=True, check=False)
            seen = set()
            verdict = second(given.read_bytes(), path.read_bytes(), seen)
            self.assertEqual(kind_of(verdict), "proved", f"{name}: {verdict}")
            self.as_processes(given, path.read_bytes())
            self.seen.update(seen)
            self.count["certificates of instances"] += 1


if __name__ == "__main__":
    unittest.main()
