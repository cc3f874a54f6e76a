// RUN: fa-opt %s --fa-select-schedule="chip=sm_80 table=false" | FileCheck %s --check-prefix=SM80
// RUN: fa-opt %s --fa-select-schedule=chip=sm_90a | FileCheck %s --check-prefix=SM90
// RUN: fa-opt %s --fa-select-schedule="chip=sm_90a align=2" | FileCheck %s --check-prefix=ALIGN
// RUN: fa-opt %s --fa-select-schedule="chip=sm_86" | FileCheck %s --check-prefix=SM86
// RUN: fa-opt %s --fa-select-schedule="chip=sm_80 warps=8 blocks=1" | FileCheck %s --check-prefix=FIELDS

// The targets and schedules of GPUs. The alignment is what contiguous tensors have; what
// sm_90a cannot do in its own way, it does as sm_90.

// SM80-LABEL: func.func @d64
// SM80: schedule = #fa.schedule<br = 128, bc = 80, warps = 4, stages = 2, blocks = 2>
// SM80-SAME: target = #fa.target<"sm_80", sram = 166912>
// SM90-LABEL: func.func @d64
// SM90: target = #fa.target<"sm_90a", sram = 232448>
// ALIGN-LABEL: func.func @d64
// ALIGN: schedule = #fa.schedule<br = 128, bc = 80, warps = 4, stages = 2, blocks = 2>
// ALIGN-SAME: target = #fa.target<"sm_90", sram = 232448, align = 2>
// SM86-LABEL: func.func @d64
// SM86: schedule = #fa.schedule<br = 128, bc = 80, warps = 4, blocks = 2>
// FIELDS-LABEL: func.func @d64
// FIELDS: schedule = #fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>
func.func @d64(%Q: tensor<?x?x?x64xf16>, %O: tensor<?x?x?x64xf16>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      outs(%O, %LSE : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}

// Rows of 200 bytes are multiples of 8. Fewer keys where O and the addresses of
// narrow copies take more registers.
// SM80-LABEL: func.func @d100
// SM80: schedule = #fa.schedule<br = 128, bc = 32, warps = 4, stages = 2, blocks = 2>
// SM80-SAME: target = #fa.target<"sm_80", sram = 166912, align = 8>
// SM90-LABEL: func.func @d100
// SM90: target = #fa.target<"sm_90", sram = 232448, align = 8>
func.func @d100(%Q: tensor<?x?x?x100xf16>, %O: tensor<?x?x?x100xf16>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x100xf16>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<?x?x?x100xf16>, tensor<?x?x?x100xf16>, tensor<?x?x?x100xf16>)
      outs(%O, %LSE : tensor<?x?x?x100xf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x100xf16>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x100xf16>, tensor<?x?x?xf32>
}

// One block of rows a warp beyond a head dim of 128; half of the rows where SRAM is
// less.
// SM80-LABEL: func.func @d256
// SM80: schedule = #fa.schedule<br = 128, bc = 64, warps = 8>
// SM86-LABEL: func.func @d256
// SM86: schedule = #fa.schedule<br = 64, bc = 64, warps = 4, blocks = 2>
func.func @d256(%Q: tensor<?x?x?x256xbf16>, %O: tensor<?x?x?x256xbf16>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x256xbf16>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<?x?x?x256xbf16>, tensor<?x?x?x256xbf16>, tensor<?x?x?x256xbf16>)
      outs(%O, %LSE : tensor<?x?x?x256xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x256xbf16>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x256xbf16>, tensor<?x?x?xf32>
}
