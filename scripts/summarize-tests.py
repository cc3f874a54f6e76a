#!/usr/bin/python3
# ===- summarize-tests.py - 'N passed, N failed' from lit's results ----------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads the JSON that lit writes with --output, prints the slowest tests, the
# failed ones, and as the last line the counts. Exits with 1 if a test failed or
# none ran.
#
# ===-------------------------------------------------------------------------===#

import json
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def main():
    try:
        with open(sys.argv[1]) as file:
            tests = json.load(file)["tests"]
    except (OSError, ValueError, KeyError) as error:
        print(f"error: lit wrote no results: {error}")
        print("0 passed, 1 failed")
        return 1

    passed = [t for t in tests if t["code"] in PASSED]
    skipped = [t for t in tests if t["code"] in SKIPPED]
    failed = [t for t in tests if t["code"] not in PASSED | SKIPPED]

    slow = sorted(passed + failed, key=lambda t: -t["elapsed"])[:5]
    for test in slow:
        print(f"{test['elapsed']:8.1f} s  {test['name']}")
    for test in failed:
        print(f"{test['code']}: {test['name']}")
    if not passed and not failed:
        print("error: no test ran")
    line = f"{len(passed)} passed, {len(failed)} failed"
    if skipped:
        line += f", {len(skipped)} skipped"
    print(line)
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
