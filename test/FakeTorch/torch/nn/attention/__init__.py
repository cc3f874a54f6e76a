# ===- __init__.py - Which attention is called -------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
import contextlib

current = None


class SDPBackend:
    CUDNN_ATTENTION, FLASH_ATTENTION = "cudnn", "flash"


@contextlib.contextmanager
def sdpa_kernel(backend):
    global current
    current = backend
    yield
    current = None
