// RUN: fa-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(fa-print-io))' -o /dev/null

// Tiles of 64 queries and 32 keys. A view that a product reads counts where it
// is taken, in the loops around it; a store counts where it stands.

// expected-remark@+2 {{reads 128 * batch * heads * seq_q + 128 * batch * heads * ceildiv(seq_q, 64) * seq_kv}}
// expected-remark@+1 {{writes 132 * batch * heads * seq_q}}
func.func @tiles(%Q: memref<?x?x?x64xbf16>, %K: memref<?x?x?x64xbf16>, %V: memref<?x?x?x64xbf16>,
                 %O: memref<?x?x?x64xbf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %output = arith.constant dense<0.0> : vector<64x64xbf16>
  %lse = arith.constant dense<0.0> : vector<64xf32>
  %batch = memref.dim %Q, %c0 : memref<?x?x?x64xbf16>
  %heads = memref.dim %Q, %c1 : memref<?x?x?x64xbf16>
  %seqQ = memref.dim %Q, %c2 : memref<?x?x?x64xbf16>
  %seqKV = memref.dim %K, %c2 : memref<?x?x?x64xbf16>
  %Tr = arith.ceildivui %seqQ, %c64 : index
  %Tc = arith.ceildivui %seqKV, %c32 : index
  scf.forall (%b, %h, %i) in (%batch, %heads, %Tr) {
    %row0 = arith.muli %i, %c64 : index
    %left = arith.subi %seqQ, %row0 : index
    %rows = arith.minsi %left, %c64 : index
    // expected-remark@+1 {{reads Q: 128 * batch * heads * seq_q}}
    %Qi = memref.subview %Q[%b, %h, %row0, 0] [1, 1, %rows, 64] [1, 1, 1, 1]
      : memref<?x?x?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
    scf.for %j = %c0 to %Tc step %c1 {
      %key0 = arith.muli %j, %c32 : index
      %keysLeft = arith.subi %seqKV, %key0 : index
      %keys = arith.minsi %c32, %keysLeft : index
      // expected-remark@+1 {{reads K: 128 * batch * heads * ceildiv(seq_q, 64) * seq_kv}}
      %Kj = memref.subview %K[%b, %h, %key0, 0] [1, 1, %keys, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
      %S = fa.scores %Qi, %Kj
        : memref<?x64xbf16, strided<[64, 1], offset: ?>>, memref<?x64xbf16, strided<[64, 1], offset: ?>> -> vector<64x32xf32>
      // A view that nothing reads moves nothing.
      %Vj = memref.subview %V[%b, %h, %key0, 0] [1, 1, %keys, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
    }
    %Oi = memref.subview %O[%b, %h, %row0, 0] [1, 1, %rows, 64] [1, 1, 1, 1]
      : memref<?x?x?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
    // expected-remark@+1 {{writes O: 128 * batch * heads * seq_q}}
    vector.transfer_write %output, %Oi[%c0, %c0] {in_bounds = [false, true]} : vector<64x64xbf16>, memref<?x64xbf16, strided<[64, 1], offset: ?>>
    %LSEi = memref.subview %LSE[%b, %h, %row0] [1, 1, %rows] [1, 1, 1]
      : memref<?x?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    // expected-remark@+1 {{writes LSE: 4 * batch * heads * seq_q}}
    vector.transfer_write %lse, %LSEi[%c0] : vector<64xf32>, memref<?xf32, strided<[1], offset: ?>>
  }
  return
}

// -----

// What the row groups of a block share, they read once; each stores its rows.

// expected-remark@+2 {{reads 8192}}
// expected-remark@+1 {{writes 16384}}
func.func @groups(%K: memref<64x64xbf16>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %output = arith.constant dense<0.0> : vector<32x64xf32>
  %Q = arith.constant dense<0.0> : vector<32x64xbf16>
  scf.forall (%g) in (2) {
    // expected-remark@+1 {{reads arg0: 8192}}
    %Kj = memref.subview %K[0, 0] [64, 64] [1, 1] : memref<64x64xbf16> to memref<64x64xbf16, strided<[64, 1]>>
    %S = fa.scores %Q, %Kj : vector<32x64xbf16>, memref<64x64xbf16, strided<[64, 1]>> -> vector<32x64xf32>
    // expected-remark@+1 {{writes arg1: 16384}}
    vector.transfer_write %output, %O[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<64x64xf32>
  } {mapping = [#gpu.warpgroup<x>]}
  return
}

// -----

// A condition on sizes; a lower bound and a step; a read whose end is unknown.

// expected-remark@+2 {{reads sum(j < ceildiv(arg0_dim0 - 8, 4), 4 * max(min(arg0_dim0 - 4 * j - 8, 16), 0))}}
// expected-remark@+1 {{writes sum(j < ceildiv(arg0_dim0 - 8, 4), if(4 * j + 8 < 100, 4, 0)) + sum(j < ceildiv(arg0_dim0 - 8, 4), if(4 * j + 8 < 100, 0, 64))}}
func.func @loops(%A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  %n = memref.dim %A, %c0 : memref<?xf32>
  scf.for %i = %c8 to %n step %c4 {
    // expected-remark@+1 {{reads arg0: sum(j < ceildiv(arg0_dim0 - 8, 4), 4 * max(min(arg0_dim0 - 4 * j - 8, 16), 0))}}
    %a = vector.transfer_read %A[%i], %zero : memref<?xf32>, vector<16xf32>
    %isSmall = arith.cmpi slt, %i, %c100 : index
    scf.if %isSmall {
      // expected-remark@+1 {{writes arg0: sum(j < ceildiv(arg0_dim0 - 8, 4), if(4 * j + 8 < 100, 4, 0))}}
      memref.store %zero, %A[%i] : memref<?xf32>
    } else {
      // expected-remark@+1 {{writes arg0: sum(j < ceildiv(arg0_dim0 - 8, 4), if(4 * j + 8 < 100, 0, 64))}}
      vector.transfer_write %zeros, %A[%i] {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
    }
  }
  return
}

// -----

// A step over whole matrices; what is not read (the old values of a fill, SRAM)
// does not count. A buffer has the name in its location.

#id = affine_map<(d0, d1) -> (d0, d1)>
// expected-remark@+2 {{reads 4 * arg0_dim0 + 8 * arg1_dim0}}
// expected-remark@+1 {{writes 16 * arg0_dim0}}
func.func @steps(%A: memref<?x2xf16>, %T: memref<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %A, %c0 : memref<?x2xf16>
  %S = memref.alloc(%n) : memref<?x2xf32> loc("S")
  %shared = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %zero, %shared[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
  // expected-remark@+1 {{writes S: 8 * arg0_dim0}}
  linalg.fill ins(%zero : f32) outs(%S : memref<?x2xf32>)
  // expected-remark@+3 {{reads arg0: 4 * arg0_dim0}}
  // expected-remark@+2 {{writes S: 8 * arg0_dim0}}
  // expected-remark@+1 {{reads arg1: 8 * arg1_dim0}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x2xf16>) outs(%S : memref<?x2xf32>) {
  ^bb0(%a: f16, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %t = memref.load %T[%i, %j] : memref<?x2xf32>
    %e = arith.extf %a : f16 to f32
    %x = arith.addf %e, %t : f32
    linalg.yield %x : f32
  }
  return
}
