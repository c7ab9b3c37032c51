"""A sweep on two Dask workers: the same results as locally, even if a worker is killed; limits and Ctrl-C
stop the workers."""

import filecmp
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import threading
import time
import unittest

try:
    from dask.distributed import Client, LocalCluster
except ImportError:
    print("dask.distributed is not installed: a cluster is not tried")
    sys.exit(77)

import tessera

SWEEP = """tessera: sweep/1
networks: [{file: nets/net.yaml, weight: 2}, nets/other.yaml]
hardware:
  base: mine.yaml
  vary:
    memories.sram.capacity: [64 KiB, 96 KiB, 128 KiB, 192 KiB]
    engines.mac.cores: [1, 2]
objective: {latency: 1, energy: 1}
effort: {work: 500}
prune: PRUNE
"""


# Maximum seconds of a stop; the machine may be busy. Plans that are not stopped take far longer.
SOON = 3.0

# A memory with banks for data or weights.
BANKS = """tessera: hardware/1
name: mine
inherit: nvdla-like
memories:
  cbuf:
    banks: 4
    bank_size: 8 KiB
    modes:
      - {name: d3w1, roles: {0-2: data, 3: weight}}
      - {name: d2w2, roles: {0-1: data, 2-3: weight}}
      - {name: d1w3, roles: {0: data, 1-3: weight}}
"""


def network(name, channels):
    b = tessera.NetworkBuilder(name, dtype="int8")
    x = b.input((1, channels, 40, 40))
    for _ in range(3):
        x = b.conv(x, channels, kernel=3, activation="relu")
    return b.build(x).to_yaml()


def slow_network():
    """Planning it with one thread takes much longer than the tests here allow."""
    b = tessera.NetworkBuilder("slow", dtype="int8")
    x = b.input((1, 48, 56, 56))
    for k in range(60):
        wide = b.conv(x, 144 + 8 * k, kernel=1, activation="relu6")
        x = b.add(b.conv(b.depthwise(wide, activation="relu6"), 48, kernel=1), x)
    return b.build(x).to_yaml()


def folder_with_sweep(folder, prune):
    (folder / "nets").mkdir(parents=True)
    (folder / "nets" / "net.yaml").write_text(network("net", 24))
    (folder / "nets" / "other.yaml").write_text(network("other", 40))
    (folder / "mine.yaml").write_text("tessera: hardware/1\ninherit: ethos-u65-like\nname: mine\n")
    sweep = folder / "sweep.yaml"
    sweep.write_text(SWEEP.replace("PRUNE", prune))
    return sweep


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        cls.client = Client(cls.cluster)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def compare(self, prune, during=None):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep = folder_with_sweep(folder, prune)
            alone = tessera.explore(sweep, folder / "alone")
            if during:
                during()
            together = tessera.explore(sweep, folder / "together", client=self.client)
            self.assertEqual(together.stop, "completed")
            self.assertEqual(alone.rows, together.rows)
            for file in ("results.csv", "pareto.csv"):
                self.assertTrue(filecmp.cmp(folder / "alone" / file, folder / "together" / file, shallow=False))
            self.assertEqual(sorted(os.listdir(folder / "alone" / "plans")),
                             sorted(os.listdir(folder / "together" / "plans")))
            return folder

    def test_the_same_results(self):
        self.compare("false")
        self.compare("true")

    def test_the_same_modes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep = folder_with_sweep(folder, "false")
            (folder / "mine.yaml").write_text(BANKS)
            sweep.write_text(re.sub(r"vary:.*?\nobj", "vary: {mode_switch.cycles: [16, 64]}\nobj", sweep.read_text(), flags=re.S)
                             + "modes: {lose: [0 %, 5 %]}\n")
            alone = tessera.explore(sweep, folder / "alone")
            together = tessera.explore(sweep, folder / "together", client=self.client)
            self.assertEqual(alone.rows, together.rows)
            found = alone.modes
            self.assertEqual(found["reason"], "")
            self.assertEqual([(each["lose_percent"], each["network"]) for each in found["sets"]],
                             [(lose, name) for lose in (0, 5) for name in ("*", "net", "other")])
            self.assertEqual(found, together.modes)
            for file in ("modes.csv", "plans/fewest-modes-0.yaml", "plans/fewest-modes-5.yaml"):
                self.assertTrue(filecmp.cmp(folder / "alone" / file, folder / "together" / file, shallow=False))
            # The file contains the same as the result.
            said = json.loads((folder / "alone" / "summary.json").read_text())["modes"]
            for key in ("sets", "without", "plans", "stored", "candidate", "area_with_all_mm2"):
                self.assertEqual(said[key], found[key])
            # The second call plans no machine again.
            again = tessera.explore(sweep, folder / "together", client=self.client).modes
            self.assertEqual((again["plans"], again["sets"]), (0, found["sets"]))

    def test_a_worker_that_is_killed(self):
        def kill_one_soon():
            victim = next(iter(self.cluster.workers.values())).pid
            timer = threading.Timer(0.3, lambda: os.kill(victim, signal.SIGKILL))
            timer.start()

        self.compare("false", kill_one_soon)

    def test_work_is_done_by_the_workers(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep = folder_with_sweep(folder, "false")
            tessera.explore(sweep, folder / "out", client=self.client)
            plans = json.loads((folder / "out" / "summary.json").read_text())["plans"]
            self.assertEqual((plans["made"], plans["stored"]), (0, 16))

    def slow_sweep(self, folder):
        sweep = folder_with_sweep(folder, "false")
        (folder / "nets" / "other.yaml").write_text(slow_network())
        sweep.write_text(sweep.read_text().replace("effort: {work: 500}\n", "")
                         .replace("[64 KiB, 96 KiB, 128 KiB, 192 KiB]", "[128 KiB, 160 KiB]"))
        return sweep

    def assert_idle(self):
        """Each worker has one thread: it is free if a task of another kind finishes soon."""
        begin = time.monotonic()
        asked = [self.client.submit(abs, -1, pure=False, workers=[each]) for each in self.client.scheduler_info()["workers"]]
        self.assertEqual([each.result(timeout=60) for each in asked], [1] * len(asked))
        self.assertLess(time.monotonic() - begin, SOON)

    def test_a_limit_ends_what_the_workers_do(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep = self.slow_sweep(folder)
            begin = time.monotonic()
            made = tessera.explore(sweep, folder / "out", client=self.client, timeout=10)
            took = time.monotonic() - begin
            self.assertEqual(made.stop, "time_limit")
            self.assertLess(took, 10 + SOON)
            self.assert_idle()
            # Results found in time have been returned, including those of unfinished candidates.
            self.assertIn(("net", "proved"), [(row["network"], row["status"]) for row in made.rows])
            self.assertGreater(json.loads((folder / "out" / "summary.json").read_text())["plans"]["stored"], 0)
            self.assertNotIn(("slow", "proved"), [(row["network"], row["status"]) for row in made.rows])

    def test_ctrl_c_ends_what_the_workers_do(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep = self.slow_sweep(folder)
            threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                tessera.explore(sweep, folder / "out", client=self.client)
            self.assertLess(time.monotonic() - begin, 2 + SOON)
            self.assert_idle()

    def test_ctrl_c_that_raises_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep = self.slow_sweep(folder)
            before = signal.signal(signal.SIGINT, lambda number, frame: None)
            self.addCleanup(signal.signal, signal.SIGINT, before)
            # Before the sweep begins, a signal only reaches the handler, which does nothing.
            ended = threading.Event()
            sent = []

            def send():
                while not ended.wait(2):
                    sent.append(time.monotonic())
                    os.kill(os.getpid(), signal.SIGINT)

            sender = threading.Thread(target=send)
            sender.start()
            try:
                stop = tessera.explore(sweep, folder / "out", client=self.client).stop
            finally:
                end = time.monotonic()
                ended.set()
                sender.join()
            self.assertEqual(stop, "interrupted")
            self.assertLess(end - sent[0], 2 + SOON)
            self.assert_idle()

    def test_what_is_wrong_is_said_here(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep = folder_with_sweep(folder, "false")
            sweep.write_text(sweep.read_text().replace("cores", "coers"))
            with self.assertRaises(tessera.BadInput):
                tessera.explore(sweep, folder / "out", client=self.client)


if __name__ == "__main__":
    unittest.main()
