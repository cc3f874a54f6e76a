// RUN: fa-opt %s --fa-tile-backward --canonicalize --cse | FileCheck %s

#s2 = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>
#s1 = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8, backward = one_pass, splits = 2>
#cpu = #fa.target<"cpu", sram = 1048576, vector_bits = 128>
!BHSD = memref<?x?x?x64xbf16>
!BHSDv = memref<?x?x?x40xbf16>
!BHS = memref<?x?x?xf32>
!F = memref<?x?x?x64xf32>

// Two passes: delta, then a nest that owns dQ, and one that owns dK and dV.

// CHECK-LABEL: func.func @two_pass
// CHECK-SAME: (%[[Q:[^:]*]]: memref<?x?x?x64xbf16>, %[[K:[^:]*]]: memref<?x?x?x64xbf16>, %[[V:[^:]*]]: memref<?x?x?x40xbf16>,
// CHECK-SAME: %[[O:[^:]*]]: memref<?x?x?x40xbf16>, %[[DO:[^:]*]]: memref<?x?x?x40xbf16>, %[[LSE:[^:]*]]: memref<?x?x?xf32>, %[[DLSE:[^:]*]]: memref<?x?x?xf32>,
// CHECK-SAME: %[[DQ:[^:]*]]: memref<?x?x?x64xbf16>, %[[DK:[^:]*]]: memref<?x?x?x64xbf16>, %[[DV:[^:]*]]: memref<?x?x?x40xbf16>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[INFS:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<1.250000e-01> : vector<16x32xf32>
// CHECK-DAG: %[[SCALE_T:.*]] = arith.constant dense<1.250000e-01> : vector<32x16xf32>
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant dense<1.44269502> : vector<16x32xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16x32xf32>
// CHECK-DAG: %[[B:.*]] = memref.dim %[[Q]], %[[C0]]
// CHECK: %[[DELTA:.*]] = memref.alloc(%[[B]], %[[HQ:.*]], %[[SQ:.*]]) : memref<?x?x?xf32>

// CHECK: scf.forall (%[[IB:.*]], %[[IH:.*]], %{{.*}}) in (%[[B]], %[[HQ]], %[[TR:.*]]) {
// CHECK:   %[[VIEW:.*]] = memref.subview %[[DO]][%[[IB]], %[[IH]],
// CHECK:   %[[A:.*]] = vector.transfer_read %[[VIEW]]{{.*}} {in_bounds = [false, true]} : {{.*}}, vector<16x40xbf16>
// CHECK:   %[[AF:.*]] = arith.extf %[[A]]
// CHECK:   memref.subview %[[O]]
// CHECK:   %[[PRODUCTS:.*]] = arith.mulf %[[AF]], %{{.*}} : vector<16x40xf32>
// CHECK:   %[[SUM:.*]] = vector.multi_reduction <add>, %[[PRODUCTS]], %{{.*}} [1] : vector<16x40xf32> to vector<16xf32>
// CHECK:   memref.subview %[[DLSE]]
// CHECK:   %[[GRAD:.*]] = vector.transfer_read
// CHECK:   %[[D:.*]] = arith.subf %[[SUM]], %[[GRAD]]
// CHECK:   memref.subview %[[DELTA]]
// CHECK:   vector.transfer_write %[[D]],
// CHECK: } {fa.schedule = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>, fa.step = "delta", fa.target = #fa.target<"cpu",

// CHECK: scf.forall (%[[IB:.*]], %[[IH:.*]], %{{.*}}) in (%[[B]], %[[HQ]], %[[TR]]) {
// CHECK:   %[[IHK:.*]] = arith.divui %[[IH]],
// CHECK:   %[[QI:.*]] = memref.subview %[[Q]][%[[IB]], %[[IH]],
// CHECK:   %[[DOI:.*]] = memref.subview %[[DO]][%[[IB]], %[[IH]],
// A row that sees no key, or is past the end, has -inf in the exponent.
// CHECK:   memref.subview %[[LSE]]
// CHECK:   %[[L:.*]] = vector.transfer_read %{{.*}}, %[[INF]] : {{.*}}, vector<16xf32>
// CHECK:   %[[IS_EMPTY:.*]] = arith.cmpf oeq, %[[L]], %[[INFS]]
// CHECK:   %[[NEG:.*]] = arith.negf %[[L]]
// CHECK:   %[[LROW:.*]] = arith.select %[[IS_EMPTY]], %[[INFS]], %[[NEG]]
// CHECK:   %[[LCOL:.*]] = vector.shape_cast %[[LROW]] : vector<16xf32> to vector<16x1xf32>
// CHECK:   %[[LTILE:.*]] = vector.broadcast %[[LCOL]] : vector<16x1xf32> to vector<16x32xf32>
// CHECK:   memref.subview %[[DELTA]]
// CHECK:   %[[DTILE:.*]] = vector.broadcast %{{.*}} : vector<16x1xf32> to vector<16x32xf32>
// Edge tiles: masked, and dS is 0 where P is.
// CHECK:   %[[EDGES:.*]] = scf.for {{.*}} -> (vector<16x64xf32>) {
// CHECK:     %[[S:.*]] = fa.scores
// CHECK:     %[[SM:.*]] = arith.select %{{.*}}, %[[S]],
// CHECK:     math.fma %[[SM]],
// CHECK:     %[[P:.*]] = math.exp2
// CHECK:     %[[DS:.*]] = arith.mulf %[[P]], %{{.*}}
// CHECK:     %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[P]], %[[ZERO]]
// CHECK:     arith.select %[[IS_ZERO]], %[[ZERO]], %[[DS]]
// CHECK:     fa.accumulate
// Full tiles.
// CHECK:   %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[EDGES]]) -> (vector<16x64xf32>) {
// CHECK:     %[[KJ:.*]] = memref.subview %[[K]][%[[IB]], %[[IHK]], {{.*}} [1, 1, 32, 64]
// CHECK:     %[[VJ:.*]] = memref.subview %[[V]][%[[IB]], %[[IHK]], {{.*}} [1, 1, 32, 40]
// CHECK:     %[[S:.*]] = fa.scores %[[QI]], %[[KJ]] : {{.*}} -> vector<16x32xf32>
// CHECK-NEXT: %[[DIFF:.*]] = math.fma %[[S]], %[[SCALE]], %[[LTILE]]
// CHECK-NEXT: %[[EXP:.*]] = arith.mulf %[[DIFF]], %[[LOG2E]]
// CHECK-NEXT: %[[P:.*]] = math.exp2 %[[EXP]]
// CHECK-NEXT: %[[DP:.*]] = fa.scores %[[DOI]], %[[VJ]] start %[[DTILE]] : {{.*}} -> vector<16x32xf32>
// CHECK-NEXT: %[[DS:.*]] = arith.mulf %[[P]], %[[DP]]
// CHECK-NEXT: %[[DSR:.*]] = arith.truncf %[[DS]] : vector<16x32xf32> to vector<16x32xbf16>
// CHECK-NEXT: %[[NEXT:.*]] = fa.accumulate %[[DSR]], %[[KJ]], %[[ACC]] : vector<16x32xbf16>
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK:   %[[SCALED:.*]] = arith.mulf %[[SUM]],
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[SCALED]]
// CHECK:   memref.subview %[[DQ]]
// CHECK:   vector.transfer_write %[[ROUNDED]]
// CHECK: } {{{.*}} fa.step = "dq",

// Keys in the rows. The query heads of a key/value head are summed in one block.
// CHECK: scf.forall (%[[IB:.*]], %[[IHK:.*]], %{{.*}}) in (%[[B]], %[[HKV:.*]], %[[TC:.*]]) {
// CHECK:   %[[KJ:.*]] = memref.subview %[[K]][%[[IB]], %[[IHK]],
// CHECK:   %[[VJ:.*]] = memref.subview %[[V]][%[[IB]], %[[IHK]],
// CHECK:   %[[GROUP:.*]]:2 = scf.for %[[N:.*]] = {{.*}} iter_args(%[[GK:.*]] = %{{.*}}, %[[GV:.*]] = %{{.*}}) -> (vector<32x64xf32>, vector<32x40xf32>) {
// CHECK:     %[[IH:.*]] = arith.addi %{{.*}}, %[[N]]
// CHECK:     %[[EDGES:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[GK]], %{{.*}} = %[[GV]])
// Both ends hide: of the queries, which are columns, and of the keys, whose rows
// see nothing then.
// CHECK:       fa.scores
// CHECK:       %[[EXISTS:.*]] = arith.cmpi slt, %{{.*}} : vector<32xi32>
// CHECK:       arith.select %[[EXISTS]], %{{.*}} : vector<32xi1>, vector<32xi32>
// CHECK:       arith.cmpi slt, %{{.*}} : vector<32x16xi32>
// CHECK:     %[[FULL:.*]]:2 = scf.for {{.*}} iter_args(%[[AK:.*]] = %[[EDGES]]#0, %[[AV:.*]] = %[[EDGES]]#1)
// CHECK:       %[[QI:.*]] = memref.subview %[[Q]][%[[IB]], %[[IH]], {{.*}} [1, 1, 16, 64]
// CHECK:       %[[DOI:.*]] = memref.subview %[[DO]][%[[IB]], %[[IH]], {{.*}} [1, 1, 16, 40]
// CHECK:       %[[LTILE:.*]] = vector.broadcast %{{.*}} : vector<16xf32> to vector<32x16xf32>
// CHECK:       %[[DTILE:.*]] = vector.broadcast %{{.*}} : vector<16xf32> to vector<32x16xf32>
// CHECK-NEXT:  %[[S:.*]] = fa.scores %[[KJ]], %[[QI]] : {{.*}} -> vector<32x16xf32>
// CHECK-NEXT:  %[[DIFF:.*]] = math.fma %[[S]], %[[SCALE_T]], %[[LTILE]]
// CHECK:       %[[P:.*]] = math.exp2
// CHECK-NEXT:  %[[DP:.*]] = fa.scores %[[VJ]], %[[DOI]] start %[[DTILE]]
// CHECK-NEXT:  %[[DS:.*]] = arith.mulf %[[P]], %[[DP]]
// CHECK-NEXT:  %[[DSR:.*]] = arith.truncf %[[DS]]
// CHECK-NEXT:  %[[PR:.*]] = arith.truncf %[[P]]
// CHECK-NEXT:  %[[NV:.*]] = fa.accumulate %[[PR]], %[[DOI]], %[[AV]]
// CHECK-NEXT:  %[[NK:.*]] = fa.accumulate %[[DSR]], %[[QI]], %[[AK]]
// CHECK-NEXT:  scf.yield %[[NK]], %[[NV]]
// CHECK:     scf.yield %[[FULL]]#0, %[[FULL]]#1
// CHECK:   arith.mulf %[[GROUP]]#0,
// CHECK:   memref.subview %[[DK]]
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[GROUP]]#1
// CHECK:   memref.subview %[[DV]]
// CHECK:   vector.transfer_write %[[ROUNDED]]
// CHECK: } {{{.*}} fa.step = "dkv",
// CHECK: memref.dealloc %[[DELTA]]
// CHECK-NOT: fa.attention_backward
// CHECK: return
func.func @two_pass(%Q: !BHSD, %K: !BHSD, %V: !BHSDv, %O: !BHSDv, %dO: !BHSDv, %LSE: !BHS, %dLSE: !BHS,
                    %dQ: !BHSD, %dK: !BHSD, %dV: !BHSDv) {
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %LSE, %dLSE : !BHSD, !BHSD, !BHSDv, !BHSDv, !BHSDv, !BHS, !BHS)
      outs(%dQ, %dK, %dV : !BHSD, !BHSD, !BHSDv) scale = 0.125 {schedule = #s2, target = #cpu}
  return
}

// One pass: the nest of dK and dV adds to one of two accumulators of dQ, after
// it has made that 0; another nest sums the two.

// CHECK-LABEL: func.func @one_pass
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16x64xf32>
// CHECK: %[[B2:.*]] = arith.muli %[[B:.*]], %[[C2]]
// CHECK: %[[ACC:.*]] = memref.alloc(%[[B2]], %{{.*}}, %{{.*}}) : memref<?x?x?x64xf32>
// CHECK: fa.step = "delta"
// CHECK: scf.forall (%[[IB:.*]], %[[IHK:.*]], %[[G:.*]]) in (%{{.*}}, %{{.*}}, 2) {
// CHECK:   %[[GB:.*]] = arith.muli %[[G]], %[[B]]
// CHECK:   %[[IA:.*]] = arith.addi %[[GB]], %[[IB]]
// CHECK:   scf.for %[[IH:.*]] =
// CHECK:     scf.for %[[Q0:.*]] =
// CHECK:       %[[PART:.*]] = memref.subview %[[ACC]][%[[IA]], %[[IH]], %[[Q0]], 0]
// CHECK:       vector.transfer_write %[[ZERO]], %[[PART]]
// CHECK:   scf.for {{.*}} step %[[C64]] {
// CHECK:     %[[KJ:.*]] = memref.subview
// CHECK:     scf.for
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:         %[[P:.*]] = math.exp2
// CHECK:         %[[DS:.*]] = arith.mulf %[[P]],
// CHECK:         fa.accumulate
// CHECK:         fa.accumulate
// CHECK:         %[[PART:.*]] = memref.subview %[[ACC]][%[[IA]],
// CHECK:         %[[OLD:.*]] = vector.transfer_read %[[PART]]{{.*}}, vector<16x64xf32>
// CHECK:         %[[NEW:.*]] = fa.accumulate %[[DS]], %[[KJ]], %[[OLD]] transposed
// CHECK:         vector.transfer_write %[[NEW]], %[[PART]]
// CHECK: fa.step = "dkv"
// CHECK: scf.forall (%[[IB:.*]], %{{.*}}, %{{.*}}) in
// CHECK:   memref.subview %[[ACC]][%[[IB]],
// CHECK:   %[[PART0:.*]] = vector.transfer_read
// CHECK:   %[[IA:.*]] = arith.addi %[[B]], %[[IB]]
// CHECK:   memref.subview %[[ACC]][%[[IA]],
// CHECK:   %[[PART1:.*]] = vector.transfer_read
// CHECK:   %[[SUM:.*]] = arith.addf %[[PART0]], %[[PART1]]
// CHECK:   %[[SCALED:.*]] = arith.mulf %[[SUM]]
// CHECK:   vector.transfer_write %[[SCALED]]
// CHECK: fa.step = "dq"
// CHECK: memref.dealloc %[[ACC]]
func.func @one_pass(%Q: !F, %K: !F, %V: !F, %O: !F, %dO: !F, %LSE: !BHS, %dQ: !F, %dK: !F, %dV: !F) {
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %LSE : !F, !F, !F, !F, !F, !BHS)
      outs(%dQ, %dK, %dV : !F, !F, !F) scale = 0.125 {schedule = #s1, target = #cpu}
  return
}

// With causal, a key tile is visited by the query tiles from the one that holds
// its first key's own query on; those past that of its last key are full.

// CHECK-LABEL: func.func @causal
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[BR:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[BC:.*]] = arith.constant 32 : index
// CHECK: %[[SHIFT:.*]] = arith.subi %[[SK:.*]], %[[SQ:.*]]
// CHECK: fa.step = "dq"
// CHECK: scf.forall
// CHECK:   %[[MINUS:.*]] = arith.subi %[[C0]], %[[SHIFT]]
// CHECK:   %[[FIRST:.*]] = arith.addi %{{.*}}, %[[MINUS]]
// CHECK:   %[[PAST:.*]] = arith.addi %[[FIRST]],
// CHECK:   %[[LO:.*]] = arith.maxsi %[[FIRST]], %[[C0]]
// CHECK:   %[[LAST:.*]] = arith.subi %[[PAST]], %[[C1]]
// CHECK:   %[[FULL:.*]] = arith.maxsi %[[LAST]], %[[C0]]
// CHECK:   arith.divui %[[LO]], %[[BR]]
// CHECK:   arith.ceildivui %[[FULL]], %[[BR]]
// CHECK:   arith.cmpi eq, %{{.*}}, %[[BC]]
// CHECK:   arith.cmpi sge, {{.*}} : vector<32x16xi32>
func.func @causal(%Q: !F, %K: !F, %V: !F, %O: !F, %dO: !F, %LSE: !BHS, %dQ: !F, %dK: !F, %dV: !F) {
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %LSE : !F, !F, !F, !F, !F, !BHS)
      outs(%dQ, %dK, %dV : !F, !F, !F) mask = #fa.mask<causal> {schedule = #s2, target = #cpu}
  return
}

// Score functions see the scaled score, their derivatives too; dS is 0 where P
// is in full tiles, too. In tiles of keys, the keys are in the rows.

// CHECK-LABEL: func.func @regions
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<32x16xf32>
// CHECK: fa.step = "dq"
// CHECK: scf.forall
// CHECK: scf.for %
// CHECK: scf.for %
// CHECK: scf.for %
// CHECK:   %[[X:.*]] = fa.scores %{{.*}} scale 1.250000e-01 : {{.*}} -> vector<32x16xf32>
// CHECK-DAG: %[[QN:.*]] = vector.broadcast %{{.*}} : vector<16xindex> to vector<32x16xindex>
// CHECK-DAG: %[[J:.*]] = vector.broadcast %{{.*}} : vector<32x1xindex> to vector<32x16xindex>
// CHECK-DAG: %[[I:.*]] = arith.addi %[[QN]],
// CHECK-DAG: %[[SLOPE:.*]] = math.sin %[[X]]
// CHECK-DAG: %[[NEW:.*]] = math.cos %[[X]]
// CHECK:   %[[VISIBLE:.*]] = arith.cmpi ne, %[[I]], %[[J]]
// CHECK:   %[[SEEN:.*]] = arith.select %[[VISIBLE]], %[[NEW]],
// CHECK:   arith.addf %[[SEEN]], %{{.*}} : vector<32x16xf32>
// CHECK:   %[[P:.*]] = math.exp2
// CHECK:   %[[DP:.*]] = fa.scores
// CHECK:   %[[PDP:.*]] = arith.mulf %[[P]], %[[DP]]
// CHECK:   %[[DS:.*]] = arith.mulf %[[PDP]], %[[SLOPE]]
// CHECK:   %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[P]], %[[ZERO]]
// CHECK:   arith.select %[[IS_ZERO]], %[[ZERO]], %[[DS]]
func.func @regions(%Q: !F, %K: !F, %V: !F, %O: !F, %dO: !F, %LSE: !BHS, %dQ: !F, %dK: !F, %dV: !F) {
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %LSE : !F, !F, !F, !F, !F, !BHS)
      outs(%dQ, %dK, %dV : !F, !F, !F)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.cos %s : f32
        fa.yield %t : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.sin %s : f32
        fa.yield %t : f32
      }
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %v = arith.cmpi ne, %i, %j : index
        fa.yield %v : i1
      }
      {schedule = #s2, target = #cpu}
  return
}
