# ===- make-npy.py - Good and bad .npy files ----------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: make-npy.py <folder>
#
# Writes the files that the tests of reading name: one well-formed array, its
# variants that must read the same, and one file for each thing that can be
# wrong.
#
# ===-------------------------------------------------------------------------===#

import pathlib
import struct
import sys

import numpy as np

SHAPE = (1, 2, 5, 8)


def npy(header, data=b"", version=(1, 0), length=None):
    """The bytes of a file with the given header text."""
    text = header.encode("latin1") + b"\n"
    size = len(text) if length is None else length
    packed = struct.pack("<H" if version[0] == 1 else "<I", size)
    return b"\x93NUMPY" + bytes(version) + packed + text + data


def header(descr="<f4", order="False", shape=SHAPE, extra=""):
    return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, {extra}}}"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    array = np.random.RandomState(7).standard_normal(SHAPE).astype("<f4")
    data = array.tobytes()
    count = array.size

    # The same array in other clothes.
    np.save(folder / "good.npy", array)
    np.save(folder / "fortran.npy", np.asfortranarray(array))
    (folder / "v2.npy").write_bytes(npy(header(), data, version=(2, 0)))
    (folder / "v3.npy").write_bytes(npy(header(), data, version=(3, 0)))
    # The upper halves of f32 are bf16.
    halves = (array.view("<u4") >> 16).astype("<u2")
    np.save(folder / "bf16-bits.npy", halves)
    np.save(folder / "bf16-void.npy", halves.view("V2"))
    np.save(folder / "f16.npy", array.astype("<f2"))

    bad = {
        "empty": b"",
        "magic": b"NUMPY" + data,
        "version": npy(header(), data, version=(4, 0)),
        "cut-preamble": b"\x93NUMPY\x01\x00",
        "cut-header": npy(header(), length=5000),
        "no-dict": npy("[]", data),
        "no-key": npy("{'descr': '<f4', 'fortran_order': False}", data),
        "unknown-key": npy(header(extra="'colour': 'red'"), data),
        "repeated-key": npy(header(extra="'descr': '<f4'"), data),
        "no-string": npy("{descr: '<f4'}", data),
        "order": npy(header(order="Maybe"), data),
        "structured": npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"),
        "after": npy(header() + " x", data),
        "negative": npy(header(shape="(1, 2, -5, 8)"), data),
        "no-extent": npy(header(shape="(1, 2, five, 8)"), data),
        "overflow-extent": npy(header(shape="(1, 99999999999999999999)"), data),
        "overflow": npy(header(shape=f"({2**40}, {2**40}, 5, 8)"), data),
        "huge": npy(header(shape="(1, 2, 500000000000, 8)"), data),
        "truncated": npy(header(), data[:-1]),
        "trailing": npy(header(), data + b"\0"),
        "f8": npy(header("<f8"), bytes(8 * count)),
        "big-endian": npy(header(">f4"), data),
        "rank": npy(header(shape="(10, 8)"), data),
        "zero": npy(header(shape="(1, 2, 0, 8)")),
    }
    for name, content in bad.items():
        (folder / f"bad-{name}.npy").write_bytes(content)


if __name__ == "__main__":
    main()
