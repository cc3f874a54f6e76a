# ===- bad-manifests.py - Manifests with one wrong field each -----------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: bad-manifests.py <folder for files> <fa-launch>
#
# Each change of a good manifest has to give exactly one line on stderr, the
# error that is stated here, and exit code 1. Prints what is different.
#
# ===-------------------------------------------------------------------------===#

import copy
import json
import pathlib
import subprocess
import sys

MISSING = object()
MEMREFS = [{"kind": "memref", "tensor": name} for name in ("Q", "K", "V", "O", "LSE")]
MAP = {
    "kind": "tensor_map",
    "tensor": "K",
    "swizzle": 128,
    "box": [64, 128],
    "dims": [{"size": 64}, {"size": "rows", "stride": "rows"}],
}
GOOD = {
    "format": 1,
    "name": "attention",
    "problem": {"dtype": "bf16", "head_dim": 64, "mask": "window:3,0", "scale": 1},
    "kernels": [
        {
            "entry": "attention",
            "target": "sm_90a",
            "ptx": "attention.ptx",
            "guards": {"pointer_alignment": 16},
            "arguments": MEMREFS + [MAP],
            "block": 384,
            "query_tile": 128,
            "sram_bytes": 65536,
            "registers": None,
        }
    ],
}
NUMBER = {"kind": "number", "argument": 6, "dtype": "i32"}
TABLE = {"kind": "table", "argument": 5, "dtype": "f32", "shape": [8, None]}
K, A, D = ["kernels", 0], ["kernels", 0, "arguments", 5], ["kernels", 0, "arguments", 5, "dims"]
H = K + ["hbm_bytes"]

CASES = [
    (["format"], 2, "format: expected 1, the only format that this program knows, but got 2"),
    (["format"], "1", "format: expected an integer from 0 to 9223372036854775807 but got \"1\""),
    (["name"], "", "name: expected a string that is not empty but got \"\""),
    (["problem"], MISSING, "problem: expected an object but there is no such field"),
    (["problem"], [], "problem: expected an object but got []"),
    (["problem", "dtype"], "f64", "problem.dtype: expected f32, f16 or bf16 but got \"f64\""),
    (["problem", "head_dim"], 0, "problem.head_dim: expected an integer from 1 to 9223372036854775807 but got 0"),
    (["problem", "head_dim"], 1e3, "problem.head_dim: expected an integer from 1 to 9223372036854775807 but got 1000.0"),
    (["problem", "head_dim_v"], 2**63, "problem.head_dim_v: expected an integer from 1 to 9223372036854775807 but got 9223372036854775808"),
    (["problem", "mask"], "window:3", "problem.mask: expected none, causal, causal-top-left or window:L,R but got \"window:3\""),
    (["problem", "mask"], "window:3,-1", "problem.mask: expected none, causal, causal-top-left or window:L,R but got \"window:3,-1\""),
    (["problem", "scale"], "1", "problem.scale: expected a finite number but got \"1\""),
    (["problem", "scale"], MISSING, "problem.scale: expected a finite number but there is no such field"),
    (["problem", "score_region"], 1, "problem.score_region: expected true or false but got 1"),
    (["problem", "tf32"], "yes", "problem.tf32: expected true or false but got \"yes\""),
    (["problem", "seq_q"], -1, "problem.seq_q: expected an integer from 1 to 9223372036854775807 but got -1"),
    (["kernels"], [], "kernels: expected an array with at least one element but got []"),
    (["kernels"], {}, "kernels: expected an array with at least one element but got {}"),
    (K, 3, "kernels[0]: expected an object but got 3"),
    (K + ["entry"], MISSING, "kernels[0].entry: expected a string that is not empty but there is no such field"),
    (K + ["target"], "gfx90a", "kernels[0].target: expected a processor such as sm_80 or sm_90a but got \"gfx90a\""),
    (K + ["target"], "sm_90aa", "kernels[0].target: expected a processor such as sm_80 or sm_90a but got \"sm_90aa\""),
    (K + ["target"], "sm_99999999999999999999", "kernels[0].target: expected a processor such as sm_80 or sm_90a but got \"sm_99999999999999999999\""),
    (K + ["ptx"], None, "kernels[0].ptx: expected a string that is not empty but got null"),
    (K + ["guards", "pointer_alignment"], 0, "kernels[0].guards.pointer_alignment: expected an integer from 1 to 4096 but got 0"),
    (K + ["guards", "full_moon"], 1, "kernels[0].guards: unknown field 'full_moon'; expected pointer_alignment, stride_alignment, max_seq_kv"),
    (K + ["guards", "max_seq_kv"], 0, "kernels[0].guards.max_seq_kv: expected an integer from 1 to 9223372036854775807 but got 0"),
    (K + ["arguments"], MISSING, "kernels[0].arguments: expected an array with at least one element but there is no such field"),
    (K + ["arguments", 0, "kind"], "pointer", "kernels[0].arguments[0].kind: expected memref, tensor_map, table, number or counter but got \"pointer\""),
    (K + ["arguments", 0, "tensor"], "W", "kernels[0].arguments[0].tensor: expected Q, K, V, O, LSE, S, P or l but got \"W\""),
    (K + ["arguments", 0, "swizzle"], 128, "kernels[0].arguments[0]: unknown field 'swizzle'; expected kind, tensor"),
    (A, {"kind": "counter", "tensor": "Q"}, "kernels[0].arguments[5]: unknown field 'tensor'; expected kind"),
    (A, NUMBER | {"argument": -1}, "kernels[0].arguments[5].argument: expected an integer from 0 to 1000 but got -1"),
    (A, NUMBER | {"dtype": "i1"}, "kernels[0].arguments[5].dtype: expected f32, f16, bf16, i32 or i64 but got \"i1\""),
    (A, NUMBER | {"shape": []}, "kernels[0].arguments[5]: unknown field 'shape'; expected kind, argument, dtype"),
    (A, TABLE | {"dtype": "f64"}, "kernels[0].arguments[5].dtype: expected f32, f16, bf16, i1, i32 or i64 but got \"f64\""),
    (A, TABLE | {"shape": [-1]}, "kernels[0].arguments[5].shape[0]: expected an integer from 0 to 9223372036854775807 but got -1"),
    (A, TABLE | {"shape": None}, "kernels[0].arguments[5].shape: expected an array but got null"),
    (A, TABLE | {"shape": [1] * 9}, "kernels[0].arguments[5].shape: expected at most 8 dimensions"),
    (A + ["tensor"], "LSE", "kernels[0].arguments[5].tensor: expected Q, K, V or O for a tensor map but got \"LSE\""),
    (A + ["swizzle"], 48, "kernels[0].arguments[5].swizzle: expected 0, 32, 64 or 128 but got 48"),
    (A + ["dims"], [{"size": 1, "stride": 16}] * 6, "kernels[0].arguments[5].dims: expected at most 5 dimensions"),
    (D + [0, "stride"], 16, "kernels[0].arguments[5].dims: expected the stride of the first dimension to be 2, the size of an element, but got"),
    (D + [1, "stride"], MISSING, "kernels[0].arguments[5].dims[1].stride: expected an integer from 1 to 9223372036854775807 but there is no such field"),
    (D + [1, "size"], "columns", "kernels[0].arguments[5].dims[1].size: expected an integer, batch, heads or rows but got \"columns\""),
    (A + ["box"], [64], "kernels[0].arguments[5].box: expected one extent for each of the 2 dimensions but got [64]"),
    (A + ["box"], [64, 257], "kernels[0].arguments[5].box[1]: expected an integer from 1 to 256 but got 257"),
    (A + ["box"], [128, 8], "kernels[0].arguments[5].box: expected the first extent to be a multiple of 16 bytes that is no wider than the swizzle but got [128,8]"),
    (A + ["box"], [12, 8], "kernels[0].arguments[5].box: expected the first extent to be a multiple of 16 bytes that is no wider than the swizzle but got [12,8]"),
    (A, MAP | {"swizzle": 32}, "kernels[0].arguments[5].box: expected the first extent to be a multiple of 16 bytes that is no wider than the swizzle but got [64,128]"),
    (K + ["block"], 2048, "kernels[0].block: expected an integer from 1 to 1024 but got 2048"),
    (K + ["query_tile"], 1.5, "kernels[0].query_tile: expected an integer from 1 to 1048576 but got 1.5"),
    (K + ["resident_blocks"], 0, "kernels[0].resident_blocks: expected an integer from 1 to 32 but got 0"),
    (K + ["resident_blocks"], 33, "kernels[0].resident_blocks: expected an integer from 1 to 32 but got 33"),
    (K + ["resident_blocks"], 1, "kernels[0].resident_blocks: expected a kernel with a counter among its arguments but got 1"),
    (K + ["sram_bytes"], True, "kernels[0].sram_bytes: expected an integer from 0 to 16777216 but got true"),
    (K + ["registers"], 256, "kernels[0].registers: expected an integer from 1 to 255 but got 256"),
    (K + ["next"], "attention", "kernels[0].next: expected the entry of a later kernel but got \"attention\""),
    (H, "many", "kernels[0].hbm_bytes: expected an object but got \"many\""),
    (H, {"read": "1"}, "kernels[0].hbm_bytes.written: expected a formula but there is no such field"),
    (H, {"read": 1, "written": "1"}, "kernels[0].hbm_bytes.read: expected a formula but got 1"),
    (H, {"read": "1", "written": "1", "spilt": "1"}, "kernels[0].hbm_bytes: unknown field 'spilt'; expected read, written"),
    *(
        (H, {"read": "1", "written": text}, f"kernels[0].hbm_bytes.written: expected {error}")
        for text, error in (
            ("1 +", "a formula (expected a number, a name or a parenthesis at character 4 of the formula '1 +')"),
            ("2 seq_q", "a formula (expected an operator or the end at character 3 of the formula '2 seq_q')"),
            ("min(1; 2)", "a formula (expected ',' at character 6 of the formula 'min(1; 2)')"),
            ("sum(2 < seq_q, 1)", "a formula (expected a name at character 5 of the formula 'sum(2 < seq_q, 1)')"),
            ("log(seq_q)", "a formula (expected min, max, floordiv, ceildiv, if or sum before a parenthesis at character 1 of"),
            ("9" * 30, "a formula (expected a number of at most 63 bits at character 1 of"),
            ("(" * 5000, "a formula (expected at most 100 parentheses in each other at character 101 of"),
            ("bytes", "a formula of batch, heads, kv_heads, seq_q and seq_kv (expected a value for 'bytes')"),
            ("floordiv(1, seq_q - seq_kv)", "a formula of batch, heads, kv_heads, seq_q and seq_kv (expected a positive divisor but got 0)"),
            ("sum(i < seq_q, i * 9223372036854775807)", "a formula of batch, heads, kv_heads, seq_q and seq_kv (the result overflows 64 bits)"),
            ("sum(i < seq_q, 4000000000000000000 + i)", "a formula of batch, heads, kv_heads, seq_q and seq_kv (the sum over 'i' overflows 64 bits)"),
        )
    ),
]  # fmt: skip

# Tensor maps that the manifest allows and the call does not.
CALLS = [
    (D + [1, "size"], 2**32 + 1, [], "the tensor map of K: expected a size from 1 to 2^32 but got 4294967297"),
    (D + [1, "stride"], 24, [], "the tensor map of K: expected strides that are multiples of 16 bytes from 16 to 2^40 but got 24"),
    (["format"], 1, ["--offset=1"], "expected Q to be aligned to 16 bytes"),
    (K + ["guards"], {"stride_alignment": 32}, ["--layout=bshd", "--pad-strides=8"], "expected the strides of Q to be multiples of 32 bytes but one is 144"),
    (K + ["guards"], {}, ["--offset=1"], "the tensor map of K: expected an address that is a multiple of 16"),
    (A, NUMBER, [], "argument 6, a number of i32, has no value; expected --arg=6:VALUE"),
    (A, NUMBER, ["--arg=6"], "--arg: expected N:FILE.npy or N:NUMBER but got '6'"),
    (A, NUMBER, ["--arg=6:"], "--arg: expected N:FILE.npy or N:NUMBER but got '6:'"),
    (A, NUMBER, ["--arg=5:1"], "--arg=5: expected the number of an argument of the package besides Q, K, V, O and LSE"),
    (A, NUMBER, ["--arg=6:1", "--arg=6:1"], "--arg=6: given more than once"),
    (A, NUMBER, ["--arg=6:2147483648"], "--arg=6: expected a number of type i32 but got '2147483648'"),
    (A, NUMBER | {"dtype": "f16"}, ["--arg=6:1x"], "--arg=6: expected a number of type f16 but got '1x'"),
    (A, TABLE, ["--arg=5:none.npy"], "cannot read 'none.npy': No such file or directory"),
    (A, TABLE, ["--arg=5:TABLE"], "--arg=5: expected an array that fits argument 5, a table of f32 of shape 8x?, but the shape is 4x2"),
    (["kernels"], [GOOD["kernels"][0] | {"target": "sm_80", "guards": {"pointer_alignment": 4096}}, GOOD["kernels"][0] | {"arguments": MEMREFS + [NUMBER]}], ["--offset=8"], "expected the tables and numbers of the first kernel but there is argument 6, a number of i32"),
    (["problem", "seq_q"], 2, ["--seq-q=3"], "seq-q is 3 according to --seq-q but 2 according to"),
]  # fmt: skip

TEXTS = [
    ("", "parse error at line 1, column 1"),
    ("{", "parse error at line 1, column 2"),
    ('{"format": 1,\n "name": tru}', "parse error at line 2"),
    ("[" * 100000, "parse error at line 1"),
    ("[1]", "expected an object but got [1]"),
    ("\0\1\2", "parse error at line 1"),
    ('{"format": 1, "name": "\xff"}', "parse error"),
]


def change(manifest, path, value):
    manifest = copy.deepcopy(manifest)
    *parents, last = path
    place = manifest
    for key in parents:
        place = place[key]
    if value is MISSING:
        del place[last]
    else:
        place[last] = value
    return json.dumps(manifest)


def main():
    folder, tool = pathlib.Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "manifest.json"
    wrong = 0

    def run(text, flags):
        path.write_bytes(text.encode("latin-1"))
        return subprocess.run(
            [tool, path, "--dry-run", *(flag.replace("TABLE", str(table)) for flag in flags)], capture_output=True, text=True, errors="replace", timeout=60
        )

    table = folder / "table.npy"
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }"
    table.write_bytes(b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header + bytes(32))
    assert run(json.dumps(GOOD), []).returncode == 0
    cases = [(change(GOOD, where, value), [], error) for where, value, error in CASES]
    cases += [(change(GOOD, where, value), flags, error) for where, value, flags, error in CALLS]
    cases += [(text, [], error) for text, error in TEXTS]
    for text, flags, error in cases:
        result = run(text, flags)
        lines = result.stderr.splitlines()
        if result.returncode == 1 and len(lines) == 1 and error in lines[0]:
            continue
        wrong += 1
        print(f"expected {error!r} but got {result.returncode}: {result.stderr!r}")
    for name, error in (("none.json", "No such file or directory"), (".", "Is a directory")):
        result = subprocess.run([tool, folder / name], capture_output=True, text=True)
        if result.returncode != 1 or error not in result.stderr:
            wrong += 1
            print(f"expected {error!r} but got {result.stderr!r}")
    print(f"{wrong} of {len(cases) + 2} errors are not as expected")


main()
