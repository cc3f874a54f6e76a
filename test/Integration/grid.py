# ===- grid.py - The grid of problems that the kernels must get right ---------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: grid.py <part> <folder>
#
# Writes <folder>/suite.json for `fa-run --suite`, and the .mlir and .npy files
# that it names. A part is a function below that yields cases; the lengths are
# the same everywhere. Kernels are compiled once for all lengths, so a row of
# GRID costs one compilation for each product of its lists, and lengths are
# nearly free. Parts from configurations.py are `sample` and `full`. On a GPU
# (scripts/full-grid) tiles are larger, and there are these parts: `gpu-forward`,
# the rows of GRID that a GPU takes; `gpu-full`; and `gpu-strides`, the sample on
# views of buffers.
#
# ===-------------------------------------------------------------------------===#

import itertools
import json
import pathlib
import sys

import configurations
import numpy as np

DTYPES = ("f32", "f16", "bf16")
HEAD_DIMS = (16, 64, 72, 100, 128, 256)

# (queries, keys): from 1 up, no multiple of a tile, shorter and longer than the
# other. With a bottom-right mask the first rows of (70, 33) see no key, with a
# window all rows of (3, 150) but some see the middle of the keys.
LENGTHS = ((1, 1), (1, 37), (5, 2), (70, 33), (3, 150), (131, 131), (97, 259))

# Heads on key/value heads, batch, layout: one after the other over the lengths.
HEADS = (
    {"batch": 1, "heads": 2, "kv-heads": 2},
    {"batch": 2, "heads": 9, "kv-heads": 3},
    {"batch": 2, "heads": 4, "kv-heads": 2, "layout": "bshd"},
)

# And for gradients, which sum over the query heads of a key/value head.
BACKWARD_HEADS = ({"batch": 1, "heads": 7, "kv-heads": 1},)

# On a GPU: lengths of several of its tiles. Tensors with gaps between rows, bases
# of their own, and runs that are compared bit by bit take turns with the heads.
GPU_LENGTHS = LENGTHS + ((521, 777), (640, 384))
GPU_HEADS = HEADS + (
    {"batch": 1, "heads": 12, "kv-heads": 2, "repeat": 2},
    {"batch": 2, "heads": 7, "kv-heads": 1, "pad-strides": 8, "offset": 8},
)

# Views that only narrower copies can read, by elements and by two of them; and one
# K and V for all.
GPU_VIEWS = (
    {"pad-strides": 3, "offset": 1},
    {"pad-strides": 2, "offset": 2, "layout": "bshd"},
    {"shared-keys": True},
)

# One row: what is varied. Keys are flags of fa-run, but for a region, and the
# factor of the inputs.
GRID = {
    "head-dims": [
        {"dtype": DTYPES, "head-dim": HEAD_DIMS},
    ],
    "head-dims-v": [
        {"dtype": ("f32", "bf16"), "head-dim": 64, "head-dim-v": (32, 100)},
        {"dtype": ("f16", "f32"), "head-dim": 16, "head-dim-v": 128},
        {"dtype": "bf16", "head-dim": 100, "head-dim-v": 1},
        {"dtype": "f32", "head-dim": 1, "head-dim-v": 3},
    ],
    "masks": [
        {"dtype": DTYPES, "head-dim": 64, "mask": "causal"},
        {"dtype": "f32", "head-dim": 72, "mask": ("causal-top-left", "window:5,3")},
        {"dtype": "f16", "head-dim": 16, "mask": ("window:0,0", "window:40,0")},
        {"dtype": "bf16", "head-dim": 100, "mask": ("causal-top-left", "window:0,1000")},
        {"dtype": "f32", "head-dim": 16, "mask": "window:1000000,70"},
    ],
    "levels": [
        {"level": ("naive", "nest"), "dtype": DTYPES, "head-dim": (64, 72)},
        {
            "level": ("naive", "nest"),
            "dtype": ("f32", "bf16"),
            "head-dim": 16,
            "mask": ("causal", "window:9,4"),
        },
    ],
    # Scales that make softmax sharp, flat, or turn it around.
    "scales": [
        {"dtype": ("f32", "f16"), "head-dim": 16, "scale": (3, 0, -0.5), "mask": "causal"},
        {"level": ("naive", "nest"), "head-dim": 16, "scale": -0.5},
    ],
    "tiles": [
        {"head-dim": 16, "br": (8, 32), "bc": (16, 64), "mask": ("none", "causal")},
        {"head-dim": 72, "br": 64, "bc": 32, "dtype": "f16", "mask": "window:20,10"},
    ],
    "regions": [
        {"region": "softcap", "level": ("naive", "nest", "fused"), "head-dim": 64},
        {"region": "softcap", "dtype": ("f16", "bf16"), "head-dim": 72, "mask": "causal"},
        {"region": "prefix", "level": ("naive", "nest", "fused"), "head-dim": 64},
        {"region": "prefix", "dtype": "bf16", "head-dim": 16, "mask": "window:50,50"},
        {"region": "alibi", "level": ("naive", "nest", "fused"), "head-dim": 16},
        {"region": "constants", "level": ("naive", "nest", "fused"), "head-dim": 16},
        {"region": "documents", "level": ("naive", "fused"), "head-dim": 16, "mask": "causal"},
        {"region": "padding", "level": ("naive", "fused"), "dtype": "f16", "head-dim": 16},
        {"region": "bias", "level": ("naive", "fused"), "dtype": "bf16", "head-dim": 64},
    ],
    # Gradients. The design of the schedule that is not chosen is in
    # backward-designs.
    "backward-head-dims": [
        {"backward": True, "head-dim": (16, 64, 72, 104, 136, 160, 256)},
        {"backward": True, "dtype": "f16", "head-dim": (64, 104)},
        {"backward": True, "dtype": "bf16", "head-dim": (72, 136)},
        {"backward": True, "dtype": ("f32", "bf16"), "head-dim": 64, "head-dim-v": (32, 100)},
        {"backward": True, "dtype": "f16", "head-dim": 16, "head-dim-v": 128},
        {"backward": True, "head-dim": 1, "head-dim-v": 3},
    ],
    # All types at all of them: some minutes, and not part of the suite.
    "backward-full": [
        {"backward": True, "dtype": DTYPES, "head-dim": (16, 64, 72, 104, 136, 160, 256)},
    ],
    "backward-masks": [
        {"backward": True, "dtype": DTYPES, "head-dim": 64, "mask": "causal"},
        {"backward": True, "head-dim": 72, "mask": ("causal-top-left", "window:5,3")},
        {"backward": True, "dtype": "f16", "head-dim": 16, "mask": ("window:0,0", "window:40,0")},
        {"backward": True, "dtype": "bf16", "head-dim": 16, "mask": "window:1000000,70"},
    ],
    "backward-levels": [
        {"backward": True, "level": "naive", "dtype": DTYPES, "head-dim": 72, "mask": ("none", "causal")},
        {"backward": True, "level": "nest", "head-dim": 16},
        {
            "backward": True,
            "level": "naive",
            "region": ("softcap", "prefix", "constants"),
            "head-dim": 16,
        },
        {"backward": True, "level": "naive", "head-dim": 16, "scale": (3, 0, -0.5)},
    ],
    "backward-designs": [
        {
            "backward": True,
            "design": ("two_pass", "one_pass"),
            "dtype": ("f32", "bf16"),
            "head-dim": 72,
            "mask": ("causal", "window:9,4"),
        },
        {
            "backward": True,
            "design": ("two_pass", "one_pass"),
            "head-dim": 16,
            "br": 8,
            "bc": (16, 64),
            "mask": "causal",
        },
        {"backward": True, "design": "one_pass", "splits": (1, 3), "head-dim": 16},
        {"backward": True, "design": ("two_pass", "one_pass"), "region": "constants", "head-dim": 16},
    ],
    "backward-scales": [
        {"backward": True, "dtype": ("f32", "f16"), "head-dim": 16, "scale": (3, 0, -0.5)},
        # Inputs times 3.
        {"backward": True, "dtype": DTYPES, "head-dim": 64, "inputs": 3, "mask": "causal"},
    ],
    "backward-regions": [
        {"backward": True, "region": ("softcap", "prefix", "alibi"), "head-dim": 64},
        {"backward": True, "region": "softcap", "dtype": "f16", "head-dim": 72, "mask": "causal"},
        {"backward": True, "region": "low", "dtype": "bf16", "head-dim": 72, "mask": "causal"},
        {"backward": True, "region": ("affine", "relative", "low", "cut", "lse"), "head-dim": 16},
        {"backward": True, "region": ("prefix", "constants"), "dtype": "bf16", "head-dim": 16, "mask": "window:50,50"},
    ],
    # Masks that the compiler can bound.
    "bounds": [
        {"region": ("around", "lengths", "chunks", "heads", "late"), "head-dim": 16},
        {"region": ("around", "heads"), "head-dim": 16, "br": 8, "bc": 16, "mask": "causal"},
    ],
    # What every GPU road takes.
    "gpu": [
        {"dtype": ("f16", "bf16"), "head-dim": (64, 72, 128), "mask": ("none", "causal")},
        {"dtype": "bf16", "head-dim": (16, 64), "mask": "window:40,3"},
        {"region": "softcap", "dtype": "bf16", "head-dim": (64, 128), "mask": "causal"},
        {"region": "alibi", "dtype": "f16", "head-dim": (64, 128)},
        {"region": "documents", "dtype": "bf16", "head-dim": (64, 128), "mask": "causal"},
        {"region": "padding", "dtype": "f16", "head-dim": 64},
        {"region": "bias", "dtype": "bf16", "head-dim": (64, 128)},
        {"region": "prefix", "dtype": "f16", "head-dim": (64, 128)},
        {"region": "constants", "dtype": "bf16", "head-dim": 64},
        {"region": ("around", "lengths", "chunks", "heads", "late"), "dtype": "f16", "head-dim": 64},
    ],
}

# Regions of fa.attention, the arguments of the function that they read, and
# what comes before the op.
REGIONS = {
    # Scores are held between -cap and cap, as in Gemma 2.
    "softcap": {
        "arguments": [("%cap: f32", "2.5")],
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %x = arith.divf %s, %cap : f32
          %t = math.tanh %x : f32
          %y = arith.mulf %t, %cap : f32
          fa.yield %y : f32
        }""",
    },
    # All queries see the first keys; the rest is causal within every other
    # head, and hidden in the others. Query 2 sees nothing.
    "prefix": {
        "arguments": [("%prefix: index", "4")],
        "before": "%two = arith.constant 2 : index",
        "regions": """
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %zero = arith.constant 0 : index
          %early = arith.cmpi ult, %j, %prefix : index
          %past = arith.cmpi sle, %j, %i : index
          %parity = arith.remui %h, %two : index
          %even = arith.cmpi eq, %parity, %zero : index
          %causal = arith.andi %past, %even : i1
          %visible = arith.ori %early, %causal : i1
          %other = arith.cmpi ne, %i, %two : index
          %yes = arith.andi %visible, %other : i1
          fa.yield %yes : i1
        }""",
    },
    # A slope for each head, from a table.
    "alibi": {
        "arguments": [("%slopes: tensor<?xf32>", "slopes.npy")],
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %slope = tensor.extract %slopes[%h] : tensor<?xf32>
          %d = arith.subi %j, %i : index
          %n = arith.index_cast %d : index to i64
          %a = math.absi %n : i64
          %f = arith.sitofp %a : i64 to f32
          %bias = arith.mulf %slope, %f : f32
          %y = arith.subf %s, %bias : f32
          fa.yield %y : f32
        }""",
    },
    # Only keys of the query's own document.
    "documents": {
        "arguments": [("%ids: tensor<?x?xi64>", "ids.npy")],
        "regions": """
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %mine = tensor.extract %ids[%b, %i] : tensor<?x?xi64>
          %its = tensor.extract %ids[%b, %j] : tensor<?x?xi64>
          %yes = arith.cmpi eq, %mine, %its : i64
          fa.yield %yes : i1
        }""",
    },
    # Keys that a caller hides, and a factor that the caller gives.
    "padding": {
        "arguments": [("%visible: tensor<?x?xi1>", "visible.npy"), ("%x: f16", "0.5")],
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %wide = arith.extf %x : f16 to f32
          %y = arith.mulf %s, %wide : f32
          fa.yield %y : f32
        }
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %yes = tensor.extract %visible[%b, %j] : tensor<?x?xi1>
          fa.yield %yes : i1
        }""",
    },
    # A bias for each position, shared by the batches.
    "bias": {
        "arguments": [("%bias: tensor<?x?x?xf16>", "bias.npy")],
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %narrow = tensor.extract %bias[%h, %i, %j] : tensor<?x?x?xf16>
          %bias_ij = arith.extf %narrow : f16 to f32
          %y = arith.addf %s, %bias_ij : f32
          fa.yield %y : f32
        }""",
    },
    # A window that the caller gives, of which one side may be empty.
    "around": {
        "arguments": [("%left: index", "20"), ("%right: i64", "-3")],
        "regions": """
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %first = arith.subi %i, %left : index
          %a = arith.cmpi sge, %j, %first : index
          %wide_i = arith.index_cast %i : index to i64
          %wide_j = arith.index_cast %j : index to i64
          %d = arith.subi %wide_j, %wide_i : i64
          %c = arith.cmpi sle, %d, %right : i64
          %yes = arith.andi %a, %c : i1
          fa.yield %yes : i1
        }""",
    },
    # A prefix, none in one batch and more than all keys in the other, and causal.
    "lengths": {
        "arguments": [("%lengths: tensor<?xi64>", "lengths.npy")],
        "regions": """
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %n = tensor.extract %lengths[%b] : tensor<?xi64>
          %length = arith.index_cast %n : i64 to index
          %early = arith.cmpi slt, %j, %length : index
          %past = arith.cmpi sle, %j, %i : index
          %yes = arith.ori %early, %past : i1
          fa.yield %yes : i1
        }""",
    },
    # Chunks of 40 keys, and a causal mask in them.
    "chunks": {
        "arguments": [],
        "regions": """
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %size = arith.constant 40 : index
          %mine = arith.divui %i, %size : index
          %its = arith.divui %j, %size : index
          %same = arith.cmpi eq, %mine, %its : index
          %past = arith.cmpi sge, %i, %j : index
          %yes = arith.andi %same, %past : i1
          fa.yield %yes : i1
        }""",
    },
    # A window in the first head, all keys in the others.
    "heads": {
        "arguments": [],
        "regions": """
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %zero = arith.constant 0 : index
          %ten = arith.constant 10 : index
          %other = arith.cmpi ne, %h, %zero : index
          %d = arith.subi %i, %j : index
          %near = arith.cmpi slt, %d, %ten : index
          %yes = arith.ori %other, %near : i1
          fa.yield %yes : i1
        }""",
    },
    # Only keys after the query: none for the last queries.
    "late": {
        "arguments": [("%n: index", "9223372036854775807")],
        "regions": """
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %true = arith.constant true
          %past = arith.cmpi sle, %j, %i : index
          %later = arith.xori %past, %true : i1
          %before = arith.cmpi slt, %j, %n : index
          %yes = arith.andi %later, %before : i1
          fa.yield %yes : i1
        }""",
    },
    # Both regions, integers of several widths, a select, a table of constants.
    "constants": {
        "arguments": [],
        "before": "%table = arith.constant dense<[0.5, -1.0, 0.25, 0.0]> : tensor<4xf32>",
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %three = arith.constant 3 : index
          %k = arith.andi %j, %three : index
          %bias = tensor.extract %table[%k] : tensor<4xf32>
          %y = arith.addf %s, %bias : f32
          %zero = arith.constant 0.0 : f32
          %positive = arith.cmpf ogt, %y, %zero : f32
          %q = arith.mulf %y, %y : f32
          %z = arith.select %positive, %y, %q : f32
          fa.yield %z : f32
        }
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %sum = arith.addi %i, %j : index
          %narrow = arith.index_cast %sum : index to i32
          %five = arith.constant 5 : i32
          %rest = arith.remsi %narrow, %five : i32
          %none = arith.constant 0 : i32
          %yes = arith.cmpi ne, %rest, %none : i32
          fa.yield %yes : i1
        }""",
    },
}

REGIONS |= {
    # LSE of about -200, whose exponential is 0 in f32.
    "low": {
        "arguments": [],
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %shift = arith.constant -200.0 : f32
          %y = arith.addf %s, %shift : f32
          fa.yield %y : f32
        }""",
    },
    "affine": {
        "arguments": [("%a: f32", "-1.5"), ("%c: f32", "0.5")],
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %y = math.fma %s, %a, %c : f32
          fa.yield %y : f32
        }""",
    },
    # A factor and an offset by distance, as T5 and its relatives have.
    "relative": {
        "arguments": [("%table: tensor<?xf32>", "slopes.npy")],
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %eight = arith.constant 8 : index
          %d = arith.subi %j, %i : index
          %a = math.absi %d : index
          %k = arith.minui %a, %eight : index
          %bias = tensor.extract %table[%k] : tensor<?xf32>
          %p = arith.mulf %s, %bias : f32
          %y = arith.addf %p, %bias : f32
          fa.yield %y : f32
        }""",
    },
    # The derivative of a hidden score is not finite: log of what is not
    # positive is -inf or NaN, and the latter is hidden by the other region.
    "cut": {
        "arguments": [],
        "regions": """
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %zero = arith.constant 0.0 : f32
          %x = arith.maximumf %s, %zero : f32
          %y = math.log %x : f32
          fa.yield %y : f32
        }
        where {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %three = arith.constant 3 : index
          %yes = arith.cmpi uge, %j, %three : index
          fa.yield %yes : i1
        }""",
    },
    # With a gradient of LSE: a backward problem written by hand.
    "lse": {"arguments": [], "regions": "", "lse-grad": True},
}

MASKS = {
    "none": "",
    "causal": "mask = #fa.mask<causal>",
    "window:50,50": "mask = #fa.mask<window, left = 50, right = 50>",
}


def write_region(folder, case):
    """Writes the .mlir file of a case with a region; returns flags for it."""
    dtype, dim, mask = case.get("dtype", "f32"), case["head-dim"], case.pop("mask", "none")
    region = REGIONS[case.pop("region")]
    tensor, lse = f"tensor<?x?x?x{dim}x{dtype}>", "tensor<?x?x?xf32>"
    arguments = [f"%{name}: {tensor}" for name in "QKVO"] + [f"%LSE: {lse}"]
    arguments += [argument for argument, _ in region["arguments"]]
    text = f"""
func.func @attention({", ".join(arguments)}) -> ({tensor}, {lse}) {{
  {region.get("before", "")}
  %r:2 = fa.attention ins(%Q, %K, %V : {tensor}, {tensor}, {tensor})
      outs(%O, %LSE : {tensor}, {lse}) {MASKS[mask]}{region["regions"]}
      -> {tensor}, {lse}
  return %r#0, %r#1 : {tensor}, {lse}
}}
"""
    if "lse-grad" in region:
        gradients = [f"%d{name}: {tensor}" for name in "QKV"]
        arguments[4:] = [f"%dO: {tensor}", f"%LSE: {lse}", f"%dLSE: {lse}"] + gradients
        text = f"""
func.func @attention({", ".join(arguments)}) -> ({tensor}, {tensor}, {tensor}) {{
  %r:3 = fa.attention_backward
      ins(%Q, %K, %V, %O, %dO, %LSE, %dLSE : {", ".join([tensor] * 5 + [lse] * 2)})
      outs(%dQ, %dK, %dV : {", ".join([tensor] * 3)}) {MASKS[mask]}
      -> {tensor}, {tensor}, {tensor}
  return %r#0, %r#1, %r#2 : {tensor}, {tensor}, {tensor}
}}
"""
    path = folder / (case["name"].replace(" ", "-").replace(":", "-") + ".mlir")
    path.write_text(text)
    case["input"] = str(path)
    case["arg"] = [
        f"{5 + n}:{folder / value if value.endswith('.npy') else value}"
        for n, (_, value) in enumerate(region["arguments"])
    ]


def write_inputs(folder, case, factor):
    """Writes Q and K, `factor` times normal; names them in the case."""
    random = np.random.RandomState(case["seed"])
    for name, heads, length in (("q", "heads", "seq-q"), ("k", "kv-heads", "seq-kv")):
        shape = (case["batch"], case[heads], case[length], case["head-dim"])
        array = (random.standard_normal(shape) * factor).astype("<f4")
        if case["dtype"] == "f16":
            array = array.astype("<f2")
        if case["dtype"] == "bf16":
            array = (array.view("<u4") >> 16).astype("<u2")
        path = folder / (case["name"].replace(" ", "-") + f"-{case['seed']}-{name}.npy")
        np.save(path, array)
        case[name] = str(path)


def expand(row):
    """All combinations of the lists of a row."""
    lists = [value if isinstance(value, tuple) else (value,) for value in row.values()]
    for values in itertools.product(*lists):
        yield dict(zip(row.keys(), values))


# f32 on tensor cores: by rows of all kinds of sizes, and with a region.
TF32 = [
    {"dtype": "f32", "tf32": True, "head-dim": (16, 20, 64, 72, 128, 256), "mask": ("none", "causal")},
    {"dtype": "f32", "tf32": True, "head-dim": 64, "head-dim-v": (40, 100)},
    {"dtype": "f32", "tf32": True, "head-dim": 64, "mask": "window:40,3"},
    {"dtype": "f32", "tf32": True, "head-dim": 64, "region": ("softcap", "bias", "prefix")},
]


def forward_on_gpu():
    """What a GPU takes of GRID, once; the tiles are its own. Regions run on tensor
    cores, too."""
    kernels = []
    for row in itertools.chain(itertools.chain.from_iterable(GRID.values()), TF32):
        for kernel in expand(row):
            if "backward" in kernel or kernel.pop("level", "fused") != "fused" or kernel.get("head-dim-v") == 1:
                continue
            kernel = {key: value for key, value in kernel.items() if key not in ("br", "bc")}
            dtypes = ("f32", "bf16") if "region" in kernel and "tf32" not in kernel else ("f32",)
            kernels += [{"dtype": dtype} | kernel for dtype in dtypes]
    return [dict(kernel) for kernel in dict.fromkeys(tuple(sorted(kernel.items())) for kernel in kernels)]


def get_kernels(part):
    if part == "sample":
        return configurations.pairwise()
    if part == "gpu-forward":
        return forward_on_gpu()
    if part == "gpu-strides":
        return configurations.pairwise()
    if part in ("full", "gpu-full"):
        return configurations.full()
    return itertools.chain.from_iterable(map(expand, GRID[part]))


def get_runs(part, kernel, number):
    """Lengths, heads and layouts that kernel number `number` of a part runs with."""
    if part == "gpu-strides":
        runs = [{"seq-q": 131, "seq-kv": 333} | view | heads for view, heads in zip(GPU_VIEWS, GPU_HEADS)]
    elif part == "gpu-full":
        # A few of the lengths each, in turn.
        chosen = {number % 7, 6, 7 + number % 2}
        runs = [
            {"seq-q": GPU_LENGTHS[n][0], "seq-kv": GPU_LENGTHS[n][1]} | GPU_HEADS[(number + n) % len(GPU_HEADS)]
            for n in sorted(chosen)
        ]
    else:
        lengths = GPU_LENGTHS if part == "gpu-forward" else LENGTHS
        heads = GPU_HEADS if part == "gpu-forward" else HEADS
        heads += BACKWARD_HEADS if "backward" in kernel else ()
        runs = [
            {"seq-q": queries, "seq-kv": keys} | heads[n % len(heads)]
            for n, (queries, keys) in enumerate(lengths)
        ]
    limit = {"check-rows": 200} if part.startswith("gpu-") else {}
    return [run | {"seed": seed} | limit for seed, run in enumerate(runs)]


def main():
    part, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "slopes.npy", (2.0 ** -np.arange(1, 13)).astype("<f4"))
    random = np.random.default_rng(0)
    heads, queries, keys = (12, 640, 777) if part == "gpu-forward" else (9, 140, 300)
    np.save(folder / "ids.npy", np.arange(keys) // 45 + np.array([[7], [2**40]]))
    np.save(folder / "visible.npy", random.random((2, keys)) < 0.6)
    np.save(folder / "lengths.npy", np.array([-5, 10**15]))
    np.save(folder / "bias.npy", random.normal(size=(heads, queries, keys)).astype("<f2"))
    suite = []
    for number, kernel in enumerate(get_kernels(part)):
        kernel["name"] = part + "".join(f" {value}" for value in kernel.values())
        if "region" in kernel:
            write_region(folder, kernel)
        for run in get_runs(part, kernel, number):
            case = kernel | run
            if factor := case.pop("inputs", None):
                write_inputs(folder, case, factor)
            suite.append(case)
    (folder / "suite.json").write_text(json.dumps(suite, indent=1))


if __name__ == "__main__":
    main()
