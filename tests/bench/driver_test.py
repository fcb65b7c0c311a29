"""driver_test.py: the driver on contenders whose times and losses are known."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "driver"))

import goals  # noqa: E402
from contender import Contender, Failed  # noqa: E402
from race import race, ratios_to  # noqa: E402
from ratios import median_interval  # noqa: E402


def fake(name, *arguments, timeout=60):
    command = [sys.executable, HERE / "fake_contender.py", *arguments]
    return Contender(name, command, timeout=timeout)


class RaceTest(unittest.TestCase):
    def test_a_ratio_is_the_peers_time_divided_by_ours(self):
        ours, peer = race([fake("ours", "0.002", "1.5"), fake("peer", "0.006", "1.5")], 4, 0.2)
        (ratio,) = ratios_to(ours, [peer])
        self.assertEqual(ratio.peer, "peer")
        for bound in (ratio.ratio, ratio.low, ratio.high):
            self.assertAlmostEqual(bound, 3)
        self.assertEqual((ours.steps, peer.steps), (100, 40))
        self.assertEqual(len(ours.times), 4)

    def test_a_block_has_the_least_steps_however_long_they_take(self):
        (entry,) = race([fake("slow", "3", "1.5")], 2, 0.2, least=10)
        self.assertEqual((entry.steps, entry.median()), (10, 3))

    def test_a_comparison_of_ones_own_replaces_that_of_the_losses(self):
        def compare(entries, _say):
            entries[0].void = "other work"

        first, second = race([fake("a", "1", "1"), fake("b", "1", "2")], 2, 0.2, compare=compare)
        self.assertEqual((first.void, second.void), ("other work", ""))

    def test_another_loss_is_void_whatever_the_time(self):
        entries = race([fake("reference", "1", "1.5"), fake("wrong", "0.1", "1.5003")], 2, 0.2)
        self.assertEqual(entries[0].void, "")
        self.assertIn("1.500300", entries[1].void)
        (ratio,) = ratios_to(entries[0], entries[1:])
        self.assertIsNone(ratio.ratio)
        self.assertTrue(ratio.void)

    def test_a_loss_that_differs_by_rounding_counts(self):
        entries = race([fake("reference", "1", "1.5"), fake("rounded", "1", "1.5001")], 2, 0.2)
        self.assertEqual([entry.void for entry in entries], ["", ""])

    def test_a_contender_that_dies_is_void_with_its_last_words(self):
        entries = race([fake("good", "1", "1.5"), fake("bad", "1", "1.5", "dies")], 2, 0.2)
        self.assertEqual(entries[0].void, "")
        self.assertIn("out of ideas", entries[1].void)

    def test_a_contender_that_hangs_is_ended_and_named(self):
        begin = time.monotonic()
        (entry,) = race([fake("sleeper", "1", "1.5", "hangs", timeout=1)], 2, 0.2)
        self.assertIn("sleeper did not say 'done' within 1 s", entry.void)
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_program_that_is_no_contender_is_void(self):
        contender = Contender("true", ["true"], timeout=10)
        self.assertRaisesRegex(Failed, "ended before it said 'ready'", contender.start)
        contender.stop()


class RatiosTest(unittest.TestCase):
    def test_the_interval_holds_the_median_and_is_wide_when_values_scatter(self):
        middle, low, high = median_interval([1, 2, 3, 4, 5] * 6)
        self.assertEqual(middle, 3)
        self.assertTrue(1 < low <= 3 <= high < 5)
        self.assertEqual(median_interval([2.5] * 30), (2.5, 2.5, 2.5))


class GoalsTest(unittest.TestCase):
    def test_the_fastest_configuration_of_a_peer_counts(self):
        place = {"workload": "mlp", "threads": 1, "level": "fast", "void": False}
        rows = [
            {**place, "peer": "keras", "ratio": 5.0},
            {**place, "peer": "keras-multi", "ratio": 3.0},
            {**place, "peer": "jax-scan", "ratio": 1.5},
            {**place, "peer": "jax", "ratio": 9.0, "void": True},
        ]
        lines = goals.judged(rows, goals.MLP)
        self.assertEqual([line.split()[0] for line in lines], ["missed", "met"])
        self.assertIn("3.00 against Keras", lines[0])

    def test_the_median_of_the_exported_models_needs_all_of_them(self):
        ratios = zip(goals.EXPORTED, (1.0, 1.1, 1.3, 2.0, 3.0))
        place = {"threads": 1, "level": "fast", "void": False}
        rows = [{**place, "workload": w, "peer": "compile", "ratio": r} for w, r in ratios]
        rows += [{**row, "peer": "pytorch", "ratio": 9.0} for row in rows]
        (line,) = goals.median_of_exported(rows)
        self.assertRegex(line, "^met .*1.30 in the median")
        self.assertEqual(goals.median_of_exported(rows[1:5]), [])


class RunTest(unittest.TestCase):
    """tests/bench/run on a build folder of fakes."""

    def run_on(self, folder, fused_loss):
        program = f'exec "{sys.executable}" "{HERE}/fake_contender.py"'
        scripts = {
            "broch": f'if [ "$1" = env ]; then echo "broch: fake"; else {program} 0.001 2.5; fi',
            "broch_bench_plain": f'if [ "$3" ]; then {program} 0.002 {fused_loss}; fi\n'
            f"{program} 0.004 2.5",
        }
        bin_folder = pathlib.Path(folder) / "bin"
        bin_folder.mkdir()
        for name, text in scripts.items():
            (bin_folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (bin_folder / name).chmod(0o755)
        options = "--quick --only mlp --level bitwise --peers plain,plain-fused".split()
        found = subprocess.run(
            [HERE / "run", *options, "--build", folder, "--output", f"{folder}/bench.json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=120,
        )
        rows = json.loads(pathlib.Path(folder, "bench.json").read_text())
        return found.returncode, found.stdout.decode(), {row["peer"]: row for row in rows}

    def test_equal_work_gives_rows_and_no_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            code, table, rows = self.run_on(folder, "2.5")
        self.assertEqual(code, 0)
        self.assertNotIn("VOID", table)
        self.assertIn("best peer: plain-fused, 2.00 times", table)
        self.assertEqual(set(rows), {"plain", "plain-fused"})
        self.assertAlmostEqual(rows["plain"]["ratio"], 4)
        self.assertEqual((rows["plain"]["workload"], rows["plain"]["threads"]), ("mlp", 1))
        self.assertIn("broch: fake", rows["plain"]["versions"])

    def test_a_wrong_loss_prints_void_and_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            code, table, rows = self.run_on(folder, "2.6")
        self.assertEqual(code, 1)
        self.assertRegex(table, "plain-fused +VOID +.*2.6")
        self.assertTrue(rows["plain-fused"]["void"])
        self.assertFalse(rows["plain"]["void"])


if __name__ == "__main__":
    unittest.main()
