"""A sweep on two workers of Dask: the same results as alone, also where a worker is killed."""

import filecmp
import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
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


def network(name, channels):
    b = tessera.NetworkBuilder(name, dtype="int8")
    x = b.input((1, channels, 40, 40))
    for _ in range(3):
        x = b.conv(x, channels, kernel=3, activation="relu")
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

    def test_what_is_wrong_is_said_here(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sweep = folder_with_sweep(folder, "false")
            sweep.write_text(sweep.read_text().replace("cores", "coers"))
            with self.assertRaises(tessera.BadInput):
                tessera.explore(sweep, folder / "out", client=self.client)


if __name__ == "__main__":
    unittest.main()
