// RUN: fa-opt %s -allow-unregistered-dialect --fa-specialize-warps --split-input-file | FileCheck %s

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!q = memref<128x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, !k>

// Copies and fills become loads of the producer, and waits of the row groups.
// What the addresses depend on is computed in both. Q is a ring of a stage a row
// group, which holds its rows and is at the position of its number.

// CHECK-LABEL: func.func @split
// CHECK-SAME: (%[[Q:[^:]*]]: {{[^%]*}}%[[K:[^:]*]]: {{[^%]*}}%[[N:[^:]*]]: index, %[[LO:[^:]*]]: index, %[[HI:[^:]*]]: index
func.func @split(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>,
                 %n: index, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  // CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[I:.*]]) in
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[KRING:.*]] = fagpu.alloc : !fagpu.ring<2,
    // CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c128
    // CHECK: %[[QRING:.*]] = fagpu.alloc readers = 1 : !fagpu.ring<2, memref<64x64xf16,
    // CHECK-NOT: fagpu.copy
    %kring = fagpu.alloc : !ring
    %row = arith.muli %i, %c128 : index
    %Qi = memref.subview %Q[%b, %h, %row, 0] [1, 1, 128, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xf16, #global> to memref<128x64xf16, #tile>
    %q = fagpu.alloc : !q
    fagpu.copy %Qi to %q : memref<128x64xf16, #tile>, !q

    // CHECK: fagpu.specialize groups = 2 registers = (24, 240) producer {
    // CHECK:   fagpu.load %[[QRING]][%c0{{.*}}] from %[[Q]][%[[B]], %[[H]], %[[ROW]]]
    // CHECK:   %[[ROW1:.*]] = arith.addi %[[ROW]], %c64
    // CHECK:   fagpu.load %[[QRING]][%c1{{.*}}] from %[[Q]][%[[B]], %[[H]], %[[ROW1]]]
    // CHECK-NOT: fagpu.load %[[QRING]]
    // CHECK:   %[[END:.*]] = arith.addi %[[HI]], %c1
    // CHECK:   scf.for %[[T:.*]] = %[[LO]] to %[[END]] step %c1 {
    // CHECK:     %[[KROW:.*]] = arith.muli %[[T]], %c16
    // CHECK:     fagpu.load %[[KRING]][%[[T]]] from %[[K]][%[[B]], %c7{{.*}}, %[[KROW]]]
    // CHECK:   }
    // CHECK-NOT: fa.scores
    // CHECK: } consumer {
    // CHECK:   %[[G:.*]] = fagpu.group_id
    // CHECK:   %[[QTILE:.*]] = fagpu.acquire %[[QRING]][%[[G]]] {{.*}}memref<64x64xf16,
    // CHECK:   %[[END2:.*]] = arith.addi %[[HI]], %c1
    // CHECK:   scf.for %[[T2:.*]] = %[[LO]] to %[[END2]] step %c1 {
    // Waited for where it is first read, released where it is last read.
    // CHECK-NOT: memref.subview %[[QTILE]]
    // CHECK:     "test.before"
    // CHECK:     %[[STAGE:.*]] = fagpu.acquire %[[KRING]][%[[T2]]]
    // CHECK:     fa.scores %[[QTILE]], %[[STAGE]]
    // CHECK:     fa.scores %[[QTILE]], %[[STAGE]]
    // CHECK:     fagpu.release %[[KRING]][%[[T2]]]
    // CHECK:     "test.after"
    // CHECK-NOT: fagpu.fill
    // CHECK:   }
    // CHECK: }
    scf.forall (%g) in (2) {
      %first = arith.muli %g, %c64 : index
      %end = arith.addi %hi, %c1 : index
      scf.for %t = %lo to %end step %c1 {
        %krow = arith.muli %t, %c16 : index
        %Kj = memref.subview %K[%b, 7, %krow, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %kring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %rows = memref.subview %q[%first, 0] [64, 64] [1, 1]
            : !q to memref<64x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>
        "test.before"() : () -> ()
        %S = fa.scores %rows, %k : memref<64x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>, !k -> vector<64x16xf32>
        %S2 = fa.scores %rows, %k : memref<64x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>, !k -> vector<64x16xf32>
        "test.after"() : () -> ()
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// The registers of a multiprocessor, 65,536, among 1 + groups warpgroups.

// CHECK-LABEL: func.func @registers
// CHECK: fagpu.specialize groups = 1 registers = (24, 240)
// CHECK: fagpu.specialize groups = 3 registers = (32, 160)
// CHECK: fagpu.specialize groups = 4 registers = (32, 112)
func.func @registers(%n: index) {
  scf.forall (%b) in (%n) {
    scf.forall (%g) in (1) {
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4, stages = 2>}
  scf.forall (%b) in (%n) {
    scf.forall (%g) in (3) {
    }
  } {fa.schedule = #fa.schedule<br = 192, bc = 16, groups = 3, warps = 4, stages = 2>}
  scf.forall (%b) in (%n) {
    scf.forall (%g) in (4) {
    }
  } {fa.schedule = #fa.schedule<br = 256, bc = 16, groups = 4, warps = 4, stages = 2>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

// A tile that no row group reads is not loaded either: nobody would release it.

// CHECK-LABEL: func.func @unread
// CHECK: fagpu.specialize
// CHECK-NOT: fagpu.load
// CHECK-NOT: fagpu.acquire
// CHECK-NOT: fagpu.fill
// CHECK: return
func.func @unread(%K: memref<?x?x?x64xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %ring = fagpu.alloc : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
    scf.forall (%g) in (1) {
      scf.for %t = %b to %n step %c1 {
        %Kj = memref.subview %K[%b, %h, %t, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>, memref<16x64xf16, #tile>
      }
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!q = memref<128x64xf16, #fagpu.sram<swizzle = 128>>

// O goes through the SRAM of Q, each group's through its stage, if it has the
// columns of Q. LSE, and an O of other columns, are stored from registers.

// CHECK-LABEL: func.func @store
// CHECK-SAME: (%{{[^:]*}}: {{[^%]*}}%[[O:[^:]*]]: {{[^%]*}}%[[O32:[^:]*]]:
func.func @store(%Q: memref<?x?x?x64xf16, #global>, %O: memref<?x?x?x64xf16, #global>,
                 %O32: memref<?x?x?x32xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index, %rows: index) {
  %c0 = arith.constant 0 : index
  %out = arith.constant dense<1.0> : vector<64x64xf16>
  %out32 = arith.constant dense<1.0> : vector<64x32xf16>
  %lse = arith.constant dense<1.0> : vector<64xf32>
  // CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[I:.*]]) in
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, 128, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xf16, #global> to memref<128x64xf16, #tile>
    %q = fagpu.alloc : !q
    fagpu.copy %Qi to %q : memref<128x64xf16, #tile>, !q
    scf.forall (%g) in (2) {
      // CHECK: } consumer {
      // CHECK: %[[G:.*]] = fagpu.group_id
      // CHECK: %[[QTILE:.*]] = fagpu.acquire %{{.*}}[%[[G]]]
      // CHECK: %[[ROW:.*]] = arith.addi %[[I]], %[[G]] : index
      %row = arith.addi %i, %g : index
      // CHECK: fagpu.store_tile %{{.*}} by %[[QTILE]] to %[[O]][%[[B]], %[[H]], %[[ROW]]] : {{.*}}memref<64x64xf16, #fagpu.sram
      %Og = memref.subview %O[%b, %h, %row, 0] [1, 1, %rows, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
      vector.transfer_write %out, %Og[%c0, %c0] {in_bounds = [false, true]} : vector<64x64xf16>, memref<?x64xf16, #tile>
      // CHECK: vector.transfer_write %{{.*}} : vector<64x32xf16>
      %O32g = memref.subview %O32[%b, %h, %row, 0] [1, 1, %rows, 32] [1, 1, 1, 1]
          : memref<?x?x?x32xf16, #global> to memref<?x32xf16, #tile>
      vector.transfer_write %out32, %O32g[%c0, %c0] {in_bounds = [false, true]} : vector<64x32xf16>, memref<?x32xf16, #tile>
      // CHECK: vector.transfer_write %{{.*}} : vector<64xf32>
      %Lg = memref.subview %LSE[%b, %h, %row] [1, 1, %rows] [1, 1, 1]
          : memref<?x?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
      vector.transfer_write %lse, %Lg[%c0] : vector<64xf32>, memref<?xf32, strided<[1], offset: ?>>
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>

// The first loop begins where the group's rows begin to see keys. The producer
// loads from position 0 on, for all groups; a group waits for the stages that it
// skips, and releases them.

// CHECK-LABEL: func.func @skipped
// CHECK-SAME: %[[N:[^:]*]]: index)
// CHECK: %[[KRING:.*]] = fagpu.alloc
// CHECK: fagpu.specialize
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: scf.for %[[T:.*]] = %[[ZERO]] to %[[N]] step %c1 {
// CHECK:        fagpu.load %[[KRING]][%[[T]]]
// CHECK:      }
// CHECK-NOT: fagpu.group_id
// CHECK: } consumer {
// CHECK: %[[G:.*]] = fagpu.group_id
// CHECK: %[[BEGIN:.*]] = arith.subi %c1, %[[G]]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: scf.for %[[T:.*]] = %[[ZERO]] to %[[BEGIN]] step %c1 {
// CHECK-NEXT:   fagpu.acquire %[[KRING]][%[[T]]]
// CHECK-NEXT:   fagpu.release %[[KRING]][%[[T]]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %[[T:.*]] = %[[BEGIN]] to %[[N]] step %c1 {
// CHECK:        fagpu.acquire %[[KRING]][%[[T]]]
// CHECK:        fa.scores
// CHECK:        fagpu.release %[[KRING]][%[[T]]]
// CHECK-NOT:  fagpu.acquire
// CHECK:      return
func.func @skipped(%K: memref<?x?x?x64xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %ring = fagpu.alloc : !ring
    %unread = fagpu.alloc : !ring
    scf.forall (%g) in (2) {
      %begin = arith.subi %c1, %g : index
      scf.for %t = %begin to %n step %c1 {
        %Kj = memref.subview %K[%b, %h, %t, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %k2 = fagpu.fill %unread[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %k, %k : !k, !k -> vector<16x16xf32>
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>

// A row group has its own boundary between two loops over the same tiles: the producer
// loads them in one loop. The skipping loop stands before the first loop alone, though
// the second begins where the group says, too.

// CHECK-LABEL: func.func @boundary
// CHECK-SAME: %[[K:[^:]*]]: memref<{{[^%]*}}, %[[N:[^:]*]]: index)
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %{{.*}}) in
// CHECK: %[[KRING:.*]] = fagpu.alloc
// CHECK: fagpu.specialize
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: scf.for %[[T:.*]] = %[[ZERO]] to %[[N]] step %c1 {
// CHECK-NEXT:   %[[ROW:.*]] = arith.muli %[[T]], %c16
// CHECK-NEXT:   fagpu.load %[[KRING]][%[[T]]] from %[[K]][%[[B]], %[[H]], %[[ROW]]]
// CHECK-NEXT: }
// CHECK-NOT: {{scf.for|fagpu.load}}
// CHECK: } consumer {
// CHECK: %[[G:.*]] = fagpu.group_id
// CHECK: %[[EDGES:.*]] = arith.addi %[[G]], %c1
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[G]] step %c1 {
// CHECK-NEXT:   fagpu.acquire %[[KRING]][%[[T]]]
// CHECK-NEXT:   fagpu.release %[[KRING]][%[[T]]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %{{.*}} = %[[G]] to %[[EDGES]] step %c1 {
// CHECK:        fa.scores
// CHECK:      }
// CHECK-NEXT: scf.for %{{.*}} = %[[EDGES]] to %[[N]] step %c1 {
// CHECK:        fa.scores
// CHECK:      }
// CHECK-NEXT: }
func.func @boundary(%K: memref<?x?x?x64xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %ring = fagpu.alloc : !ring
    scf.forall (%g) in (2) {
      %edges = arith.addi %g, %c1 : index
      scf.for %t = %g to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        %Kj = memref.subview %K[%b, %h, %row, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %k, %k : !k, !k -> vector<16x16xf32>
      }
      scf.for %t = %edges to %n step %c1 {
        %row = arith.muli %t, %c16 : index
        %Kj = memref.subview %K[%b, %h, %row, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %k, %k : !k, !k -> vector<16x16xf32>
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>

// A boundary that all groups share stays one.

// CHECK-LABEL: func.func @shared_boundary
// CHECK-SAME: %[[N:[^:]*]]: index, %[[EDGES:[^:]*]]: index)
// CHECK: fagpu.specialize
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[EDGES]] step %c1 {
// CHECK: fagpu.load
// CHECK: scf.for %{{.*}} = %[[EDGES]] to %[[N]] step %c1 {
// CHECK: fagpu.load
// CHECK: } consumer {
func.func @shared_boundary(%K: memref<?x?x?x64xf16, #global>, %n: index, %edges: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %ring = fagpu.alloc : !ring
    scf.forall (%g) in (2) {
      scf.for %t = %g to %edges step %c1 {
        %row = arith.subi %n, %t : index
        %Kj = memref.subview %K[%b, %h, %row, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %k, %k : !k, !k -> vector<16x16xf32>
      }
      scf.for %t = %edges to %n step %c1 {
        %Kj = memref.subview %K[%b, %h, %t, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %k, %k : !k, !k -> vector<16x16xf32>
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!q = memref<128x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, !k>

// Blocks that take query tiles in turn have two tiles of Q, and let go of one at the
// end. Loops that go on in one another with the same tiles are one to the producer;
// the third takes other rows, and the fourth reads none.

// CHECK-LABEL: func.func @persistent
func.func @persistent(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>,
                      %n: index, %mid: index, %hi: index, %end: index, %more: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[QRING:.*]] = fagpu.alloc readers = 1 : !fagpu.ring<4, memref<64x64xf16,
    // CHECK: fagpu.specialize groups = 2 registers = (40, 232) producer {
    // CHECK:   fagpu.load %[[QRING]][%c0
    // CHECK:   fagpu.load %[[QRING]][%c1
    // CHECK-NOT: fagpu.load %[[QRING]]
    // CHECK:   scf.for %{{.*}} = %c0 to %[[HI:.*]] step
    // CHECK:   scf.for %{{.*}} = %[[HI]] to %[[END:.*]] step
    // CHECK:   scf.for %{{.*}} = %[[END]] to %
    // CHECK-NOT: scf.for
    // CHECK: } consumer {
    // CHECK:   %[[G:.*]] = fagpu.group_id
    // CHECK:   fagpu.acquire %[[QRING]][%[[G]]]
    // CHECK-COUNT-4: scf.for
    // CHECK:   "test.store"
    // CHECK-NEXT: fagpu.release %[[QRING]][%[[G]]]
    // CHECK-NEXT: }
    %kring = fagpu.alloc : !ring
    %row = arith.muli %i, %c128 : index
    %Qi = memref.subview %Q[%b, %h, %row, 0] [1, 1, 128, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xf16, #global> to memref<128x64xf16, #tile>
    %q = fagpu.alloc : !q
    fagpu.copy %Qi to %q : memref<128x64xf16, #tile>, !q
    scf.forall (%g) in (2) {
      %first = arith.muli %g, %c64 : index
      %rows = memref.subview %q[%first, 0] [64, 64] [1, 1]
          : !q to memref<64x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>
      scf.for %t = %c0 to %mid step %c1 {
        %krow = arith.muli %t, %c16 : index
        %Kj = memref.subview %K[%b, 7, %krow, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %kring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %rows, %k : memref<64x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>, !k -> vector<64x16xf32>
      }
      scf.for %t = %mid to %hi step %c1 {
        %krow = arith.muli %t, %c16 : index
        %Kj = memref.subview %K[%b, 7, %krow, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %kring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %rows, %k : memref<64x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>, !k -> vector<64x16xf32>
        "test.unmasked"(%S) : (vector<64x16xf32>) -> ()
      }
      scf.for %t = %hi to %end step %c1 {
        %krow = arith.muli %t, %c64 : index
        %Kj = memref.subview %K[%b, 7, %krow, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %kring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %rows, %k : memref<64x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>, !k -> vector<64x16xf32>
      }
      scf.for %t = %end to %more step %c1 {
        %krow = arith.muli %t, %c64 : index
        %Kj = memref.subview %K[%b, 7, %krow, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %kring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
      }
      "test.store"() : () -> ()
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 2, persistent = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// Where the number of keys is static, a loop over one tile is none any more. Its
// fills are loaded in the order in which they stand, before the loop.

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, !k>

// CHECK-LABEL: func.func @single_tile
func.func @single_tile(%K: memref<1x1x40x64xf16, #global>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c2 = arith.constant 2 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %q = fagpu.alloc : !q
    // CHECK: producer {
    // CHECK:   fagpu.load %[[RING:.*]][%c0{{.*}}] from {{.*}}%c32
    // CHECK:   scf.for %[[T:.*]] = %c1{{.*}} to %c3
    // CHECK:     fagpu.load %[[RING]][%[[T]]] from
    // CHECK:   }
    // CHECK-NOT: fagpu.load
    // CHECK: } consumer {
    // CHECK:   fagpu.acquire %[[RING]][%c0
    // CHECK-NEXT: fa.scores
    // CHECK-NEXT: fagpu.release %[[RING]][%c0
    // CHECK-NEXT: "test.use"
    // CHECK:   scf.for %[[T2:.*]] = %c1{{.*}} to %c3
    // CHECK:     fagpu.acquire %[[RING]][%[[T2]]]
    // CHECK-NOT: fagpu.fill
    scf.forall (%g) in (2) {
      %last = memref.subview %K[0, 0, 32, 0] [1, 1, 8, 64] [1, 1, 1, 1]
          : memref<1x1x40x64xf16, #global> to memref<8x64xf16, #tile>
      %k = fagpu.fill %kring[%c0] from %last : <2, !k>, memref<8x64xf16, #tile>
      %s = fa.scores %q, %k : !q, !k -> vector<64x16xf32>
      "test.use"(%s) : (vector<64x16xf32>) -> ()
      scf.for %t = %c1 to %c3 step %c1 {
        %left = arith.subi %c2, %t : index
        %row = arith.muli %left, %c16 : index
        %Kt = memref.subview %K[0, 0, %row, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<1x1x40x64xf16, #global> to memref<16x64xf16, #tile>
        %kt = fagpu.fill %kring[%t] from %Kt : <2, !k>, memref<16x64xf16, #tile>
        %st = fa.scores %q, %kt : !q, !k -> vector<64x16xf32>
        "test.use"(%st) : (vector<64x16xf32>) -> ()
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 2>}
  return
}
