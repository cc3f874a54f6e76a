// RUN: fa-opt %s --fa-tiles-to-loops -split-input-file -verify-diagnostics

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
func.func @no_target() {
  // expected-error @+1 {{expected a loop nest with a target for the CPU}}
  scf.forall (%i) in (1) {
  } {fa.schedule = #s, mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @gpu() {
  // expected-error @+1 {{expected a loop nest for the CPU but its target is #fa.target<"sm_80", sram = 65536>}}
  scf.forall (%i) in (1) {
  } {fa.schedule = #fa.schedule<br = 64, bc = 64, warps = 4, stages = 2>, fa.target = #fa.target<"sm_80", sram = 65536>, mapping = [#gpu.block<x>]}
  return
}

// -----

#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @no_register_tile() {
  // expected-error @+1 {{expected a schedule with mr and nr and with one row group but got #fa.schedule<br = 4, bc = 8>}}
  scf.forall (%i) in (1) {
  } {fa.schedule = #fa.schedule<br = 4, bc = 8>, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @row_groups() {
  // expected-error @+1 {{expected a schedule with mr and nr and with one row group but got #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4, groups = 2>}}
  scf.forall (%i) in (1) {
  } {fa.schedule = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4, groups = 2>, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @not_expanded(%Q: memref<4x4xf32>) {
  %l = arith.constant dense<0.0> : vector<4xf32>
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
    // expected-error @+1 {{expected a product, a loop or a row-wise op on a tile but got 'fa.softmax'}}
    %P, %l1 = fa.softmax %S, %l, %l : vector<4x4xf32>, vector<4xf32> -> vector<4x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

// Across the rows.
#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @transpose(%Q: memref<4x4xf32>) {
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
    // expected-error @+1 {{expected a product, a loop or a row-wise op on a tile but got 'vector.transpose'}}
    %T = vector.transpose %S, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @reduction_of_rows(%Q: memref<4x4xf32>) {
  %l = arith.constant dense<0.0> : vector<4xf32>
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
    // expected-error @+1 {{expected a product, a loop or a row-wise op on a tile but got 'vector.multi_reduction'}}
    %T = vector.multi_reduction <add>, %S, %l [0] : vector<4x4xf32> to vector<4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

// A store that may end within a row.
#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @partial_row(%Q: memref<4x4xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
    // expected-error @+1 {{expected a product, a loop or a row-wise op on a tile but got 'vector.transfer_write'}}
    vector.transfer_write %S, %out[%c0, %c0] : vector<4x4xf32>, memref<?x?xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

// A vector over the columns that a loop carries may have been overwritten where
// the tile is used.
#s = #fa.schedule<br = 4, bc = 4, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @carried_columns(%Q: memref<4x4xf32>, %n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = arith.constant dense<0.0> : vector<4xf32>
  scf.forall (%i) in (1) {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%m = %l) -> (vector<4xf32>) {
      // expected-error @+1 {{expected a product, a loop or a row-wise op on a tile but got 'vector.broadcast'}}
      %T = vector.broadcast %m : vector<4xf32> to vector<4x4xf32>
      %m1 = vector.multi_reduction <add>, %T, %l [1] : vector<4x4xf32> to vector<4xf32>
      scf.yield %m1 : vector<4xf32>
    }
    vector.transfer_write %r, %out[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @partial_row_load(%in: memref<?x?xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    // expected-error @+1 {{expected a product, a loop or a row-wise op on a tile but got 'vector.transfer_read'}}
    %S = vector.transfer_read %in[%c0, %c0], %f0 : memref<?x?xf32>, vector<4x4xf32>
    vector.transfer_write %S, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @branch_with_tile(%Q: memref<4x4xf32>, %c: i1) {
  scf.forall (%i) in (1) {
    %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
    // expected-error @+1 {{expected a product, a loop or a row-wise op on a tile but got 'scf.if'}}
    %T = scf.if %c -> (vector<4x4xf32>) {
      scf.yield %S : vector<4x4xf32>
    } else {
      %U = arith.addf %S, %S : vector<4x4xf32>
      scf.yield %U : vector<4x4xf32>
    }
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @tiles_in_branch(%Q: memref<4x4xf32>, %c: i1, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (1) {
    // expected-error @+1 {{expected a product, a loop or a row-wise op on a tile but got 'scf.if'}}
    scf.if %c {
      %S = fa.scores %Q, %Q : memref<4x4xf32>, memref<4x4xf32> -> vector<4x4xf32>
      vector.transfer_write %S, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
    }
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
// expected-error @+1 {{expected a tile that is made in this loop nest but got 'vector<4x4xf32>'}}
func.func @tile_from_outside(%x: vector<4x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (1) {
    %y = arith.addf %x, %x : vector<4x4xf32>
    vector.transfer_write %y, %out[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @key_in_registers(%Q: memref<4x4xf32>) {
  %K = arith.constant dense<0.0> : vector<4x4xf32>
  scf.forall (%i) in (1) {
    // expected-error @+1 {{expected key to be a memref on the CPU but got 'vector<4x4xf32>'}}
    %S = fa.scores %Q, %K : memref<4x4xf32>, vector<4x4xf32> -> vector<4x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}

// -----

#s = #fa.schedule<br = 4, bc = 8, mr = 2, nr = 4>
#t = #fa.target<"cpu", sram = 65536, vector_bits = 128>
func.func @value_in_registers(%Q: memref<4x4xf32>) {
  %V = arith.constant dense<0.0> : vector<4x4xf32>
  scf.forall (%i) in (1) {
    // expected-error @+1 {{expected value to be a memref on the CPU but got 'vector<4x4xf32>'}}
    %O = fa.accumulate %V, %V, %V : vector<4x4xf32>, vector<4x4xf32>, vector<4x4xf32>
  } {fa.schedule = #s, fa.target = #t, mapping = [#gpu.block<x>]}
  return
}
