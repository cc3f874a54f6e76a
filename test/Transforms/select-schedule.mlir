// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule))' | FileCheck %s
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{sram=65536}))' | FileCheck %s --check-prefix=SRAM
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{vector-bits=512}))' | FileCheck %s --check-prefix=WIDE
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{vector-bits=128}))' | FileCheck %s --check-prefix=NARROW
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{br=6}))' | FileCheck %s --check-prefix=BR
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{bc=24}))' | FileCheck %s --check-prefix=BC
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{mr=8}))' | FileCheck %s --check-prefix=MR
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{nr=32}))' | FileCheck %s --check-prefix=NR
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{backward=two_pass}))' | FileCheck %s --check-prefix=TWO
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{backward=one_pass splits=2}))' | FileCheck %s --check-prefix=SPLITS
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule))' --remarks-filter=schedule --remark-format=emitRemark -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!M = memref<?x?x?x64xf32>
!LSE = memref<?x?x?xf32>

// What is chosen; which of the two halves first where less memory is there
// (B_c, down to nr, and then B_r); what each option changes. Q, K, V and O
// tiles of 64 x 64 and twice S take 6 * 16384 bytes.

// CHECK-LABEL: func.func @chosen
// CHECK: schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 16>, target = #fa.target<"cpu", sram = 1048576, vector_bits = 256>
// SRAM-LABEL: func.func @chosen
// SRAM: schedule = #fa.schedule<br = 64, bc = 32, mr = 4, nr = 16>, target = #fa.target<"cpu", sram = 65536,
// WIDE-LABEL: func.func @chosen
// WIDE: schedule = #fa.schedule<br = 64, bc = 64, mr = 8, nr = 32>, target = #fa.target<"cpu", sram = 1048576, vector_bits = 512>
// NARROW-LABEL: func.func @chosen
// NARROW: schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 8>, target = #fa.target<"cpu", sram = 1048576, vector_bits = 128>
// The register tile divides the tile.
// BR-LABEL: func.func @chosen
// BR: schedule = #fa.schedule<br = 6, bc = 64, mr = 3, nr = 16>
// BC-LABEL: func.func @chosen
// BC: schedule = #fa.schedule<br = 64, bc = 24, mr = 4, nr = 12>
// MR-LABEL: func.func @chosen
// MR: schedule = #fa.schedule<br = 64, bc = 64, mr = 8, nr = 16>
// NR-LABEL: func.func @chosen
// NR: schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 32>
// REMARK: remark: [Analysis] SelectSchedule | Category:schedule | Function=chosen |
// REMARK-SAME: by the model: br = 64, bc = 64: tiles take 98304 of 1048576 bytes of sram; register tile of 4 x 16 for 256-bit vectors
func.func @chosen(%Q: !M, %LSE: !LSE, %O: !M) {
  fa.attention ins(%Q, %Q, %Q : !M, !M, !M) outs(%O, %LSE : !M, !LSE)
  return
}

// The head dims count, and the element type does not: tiles are f32 on a CPU. A
// target that is given is kept.
// CHECK-LABEL: func.func @large_head_dims
// CHECK: schedule = #fa.schedule<br = 64, bc = 16, mr = 4, nr = 16>, target = #fa.target<"cpu", sram = 440000, vector_bits = 256>
// SRAM-LABEL: func.func @large_head_dims
// SRAM: sram = 440000
// NR-LABEL: func.func @large_head_dims
// NR: schedule = #fa.schedule<br = 32, bc = 32, mr = 4, nr = 32>
// REMARK: Function=large_head_dims | Remark="by the model: br = 64, bc = 16: tiles take 438272
func.func @large_head_dims(%Q: tensor<?x?x?x160xbf16>, %V: tensor<?x?x?x1184xbf16>,
                           %LSE: tensor<?x?x?xf32>) -> tensor<?x?x?x1184xbf16> {
  %r:2 = fa.attention ins(%Q, %Q, %V : tensor<?x?x?x160xbf16>, tensor<?x?x?x160xbf16>, tensor<?x?x?x1184xbf16>)
      outs(%V, %LSE : tensor<?x?x?x1184xbf16>, tensor<?x?x?xf32>)
      {target = #fa.target<"cpu", sram = 440000, vector_bits = 256>}
      -> tensor<?x?x?x1184xbf16>, tensor<?x?x?xf32>
  return %r#0 : tensor<?x?x?x1184xbf16>
}

// What is given is kept, whatever the options say.
// CHECK-LABEL: func.func @given
// CHECK: schedule = #fa.schedule<br = 8, bc = 16, mr = 2, nr = 4>, target = #fa.target<"cpu", sram = 90000, vector_bits = 128>
// BR-LABEL: func.func @given
// BR: schedule = #fa.schedule<br = 8, bc = 16, mr = 2, nr = 4>, target = #fa.target<"cpu", sram = 90000, vector_bits = 128>
// REMARK-NOT: Function=given
func.func @given(%Q: !M, %LSE: !LSE, %O: !M) {
  fa.attention ins(%Q, %Q, %Q : !M, !M, !M) outs(%O, %LSE : !M, !LSE)
      {schedule = #fa.schedule<br = 8, bc = 16, mr = 2, nr = 4>,
       target = #fa.target<"cpu", sram = 90000, vector_bits = 128>}
  return
}

// Gradients: nine tiles of 64 x 64 with a head dim, and six of scores. The design
// is a matter of theirs alone.
// CHECK-LABEL: func.func @backward
// CHECK: schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 16, backward = one_pass, splits = 4>, target =
// SRAM-LABEL: func.func @backward
// SRAM: schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 16, backward = one_pass, splits = 4>, target =
// TWO-LABEL: func.func @chosen
// TWO: schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 16>, target =
// TWO-LABEL: func.func @backward
// TWO: schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 16>, target =
// SPLITS-LABEL: func.func @chosen
// SPLITS: schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 16>, target =
// SPLITS-LABEL: func.func @backward
// SPLITS: schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 16, backward = one_pass, splits = 2>, target =
// REMARK: Function=backward | Remark="by the model: br = 64, bc = 64: tiles take 245760
func.func @backward(%Q: !M, %LSE: !LSE, %dQ: !M, %dK: !M, %dV: !M) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %LSE : !M, !M, !M, !M, !M, !LSE) outs(%dQ, %dK, %dV : !M, !M, !M)
  return
}
