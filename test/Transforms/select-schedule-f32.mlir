// RUN: fa-opt %s --fa-select-schedule=chip=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: fa-opt %s --fa-select-schedule=chip=sm_90a | FileCheck %s --check-prefix=SM90

// f32 takes twice the SRAM and registers of 16 bits, and is not for wgmma.

// SM80: schedule = #fa.schedule<br = 64, bc = 32, warps = 4, blocks = 2>
// SM80-SAME: target = #fa.target<"sm_80", sram = 166912>
// SM90: target = #fa.target<"sm_90", sram = 232448>
func.func @d128(%Q: tensor<?x?x?x128xf32>, %O: tensor<?x?x?x128xf32>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x128xf32>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<?x?x?x128xf32>, tensor<?x?x?x128xf32>, tensor<?x?x?x128xf32>)
      outs(%O, %LSE : tensor<?x?x?x128xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?x128xf32>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x128xf32>, tensor<?x?x?xf32>
}
