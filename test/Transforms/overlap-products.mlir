// RUN: fa-opt %s -allow-unregistered-dialect --fa-overlap-products --split-input-file | FileCheck %s

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

// P V of a visit is issued with the Q K^T of the next. The first visit has no P V
// before its softmax, the last one stands alone; V is read at the position of the
// visit before, and let go only after the softmax of this one. alpha comes after
// the product, since it is that of the visit which follows.

// CHECK-LABEL: func.func @two_loops
// CHECK-SAME: (%[[Q:[^:]*]]: {{[^%]*}}%[[K:[^:]*]]: {{[^%]*}}%[[V:[^:]*]]: {{[^%]*}}%{{[^:]*}}: index, %[[VISITS:[^:]*]]: index)
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %{{.*}}) in
// CHECK: %[[KRING:.*]] = fagpu.alloc
// CHECK: %[[VRING:.*]] = fagpu.alloc
// CHECK: %[[QRING:.*]] = fagpu.alloc
// CHECK: %[[EDGES:.*]] = arith.maxsi

// The producer loads in the order of use: what was before the loops (Q) after K of
// the first visit, and V of the visit before, at its rows.
// CHECK: fagpu.specialize
// CHECK-NEXT: %[[ROW0:.*]] = arith.muli %c0, %c16
// CHECK-NEXT: fagpu.load %[[KRING]][%c0] from %[[K]][%[[B]], %[[H]], %[[ROW0]]]
// CHECK-NEXT: fagpu.load %[[QRING]][%c0]
// CHECK-NEXT: %[[BEGIN:.*]] = arith.addi %c0, %c1
// CHECK-NEXT: %[[ROWS:.*]] = scf.for %[[T:.*]] = %[[BEGIN]] to %[[EDGES]] step %c1 iter_args(%[[BEFORE:.*]] = %[[ROW0]]) -> (index) {
// CHECK-NEXT:   %[[ROW:.*]] = arith.muli %[[T]], %c16
// CHECK-NEXT:   fagpu.load %[[KRING]][%[[T]]] from %[[K]][%[[B]], %[[H]], %[[ROW]]]
// CHECK-NEXT:   %[[LAST:.*]] = arith.subi %[[T]], %c1
// CHECK-NEXT:   fagpu.load %[[VRING]][%[[LAST]]] from %[[V]][%[[B]], %[[H]], %[[BEFORE]]]
// CHECK-NEXT:   scf.yield %[[ROW]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[ROWS2:.*]] = scf.for %[[T:.*]] = %[[EDGES]] to %[[VISITS]] step %c1 iter_args(%[[BEFORE:.*]] = %[[ROWS]]) -> (index) {
// CHECK:        fagpu.load %[[KRING]][%[[T]]]
// CHECK:        %[[LAST:.*]] = arith.subi %[[T]], %c1
// CHECK-NEXT:   fagpu.load %[[VRING]][%[[LAST]]] from %[[V]][%[[B]], %[[H]], %[[BEFORE]]]
// CHECK:      }
// CHECK-NEXT: %[[END:.*]] = arith.subi %[[VISITS]], %c1
// CHECK-NEXT: fagpu.load %[[VRING]][%[[END]]] from %[[V]][%[[B]], %[[H]], %[[ROWS2]]]
// CHECK-NOT: fagpu.load

// CHECK: } consumer {
// CHECK-NEXT: %[[KT:.*]] = fagpu.acquire %[[KRING]][%c0]
// CHECK-NEXT: %[[S:.*]] = fa.scores %[[Q]], %[[KT]]
// CHECK-NEXT: fagpu.release %[[KRING]][%c0]
// CHECK-NEXT: %[[P:.*]], %[[M:.*]], %[[L:.*]], %{{.*}} = fa.online_softmax %[[S]], %cst_0, %cst
// CHECK-NEXT: %[[BEGIN:.*]] = arith.addi %c0, %c1
// CHECK-NEXT: %[[R:.*]]:4 = scf.for %[[T:.*]] = %[[BEGIN]] to %[[EDGES]] step %c1 iter_args(%[[LT:.*]] = %[[L]], %[[OT:.*]] = %cst_1, %[[MT:.*]] = %[[M]], %[[PT:.*]] = %[[P]])
// CHECK-NEXT:   %[[LAST:.*]] = arith.subi %[[T]], %c1
// CHECK-NEXT:   %[[KT:.*]] = fagpu.acquire %[[KRING]][%[[T]]]
// CHECK-NEXT:   %[[S:.*]] = fa.scores %[[Q]], %[[KT]]
// CHECK-NEXT:   %[[VT:.*]] = fagpu.acquire %[[VRING]][%[[LAST]]]
// CHECK-NEXT:   %[[O1:.*]] = fa.accumulate %[[PT]], %[[VT]], %[[OT]] : vector<64x16xf16>
// CHECK-NEXT:   fagpu.release %[[KRING]][%[[T]]]
// CHECK-NEXT:   %[[P1:.*]], %[[M1:.*]], %[[L1:.*]], %[[ALPHA:.*]] = fa.online_softmax %[[S]], %[[MT]], %[[LT]]
// CHECK-NEXT:   fagpu.release %[[VRING]][%[[LAST]]]
// CHECK-NEXT:   %[[O2:.*]] = fa.rescale %[[O1]] by %[[ALPHA]] : vector<64x64xf32>, vector<64xf32>
// CHECK-NEXT:   scf.yield %[[L1]], %[[O2]], %[[M1]], %[[P1]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[R2:.*]]:4 = scf.for %[[T:.*]] = %[[EDGES]] to %[[VISITS]] step %c1 iter_args(%{{.*}} = %[[R]]#0, %{{.*}} = %[[R]]#1, %{{.*}} = %[[R]]#2, %[[PT:.*]] = %[[R]]#3)
// CHECK:        fa.accumulate %[[PT]],
// CHECK:      }
// CHECK-NEXT: %[[END:.*]] = arith.subi %[[VISITS]], %c1
// CHECK-NEXT: %[[VT:.*]] = fagpu.acquire %[[VRING]][%[[END]]]
// CHECK-NEXT: %[[O:.*]] = fa.accumulate %[[R2]]#3, %[[VT]], %[[R2]]#1 : vector<64x16xf16>
// CHECK-NEXT: fagpu.release %[[VRING]][%[[END]]]
// CHECK-NEXT: "test.use"(%[[R2]]#0, %[[O]], %[[R2]]#2)
func.func @two_loops(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %qring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      fagpu.load %qring[%c0] from %K[%b, %h, %c0] : !ring, !KV
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
      scf.for %t = %edges to %visits step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      %r2:3 = scf.for %t = %edges to %visits step %c1 iter_args(%l = %r#0, %o = %r#1, %m = %r#2) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r2#0, %r2#1, %r2#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

// A row group that skips visits begins later than the producer, and its loop over
// the skipped ones stays as it is. Bounds from min(.., end - 1) to end, as they
// are after canonicalisation.

// CHECK-LABEL: func.func @skipping
// CHECK: %[[FIRST:.*]] = arith.minsi
// CHECK: scf.for %[[T:.*]] = %c0 to %[[FIRST]] step %c1 {
// CHECK-NEXT: fagpu.acquire %{{.*}}[%[[T]]]
// CHECK-NEXT: fagpu.release %{{.*}}[%[[T]]]
// CHECK-NEXT: }
// CHECK-NEXT: fagpu.acquire %{{.*}}[%[[FIRST]]]
// CHECK-NEXT: fa.scores
// CHECK: %[[BEGIN:.*]] = arith.addi %[[FIRST]], %c1
// CHECK-NEXT: scf.for %{{.*}} = %[[BEGIN]] to
// CHECK: "test.use"
func.func @skipping(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  %cm1 = arith.constant -1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    %last = arith.addi %edges, %cm1 : index
    %first = arith.minsi %last, %n : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      scf.for %t = %c0 to %first step %c1 {
        %k = fagpu.acquire %kring[%t] : !ring
        fagpu.release %kring[%t] : !ring
      }
      %r:3 = scf.for %t = %first to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

// Without `overlap` nothing changes.

// CHECK-LABEL: func.func @not_asked_for
// CHECK: scf.for %{{.*}} = %c0 to
// CHECK: fa.accumulate %{{.*}} rescale
// CHECK-NOT: fa.rescale
func.func @not_asked_for(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}
