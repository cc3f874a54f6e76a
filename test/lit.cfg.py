# ===- lit.cfg.py - How the tests are run -------------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tools are named plainly in RUN lines and found in the build's bin/ and LLVM's.
# Substitutions: %python (with NumPy), %inputs (test/Inputs), %fa_src_root,
# %fa_bench (a script: %python %fa_bench).
# %lower_rows prints test/Target/Inputs/rows.mlir in the LLVM and NVVM dialects.
# %fake_cuda before a tool gives it a CUDA driver without a GPU (test/FakeCuda),
# %fake_torch such a driver and a PyTorch (test/FakeTorch).
# Features, for REQUIRES: cuda (a driver with a device), ptxas, avx512f, asan.
#
# ===-------------------------------------------------------------------------===#

import ctypes
import os
import pathlib
import shutil

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "fa"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Install", "FakeTorch"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fa_obj_root, "test")

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%inputs", os.path.join(config.test_source_root, "Inputs")))
config.substitutions.append(("%fa_src_root", config.fa_src_root))
config.substitutions.append(("%fa_bench", os.path.join(config.fa_tools_dir, "fa-bench")))
config.substitutions.append(
    (
        "%lower_rows",
        "mlir-opt -allow-unregistered-dialect -arith-expand -convert-scf-to-cf "
        "-convert-gpu-to-nvvm -reconcile-unrealized-casts "
        + os.path.join(config.test_source_root, "Target", "Inputs", "rows.mlir"),
    )
)
config.substitutions.append(
    ("%fake_cuda", "env LD_LIBRARY_PATH=" + os.path.join(config.fa_obj_root, "fake-cuda"))
)
config.substitutions.append(
    (
        "%fake_torch",
        "%fake_cuda env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="
        + os.path.join(config.test_source_root, "FakeTorch"),
    )
)
config.recursiveExpansionLimit = 2

llvm_config.use_default_substitutions()  # FileCheck, not, count
llvm_config.with_environment("PATH", config.fa_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
# A variable of FileCheck belongs to the function (CHECK-LABEL) that binds it.
llvm_config.with_environment("FILECHECK_OPTS", "--enable-var-scope --allow-unused-prefixes=false")
llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "TMPDIR", "LD_LIBRARY_PATH"])
for variable, value in (("FA_BUILD_DIR", config.fa_obj_root), ("FA_PYTHON", config.python)):
    config.environment[variable] = value

llvm_config.add_tool_substitutions(
    [
        ToolSubst(name, unresolved="ignore")
        for name in (
            "fa-opt",
            "fa-translate",
            "fa-run",
            "fa-io",
            "fa-launch",
            "fa-reduce",
            "fa-lsp-server",
            "mlir-opt",
            "split-file",
        )
    ],
    [config.fa_tools_dir, config.llvm_tools_dir],
)


def has_cuda_device():
    """Whether a CUDA driver is there that finds at least one device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int(0)
        return (
            driver.cuInit(0) == 0
            and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
            and count.value > 0
        )
    except (OSError, AttributeError):
        return False


def cpu_flags():
    """The features of this machine's CPU, as Linux names them."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    for line in text.splitlines():
        if line.startswith(("flags", "Features")):
            return set(line.partition(":")[2].split())
    return set()


if has_cuda_device():
    config.available_features.add("cuda")
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
for flag in {"avx2", "avx512f"} & cpu_flags():
    config.available_features.add(flag)
if "address" in config.fa_sanitizers:
    config.available_features.add("asan")
