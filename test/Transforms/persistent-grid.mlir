// RUN: fa-opt %s --allow-unregistered-dialect --fa-persistent-grid --canonicalize --cse --split-input-file | FileCheck %s

#global = strided<[?, ?, ?, 1], offset: ?>
!T = memref<?x?x?x64xbf16, #global>
!q = memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xbf16, #fagpu.sram<swizzle = 128>>
!qring = !fagpu.ring<4, !q>
!kring = !fagpu.ring<2, !k>

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: (%[[K:[^:]*]]: memref{{.*}}, %[[Q:[^:]*]]: memref{{.*}}, %[[HEADS:[^:]*]]: i32, %[[TILES:[^:]*]]: i32)
// CHECK-SAME: fa.kernel = {{.*}}, resident_blocks = 1 : i64}
func.func @kernel(%K: !T, %Q: !T, %heads: i32, %tiles: i32)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "K"}, {kind = "memref", tensor = "Q"}]},
                fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 2, pingpong = true, persistent = 2>} {
  // CHECK-NOT: arith.remui
  // CHECK: %[[ID:.*]] = gpu.block_id x
  // CHECK-NOT: arith.remui
  // CHECK-DAG: %[[KRING:.*]] = fagpu.alloc offset = 0 :
  // CHECK-DAG: %[[QRING:.*]] = fagpu.alloc offset = 4096 readers = 1 :
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %keys = memref.dim %K, %c2 : !T
  %block = gpu.block_id x
  %id = arith.index_castui %block : index to i32
  %bh = arith.divui %id, %tiles : i32
  %b32 = arith.divui %bh, %heads : i32
  %h32 = arith.remui %bh, %heads : i32
  %i32 = arith.remui %id, %tiles : i32
  %b = arith.index_castui %b32 {fagpu.coordinate} : i32 to index
  %h = arith.index_castui %h32 {fagpu.coordinate} : i32 to index
  %i = arith.index_castui %i32 {fagpu.coordinate} : i32 to index
  %row = arith.muli %i, %c128 : index
  %end = arith.addi %row, %keys : index
  %kring = fagpu.alloc offset = 0 : !kring
  %qring = fagpu.alloc offset = 4096 readers = 1 : !qring

  // All blocks of the grid: batch * heads * ceil(queries / B_r).
  // CHECK-DAG: %[[DIM0:.*]] = memref.dim %[[Q]], %c0
  // CHECK-DAG: %[[B0:.*]] = arith.index_castui %[[DIM0]]
  // CHECK-DAG: %[[DIM1:.*]] = memref.dim %[[Q]], %c1
  // CHECK-DAG: %[[H0:.*]] = arith.index_castui %[[DIM1]]
  // CHECK-DAG: %[[BH0:.*]] = arith.muli %[[B0]], %[[H0]]
  // CHECK-DAG: %[[DIM2:.*]] = memref.dim %[[Q]], %c2
  // CHECK-DAG: %[[ROWS:.*]] = arith.index_cast %[[DIM2]]
  // CHECK-DAG: %[[T0:.*]] = arith.ceildivui %[[ROWS]], %c128_i32
  // CHECK-DAG: %[[TOTAL:.*]] = arith.muli %[[BH0]], %[[T0]]
  // A number from outside is narrowed before the roles part.
  // CHECK-DAG: %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK-DAG: %[[KEYS:.*]] = arith.trunci %[[WIDE]] : i64 to i32

  // The producer: block, turn and the position at which the ring of K goes on. That
  // of Q, which has as many stages filled for all blocks, follows from the turn.
  // CHECK: fagpu.specialize {{.*}} producer {
  // CHECK:   %[[ID32:.*]] = arith.index_cast %[[ID]] : index to i32
  // CHECK:   %[[LOOP:.*]]:3 = scf.while (%[[N:.*]] = %[[ID32]], %{{.*}} = %c0_i32, %{{.*}} = %c0_i32)
  // CHECK:     %[[ISLEFT:.*]] = arith.cmpi ult, %[[N]], %[[TOTAL]] : i32
  // CHECK:     scf.condition(%[[ISLEFT]])
  // CHECK:   ^bb0(%[[N:.*]]: i32, %[[TURN:.*]]: i32, %[[FIRST:.*]]: i32):
  // CHECK:     %[[BH:.*]] = arith.divui %[[N]], %[[TILES]]
  // CHECK-NOT: fagpu.coordinate
  // CHECK:     fagpu.post_block %{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]], %[[KEYS]], %c0_i32 at %[[TURN]]
  // CHECK:     %[[KEYS0:.*]] = arith.index_cast %[[KEYS]] : i32 to index
  // CHECK:     %[[END:.*]] = arith.addi %{{.*}}, %[[KEYS0]] : index
  // CHECK:     %[[TWICE:.*]] = arith.muli %[[TURN]], %c2_i32
  // CHECK:     %[[QFIRST:.*]] = arith.index_castui %[[TWICE]]
  // CHECK:     fagpu.load %[[QRING]][%[[QFIRST]]]
  // CHECK:     %[[QNEXT:.*]] = arith.addi %[[QFIRST]], %c1
  // CHECK:     fagpu.load %[[QRING]][%[[QNEXT]]]
  // CHECK:     scf.for %[[T:.*]] = %c0 to %[[END]] step %c1 {
  // CHECK:       %[[KFIRST:.*]] = arith.index_castui %[[FIRST]]
  // CHECK:       %[[AT:.*]] = arith.addi %[[KFIRST]], %[[T]]
  // CHECK:       fagpu.load %[[KRING]][%[[AT]]] from %[[K]][%{{.*}}, %{{.*}}, %[[T]]]
  // CHECK:     }
  // The next block is drawn after the loads. The visits are those of this block, not
  // of the one that the hardware started.
  // CHECK:     %[[NEXT:.*]] = fagpu.draw_block of %[[TOTAL]]
  // CHECK:     %[[TURN1:.*]] = arith.addi %[[TURN]], %c1_i32
  // CHECK:     %[[VISITS:.*]] = arith.index_cast %[[END]] : index to i32
  // CHECK:     %[[FIRST1:.*]] = arith.addi %[[FIRST]], %[[VISITS]]
  // CHECK:     scf.yield %[[NEXT]], %[[TURN1]], %[[FIRST1]]
  // CHECK:   }
  // CHECK:   fagpu.post_block at %[[LOOP]]#1
  fagpu.specialize groups = 2 registers = (40, 232) producer {
    fagpu.load %qring[%c0] from %Q[%b, %h, %row] : !qring, !T
    fagpu.load %qring[%c1] from %Q[%b, %h, %row] : !qring, !T
    scf.for %t = %c0 to %end step %c1 {
      fagpu.load %kring[%t] from %K[%b, %h, %t] : !kring, !T
    }
  } consumer {
    // A row group: the turn alone. The first turn of the products is passed once,
    // before all blocks.
    // CHECK: } consumer {
    // CHECK:   %[[G:.*]] = fagpu.group_id
    // CHECK:   %[[ISLAST:.*]] = arith.cmpi eq, %[[G]], %c1
    // CHECK:   scf.if %[[ISLAST]] {
    // CHECK:     fagpu.pass_turn
    // CHECK:   }
    // CHECK:   scf.while (%[[TURN:.*]] = %c0_i32) : (i32) -> i32 {
    // CHECK:     %[[LEFT:.*]] = fagpu.acquire_block at %[[TURN]]
    // CHECK:     scf.condition(%[[LEFT]]) %[[TURN]]
    // CHECK:   ^bb0(%[[TURN:.*]]: i32):
    // CHECK:     fagpu.read_block 0 at %[[TURN]]
    // CHECK:     fagpu.read_block 1 at %[[TURN]]
    // CHECK:     %[[TILE:.*]] = fagpu.read_block 2 at %[[TURN]]
    // CHECK:     %[[FIRST:.*]] = fagpu.read_block 3 at %[[TURN]]
    // CHECK:     %[[KEYS:.*]] = fagpu.read_block 4 at %[[TURN]]
    // CHECK:     %[[ZERO:.*]] = fagpu.read_block 5 at %[[TURN]]
    // CHECK-NOT: pass_turn
    // CHECK:     %[[I:.*]] = arith.index_castui %[[TILE]]
    // CHECK:     %[[KEYS0:.*]] = arith.index_cast %[[KEYS]]
    // CHECK:     %[[ROW:.*]] = arith.muli %[[I]], %c128
    // CHECK:     %[[END:.*]] = arith.addi %[[ROW]], %[[KEYS0]]
    // CHECK:     %[[G32:.*]] = arith.index_cast %[[G]]
    // CHECK:     %[[SUM:.*]] = arith.addi %[[G32]], %[[ZERO]]
    // CHECK:     %[[ANEW:.*]] = nvvm.redux.sync max %[[SUM]], %c-1_i32
    // CHECK:     %[[GROUP:.*]] = arith.index_castui %[[ANEW]]
    // CHECK:     %[[TWICE:.*]] = arith.muli %[[TURN]], %c2_i32
    // CHECK:     %[[QFIRST:.*]] = arith.index_castui %[[TWICE]]
    // CHECK:     %[[OWN:.*]] = arith.addi %[[QFIRST]], %[[GROUP]]
    // CHECK:     fagpu.acquire %[[QRING]][%[[OWN]]]
    // CHECK:     %[[OWNROW:.*]] = arith.addi %[[ROW]], %[[GROUP]]
    // CHECK:     scf.for %[[T:.*]] = %c0 to %[[END]] step %c1 {
    // CHECK:       %[[KFIRST:.*]] = arith.index_castui %[[FIRST]]
    // CHECK:       %[[AT:.*]] = arith.addi %[[KFIRST]], %[[T]]
    // CHECK:       fagpu.acquire %[[KRING]][%[[AT]]]
    // CHECK:       "test.use"(%[[OWNROW]])
    // CHECK:       fagpu.release %[[KRING]][%[[AT]]]
    // CHECK:     }
    // What is needed after the loop is read, and computed, again.
    // CHECK:     %[[TILE1:.*]] = fagpu.read_block 2 at %[[TURN]]
    // CHECK:     %[[KEYS1:.*]] = fagpu.read_block 4 at %[[TURN]]
    // CHECK:     %[[I1:.*]] = arith.index_castui %[[TILE1]]
    // CHECK:     %[[ROW1:.*]] = arith.muli %[[I1]], %c128
    // CHECK:     %[[OWNROW1:.*]] = arith.addi %[[ROW1]], %[[GROUP]]
    // CHECK:     %[[KEYS2:.*]] = arith.index_cast %[[KEYS1]]
    // CHECK:     "test.store"(%[[OWNROW1]], %[[KEYS2]])
    // CHECK:     fagpu.release %[[QRING]][%[[OWN]]]
    // CHECK:     fagpu.release_block at %[[TURN]]
    // CHECK:     %[[TURN1:.*]] = arith.addi %[[TURN]], %c1_i32
    // CHECK:     scf.yield %[[TURN1]]
    // CHECK:   }
    %g = fagpu.group_id
    %last = arith.cmpi eq, %g, %c1 : index
    scf.if %last {
      fagpu.pass_turn
    }
    %q = fagpu.acquire %qring[%g] : !qring
    %first = arith.addi %row, %g : index
    scf.for %t = %c0 to %end step %c1 {
      fagpu.await_turn
      %k = fagpu.acquire %kring[%t] : !kring
      "test.use"(%first) : (index) -> ()
      fagpu.release %kring[%t] : !kring
      fagpu.pass_turn
    }
    "test.store"(%first, %keys) : (index, index) -> ()
    fagpu.release %qring[%g] : !qring
  }
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!T = memref<?x?x?x64xbf16, #global>
!kring = !fagpu.ring<2, memref<16x64xbf16, #fagpu.sram<swizzle = 128>>>

// A last load outside of loops, one position after another (overlapping products):
// n is the count, and both rings share the sum.

// CHECK-LABEL: func.func @last_load
// CHECK: %[[N32:.*]] = arith.trunci
// CHECK: scf.while
// CHECK: ^bb0(%{{.*}}: i32, %[[TURN:.*]]: i32, %[[FIRST:.*]]: i32):
// CHECK: %[[N:.*]] = arith.index_cast %[[N32]] : i32 to index
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1
// CHECK: %[[BASE:.*]] = arith.index_castui %[[FIRST]]
// CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[LAST]]
// CHECK: fagpu.load %{{.*}}[%[[AT]]]
// CHECK: fagpu.load %{{.*}}[%[[AT]]]
// CHECK: fagpu.draw_block
// CHECK: %[[FIRST1:.*]] = arith.addi %[[FIRST]], %[[N32]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[FIRST1]] : i32, i32, i32
func.func @last_load(%Q: !T, %tiles: i32)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "Q"}]},
                fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, persistent = 1>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %Q, %c2 : !T
  %block = gpu.block_id x
  %b = arith.addi %block, %c1 {fagpu.coordinate} : index
  %h = arith.addi %b, %c1 {fagpu.coordinate} : index
  %i = arith.addi %h, %c1 {fagpu.coordinate} : index
  %kring = fagpu.alloc offset = 0 : !kring
  %vring = fagpu.alloc offset = 4096 : !kring
  fagpu.specialize groups = 1 registers = (40, 232) producer {
    %last = arith.subi %n, %c1 : index
    fagpu.load %kring[%last] from %Q[%b, %h, %i] : !kring, !T
    fagpu.load %vring[%last] from %Q[%b, %h, %i] : !kring, !T
  } consumer {
    "test.use"(%n) : (index) -> ()
  }
  return
}

// -----

// Without the field it stays.

// CHECK-LABEL: func.func @not_persistent
// CHECK-NOT: resident_blocks
// CHECK-NOT: scf.while
func.func @not_persistent() attributes {fa.kernel = {arguments = []}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2>} {
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
  }
  return
}

// -----

// What a region computes before the roles part may take 64 bits: it is not posted.

#global = strided<[?, ?, ?, 1], offset: ?>
!T = memref<?x?x?x64xbf16, #global>
!q = memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
!qring = !fagpu.ring<1, !q>

// CHECK-LABEL: func.func @wide
// CHECK-SAME: %[[N:[^:]*]]: index)
func.func @wide(%Q: !T, %n: index)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "Q"}]},
                fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4, stages = 2, persistent = 1>} {
  // CHECK: %[[WIDE:.*]] = arith.muli %[[N]], %c3
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %block = gpu.block_id x
  %b = arith.addi %block, %c1 {fagpu.coordinate} : index
  %h = arith.addi %b, %c1 {fagpu.coordinate} : index
  %i = arith.addi %h, %c1 {fagpu.coordinate} : index
  %wide = arith.muli %n, %c3 : index
  %qring = fagpu.alloc offset = 0 readers = 1 : !qring
  // CHECK-NOT: arith.trunci
  // CHECK: fagpu.post_block %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %c0_i32 at
  // CHECK: "test.use"(%[[WIDE]])
  fagpu.specialize groups = 1 registers = (40, 232) producer {
    fagpu.load %qring[%c0] from %Q[%b, %h, %i] : !qring, !T
  } consumer {
    "test.use"(%wide) : (index) -> ()
  }
  return
}
