// RUN: fa-opt %s --fa-distribute --cse --split-input-file | FileCheck %s

// The four lanes of a row each sum their own columns; they exchange the parts when
// the sum is used, not when it is made.

// The running maximum is exchanged in each step, the running sum only after the
// last loop: it is scaled and added to on the way.

// CHECK-LABEL: func.func @online
func.func @online(%LSE: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l0 = arith.constant dense<0.0> : vector<16xf32>
  %m0 = arith.constant dense<0xFF800000> : vector<16xf32>
  %alpha = arith.constant dense<0.5> : vector<16xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    // CHECK: %[[R:.*]]:2 = scf.for
    // CHECK-COUNT-4: nvvm.shfl.sync
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK: scf.yield
    %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%m = %m0, %l = %l0) -> (vector<16xf32>, vector<16xf32>) {
      %max = vector.multi_reduction <maxnumf>, %s, %m [1] : vector<16x16xf32> to vector<16xf32>
      %scaled = arith.mulf %l, %alpha : vector<16xf32>
      %sum = vector.multi_reduction <add>, %s, %scaled [1] : vector<16x16xf32> to vector<16xf32>
      scf.yield %max, %sum : vector<16xf32>, vector<16xf32>
    }
    // CHECK: %[[R2:.*]]:2 = scf.for
    // CHECK-COUNT-4: nvvm.shfl.sync
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK: scf.yield
    %r2:2 = scf.for %t = %c0 to %n step %c1 iter_args(%m = %r#0, %l = %r#1) -> (vector<16xf32>, vector<16xf32>) {
      %max = vector.multi_reduction <maxnumf>, %s, %m [1] : vector<16x16xf32> to vector<16xf32>
      %sum = vector.multi_reduction <add>, %s, %l [1] : vector<16x16xf32> to vector<16xf32>
      scf.yield %max, %sum : vector<16xf32>, vector<16xf32>
    }
    // CHECK: %[[PART:.*]] = vector.extract %[[R2]]#1[0]
    // CHECK: %[[OTHER:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[PART]], %c1_i32
    // CHECK: arith.addf %[[PART]], %[[OTHER]]
    // CHECK-COUNT-3: nvvm.shfl.sync
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK: math.log %{{.*}} : vector<2xf32>
    %log = math.log %r2#1 : vector<16xf32>
    vector.transfer_write %log, %LSE[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// What has been summed before is brought by one lane of the four.

// CHECK-LABEL: func.func @start
func.func @start(%LSE: memref<?xf32>, %n: index, %x: f32) {
  // CHECK-DAG: %[[QUAD:.*]] = arith.constant 4 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[INQUAD:.*]] = arith.remui %{{.*}}, %[[QUAD]]
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[INQUAD]],
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<2xf32>
    // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2xf32>
    // CHECK: %[[START:.*]] = arith.select %[[FIRST]], %[[ONE]], %[[ZERO]] : vector<2xf32>
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK: arith.addf %{{.*}}, %[[START]] : vector<2xf32>
    // CHECK-COUNT-4: nvvm.shfl.sync
    %one = arith.constant dense<1.0> : vector<16xf32>
    %sum = vector.multi_reduction <add>, %s, %one [1] : vector<16x16xf32> to vector<16xf32>
    vector.transfer_write %sum, %LSE[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// CHECK-LABEL: func.func @start_of_loop
func.func @start_of_loop(%LSE: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l0 = arith.constant dense<1.0> : vector<16xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq,
    // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<2xf32>
    // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2xf32>
    // CHECK: %[[START:.*]] = arith.select %[[FIRST]], %[[ONE]], %[[ZERO]] : vector<2xf32>
    // CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %[[START]])
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK: scf.yield
    // CHECK-COUNT-4: nvvm.shfl.sync
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    %sum = scf.for %t = %c0 to %n step %c1 iter_args(%l = %l0) -> vector<16xf32> {
      %next = vector.multi_reduction <add>, %s, %l [1] : vector<16x16xf32> to vector<16xf32>
      scf.yield %next : vector<16xf32>
    }
    vector.transfer_write %sum, %LSE[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// A use in the loop that needs the sum itself has the exchange there; the parts are
// carried on as they are.

// CHECK-LABEL: func.func @use_in_loop
func.func @use_in_loop(%LSE: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l0 = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    // CHECK: scf.for %{{.*}} iter_args(%[[L:.*]] = %
    // CHECK:   %[[NEXT:.*]] = arith.addf %{{.*}}, %[[L]] : vector<2xf32>
    // CHECK-COUNT-4: nvvm.shfl.sync
    // CHECK:   %[[WHOLE:.*]] = vector.from_elements
    // CHECK:   math.log %[[WHOLE]]
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK:   scf.yield %[[NEXT]]
    // CHECK-NOT: nvvm.shfl.sync
    %sum = scf.for %t = %c0 to %n step %c1 iter_args(%l = %l0) -> vector<16xf32> {
      %next = vector.multi_reduction <add>, %s, %l [1] : vector<16x16xf32> to vector<16xf32>
      %log = math.log %next : vector<16xf32>
      vector.transfer_write %log, %LSE[%t] : vector<16xf32>, memref<?xf32>
      scf.yield %next : vector<16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// A loop that begins with parts but does not go on with parts: what it yields is
// whole, and again brought by one lane.

// CHECK-LABEL: func.func @whole_again
func.func @whole_again(%LSE: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l0 = arith.constant dense<0.0> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq,
    // CHECK: scf.for %{{.*}} iter_args(%[[L:.*]] = %
    // CHECK-COUNT-4: nvvm.shfl.sync
    // CHECK:   %[[WHOLE:.*]] = vector.from_elements
    // CHECK:   %[[MORE:.*]] = arith.addf %[[WHOLE]], %{{.*}} : vector<2xf32>
    // CHECK:   %[[PART:.*]] = arith.select %[[FIRST]], %[[MORE]], %{{.*}} : vector<2xf32>
    // CHECK:   scf.yield %[[PART]]
    // CHECK-COUNT-4: nvvm.shfl.sync
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    %parts = vector.multi_reduction <add>, %s, %l0 [1] : vector<16x16xf32> to vector<16xf32>
    %sum = scf.for %t = %c0 to %n step %c1 iter_args(%l = %parts) -> vector<16xf32> {
      %next = arith.addf %l, %one : vector<16xf32>
      scf.yield %next : vector<16xf32>
    }
    vector.transfer_write %sum, %LSE[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// The square of a sum is not the sum of squares.

// CHECK-LABEL: func.func @square
func.func @square(%LSE: memref<?xf32>, %n: index, %x: f32) {
  %l0 = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK-COUNT-4: nvvm.shfl.sync
    // CHECK: %[[WHOLE:.*]] = vector.from_elements
    // CHECK: arith.mulf %[[WHOLE]], %
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    %sum = vector.multi_reduction <add>, %s, %l0 [1] : vector<16x16xf32> to vector<16xf32>
    %square = arith.mulf %sum, %sum : vector<16xf32>
    vector.transfer_write %square, %LSE[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// Two uses share one exchange.

// CHECK-LABEL: func.func @two_uses
func.func @two_uses(%LSE: memref<?xf32>, %n: index, %x: f32) {
  %l0 = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK-COUNT-4: nvvm.shfl.sync
    // CHECK: %[[WHOLE:.*]] = vector.from_elements
    // CHECK-NOT: nvvm.shfl.sync
    // CHECK: math.log %[[WHOLE]]
    // CHECK: arith.addf %{{.*}}, %[[WHOLE]]
    // CHECK-NOT: nvvm.shfl.sync
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    %sum = vector.multi_reduction <add>, %s, %l0 [1] : vector<16x16xf32> to vector<16xf32>
    %log = math.log %sum : vector<16xf32>
    %both = arith.addf %log, %sum : vector<16xf32>
    vector.transfer_write %both, %LSE[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}
