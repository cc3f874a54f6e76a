// RUN: fa-opt %s --fa-promote-to-sram -split-input-file | FileCheck %s

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

// Q_i is copied once, before the loops. K_j and V_j have a ring each, which both
// loops share, and are filled where their views are taken; the position is the
// loop's counter.

// CHECK-LABEL: func.func @one_group
// CHECK-SAME: (%[[Q:[^:]*]]: {{[^%]*}}%[[K:[^:]*]]: {{[^%]*}}%[[V:[^:]*]]: {{[^%]*}}%[[O:[^:]*]]:
func.func @one_group(%Q: memref<?x?x?x64xbf16, #global>, %K: memref<?x?x?x64xbf16, #global>,
                     %V: memref<?x?x?x32xbf16, #global>, %O: memref<?x?x?x32xbf16, #global>,
                     %LSE: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>, %n: index, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %ones = arith.constant dense<1.0> : vector<16xf32>
  // CHECK: scf.forall
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK-DAG: %[[KRING:.*]] = fagpu.alloc : !fagpu.ring<2, memref<48x64xbf16, #fagpu.sram<swizzle = 128>>>
    // CHECK-DAG: %[[VRING:.*]] = fagpu.alloc : !fagpu.ring<2, memref<48x32xbf16, #fagpu.sram<swizzle = 128>>>
    // CHECK-DAG: %[[QI:.*]] = memref.subview %[[Q]]
    // CHECK: %[[QTILE:.*]] = fagpu.alloc : memref<16x64xbf16, #fagpu.sram<swizzle = 128>>
    // CHECK: fagpu.copy %[[QI]] to %[[QTILE]]
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %rows, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xbf16, #global> to memref<?x64xbf16, #tile>
    // CHECK: scf.for %[[J:.*]] = %c0 to
    %O1 = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> vector<16x32xf32> {
      // CHECK: %[[KJ:.*]] = memref.subview %[[K]]
      // CHECK: %[[KSTAGE:.*]] = fagpu.fill %[[KRING]][%[[J]]] from %[[KJ]]
      // CHECK: fa.scores %[[QTILE]], %[[KSTAGE]]
      %Kj = memref.subview %K[%b, %h, %j, 0] [1, 1, %rows, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xbf16, #global> to memref<?x64xbf16, #tile>
      %S = fa.scores %Qi, %Kj : memref<?x64xbf16, #tile>, memref<?x64xbf16, #tile> -> vector<16x48xf32>
      %P = arith.truncf %S : vector<16x48xf32> to vector<16x48xbf16>
      // CHECK: %[[VJ:.*]] = memref.subview %[[V]]
      // CHECK: %[[VSTAGE:.*]] = fagpu.fill %[[VRING]][%[[J]]] from %[[VJ]]
      // CHECK: fa.accumulate %{{.*}}, %[[VSTAGE]]
      %Vj = memref.subview %V[%b, %h, %j, 0] [1, 1, %rows, 32] [1, 1, 1, 1]
          : memref<?x?x?x32xbf16, #global> to memref<?x32xbf16, #tile>
      %next = fa.accumulate %P, %Vj, %acc : vector<16x48xbf16>, memref<?x32xbf16, #tile>, vector<16x32xf32>
      scf.yield %next : vector<16x32xf32>
    }
    // CHECK-NOT: fagpu.alloc
    // CHECK-NOT: fagpu.copy
    // CHECK: scf.for %[[J2:.*]] = %{{.*}} to
    %O2 = scf.for %j = %n to %n step %c1 iter_args(%acc = %O1) -> vector<16x32xf32> {
      // CHECK: %[[KSTAGE2:.*]] = fagpu.fill %[[KRING]][%[[J2]]]
      // CHECK: fa.scores %[[QTILE]], %[[KSTAGE2]]
      %Kj = memref.subview %K[%b, %h, %j, 0] [1, 1, 48, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xbf16, #global> to memref<48x64xbf16, #tile>
      %S = fa.scores %Qi, %Kj : memref<?x64xbf16, #tile>, memref<48x64xbf16, #tile> -> vector<16x48xf32>
      %P = arith.truncf %S : vector<16x48xf32> to vector<16x48xbf16>
      // CHECK: fagpu.fill %[[VRING]][%[[J2]]]
      %Vj = memref.subview %V[%b, %h, %j, 0] [1, 1, 48, 32] [1, 1, 1, 1]
          : memref<?x?x?x32xbf16, #global> to memref<48x32xbf16, #tile>
      %next = fa.accumulate %P, %Vj, %acc : vector<16x48xbf16>, memref<48x32xbf16, #tile>, vector<16x32xf32>
      scf.yield %next : vector<16x32xf32>
    }
    // What is written is left where it is.
    // CHECK: %[[OI:.*]] = memref.subview %[[O]]
    // CHECK: vector.transfer_write %{{.*}}, %[[OI]]
    %out = arith.truncf %O2 : vector<16x32xf32> to vector<16x32xbf16>
    %Oi = memref.subview %O[%b, %h, %i, 0] [1, 1, %rows, 32] [1, 1, 1, 1]
        : memref<?x?x?x32xbf16, #global> to memref<?x32xbf16, #tile>
    vector.transfer_write %out, %Oi[%c0, %c0] {in_bounds = [false, true]} : vector<16x32xbf16>, memref<?x32xbf16, #tile>
    %Li = memref.subview %LSE[%b, %h, %i] [1, 1, %rows] [1, 1, 1]
        : memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    vector.transfer_write %ones, %Li[%c0] : vector<16xf32>, memref<?xf32, strided<[1], offset: ?>>
  } {fa.schedule = #fa.schedule<br = 16, bc = 48, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

// The Q tile is the block's; a row group reads its rows of it.

// CHECK-LABEL: func.func @row_groups
func.func @row_groups(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>,
                      %n: index, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : vector<64x16xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[TILE:.*]] = fagpu.alloc : memref<128x64xf16, #fagpu.sram<swizzle = 128>>
    // CHECK: fagpu.copy %{{.*}} to %[[TILE]]
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %rows, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    // CHECK: scf.forall (%[[G:.*]]) in (2)
    scf.forall (%g) in (2) {
      // CHECK: %[[FIRST:.*]] = arith.muli %[[G]], %c64
      %first = arith.muli %g, %c64 : index
      %Qg = memref.subview %Qi[%first, 0] [%rows, 64] [1, 1]
          : memref<?x64xf16, #tile> to memref<?x64xf16, #tile>
      %S = scf.for %j = %c0 to %n step %c1 iter_args(%s = %zero) -> vector<64x16xf32> {
        %Kj = memref.subview %K[%b, %h, %j, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        // CHECK: fagpu.fill
        // CHECK: %[[ROWS:.*]] = memref.subview %[[TILE]][%[[FIRST]], 0] [64, 64] [1, 1]
        // CHECK: fa.scores %[[ROWS]],
        %s1 = fa.scores %Qg, %Kj : memref<?x64xf16, #tile>, memref<16x64xf16, #tile> -> vector<64x16xf32>
        %s2 = arith.addf %s, %s1 : vector<64x16xf32>
        scf.yield %s2 : vector<64x16xf32>
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 1>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

// A view of all of Q is not the block's.

// CHECK-LABEL: func.func @slice
// CHECK: %[[QI:.*]] = memref.subview %{{.*}} : memref<?x?x?x64xf16, {{.*}}> to memref<?x64xf16,
// CHECK: %[[TILE:.*]] = fagpu.alloc : memref<16x64xf16,
// CHECK: fagpu.copy %[[QI]] to %[[TILE]]
func.func @slice(%whole: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  %Q = memref.subview %whole[0, 0, 1, 0] [%n, %n, %n, 64] [1, 1, 1, 1]
      : memref<?x?x?x64xf16, #global> to memref<?x?x?x64xf16, #global>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    scf.for %j = %b to %n step %c1 {
      %Kj = memref.subview %K[%b, %h, %j, 0] [1, 1, %n, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
      %S = fa.scores %Qi, %Kj : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

// Of a static length shorter than a tile the view is, too, and the product gets it
// by a cast.

// CHECK-LABEL: func.func @short
// CHECK: %[[QI:.*]] = memref.subview %{{.*}} to memref<10x64xf16,
// CHECK: %[[TILE:.*]] = fagpu.alloc : memref<16x64xf16,
// CHECK: fagpu.copy %[[QI]] to %[[TILE]] : memref<10x64xf16,
// CHECK: fa.scores %[[TILE]],
func.func @short(%Q: memref<?x?x10x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, 1) {
    %view = memref.subview %Q[%b, %h, 0, 0] [1, 1, 10, 64] [1, 1, 1, 1]
        : memref<?x?x10x64xf16, #global> to memref<10x64xf16, #tile>
    %Qi = memref.cast %view : memref<10x64xf16, #tile> to memref<?x64xf16, #tile>
    scf.for %j = %b to %n step %c1 {
      %Kj = memref.subview %K[%b, %h, %j, 0] [1, 1, %n, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
      %S = fa.scores %Qi, %Kj : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// Nests without a schedule are not ours.
// CHECK-LABEL: func.func @no_schedule
// CHECK-NOT: fagpu
func.func @no_schedule(%Q: memref<16x64xf32>, %K: memref<16x64xf32>) {
  scf.forall (%i) in (2) {
    %S = fa.scores %Q, %K : memref<16x64xf32>, memref<16x64xf32> -> vector<16x16xf32>
  }
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#global = strided<[?, ?, ?, 1], offset: ?>

// A tile of a static length is in no loop. Its position goes on from the loop before
// it, whose counter counts the visits.

// CHECK-LABEL: func.func @positions
// CHECK-SAME: %[[N:[^ ]*]]: index)
func.func @positions(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    // CHECK: fagpu.fill %{{.*}}[%c0{{.*}}]
    %K0 = memref.subview %K[%b, %h, %c0, 0] [1, 1, 16, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
    %S0 = fa.scores %Qi, %K0 : memref<?x64xf16, #tile>, memref<16x64xf16, #tile> -> vector<16x16xf32>
    // CHECK: scf.for %[[T:.*]] = %c1
    // CHECK: fagpu.fill %{{.*}}[%[[T]]]
    scf.for %t = %c1 to %n step %c1 {
      %Kt = memref.subview %K[%b, %h, %t, 0] [1, 1, 16, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
      %S = fa.scores %Qi, %Kt : memref<?x64xf16, #tile>, memref<16x64xf16, #tile> -> vector<16x16xf32>
    }
    // CHECK: %[[NEXT:.*]] = arith.addi %[[N]], %c1{{.*}} : index
    // CHECK: fagpu.fill %{{.*}}[%[[N]]]
    %K1 = memref.subview %K[%b, %h, %n, 0] [1, 1, 16, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
    %S1 = fa.scores %Qi, %K1 : memref<?x64xf16, #tile>, memref<16x64xf16, #tile> -> vector<16x16xf32>
    // CHECK: fagpu.fill %{{.*}}[%[[NEXT]]]
    %K2 = memref.subview %K[%b, %h, %i, 0] [1, 1, 16, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
    %S2 = fa.scores %Qi, %K2 : memref<?x64xf16, #tile>, memref<16x64xf16, #tile> -> vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
#global = strided<[?, ?, ?, 1], offset: ?>

// The chunks of a schedule with `narrow`: what is over after 64 columns in a tail of Q
// and K, chunks of V that its columns fill. A rest of more than half a chunk, and a V
// with a rest that fills no chunk, stay as they are.

// CHECK-LABEL: func.func @narrow
func.func @narrow(%Q: memref<?x?x?x80xf16, #global>, %K: memref<?x?x?x80xf16, #global>, %V: memref<?x?x?x96xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<64x96xf32>
  // CHECK: fagpu.alloc : !fagpu.ring<2, memref<16x96xf16, #fagpu.sram<swizzle = 64>>>
  // CHECK: fagpu.alloc : !fagpu.ring<2, memref<16x80xf16, #fagpu.sram<swizzle = 128, tail = 32>>>
  // CHECK: fagpu.alloc : memref<64x80xf16, #fagpu.sram<swizzle = 128, tail = 32>>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 80] [1, 1, 1, 1] : memref<?x?x?x80xf16, #global> to memref<?x80xf16, #tile>
    scf.for %j = %b to %n step %c1 {
      %Kj = memref.subview %K[%b, %h, %j, 0] [1, 1, %n, 80] [1, 1, 1, 1] : memref<?x?x?x80xf16, #global> to memref<?x80xf16, #tile>
      %S = fa.scores %Qi, %Kj : memref<?x80xf16, #tile>, memref<?x80xf16, #tile> -> vector<64x16xf32>
      %P = arith.truncf %S : vector<64x16xf32> to vector<64x16xf16>
      %Vj = memref.subview %V[%b, %h, %j, 0] [1, 1, %n, 96] [1, 1, 1, 1] : memref<?x?x?x96xf16, #global> to memref<?x96xf16, #tile>
      %O = fa.accumulate %P, %Vj, %zero : vector<64x16xf16>, memref<?x96xf16, #tile>, vector<64x96xf32>
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, narrow = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// CHECK-LABEL: func.func @not_narrow
func.func @not_narrow(%Q: memref<?x?x?x112xf16, #global>, %K: memref<?x?x?x112xf16, #global>, %V: memref<?x?x?x72xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<64x72xf32>
  // CHECK: fagpu.alloc : !fagpu.ring<2, memref<16x72xf16, #fagpu.sram<swizzle = 128>>>
  // CHECK: fagpu.alloc : !fagpu.ring<2, memref<16x112xf16, #fagpu.sram<swizzle = 128>>>
  // CHECK: fagpu.alloc : memref<64x112xf16, #fagpu.sram<swizzle = 128>>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 112] [1, 1, 1, 1] : memref<?x?x?x112xf16, #global> to memref<?x112xf16, #tile>
    scf.for %j = %b to %n step %c1 {
      %Kj = memref.subview %K[%b, %h, %j, 0] [1, 1, %n, 112] [1, 1, 1, 1] : memref<?x?x?x112xf16, #global> to memref<?x112xf16, #tile>
      %S = fa.scores %Qi, %Kj : memref<?x112xf16, #tile>, memref<?x112xf16, #tile> -> vector<64x16xf32>
      %P = arith.truncf %S : vector<64x16xf32> to vector<64x16xf16>
      %Vj = memref.subview %V[%b, %h, %j, 0] [1, 1, %n, 72] [1, 1, 1, 1] : memref<?x?x?x72xf16, #global> to memref<?x72xf16, #tile>
      %O = fa.accumulate %P, %Vj, %zero : vector<64x16xf16>, memref<?x72xf16, #tile>, vector<64x72xf32>
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, narrow = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// Fewer columns than a chunk have one narrow chunk.
// CHECK-LABEL: func.func @few_columns
func.func @few_columns(%Q: memref<?x?x?x24xf16, #global>, %K: memref<?x?x?x24xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  // CHECK: fagpu.alloc : !fagpu.ring<1, memref<16x24xf16, #fagpu.sram<swizzle = 64>>>
  // CHECK: fagpu.alloc : memref<64x24xf16, #fagpu.sram<swizzle = 64>>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 24] [1, 1, 1, 1] : memref<?x?x?x24xf16, #global> to memref<?x24xf16, #tile>
    scf.for %j = %b to %n step %c1 {
      %Kj = memref.subview %K[%b, %h, %j, 0] [1, 1, %n, 24] [1, 1, 1, 1] : memref<?x?x?x24xf16, #global> to memref<?x24xf16, #tile>
      %S = fa.scores %Qi, %Kj : memref<?x24xf16, #tile>, memref<?x24xf16, #tile> -> vector<64x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, narrow = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}
