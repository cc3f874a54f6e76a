// Instructions that need a higher version of PTX than their processor.

// RUN: split-file %s %t
// RUN: fa-translate %t/wgmma.mlir --emit=ptx --target=sm_90a | FileCheck %s --check-prefix=WGMMA
// RUN: fa-translate %t/cta.mlir --emit=ptx --target=sm_90a | FileCheck %s --check-prefix=CTA
// RUN: fa-translate %t/asm.mlir --emit=ptx --target=sm_90a | FileCheck %s --check-prefix=ASM
// RUN: fa-translate %t/map.mlir --emit=ptx --target=sm_80 | FileCheck %s --check-prefix=MAP

// WGMMA: .version 8.0
// WGMMA: setmaxnreg.inc.sync.aligned.u32 240
// WGMMA: wgmma.fence.sync.aligned

// CTA: .version 8.6
// CTA: .param .align 64 .b8 copy_param_0[128]
// CTA: cp.async.bulk.tensor.2d.shared::cta.global

// ASM: .version 8.6
// ASM: cp.async.bulk.shared::cta.global

// MAP: .version 7.7

//--- wgmma.mlir
llvm.func @fence() attributes {nvvm.kernel} {
  nvvm.setmaxregister increase 240
  nvvm.wgmma.fence.aligned
  llvm.return
}

//--- cta.mlir
llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @copy(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %barrier = llvm.getelementptr %smem[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %zero = llvm.mlir.constant(0 : i32) : i32
  nvvm.cp.async.bulk.tensor.shared.cluster.global %smem, %map, %barrier, box[%zero, %zero] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

//--- asm.mlir
llvm.func @copy(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %barrier: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %size = llvm.mlir.constant(128 : i32) : i32
  llvm.inline_asm has_side_effects "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r" %to, %from, %size, %barrier : (!llvm.ptr<3>, !llvm.ptr<1>, i32, !llvm.ptr<3>) -> ()
  llvm.return
}

//--- map.mlir
llvm.func @map(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
  llvm.return
}
