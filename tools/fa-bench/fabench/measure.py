# ===- measure.py - Times and checks the cases of a suite --------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""Our kernels and PyTorch's take turns in one process, on the same tensors.

For each case, every contender is checked first; then come `series` rounds, in each of
which all contenders have their turn in a new random order. A turn is a rest, `runs`
launches with an event between any two, a rest, and `runs` launches between two
events. The result is the median over the rounds of the median launch (`single`) and
of the mean launch (`back to back`).

Everything that happens is written to a journal, line by line: a kernel that takes the
device with it loses only itself (see runner.py).
"""

import json
import random
import statistics
import time

import torch

from . import accuracy, contenders
from .runtime import Runtime, RuntimeFailure

REST = 0.045
WARM_UPS = 3
# The exit code of a process that can do nothing more on its device.
DEVICE_LOST = 70


class DeviceLost(Exception):
    """The device cannot be used any more by this process."""


class Journal:
    def __init__(self, path):
        self.file = path.open("a")

    def write(self, **entry):
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()


class Measurement:
    def __init__(self, options, journal):
        self.options, self.journal = options, journal
        self.runtime, self.packages = Runtime(), {}
        self.random = random.Random(options["seed"])
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(options["runs"] + 1)]

    def device(self):
        return {
            "device": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "cudnn": torch.backends.cudnn.version(),
        }

    def wait(self, record=True):
        """Until the last event; a kernel that does not end is given up."""
        if record:
            self.events[-1].record()
        deadline = time.monotonic() + self.options["timeout"]
        while not self.events[-1].query():
            if time.monotonic() > deadline:
                raise DeviceLost(f"did not end within {self.options['timeout']} s (a deadlock?)")

    def check_alive(self):
        try:
            torch.cuda.synchronize()
        except RuntimeError as error:
            raise DeviceLost(str(error).splitlines()[0]) from error

    # One case.

    def make_ours(self, manifest):
        # A package stays open, since the driver compiles it when it is first used.
        name = manifest["stem"]
        if name not in self.packages:
            self.packages[name] = self.runtime.open(manifest["path"])
        return contenders.Ours(self.packages[name], manifest)

    def make_contenders(self, case, manifests):
        """Yields (name, function that makes the contender)."""
        for manifest in manifests:
            yield manifest["stem"], lambda manifest=manifest: self.make_ours(manifest)
        for peer in self.options["peers"]:
            yield peer, lambda peer=peer: contenders.make_peer(peer, case)

    def prepare(self, case, make, tensors, samples):
        """A contender that is right, or the reason why there is none."""
        try:
            contender = make()
            contender.setup(tensors)
            output, lse = contender.run_poisoned()
            self.wait()
            verdict = self.check(case, samples, output, lse)
            with contender.session():
                for i in range(WARM_UPS):
                    contender.launch(i % len(tensors))
            self.wait()
        except RuntimeFailure as error:
            self.check_alive()
            return None, {"error": str(error)}
        except DeviceLost:
            raise
        except Exception as error:  # PyTorch's compiler raises anything.
            self.check_alive()
            lines = str(error).strip().splitlines() or [type(error).__name__]
            return None, {"error": lines[0]}
        return contender, {**contender.facts, "check": verdict}

    def check(self, case, samples, output, lse):
        def get(name, batch, head):
            tensor = output if name == "o" else lse
            return None if tensor is None else tensor[batch, head].float().cpu().numpy()

        verdict = accuracy.check(case, samples, get)
        verdict["written"] = not any(
            bool(torch.isnan(tensor).any()) for tensor in (output, lse) if tensor is not None
        )
        verdict["passed"] = verdict["passed"] and verdict["written"]
        return verdict

    def take_turn(self, contender, copies):
        """Seconds of single launches, and of one among many."""
        runs, events = self.options["runs"], self.events
        with contender.session():
            time.sleep(REST)
            start = time.perf_counter()
            events[0].record()
            for i in range(runs):
                contender.launch(i % copies)
                events[i + 1].record()
            host = time.perf_counter() - start
            self.wait(record=False)
            single = [a.elapsed_time(b) * 1e-3 for a, b in zip(events, events[1:])]
            time.sleep(REST)
            events[0].record()
            for i in range(runs):
                contender.launch(i % copies)
            events[1].record()
            self.wait()
        return single, events[0].elapsed_time(events[1]) * 1e-3 / runs, host / runs

    def measure(self, case, manifests, broken):
        tensors = contenders.Tensors(case, self.options["seed"])
        samples = accuracy.make_reference(case, tensors.get_input, self.options["seed"])
        results, ready = {}, {}
        for name, make in self.make_contenders(case, manifests):
            if name in broken:
                results[name] = {"error": broken[name]}
                continue
            self.journal.write(begin=[case.name, name])
            contender, results[name] = self.prepare(case, make, tensors, samples)
            if contender and results[name]["check"]["passed"]:
                ready[name] = contender
            elif contender:
                results[name]["error"] = "wrong result"
                contender.close()
        turns = {name: [] for name in ready}
        for _ in range(self.options["series"]):
            for name in self.random.sample(list(ready), len(ready)):
                self.journal.write(begin=[case.name, name])
                try:
                    turns[name].append(self.take_turn(ready[name], len(tensors)))
                except (RuntimeFailure, RuntimeError) as error:
                    # It worked before: no further launch can be trusted.
                    raise DeviceLost(str(error).splitlines()[0]) from error
        for name, taken in turns.items():
            results[name].update(self.summarize(case.flops, taken))
            ready[name].close()
        return results

    def measure_yardstick(self):
        """The product that tells GPUs apart, timed as attention is."""
        matmul = contenders.Matmul()
        with matmul.session():
            for i in range(WARM_UPS):
                matmul.launch(i)
        self.wait()
        turns = [self.take_turn(matmul, copies=1) for _ in range(self.options["series"])]
        return {**matmul.facts, **self.summarize(matmul.flops, turns)}

    @staticmethod
    def summarize(flops, turns):
        medians = [statistics.median(single) for single, _, _ in turns]
        single = statistics.median(medians)
        together = statistics.median(mean for _, mean, _ in turns)
        summary = {
            "ms": single * 1e3,
            "min_ms": min(min(single) for single, _, _ in turns) * 1e3,
            "back_to_back_ms": together * 1e3,
            "tflops": flops / single * 1e-12,
            "back_to_back_tflops": flops / together * 1e-12,
            # How far the rounds are apart: what a difference has to exceed.
            "spread": (max(medians) - min(medians)) / single,
            "runs": len(turns) * len(turns[0][0]),
        }
        if statistics.median(host for _, _, host in turns) > 0.9 * single:
            summary["host_bound"] = True
        return summary


def run(cases, manifests_of, options, journal_path, broken):
    """Measures `cases` and returns the exit code of the process. `broken` says, by
    case and contender, what is known to take the device with it."""
    journal = Journal(journal_path)
    start = time.monotonic()
    try:
        measurement = Measurement(options, journal)
        journal.write(device=measurement.device())
        if options["yardstick"]:
            journal.write(yardstick=measurement.measure_yardstick())
            torch.cuda.empty_cache()
        for case in cases:
            if time.monotonic() - start > options["time_limit"]:
                break
            results = measurement.measure(case, manifests_of(case), broken.get(case.name, {}))
            journal.write(case=case.to_json(), name=case.name, flops=case.flops, kernels=results)
            torch.cuda.empty_cache()
    except DeviceLost as error:
        journal.write(lost=str(error))
        return DEVICE_LOST
    except RuntimeFailure as error:
        journal.write(failed=str(error))
        return 1
    return 0
