// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a table=false}))' | FileCheck %s
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a overlap=0}))' | FileCheck %s --check-prefix=NO-OVERLAP
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a pingpong=0}))' | FileCheck %s --check-prefix=NO-PINGPONG
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a lazy=0}))' | FileCheck %s --check-prefix=NO-LAZY
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a narrow=0}))' | FileCheck %s --check-prefix=NO-NARROW
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a persistent=0}))' | FileCheck %s --check-prefix=NO-PERSISTENT
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a persistent=1}))' | FileCheck %s --check-prefix=ONE-QUERY
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a lazy=1 groups=2 bc=48}))' | FileCheck %s --check-prefix=ASKED
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a groups=1}))' | FileCheck %s --check-prefix=ONE

// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a table=false}))' --remarks-filter=schedule --remark-format=emitRemark -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// What the model chooses by head dim and mask. Three row groups with 160 registers a
// thread; with a mask, rows of up to 72 columns gain from a fourth; more than 160
// columns of O need the 240 of two groups. B_c is what the registers leave. A
// region takes them all: nothing overlaps. Nor does it where the number of keys is
// known, and the loop over edge tiles may be taken apart. A last chunk that is at most
// half full is narrow.

!LSE = memref<?x?x?xf32>

// CHECK-LABEL: func.func @full_64(
// CHECK: schedule = #fa.schedule<br = 192, bc = 128, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, persistent = 2>
// REMARK: Function=full_64 | {{.*}}156 of 160 registers a thread
func.func @full_64(%Q: memref<?x?x?x64xf16>, %LSE: !LSE, %O: memref<?x?x?x64xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x64xf16>) outs(%O, %LSE : memref<?x?x?x64xf16>, !LSE)
  return
}

// CHECK-LABEL: func.func @causal_64(
// CHECK: schedule = #fa.schedule<br = 256, bc = 64, groups = 4, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 1>
// NO-OVERLAP-LABEL: func.func @causal_64(
// NO-OVERLAP: schedule = #fa.schedule<br = 256, bc = 96, groups = 4, warps = 4, stages = 2>
// REMARK: Function=causal_64 | {{.*}}108 of 112 registers a thread
func.func @causal_64(%Q: memref<?x?x?x64xf16>, %LSE: !LSE, %O: memref<?x?x?x64xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x64xf16>, memref<?x?x?x64xf16>, memref<?x?x?x64xf16>) outs(%O, %LSE : memref<?x?x?x64xf16>, !LSE) mask = #fa.mask<causal>
  return
}

// CHECK-LABEL: func.func @full_72(
// CHECK: schedule = #fa.schedule<br = 192, bc = 128, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, narrow = true, persistent = 2>
// NO-NARROW-LABEL: func.func @full_72(
// NO-NARROW: schedule = #fa.schedule<br = 192, bc = 128, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 2>
// 2 Q of 3 * 64 rows and 2 K of 128 rows have 64 + 16 columns, 2 V of 128 rows 64 + 64.
// REMARK: Function=full_72 | {{.*}}tiles take 167936 of 232448 bytes of sram
func.func @full_72(%Q: memref<?x?x?x72xf16>, %LSE: !LSE, %O: memref<?x?x?x72xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x72xf16>, memref<?x?x?x72xf16>, memref<?x?x?x72xf16>) outs(%O, %LSE : memref<?x?x?x72xf16>, !LSE)
  return
}

// CHECK-LABEL: func.func @causal_72(
// CHECK: schedule = #fa.schedule<br = 256, bc = 64, groups = 4, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, narrow = true, persistent = 1>
func.func @causal_72(%Q: memref<?x?x?x72xf16>, %LSE: !LSE, %O: memref<?x?x?x72xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x72xf16>, memref<?x?x?x72xf16>, memref<?x?x?x72xf16>) outs(%O, %LSE : memref<?x?x?x72xf16>, !LSE) mask = #fa.mask<causal>
  return
}

// 48 of 64 columns are too many to gain by it.
// CHECK-LABEL: func.func @full_112(
// CHECK: schedule = #fa.schedule<br = 192, bc = 96, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 2>
func.func @full_112(%Q: memref<?x?x?x112xf16>, %LSE: !LSE, %O: memref<?x?x?x112xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x112xf16>, memref<?x?x?x112xf16>, memref<?x?x?x112xf16>) outs(%O, %LSE : memref<?x?x?x112xf16>, !LSE)
  return
}

// CHECK-LABEL: func.func @full_160(
// CHECK: schedule = #fa.schedule<br = 192, bc = 64, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, narrow = true, persistent = 2>
// 2 * 192 + 2 * (64 + 64) rows of 320 bytes. With wide chunks, of 384 bytes, one tile of
// Q is all that fits.
// NO-NARROW-LABEL: func.func @full_160(
// NO-NARROW: schedule = #fa.schedule<br = 192, bc = 64, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 1>
// REMARK: Function=full_160 | {{.*}}tiles take 204800 of 232448 bytes of sram
func.func @full_160(%Q: memref<?x?x?x160xf16>, %LSE: !LSE, %O: memref<?x?x?x160xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x160xf16>, memref<?x?x?x160xf16>, memref<?x?x?x160xf16>) outs(%O, %LSE : memref<?x?x?x160xf16>, !LSE)
  return
}

// CHECK-LABEL: func.func @full_128(
// CHECK: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 2>
func.func @full_128(%Q: memref<?x?x?x128xf16>, %LSE: !LSE, %O: memref<?x?x?x128xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x128xf16>, memref<?x?x?x128xf16>, memref<?x?x?x128xf16>) outs(%O, %LSE : memref<?x?x?x128xf16>, !LSE)
  return
}

// CHECK-LABEL: func.func @causal_128(
// CHECK: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 2>
// NO-PINGPONG-LABEL: func.func @causal_128(
// NO-PINGPONG: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, lazy = true, persistent = 2>
// NO-PERSISTENT-LABEL: func.func @causal_128(
// NO-PERSISTENT: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true>
// ONE-QUERY-LABEL: func.func @causal_128(
// ONE-QUERY: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 1>
// NO-LAZY-LABEL: func.func @causal_128(
// NO-LAZY: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, persistent = 2>
// One group has nobody to take turns with.
// ONE-LABEL: func.func @causal_128(
// ONE: schedule = #fa.schedule<br = 64, bc = 64, warps = 4, stages = 2, overlap = true, lazy = true>
// REMARK: Function=causal_128 | {{.*}}152 of 160 registers a thread
func.func @causal_128(%Q: memref<?x?x?x128xf16>, %LSE: !LSE, %O: memref<?x?x?x128xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x128xf16>, memref<?x?x?x128xf16>, memref<?x?x?x128xf16>) outs(%O, %LSE : memref<?x?x?x128xf16>, !LSE) mask = #fa.mask<causal>
  return
}

// CHECK-LABEL: func.func @full_192(
// CHECK: schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 2>
func.func @full_192(%Q: memref<?x?x?x192xf16>, %LSE: !LSE, %O: memref<?x?x?x192xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x192xf16>, memref<?x?x?x192xf16>, memref<?x?x?x192xf16>) outs(%O, %LSE : memref<?x?x?x192xf16>, !LSE)
  return
}

// Two groups leave the producer 40 registers, and have 232 instead of 240.
// REMARK: Function=causal_192 | {{.*}}172 of 232 registers a thread
// ONE-QUERY-LABEL: func.func @region(
// ONE-QUERY: schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2, persistent = 1>
// CHECK-LABEL: func.func @causal_192(
// CHECK: schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 2>
func.func @causal_192(%Q: memref<?x?x?x192xf16>, %LSE: !LSE, %O: memref<?x?x?x192xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x192xf16>, memref<?x?x?x192xf16>, memref<?x?x?x192xf16>) outs(%O, %LSE : memref<?x?x?x192xf16>, !LSE) mask = #fa.mask<causal>
  return
}

// CHECK-LABEL: func.func @region(
// CHECK: schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2>
// ASKED-LABEL: func.func @region(
// ASKED: schedule = #fa.schedule<br = 128, bc = 48, groups = 2, warps = 4, stages = 2, lazy = true>
func.func @region(%Q: memref<?x?x?x128xf16>, %LSE: !LSE, %O: memref<?x?x?x128xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x128xf16>, memref<?x?x?x128xf16>, memref<?x?x?x128xf16>) outs(%O, %LSE : memref<?x?x?x128xf16>, !LSE)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
  return
}

// CHECK-LABEL: func.func @static_keys(
// CHECK: schedule = #fa.schedule<br = 192, bc = 128, groups = 3, warps = 4, stages = 2>
func.func @static_keys(%Q: memref<?x?x?x128xf16>, %K: memref<?x?x512x128xf16>, %LSE: !LSE, %O: memref<?x?x?x128xf16>) {
  fa.attention ins(%Q, %K, %K : memref<?x?x?x128xf16>, memref<?x?x512x128xf16>, memref<?x?x512x128xf16>) outs(%O, %LSE : memref<?x?x?x128xf16>, !LSE)
  return
}

// CHECK-LABEL: func.func @window_128(
// CHECK: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true>
// ONE-QUERY-LABEL: func.func @window_128(
// ONE-QUERY: lazy = true, persistent = 1>
func.func @window_128(%Q: memref<?x?x?x128xf16>, %LSE: !LSE, %O: memref<?x?x?x128xf16>) {
  fa.attention ins(%Q, %Q, %Q : memref<?x?x?x128xf16>, memref<?x?x?x128xf16>, memref<?x?x?x128xf16>) outs(%O, %LSE : memref<?x?x?x128xf16>, !LSE) mask = #fa.mask<window, left = 100, right = 0>
  return
}

// CHECK-LABEL: func.func @full_200_128(
// CHECK: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, narrow = true>
func.func @full_200_128(%Q: memref<?x?x?x200xf16>, %V: memref<?x?x?x128xf16>, %LSE: !LSE, %O: memref<?x?x?x128xf16>) {
  fa.attention ins(%Q, %Q, %V : memref<?x?x?x200xf16>, memref<?x?x?x200xf16>, memref<?x?x?x128xf16>) outs(%O, %LSE : memref<?x?x?x128xf16>, !LSE)
  return
}

// CHECK-LABEL: func.func @full_192_128(
// CHECK: schedule = #fa.schedule<br = 192, bc = 80, groups = 3, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, persistent = 1>
func.func @full_192_128(%Q: memref<?x?x?x192xf16>, %V: memref<?x?x?x128xf16>, %LSE: !LSE, %O: memref<?x?x?x128xf16>) {
  fa.attention ins(%Q, %Q, %V : memref<?x?x?x192xf16>, memref<?x?x?x192xf16>, memref<?x?x?x128xf16>) outs(%O, %LSE : memref<?x?x?x128xf16>, !LSE)
  return
}
