// The levels of sm_90a: bf16, d = 128, full. Short key tiles keep the IR short.

// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2 stop-after=promoted" | FileCheck %s --check-prefix=PROMOTED
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2 stop-after=scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2 stop-after=warp" | FileCheck %s --check-prefix=WARP
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2" | FileCheck %s --check-prefix=NVVM

// One row group, three and four.
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a bc=16 stages=2 groups=1" | FileCheck %s --check-prefix=ONE
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a bc=16 stages=2 groups=3" | FileCheck %s --check-prefix=THREE
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a bc=16 stages=2 groups=4" | FileCheck %s --check-prefix=FOUR

// PROMOTED: %[[VRING:.*]] = fagpu.alloc : !fagpu.ring<2, memref<16x128xbf16, #fagpu.sram<swizzle = 128>>>
// PROMOTED: %[[KRING:.*]] = fagpu.alloc : !fagpu.ring<2, memref<16x128xbf16, #fagpu.sram<swizzle = 128>>>
// PROMOTED: %[[Q:.*]] = fagpu.alloc : memref<128x128xbf16, #fagpu.sram<swizzle = 128>>
// PROMOTED: fagpu.copy %{{.*}} to %[[Q]]
// PROMOTED: scf.forall (%[[G:.*]]) in (2) {
// PROMOTED: %[[FIRST:.*]] = arith.muli %[[G]], %c64
// PROMOTED: scf.for
// PROMOTED: fagpu.fill %[[KRING]]
// PROMOTED: %[[ROWS:.*]] = memref.subview %[[Q]][%[[FIRST]], 0] [64, 128]
// PROMOTED: fa.scores %[[ROWS]],
// PROMOTED: fagpu.fill %[[VRING]]
// PROMOTED: fa.accumulate

// SCHEDULED: %[[VRING:.*]] = fagpu.alloc offset = 0 : !fagpu.ring<2,
// SCHEDULED: %[[KRING:.*]] = fagpu.alloc offset = 8192 : !fagpu.ring<2,
// SCHEDULED: %[[QRING:.*]] = fagpu.alloc offset = 16384 : !fagpu.ring<1, memref<128x128xbf16
// SCHEDULED: fagpu.specialize groups = 2 registers = (24, 240) producer {
// SCHEDULED:   fagpu.load %[[QRING]]
// SCHEDULED:   scf.for
// SCHEDULED:     fagpu.load %[[KRING]]
// SCHEDULED:     fagpu.load %[[VRING]]
// SCHEDULED:   scf.for
// SCHEDULED:     fagpu.load %[[KRING]]
// SCHEDULED:     fagpu.load %[[VRING]]
// SCHEDULED: } consumer {
// SCHEDULED:   fagpu.acquire %[[QRING]]
// SCHEDULED:   scf.for
// SCHEDULED:     fagpu.acquire %[[KRING]]
// SCHEDULED:     fa.scores
// SCHEDULED:     fagpu.release %[[KRING]]
// SCHEDULED:     fa.online_softmax
// SCHEDULED:     fagpu.acquire %[[VRING]]
// SCHEDULED:     fa.accumulate
// SCHEDULED:     fagpu.release %[[VRING]]
// SCHEDULED:   scf.for
// SCHEDULED:   fa.finish
// 16384 + 32768 + 16 * (2 + 2 + 1)
// SCHEDULED: fagpu.sram_bytes = 49232 : i64

// A stage is released only when the product that reads it is done.
// WARP: func.func @attention
// WARP-SAME: block = 384 : i64
// WARP: } consumer {
// WARP: gpu.thread_id x
// WARP: scf.for
// WARP: %[[K:.*]] = fagpu.acquire %[[KRING:.*]][
// WARP: %[[S:.*]] = fagpu.dot %{{.*}}, %[[K]], {{.*}} contract = {{ *}}columns warps = 4
// WARP: fagpu.wait_dot %[[S]]
// WARP: fagpu.release %[[KRING]]
// WARP: %[[V:.*]] = fagpu.acquire %[[VRING:.*]][
// WARP: %[[PV:.*]] = fagpu.dot %{{.*}}, %[[V]], {{.*}} contract = {{ *}}rows warps = 4 : vector<8xbf16>, {{.*}} vector<64xf32>
// WARP: fagpu.wait_dot %[[PV]]
// WARP: fagpu.release %[[VRING]]
// WARP: scf.yield
// WARP-NOT: vector<{{[0-9]+x[0-9]+x}}
// WARP: return

// Five tensors (of rank 4, and LSE) as descriptors, then the maps of Q, K, V and O.
// NVVM: llvm.func @attention(
// NVVM-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// NVVM-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 384>
// NVVM-NOT: {{unrealized|memref\.|vector\.|fagpu\.|scf\.}}
// NVVM: mbarrier.init
// NVVM: setmaxnreg.dec.sync.aligned.u32 24;
// NVVM: cp.async.bulk.tensor.5d.shared::cluster
// NVVM: setmaxnreg.inc.sync.aligned.u32 240;
// NVVM: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16
// NVVM: wgmma.wait_group
// NVVM: nvvm.shfl.sync
// NVVM: ff2bf16x2.rn
// NVVM: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// NVVM-NOT: {{unrealized|memref\.|vector\.|fagpu\.|scf\.}}
// NVVM: llvm.return

// ONE: query_tile = 64 : i64
// ONE-SAME: nvvm.maxntid = array<i32: 256>
// Two warpgroups may have all registers as it is.
// ONE-NOT: setmaxnreg
// ONE: llvm.return
// THREE: query_tile = 192 : i64
// THREE-SAME: nvvm.maxntid = array<i32: 512>
// THREE: setmaxnreg.inc.sync.aligned.u32 160;
// FOUR: query_tile = 256 : i64
// FOUR-SAME: nvvm.maxntid = array<i32: 640>
// FOUR: setmaxnreg.inc.sync.aligned.u32 112;

func.func @attention(%Q: tensor<?x?x?x128xbf16>, %K: tensor<?x?x?x128xbf16>, %V: tensor<?x?x?x128xbf16>,
                     %O: tensor<?x?x?x128xbf16>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      outs(%O, %LSE : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>)
      -> tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
}
