# ===- __init__.py - The parts of fa-bench -----------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""The parts of fa-bench. Only `measure` and what it imports need a GPU."""
