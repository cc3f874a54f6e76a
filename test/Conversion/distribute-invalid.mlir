// RUN: fa-opt %s --fa-distribute --split-input-file -verify-diagnostics

// What stands on the tiles of a row group and has no form for one thread.

func.func @rows(%x: f32, %L: memref<?xf32>, %O: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // expected-error @+1 {{expected tiles of 32 rows for 2 warps but got 'vector<16x16xf32>'}}
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    vector.transfer_write %s, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x16xf32>, memref<?x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @columns(%x: f32, %O: memref<?x20xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %s = vector.broadcast %x : f32 to vector<16x20xf32>
    %zero = arith.constant dense<0.0> : vector<16xf32>
    // expected-error @+1 {{expected a reduction of f32 over a multiple of 8 columns but got 'vector<16x20xf32>'}}
    %m = vector.multi_reduction <maxnumf>, %s, %zero [1] : vector<16x20xf32> to vector<16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// A tile from outside would be whole in each thread.
func.func @tile_from_outside(
    // expected-error @+1 {{expected a tile that is made by the row group but got 'vector<16x16xf32>'}}
    %tile: vector<16x16xf32>, %O: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %s = arith.negf %tile : vector<16x16xf32>
    vector.transfer_write %s, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x16xf32>, memref<?x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @columns_from_an_expression(%x: f32, %L: memref<?xf32>, %O: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %step = vector.step : vector<16xindex>
    // expected-error @+1 {{expected column numbers or a constant as a vector over the columns}}
    %twice = arith.addi %step, %step : vector<16xindex>
    %all = vector.broadcast %twice : vector<16xindex> to vector<16x16xindex>
    %i32 = arith.index_cast %all : vector<16x16xindex> to vector<16x16xi32>
    %s = arith.sitofp %i32 : vector<16x16xi32> to vector<16x16xf32>
    vector.transfer_write %s, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x16xf32>, memref<?x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @reduction_of_f16(%y: f16, %L: memref<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %zero = arith.constant dense<0.0> : vector<16xf16>
    %s = vector.broadcast %y : f16 to vector<16x16xf16>
    // expected-error @+1 {{expected a reduction of f32 over a multiple of 8 columns but got 'vector<16x16xf16>'}}
    %m = vector.multi_reduction <add>, %s, %zero [1] : vector<16x16xf16> to vector<16xf16>
    vector.transfer_write %m, %L[%i] : vector<16xf16>, memref<?xf16>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @reduction_of_one_column(%x: f32, %L: memref<?xf32>, %O: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %s = vector.broadcast %x : f32 to vector<16x1xf32>
    // expected-error @+1 {{expected a reduction of f32 over a multiple of 8 columns but got 'vector<16x1xf32>'}}
    %m = vector.multi_reduction <add>, %s, %zero [1] : vector<16x1xf32> to vector<16xf32>
    vector.transfer_write %m, %L[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @store_of_one_column(%x: f32, %O: memref<?x1xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %s = vector.broadcast %x : f32 to vector<16x1xf32>
    // expected-error @+1 {{expected a store of at least 2 columns but got 'vector<16x1xf32>'}}
    vector.transfer_write %s, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x1xf32>, memref<?x1xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @key_in_global_memory(%q: memref<16x64xf16, #fagpu.sram<swizzle = 128>>, %k: memref<16x64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // expected-error @+1 {{expected key to be in SRAM; run fa-promote-to-sram first}}
    %s = fa.scores %q, %k : memref<16x64xf16, #fagpu.sram<swizzle = 128>>, memref<16x64xf16> -> vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @value_in_global_memory(%v: memref<16x64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %o = arith.constant dense<0.0> : vector<16x64xf32>
    %p = arith.constant dense<0.0> : vector<16x16xf16>
    // expected-error @+1 {{expected value to be in SRAM; run fa-promote-to-sram first}}
    %r = fa.accumulate %p, %v, %o : vector<16x16xf16>, memref<16x64xf16>, vector<16x64xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @not_row_wise(%x: f32, %L: memref<?xf32>, %O: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    // expected-error @+1 {{expected a product, a loop or a row-wise op on tiles to distribute but got 'vector.transpose'}}
    %t = vector.transpose %s, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @softmax(%x: f32, %L: memref<?xf32>, %O: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %s = vector.broadcast %x : f32 to vector<16x16xf32>
    %m = arith.constant dense<0.0> : vector<16xf32>
    // expected-error @+1 {{expected a product, a loop or a row-wise op on tiles to distribute but got 'fa.softmax'}}
    %p, %l = fa.softmax %s, %m, %m : vector<16x16xf32>, vector<16xf32> -> vector<16x16xf16>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @tile_of_a_branch(%c: i1, %L: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // expected-error @+1 {{expected a product, a loop or a row-wise op on tiles to distribute but got 'scf.if'}}
    %s = scf.if %c -> vector<16xf32> {
      %one = arith.constant dense<1.0> : vector<16xf32>
      scf.yield %one : vector<16xf32>
    } else {
      %two = arith.constant dense<2.0> : vector<16xf32>
      scf.yield %two : vector<16xf32>
    }
    vector.transfer_write %s, %L[%i] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @in_a_loop(%x: f32, %L: memref<?xf32>, %O: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    scf.for %t = %c0 to %n step %c1 {
      %s = vector.broadcast %x : f32 to vector<16x16xf32>
      // expected-error @+1 {{expected a product, a loop or a row-wise op on tiles to distribute but got 'vector.transpose'}}
      %u = vector.transpose %s, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
func.func @transposed(%p: f16, %K: !k, %O: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<16x64xf32>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %s = vector.broadcast %p : f16 to vector<16x16xf16>
    // expected-error @+1 {{expected probs that are not transposed on a GPU}}
    %o = fa.accumulate %s, %K, %zero transposed : vector<16x16xf16>, !k, vector<16x64xf32>
    vector.transfer_write %o, %O[%i, %c0] {in_bounds = [false, true]} : vector<16x64xf32>, memref<?x64xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}
