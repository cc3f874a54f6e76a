# ===- fail-every-call.py - Each call of the driver fails once ---------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: fail-every-call.py FakeCuda.cpp COMMAND...
#
# Runs the command on the stand-in driver once for each call of a driver function
# that can fail, with that call failing. It has to end with exit code 1 and one
# error that names the driver's, and give back every buffer and object.
#
# ===-------------------------------------------------------------------------===#

import os
import pathlib
import re
import subprocess
import sys

FUNCTION = re.compile(r"^CUresult (cu\w+)\([^)]*\) \{\n  ENTER\(\);|driver\.enter\(__func__\)", re.MULTILINE)
MAX_CALLS = 12


def main():
    source, *command = sys.argv[1:]
    functions = [name for name in FUNCTION.findall(pathlib.Path(source).read_text()) if name]
    functions.append("cuModuleLoadDataEx")
    settings = os.environ.get("FAKE_CUDA", "") + " log"
    runs = wrong = 0
    for function in functions:
        for number in range(1, MAX_CALLS + 1):
            env = os.environ | {"FAKE_CUDA": f"{settings} fail={function}@{number}=999"}
            result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
            if result.returncode == 0:
                break  # There was no such call.
            runs += 1
            errors = [line for line in result.stderr.splitlines() if "error" in line]
            freed = "0 buffers and 0 objects left" in result.stderr
            if result.returncode == 1 and len(errors) == 1 and freed:
                continue
            wrong += 1
            print(f"{function}, call {number}: exit code {result.returncode}, {result.stderr!r}")
    print(f"{runs} failing calls of {len(functions)} functions, {wrong} handled wrongly")


main()
