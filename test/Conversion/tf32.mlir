// RUN: fa-opt %s --convert-fagpu-to-nvvm --canonicalize --cse | %python %S/Inputs/run-warp.py | FileCheck %s --check-prefix=WARP
// RUN: fa-opt %s --convert-fagpu-to-nvvm --canonicalize --cse | FileCheck %s

// Products of f32 on tensor cores, which the schedule asks for: the second of two
// warps, run lane by lane.

// WARP: PASS S
// WARP-NEXT: PASS O

!q = memref<32x40xf32, #fagpu.sram<swizzle = 128>>
!k = memref<16x40xf32, #fagpu.sram<swizzle = 128>>
!v = memref<16x48xf32, #fagpu.sram<swizzle = 128>>

// CHECK-LABEL: func.func @dots
func.func @dots(%c: vector<8xf32>, %p: vector<8xf32>, %d: vector<24xf32>) -> (vector<8xf32>, vector<24xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 32, bc = 16, warps = 2, tf32 = true>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // Five steps of 8 of K and two blocks of 8 columns, then two steps and six blocks,
  // with nothing passed among lanes.
  // CHECK: nvvm.ldmatrix
  // CHECK: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
  // CHECK-COUNT-22: nvvm.mma.sync {{.*}}#nvvm.mma_type<tf32>{{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 8>
  // CHECK-NOT: {{mma|shfl|fma}}
  %q = fagpu.alloc offset = 0 : !q
  %k = fagpu.alloc offset = 16384 : !k
  %v = fagpu.alloc offset = 32768 : !v
  %s = fagpu.dot %q, %k, %c contract = columns warps = 2 : !q, !k, vector<8xf32>
  %s1 = fagpu.wait_dot %s pending = 0 : vector<8xf32>
  %o = fagpu.dot %p, %v, %d contract = rows warps = 2 : vector<8xf32>, !v, vector<24xf32>
  %o1 = fagpu.wait_dot %o pending = 0 : vector<24xf32>
  return %s1, %o1 : vector<8xf32>, vector<24xf32>
}
