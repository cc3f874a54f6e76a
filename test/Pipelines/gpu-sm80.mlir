// The levels of sm_80: f16, d = 64, causal. Short key tiles keep the IR short.

// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 warps=8 bc=16 stages=2 stop-after=problem" | FileCheck %s --check-prefix=PROBLEM
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 warps=8 bc=16 stages=2 stop-after=nest" | FileCheck %s --check-prefix=NEST
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 warps=8 bc=16 stages=2 stop-after=fused" | FileCheck %s --check-prefix=FUSED
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 warps=8 bc=16 stages=2 stop-after=promoted" | FileCheck %s --check-prefix=PROMOTED
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 warps=8 bc=16 stages=2 stop-after=scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 warps=8 bc=16 stages=2 stop-after=warp" | FileCheck %s --check-prefix=WARP
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 warps=8 bc=16 stages=2 stop-after=nvvm" | FileCheck %s --check-prefix=NVVM
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 warps=8 bc=16 stages=2" | FileCheck %s --check-prefix=NVVM

// The other targets of mma.sync differ by what they have of SRAM.
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_86 stop-after=nest" | FileCheck %s --check-prefix=SM86
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_120 warps=8" | FileCheck %s --check-prefix=NVVM

// Every option of the schedule.
// RUN: fa-opt %s --fa-lower-to-nvvm="br=64 bc=32 groups=1 warps=4 stages=3 stop-after=nest" | FileCheck %s --check-prefix=OPTIONS

// PROBLEM: fa.attention

// NEST: scf.forall
// NEST-NOT: fa.online_softmax
// NEST: fa.softmax
// NEST: {fa.problem = {{.*}}, fa.schedule = #fa.schedule<br = 128, bc = 16, warps = 8, stages = 2{{.*}}>, fa.target = #fa.target<"sm_80", sram = 166912>

// FUSED: fa.online_softmax
// FUSED: fa.finish

// SM86: fa.target = #fa.target<"sm_86", sram = 101376>
// OPTIONS: fa.schedule = #fa.schedule<br = 64, bc = 32, warps = 4, stages = 3{{.*}}>, fa.target = #fa.target<"sm_80"

// PROMOTED: scf.forall
// PROMOTED: %[[VRING:.*]] = fagpu.alloc : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
// PROMOTED: %[[KRING:.*]] = fagpu.alloc : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
// PROMOTED: %[[Q:.*]] = fagpu.alloc : memref<128x64xf16, #fagpu.sram<swizzle = 128>>
// PROMOTED: fagpu.copy %{{.*}} to %[[Q]]
// PROMOTED: scf.for
// PROMOTED: %[[K:.*]] = fagpu.fill %[[KRING]]
// PROMOTED: fa.scores %[[Q]], %[[K]]
// PROMOTED: %[[V:.*]] = fagpu.fill %[[VRING]]
// PROMOTED: fa.accumulate %{{.*}}, %[[V]]
// PROMOTED: scf.for
// PROMOTED: fa.finish

// Copies run ahead; one barrier a tile.
// SCHEDULED: fagpu.alloc offset = 0
// SCHEDULED: fagpu.alloc offset = 4096
// SCHEDULED: fagpu.alloc offset = 8192
// SCHEDULED: fagpu.copy_async
// SCHEDULED: nvvm.cp.async.commit.group
// SCHEDULED: scf.for
// SCHEDULED-NEXT: nvvm.cp.async.wait.group 0
// SCHEDULED: gpu.barrier
// SCHEDULED: fagpu.copy_async
// SCHEDULED: fagpu.copy_async
// SCHEDULED: nvvm.cp.async.commit.group
// SCHEDULED-NOT: gpu.barrier
// SCHEDULED: fa.scores
// SCHEDULED: fa.accumulate
// SCHEDULED: fagpu.sram_bytes = 24576 : i64

// The program of one thread: no tile is left, and no loop over blocks.
// WARP: func.func @attention
// WARP-SAME: fa.kernel = {
// WARP-NOT: scf.forall
// WARP: gpu.block_id x
// WARP: gpu.thread_id x
// WARP-NOT: vector<{{[0-9]+x[0-9]+x}}
// WARP: fagpu.dot {{.*}} contract = {{ *}}columns warps = 8 {{.*}} vector<8xf32>
// WARP-NOT: fa.
// WARP: fagpu.dot {{.*}} contract = {{ *}}rows warps = 8 : vector<8xf16>, {{.*}} vector<32xf32>
// WARP: vector.store
// WARP: return

// NVVM: llvm.func @attention(
// NVVM-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 256>
// NVVM-NOT: {{unrealized|memref\.|vector\.|fagpu\.|scf\.}}
// NVVM: cp.async.cg.shared.global
// NVVM: nvvm.ldmatrix
// NVVM: nvvm.mma.sync
// NVVM: nvvm.shfl.sync
// NVVM: ex2.approx.ftz
// NVVM: ff2f16x2.rn
// NVVM-NOT: {{unrealized|memref\.|vector\.|fagpu\.|scf\.}}
// NVVM: llvm.return

func.func @attention(%Q: tensor<?x?x?x64xf16>, %K: tensor<?x?x?x64xf16>, %V: tensor<?x?x?x64xf16>,
                     %O: tensor<?x?x?x64xf16>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      outs(%O, %LSE : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal> -> tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
