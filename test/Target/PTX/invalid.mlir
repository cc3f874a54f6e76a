// Everything that cannot become PTX gives one error, and LLVM's fatal errors do
// not end the process with a stack trace.

// RUN: split-file %s %t
// RUN: not fa-translate %t/kernel.mlir --emit=ptx 2>&1 | FileCheck %s --check-prefix=NO-TARGET
// NO-TARGET: fa-translate: error: --target: expected a processor such as sm_90a, since no kernel of the module has the attribute fa.kernel

// RUN: not fa-translate %t/kernel.mlir --emit=ptx --target=sm_9 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected an NVIDIA processor that LLVM knows, such as sm_80 or sm_90a, but got 'sm_9'

// RUN: not fa-translate %t/kernel.mlir --emit=ptx --target=sm_90a --ptx-version=7.8 2>&1 | FileCheck %s --check-prefix=LOW
// LOW: error: expected at least PTX version 8.0 for sm_90a but got 7.8

// RUN: not fa-translate %t/kernel.mlir --emit=ptx --target=sm_90a --ptx-version=49.9 2>&1 | FileCheck %s --check-prefix=HIGH
// HIGH: error: LLVM does not know PTX version 49.9

// RUN: not fa-translate %t/kernel.mlir --emit=ptx --target=sm_90a --ptx-version=8 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: --ptx-version: expected a version such as 8.0 but got '8'


// RUN: not fa-translate %t/two.mlir --emit=ptx --target=sm_80 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: expected one gpu.module to translate to PTX but got 2

// RUN: not fa-translate %t/foreign.mlir --emit=ptx --target=sm_80 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: {{.*}}foreign.mlir:2:8: expected only ops of the llvm and nvvm dialects in a module that becomes PTX

// RUN: not fa-translate %t/extern.mlir --emit=ptx --target=sm_80 2>&1 | FileCheck %s --check-prefix=EXTERN
// EXTERN: error: unresolved function '__nv_expf'; a kernel has to be complete

// RUN: not fa-translate %t/erf.mlir --emit=ptx --target=sm_80 2>&1 | FileCheck %s --check-prefix=ERF
// ERF: error: unresolved function 'llvm.erf.f32' in the PTX; a kernel has to be complete

// RUN: not fa-translate %t/exp.mlir --emit=ptx --target=sm_80 2>&1 | FileCheck %s --check-prefix=EXP --implicit-check-not=Stack
// EXP: error: the NVPTX back end cannot translate the module: no libcall available for fexp

// RUN: not fa-translate %t/sin.mlir --emit=ptx --target=sm_80 2>&1 | FileCheck %s --check-prefix=SIN --implicit-check-not=Stack
// SIN: error: the NVPTX back end cannot translate the module: Cannot select: f32 = fsin

// RUN: not fa-translate %t/setmaxnreg.mlir --emit=ptx --target=sm_80 2>&1 | FileCheck %s --check-prefix=SELECT --implicit-check-not=Stack
// SELECT: error: the NVPTX back end cannot translate the module: Cannot select: intrinsic %llvm.nvvm.setmaxnreg.inc.sync.aligned.u32

// Nothing is written where something failed.
// RUN: not fa-translate %t/sin.mlir --emit=ptx --target=sm_80 -o %t/out.ptx
// RUN: not ls %t/out.ptx

//--- kernel.mlir
llvm.func @f() attributes {nvvm.kernel} {
  llvm.return
}

//--- no-kernel.mlir
llvm.func @f() {
  llvm.return
}

//--- two.mlir
gpu.module @a {
  llvm.func @f() attributes {nvvm.kernel} {
    llvm.return
  }
}
gpu.module @b {
  llvm.func @f() attributes {nvvm.kernel} {
    llvm.return
  }
}

//--- foreign.mlir
llvm.func @f() attributes {nvvm.kernel} {
  %0 = arith.constant 0 : i32
  llvm.return
}

//--- extern.mlir
llvm.func @__nv_expf(f32) -> f32
llvm.func @f(%p: !llvm.ptr, %x: f32) attributes {nvvm.kernel} {
  %y = llvm.call @__nv_expf(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  llvm.return
}

//--- erf.mlir
llvm.func @llvm.erf.f32(f32) -> f32
llvm.func @f(%p: !llvm.ptr, %x: f32) attributes {nvvm.kernel} {
  %y = llvm.call @llvm.erf.f32(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  llvm.return
}

//--- exp.mlir
llvm.func @f(%p: !llvm.ptr, %x: f32) attributes {nvvm.kernel} {
  %y = llvm.intr.exp(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  llvm.return
}

//--- sin.mlir
llvm.func @f(%p: !llvm.ptr, %x: f32) attributes {nvvm.kernel} {
  %y = llvm.intr.sin(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  llvm.return
}

//--- setmaxnreg.mlir
llvm.func @f() attributes {nvvm.kernel} {
  nvvm.setmaxregister increase 240
  llvm.return
}
