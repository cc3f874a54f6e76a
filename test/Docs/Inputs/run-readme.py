# ===- run-readme.py - Runs the commands of a document -----------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# In blocks of the language `console` a line that begins with "$ " is a command
# and what follows is what it prints. Numbers and blanks may differ, and a line
# of "..." stands for any lines. Commands run in the folder WORK, in which build
# and test are those of this build.
#
# Usage: run-readme.py DOCUMENT WORK          (FA_BUILD_DIR, default build)
#
# ===-------------------------------------------------------------------------===#

import os
import pathlib
import re
import subprocess
import sys

NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])")


def commands(text):
    """Yields (command, expected lines)."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *expected = part.splitlines()
            yield command, expected


def shape(line):
    return " ".join(NUMBER.sub("N", line).split())


def matches(expected, actual):
    """Do the lines agree, "..." being any number of them?"""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[n:]) for n in range(len(actual) + 1))
    return bool(actual) and shape(expected[0]) == shape(actual[0]) and matches(expected[1:], actual[1:])


def main():
    document, work = map(pathlib.Path, sys.argv[1:])
    document = document.resolve()
    root = next(folder for folder in document.parents if (folder / "README.md").exists())
    (work / "build").symlink_to((root / os.environ.get("FA_BUILD_DIR", "build")).resolve())
    (work / "test").symlink_to(root / "test")
    number = wrong = 0
    for command, expected in commands(document.read_text()):
        number += 1
        result = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        if result.returncode == 0 and matches(expected, result.stdout.splitlines()):
            continue
        wrong += 1
        print(f"$ {command}\nexit code {result.returncode}, and it prints")
        print(result.stdout + "instead of\n" + "\n".join(expected))
    print(f"run-readme: {number} commands, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
