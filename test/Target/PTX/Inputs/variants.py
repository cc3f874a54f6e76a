# ===- variants.py - Prints a module of two kernels that do nothing -----------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One takes K and V as tensor maps besides its memrefs (sm_90a), the other takes
# memrefs alone (sm_80). Arguments change the attribute: a NAME=VALUE replaces
# an entry of the first kernel's fa.kernel, and NAME= drops it.
#
# ===-------------------------------------------------------------------------===#

import sys

RANKS = {"Q": 4, "K": 4, "V": 4, "O": 4, "LSE": 3}
MAP = "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"


def tensor_map(tensor):
    dims = (
        "{size = 64, stride = 2}, {size = \"rows\", stride = \"rows\"}, {size = 2, stride = 128}, "
        '{size = "heads", stride = "heads"}, {size = "batch", stride = "batch"}'
    )
    return (
        f'{{kind = "tensor_map", tensor = "{tensor}", swizzle = 128, '
        f"box = array<i64: 64, 128, 2, 1, 1>, dims = [{dims}]}}"
    )


def kernel(module, target, maps, changes):
    parameters = [
        kind
        for rank in RANKS.values()
        for kind in ["!llvm.ptr"] * 2 + ["i64"] * (1 + 2 * rank)
    ] + [MAP] * len(maps)
    arguments = [f'{{kind = "memref", tensor = "{tensor}"}}' for tensor in RANKS]
    arguments += [tensor_map(tensor) for tensor in maps]
    fields = {
        "target": f'"{target}"',
        "block": "384",
        "query_tile": "128",
        "sram_bytes": "197632",
        "registers": "168",
        "schedule": '"ping-pong"',
        "guards": "{pointer_alignment = 16, stride_alignment = 16}" if maps else "{}",
        "arguments": "[" + ", ".join(arguments) + "]",
        "problem": '{dtype = "bf16", head_dim = 128, mask = "causal", scale = 0.0883883461 : f32}',
    }
    fields.update(changes)
    info = ", ".join(f"{name} = {value}" for name, value in fields.items() if value)
    names = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(parameters))
    return (
        f"gpu.module @{module} {{\n  llvm.func @stub({names})\n"
        f"      attributes {{nvvm.kernel, fa.kernel = {{{info}}}}} {{\n    llvm.return\n  }}\n}}\n"
    )


changes = dict(argument.split("=", 1) for argument in sys.argv[1:])
print(kernel("hopper", "sm_90a", ["K", "V"], changes) + kernel("ampere", "sm_80", [], {}))
