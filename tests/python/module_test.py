#!/usr/bin/env python3
"""Tests the Python module: calls, errors with the program's messages, arrays, threads, Ctrl-C, progress."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

from support import ROOT, TESSERA
import numpy as np
import tessera

# A search of minutes: its minimum height is not found quickly.
HARD = ROOT / "tests/usage/open-problem.csv"
FSRCNN = ROOT / "examples/fsrcnn_x2_360p.onnx"

SIZES, LOWER, UPPER = np.array([4, 8, 4]), np.array([0, 1, 2]), np.array([2, 2, 4])


def told(*arguments):
    """The program's error for bad input: message and hint."""
    done = subprocess.run([TESSERA, *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode == 2, (done.returncode, done.stderr)
    lines = done.stderr.splitlines()
    hints = [line.removeprefix("  hint: ") for line in lines if line.startswith("  hint: ")]
    return lines[0], hints[0] if hints else ""


def toy(dtype="int8"):
    builder = tessera.NetworkBuilder("toy", dtype=dtype)
    x = builder.input((1, 16, 32, 32))
    for _ in range(4):
        x = builder.conv(x, 16, kernel=3, activation="relu")
    return builder.build(x)


class Placing(unittest.TestCase):
    def test_the_contract(self):
        p = tessera.place(SIZES, LOWER, UPPER, capacity=1 << 20, alignment=4, timeout=10)
        self.assertEqual((p.status, p.stop), ("feasible", "completed"))
        self.assertEqual(p.offsets.dtype, np.int64)
        self.assertEqual(p.height, int(max(p.offsets + SIZES)))
        self.assertLessEqual(p.lower_bound, p.height)
        self.assertIn("<svg", p.to_svg())
        s = tessera.Session(SIZES, LOWER, UPPER, capacity=1 << 20)
        self.assertEqual(s.solve([5, 8, 4]).status, "feasible")

    def test_no_two_that_live_together_overlap(self):
        random = np.random.default_rng(1)
        for count in (1, 20, 300):
            lower = random.integers(0, 50, count)
            upper = lower + random.integers(1, 9, count)
            sizes = random.integers(1, 1000, count)
            p = tessera.place(sizes, lower, upper, alignment=8)
            self.assertTrue((p.offsets % 8 == 0).all())
            for a in range(count):
                together = (lower < upper[a]) & (lower[a] < upper)
                together[a] = False
                clash = (p.offsets < p.offsets[a] + sizes[a]) & (p.offsets[a] < p.offsets + sizes)
                self.assertFalse((together & clash).any())

    def test_infeasible_is_a_status(self):
        p = tessera.place([4, 8], [0, 1], [3, 2], capacity=11)
        self.assertEqual((p.status, p.offsets, p.memories), ("infeasible", None, None))
        self.assertIn("its buffers need 12 at step 1", p.reason)
        with self.assertRaisesRegex(tessera.BadInput, "no placement to draw"):
            p.to_svg()

    def test_a_limit_is_a_status(self):
        p = tessera.place(tessera.load_problem(HARD), minimize="height", timeout=0.2)
        self.assertEqual(p.stop, "time_limit")
        self.assertFalse(p.proven_minimum)

    def test_every_kind_of_array(self):
        want = tessera.place(SIZES, LOWER, UPPER, capacity=12).offsets.tolist()
        for kind in (np.int8, np.uint16, np.int32, np.uint64, ">i8"):
            p = tessera.place(SIZES.astype(kind), LOWER, UPPER, capacity=12)
            self.assertEqual(p.offsets.tolist(), want)
        strided = np.zeros(6, dtype=np.int64)
        strided[::2] = SIZES
        self.assertEqual(tessera.place(strided[::2], LOWER, UPPER).status, "feasible")
        self.assertEqual(tessera.place(tuple(SIZES), list(LOWER), UPPER).status, "feasible")
        self.assertEqual(tessera.place([], [], []).offsets.tolist(), [])

    def test_offsets_outlive_the_result_and_cannot_be_changed(self):
        offsets = tessera.place(SIZES, LOWER, UPPER).offsets
        self.assertEqual(len(offsets.tolist()), 3)
        with self.assertRaises(ValueError):
            offsets[0] = 1

    def test_fixed_hints_ids_and_sizes_as_text(self):
        p = tessera.place(SIZES, LOWER, UPPER, capacity="1 KiB", fixed=[64, -1, -1],
                          ids=["a", "b", "c"], alignment=[1, 2, 4])
        self.assertEqual(p.offsets[0], 64)
        self.assertEqual(p.problem.ids, ["a", "b", "c"])
        self.assertEqual(json.loads(p.to_json())["buffers"][0]["id"], "a")

    def test_a_problem_of_a_file(self):
        problem = tessera.load_problem(ROOT / "examples/patent-three-banks.yaml")
        p = tessera.place(problem)
        self.assertEqual((p.status, p.height), ("feasible", 13))
        self.assertEqual(set(p.modes), {"sram"})
        self.assertEqual(len(problem), 4)

    def test_sessions(self):
        s = tessera.Session(SIZES, LOWER, UPPER, capacity=12)
        self.assertEqual(s.solve().status, "feasible")
        big = s.solve([5, 8, 4])
        self.assertEqual(big.status, "infeasible")
        fits = s.solve(capacity="16")
        self.assertEqual((fits.status, s.problem.sizes.tolist()), ("feasible", [5, 8, 4]))
        self.assertIn('"size":5', fits.to_json().replace(" ", ""))
        with self.assertRaisesRegex(tessera.BadInput, "2 sizes for 3 buffers"):
            s.solve([1, 2])

    def test_a_notebook_shows_results(self):
        self.assertIn("<svg", tessera.place(SIZES, LOWER, UPPER)._repr_html_())
        self.assertIn("infeasible", tessera.place([4], [0], [1], capacity=2)._repr_html_())
        made = tessera.plan(toy(), "ethos-u55-like")
        self.assertIn("<svg", made._repr_html_())


class Errors(unittest.TestCase):
    def refused(self, call, *words):
        with self.assertRaises(tessera.BadInput) as caught:
            call()
        self.assertIsInstance(caught.exception, ValueError)
        for word in words:
            self.assertIn(word, f"{caught.exception}; {caught.exception.hint}")
        return caught.exception

    def same(self, call, *arguments):
        sentence, hint = told(*arguments)
        error = self.refused(call)
        self.assertEqual((str(error), error.hint), (sentence, hint))

    def test_the_sentences_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, text in enumerate((
                    "id,lower,upper,size\na,0,1,0\n", "id,lower,upper,size\na,3,1,4\n",
                    "id,lower,upper\n", "tessera: problem/1\nbuffers: []\n")):
                path = pathlib.Path(folder) / f"{number}.csv"
                path.write_text(text, encoding="utf-8")
                self.same(lambda: tessera.load_problem(path), "place", path, "-c", "9")
            self.same(lambda: tessera.load_problem("none.csv"), "place", "none.csv", "-c", "9")
            broken = pathlib.Path(folder) / "net.yaml"
            broken.write_text("tessera: network/1\ninputs: [x]\nops: []\noutputs: []\n",
                              encoding="utf-8")
            self.same(lambda: tessera.load_network(broken), "import", broken, "-o", "out.yaml")
        self.same(lambda: tessera.load_profile("ethos-u55-25"), "profiles", "ethos-u55-25")
        self.same(lambda: tessera.place(SIZES, LOWER, UPPER, engine="magic"),
                  "place", ROOT / "examples/residual-block.csv", "-c", "1 MiB", "-e", "magic")

    def test_a_hint_is_a_note(self):
        error = self.refused(lambda: tessera.load_profile("ethos-u55-25"))
        self.assertEqual(error.__notes__, ["  hint: " + error.hint])

    def test_arrays_that_are_none(self):
        self.refused(lambda: tessera.place([1.5, 2], [0, 0], [1, 1]), "sizes", "float64")
        self.refused(lambda: tessera.place([[1, 2]], [0], [1]), "one axis")
        self.refused(lambda: tessera.place([1, 2], [0], [1, 1]), "`lower` has 1 entries")
        self.refused(lambda: tessera.place([1], [0]), "`upper`")
        self.refused(lambda: tessera.place(["a"], [0], [1]), "sizes")
        self.refused(lambda: tessera.place([2**70], [0], [1]), "sizes")
        self.refused(lambda: tessera.place(np.array([2**63], dtype=np.uint64), [0], [1]), "range")
        self.refused(lambda: tessera.place([1], [0], [1], ids=["a", "b"]), "`ids`")
        self.refused(lambda: tessera.place(object(), [0], [1]), "sizes")

    def test_what_is_wrong_with_the_numbers(self):
        self.refused(lambda: tessera.place([0], [0], [1]), "buffer '0' has size 0")
        self.refused(lambda: tessera.place([1], [1], [1]), "buffer '0'")
        self.refused(lambda: tessera.place([1], [0], [1], capacity=-1), "capacity")
        self.refused(lambda: tessera.place([1], [0], [1], capacity="12 K"), "KiB")
        self.refused(lambda: tessera.place([1], [0], [1], timeout=-1), "timeout")
        self.refused(lambda: tessera.place([1], [0], [1], timeout=float("nan")), "timeout")
        self.refused(lambda: tessera.place([1], [0], [1], timeout=[]), "timeout")
        self.refused(lambda: tessera.place([1], [0], [1], threads=0), "threads")
        self.refused(lambda: tessera.place([1], [0], [1], minimize="width"), "height")
        self.refused(lambda: tessera.place([1, 1], [0, 0], [1, 1], ids=["a", "a"]), "'a'")

    def test_profiles(self):
        hw = tessera.load_profile("nvdla-like")
        self.refused(lambda: hw.update({"memories.cbuf.banks": 8}), "nvdla-like.yaml", "changed")
        self.refused(lambda: hw.__setitem__("memories.cbuff.banks", 8), "did you mean `cbuf`")
        self.refused(lambda: hw.__setitem__("clock", 5), "unit")
        self.assertEqual(hw.changes, {})
        with self.assertRaisesRegex(KeyError, "does not set"):
            hw["memories.cbuf.bank"]

    def test_networks(self):
        builder = tessera.NetworkBuilder()
        x = builder.input((1, 8, 16, 16))
        self.refused(lambda: builder.conv(x, 8, kernel=(3, 3, 3)), "`kernel` has 3 entries")
        self.refused(lambda: builder.conv(x, 8, groups=3), "3 groups")
        self.refused(lambda: builder.add(x, builder.input((1, 7, 16, 16))), "op `add")
        self.refused(lambda: builder.conv(x, 8, kernel=99, padding=0), "op `conv")
        self.refused(lambda: builder.input((1, 2), name="input"), "duplicate tensor")
        self.refused(lambda: builder.build(), "output")
        self.refused(lambda: tessera.NetworkBuilder().build(x), "another builder")
        self.refused(lambda: tessera.NetworkBuilder(dtype="int7").input((1, 2)), "int7")
        self.refused(lambda: tessera.load_network(b"\x08\x01\xff"), "network.onnx")
        self.refused(lambda: tessera.tile(toy(), (0, 9), "ethos-u55-like"))
        self.refused(lambda: tessera.tile(toy(), "none", "ethos-u55-like"), "unknown op 'none'")
        self.refused(lambda: tessera.plan(toy(), "ethos-u55-like", weights={"speed": 1}))


class Types(unittest.TestCase):
    def test_biases_are_added_to_sums(self):
        for dtype, filters, bias in (("int8", "int8", "int32"), ("int16", "int16", "int32"), ("int4", "int4", "int32"),
                                     ("float16", "float16", "float16")):
            b = tessera.NetworkBuilder("n", dtype=dtype)
            x = b.input((1, 3, 8, 8))
            y = b.linear(b.flatten(b.conv(x, 5)), 7)
            self.assertEqual(y.dtype, dtype.replace("int4", "int8"))
            self.assertEqual(re.findall(r"dtype: (\w+)}", b.build(y).to_yaml().split("ops:")[1]), [filters, bias] * 2)


class Planning(unittest.TestCase):
    def test_weights_that_are_given_replace_all_others(self):
        plan = tessera.plan(toy(), "ethos-u55-like", weights={"latency": 3}, tile_shapes=0)
        weights = json.loads(plan.to_json())["weights"]
        self.assertEqual(weights, dict.fromkeys(weights, 0) | {"latency": 1})

    def test_the_contract(self):
        net = tessera.load_network(FSRCNN, dtype="int8")
        hw = tessera.load_profile("ethos-u65-256")
        hw["memories.sram.capacity"] = "256 KiB"
        made = tessera.plan(net, hw, timeout=60)
        self.assertEqual(made.status, "feasible")
        self.assertLessEqual(made.bound, made.score)
        self.assertGreater(made.totals["latency_cycles"], 0)
        self.assertEqual(len(made.layers), len(net))
        self.assertEqual(made.subgraphs[-1]["last_op"], len(net) - 1)
        for text in (made.to_csv(), made.to_trace(), made.to_svg()):
            self.assertTrue(text)

    def test_as_the_program(self):
        done = subprocess.run(
            [TESSERA, "plan", FSRCNN, "--dtype", "int8", "--profile", "ethos-u55-like",
             "--format", "json"], capture_output=True, text=True, check=True, timeout=120)
        theirs = json.loads(done.stdout)
        net = tessera.load_network(FSRCNN, dtype="int8")
        mine = json.loads(tessera.plan(net, "ethos-u55-like").to_json())
        for key in ("score", "totals", "baseline"):
            self.assertEqual(mine[key], theirs[key])

    def test_scores_have_a_reference(self):
        net = toy()
        plain = tessera.plan(net, "ethos-u55-like")
        self.assertEqual((plain.baseline_score, plain.reference["profile"]), (1, "ethos-u55-like"))
        itself = tessera.plan(net, "ethos-u55-like", reference=plain)
        # The weight of a byte of the peak depends on the reference, and so do the explored plans.
        self.assertLessEqual(itself.score, 1 + 1e-7)
        self.assertGreater(itself.score, 0.9)
        other = tessera.plan(net, "ethos-u55-like", reference="nvdla-like", timeout=60)
        self.assertEqual(other.reference["profile"], "nvdla-like")
        # The optimum of a single metric is independent of the reference; the optimum of a sum need not be.
        quickest = [tessera.plan(net, "ethos-u55-like", reference=reference, weights={"latency": 1}, tile_shapes=0)
                    for reference in (None, "nvdla-like")]
        self.assertEqual(quickest[0].totals, quickest[1].totals)
        self.assertLessEqual(plain.score, tessera.plan(net, "ethos-u55-like", tile_shapes=0).score)
        stored = tessera.plan(net, "ethos-u65-like", residency=False)
        self.assertFalse(any(piece.get("kept") for piece in json.loads(stored.to_json())["subgraphs"]))
        done = subprocess.run(
            [TESSERA, "plan", "-", "--profile", "ethos-u55-like", "--reference", "nvdla-like",
             "--format", "json"], input=net.to_yaml(), capture_output=True, text=True, check=True,
            timeout=120)
        self.assertAlmostEqual(json.loads(done.stdout)["score"], other.score)
        impossible = tessera.plan(net, "ethos-u55-like", max_ops=1, limits={"peak_memory": 1})
        with self.assertRaisesRegex(tessera.BadInput, "`proof_shapes` -5"):
            tessera.plan(net, "ethos-u55-like", proof_shapes=-5)
        with self.assertRaisesRegex(tessera.BadInput, "no plan was found"):
            tessera.plan(net, "ethos-u55-like", reference=impossible)

    def test_bytes_and_messages(self):
        data = FSRCNN.read_bytes()

        class Message:
            class graph:  # pylint: disable=invalid-name
                name = "mine"

            @staticmethod
            def SerializeToString():  # pylint: disable=invalid-name
                return data

        whole = tessera.load_network(FSRCNN, dtype="int8")
        self.assertEqual(tessera.load_network(data, dtype="int8").macs, whole.macs)
        self.assertEqual(tessera.load_network(Message(), dtype="int8").name, "mine")
        self.assertEqual(tessera.load_network(whole.to_yaml().encode()).ops, whole.ops)

    def test_a_builder_makes_what_a_file_says(self):
        net = toy()
        again = tessera.load_network(net.to_yaml().encode())
        first, second = (tessera.plan(each, "ethos-u55-like") for each in (net, again))
        self.assertEqual(first.totals, second.totals)
        self.assertEqual(net.macs, 4 * 16 * 16 * 9 * 32 * 32)

    def test_every_op_of_the_builder(self):
        b = tessera.NetworkBuilder("all", dtype="int8")
        x = b.input((1, 8, 16, 16))
        y = b.depthwise(b.conv(x, 16, stride=2), activation="relu6")
        self.assertEqual(y.shape, (1, 16, 8, 8))
        y = b.conv_transpose(y, 8)
        self.assertEqual(y.shape, (1, 8, 16, 16))
        y = b.concat([b.mul(b.add(y, x), x), b.elementwise("sigmoid", x)])
        y = b.max_pool(b.average_pool(b.upsample(y)))
        self.assertEqual(y.shape, (1, 16, 8, 8))
        tokens = b.transpose(b.reshape(y, (1, 16, -1)), (0, 2, 1))
        self.assertEqual(tokens.shape, (1, 64, 16))
        tokens = b.softmax(b.normalize(tokens))
        product = b.matmul(tokens, b.transpose(tokens, (0, 2, 1)))
        self.assertEqual(product.shape, (1, 64, 64))
        head = b.linear(b.flatten(b.global_average_pool(y)), 10)
        self.assertEqual((head.shape, head.dtype), ((1, 10), "int8"))
        net = b.build(product, head)
        self.assertEqual(tessera.plan(net, "ethos-u55-like").status, "feasible")

    def test_profiles_change_in_place(self):
        hw = tessera.load_profile("nvdla-like")
        other = hw.copy()
        other.update({"memories.cbuf.banks": 8, "memories.cbuf.modes": [
            {"name": "half", "roles": {"0-3": "read_write", "4-7": "weight"}}]})
        other["memories.dram.bandwidth"] = "1 GB/s"
        other["engines.vec.lanes"] = 32
        self.assertEqual((other["engines.vec.lanes"], hw["engines.vec.lanes"]), (32, 16))
        self.assertEqual(len(other.changes), 4)
        self.assertIn("clock", other)
        self.assertNotIn("cluck", other)
        net = toy()
        self.assertNotEqual(tessera.plan(net, hw).totals, tessera.plan(net, other).totals)

    def test_tiles(self):
        net = tessera.load_network(FSRCNN, dtype="int8")
        found = tessera.tile(net, (0, 1), "ethos-u55-like")
        self.assertEqual(found.status, "feasible")
        self.assertTrue(found.proven_largest)
        whole = tessera.tile(net, (net.ops[0], net.ops[1]), "ethos-u55-like", shape={"H": 1})
        self.assertEqual((whole.status, whole.shape["H"]), ("feasible", 1))
        self.assertEqual(json.loads(found.to_json())["status"], "feasible")

    def test_the_solver_of_tiles_and_plans(self):
        net = tessera.load_network(FSRCNN, dtype="int8")
        found = tessera.tile(net, (0, 1), "ethos-u55-like", engine="sat", question_timeout=10)
        self.assertEqual((found.engine, found.shape), ("sat", tessera.tile(net, (0, 1), "ethos-u55-like").shape))
        plans = [tessera.plan(net, "ethos-u55-like", tile_shapes=0, proof_shapes=0, engine=engine, question_timeout="10s")
                 for engine in ("auto", "sat")]
        self.assertEqual(plans[0].score, plans[1].score)
        with self.assertRaisesRegex(tessera.BadInput, "magic"):
            tessera.plan(net, "ethos-u55-like", engine="magic")


class Threads(unittest.TestCase):
    def test_others_run_meanwhile(self):
        problem = tessera.load_problem(HARD)
        seen = []
        done = threading.Event()

        def search():
            tessera.place(problem, minimize="height", timeout=1.5, threads=1)
            done.set()

        worker = threading.Thread(target=search)
        worker.start()
        while not done.is_set():
            seen.append(time.monotonic())
            time.sleep(0.01)
        worker.join()
        self.assertGreater(len(seen), 20, "this thread ran while the other searched")

    def test_one_session_and_many_threads(self):
        session = tessera.Session(SIZES, LOWER, UPPER, capacity=64)
        wrong = []

        def ask(size):
            for _ in range(200):
                p = session.solve([size, 8, 4])
                if (p.offsets[0] < p.offsets[1] + 8) and (p.offsets[1] < p.offsets[0] + size):
                    wrong.append(p)

        workers = [threading.Thread(target=ask, args=(size,)) for size in (4, 8, 16, 32)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertFalse(wrong)

    def run_and_signal(self, body, number=signal.SIGINT):
        script = textwrap.dedent("""
            import signal, sys, time
            signal.signal(signal.SIGINT, signal.default_int_handler)
            import tessera
            problem = tessera.load_problem(sys.argv[1])
            def search():
                print("searching", flush=True)
                return tessera.place(problem, minimize="height", timeout=60)
        """) + textwrap.dedent(body)
        with subprocess.Popen([sys.executable, "-c", script, str(HARD)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "searching\n")
            time.sleep(0.3)
            begin = time.monotonic()
            process.send_signal(number)
            out, err = process.communicate(timeout=50)
            return out, err, time.monotonic() - begin

    def test_ctrl_c_raises_keyboard_interrupt(self):
        out, err, took = self.run_and_signal("""
            try:
                search()
            except KeyboardInterrupt:
                print("interrupted")
            # And the next call is not.
            print(tessera.place([4], [0], [1], capacity=4).status)
        """)
        self.assertEqual(out, "interrupted\nfeasible\n", err)
        self.assertLess(took, 20)

    def test_a_handler_that_does_not_raise_gets_what_there_is(self):
        out, err, took = self.run_and_signal("""
            signal.signal(signal.SIGINT, lambda *_: print("heard", flush=True))
            found = search()
            print(found.status, found.stop)
        """)
        self.assertEqual(out, "heard\nfeasible interrupted\n", err)
        self.assertLess(took, 20)

    def test_an_event_loop_still_hears_of_it(self):
        out, err, _ = self.run_and_signal("""
            import os
            ear, mouth = os.pipe()
            os.set_blocking(mouth, False)
            signal.set_wakeup_fd(mouth)
            try:
                search()
            except KeyboardInterrupt:
                print(os.read(ear, 10) == bytes([signal.SIGINT]), signal.set_wakeup_fd(-1) == mouth)
        """)
        self.assertEqual(out, "True True\n", err)

    def test_a_forked_process_searches_too(self):
        tessera.place(SIZES, LOWER, UPPER)
        child = os.fork()
        if child == 0:
            p = tessera.place(SIZES, LOWER, UPPER, capacity=12)
            os._exit(0 if p.status == "feasible" else 1)  # pylint: disable=protected-access
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Progress(unittest.TestCase):
    def test_place_tells_how_far_it_is(self):
        seen = []
        tessera.place(SIZES, LOWER, UPPER, minimize="height", progress=seen.append)
        self.assertEqual(seen[0].phase, "bounds")
        self.assertTrue(any(each.height is not None for each in seen), [e.phase for e in seen])

    def test_plan_tells_how_far_it_is(self):
        try:
            from tqdm import tqdm
        except ImportError:
            class tqdm:  # pylint: disable=invalid-name
                """The part of tqdm that a progress callback needs."""

                def __init__(self, **_):
                    self.n = 0

                def update(self, count):
                    self.n += count

                def __enter__(self):
                    return self

                def __exit__(self, *_):
                    return None

        with tqdm(disable=False) as bar:
            made = tessera.plan(toy(), "ethos-u55-like",
                                progress=lambda now: bar.update(now.solved - bar.n))
            self.assertEqual(made.status, "feasible")
            self.assertGreater(bar.n, 0)

    def test_what_a_callback_raises_ends_the_search(self):
        def fail(_):
            raise RuntimeError("enough")

        begin = time.monotonic()
        with self.assertRaisesRegex(RuntimeError, "enough"):
            tessera.place(tessera.load_problem(HARD), minimize="height", timeout=60, progress=fail)
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_callback_may_ask_as_well(self):
        inner = []
        tessera.place(SIZES, LOWER, UPPER, progress=lambda _: inner.append(
            tessera.place([4], [0], [1], capacity=4).status))
        self.assertEqual(set(inner), {"feasible"})


if __name__ == "__main__":
    unittest.main()
