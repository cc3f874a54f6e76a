// RUN: split-file %s %t
// RUN: fa-opt %t/given.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule))' -split-input-file -verify-diagnostics
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{br=-1}))' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{stages=9223372036854775807}))' 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{sram=-4}))' 2>&1 | FileCheck %s --check-prefix=SRAM
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_80 max-keys=-1}))' 2>&1 | FileCheck %s --check-prefix=KEYS
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{max-keys=64}))' 2>&1 | FileCheck %s --check-prefix=KEYS-CPU
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_1}))' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{vector-bits=64}))' 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{mr=5}))' 2>&1 | FileCheck %s --check-prefix=MR
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{sram=10000}))' 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{sram=33000 bc=64}))' 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{groups=2}))' 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_80 mr=2 nr=4}))' 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{lazy=1}))' 2>&1 | FileCheck %s --check-prefix=LAZY
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{narrow=1}))' 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{narrow=2}))' 2>&1 | FileCheck %s --check-prefix=FLAG-NARROW
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{tf32=true}))' 2>&1 | FileCheck %s --check-prefix=TF32
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{overlap=2}))' 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{pingpong=-2}))' 2>&1 | FileCheck %s --check-prefix=FLAG-NEGATIVE
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{persistent=1}))' 2>&1 | FileCheck %s --check-prefix=PERSISTENT
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{persistent=3}))' 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{persistent=-2}))' 2>&1 | FileCheck %s --check-prefix=TILES-NEGATIVE
// RUN: not fa-opt %t/one.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{backward=three_pass}))' 2>&1 | FileCheck %s --check-prefix=DESIGN
// RUN: not fa-opt %t/backward.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{backward=two_pass splits=2}))' 2>&1 | FileCheck %s --check-prefix=SPLITS
// RUN: not fa-opt %t/backward.mlir --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_80}))' 2>&1 | FileCheck %s --check-prefix=BACKWARD

// NEGATIVE: error: expected option 'br' to be from 0 to 1048576 but got -1
// HUGE: error: expected option 'stages' to be from 0 to 1048576 but got 9223372036854775807
// SRAM: error: expected option 'sram' to be at least 0 but got -4
// KEYS: error: expected option 'max-keys' to be at least 0 but got -1
// KEYS-CPU: error: has no valid target: expected max_keys of at least 0 on a GPU, and none on the CPU, but got 64
// CHIP: error: has no valid target: expected target "cpu",
// BITS: error: has no valid target: expected vector_bits of 128, 256 or 512 but got 64
// MR: error: 'fa.attention' op has no valid schedule: expected br to be a multiple of mr but got br = 64, mr = 5
// FIT: error: 'fa.attention' op expected the tiles of #fa.schedule<br = 4, bc = 16, mr = 4, nr = 16> to fit in 10000 bytes of sram, but with head dims 64 and 64 they take 10752
// ASKED: error: 'fa.attention' op expected the tiles of #fa.schedule<br = 4, bc = 64, mr = 4, nr = 16> to fit in 33000 bytes of sram
// GROUPS: error: 'fa.attention' op expected a schedule with mr and nr, and without the fields of a GPU, on the CPU but got #fa.schedule<br = 64, bc = 64, mr = 4, nr = 16, groups = 2>
// GPU: error: 'fa.attention' op expected a schedule without mr and nr on a GPU but got #fa.schedule<br = 128, bc = {{[0-9]+}}, mr = 2, nr = 4,
// LAZY: error: 'fa.attention' op expected a schedule with mr and nr, and without the fields of a GPU, on the CPU but got #fa.schedule<{{.*}}, lazy = true>
// NARROW: error: 'fa.attention' op expected a schedule with mr and nr, and without the fields of a GPU, on the CPU but got #fa.schedule<{{.*}}, narrow = true>
// FLAG-NARROW: error: expected option 'narrow' to be 0, 1 or -1 but got 2
// TF32: error: 'fa.attention' op expected a schedule with mr and nr, and without the fields of a GPU, on the CPU but got #fa.schedule<{{.*}}, tf32 = true>
// FLAG: error: expected option 'overlap' to be 0, 1 or -1 but got 2
// FLAG-NEGATIVE: error: expected option 'pingpong' to be 0, 1 or -1 but got -2
// PERSISTENT: error: 'fa.attention' op expected a schedule with mr and nr, and without the fields of a GPU, on the CPU but got #fa.schedule<{{.*}}, persistent = 1>
// TILES: error: expected option 'persistent' to be 0, 1, 2 or -1 but got 3
// TILES-NEGATIVE: error: expected option 'persistent' to be 0, 1, 2 or -1 but got -2
// DESIGN: error: expected option 'backward' to be two_pass or one_pass but got 'three_pass'
// SPLITS: error: 'fa.attention_backward' op has no valid schedule: expected at most 1 splits with two_pass but got 2
// BACKWARD: error: 'fa.attention_backward' op expected the target cpu but got sm_80

//--- backward.mlir
!M = memref<1x1x?x64xf16>
!LSE = memref<1x1x?xf32>
func.func @f(%Q: !M, %LSE: !LSE, %dQ: !M, %dK: !M, %dV: !M) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %LSE : !M, !M, !M, !M, !M, !LSE) outs(%dQ, %dK, %dV : !M, !M, !M)
  return
}

//--- one.mlir
func.func @f(%Q: memref<1x1x?x64xf32>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf32>) {
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf32>, memref<1x1x?x64xf32>, memref<1x1x?x64xf32>)
      outs(%O, %LSE : memref<1x1x?x64xf32>, memref<1x1x?xf32>)
  return
}

//--- given.mlir
func.func @too_large(%Q: memref<1x1x?x64xf32>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf32>) {
  // expected-error @+1 {{expected the tiles of #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8> to fit in 1000 bytes of sram, but with head dims 64 and 64 they take 18432}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf32>, memref<1x1x?x64xf32>, memref<1x1x?x64xf32>)
      outs(%O, %LSE : memref<1x1x?x64xf32>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>,
       target = #fa.target<"cpu", sram = 1000, vector_bits = 256>}
  return
}

// -----

func.func @no_register_tile(%Q: memref<1x1x?x64xf32>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf32>) {
  // expected-error @+1 {{expected a schedule with mr and nr, and without the fields of a GPU, on the CPU but got #fa.schedule<br = 16, bc = 16>}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf32>, memref<1x1x?x64xf32>, memref<1x1x?x64xf32>)
      outs(%O, %LSE : memref<1x1x?x64xf32>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 16, bc = 16>}
  return
}

// -----

func.func @design_of_forward(%Q: memref<1x1x?x64xf32>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf32>) {
  // expected-error @+1 {{expected a schedule without a design of backward but got #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8, backward = one_pass>}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf32>, memref<1x1x?x64xf32>, memref<1x1x?x64xf32>)
      outs(%O, %LSE : memref<1x1x?x64xf32>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8, backward = one_pass>}
  return
}

// -----

func.func @register_tile_on_gpu(%Q: memref<1x1x?x64xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf16>) {
  // expected-error @+1 {{expected a schedule without mr and nr on a GPU but got #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x64xf16>)
      outs(%O, %LSE : memref<1x1x?x64xf16>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>,
       target = #fa.target<"sm_80", sram = 100000>}
  return
}

// -----

func.func @head_dim(%Q: memref<1x1x?x64xf32>, %V: memref<1x1x?x2097152xf32>, %LSE: memref<1x1x?xf32>) {
  // expected-error @+1 {{expected head dims of at most 1048576 but got 64 and 2097152}}
  fa.attention ins(%Q, %Q, %V : memref<1x1x?x64xf32>, memref<1x1x?x64xf32>, memref<1x1x?x2097152xf32>)
      outs(%V, %LSE : memref<1x1x?x2097152xf32>, memref<1x1x?xf32>)
  return
}

// -----

func.func @f32_align(%Q: memref<1x1x?x64xf32>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf32>) {
  // expected-error @+1 {{expected an align of at least 4 bytes, the size of an element, but got 2}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf32>, memref<1x1x?x64xf32>, memref<1x1x?x64xf32>)
      outs(%O, %LSE : memref<1x1x?x64xf32>, memref<1x1x?xf32>)
      {target = #fa.target<"sm_80", sram = 100000, align = 2>}
  return
}

// -----

func.func @odd_head_dim_on_sm_90a(%Q: memref<1x1x?x100xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x100xf16>) {
  // expected-error @+1 {{expected f16 or bf16, head dims that are multiples of 8, that of V at most 256, and an align of 16 on sm_90a but got 'f16', head dims 100 and 100, and an align of 8; sm_90 takes any}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x100xf16>, memref<1x1x?x100xf16>, memref<1x1x?x100xf16>)
      outs(%O, %LSE : memref<1x1x?x100xf16>, memref<1x1x?xf32>)
      {target = #fa.target<"sm_90a", sram = 100000, align = 8>}
  return
}

// -----

func.func @head_dim_v_of_one(%Q: memref<1x1x?x64xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x1xf16>) {
  // expected-error @+1 {{expected a head dim of V of at least 2 on a GPU but got 1}}
  fa.attention ins(%Q, %Q, %O : memref<1x1x?x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x1xf16>)
      outs(%O, %LSE : memref<1x1x?x1xf16>, memref<1x1x?xf32>)
      {target = #fa.target<"sm_80", sram = 100000, align = 2>}
  return
}

// -----

func.func @rows_of_warps(%Q: memref<1x1x?x64xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf16>) {
  // expected-error @+1 {{expected br = 16 * warps * groups = 64, or 2, 3 or 4 times that, and a bc that is a multiple of 16 on a GPU but got #fa.schedule<br = 100, bc = 16, warps = 4>}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x64xf16>)
      outs(%O, %LSE : memref<1x1x?x64xf16>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 100, bc = 16, warps = 4>,
       target = #fa.target<"sm_80", sram = 100000>}
  return
}

// -----

func.func @warpgroup(%Q: memref<1x1x?x64xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf16>) {
  // expected-error @+1 {{expected row groups of 4 warps and a bc of at most 256 on sm_90a but got #fa.schedule<br = 128, bc = 16, warps = 8>}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x64xf16>)
      outs(%O, %LSE : memref<1x1x?x64xf16>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 128, bc = 16, warps = 8>,
       target = #fa.target<"sm_90a", sram = 200000>}
  return
}

// -----

func.func @tf32_of_f16(%Q: memref<1x1x?x64xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf16>) {
  // expected-error @+1 {{expected tf32 with f32 alone but got 'f16'}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x64xf16>)
      outs(%O, %LSE : memref<1x1x?x64xf16>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 64, bc = 16, warps = 4, tf32 = true>,
       target = #fa.target<"sm_80", sram = 100000>}
  return
}

// -----

func.func @overlap_of_mma_sync(%Q: memref<1x1x?x64xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf16>) {
  // expected-error @+1 {{expected overlap, pingpong, lazy and persistent on sm_90a only, where products and copies are asynchronous, but got #fa.schedule<br = 64, bc = 16, warps = 4, overlap = true> on sm_80}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x64xf16>)
      outs(%O, %LSE : memref<1x1x?x64xf16>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 64, bc = 16, warps = 4, overlap = true>,
       target = #fa.target<"sm_80", sram = 100000>}
  return
}

// -----

func.func @persistent_of_mma_sync(%Q: memref<1x1x?x64xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x64xf16>) {
  // expected-error @+1 {{expected overlap, pingpong, lazy and persistent on sm_90a only, where products and copies are asynchronous, but got #fa.schedule<br = 64, bc = 16, warps = 4, persistent = 1> on sm_80}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x64xf16>)
      outs(%O, %LSE : memref<1x1x?x64xf16>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 64, bc = 16, warps = 4, persistent = 1>,
       target = #fa.target<"sm_80", sram = 100000>}
  return
}

// -----

func.func @narrow_chunks_of_mma_sync(%Q: memref<1x1x?x80xf16>, %LSE: memref<1x1x?xf32>, %O: memref<1x1x?x80xf16>) {
  // expected-error @+1 {{expected narrow on sm_90a only, where copies and products know narrow chunks, but got #fa.schedule<br = 64, bc = 16, warps = 4, narrow = true> on sm_80}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x80xf16>, memref<1x1x?x80xf16>, memref<1x1x?x80xf16>)
      outs(%O, %LSE : memref<1x1x?x80xf16>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 64, bc = 16, warps = 4, narrow = true>,
       target = #fa.target<"sm_80", sram = 100000>}
  return
}
