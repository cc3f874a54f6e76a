// RUN: fa-opt %s --fa-tiles-to-loops --canonicalize --cse | FileCheck %s

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>

// The two products around a run of row-wise ops. Q is copied once, before the
// loop over key tiles, and its missing rows are zeros.

// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[Q:[^:]*]]: memref<?x16xf32>, %[[K:[^:]*]]: memref<8x16xf32>, %[[V:[^:]*]]: memref<8x10xf32>, %[[N:[^:]*]]: index,
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?x10xf32>, %[[LSE:[^:]*]]: memref<?xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[MR:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[NR:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<5.000000e-01> : vector<4xf32>
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: scf.forall
// CHECK-DAG: %[[P:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK-DAG: %[[S:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK-DAG: %[[KT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x8xf32>
// CHECK-DAG: %[[QP:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x16xf32>
// CHECK: %[[ROWS:.*]] = memref.dim %[[Q]], %[[C0]]
// CHECK: scf.for %[[R:.*]] = %[[C0]] to %[[ROWS]] step %[[C1]]
// CHECK:   scf.for %[[C:.*]] = %[[C0]] to %[[C16]] step %[[NR]]
// CHECK:     %[[X:.*]] = vector.load %[[Q]][%[[R]], %[[C]]] : memref<?x16xf32>, vector<4xf32>
// CHECK:     vector.store %[[X]], %[[QP]][%[[R]], %[[C]]]
// CHECK: scf.for %[[R:.*]] = %[[ROWS]] to %[[NR]] step %[[C1]]
// CHECK:   scf.for
// CHECK:     vector.store %[[ZEROS]], %[[QP]][%[[R]],

// What a loop carries is in buffers that start from the initial values, both
// written by one loop over the rows.
// CHECK-DAG: %[[L:.*]] = memref.alloca() {{.*}} : memref<4xf32>
// CHECK-DAG: %[[O:.*]] = memref.alloca() {{.*}} : memref<4x10xf32>
// CHECK: scf.for %[[R:.*]] = %[[C0]] to %[[NR]] step %[[C1]]
// CHECK-DAG: vector.store %{{.*}}, %[[O]][%[[R]], %[[C0]]] : memref<4x10xf32>, vector<10xf32>
// CHECK-DAG: memref.store %{{.*}}, %[[L]][%[[R]]] : memref<4xf32>
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[N]] step %[[C1]] {

// K transposed.
// CHECK:   scf.for %[[R:.*]] = %[[C0]] to %[[C8]] step %[[C1]]
// CHECK:     scf.for %[[D:.*]] = %[[C0]] to %[[C16]] step %[[C1]]
// CHECK:       %[[X:.*]] = memref.load %[[K]][%[[R]], %[[D]]]
// CHECK:       memref.store %[[X]], %[[KT]][%[[D]], %[[R]]]

// S = 0.5 Q K^T by register tiles of 2 x 4.
// CHECK:   scf.for %[[J:.*]] = %[[C0]] to %[[C8]] step %[[NR]]
// CHECK:     scf.for %[[I:.*]] = %[[C0]] to %[[NR]] step %[[MR]]
// CHECK:       %[[I1:.*]] = arith.addi %[[I]], %[[C1]]
// CHECK:       %[[ACC:.*]]:2 = scf.for %[[D:.*]] = %[[C0]] to %[[C16]] step %[[C1]] iter_args(%[[A0:.*]] = %[[ZEROS]], %[[A1:.*]] = %[[ZEROS]])
// CHECK:         %[[B:.*]] = vector.load %[[KT]][%[[D]], %[[J]]] : memref<16x8xf32>, vector<4xf32>
// CHECK:         %[[X0:.*]] = memref.load %[[QP]][%[[I]], %[[D]]]
// CHECK:         %[[XS0:.*]] = vector.broadcast %[[X0]]
// CHECK:         %[[F0:.*]] = vector.fma %[[XS0]], %[[B]], %[[A0]]
// CHECK:         %[[X1:.*]] = memref.load %[[QP]][%[[I1]], %[[D]]]
// CHECK:         %[[XS1:.*]] = vector.broadcast %[[X1]]
// CHECK:         %[[F1:.*]] = vector.fma %[[XS1]], %[[B]], %[[A1]]
// CHECK:         scf.yield %[[F0]], %[[F1]]
// CHECK:       %[[S0:.*]] = arith.mulf %[[ACC]]#0, %[[SCALE]]
// CHECK:       vector.store %[[S0]], %[[S]][%[[I]], %[[J]]]
// CHECK:       %[[S1:.*]] = arith.mulf %[[ACC]]#1, %[[SCALE]]
// CHECK:       vector.store %[[S1]], %[[S]][%[[I1]], %[[J]]]

// The run: one loop over the rows. l is updated in place; the tile in between,
// S + S, is in no buffer.
// CHECK:   scf.for %[[R:.*]] = %[[C0]] to %[[NR]] step %[[C1]] {
// CHECK-NEXT: %[[ROW:.*]] = vector.load %[[S]][%[[R]], %[[C0]]] : memref<4x8xf32>, vector<8xf32>
// CHECK-NEXT: %[[TWICE:.*]] = arith.addf %[[ROW]], %[[ROW]] : vector<8xf32>
// CHECK-NEXT: %[[OLD:.*]] = memref.load %[[L]][%[[R]]]
// CHECK-NEXT: %[[NEW:.*]] = vector.reduction <add>, %[[TWICE]], %[[OLD]] : vector<8xf32> into f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp2 %[[TWICE]] : vector<8xf32>
// CHECK-DAG: memref.store %[[NEW]], %[[L]][%[[R]]]
// CHECK-DAG: vector.store %[[EXP]], %[[P]][%[[R]], %[[C0]]]
// CHECK: }

// O = diag(l) O + P V in place, V being f32 and whole; and a narrow panel for
// the last two columns.
// CHECK:   scf.for %[[J:.*]] = %[[C0]] to %[[C8]] step %[[NR]]
// CHECK:     scf.for %[[I:.*]] = %[[C0]] to %[[NR]] step %[[MR]]
// CHECK:       %[[O0:.*]] = vector.load %[[O]][%[[I]], %[[J]]] : memref<4x10xf32>, vector<4xf32>
// CHECK:       %[[F:.*]] = memref.load %[[L]][%[[I]]]
// CHECK:       %[[FS:.*]] = vector.broadcast %[[F]]
// CHECK:       %[[RESCALED:.*]] = arith.mulf %[[O0]], %[[FS]]
// CHECK:       scf.for %[[C:.*]] = %[[C0]] to %[[C8]] step %[[C1]] iter_args(%{{.*}} = %[[RESCALED]],
// CHECK:         vector.load %[[V]][%[[C]], %[[J]]] : memref<8x10xf32>, vector<4xf32>
// CHECK:         memref.load %[[P]][%[[I]], %[[C]]]
// CHECK:       vector.store %{{.*}}, %[[O]][%[[I]], %[[J]]]
// CHECK:   scf.for %[[I:.*]] = %[[C0]] to %[[NR]] step %[[MR]]
// CHECK-NOT: memref.alloca
// CHECK:       vector.load %[[O]][%[[I]], %[[C8]]] : memref<4x10xf32>, vector<2xf32>
// CHECK:         vector.load %[[V]][%{{.*}}, %[[C8]]] : memref<8x10xf32>, vector<2xf32>
// CHECK:       vector.store %{{.*}}, %[[O]][%[[I]], %[[C8]]] : memref<4x10xf32>, vector<2xf32>

// Only rows that exist are stored.
// CHECK: scf.for %[[R:.*]] = %[[C0]] to %[[NR]] step %[[C1]]
// CHECK:   %[[ROW:.*]] = vector.load %[[O]][%[[R]], %[[C0]]] : memref<4x10xf32>, vector<10xf32>
// CHECK:   %[[END:.*]] = memref.dim %[[OUT]], %[[C0]]
// CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[R]], %[[END]]
// CHECK:   scf.if %[[INSIDE]]
// CHECK:     vector.store %[[ROW]], %[[OUT]][%[[R]], %[[C0]]]
// CHECK:   %[[STAT:.*]] = memref.load %[[L]][%[[R]]]
// CHECK:   scf.if
// CHECK:     memref.store %[[STAT]], %[[LSE]][%[[R]]]
// CHECK-NOT: fa.{{scores|accumulate}}
func.func @products(%Q: memref<?x16xf32>, %K: memref<8x16xf32>, %V: memref<8x10xf32>, %n: index,
                    %out: memref<?x10xf32>, %lse: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = arith.constant dense<0.0> : vector<4x10xf32>
  %l0 = arith.constant dense<0.0> : vector<4xf32>
  scf.forall (%i) in (1) {
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%a = %o, %l = %l0) -> (vector<4x10xf32>, vector<4xf32>) {
      %S = fa.scores %Q, %K scale 0.5 : memref<?x16xf32>, memref<8x16xf32> -> vector<4x8xf32>
      %T = arith.addf %S, %S : vector<4x8xf32>
      %l1 = vector.multi_reduction <add>, %T, %l [1] : vector<4x8xf32> to vector<4xf32>
      %P = math.exp2 %T : vector<4x8xf32>
      %a1 = fa.accumulate %P, %V, %a rescale %l1 : vector<4x8xf32>, memref<8x10xf32>, vector<4x10xf32>, vector<4xf32>
      scf.yield %a1, %l1 : vector<4x10xf32>, vector<4xf32>
    }
    vector.transfer_write %r#0, %out[%c0, %c0] {in_bounds = [false, true]} : vector<4x10xf32>, memref<?x10xf32>
    vector.transfer_write %r#1, %lse[%c0] : vector<4xf32>, memref<?xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// Sixteen-bit operands are converted as they are packed; rows past the end of
// an edge tile are zeros in K and V. P is rounded, and kept as f32.

// CHECK-LABEL: func.func @edge_tile_bf16
// CHECK-SAME: (%[[Q:[^:]*]]: memref<4x4xbf16>, %[[K:[^:]*]]: memref<?x4xbf16>,
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: scf.forall
// CHECK: %[[X:.*]] = vector.load %[[Q]]{{.*}} : memref<4x4xbf16>, vector<4xbf16>
// CHECK: %[[XF:.*]] = arith.extf %[[X]] : vector<4xbf16> to vector<4xf32>
// CHECK: vector.store %[[XF]],
// CHECK: %[[ROWS:.*]] = memref.dim %[[K]], %[[C0]]
// K^T: all zeros first.
// CHECK: vector.store %[[ZEROS]], %[[KT:[^\[]*]]
// CHECK: scf.for %[[R:.*]] = %{{.*}} to %[[ROWS]]
// CHECK:   scf.for %[[D:.*]] =
// CHECK:     %[[X:.*]] = memref.load %[[K]][%[[R]], %[[D]]] : memref<?x4xbf16>
// CHECK:     %[[XF:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK:     memref.store %[[XF]], %[[KT]][%[[D]], %[[R]]]
// CHECK: vector.fma
// CHECK: %[[P:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK: %[[PF:.*]] = arith.extf %[[P]] : vector<8xbf16> to vector<8xf32>
// CHECK: vector.store %[[PF]], %[[PB:.*]][%{{.*}}, %[[C0]]] : memref<4x8xf32>
// V: rows that exist, and then zeros.
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[ROWS]]
// CHECK:   vector.load %[[K]]{{.*}} vector<4xbf16>
// CHECK:   arith.extf
// CHECK: scf.for %{{.*}} = %[[ROWS]] to %[[C8]]
// CHECK:   vector.store %[[ZEROS]],
// CHECK: vector.fma
// The value of P, exact, as it was before.
// CHECK: %[[PF:.*]] = vector.load %[[PB]]
// CHECK: arith.truncf %[[PF]] : vector<8xf32> to vector<8xbf16>
func.func @edge_tile_bf16(%Q: memref<4x4xbf16>, %K: memref<?x4xbf16>, %out: memref<4x8xbf16>, %out2: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %o = arith.constant dense<0.0> : vector<4x4xf32>
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %K : memref<4x4xbf16>, memref<?x4xbf16> -> vector<4x8xf32>
    %P = arith.truncf %S : vector<4x8xf32> to vector<4x8xbf16>
    %O = fa.accumulate %P, %K, %o : vector<4x8xbf16>, memref<?x4xbf16>, vector<4x4xf32>
    vector.transfer_write %P, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xbf16>, memref<4x8xbf16>
    vector.transfer_write %O, %out2[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// Blocks of 16 x 16 are transposed in registers, and the loops over what is left
// of 18 rows and 20 columns.

// CHECK-LABEL: func.func @transpose
// CHECK-SAME: (%[[Q:[^:]*]]: memref<4x20xf32>, %[[K:[^:]*]]: memref<18x20xf32>
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C18:.*]] = arith.constant 18 : index
// CHECK-DAG: %[[C20:.*]] = arith.constant 20 : index
// CHECK: vector.load %[[K]]{{.*}} vector<16xf32>
// CHECK-NOT: vector.transpose
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}} : memref<20x18xf32>, vector<16xf32>
// CHECK: scf.for %[[R:.*]] = %{{.*}} to %[[C16]]
// CHECK:   scf.for %[[D:.*]] = %[[C16]] to %[[C20]]
// CHECK:     memref.load %[[K]][%[[R]], %[[D]]]
// CHECK: scf.for %[[R:.*]] = %[[C16]] to %[[C18]]
// CHECK:   scf.for %[[D:.*]] = %{{.*}} to %[[C20]]
// CHECK:     memref.load %[[K]][%[[R]], %[[D]]]
// CHECK: vector.fma
func.func @transpose(%Q: memref<4x20xf32>, %K: memref<18x20xf32>, %out: memref<4x18xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %K : memref<4x20xf32>, memref<18x20xf32> -> vector<4x18xf32>
    vector.transfer_write %S, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x18xf32>, memref<4x18xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// Q in registers, made by a run: its buffer is read where it is.

// CHECK-LABEL: func.func @query_in_registers
// CHECK: vector.store %{{.*}}, %[[Q:[^\[]*]][%{{.*}}] : memref<4x4xf32>, vector<4xf32>
// CHECK: memref.load %[[Q]]
// CHECK: vector.fma
func.func @query_in_registers(%x: f32, %K: memref<8x4xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (1) {
    %Q = vector.broadcast %x : f32 to vector<4x4xf32>
    %S = fa.scores %Q, %K : vector<4x4xf32>, memref<8x4xf32> -> vector<4x8xf32>
    vector.transfer_write %S, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// Values that a loop exchanges: both rows are read before either is written. A
// number that the loop carries beside them stays.

// CHECK-LABEL: func.func @exchange
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[A:.*]] = memref.alloca()
// CHECK-DAG: %[[B:.*]] = memref.alloca()
// CHECK: %[[K:.*]] = scf.for %[[J:.*]] = %{{.*}} iter_args(%[[K0:.*]] = %[[C0]]) -> (index) {
// CHECK:   %[[K1:.*]] = arith.addi %[[K0]], %[[J]]
// CHECK:   scf.for %[[R:.*]] =
// CHECK-NEXT: %[[X:.*]] = vector.load %[[FIRST:.*]][%[[R]], %[[C0]]]
// CHECK-NEXT: %[[Y:.*]] = vector.load %[[SECOND:.*]][%[[R]], %[[C0]]]
// CHECK-NEXT: vector.store %[[X]], %[[SECOND]][%[[R]], %[[C0]]]
// CHECK-NEXT: vector.store %[[Y]], %[[FIRST]][%[[R]], %[[C0]]]
// CHECK:   scf.yield %[[K1]]
// CHECK: arith.addi %[[K]],
func.func @exchange(%n: index, %out: memref<?x8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4x8xf32>
  scf.forall (%i) in (1) {
    %y = vector.broadcast %x : f32 to vector<4x8xf32>
    %r:3 = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero, %b = %y, %k = %c0) -> (vector<4x8xf32>, vector<4x8xf32>, index) {
      %k1 = arith.addi %k, %j : index
      scf.yield %b, %a, %k1 : vector<4x8xf32>, vector<4x8xf32>, index
    }
    vector.transfer_write %r#0, %out[%r#2, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<?x8xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// The old value is needed after the run that makes the new one: no update in
// place.

// CHECK-LABEL: func.func @old_value_needed
// CHECK: scf.for %{{.*}} to %{{.*}} {
// CHECK: scf.for %{{.*}} {
// CHECK:   %[[OLD:.*]] = memref.load %[[CARRIED:.*]][
// CHECK:   %[[NEW:.*]] = arith.addf %[[OLD]], %[[OLD]]
// CHECK-NOT: memref.store %[[NEW]], %[[CARRIED]]
// CHECK:   memref.store %[[NEW]], %[[OTHER:[^\[]*]]
// CHECK: vector.fma
// CHECK: scf.for %[[R:.*]] =
// CHECK-DAG: %[[X:.*]] = memref.load %[[CARRIED]][%[[R]]]
// CHECK-DAG: %[[Y:.*]] = memref.load %[[OTHER]][%[[R]]]
// CHECK-DAG: memref.store %[[Y]], %[[CARRIED]][%[[R]]]
func.func @old_value_needed(%n: index, %out: memref<4xf32>, %Q: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  scf.forall (%i) in (1) {
    scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
      %a1 = arith.addf %a, %a : vector<4xf32>
      %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
      %b = vector.multi_reduction <add>, %S, %a [1] : vector<4x4xf32> to vector<4xf32>
      vector.transfer_write %b, %out[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
      scf.yield %a1 : vector<4xf32>
    }
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// A tile from outside of a loop is used in every iteration: neither a loop nor
// a product inside overwrites it.

// CHECK-LABEL: func.func @used_again
// CHECK: vector.fma
// CHECK: vector.store %{{.*}}, %[[S:[^\[]*]][%{{.*}}] : memref<4x4xf32>, vector<4xf32>
// CHECK-NOT: memref.alloca
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:   scf.for %[[R:.*]] =
// CHECK:     %[[ROW:.*]] = vector.load %[[S]][%[[R]],
// CHECK:     vector.store %[[ROW]], %[[COPY:.*]][%[[R]],
// CHECK:   scf.for
// CHECK:     scf.for
// CHECK:       vector.load %[[COPY]]
// CHECK:       arith.addf
// CHECK:       vector.store %{{.*}}, %[[COPY]]
// CHECK-NOT: vector.store %{{.*}}, %[[S]][
// CHECK: return
func.func @used_again(%n: index, %Q: memref<4x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
    scf.for %k = %c0 to %n step %c1 {
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %S) -> (vector<4x4xf32>) {
        %a1 = arith.addf %a, %a : vector<4x4xf32>
        scf.yield %a1 : vector<4x4xf32>
      }
      vector.transfer_write %r, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
    }
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// CHECK-LABEL: func.func @accumulator_used_again
// CHECK: vector.fma
// CHECK: vector.store %{{.*}}, %[[S:[^\[]*]][%{{.*}}] : memref<4x4xf32>, vector<4xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:   vector.load %[[S]]
// CHECK:   vector.fma
// CHECK-NOT: vector.store %{{.*}}, %[[S]][
// CHECK: return
func.func @accumulator_used_again(%n: index, %Q: memref<4x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant dense<1.0> : vector<4x4xf32>
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
    scf.for %k = %c0 to %n step %c1 {
      %O = fa.accumulate %p, %Q, %S : vector<4x4xf32>, memref<4x4xf32>, vector<4x4xf32>
      vector.transfer_write %O, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
    }
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// A constant that two products accumulate to, in loops of their own: each writes
// it for itself.

// CHECK-LABEL: func.func @constant_accumulator
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:   vector.store %[[ZERO:.*]], %[[A:[^\[]*]][%{{.*}}] : memref<4x8xf32>, vector<8xf32>
// CHECK:   vector.load %[[A]]
// CHECK:   vector.fma
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:   vector.store %[[ZERO]], %[[B:[^\[]*]][%{{.*}}] : memref<4x8xf32>, vector<8xf32>
// CHECK:   vector.load %[[B]]
// CHECK:   vector.fma
func.func @constant_accumulator(%n: index, %x: f32, %V: memref<4x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = arith.constant dense<0.0> : vector<4x8xf32>
  scf.forall (%i) in (1) {
    %P = vector.broadcast %x : f32 to vector<4x4xf32>
    scf.for %k = %c0 to %n step %c1 {
      %O = fa.accumulate %P, %V, %o : vector<4x4xf32>, memref<4x8xf32>, vector<4x8xf32>
      vector.transfer_write %O, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
    }
    scf.for %k = %c1 to %n step %c1 {
      %O = fa.accumulate %P, %V, %o : vector<4x4xf32>, memref<4x8xf32>, vector<4x8xf32>
      vector.transfer_write %O, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
    }
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// The number of a row is the counter of the loop over rows, column numbers are a
// vector; a gather is one for each row.

// CHECK-LABEL: func.func @numbers
// CHECK-SAME: (%[[TABLE:[^:]*]]: memref<?xf16>,
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[COLUMNS:.*]] = vector.step : vector<8xindex>
// CHECK: scf.for %[[R:.*]] = %[[C0]] to %{{.*}} step %{{.*}} {
// CHECK-NEXT: %[[ROW:.*]] = vector.broadcast %[[R]] : index to vector<8xindex>
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[ROW]], %[[COLUMNS]] : vector<8xindex>
// CHECK-NEXT: %[[X:.*]] = vector.gather %[[TABLE]][%[[C0]]] [%[[AT]]], %{{.*}}, %{{.*}} : memref<?xf16>, vector<8xindex>, vector<8xi1>, vector<8xf16> into vector<8xf16>
// CHECK-NEXT: vector.store %[[X]],
func.func @numbers(%table: memref<?xf16>, %out: memref<4x8xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<4x8xf16>
  %true = arith.constant dense<true> : vector<4x8xi1>
  scf.forall (%i) in (1) {
    %row = vector.step : vector<4xindex>
    %row1 = vector.shape_cast %row : vector<4xindex> to vector<4x1xindex>
    %rows = vector.broadcast %row1 : vector<4x1xindex> to vector<4x8xindex>
    %column = vector.step : vector<8xindex>
    %columns = vector.broadcast %column : vector<8xindex> to vector<4x8xindex>
    %at = arith.addi %rows, %columns : vector<4x8xindex>
    %g = vector.gather %table[%c0] [%at], %true, %zero : memref<?xf16>, vector<4x8xindex>, vector<4x8xi1>, vector<4x8xf16> into vector<4x8xf16>
    vector.transfer_write %g, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf16>, memref<4x8xf16>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// A function without a nest is left alone.

// CHECK-LABEL: func.func @no_nest
// CHECK: fa.scores
func.func @no_nest(%Q: memref<4x4xf32>) -> vector<4x4xf32> {
  %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
  return %S : vector<4x4xf32>
}

// Tiles of 6 rows beside tiles of 4: six rows by register tiles of three, the
// largest divisor. The accumulators start from a vector over the columns, which
// is in a buffer of its own; the transposed product goes down the columns of P,
// in place, on a tile that is loaded and stored.

// CHECK-LABEL: func.func @backward_products
// CHECK-SAME: (%[[K:[^:]*]]: memref<6x3xf32>, %[[Q:[^:]*]]: memref<4x3xf32>, %[[L:[^:]*]]: memref<4xf32>, %[[ACC:[^:]*]]: memref<?x3xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C6:.*]] = arith.constant 6 : index
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<3xf32>
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : vector<4xf32>
// CHECK: %[[OLD:.*]] = memref.alloca() {{.*}} : memref<4x3xf32>
// CHECK: %[[P:.*]] = memref.alloca() {{.*}} : memref<6x4xf32>
// CHECK: %[[S:.*]] = memref.alloca() {{.*}} : memref<6x4xf32>
// CHECK: %[[COLUMNS:.*]] = memref.alloca() {{.*}} : memref<4xf32>
// CHECK: scf.for %[[R:.*]] = %[[C0]] to %[[C4]] step %[[C1]]
// CHECK-NEXT: %[[X:.*]] = memref.load %[[L]][%[[R]]]
// CHECK-NEXT: %[[NEG:.*]] = arith.negf %[[X]] : f32
// CHECK-NEXT: memref.store %[[NEG]], %[[COLUMNS]][%[[R]]]
// CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[C6]] step %[[C3]]
// CHECK:   %[[START:.*]] = vector.load %[[COLUMNS]][%[[C0]]] : memref<4xf32>, vector<4xf32>
// CHECK:   %[[SUM:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %[[START]], %{{.*}} = %[[START]], %{{.*}} = %[[START]])
// CHECK:   %[[SCALED:.*]] = arith.mulf %[[SUM]]#0, %[[HALF]]
// CHECK:   vector.store %[[SCALED]], %[[S]][%[[I]], %[[C0]]]
// CHECK: scf.for %[[R:.*]] = %[[C0]] to %[[C6]] step %[[C1]]
// CHECK-NEXT: %[[ROW:.*]] = vector.load %[[S]][%[[R]], %[[C0]]]
// CHECK-NEXT: %[[ALL:.*]] = vector.load %[[COLUMNS]][%[[C0]]] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[ROW]], %[[ALL]]
// CHECK-NEXT: vector.store %[[PRODUCT]], %[[P]][%[[R]], %[[C0]]]
// CHECK: scf.for %[[R:.*]] = %[[C0]] to %[[C4]] step %[[C1]]
// CHECK:   %[[ROWS:.*]] = memref.dim %[[ACC]], %[[C0]]
// CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[R]], %[[ROWS]]
// CHECK:   %[[ROW:.*]] = scf.if %[[INSIDE]] -> (vector<3xf32>)
// CHECK:     %[[X:.*]] = vector.load %[[ACC]][%[[R]], %[[C0]]]
// CHECK:     scf.yield %[[X]]
// CHECK:   else
// CHECK:     scf.yield %[[ZEROS]]
// CHECK:   vector.store %[[ROW]], %[[OLD]][%[[R]], %[[C0]]]
// CHECK: %[[ROW0:.*]] = vector.load %[[OLD]][%[[C0]], %[[C0]]]
// CHECK: scf.for %[[J:.*]] = %[[C0]] to %[[C6]] step %[[C1]] iter_args(%[[A0:.*]] = %[[ROW0]],
// CHECK:   %[[B:.*]] = vector.load %[[K]][%[[J]], %[[C0]]]
// CHECK:   %[[X:.*]] = memref.load %[[P]][%[[J]], %[[C0]]]
// CHECK:   %[[XS:.*]] = vector.broadcast %[[X]]
// CHECK:   vector.fma %[[XS]], %[[B]], %[[A0]]
// CHECK:   memref.load %[[P]][%[[J]], %[[C1]]]
// CHECK: vector.store %{{.*}}, %[[OLD]][%[[C0]], %[[C0]]]
// CHECK: scf.for
// CHECK:   vector.load %[[OLD]]
// CHECK:   vector.store %{{.*}}, %[[ACC]]
func.func @backward_products(%K: memref<6x3xf32>, %Q: memref<4x3xf32>, %lse: memref<4xf32>, %acc: memref<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %l = vector.transfer_read %lse[%c0], %f0 {in_bounds = [true]} : memref<4xf32>, vector<4xf32>
    %m = arith.negf %l : vector<4xf32>
    %L = vector.broadcast %m : vector<4xf32> to vector<6x4xf32>
    %S = fa.scores %K, %Q start %L scale 0.5 : memref<6x3xf32>, memref<4x3xf32> -> vector<6x4xf32>
    %P = arith.mulf %S, %L : vector<6x4xf32>
    %old = vector.transfer_read %acc[%c0, %c0], %f0 {in_bounds = [false, true]} : memref<?x3xf32>, vector<4x3xf32>
    %new = fa.accumulate %P, %K, %old transposed : vector<6x4xf32>, memref<6x3xf32>, vector<4x3xf32>
    vector.transfer_write %new, %acc[%c0, %c0] {in_bounds = [false, true]} : vector<4x3xf32>, memref<?x3xf32>
  } {fa.schedule = #fa.schedule<br = 4, bc = 8, mr = 4, nr = 4>, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// What a product starts from is a tile; its left operand, packed once, is the
// right operand of the next. 16 bits are f32 there already.

// CHECK-LABEL: func.func @start_tile
// CHECK-SAME: (%[[K:[^:]*]]: memref<4x4xbf16>, %[[Q:[^:]*]]: memref<8x4xbf16>,
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[KP:.*]] = memref.alloca() {{.*}} : memref<4x4xf32>
// CHECK: scf.for %[[R:.*]] =
// CHECK:   vector.load %[[K]][%[[R]], %[[C0]]]
// CHECK:   vector.store %{{.*}}, %[[KP]][%[[R]], %[[C0]]]
// CHECK-NOT: %[[K]][
// CHECK:   memref.load %[[KP]]
// CHECK: vector.store %{{.*}}#0, %[[S:[^\[]*]][
// CHECK: %[[START:.*]] = vector.load %[[S]][
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]],
// CHECK:   memref.load %[[KP]]
// CHECK-NOT: %[[K]][
// CHECK: vector.load %[[KP]][
// CHECK: return
func.func @start_tile(%K: memref<4x4xbf16>, %Q: memref<8x4xbf16>, %out: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<8x4xf32>
  scf.forall (%i) in (1) {
    %S = fa.scores %K, %Q : memref<4x4xbf16>, memref<8x4xbf16> -> vector<4x8xf32>
    %T = fa.scores %K, %Q start %S : memref<4x4xbf16>, memref<8x4xbf16> -> vector<4x8xf32>
    %P = arith.truncf %T : vector<4x8xf32> to vector<4x8xbf16>
    %O = fa.accumulate %P, %K, %zero transposed : vector<4x8xbf16>, memref<4x4xbf16>, vector<8x4xf32>
    vector.transfer_write %O, %out[%c0, %c0] {in_bounds = [true, true]} : vector<8x4xf32>, memref<8x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// A row may not be read before another row of the run has been written there,
// nor after: loads and stores are in loops of their own.

// CHECK-LABEL: func.func @load_and_store
// CHECK-SAME: (%[[M:[^:]*]]: memref<8x4xf32>)
// CHECK: scf.for %
// CHECK-NEXT: %[[X:.*]] = vector.load %[[M]]
// CHECK-NEXT: vector.store %[[X]], %[[A:.*]][%{{.*}}, %{{.*}}] : memref<4x4xf32>
// CHECK-NEXT: }
// CHECK: scf.for %
// CHECK: vector.load %[[A]]
// CHECK: vector.store %{{.*}}, %[[M]]
// CHECK: }
// CHECK: scf.for %
// CHECK: vector.load %[[M]]
// CHECK: vector.store %{{.*}}, %[[B:.*]][%{{.*}}, %{{.*}}] : memref<4x4xf32>
// CHECK: }
// CHECK: scf.for %
// CHECK: vector.load %[[B]]
func.func @load_and_store(%m: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %a = vector.transfer_read %m[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<8x4xf32>, vector<4x4xf32>
    vector.transfer_write %a, %m[%c1, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<8x4xf32>
    %b = vector.transfer_read %m[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<8x4xf32>, vector<4x4xf32>
    vector.transfer_write %b, %m[%c2, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<8x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// What is loaded is loaded before what stands after it writes.

// CHECK-LABEL: func.func @store_between
// CHECK-SAME: (%[[M:[^:]*]]: memref<4x4xf32>,
// CHECK: scf.for %
// CHECK: vector.load %[[M]]
// CHECK: vector.store %{{.*}}, %[[A:.*]][%{{.*}}, %{{.*}}] : memref<4x4xf32>
// CHECK: }
// CHECK: memref.store %{{.*}}, %[[M]]
// CHECK: scf.for %
// CHECK: vector.load %[[A]]
func.func @store_between(%m: memref<4x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    %a = vector.transfer_read %m[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
    memref.store %f0, %m[%c0, %c0] : memref<4x4xf32>
    vector.transfer_write %a, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}
