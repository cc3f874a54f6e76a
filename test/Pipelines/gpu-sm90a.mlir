// The levels of sm_90a: bf16, d = 128, full. Short key tiles keep the IR short.

// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2 stop-after=promoted" | FileCheck %s --check-prefix=PROMOTED
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2 stop-after=scheduled" | FileCheck %s --check-prefix=SCHEDULED
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2 stop-after=warp" | FileCheck %s --check-prefix=WARP
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2" | FileCheck %s --check-prefix=NVVM

// Nothing overlaps: products, row groups and the rescaling one after another.
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2 overlap=0 pingpong=0 lazy=0 stop-after=scheduled" | FileCheck %s --check-prefix=PLAIN
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a groups=2 bc=16 stages=2 overlap=0 pingpong=0 lazy=0 stop-after=warp" | FileCheck %s --check-prefix=PLAIN-WARP

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
// SCHEDULED: %[[QRING:.*]] = fagpu.alloc offset = 16384 readers = 1 : !fagpu.ring<4, memref<64x128xbf16
// The producer loads in the order of use, V of a visit after K of the next; all of the
// Q of the block after the first K, which all groups need. Edge and full tiles are one
// loop to it.
// SCHEDULED: fagpu.specialize groups = 2 registers = (40, 232) producer {
// SCHEDULED:   fagpu.load %[[KRING]][%c0]
// SCHEDULED-NEXT: fagpu.load %[[QRING]][%c0]
// SCHEDULED-NEXT: fagpu.load %[[QRING]][%c1]
// SCHEDULED:   scf.for %[[T:.*]] = %c1 to
// SCHEDULED:     fagpu.load %[[KRING]][%[[T]]]
// SCHEDULED:     %[[BEFORE:.*]] = arith.subi %[[T]], %c1
// SCHEDULED:     fagpu.load %[[VRING]][%[[BEFORE]]]
// SCHEDULED-NOT: scf.for
// SCHEDULED:   fagpu.load %[[VRING]]
// SCHEDULED: } consumer {
// SCHEDULED:   %[[G:.*]] = fagpu.group_id
// SCHEDULED:   %[[ISLAST:.*]] = arith.cmpi eq, %[[G]], %c1
// SCHEDULED:   scf.if %[[ISLAST]] {
// SCHEDULED-NEXT: fagpu.pass_turn
// SCHEDULED:   fagpu.acquire %[[QRING]][%[[G]]]
// The first visit, of an edge tile; then the loops over edge and full tiles.
// SCHEDULED:   fagpu.acquire %[[KRING]]
// SCHEDULED:   fa.scores
// SCHEDULED:   fagpu.release %[[KRING]]
// SCHEDULED:   arith.select
// SCHEDULED:   fa.online_softmax {{.*}} lazy 8.000000e+00
// SCHEDULED:   scf.for
// SCHEDULED:     arith.select
// SCHEDULED:     fa.online_softmax
// SCHEDULED:   scf.for %[[T:.*]] = %{{.*}} iter_args(%{{.*}}, %[[O:.*]] = %{{.*}}, %{{.*}}, %[[P:.*]] = %{{.*}})
// SCHEDULED:     %[[BEFORE:.*]] = arith.subi %[[T]], %c1
// SCHEDULED:     fagpu.acquire %[[KRING]][%[[T]]]
// SCHEDULED-NEXT: fagpu.await_turn
// SCHEDULED-NEXT: fa.scores
// SCHEDULED-NEXT: %[[V:.*]] = fagpu.acquire %[[VRING]][%[[BEFORE]]]
// SCHEDULED-NEXT: %[[PV:.*]] = fa.accumulate %[[P]], %[[V]], %[[O]] : vector<64x16xbf16>
// SCHEDULED-NEXT: fagpu.pass_turn
// SCHEDULED-NEXT: fagpu.release %[[KRING]][%[[T]]]
// SCHEDULED-NEXT: fa.online_softmax {{.*}} lazy 8.000000e+00
// SCHEDULED-NEXT: fagpu.release %[[VRING]][%[[BEFORE]]]
// SCHEDULED-NEXT: fa.rescale %[[PV]] by %{{.*}} rarely
// SCHEDULED-NEXT: scf.yield
// SCHEDULED:   fagpu.acquire %[[VRING]]
// SCHEDULED-NEXT: fa.accumulate
// SCHEDULED-NEXT: fagpu.release %[[VRING]]
// SCHEDULED:   fa.finish
// SCHEDULED:   fagpu.release %[[QRING]][%[[G]]]
// 16384 + 2 * 32768 + 16 * (2 + 2 + 4), and 2 * (16 + 52) to say which block is next
// SCHEDULED: fagpu.sram_bytes = 82184 : i64

// PLAIN: %[[VRING:.*]] = fagpu.alloc offset = 0
// PLAIN: %[[KRING:.*]] = fagpu.alloc offset = 8192
// PLAIN: %[[QRING:.*]] = fagpu.alloc offset = 16384
// PLAIN: fagpu.specialize groups = 2 registers = (24, 240) producer {
// PLAIN:   fagpu.load %[[QRING]]
// PLAIN:   scf.for
// PLAIN:     fagpu.load %[[KRING]]
// PLAIN:     fagpu.load %[[VRING]]
// PLAIN-NOT: fagpu.load
// PLAIN: } consumer {
// PLAIN:   fagpu.acquire %[[QRING]]
// PLAIN:   scf.for
// PLAIN:     fagpu.acquire %[[KRING]]
// PLAIN:     fa.scores
// PLAIN:     fagpu.release %[[KRING]]
// PLAIN:     fa.online_softmax
// PLAIN:     fagpu.acquire %[[VRING]]
// PLAIN:     fa.accumulate
// PLAIN:     fagpu.release %[[VRING]]
// PLAIN:   scf.for
// PLAIN-NOT: {{turn|lazy|fa.rescale}}
// PLAIN:   fa.finish

// Both products of a visit are in flight at once: that of S is waited for while
// P V runs on, which is needed for the release of V at the earliest. A stage is
// released only when the product that reads it is done.
// WARP: func.func @attention
// WARP-SAME: block = 384 : i64
// WARP: } consumer {
// The first turn is passed before the loop over blocks.
// WARP: fagpu.group_id
// WARP: fagpu.pass_turn
// WARP: scf.while
// WARP: fagpu.acquire_block
// WARP: fagpu.read_block
// WARP: gpu.thread_id x
// WARP: fagpu.acquire %{{.*}} : <4, memref<64x128xbf16
// WARP: %[[K:.*]] = fagpu.acquire %[[KRING:.*]][
// WARP: %[[S:.*]] = fagpu.dot %{{.*}}, %[[K]], {{.*}} contract = {{ *}}columns warps = 4
// WARP: fagpu.wait_dot %[[S]] pending = 0
// WARP: fagpu.release %[[KRING]]
// WARP: scf.for
// WARP: scf.for
// WARP: %[[K:.*]] = fagpu.acquire %[[KRING]][
// WARP: fagpu.await_turn
// WARP: %[[S:.*]] = fagpu.dot %{{.*}}, %[[K]], {{.*}} contract = {{ *}}columns warps = 4
// WARP: %[[V:.*]] = fagpu.acquire %[[VRING:.*]][
// WARP: %[[PV:.*]] = fagpu.dot %{{.*}}, %[[V]], {{.*}} contract = {{ *}}rows warps = 4 : vector<8xbf16>, {{.*}} vector<64xf32>
// WARP: fagpu.pass_turn
// WARP: fagpu.wait_dot %[[S]] pending = 1
// WARP: fagpu.release %[[KRING]]
// WARP-NOT: fagpu.wait_dot
// WARP: math.exp2
// P of the next visit takes the registers that P V has read.
// WARP: %[[O:.*]] = fagpu.wait_dot %[[PV]] pending = 0
// WARP-NEXT: arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
// WARP: fagpu.release %[[VRING]]
// WARP: nvvm.vote.sync any
// WARP: scf.yield
// WARP: %[[LAST:.*]] = fagpu.dot
// WARP: fagpu.wait_dot %[[LAST]] pending = 0
// WARP: fagpu.release %[[VRING]]
// WARP: fagpu.release %{{.*}} : <4, memref<64x128xbf16
// WARP-NEXT: fagpu.release_block
// WARP-NOT: vector<{{[0-9]+x[0-9]+x}}
// WARP: return

// PLAIN-WARP: func.func @attention
// PLAIN-WARP-SAME: block = 384 : i64
// PLAIN-WARP: } consumer {
// PLAIN-WARP: gpu.thread_id x
// PLAIN-WARP: scf.for
// PLAIN-WARP: %[[K:.*]] = fagpu.acquire %[[KRING:.*]][
// PLAIN-WARP: %[[S:.*]] = fagpu.dot %{{.*}}, %[[K]], {{.*}} contract = {{ *}}columns warps = 4
// PLAIN-WARP: fagpu.wait_dot %[[S]]
// PLAIN-WARP: fagpu.release %[[KRING]]
// PLAIN-WARP: %[[V:.*]] = fagpu.acquire %[[VRING:.*]][
// PLAIN-WARP: %[[PV:.*]] = fagpu.dot %{{.*}}, %[[V]], {{.*}} contract = {{ *}}rows warps = 4 : vector<8xbf16>, {{.*}} vector<64xf32>
// PLAIN-WARP: fagpu.wait_dot %[[PV]]
// PLAIN-WARP: fagpu.release %[[VRING]]
// PLAIN-WARP: scf.yield
// PLAIN-WARP-NOT: vector<{{[0-9]+x[0-9]+x}}
// PLAIN-WARP: return

// Five tensors (of rank 4, and LSE) as descriptors, a counter, then the maps of Q, K, V
// and O.
// NVVM: llvm.func @attention(
// NVVM-SAME: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// NVVM-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 384>
// NVVM-NOT: {{unrealized|memref\.|vector\.|fagpu\.|scf\.}}
// NVVM: mbarrier.init
// NVVM: setmaxnreg.dec.sync.aligned.u32 40;
// NVVM: cp.async.bulk.tensor.5d.shared::cluster
// NVVM: setmaxnreg.inc.sync.aligned.u32 232;
// NVVM: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16
// NVVM: wgmma.wait_group
// NVVM: nvvm.shfl.sync
// NVVM: cvt.rn.bf16x2.f32
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
