# ===- runner.py - Measures in a process that may be lost --------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""A kernel that faults or hangs takes its process with it, and what others of the
process would have measured. So a child measures and keeps a journal; when it is
lost, the next child goes on after the last whole case, without the culprit."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from . import packages, suite
from .suite import SuiteError

MAX_CHILDREN = 40


def read_journal(path, start):
    """What was written since `start` bytes, and where it ends."""
    with path.open() as file:
        file.seek(start)
        text = file.read()
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")], start + len(text)


def run_child(arguments):
    """What the child does: see `measure`. Never returns."""
    from . import measure

    job = json.loads(arguments[0])
    cases = [case for case in suite.read_suite(pathlib.Path(job["suite"])) if case.name in job["cases"]]
    manifests = packages.read_manifests(pathlib.Path(job["packages"]))
    code = measure.run(
        cases,
        lambda case: [m for m in manifests if packages.solves(m, case) and job["only"] in m["stem"]],
        job["options"],
        pathlib.Path(job["journal"]),
        job["broken"],
    )
    # Without the driver's clean-up, which would wait for a kernel that hangs.
    sys.stdout.flush()
    os._exit(code)


def run(entry, suite_path, cases, folder, only, options, say):
    """Measures all cases. Returns {"device": ..., "results": [...]}, and passes what
    there is of it to `say` after each case. `entry` is the program, which calls
    `run_child` for the argument --child."""
    if not importlib.util.find_spec("torch"):
        raise SuiteError(f"expected PyTorch in {sys.executable}, whose attention is timed beside ours")
    report = {"device": None, "settings": options, "results": []}
    broken, done = {}, set()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        journal = pathlib.Path(temporary) / "journal"
        journal.touch()
        position = 0
        for _ in range(MAX_CHILDREN):
            left = [case.name for case in cases if case.name not in done]
            remaining = options["time_limit"] - (time.monotonic() - start)
            if not left or remaining <= 0:
                break
            job = {
                "suite": str(suite_path), "packages": str(folder), "only": only, "cases": left,
                "options": {
                    **options, "time_limit": remaining,
                    "yardstick": options["yardstick"] and "yardstick" not in report,
                },
                "journal": str(journal), "broken": broken,
            }  # fmt: skip
            child = subprocess.Popen([sys.executable, entry, "--child", json.dumps(job)])
            last = lost = None
            while True:
                ended = child.poll() is not None
                entries, position = read_journal(journal, position)
                for item in entries:
                    if "device" in item:
                        report["device"] = item["device"]
                    elif "yardstick" in item:
                        report["yardstick"] = item["yardstick"]
                    elif "begin" in item:
                        last = item["begin"]
                    elif "lost" in item:
                        lost = item["lost"]
                    elif "failed" in item:
                        raise SuiteError(item["failed"])
                    else:
                        report["results"].append(item)
                        done.add(item["name"])
                        last = None
                        say(report)
                if ended:
                    break
                time.sleep(0.1)
            if child.returncode == 0:
                break
            if last is None:
                raise SuiteError(f"the measuring process ended with {child.returncode}")
            case, name = last
            broken.setdefault(case, {})[name] = lost or f"the process ended with {child.returncode}"
    missing = [case.name for case in cases if case.name not in done]
    if missing:
        report["not_measured"] = missing
    return report
