# ===- backends.py - Versions of what is not there ---------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
class cudnn:
    @staticmethod
    def version():
        return 0
