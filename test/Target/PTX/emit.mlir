// RUN: fa-translate %s --emit=ptx --target=sm_80 | FileCheck %s --check-prefixes=PTX,SM80
// RUN: fa-translate %s --emit=ptx --target=sm_89 | FileCheck %s --check-prefixes=PTX,SM89
// RUN: fa-translate %s --emit=ptx --target=sm_90a | FileCheck %s --check-prefixes=PTX,SM90A
// RUN: fa-translate %s --emit=ptx --target=sm_100 | FileCheck %s --check-prefixes=PTX,SM100
// RUN: fa-translate %s --emit=ptx --target=sm_120 | FileCheck %s --check-prefixes=PTX,SM120
// RUN: fa-translate %s --emit=ptx --target=sm_80 --ptx-version=8.3 | FileCheck %s --check-prefixes=PTX,GIVEN

// The version is the lowest that the processor and the code need.

// SM80: .version 7.1
// SM80: .target sm_80
// SM89: .version 7.8
// SM90A: .version 8.0
// SM90A: .target sm_90a
// SM100: .version 8.6
// SM120: .version 8.7
// GIVEN: .version 8.3

// PTX-LABEL: .visible .entry scale(
// PTX-NEXT: .param .u64 .ptr .global .align 1 scale_param_0,
// PTX-NEXT: .param .f32 scale_param_1
// PTX: .maxntid 64
// PTX: mov.u32 %{{.*}}, %tid.x
// PTX: ex2.approx.ftz.f32
// PTX: st.global
// PTX-NOT: .extern

llvm.func @scale(%data: !llvm.ptr<1>, %factor: f32)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 64>} {
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %address = llvm.getelementptr %data[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %address : !llvm.ptr<1> -> f32
  %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%x) : (f32) -> f32
  %z = llvm.fmul %y, %factor : f32
  llvm.store %z, %address : f32, !llvm.ptr<1>
  llvm.return
}
