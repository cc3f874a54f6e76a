// RUN: fa-opt %s --fa-tile --canonicalize --cse | FileCheck %s

!Q = memref<?x?x?x16xf16>
!V = memref<?x?x?x24xf16>
!LSE = memref<?x?x?xf32>
#s = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 256>

// The whole nest, without a mask: full tiles are those that lie before the end,
// the edge tile is the one across it, if any. Visit t is of the tile last - t, edge
// or full.

// CHECK-LABEL: func.func @no_mask
// CHECK-SAME: (%[[Q:[^:]*]]: memref<{{[^>]*}}>, %[[K:[^:]*]]: memref<{{[^>]*}}>, %[[V:[^:]*]]: memref<{{[^>]*}}>,
// CHECK-SAME: %[[O:[^:]*]]: memref<{{[^>]*}}>, %[[LSE:[^:]*]]: memref<{{[^>]*}}>)
// CHECK-DAG: %[[O_INIT:.*]] = arith.constant dense<0.000000e+00> : vector<16x24xf32>
// CHECK-DAG: %[[L_INIT:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-DAG: %[[M_INIT:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK-DAG: %[[HIDDEN:.*]] = arith.constant dense<0xFF800000> : vector<16x32xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[BR:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[BC:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[BATCHES:.*]] = memref.dim %[[Q]], %[[C0]]
// CHECK-DAG: %[[HEADS:.*]] = memref.dim %[[Q]], %[[C1]]
// CHECK-DAG: %[[SQ:.*]] = memref.dim %[[Q]], %[[C2]]
// CHECK-DAG: %[[SK:.*]] = memref.dim %[[K]], %[[C2]]
// CHECK-DAG: %[[TR:.*]] = arith.ceildivui %[[SQ]], %[[BR]]
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[I:.*]]) in (%[[BATCHES]], %[[HEADS]], %[[TR]]) {
// CHECK: %[[ROW0:.*]] = arith.muli %[[I]], %[[BR]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[SQ]], %[[ROW0]]
// CHECK: %[[ROWS:.*]] = arith.minsi %[[LEFT]], %[[BR]]
// CHECK: %[[QI:.*]] = memref.subview %[[Q]][%[[B]], %[[H]], %[[ROW0]], 0] [1, 1, %[[ROWS]], 16] [1, 1, 1, 1]
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[SK]], %[[BC]]
// CHECK: %[[FULL:.*]] = arith.divui %[[SK]], %[[BC]]
// CHECK: %[[LAST:.*]] = arith.subi %[[TILES]], %[[C1]]
// CHECK: %[[EDGES:.*]] = arith.subi %[[TILES]], %[[FULL]]

// First pass. An edge tile has as many keys as are left, and the others are
// masked; it comes after the full tiles, and is visited before them.
// CHECK: %[[M_EDGE:.*]] = scf.for %[[T:.*]] = %[[C0]] to %[[EDGES]] step %[[C1]] iter_args(%[[M:.*]] = %[[M_INIT]])
// CHECK:   %[[J:.*]] = arith.subi %[[LAST]], %[[T]]
// CHECK:   %[[KEY0:.*]] = arith.muli %[[J]], %[[BC]]
// CHECK:   %[[KEYS_LEFT:.*]] = arith.subi %[[SK]], %[[KEY0]]
// CHECK:   %[[KEYS:.*]] = arith.minsi %[[KEYS_LEFT]], %[[BC]]
// CHECK:   %[[KJ:.*]] = memref.subview %[[K]][%[[B]], %{{.*}}, %[[KEY0]], 0] [1, 1, %[[KEYS]], 16] [1, 1, 1, 1] : {{.*}} to memref<?x16xf16
// CHECK:   %[[S:.*]] = fa.scores %[[QI]], %[[KJ]] : {{.*}} -> vector<16x32xf32>
// CHECK:   %[[END_I32:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK:   %[[COLUMN:.*]] = vector.broadcast %{{.*}} : vector<32xi32> to vector<16x32xi32>
// CHECK:   %[[END:.*]] = vector.broadcast %[[END_I32]] : i32 to vector<16x32xi32>
// CHECK:   %[[VISIBLE:.*]] = arith.cmpi slt, %[[COLUMN]], %[[END]]
// CHECK:   %[[MASKED:.*]] = arith.select %[[VISIBLE]], %[[S]], %[[HIDDEN]]
// CHECK:   %[[MAX:.*]] = vector.multi_reduction <maxnumf>, %[[MASKED]], %[[M]] [1]
// CHECK:   scf.yield %[[MAX]]
// CHECK: %[[M_ALL:.*]] = scf.for %[[T:.*]] = %[[EDGES]] to %[[TILES]] step %[[C1]] iter_args(%[[M:.*]] = %[[M_EDGE]])
// CHECK-NOT: select
// CHECK:   %[[J:.*]] = arith.subi %[[LAST]], %[[T]]
// CHECK:   %[[KEY0:.*]] = arith.muli %[[J]], %[[BC]]
// CHECK:   %[[KJ:.*]] = memref.subview %[[K]][%[[B]], %{{.*}}, %[[KEY0]], 0] [1, 1, 32, 16] [1, 1, 1, 1] : {{.*}} to memref<32x16xf16
// CHECK:   %[[S:.*]] = fa.scores %[[QI]], %[[KJ]] :
// CHECK-NEXT: %[[MAX:.*]] = vector.multi_reduction <maxnumf>, %[[S]], %[[M]] [1]
// CHECK-NEXT: scf.yield %[[MAX]]

// Second pass. P has the type of V, and V its own head dim.
// CHECK: %[[SUMS:.*]]:2 = scf.for %{{.*}} = %[[C0]] to %[[EDGES]] step %[[C1]] iter_args(%[[L:.*]] = %[[L_INIT]], %[[ACC:.*]] = %[[O_INIT]])
// CHECK:   %[[MASKED:.*]] = arith.select %{{.*}}, %{{.*}}, %[[HIDDEN]]
// CHECK:   %[[P:.*]], %[[L1:.*]] = fa.softmax %[[MASKED]], %[[M_ALL]], %[[L]] scale 5.000000e-01 : {{.*}} -> vector<16x32xf16>
// CHECK:   %[[VJ:.*]] = memref.subview %[[V]][%[[B]], %{{.*}}, %{{.*}}, 0] [1, 1, %{{.*}}, 24] [1, 1, 1, 1]
// CHECK:   %[[ACC1:.*]] = fa.accumulate %[[P]], %[[VJ]], %[[ACC]] :
// CHECK:   scf.yield %[[L1]], %[[ACC1]]
// CHECK: %[[TOTAL:.*]]:2 = scf.for %{{.*}} = %[[EDGES]] to %[[TILES]] step %[[C1]] iter_args(%[[L:.*]] = %[[SUMS]]#0, %[[ACC:.*]] = %[[SUMS]]#1)
// CHECK-NOT: select
// CHECK:   %[[P:.*]], %[[L1:.*]] = fa.softmax %{{.*}}, %[[M_ALL]], %[[L]] scale 5.000000e-01
// CHECK:   %[[ACC1:.*]] = fa.accumulate %[[P]], %{{.*}}, %[[ACC]] :
// CHECK:   scf.yield %[[L1]], %[[ACC1]]

// Rows past the end are not stored.
// CHECK: %[[OUT:.*]], %[[LSE_I:.*]] = fa.finish %[[TOTAL]]#1, %[[M_ALL]], %[[TOTAL]]#0 scale 5.000000e-01
// CHECK: %[[OUT_F16:.*]] = arith.truncf %[[OUT]] : vector<16x24xf32> to vector<16x24xf16>
// CHECK: %[[O_VIEW:.*]] = memref.subview %[[O]][%[[B]], %[[H]], %[[ROW0]], 0] [1, 1, %[[ROWS]], 24] [1, 1, 1, 1]
// CHECK: vector.transfer_write %[[OUT_F16]], %[[O_VIEW]][%[[C0]], %[[C0]]] {in_bounds = [false, true]}
// CHECK: %[[LSE_VIEW:.*]] = memref.subview %[[LSE]][%[[B]], %[[H]], %[[ROW0]]] [1, 1, %[[ROWS]]] [1, 1, 1]
// CHECK: vector.transfer_write %[[LSE_I]], %[[LSE_VIEW]][%[[C0]]] : vector<16xf32>

// The nest carries schedule and target; only GPU kernels have a problem.
// CHECK: } {fa.schedule = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>, fa.target = #fa.target<"cpu", sram = 65536, vector_bits = 256>,
// CHECK-SAME: mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
func.func @no_mask(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE)
      scale = 0.5 {schedule = #s, target = #t}
  return
}

// Query heads share key/value heads: h / max(1, Hq / max(1, Hkv)).

// CHECK-LABEL: func.func @heads
// CHECK-SAME: (%[[Q:[^:]*]]: memref<{{[^>]*}}>, %[[K:[^:]*]]: memref
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[HQ:.*]] = memref.dim %[[Q]], %[[C1]]
// CHECK-DAG: %[[HKV:.*]] = memref.dim %[[K]], %[[C1]]
// CHECK: %[[HKV1:.*]] = arith.maxui %[[HKV]], %[[C1]]
// CHECK: %[[RATIO:.*]] = arith.divui %[[HQ]], %[[HKV1]]
// CHECK: %[[GROUP:.*]] = arith.maxui %[[RATIO]], %[[C1]]
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %{{.*}}) in
// CHECK: %[[HK:.*]] = arith.divui %[[H]], %[[GROUP]]
// CHECK: memref.subview %[[Q]][%[[B]], %[[H]],
// CHECK: memref.subview %[[K]][%[[B]], %[[HK]],
func.func @heads(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE) {schedule = #s, target = #t}
  return
}

// Causal: keys up to i + Sk - Sq. The last row sees the most, the first row
// those that all see.

// CHECK-LABEL: func.func @causal(
// CHECK-SAME: %[[Q:[^:]*]]: memref<{{[^>]*}}>, %[[K:[^:]*]]: memref
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[BC:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[SQ:.*]] = memref.dim %[[Q]], %[[C2]]
// CHECK-DAG: %[[SK:.*]] = memref.dim %[[K]], %[[C2]]
// CHECK: %[[DIAGONAL:.*]] = arith.subi %[[SK]], %[[SQ]]
// CHECK: scf.forall
// CHECK: %[[ROW0:.*]] = arith.muli
// CHECK: %[[ROWS:.*]] = arith.minsi
// CHECK: %[[FIRST:.*]] = arith.addi %[[ROW0]], %[[DIAGONAL]]
// CHECK: %[[PAST_LAST:.*]] = arith.addi %[[FIRST]], %[[ROWS]]
// CHECK: %[[SEEN0:.*]] = arith.minsi %[[SK]], %[[PAST_LAST]]
// CHECK: %[[SEEN:.*]] = arith.maxsi %[[SEEN0]], %[[C0]]
// CHECK: %[[PAST_FIRST:.*]] = arith.addi %[[FIRST]], %[[C1]]
// CHECK: %[[ALL0:.*]] = arith.minsi %[[SK]], %[[PAST_FIRST]]
// CHECK: %[[ALL:.*]] = arith.maxsi %[[ALL0]], %[[C0]]
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[SEEN]], %[[BC]]
// CHECK: %[[FULL:.*]] = arith.divui %[[ALL]], %[[BC]]
// CHECK: %[[EDGES:.*]] = arith.subi %[[TILES]], %[[FULL]]
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[EDGES]]
// In an edge tile, column < min(Sk - key0, row + (first - key0) + 1), one limit a
// row; distances are clamped to 32 bits.
// CHECK:   %[[KEY0:.*]] = arith.muli
// CHECK:   %[[KEYS_LEFT:.*]] = arith.subi %[[SK]], %[[KEY0]]
// CHECK:   %[[ROW:.*]] = arith.index_cast %{{.*}} : vector<16xindex> to vector<16xi32>
// CHECK:   %[[D:.*]] = arith.subi %[[FIRST]], %[[KEY0]]
// CHECK:   %[[E1:.*]] = arith.minsi %[[KEYS_LEFT]], %{{.*}} : index
// CHECK:   %[[E2:.*]] = arith.maxsi %[[E1]], %{{.*}} : index
// CHECK:   %[[E3:.*]] = arith.index_cast %[[E2]] : index to i32
// CHECK:   %[[END:.*]] = vector.broadcast %[[E3]] : i32 to vector<16xi32>
// CHECK:   %[[D0:.*]] = arith.addi %[[D]], %[[C1]]
// CHECK:   %[[D1:.*]] = arith.minsi %[[D0]], %{{.*}} : index
// CHECK:   %[[D2:.*]] = arith.maxsi %[[D1]], %{{.*}} : index
// CHECK:   %[[D3:.*]] = arith.index_cast %[[D2]] : index to i32
// CHECK:   %[[D4:.*]] = vector.broadcast %[[D3]] : i32 to vector<16xi32>
// CHECK:   %[[PAST:.*]] = arith.addi %[[ROW]], %[[D4]] : vector<16xi32>
// CHECK:   %[[LIMIT:.*]] = arith.minsi %[[END]], %[[PAST]] : vector<16xi32>
// CHECK:   %[[COLUMN:.*]] = vector.broadcast %{{.*}} : vector<32xi32> to vector<16x32xi32>
// CHECK:   %[[ROWS_LIMIT:.*]] = vector.shape_cast %[[LIMIT]] : vector<16xi32> to vector<16x1xi32>
// CHECK:   %[[LIMITS:.*]] = vector.broadcast %[[ROWS_LIMIT]] : vector<16x1xi32> to vector<16x32xi32>
// CHECK:   %[[VISIBLE:.*]] = arith.cmpi slt, %[[COLUMN]], %[[LIMITS]]
// CHECK:   arith.select %[[VISIBLE]],
// CHECK: scf.for %{{.*}} = %[[EDGES]] to %[[TILES]]
func.func @causal(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE)
      mask = #fa.mask<causal> {schedule = #s, target = #t}
  return
}

// Top-left: the same without Sk - Sq.

// CHECK-LABEL: func.func @causal_top_left(
// CHECK-SAME: %{{[^:]*}}: memref<{{[^>]*}}>, %[[K:[^:]*]]: memref
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[SK:.*]] = memref.dim %[[K]], %[[C2]]
// CHECK-NOT: arith.subi %[[SK]]
// CHECK: scf.forall
// CHECK: %[[ROW0:.*]] = arith.muli
// CHECK: %[[ROWS:.*]] = arith.minsi
// CHECK: %[[PAST_LAST:.*]] = arith.addi %[[ROW0]], %[[ROWS]]
// CHECK: arith.minsi %[[SK]], %[[PAST_LAST]]
// CHECK: %[[PAST_FIRST:.*]] = arith.addi %[[ROW0]], %[[C1]]
// CHECK: arith.minsi %[[SK]], %[[PAST_FIRST]]
// CHECK: scf.for
func.func @causal_top_left(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE)
      mask = #fa.mask<causal, align = top_left> {schedule = #s, target = #t}
  return
}

// Window: keys from i - 5 to i + 3 (shifted). Tiles before the first that any
// row sees are skipped; edge tiles lie on both sides of the full ones, which the
// loop over edge tiles, from the last one down, leaves out. Then come the full ones,
// from the last one down.

// CHECK-LABEL: func.func @window(
// CHECK-SAME: %{{[^:]*}}: memref<{{[^>]*}}>, %[[K:[^:]*]]: memref
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[LEFT:.*]] = arith.constant 5 : index
// CHECK-DAG: %[[LEFT1:.*]] = arith.constant 6 : index
// CHECK-DAG: %[[RIGHT:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[RIGHT1:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[MINUS_LEFT:.*]] = arith.constant -5 : index
// CHECK-DAG: %[[BC:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[SK:.*]] = memref.dim %[[K]], %[[C2]]
// CHECK: scf.forall
// CHECK: %[[ROWS:.*]] = arith.minsi
// CHECK: %[[FIRST:.*]] = arith.addi
// CHECK: %[[PAST_LAST:.*]] = arith.addi %[[FIRST]], %[[ROWS]]
// lo = max(0, first - left), flo = max(0, past - 1 - left)
// CHECK: %[[LO0:.*]] = arith.subi %[[FIRST]], %[[LEFT]]
// CHECK: %[[LO:.*]] = arith.maxsi %[[LO0]], %[[C0]]
// CHECK: %[[FLO0:.*]] = arith.subi %[[PAST_LAST]], %[[LEFT1]]
// CHECK: %[[FLO:.*]] = arith.maxsi %[[FLO0]], %[[C0]]
// One past hi = past - 1 + right, and past fhi = first + right.
// CHECK: %[[HI0:.*]] = arith.addi %[[PAST_LAST]], %[[RIGHT]]
// CHECK: %[[HI1:.*]] = arith.minsi %[[SK]], %[[HI0]]
// CHECK: %[[HI:.*]] = arith.maxsi %[[HI1]], %[[C0]]
// CHECK: %[[FHI0:.*]] = arith.addi %[[FIRST]], %[[RIGHT1]]
// CHECK: %[[FHI1:.*]] = arith.minsi %[[SK]], %[[FHI0]]
// CHECK: %[[FHI:.*]] = arith.maxsi %[[FHI1]], %[[C0]]
// CHECK: %[[END0:.*]] = arith.ceildivui %[[HI]], %[[BC]]
// CHECK: %[[FULL_END0:.*]] = arith.divui %[[FHI]], %[[BC]]
// CHECK: %[[BEGIN:.*]] = arith.divui %[[LO]], %[[BC]]
// CHECK: %[[END:.*]] = arith.maxsi %[[BEGIN]], %[[END0]]
// CHECK: %[[FULL_BEGIN0:.*]] = arith.ceildivui %[[FLO]], %[[BC]]
// CHECK: %[[FULL_BEGIN:.*]] = arith.minsi %[[FULL_BEGIN0]], %[[END]]
// CHECK: %[[FULL_END1:.*]] = arith.minsi %[[FULL_END0]], %[[END]]
// CHECK: %[[FULL_END:.*]] = arith.maxsi %[[FULL_BEGIN]], %[[FULL_END1]]
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %[[C1]]
// CHECK: %[[GAP:.*]] = arith.subi %[[FULL_END]], %[[FULL_BEGIN]]
// CHECK: %[[AFTER:.*]] = arith.subi %[[END]], %[[FULL_END]]
// CHECK: %[[BEFORE:.*]] = arith.subi %[[FULL_BEGIN]], %[[BEGIN]]
// CHECK: %[[EDGES:.*]] = arith.addi %[[AFTER]], %[[BEFORE]]
// CHECK: %[[FULL_LAST0:.*]] = arith.addi %[[FULL_END]], %[[EDGES]]
// CHECK: %[[FULL_LAST:.*]] = arith.subi %[[FULL_LAST0]], %[[C1]]
// CHECK: %[[VISITS:.*]] = arith.addi %[[EDGES]], %[[GAP]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[EDGES]]
// CHECK:   %[[IS_AFTER:.*]] = arith.cmpi slt, %[[T]], %[[AFTER]]
// CHECK:   %[[NUMBER:.*]] = arith.subi %[[LAST]], %[[T]]
// CHECK:   %[[NUMBER_BEFORE:.*]] = arith.subi %[[NUMBER]], %[[GAP]]
// CHECK:   %[[J:.*]] = arith.select %[[IS_AFTER]], %[[NUMBER]], %[[NUMBER_BEFORE]]
// CHECK:   %[[KEY0:.*]] = arith.muli %[[J]], %[[BC]]
// CHECK:   %[[D:.*]] = arith.subi %[[FIRST]], %[[KEY0]]
// CHECK:   arith.addi %[[D]], %[[RIGHT1]]
// CHECK:   arith.cmpi slt
// CHECK:   arith.addi %[[D]], %[[MINUS_LEFT]]
// CHECK:   arith.cmpi sge
// CHECK: scf.for %[[T:.*]] = %[[EDGES]] to %[[VISITS]]
// CHECK:   arith.subi %[[FULL_LAST]], %[[T]]
func.func @window(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE)
      mask = #fa.mask<window, left = 5, right = 3> {schedule = #s, target = #t}
  return
}

// A score region sees the scaled score, so the scale goes first. What depends on
// the head alone stays a scalar; a table that is read at positions is gathered.
// Past the end of rows, and in edge tiles of keys, the last one is read.

// CHECK-LABEL: func.func @score_region(
// CHECK-SAME: %[[Q:[^:]*]]: memref<{{[^>]*}}>, %[[K:[^:]*]]: memref
// CHECK-SAME: %[[TABLE:[^:]*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[SLOPES:.*]]: memref<?xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16x32xf32>
// CHECK-DAG: %[[YES:.*]] = arith.constant dense<true> : vector<16x32xi1>
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[SQ:.*]] = memref.dim %[[Q]], %[[C2]]
// CHECK-DAG: %[[SK:.*]] = memref.dim %[[K]], %[[C2]]
// CHECK: scf.forall (%{{.*}}, %[[H:.*]], %{{.*}}) in
// CHECK: %[[ROW0:.*]] = arith.muli
// CHECK: scf.for
// CHECK:   %[[KEY0:.*]] = arith.muli
// CHECK:   %[[S:.*]] = fa.scores %{{.*}}, %{{.*}} scale 5.000000e-01
// CHECK:   %[[R0:.*]] = vector.broadcast %[[ROW0]] : index to vector<16xindex>
// CHECK:   %[[ROWS:.*]] = arith.addi %{{.*}}, %[[R0]]
// CHECK:   %[[LAST_ROW:.*]] = arith.subi %[[SQ]], %[[C1]]
// CHECK:   %[[LAST_ROWS:.*]] = vector.broadcast %[[LAST_ROW]]
// CHECK:   %[[CLAMPED:.*]] = arith.minsi %[[ROWS]], %[[LAST_ROWS]]
// CHECK:   %[[COLUMN:.*]] = vector.shape_cast %[[CLAMPED]]
// CHECK:   %[[I:.*]] = vector.broadcast %[[COLUMN]]
// CHECK:   %[[K0:.*]] = vector.broadcast %[[KEY0]] : index to vector<16x32xindex>
// CHECK:   %[[KEYS:.*]] = arith.addi %{{.*}}, %[[K0]]
// CHECK:   %[[LAST_KEY:.*]] = arith.subi %[[SK]], %[[C1]]
// CHECK:   %[[LAST_KEYS:.*]] = vector.broadcast %[[LAST_KEY]]
// CHECK:   %[[J:.*]] = arith.minsi %[[KEYS]], %[[LAST_KEYS]]
// CHECK:   %[[SLOPE:.*]] = memref.load %[[SLOPES]][%[[H]]]
// CHECK:   %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[TABLE]]
// CHECK:   %[[STRIDE0:.*]] = vector.broadcast %[[STRIDES]]#0
// CHECK:   %[[AT0:.*]] = arith.muli %[[I]], %[[STRIDE0]]
// CHECK:   %[[STRIDE1:.*]] = vector.broadcast %[[STRIDES]]#1
// CHECK:   %[[AT1:.*]] = arith.muli %[[J]], %[[STRIDE1]]
// CHECK:   %[[AT:.*]] = arith.addi %[[AT0]], %[[AT1]]
// CHECK:   memref.reinterpret_cast %[[TABLE]] to offset: [%[[OFFSET]]]
// CHECK:   %[[BIAS:.*]] = vector.gather %{{.*}}[%[[C0]]] [%[[AT]]], %[[YES]], %[[ZERO]]
// CHECK:   %[[SLOPE_TILE:.*]] = vector.broadcast %[[SLOPE]] : f32 to vector<16x32xf32>
// CHECK:   %[[SCALED:.*]] = arith.mulf %[[SLOPE_TILE]], %[[BIAS]]
// CHECK:   %[[CHANGED:.*]] = arith.addf %[[S]], %[[SCALED]]
// CHECK:   arith.select %{{.*}}, %[[CHANGED]], %{{.*}} : vector<16x32xi1>
// In a full tile, without a select, and keys are not held before the end.
// CHECK: scf.for
// CHECK-NOT: select
// CHECK:   arith.minsi
// CHECK-NOT: arith.minsi
// CHECK:   vector.gather
// CHECK:   %[[CHANGED:.*]] = arith.addf
// CHECK:   vector.multi_reduction <maxnumf>, %[[CHANGED]],
// CHECK: fa.softmax %{{.*}}, %{{.*}}, %{{.*}} : vector<16x32xf32>
// CHECK: fa.finish %{{.*}}, %{{.*}}, %{{.*}} : vector<16x24xf32>
func.func @score_region(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE,
                        %table: memref<?x?xf32, strided<[?, ?], offset: ?>>, %slopes: memref<?xf32>) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE) scale = 0.5
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %slope = memref.load %slopes[%h] : memref<?xf32>
        %x = memref.load %table[%i, %j] : memref<?x?xf32, strided<[?, ?], offset: ?>>
        %y = arith.mulf %slope, %x : f32
        %z = arith.addf %s, %y : f32
        fa.yield %z : f32
      } {schedule = #s, target = #t}
  return
}

// A where region hides keys in full tiles too. It gets no score, so the scale
// stays with the softmax; without a table nothing is tested for the end.

// CHECK-LABEL: func.func @where_region(
// CHECK-SAME: %[[N:[^:]*]]: index)
// CHECK-DAG: %[[HIDDEN:.*]] = arith.constant dense<0xFF800000> : vector<16x32xf32>
// CHECK: scf.forall (%{{.*}}, %[[H:.*]], %{{.*}}) in
// CHECK: scf.for
// CHECK:   arith.select
// CHECK:   arith.select
// CHECK: scf.for
// CHECK:   %[[S:.*]] = fa.scores %{{[^ ]*}}, %{{[^ ]*}} :
// CHECK-NOT: arith.cmpi slt
// CHECK:   %[[J:.*]] = arith.addi %{{.*}} : vector<16x32xindex>
// CHECK:   %[[X:.*]] = arith.addi %[[H]], %[[N]] : index
// CHECK:   %[[XS:.*]] = vector.broadcast %[[X]] : index to vector<16x32xindex>
// CHECK:   %[[SEES:.*]] = arith.cmpi ne, %[[J]], %[[XS]] : vector<16x32xindex>
// CHECK:   %[[MASKED:.*]] = arith.select %[[SEES]], %[[S]], %[[HIDDEN]]
// CHECK:   vector.multi_reduction <maxnumf>, %[[MASKED]],
// CHECK: fa.softmax {{.*}} scale 5.000000e-01
func.func @where_region(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE, %n: index) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE) scale = 0.5
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %x = arith.addi %h, %n : index
        %c = arith.cmpi ne, %j, %x : index
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}

// A scale that is not positive turns the order around, so it goes first.

// CHECK-LABEL: func.func @negative_scale
// CHECK: fa.scores %{{.*}}, %{{.*}} scale -5.000000e-01 :
// CHECK: fa.softmax %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : vector
// CHECK: fa.finish %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : vector
func.func @negative_scale(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE)
      scale = -0.5 {schedule = #s, target = #t}
  return
}

// Row groups: each visits the key tiles of the block for its own rows, and leaves
// out those at the end that its rows do not see. From which on its tiles are full
// is its own, too. The nest says what problem it solves.

// CHECK-LABEL: func.func @row_groups(
// CHECK-SAME: %[[Q:[^:]*]]: memref
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[GROUP_ROWS:.*]] = arith.constant 64 : index
// CHECK: scf.forall
// CHECK: %[[ROW0:.*]] = arith.muli
// CHECK: %[[ROWS:.*]] = arith.minsi
// CHECK: %[[BLOCK:.*]] = memref.subview %[[Q]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[ROW0]],
// CHECK: %[[PAST_LAST:.*]] = arith.addi %[[FIRST]], %[[ROWS]]
// CHECK: %[[TILES:.*]] = arith.ceildivui
// CHECK: scf.forall (%[[G:.*]]) in (2) {
// CHECK:   %[[OFFSET:.*]] = arith.muli %[[G]], %[[GROUP_ROWS]]
// CHECK:   %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[OFFSET]]
// CHECK:   %[[LEFT0:.*]] = arith.maxsi %[[LEFT]], %[[C0]]
// CHECK:   %[[MY_ROWS:.*]] = arith.minsi %[[LEFT0]], %[[GROUP_ROWS]]
// CHECK:   %[[MY_ROW0:.*]] = arith.addi %[[ROW0]], %[[OFFSET]]
// CHECK:   %[[MINE:.*]] = memref.subview %[[BLOCK]][%[[OFFSET]], 0] [%[[MY_ROWS]], 16] [1, 1]
// CHECK:   %[[MY_FIRST:.*]] = arith.addi %[[MY_ROW0]],
// CHECK:   %[[MY_PAST_LAST:.*]] = arith.addi %[[MY_FIRST]], %[[MY_ROWS]]
// CHECK:   %[[MY_SEEN0:.*]] = arith.minsi %{{.*}}, %[[MY_PAST_LAST]]
// CHECK:   %[[MY_SEEN:.*]] = arith.maxsi %[[MY_SEEN0]], %[[C0]]
// CHECK:   %[[MY_PAST_FIRST:.*]] = arith.addi %[[MY_FIRST]], %[[C1]]
// CHECK:   %[[MY_ALL0:.*]] = arith.minsi %{{.*}}, %[[MY_PAST_FIRST]]
// CHECK:   %[[MY_ALL:.*]] = arith.maxsi %[[MY_ALL0]], %[[C0]]
// CHECK:   %[[MY_TILES:.*]] = arith.ceildivui %[[MY_SEEN]],
// CHECK:   %[[MY_FULL:.*]] = arith.divui %[[MY_ALL]],
// CHECK:   %[[UNSEEN0:.*]] = arith.subi %[[TILES]], %[[MY_TILES]]
// CHECK:   %[[UNSEEN:.*]] = arith.maxsi %[[UNSEEN0]], %[[C0]]
// CHECK:   %[[EDGES0:.*]] = arith.subi %[[TILES]], %[[MY_FULL]]
// CHECK:   %[[EDGES:.*]] = arith.maxsi %[[EDGES0]], %[[UNSEEN]]
// CHECK:   scf.for %{{.*}} = %[[UNSEEN]] to %[[EDGES]]
// CHECK:     fa.scores %[[MINE]], %{{.*}} -> vector<64x32xf32>
// CHECK:     arith.subi %[[MY_FIRST]],
// CHECK:   scf.for %{{.*}} = %[[EDGES]] to %[[TILES]]
// CHECK: } {mapping = [#gpu.warpgroup<x>]}
// CHECK: } {fa.problem = {{{.*}}dtype = "f16", head_dim = 16 : i64, head_dim_v = 24 : i64, lse = true, mask = "causal", {{.*}}scale = 2.500000e-01 : f32
// CHECK-SAME: fa.schedule = #fa.schedule<br = 128, bc = 32, groups = 2, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>
func.func @row_groups(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE) mask = #fa.mask<causal>
      {schedule = #fa.schedule<br = 128, bc = 32, groups = 2, warps = 4, stages = 2>,
       target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// With edge tiles on both sides all groups have the edges of the block: what comes
// in which order is the same for all, but for the visits that a group skips.

// CHECK-LABEL: func.func @row_groups_window(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: scf.forall
// CHECK: %[[END0:.*]] = arith.ceildivui
// CHECK: arith.divui
// CHECK-NEXT: %[[BEGIN:.*]] = arith.divui
// CHECK-NEXT: %[[END:.*]] = arith.maxsi %[[BEGIN]], %[[END0]]
// CHECK: %[[FULL_BEGIN:.*]] = arith.minsi %{{.*}}, %[[END]]
// CHECK: %[[FULL_END:.*]] = arith.maxsi %[[FULL_BEGIN]], %{{.*}}
// CHECK: scf.forall (%{{.*}}) in (2) {
// CHECK:   %[[MY_FULL_END:.*]] = arith.maxsi
// CHECK:   arith.subi %[[END]], %c1
// CHECK-NEXT: %[[UNSEEN0:.*]] = arith.subi %[[END]], %{{.*}}
// CHECK-NEXT: %[[UNSEEN:.*]] = arith.maxsi %[[UNSEEN0]], %[[C0]]
// CHECK:   %[[FULL:.*]] = arith.subi %[[FULL_END]], %[[FULL_BEGIN]]
// CHECK:   %[[AFTER:.*]] = arith.subi %[[END]], %[[FULL_END]]
// CHECK:   %[[BEFORE:.*]] = arith.subi %[[FULL_BEGIN]], %[[BEGIN]]
// CHECK:   %[[EDGES:.*]] = arith.addi %[[AFTER]], %[[BEFORE]]
// CHECK:   %[[SKIPPED:.*]] = arith.minsi %[[UNSEEN]], %[[EDGES]]
// CHECK:   %[[VISITS:.*]] = arith.addi %[[EDGES]], %[[FULL]]
// CHECK:   scf.for %{{.*}} = %[[SKIPPED]] to %[[EDGES]]
// CHECK:   scf.for %{{.*}} = %[[EDGES]] to %[[VISITS]]
func.func @row_groups_window(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE) mask = #fa.mask<window, left = 300, right = 5>
      {schedule = #fa.schedule<br = 128, bc = 32, groups = 2, warps = 4, stages = 2>,
       target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// Where products overlap there is an edge tile always: the last full tile is one,
// or, without any key, one past the end with no rows. A group leaves one tile at
// least. Which tiles each group visits, for many lengths: tile-visits.test.

// CHECK-LABEL: func.func @overlap(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: scf.forall
// CHECK: %[[TILES:.*]] = arith.ceildivui
// CHECK: scf.forall (%{{.*}}) in (2) {
// CHECK:   %[[MY_TILES:.*]] = arith.ceildivui
// CHECK:   %[[MY_FULL:.*]] = arith.divui
// CHECK:   %[[VISITS:.*]] = arith.maxsi %[[TILES]], %[[C1]]
// CHECK:   %[[LAST:.*]] = arith.subi %[[VISITS]], %[[C1]]
// CHECK:   %[[UNSEEN0:.*]] = arith.subi %[[VISITS]], %[[MY_TILES]]
// CHECK:   %[[UNSEEN:.*]] = arith.maxsi %[[UNSEEN0]], %[[C0]]
// CHECK:   %[[BEGIN:.*]] = arith.minsi %[[UNSEEN]], %[[LAST]]
// CHECK:   %[[EDGES0:.*]] = arith.subi %[[VISITS]], %[[MY_FULL]]
// CHECK:   %[[AND_ONE:.*]] = arith.addi %[[BEGIN]], %[[C1]]
// CHECK:   %[[EDGES:.*]] = arith.maxsi %[[EDGES0]], %[[AND_ONE]]
// CHECK:   scf.for %{{.*}} = %[[BEGIN]] to %[[EDGES]]
// CHECK:     %[[KEYS0:.*]] = arith.minsi
// CHECK:     %[[KEYS:.*]] = arith.maxsi %[[KEYS0]], %[[C0]]
// CHECK:     memref.subview %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, 0] [1, 1, %[[KEYS]], 16]
// CHECK:   scf.for %{{.*}} = %[[EDGES]] to %[[VISITS]]
func.func @overlap(%Q: !Q, %K: !Q, %V: !V, %O: !V, %LSE: !LSE) {
  fa.attention ins(%Q, %K, %V : !Q, !Q, !V) outs(%O, %LSE : !V, !LSE) mask = #fa.mask<causal>
      {schedule = #fa.schedule<br = 128, bc = 32, groups = 2, warps = 4, stages = 2, overlap = true>,
       target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// f32 needs no rounding. Lengths that are known fold away what runs once, but
// not the nest, which carries the schedule.

// CHECK-LABEL: func.func @static_f32
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (1, 1, 1) {
// CHECK-NOT: scf.for
// CHECK: %[[M:.*]] = vector.multi_reduction <maxnumf>
// CHECK: %[[P:.*]], %{{.*}} = fa.softmax %{{.*}}, %[[M]]
// CHECK-NOT: truncf
// CHECK: } {fa.schedule
func.func @static_f32(%Q: memref<1x1x16x16xf32>, %K: memref<1x1x32x16xf32>, %LSE: memref<1x1x16xf32>) {
  fa.attention ins(%Q, %K, %K : memref<1x1x16x16xf32>, memref<1x1x32x16xf32>, memref<1x1x32x16xf32>)
      outs(%Q, %LSE : memref<1x1x16x16xf32>, memref<1x1x16xf32>) {schedule = #s, target = #t}
  return
}
