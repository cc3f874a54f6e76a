// LLVM's optimiser runs unless it is told not to, but for sm_90a only where it
// is asked for.

// RUN: fa-translate %s --emit=ptx --target=sm_80 | FileCheck %s --check-prefix=OPT
// RUN: fa-translate %s --emit=ptx --target=sm_80 --llvm-opt=0 | FileCheck %s --check-prefix=PLAIN
// RUN: fa-translate %s --emit=ptx --target=sm_90a | FileCheck %s --check-prefix=PLAIN
// RUN: fa-translate %s --emit=ptx --target=sm_90a --llvm-opt=3 | FileCheck %s --check-prefix=OPT

// PLAIN: call
// OPT-NOT: call
// OPT: st.global

llvm.func internal @square(%x: f32) -> f32 {
  %y = llvm.fmul %x, %x : f32
  llvm.return %y : f32
}
llvm.func @f(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %y = llvm.call @square(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}
