// RUN: fa-opt %s --fa-finalize-kernel | FileCheck %s

// The entry, its threads, and its blocks a multiprocessor. Tensor maps, which come last, are 128 bytes that are
// passed by value and that nothing writes.

// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME: (%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64,
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK-SAME: attributes {fa.kernel = {
// CHECK-NOT: fa.schedule
// CHECK-NOT: fa.target
// CHECK-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 384>, nvvm.minctasm = 1 : i32}
llvm.func @kernel(%tensor: !llvm.ptr, %size: i64, %map: !llvm.ptr, %map2: !llvm.ptr)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "Q"}, {kind = "tensor_map", tensor = "Q"}, {kind = "tensor_map", tensor = "K"}], block = 384 : i64},
                fa.schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4>,
                fa.target = #fa.target<"sm_90a", sram = 232448>} {
  llvm.return
}

// The blocks that are to share a multiprocessor bound the registers.

// CHECK-LABEL: llvm.func @two_blocks
// CHECK-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 256>, nvvm.minctasm = 2 : i32}
llvm.func @two_blocks(%tensor: !llvm.ptr)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "Q"}], block = 256 : i64},
                fa.schedule = #fa.schedule<br = 128, bc = 64, warps = 8, blocks = 2>,
                fa.target = #fa.target<"sm_80", sram = 166912>} {
  llvm.return
}

// Other functions are left alone.

// CHECK-LABEL: llvm.func @function
// CHECK-NOT: nvvm
llvm.func @function(%tensor: !llvm.ptr) {
  llvm.return
}
