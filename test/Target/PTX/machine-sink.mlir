// The conversion is used in one branch only. LLVM sinks it there, unless it is
// told not to; the option holds for one translation.

// RUN: fa-translate %s --emit=ptx --target=sm_80 | FileCheck %s --check-prefix=SINK
// RUN: fa-translate %s --emit=ptx --target=sm_80 --machine-sink=false | FileCheck %s --check-prefix=KEEP

// SINK: @%p{{.*}} bra
// SINK: cvt.rn.bf16x2.f32
// KEEP: cvt.rn.bf16x2.f32
// KEEP: @%p{{.*}} bra

llvm.func @convert(%out: !llvm.ptr<1>, %a: f32, %b: f32, %flag: i1) attributes {nvvm.kernel} {
  %pair = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%a, %b) : (f32, f32) -> vector<2xbf16>
  llvm.cond_br %flag, ^store, ^end
^store:
  llvm.store %pair, %out : vector<2xbf16>, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return
}
