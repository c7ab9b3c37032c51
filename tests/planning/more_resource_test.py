"""More of one resource, with everything else equal: the score does not get worse.

Each pair plans a network of ../shared/models twice, the second time with more of something. Both searches
complete, so they are reproducible on every machine. A pair with `worse` is known to fail; the test passes as
long as it fails, and reports pairs that pass. The test fails if any other pair gets worse. All of them have
the same cause. The planner takes the best partition with the fewest tiles that fit, and evaluates cheaper
tiles for the groups of that partition and of partitions with close bounds. More of a resource changes the
first partition, and so the groups that are evaluated. Less of the memory is tried only if the peak has a
weight. The plan of the machine with less is a plan of the machine with more, but it is not evaluated there.
TESSERA_MORE_RESOURCES=all tries all pairs, which takes minutes.
"""

import dataclasses
import functools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESSERA = os.environ.get("TESSERA", str(ROOT / "build/release/cli/tessera"))
MODELS = pathlib.Path(os.environ.get("TESSERA_SHARED_DIR", str(ROOT.parent / "shared"))) / "models"
ALL = os.environ.get("TESSERA_MORE_RESOURCES") == "all"
METRICS = {"latency": "latency_cycles", "energy": "energy_pj", "dram_bytes": "dram_bytes", "peak_memory": "peak_bytes"}
# A search of seconds: short groups, few shapes, no resident tensors, no proof.
SHORT = ("--max-ops", "3", "--tile-shapes", "8", "--proof-shapes", "0", "--residency", "off")
LATENCY = tuple(word for metric in METRICS for word in ("--weight", f"{metric}={int(metric == 'latency')}"))

# Machines specific to this test.
OWN = {"array-32x32": """tessera: hardware/1
name: array-32x32
inherit: base/npu
engines:
  mac: {unroll: {C: 32, K: 32}}
  vec: {lanes: 32}
memories:
  sram: {capacity: 192 KiB, alignment: 16, energy: {read: 1.63 pJ/B, write: 1.48 pJ/B}}
  dram: {bandwidth: 6.4 GB/s}
"""}


@dataclasses.dataclass(frozen=True)
class Pair:
    network: str
    profile: str
    less: tuple
    more: tuple
    options: tuple = SHORT + LATENCY
    quick: bool = False  # also tried without TESSERA_MORE_RESOURCES
    worse: bool = False  # known to fail

    def __str__(self):
        return f"{self.network} on {self.profile}: {' '.join(self.less) or 'as it is'} -> {' '.join(self.more)}"


def pairs_of(network, profile, changes, **others):
    """changes: (key, less, more, names of further flags); less is None for the profile's own value."""
    for key, less, more, *true in changes:
        yield Pair(network, profile, () if less is None else (f"{key}={less}",), (f"{key}={more}",),
                   quick="quick" in true, worse="worse" in true, **others)


PAIRS = (
    *pairs_of("squeezenet1_1", "ethos-u65-256", (
        ("memories.sram.capacity", "192 KiB", "256 KiB"),
        ("memories.sram.capacity", "256 KiB", "384 KiB"),
        ("memories.sram.capacity", "384 KiB", "512 KiB", "worse"),
        ("memories.sram.bandwidth", None, "32 B/cycle", "quick"),
        ("memories.dram.bandwidth", None, "6.4 B/cycle"),
        ("memories.dram.latency", None, "100"),
        ("dma.channels", None, "2"),
        ("tiling.pinned", None, "weights"),
    )),
    *pairs_of("squeezenet1_1", "eyeriss-like", (
        ("memories.glb.capacity", "96 KiB", "108 KiB"),
        ("memories.glb.capacity", "108 KiB", "192 KiB", "worse", "quick"),
        ("memories.dram.latency", "100", "20"),
        ("engines.vec.lanes", "4", "8"),
    )),
    *pairs_of("resnet18", "eyeriss-like", (
        ("memories.glb.capacity", "108 KiB", "192 KiB"),
        ("memories.glb.capacity", "192 KiB", "256 KiB", "worse", "quick"),
        ("memories.dram.bandwidth", "1 GB/s", "1.5 GB/s"),
        ("dma.channels", "1", "2"),
        ("engines.vec.lanes", "4", "8"),
        ("tiling.pinned", None, "weights"),
    )),
    *pairs_of("resnet18", "ethos-u55-256", (
        ("dma.channels", "1", "2", "quick"),
        ("memories.sram.bandwidth", "16 B/cycle", "32 B/cycle", "quick"),
        ("memories.dram.bandwidth", "1 GB/s", "2 GB/s", "quick"),
    )),
    *pairs_of("mobilenet_v2", "eyeriss-like", (
        ("memories.glb.capacity", "108 KiB", "192 KiB"),
        ("memories.dram.latency", "100", "20"),
        ("tiling.pinned", None, "weights"),
    )),
    *pairs_of("mobilenet_v2", "ethos-u55-256", (
        ("dma.channels", "1", "2", "quick"),
    )),
    # Default planning, without limits.
    *pairs_of("squeezenet1_1", "array-32x32", (
        ("memories.sram.capacity", "192 KiB", "256 KiB", "worse"),
    ), options=LATENCY),
    *pairs_of("resnet18", "ethos-u65-like", (
        ("memories.sram.capacity", "360 KiB", "384 KiB", "worse"),
    ), options=("--tile-shapes", "8")),
)


@functools.cache
def folder():
    made = tempfile.TemporaryDirectory()
    for name, text in OWN.items():
        pathlib.Path(made.name, f"{name}.yaml").write_text(text, encoding="utf-8")
    return made


@functools.cache
def plan(network, profile, settings, options):
    if profile in OWN:
        profile = str(pathlib.Path(folder().name, f"{profile}.yaml"))
    done = subprocess.run([TESSERA, "plan", str(MODELS / f"{network}.onnx"), "--dtype", "int8", "-p", profile, *options,
                           *(word for each in settings for word in ("--set", each)), "-q", "--format", "json"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, (network, profile, settings, done.returncode, done.stderr)
    found = json.loads(done.stdout)
    assert found["stop"] == "completed", (network, profile, settings, found["stop"])
    return found


def score(found, reference):
    """Weighted, relative to the reference of the machine with less."""
    return sum(weight * found["totals"][metric] / reference["reference"][metric]
               for weight, metric in ((reference["weights"][name], metric) for name, metric in METRICS.items()) if weight > 0)


class MoreOfAResource(unittest.TestCase):
    def setUp(self):
        if os.environ.get("TESSERA_SLOW") == "1":
            self.skipTest("a build that is not made to be fast takes too long")
        if not MODELS.is_dir():
            self.skipTest(f"the networks are not there: {MODELS}")

    def test_is_not_worse(self):
        better_now = []
        for pair in PAIRS:
            if not ALL and not pair.quick:
                continue
            with self.subTest(str(pair)):
                less = plan(pair.network, pair.profile, pair.less, pair.options)
                ratio = score(plan(pair.network, pair.profile, pair.more, pair.options), less) / score(less, less)
                print(f"{ratio:.5f} {pair}{', known to be worse' if pair.worse else ''}", flush=True)
                if ratio <= 1 + 1e-9:
                    if pair.worse:
                        better_now.append(str(pair))
                    continue
                self.assertTrue(pair.worse, f"{ratio:.5f} times the score")
        for each in better_now:
            print(f"not worse any more, so take `worse` off it: {each}", flush=True)


if __name__ == "__main__":
    unittest.main()
