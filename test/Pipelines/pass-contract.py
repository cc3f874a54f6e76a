# ===- pass-contract.py - Every pass alone on every function ------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: pass-contract.py <file.mlir> ...
#
# Runs each pass of the project, alone, on each function of the files. It has to
# succeed or to say why not: no crash, no failure without an error, no error of
# the verifier about what the pass made.
#
# ===-------------------------------------------------------------------------===#

import re
import subprocess
import sys

PASS = re.compile(r"^\s+--((?:fa-|convert-fagpu-)[a-z0-9-]+)\s+-", re.MULTILINE)
SEPARATOR = "\n// -----\n"


def run(arguments, text=""):
    return subprocess.run(
        ["fa-opt", *arguments], input=text, capture_output=True, text=True, timeout=300
    )


def functions(path):
    """The functions of a file, each as a module of its own."""
    text = run([path]).stdout
    lines, chunk = [], []
    aliases = [line for line in text.splitlines() if line.startswith("#")]
    for line in text.splitlines():
        if line.startswith("  func.func"):
            chunk = []
        chunk.append(line)
        if line == "  }" and chunk[0].startswith("  func.func"):
            lines.append("\n".join([*aliases, *chunk]))
    return lines


def failures_of(name, chunks):
    """Yields what is wrong with the pass."""
    text = SEPARATOR.join(chunks)
    result = run([f"--{name}", "--split-input-file"], text)
    if result.returncode not in (0, 1):
        yield f"exit code {result.returncode}: {result.stderr.splitlines()[:1]}"
        return
    # Which chunk an error is in follows from its line in the text.
    begins, line = [], 1
    for chunk in chunks:
        begins.append(line)
        line += (chunk + SEPARATOR).count("\n")
    explained = set()
    for match in re.finditer(r"<stdin>:(\d+):\d+: error: (.*)", result.stderr):
        index = sum(begin <= int(match[1]) for begin in begins) - 1
        explained.add(index)
        if re.search(r"does not dominate|expects? .*terminator|must be|expects a", match[2]):
            yield f"made invalid IR of function {index}: {match[2]}"
    # A chunk that fails is not printed.
    printed = len(re.findall(r"^module", result.stdout, re.MULTILINE))
    if printed + len(explained) != len(chunks):
        yield (
            f"{len(chunks)} functions, {printed} results and "
            f"{len(explained)} functions with an error"
        )


def main():
    passes = [
        name for name in PASS.findall(run(["--help"]).stdout) if not name.startswith("fa-lower-to-")
    ]
    chunks = [chunk for path in sys.argv[1:] for chunk in functions(path)]
    failed = 0
    for name in passes:
        for failure in failures_of(name, chunks):
            print(f"{name}: {failure}")
            failed += 1
    print(f"{len(passes)} passes on {len(chunks)} functions, {failed} failures")
    return 1 if failed or len(passes) < 10 or len(chunks) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
