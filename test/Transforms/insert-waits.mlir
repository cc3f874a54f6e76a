// RUN: fa-opt %s --fa-insert-waits --split-input-file | FileCheck %s

!tile = memref<64x16xbf16, #fagpu.sram<swizzle = 128>>
!keys = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x16xbf16, #fagpu.sram<swizzle = 128>>>

// A product is waited for before its first use, and its uses take the result of
// the wait. Nothing was issued after it.
// CHECK-LABEL: func @first_use
func.func @first_use(%q: !tile, %k: !keys, %zero: vector<8xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    // CHECK:      %[[S:.*]] = fagpu.dot
    // CHECK-NEXT: %[[T:.*]] = arith.constant
    // CHECK-NEXT: %[[W:.*]] = fagpu.wait_dot %[[S]] pending = 0
    // CHECK-NEXT: %[[A:.*]] = arith.addf %[[W]], %[[T]]
    // CHECK-NEXT: vector.store %[[W]]
    %s = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
    %t = arith.constant dense<1.0> : vector<8xf32>
    %a = arith.addf %s, %t : vector<8xf32>
    vector.store %s, %out[%c0] : memref<8xf32>, vector<8xf32>
    vector.store %a, %out[%c0] : memref<8xf32>, vector<8xf32>
  }
  return
}

// -----

!tile = memref<64x16xbf16, #fagpu.sram<swizzle = 128>>
!keys = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>

// Two are issued, the first is needed first: one may stay in flight.
// CHECK-LABEL: func @one_pending
func.func @one_pending(%q: !tile, %k: !keys, %zero: vector<8xf32>) -> () {
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    // CHECK:      %[[A:.*]] = fagpu.dot
    // CHECK-NEXT: %[[B:.*]] = fagpu.dot
    // CHECK-NEXT: %[[WA:.*]] = fagpu.wait_dot %[[A]] pending = 1
    // CHECK-NEXT: arith.negf %[[WA]]
    // CHECK-NEXT: %[[WB:.*]] = fagpu.wait_dot %[[B]] pending = 0
    // CHECK-NEXT: arith.negf %[[WB]]
    %a = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
    %b = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
    %c = arith.negf %a : vector<8xf32>
    %d = arith.negf %b : vector<8xf32>
  }
  return
}

// -----

!tile = memref<64x16xbf16, #fagpu.sram<swizzle = 128>>
!keys = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>

// The product of one iteration is in flight in the next, behind the one that is
// issued there. After the loop nothing is behind it.
// CHECK-LABEL: func @around_the_loop
func.func @around_the_loop(%q: !tile, %k: !keys, %zero: vector<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    // CHECK:      %[[R:.*]] = scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}})
    // CHECK-NEXT:   %[[S:.*]] = fagpu.dot
    // CHECK-NEXT:   %[[WO:.*]] = fagpu.wait_dot %[[O]] pending = 1
    // CHECK-NEXT:   %[[N:.*]] = arith.negf %[[WO]]
    // CHECK-NEXT:   %[[WS:.*]] = fagpu.wait_dot %[[S]] pending = 0
    // CHECK-NEXT:   %[[A:.*]] = arith.addf %[[N]], %[[WS]]
    // CHECK-NEXT:   %[[P:.*]] = fagpu.dot %{{.*}}, %{{.*}}, %[[A]]
    // CHECK-NEXT:   scf.yield %[[P]]
    // CHECK:      %[[WR:.*]] = fagpu.wait_dot %[[R]] pending = 0
    // CHECK-NEXT: arith.negf %[[WR]]
    %r = scf.for %t = %c0 to %n step %c1 iter_args(%o = %zero) -> vector<8xf32> {
      %s = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
      %m = arith.negf %o : vector<8xf32>
      %a = arith.addf %m, %s : vector<8xf32>
      %p = fagpu.dot %q, %k, %a contract = columns warps = 4 : !tile, !keys, vector<8xf32>
      scf.yield %p : vector<8xf32>
    }
    %d = arith.negf %r : vector<8xf32>
  }
  return
}

// -----

!tile = memref<64x16xbf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x16xbf16, #fagpu.sram<swizzle = 128>>>

// A stage is not released, a tile not written, before the product that reads it
// is complete; a branch waits for everything.
// CHECK-LABEL: func @reads_of_sram
func.func @reads_of_sram(%q: !tile, %ring: !ring, %zero: vector<8xf32>, %f: vector<8xbf16>, %c: i1) {
  %c0 = arith.constant 0 : index
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    %k = fagpu.acquire %ring[%c0] : !ring
    // CHECK:      %[[A:.*]] = fagpu.dot
    // CHECK-NEXT: fagpu.wait_dot %[[A]] pending = 0
    // CHECK-NEXT: fagpu.release
    %a = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, memref<16x16xbf16, #fagpu.sram<swizzle = 128>>, vector<8xf32>
    fagpu.release %ring[%c0] : !ring
    // CHECK-NEXT: %[[B:.*]] = fagpu.dot
    // CHECK-NEXT: fagpu.wait_dot %[[B]] pending = 0
    // CHECK-NEXT: fagpu.store_fragment
    %b = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, memref<16x16xbf16, #fagpu.sram<swizzle = 128>>, vector<8xf32>
    fagpu.store_fragment %f to %q warps = 4 : vector<8xbf16>, !tile
    // CHECK-NEXT: %[[D:.*]] = fagpu.dot
    // CHECK-NEXT: fagpu.wait_dot %[[D]] pending = 0
    // CHECK-NEXT: scf.if
    %d = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, memref<16x16xbf16, #fagpu.sram<swizzle = 128>>, vector<8xf32>
    scf.if %c {
      fagpu.release %ring[%c0] : !ring
    }
  }
  return
}

// -----

!tile = memref<64x16xbf16, #fagpu.sram<swizzle = 128>>
!keys = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>

// What a loop does not carry is waited for before it begins, and before an
// iteration ends: %p is used after the loop, %s by nobody.
// CHECK-LABEL: func @not_carried
func.func @not_carried(%q: !tile, %k: !keys, %zero: vector<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    // CHECK:      %[[P:.*]] = fagpu.dot
    // CHECK-NEXT: %[[WP:.*]] = fagpu.wait_dot %[[P]] pending = 0
    // CHECK-NEXT: scf.for
    // CHECK-NEXT:   %[[S:.*]] = fagpu.dot
    // CHECK-NEXT:   fagpu.wait_dot %[[S]] pending = 0
    // CHECK-NEXT: }
    // CHECK-NEXT: arith.negf %[[WP]]
    %p = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
    scf.for %t = %c0 to %n step %c1 {
      %s = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
    }
    %d = arith.negf %p : vector<8xf32>
  }
  return
}

// -----

!tile = memref<64x16xbf16, #fagpu.sram<swizzle = 128>>
!keys = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>

// Two carried values that begin as one product are two values afterwards.
// CHECK-LABEL: func @two_names
func.func @two_names(%q: !tile, %k: !keys, %zero: vector<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    // CHECK:      scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
    // CHECK-DAG:    %[[WA:.*]] = fagpu.wait_dot %[[A]] pending = 0
    // CHECK-DAG:    %[[WB:.*]] = fagpu.wait_dot %[[B]] pending = 0
    // CHECK:        arith.addf %[[WA]], %[[WB]]
    %p = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
    %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %p, %b = %p) -> (vector<8xf32>, vector<8xf32>) {
      %c = arith.addf %a, %b : vector<8xf32>
      scf.yield %c, %b : vector<8xf32>, vector<8xf32>
    }
  }
  return
}

// -----

!tile = memref<64x16xbf16, #fagpu.sram<swizzle = 128>>
!keys = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>
!values = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>

// P of the next visit is converted after the wait for the product that reads P of this
// one, since it takes its registers. What has another use stays where it is.
// CHECK-LABEL: func @next_operand
func.func @next_operand(%q: !tile, %k: !keys, %v: !values, %zero: vector<8xf32>, %p0: vector<8xbf16>, %n: index, %out: memref<8xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    // CHECK:      scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
    // CHECK-NEXT:   %[[S:.*]] = fagpu.dot
    // CHECK-NEXT:   %[[PV:.*]] = fagpu.dot %[[P]],
    // CHECK-NEXT:   %[[WS:.*]] = fagpu.wait_dot %[[S]] pending = 1
    // CHECK-NEXT:   %[[E:.*]] = math.exp2 %[[WS]]
    // CHECK-NEXT:   %[[WPV:.*]] = fagpu.wait_dot %[[PV]] pending = 0
    // CHECK-NEXT:   %[[NEXT:.*]] = arith.truncf %[[E]]
    // CHECK-NEXT:   %[[O1:.*]] = arith.negf %[[WPV]]
    // CHECK-NEXT:   scf.yield %[[O1]], %[[NEXT]]
    %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%o = %zero, %p = %p0) -> (vector<8xf32>, vector<8xbf16>) {
      %s = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
      %pv = fagpu.dot %p, %v, %o contract = rows warps = 4 : vector<8xbf16>, !values, vector<8xf32>
      %e = math.exp2 %s : vector<8xf32>
      %next = arith.truncf %e : vector<8xf32> to vector<8xbf16>
      %o1 = arith.negf %pv : vector<8xf32>
      scf.yield %o1, %next : vector<8xf32>, vector<8xbf16>
    }
    // CHECK:      scf.for
    // CHECK:        %[[NEXT:.*]] = arith.truncf
    // CHECK-NEXT:   vector.store %[[NEXT]]
    // CHECK-NEXT:   fagpu.wait_dot
    %r2:2 = scf.for %t = %c0 to %n step %c1 iter_args(%o = %zero, %p = %p0) -> (vector<8xf32>, vector<8xbf16>) {
      %s = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !tile, !keys, vector<8xf32>
      %pv = fagpu.dot %p, %v, %o contract = rows warps = 4 : vector<8xbf16>, !values, vector<8xf32>
      %e = math.exp2 %s : vector<8xf32>
      %next = arith.truncf %e : vector<8xf32> to vector<8xbf16>
      vector.store %next, %out[%c0] : memref<8xbf16>, vector<8xbf16>
      %o1 = arith.negf %pv : vector<8xf32>
      scf.yield %o1, %next : vector<8xf32>, vector<8xbf16>
    }
  }
  return
}
