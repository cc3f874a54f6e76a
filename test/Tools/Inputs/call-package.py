# ===- call-package.py - Launches a package through the C interface ----------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints what the package makes of random tensors, and of tensors that are none for it.
#
# Usage: call-package.py PACKAGE.json PACKAGE-WITH-WORKSPACES.json PACKAGE-WITHOUT-LSE.json \
#   PACKAGE-OF-STATIC-SIZES.json
#
# ===-------------------------------------------------------------------------===#

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/fa-bench"))
from fabench.runtime import Runtime, RuntimeFailure  # noqa: E402


class View:
    """A NumPy array as a tensor."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def dim(self):
        return self.array.ndim

    def stride(self):
        return [stride // self.array.itemsize for stride in self.array.strides]

    def data_ptr(self):
        return self.array.ctypes.data


def report(function, *arguments):
    try:
        return function(*arguments)
    except RuntimeFailure as error:
        print("error:", error)


def main():
    runtime = Runtime()
    report(runtime.open, "missing.json")
    package = runtime.open(sys.argv[1])
    q, k, v, o = (np.full((1, heads, 3, 64), 0x3F80, np.uint16) for heads in (2, 1, 1, 2))
    lse = np.zeros((1, 2, 3), np.float32)
    views = [View(x) for x in (q, k, v, o, lse)]
    launch = package.prepare(views)
    print({name: launch.info[name] for name in ("kernel", "grid", "block", "registers")})
    launch(None)
    # All scores are 8: LSE is 8 + log 3. O is the mean of ones.
    print("LSE %.4f, O %x" % (lse[0, 1, 2], o[0, 1, 2, 63]))
    report(package.prepare, [*views[:3], View(np.zeros((1, 2, 4, 64), np.uint16)), views[4]])
    report(package.prepare, [View(np.zeros((1, 2, 3, 128), np.uint16)[..., ::2]), *views[1:]])
    report(package.prepare, [views[0], View(np.zeros((1, 4, 3, 64), np.uint16)), *views[2:]])
    launch.close()
    steps = runtime.open(sys.argv[2])
    report(steps.prepare, views)
    steps.close()
    fixed = runtime.open(sys.argv[4])
    report(fixed.prepare, views)
    fixed.close()
    output = runtime.open(sys.argv[3])
    assert package.writes_lse and not output.writes_lse
    o.fill(0)
    launch = output.prepare([*views[:4], None])
    launch(None)
    print("O alone %x" % o[0, 1, 2, 63])
    launch.close()
    output.close()
    package.close()


if __name__ == "__main__":
    main()
