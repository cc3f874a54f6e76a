// RUN: fa-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(fa-print-io))' -o /dev/null

func.func @unknown_bound(%A: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected bounds that follow from the sizes of the function to count the bytes of HBM}}
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %A[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @unknown_blocks(%A: memref<?xf32>, %n: index) {
  // expected-error@+1 {{expected bounds that follow from the sizes of the function to count the bytes of HBM}}
  scf.forall (%i) in (%n) {
    %a = memref.load %A[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @unknown_condition(%A: memref<?xf32>, %isWanted: i1) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected a condition on sizes to count the bytes of HBM}}
  scf.if %isWanted {
    %a = memref.load %A[%c0] : memref<?xf32>
  }
  return
}

// -----

func.func @unknown_size(%A: memref<?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{expected a tile whose size follows from those of the function to count the bytes of HBM}}
  %a = vector.transfer_read %A[%n], %zero : memref<?xf32>, vector<16xf32>
  return
}

// -----

func.func @masked(%A: memref<?xf32>, %mask: vector<16xi1>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{expected a transfer along the last dimensions, without a mask, to count the bytes of HBM}}
  %a = vector.transfer_read %A[%c0], %zero, %mask : memref<?xf32>, vector<16xf32>
  return
}

// -----

func.func private @f(memref<?xf32>)
func.func @unknown_op(%A: memref<?xf32>) {
  // expected-error@+1 {{expected ops of a level from naive to scheduled, and not 'func.call', to count the bytes of HBM}}
  func.call @f(%A) : (memref<?xf32>) -> ()
  return
}
