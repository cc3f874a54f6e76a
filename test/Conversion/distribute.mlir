// RUN: fa-opt %s --fa-distribute --canonicalize --cse --split-input-file | FileCheck %s

// A tile of 16 x 16 is 8 elements a thread, at 4 j + 2 i + k that of row l / 4 + 8 i
// and column 8 j + 2 (l mod 4) + k for lane l. A statistic has 2, of rows l / 4 and
// l / 4 + 8.

// CHECK-LABEL: func.func @row_wise
// CHECK-SAME: (%[[O:.*]]: memref<?x16xf16>, %[[LSE:.*]]: memref<?xf32>, %{{.*}}: index, %[[X:.*]]: f32)
func.func @row_wise(%O: memref<?x16xf16>, %LSE: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<8xf32>
  // CHECK-DAG: %[[NINF:.*]] = arith.constant dense<0xFF800000> : vector<2xf32>
  // CHECK: scf.forall (%{{.*}}, %{{.*}}, %[[I:.*]]) in
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[THREAD:.*]] = gpu.thread_id x
    // CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
    // CHECK: %[[INQUAD:.*]] = arith.remui %[[LANE]], %c4
    // CHECK: %[[ROW:.*]] = arith.divui %[[LANE]], %c4
    // CHECK: %[[COLUMN:.*]] = arith.muli %[[INQUAD]], %c2
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[INQUAD]], %c0

    // Element by element.
    // CHECK: %[[SPLAT:.*]] = vector.broadcast %[[X]] : f32 to vector<8xf32>
    // CHECK: %[[S:.*]] = arith.mulf %[[SPLAT]], %[[TWO]] : vector<8xf32>
    // CHECK: %[[E:.*]] = math.exp2 %[[S]] : vector<8xf32>
    %two = arith.constant dense<2.0> : vector<16x16xf32>
    %splat = vector.broadcast %x : f32 to vector<16x16xf32>
    %s = arith.mulf %splat, %two : vector<16x16xf32>
    %e = math.exp2 %s : vector<16x16xf32>

    // The maximum of a row: its four elements here, then the four lanes.
    // CHECK-DAG: %[[E0:.*]] = vector.extract %[[E]][0]
    // CHECK-DAG: %[[E1:.*]] = vector.extract %[[E]][1]
    // CHECK-DAG: %[[E4:.*]] = vector.extract %[[E]][4]
    // CHECK-DAG: %[[E5:.*]] = vector.extract %[[E]][5]
    // CHECK-DAG: %[[M01:.*]] = arith.maxnumf %[[E0]], %[[E1]]
    // CHECK-DAG: %[[M45:.*]] = arith.maxnumf %[[E4]], %[[E5]]
    // CHECK: %[[M:.*]] = arith.maxnumf %[[M01]], %[[M45]]
    // CHECK: %[[LOWER:.*]] = arith.maxnumf
    // CHECK: %[[X1:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[M]], %c1_i32, %c31_i32 : f32 -> f32
    // CHECK: %[[MX1:.*]] = arith.maxnumf %[[M]], %[[X1]]
    // CHECK: %[[X2:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[MX1]], %c2_i32, %c31_i32 : f32 -> f32
    // CHECK: %[[MROW:.*]] = arith.maxnumf %[[MX1]], %[[X2]]
    // CHECK-COUNT-2: nvvm.shfl.sync
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK: %[[BOTH:.*]] = vector.from_elements %[[MROW]], %{{.*}} : vector<2xf32>
    // CHECK: %[[MAX:.*]] = arith.maxnumf %[[BOTH]], %[[NINF]] : vector<2xf32>
    %ninf = arith.constant dense<0xFF800000> : vector<16xf32>
    %m = vector.multi_reduction <maxnumf>, %e, %ninf [1] : vector<16x16xf32> to vector<16xf32>

    // A statistic for each column.
    // CHECK: %[[ROWS:.*]] = vector.shuffle %[[MAX]], %[[MAX]] [0, 0, 1, 1, 0, 0, 1, 1]
    // CHECK: %[[D:.*]] = arith.subf %[[E]], %[[ROWS]]
    // CHECK: %[[P:.*]] = arith.truncf %[[D]] : vector<8xf32> to vector<8xf16>
    %column = vector.shape_cast %m : vector<16xf32> to vector<16x1xf32>
    %rows = vector.broadcast %column : vector<16x1xf32> to vector<16x16xf32>
    %d = arith.subf %e, %rows : vector<16x16xf32>
    %p = arith.truncf %d : vector<16x16xf32> to vector<16x16xf16>

    // Two elements a store, rows past the end left out.
    // CHECK: %[[END:.*]] = memref.dim %[[O]], %c0
    // CHECK: %[[UPPER:.*]] = arith.addi %[[ROW]], %[[I]]
    // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[UPPER]], %[[END]]
    // CHECK: scf.if %[[INSIDE]] {
    // CHECK:   %[[P0:.*]] = vector.extract_strided_slice %[[P]] {offsets = [0], sizes = [2]
    // CHECK:   vector.store %[[P0]], %[[O]][%[[UPPER]], %[[COLUMN]]] {alignment = 4 : i64}
    // CHECK:   %[[RIGHT:.*]] = arith.addi %[[COLUMN]], %c8
    // CHECK:   %[[P4:.*]] = vector.extract_strided_slice %[[P]] {offsets = [4], sizes = [2]
    // CHECK:   vector.store %[[P4]], %[[O]][%[[UPPER]], %[[RIGHT]]]
    // CHECK: }
    // CHECK: scf.if
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [2], sizes = [2]
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [6], sizes = [2]
    vector.transfer_write %p, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x16xf16>, memref<?x16xf16>

    // One lane of the four that have the statistic.
    // CHECK: %[[ONCE:.*]] = arith.andi %{{.*}}, %[[FIRST]]
    // CHECK: scf.if %[[ONCE]] {
    // CHECK:   %[[L0:.*]] = vector.extract %[[MAX]][0]
    // CHECK:   memref.store %[[L0]], %[[LSE]][%[[UPPER]]]
    // CHECK: scf.if
    // CHECK:   %[[L1:.*]] = vector.extract %[[MAX]][1]
    // CHECK:   memref.store %[[L1]], %[[LSE]]
    vector.transfer_write %m, %LSE[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// Rows and columns are known from the number of the thread. With two warps there
// are 32 rows.

// CHECK-LABEL: func.func @indices
func.func @indices(%n: index, %LSE: memref<?xf32>) {
  // CHECK-DAG: %[[INDICES:.*]] = arith.constant dense<[0, 1, 0, 1, 8, 9, 8, 9]> : vector<8xindex>
  // CHECK-DAG: %[[I32S:.*]] = arith.constant dense<[0, 1, 0, 1, 8, 9, 8, 9]> : vector<8xi32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[THREAD:.*]] = gpu.thread_id x
    // CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
    // CHECK: %[[QUOTIENT:.*]] = arith.divui %[[THREAD]], %c32
    // CHECK: %[[WARP:.*]] = arith.remui %[[QUOTIENT]], %c2
    // CHECK-DAG: %[[OFWARP:.*]] = arith.muli %[[WARP]], %c16
    // CHECK-DAG: %[[INWARP:.*]] = arith.divui %[[LANE]], %c4
    // CHECK: %[[ROW:.*]] = arith.addi %[[OFWARP]], %[[INWARP]]
    // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c2
    // CHECK: %[[COLUMN32:.*]] = arith.index_cast %[[COLUMN]] : index to i32
    // CHECK: %[[SPLAT32:.*]] = vector.broadcast %[[COLUMN32]] : i32 to vector<8xi32>
    // CHECK: arith.addi %[[SPLAT32]], %[[I32S]] : vector<8xi32>
    %columns = vector.step : vector<16xindex>
    %columns32 = arith.index_cast %columns : vector<16xindex> to vector<16xi32>
    %c32 = vector.broadcast %columns32 : vector<16xi32> to vector<32x16xi32>
    %f = arith.sitofp %c32 : vector<32x16xi32> to vector<32x16xf32>
    // CHECK: %[[ROW8:.*]] = arith.addi %[[ROW]], %c8
    // CHECK: %[[ROWS:.*]] = vector.from_elements %[[ROW]], %[[ROW8]] : vector<2xindex>
    // CHECK: vector.shuffle %[[ROWS]], %[[ROWS]] [0, 0, 1, 1, 0, 0, 1, 1]
    %steps = vector.step : vector<32xindex>
    %rows = vector.shape_cast %steps : vector<32xindex> to vector<32x1xindex>
    %r = vector.broadcast %rows : vector<32x1xindex> to vector<32x16xindex>
    // CHECK: %[[SPLAT:.*]] = vector.broadcast %[[COLUMN]] : index to vector<8xindex>
    // CHECK: arith.addi %[[SPLAT]], %[[INDICES]] : vector<8xindex>
    %c = vector.broadcast %columns : vector<16xindex> to vector<32x16xindex>
    %sum = arith.addi %r, %c : vector<32x16xindex>
    %sum32 = arith.index_cast %sum : vector<32x16xindex> to vector<32x16xi32>
    %g = arith.sitofp %sum32 : vector<32x16xi32> to vector<32x16xf32>
    %fg = arith.addf %f, %g : vector<32x16xf32>
    // CHECK-NOT: vector<32
    %ninf = arith.constant dense<0xFF800000> : vector<32xf32>
    %m = vector.multi_reduction <maxnumf>, %fg, %ninf [1] : vector<32x16xf32> to vector<32xf32>
    vector.transfer_write %m, %LSE[%i] : vector<32xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 32, bc = 16, warps = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

!q = memref<64x72xbf16, #fagpu.sram<swizzle = 128>>
!v = memref<16x72xbf16, #fagpu.sram<swizzle = 128>>

// S = Q K^T starts from 0 and is scaled after; O is scaled before P V is added, and
// P is the A operand as it stands. The loop carries what the thread holds; waits are
// the matter of fa-insert-waits.

// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[Q:.*]]: memref<64x72xbf16, {{.*}}>, %[[V:.*]]: memref<16x72xbf16, {{.*}}>, %{{.*}}: index,
func.func @products(%q: !q, %v: !v, %n: index, %O: memref<?x72xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[ZERO8:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
  // CHECK-DAG: %[[ZERO36:.*]] = arith.constant dense<0.000000e+00> : vector<36xf32>
  // CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<5.000000e-01> : vector<8xf32>
  %zero = arith.constant dense<0.0> : vector<64x72xf32>
  %alphas = arith.constant dense<0.25> : vector<64xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[O:.*]] = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %[[ZERO36]]) -> (vector<36xf32>) {
    %o = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> vector<64x72xf32> {
      // CHECK: %[[DOT:.*]] = fagpu.dot %[[Q]], %[[V]], %[[ZERO8]] contract = {{ *}}columns warps = 4
      // CHECK: %[[S:.*]] = arith.mulf %[[DOT]], %[[SCALE]] : vector<8xf32>
      %s = fa.scores %q, %v scale 0.5 : !q, !v -> vector<64x16xf32>
      // CHECK: %[[P:.*]] = arith.truncf %[[S]] : vector<8xf32> to vector<8xbf16>
      %p = arith.truncf %s : vector<64x16xf32> to vector<64x16xbf16>
      // CHECK: %[[SCALED:.*]] = arith.mulf %[[ACC]], %{{.*}} : vector<36xf32>
      // CHECK: %[[PV:.*]] = fagpu.dot %[[P]], %[[V]], %[[SCALED]] contract = {{ *}}rows warps = 4
      // CHECK: scf.yield %[[PV]] : vector<36xf32>
      %next = fa.accumulate %p, %v, %acc rescale %alphas : vector<64x16xbf16>, !v, vector<64x72xf32>, vector<64xf32>
      scf.yield %next : vector<64x72xf32>
    }
    // CHECK: vector.store
    vector.transfer_write %o, %O[%i, %c0] {in_bounds = [false, true]} : vector<64x72xf32>, memref<?x72xf32>
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// What scores start from is in the accumulators before the product.

!q = memref<64x72xbf16, #fagpu.sram<swizzle = 128>>
!v = memref<16x72xbf16, #fagpu.sram<swizzle = 128>>

// CHECK-LABEL: func.func @start
// CHECK: %[[START:.*]] = vector.broadcast %{{.*}} : f32 to vector<8xf32>
// CHECK: fagpu.dot %{{.*}}, %{{.*}}, %[[START]] contract
func.func @start(%q: !q, %k: !v, %x: f32, %O: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %start = vector.broadcast %x : f32 to vector<64x16xf32>
    %s = fa.scores %q, %k start %start : !q, !v -> vector<64x16xf32>
    vector.transfer_write %s, %O[%i, %c0] {in_bounds = [false, true]} : vector<64x16xf32>, memref<?x16xf32>
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// Where the block is split, the program is that of a row group.

// CHECK-LABEL: func.func @specialized
func.func @specialized(%LSE: memref<?xf32>, %n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: producer {
    // CHECK-NOT: gpu.thread_id
    // CHECK: } consumer {
    // CHECK: %[[THREAD:.*]] = gpu.thread_id x
    fagpu.specialize groups = 2 registers = (24, 240) producer {
    } consumer {
      // CHECK: memref.store
      %l = arith.constant dense<1.0> : vector<64xf32>
      vector.transfer_write %l, %LSE[%i] : vector<64xf32>, memref<?xf32>
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// A tile that is stored by way of SRAM: each thread writes its fragment.

!q = memref<64x16xbf16, #fagpu.sram<swizzle = 128>>

// CHECK-LABEL: func.func @store_tile
// CHECK-SAME: (%[[BUFFER:.*]]: memref<64x16xbf16, {{.*}}>, %[[O:.*]]: memref<?x?x?x16xbf16>, %{{.*}}: f32, %{{.*}}: index)
func.func @store_tile(%buffer: !q, %O: memref<?x?x?x16xbf16>, %x: f32, %n: index) {
  // CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[I:.*]]) in
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[F:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
    // CHECK: fagpu.store_fragment %[[F]] to %[[BUFFER]] warps = 4
    // CHECK: fagpu.store %[[BUFFER]] to %[[O]][%[[B]], %[[H]], %[[I]]]
    %s = vector.broadcast %x : f32 to vector<64x16xf32>
    %t = arith.truncf %s : vector<64x16xf32> to vector<64x16xbf16>
    fagpu.store_tile %t by %buffer to %O[%b, %h, %i] : vector<64x16xbf16>, !q, memref<?x?x?x16xbf16>
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// Two blocks of 16 rows a warp: what is of the first block comes first. A thread has
// rows l / 4, l / 4 + 8, l / 4 + 16 and l / 4 + 24 of the 32 of its warp.

// CHECK-LABEL: func.func @row_blocks
// CHECK-SAME: (%[[O:.*]]: memref<?x16xf16>, %[[LSE:.*]]: memref<?xf32>, %{{.*}}: index
func.func @row_blocks(%O: memref<?x16xf16>, %LSE: memref<?xf32>, %n: index) {
  // CHECK-DAG: %[[COLUMNS:.*]] = arith.constant dense<[0, 1, 0, 1, 8, 9, 8, 9, 0, 1, 0, 1, 8, 9, 8, 9]> : vector<16xindex>
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[WARP:.*]] = arith.remui %{{.*}}, %c2
    // CHECK: %[[OFWARP:.*]] = arith.muli %[[WARP]], %c32
    // CHECK: %[[INWARP:.*]] = arith.divui %{{.*}}, %c4
    // CHECK: %[[ROW:.*]] = arith.addi %[[OFWARP]], %[[INWARP]]
    // CHECK: %[[COLUMN:.*]] = arith.muli
    // CHECK-DAG: %[[ROW8:.*]] = arith.addi %[[ROW]], %c8
    // CHECK-DAG: %[[ROW16:.*]] = arith.addi %[[ROW]], %c16
    // CHECK-DAG: %[[ROW24:.*]] = arith.addi %[[ROW]], %c24
    // CHECK: %[[ROWS:.*]] = vector.from_elements %[[ROW]], %[[ROW8]], %[[ROW16]], %[[ROW24]] : vector<4xindex>
    // CHECK: vector.shuffle %[[ROWS]], %[[ROWS]] [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]
    // CHECK: arith.addi %{{.*}}, %[[COLUMNS]] : vector<16xindex>
    %steps = vector.step : vector<64xindex>
    %rows = vector.shape_cast %steps : vector<64xindex> to vector<64x1xindex>
    %r = vector.broadcast %rows : vector<64x1xindex> to vector<64x16xindex>
    %columns = vector.step : vector<16xindex>
    %c = vector.broadcast %columns : vector<16xindex> to vector<64x16xindex>
    %sum = arith.addi %r, %c : vector<64x16xindex>
    %sum32 = arith.index_cast %sum : vector<64x16xindex> to vector<64x16xi32>
    // CHECK: %[[S:.*]] = arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
    %s = arith.sitofp %sum32 : vector<64x16xi32> to vector<64x16xf32>

    // The third of four statistics: the first row of the second block.
    // CHECK-DAG: %[[S8:.*]] = vector.extract %[[S]][8]
    // CHECK-DAG: %[[S9:.*]] = vector.extract %[[S]][9]
    // CHECK-DAG: %[[S12:.*]] = vector.extract %[[S]][12]
    // CHECK-DAG: %[[S13:.*]] = vector.extract %[[S]][13]
    // CHECK-DAG: %[[M89:.*]] = arith.maxnumf %[[S8]], %[[S9]]
    // CHECK-DAG: %[[MCD:.*]] = arith.maxnumf %[[S12]], %[[S13]]
    // CHECK: %[[M:.*]] = arith.maxnumf %[[M89]], %[[MCD]]
    // CHECK-COUNT-8: nvvm.shfl.sync
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK: vector.from_elements %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
    // CHECK: arith.maxnumf %{{.*}} : vector<4xf32>
    %ninf = arith.constant dense<0xFF800000> : vector<64xf32>
    %m = vector.multi_reduction <maxnumf>, %s, %ninf [1] : vector<64x16xf32> to vector<64xf32>
    // CHECK: %[[P:.*]] = arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf16>
    %p = arith.truncf %s : vector<64x16xf32> to vector<64x16xf16>

    // CHECK: scf.if
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [0], sizes = [2]
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [4], sizes = [2]
    // CHECK: scf.if
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [2], sizes = [2]
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [6], sizes = [2]
    // CHECK: scf.if
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [8], sizes = [2]
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [12], sizes = [2]
    // CHECK: scf.if
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [10], sizes = [2]
    // CHECK:   vector.extract_strided_slice %[[P]] {offsets = [14], sizes = [2]
    vector.transfer_write %p, %O[%i, %c0] {in_bounds = [false, true]} : vector<64x16xf16>, memref<?x16xf16>
    // CHECK-COUNT-4: memref.store
    vector.transfer_write %m, %LSE[%i] : vector<64xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// A row group of sm_90a reduces a row by two chains, over even and odd columns.

// CHECK-LABEL: func.func @chains
func.func @chains(%LSE: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    fagpu.specialize groups = 1 registers = (24, 240) producer {
    } consumer {
      // CHECK: %[[S:.*]] = math.exp2 %{{.*}} : vector<16xf32>
      // CHECK-DAG: %[[S0:.*]] = vector.extract %[[S]][0]
      // CHECK-DAG: %[[S1:.*]] = vector.extract %[[S]][1]
      // CHECK-DAG: %[[S4:.*]] = vector.extract %[[S]][4]
      // CHECK-DAG: %[[S5:.*]] = vector.extract %[[S]][5]
      // CHECK-DAG: %[[S8:.*]] = vector.extract %[[S]][8]
      // CHECK-DAG: %[[S9:.*]] = vector.extract %[[S]][9]
      // CHECK-DAG: %[[E4:.*]] = arith.maxnumf %[[S0]], %[[S4]]
      // CHECK-DAG: %[[O5:.*]] = arith.maxnumf %[[S1]], %[[S5]]
      // CHECK-DAG: %[[E8:.*]] = arith.maxnumf %[[E4]], %[[S8]]
      // CHECK-DAG: %[[O9:.*]] = arith.maxnumf %[[O5]], %[[S9]]
      // CHECK-DAG: %[[E:.*]] = arith.maxnumf %[[E8]], %{{.*}}
      // CHECK-DAG: %[[O:.*]] = arith.maxnumf %[[O9]], %{{.*}}
      // CHECK: arith.maxnumf %[[E]], %[[O]]
      %two = arith.constant dense<2.0> : vector<64x32xf32>
      %splat = vector.broadcast %x : f32 to vector<64x32xf32>
      %scaled = arith.mulf %splat, %two : vector<64x32xf32>
      %s = math.exp2 %scaled : vector<64x32xf32>
      %ninf = arith.constant dense<0xFF800000> : vector<64xf32>
      %m = vector.multi_reduction <maxnumf>, %s, %ninf [1] : vector<64x32xf32> to vector<64xf32>
      vector.transfer_write %m, %LSE[%i] : vector<64xf32>, memref<?xf32>
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 32, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// O is rescaled by the factor of each row; rarely, in a branch that all lanes of a
// warp take if one of them has a factor other than 1.

// CHECK-LABEL: func.func @rescale
// CHECK-SAME: %[[X:[^:]*]]: f32)
func.func @rescale(%O: memref<?x8xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<2xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[ACC:.*]] = vector.broadcast %[[X]] : f32 to vector<4xf32>
    // CHECK: %[[ALPHA:.*]] = math.exp2 %{{.*}} : vector<2xf32>
    %two = arith.constant dense<2.0> : vector<16xf32>
    %splat = vector.broadcast %x : f32 to vector<16xf32>
    %scaled = arith.mulf %splat, %two : vector<16xf32>
    %alpha = math.exp2 %scaled : vector<16xf32>
    %acc = vector.broadcast %x : f32 to vector<16x8xf32>
    // CHECK: %[[FACTOR:.*]] = vector.shuffle %[[ALPHA]], %[[ALPHA]] [0, 0, 1, 1]
    // CHECK: %[[O1:.*]] = arith.mulf %[[ACC]], %[[FACTOR]]
    %o1 = fa.rescale %acc by %alpha : vector<16x8xf32>, vector<16xf32>
    // CHECK: %[[DIFFERS:.*]] = arith.cmpf une, %[[ALPHA]], %[[ONE]]
    // CHECK: %[[D0:.*]] = vector.extract %[[DIFFERS]][0]
    // CHECK: %[[D1:.*]] = vector.extract %[[DIFFERS]][1]
    // CHECK: %[[MINE:.*]] = arith.ori %[[D0]], %[[D1]]
    // CHECK: %[[ANY:.*]] = nvvm.vote.sync any %c-1_i32, %[[MINE]] -> i1
    // CHECK: %[[O2:.*]] = scf.if %[[ANY]] -> (vector<4xf32>) {
    // CHECK:   %[[SCALED:.*]] = arith.mulf %[[O1]], %{{.*}} : vector<4xf32>
    // CHECK:   scf.yield %[[SCALED]]
    // CHECK: } else {
    // CHECK:   scf.yield %[[O1]]
    // CHECK: }
    // CHECK: vector.extract_strided_slice %[[O2]]
    %o2 = fa.rescale %o1 by %alpha rarely : vector<16x8xf32>, vector<16xf32>
    vector.transfer_write %o2, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x8xf32>, memref<?x8xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// 20 columns count as 24. Of the last 8 only the lanes that have columns 16 to 19
// store: whole pairs where rows are aligned to them.

// CHECK-LABEL: func.func @narrow_store
func.func @narrow_store(%x: f32, %O: memref<?x20xf16>, %P: memref<?x20xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[COLUMN:.*]] = arith.muli
    // CHECK: vector.broadcast %{{.*}} : f32 to vector<12xf32>
    // CHECK: %[[T:.*]] = arith.truncf %{{.*}} : vector<12xf32> to vector<12xf16>
    // CHECK: scf.if
    // CHECK-COUNT-2: vector.store {{.*}} {alignment = 4 : i64}
    // CHECK: %[[LAST:.*]] = arith.addi %[[COLUMN]], %c16
    // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[LAST]], %c20
    // CHECK: scf.if %[[EXISTS]] {
    // CHECK:   vector.extract_strided_slice %[[T]] {offsets = [8], sizes = [2]
    // CHECK:   vector.store {{.*}}[%{{.*}}, %[[LAST]]] {alignment = 4 : i64}
    // CHECK: }
    %s = vector.broadcast %x : f32 to vector<16x20xf32>
    %t = arith.truncf %s : vector<16x20xf32> to vector<16x20xf16>
    vector.transfer_write %t, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x20xf16>, memref<?x20xf16>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912, align = 8>}
  return
}

// -----

// Column numbers are compared with limits from which the first one was taken: one
// value a row, or one in all, instead of one an element. Other comparisons stay.

// CHECK-LABEL: func.func @column_tests
// CHECK-SAME: %[[LIMIT:[^:]*]]: i32)
func.func @column_tests(%O: memref<?x16xf32>, %n: index, %limit: i32) {
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[CS:.*]] = arith.constant dense<[0, 1, 0, 1, 8, 9, 8, 9]> : vector<8xi32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    fagpu.specialize groups = 1 registers = (24, 240) producer {
    } consumer {
      // CHECK: %[[COLUMN:.*]] = arith.index_cast %{{.*}} : index to i32
      // CHECK: %[[ROWS:.*]] = arith.index_cast %{{.*}} : vector<2xindex> to vector<2xi32>
      // CHECK: %[[FIRST:.*]] = vector.broadcast %[[COLUMN]] : i32 to vector<2xi32>
      // CHECK: %[[LIMITS:.*]] = arith.subi %[[ROWS]], %[[FIRST]] : vector<2xi32>
      // CHECK: %[[EACH:.*]] = vector.shuffle %[[LIMITS]], %[[LIMITS]] [0, 0, 1, 1, 0, 0, 1, 1]
      // CHECK: %[[BELOW:.*]] = arith.cmpi sgt, %[[EACH]], %[[CS]]
      %steps = vector.step : vector<16xindex>
      %steps32 = arith.index_cast %steps : vector<16xindex> to vector<16xi32>
      %columns = vector.broadcast %steps32 : vector<16xi32> to vector<64x16xi32>
      %rows = vector.step : vector<64xindex>
      %rows32 = arith.index_cast %rows : vector<64xindex> to vector<64xi32>
      %column = vector.shape_cast %rows32 : vector<64xi32> to vector<64x1xi32>
      %row = vector.broadcast %column : vector<64x1xi32> to vector<64x16xi32>
      %below = arith.cmpi slt, %columns, %row : vector<64x16xi32>
      // CHECK: %[[LEFT:.*]] = arith.subi %[[LIMIT]], %[[COLUMN]] : i32
      // CHECK: %[[ALL:.*]] = vector.broadcast %[[LEFT]] : i32 to vector<8xi32>
      // CHECK: %[[INSIDE:.*]] = arith.cmpi sgt, %[[ALL]], %[[CS]]
      %limits = vector.broadcast %limit : i32 to vector<64x16xi32>
      %inside = arith.cmpi slt, %columns, %limits : vector<64x16xi32>
      // CHECK: %[[BOTH:.*]] = arith.andi %[[BELOW]], %[[INSIDE]]
      // CHECK: %[[C:.*]] = arith.addi %{{.*}}, %[[CS]]
      // CHECK: arith.cmpi eq, %[[C]],
      %product = arith.muli %row, %columns : vector<64x16xi32>
      %other = arith.cmpi eq, %columns, %product : vector<64x16xi32>
      %both = arith.andi %below, %inside : vector<64x16xi1>
      %three = arith.andi %both, %other : vector<64x16xi1>
      %f = arith.uitofp %three : vector<64x16xi1> to vector<64x16xf32>
      vector.transfer_write %f, %O[%i, %c0] {in_bounds = [false, true]} : vector<64x16xf32>, memref<?x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// Reads as stores, two elements at a time; a row past the end is read as the
// last.

// CHECK-LABEL: func.func @reads
// CHECK-SAME: (%[[P:.*]]: memref<?x16xbf16>, %[[SUMS:.*]]: memref<?xf32>, %[[O:.*]]: memref<?x16xbf16>,
func.func @reads(%P: memref<?x16xbf16>, %sums: memref<?xf32>, %O: memref<?x16xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32
  // CHECK: %[[ROW:.*]] = arith.divui %[[LANE]], %c4
  // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c2
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[END:.*]] = memref.dim %[[P]]
    // CHECK: %[[LAST:.*]] = arith.subi %[[END]], %c1
    // CHECK: %[[R0:.*]] = arith.minsi %[[ROW]], %[[LAST]]
    // CHECK: %[[A:.*]] = vector.load %[[P]][%[[R0]], %[[COLUMN]]] {alignment = 4 : i64} : memref<?x16xbf16>, vector<2xbf16>
    // CHECK: %[[T0:.*]] = vector.insert_strided_slice %[[A]], %{{.*}} {offsets = [0], strides = [1]} : vector<2xbf16> into vector<8xbf16>
    // CHECK: %[[C1:.*]] = arith.addi %[[COLUMN]], %c8
    // CHECK: %[[B:.*]] = vector.load %[[P]][%[[R0]], %[[C1]]]
    // CHECK: %[[T1:.*]] = vector.insert_strided_slice %[[B]], %[[T0]] {offsets = [4], strides = [1]}
    // CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c8
    // CHECK: %[[R1:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
    // CHECK: vector.load %[[P]][%[[R1]], %[[COLUMN]]]
    // CHECK: vector.insert_strided_slice %{{.*}}, %[[T1]] {offsets = [2], strides = [1]}
    %p = vector.transfer_read %P[%c0, %c0], %pad {in_bounds = [false, true]} : memref<?x16xbf16>, vector<16x16xbf16>
    // CHECK: %[[L0:.*]] = memref.load %[[SUMS]]
    // CHECK: %[[L1:.*]] = memref.load %[[SUMS]]
    // CHECK: vector.from_elements %[[L0]], %[[L1]] : vector<2xf32>
    %l = vector.transfer_read %sums[%c0], %zero {in_bounds = [false]} : memref<?xf32>, vector<16xf32>
    %column = vector.shape_cast %l : vector<16xf32> to vector<16x1xf32>
    %all = vector.broadcast %column : vector<16x1xf32> to vector<16x16xf32>
    %wide = arith.extf %p : vector<16x16xbf16> to vector<16x16xf32>
    %o = arith.divf %wide, %all : vector<16x16xf32>
    %narrow = arith.truncf %o : vector<16x16xf32> to vector<16x16xbf16>
    vector.transfer_write %narrow, %O[%c0, %c0] {in_bounds = [false, true]} : vector<16x16xbf16>, memref<?x16xbf16>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// By single elements where rows are not aligned to pairs.

// CHECK-LABEL: func.func @odd_store
func.func @odd_store(%x: f32, %O: memref<?x9xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: scf.if
    // CHECK-COUNT-2: memref.store
    // CHECK: arith.cmpi slt, %{{.*}}, %c9
    // CHECK: scf.if
    // CHECK-NEXT: vector.extract
    // CHECK-NEXT: memref.store
    // CHECK: scf.if
    // CHECK-NEXT: vector.extract
    // CHECK-NEXT: memref.store
    // CHECK-NOT: vector.store
    // CHECK: return
    %s = vector.broadcast %x : f32 to vector<16x9xf32>
    %t = arith.truncf %s : vector<16x9xf32> to vector<16x9xf16>
    vector.transfer_write %t, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x9xf16>, memref<?x9xf16>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912, align = 2>}
  return
}
