# ===- cuda.py - Streams and events of a GPU that is not there ---------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
import os
import time


class Event:
    def __init__(self, enable_timing):
        self.time = None

    def record(self):
        self.time = time.perf_counter()

    def query(self):
        return os.environ.get("FAKE_TORCH") != "hang"

    def elapsed_time(self, end):
        return 1e3 * (end.time - self.time)


class Stream:
    cuda_stream = 0


def current_stream():
    return Stream()


def synchronize():
    pass


def empty_cache():
    pass


def get_device_name():
    return "Fake GPU"
