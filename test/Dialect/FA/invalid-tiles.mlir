// RUN: fa-opt %s -split-input-file -verify-diagnostics

// One function for each constraint of the tile ops, named by its label.

func.func @scores_c1(%Q: vector<16x64xf16>, %K: vector<32x32xf16>) {
  // expected-error @+1 {{expected query and key with the same static number of columns but got 'vector<16x64xf16>' and 'vector<32x32xf16>'}}
  %S = fa.scores %Q, %K : vector<16x64xf16>, vector<32x32xf16> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_c1_dynamic(%Q: memref<16x?xf16>, %K: memref<32x?xf16>) {
  // expected-error @+1 {{expected query and key with the same static number of columns but got 'memref<16x?xf16>' and 'memref<32x?xf16>'}}
  %S = fa.scores %Q, %K : memref<16x?xf16>, memref<32x?xf16> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_c2(%Q: vector<16x64xf16>, %K: vector<32x64xbf16>) {
  // expected-error @+1 {{expected the element type of key to be that of query, 'f16', but got 'bf16'}}
  %S = fa.scores %Q, %K : vector<16x64xf16>, vector<32x64xbf16> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_c3_query(%Q: vector<8x64xf16>, %K: vector<32x64xf16>) {
  // expected-error @+1 {{expected the rows of query to be 16 but got 8}}
  %S = fa.scores %Q, %K : vector<8x64xf16>, vector<32x64xf16> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_c3_key(%Q: vector<16x64xf16>, %K: memref<64x64xf16>) {
  // expected-error @+1 {{expected the rows of key to be 32 but got 64}}
  %S = fa.scores %Q, %K : vector<16x64xf16>, memref<64x64xf16> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_c4_query(%Q: memref<16x64xf16, strided<[1, 16]>>, %K: vector<32x64xf16>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of query but got 'memref<16x64xf16, strided<[1, 16]>>'}}
  %S = fa.scores %Q, %K : memref<16x64xf16, strided<[1, 16]>>, vector<32x64xf16> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_c4_key(%Q: vector<16x64xf16>, %K: memref<32x64xf16, strided<[?, ?]>>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of key but got 'memref<32x64xf16, strided<[?, ?]>>'}}
  %S = fa.scores %Q, %K : vector<16x64xf16>, memref<32x64xf16, strided<[?, ?]>> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_c5_nan(%Q: vector<16x64xf16>, %K: vector<32x64xf16>) {
  // expected-error @+1 {{expected a finite scale but got 0x7FC00000 : f32}}
  %S = fa.scores %Q, %K scale 0x7FC00000 : vector<16x64xf16>, vector<32x64xf16> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_c6(%Q: vector<16x64xf16>, %K: vector<32x64xf16>, %D: vector<16x16xf32>) {
  // expected-error @+1 {{failed to verify that start has the type of the result}}
  %S = "fa.scores"(%Q, %K, %D) : (vector<16x64xf16>, vector<32x64xf16>, vector<16x16xf32>) -> vector<16x32xf32>
  return
}

// -----

func.func @scores_rank(%Q: vector<16xf16>, %K: vector<32x64xf16>) {
  // expected-error @+1 {{operand #0 must be 2-D vector or memref of f16, bf16 or f32 values, but got 'vector<16xf16>'}}
  %S = fa.scores %Q, %K : vector<16xf16>, vector<32x64xf16> -> vector<16x32xf32>
  return
}

// -----

func.func @scores_scalable(%Q: vector<[16]x64xf16>, %K: vector<32x64xf16>) {
  // expected-error @+1 {{operand #0 must be 2-D vector or memref of f16, bf16 or f32 values, but got 'vector<[16]x64xf16>'}}
  %S = fa.scores %Q, %K : vector<[16]x64xf16>, vector<32x64xf16> -> vector<16x32xf32>
  return
}

// -----

func.func @softmax_c1(%S: vector<16x32xf32>, %m: vector<16xf32>, %l: vector<8xf32>) {
  // expected-error @+1 {{failed to verify that all of {max, sum, newSum} have same type}}
  %P, %l1 = "fa.softmax"(%S, %m, %l) : (vector<16x32xf32>, vector<16xf32>, vector<8xf32>) -> (vector<16x32xf16>, vector<16xf32>)
  return
}

// -----

func.func @softmax_c2(%S: vector<16x32xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{failed to verify that all of {scores, probs} have same shape}}
  %P, %l1 = fa.softmax %S, %m, %m : vector<16x32xf32>, vector<16xf32> -> vector<16x16xf16>
  return
}

// -----

func.func @softmax_c3(%S: vector<16x32xf32>, %m: vector<32xf32>) {
  // expected-error @+1 {{expected the size of max to be 16 but got 32}}
  %P, %l1 = fa.softmax %S, %m, %m : vector<16x32xf32>, vector<32xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @softmax_c4(%S: vector<16x32xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{expected a positive, finite scale but got -1.000000e+00 : f32}}
  %P, %l1 = fa.softmax %S, %m, %m scale -1.0 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @online_softmax_c1(%S: vector<16x32xf32>, %m: vector<16xf32>, %l: vector<8xf32>) {
  // expected-error @+1 {{failed to verify that all of {max, sum, newMax, newSum, alpha} have same type}}
  %P, %m1, %l1, %alpha = "fa.online_softmax"(%S, %m, %l) : (vector<16x32xf32>, vector<16xf32>, vector<8xf32>) -> (vector<16x32xf16>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
  return
}

// -----

func.func @online_softmax_c2(%S: vector<16x32xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{failed to verify that all of {scores, probs} have same shape}}
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %m : vector<16x32xf32>, vector<16xf32> -> vector<32x16xf16>
  return
}

// -----

func.func @online_softmax_c3(%S: vector<16x32xf32>, %m: vector<8xf32>) {
  // expected-error @+1 {{expected the size of max to be 16 but got 8}}
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %m : vector<16x32xf32>, vector<8xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @online_softmax_c4_zero(%S: vector<16x32xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{expected a positive, finite scale but got 0.000000e+00 : f32}}
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %m scale 0.0 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @online_softmax_c4_inf(%S: vector<16x32xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{expected a positive, finite scale but got 0x7F800000 : f32}}
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %m scale 0x7F800000 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @online_softmax_c5_negative(%S: vector<16x32xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{expected lazy to be from 0 to 15 but got -1.000000e+00 : f32}}
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %m lazy -1.0 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @online_softmax_c5_overflow(%S: vector<16x32xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{expected lazy to be from 0 to 15 but got 1.600000e+01 : f32}}
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %m lazy 16.0 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @online_softmax_c5_nan(%S: vector<16x32xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{expected lazy to be from 0 to 15 but got 0x7FC00000 : f32}}
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %m lazy 0x7FC00000 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @rescale_c1(%O: vector<16x64xf32>, %alpha: vector<16xf32>) {
  // expected-error @+1 {{failed to verify that all of {acc, result} have same type}}
  %O1 = "fa.rescale"(%O, %alpha) : (vector<16x64xf32>, vector<16xf32>) -> vector<16x32xf32>
  return
}

// -----

func.func @rescale_c2(%O: vector<16x64xf32>, %alpha: vector<64xf32>) {
  // expected-error @+1 {{expected the size of alpha to be 16 but got 64}}
  %O1 = fa.rescale %O by %alpha : vector<16x64xf32>, vector<64xf32>
  return
}

// -----

func.func @online_softmax_f64(%S: vector<16x32xf64>, %m: vector<16xf32>) {
  // expected-error @+1 {{operand #0 must be fixed-length vector of 32-bit float values of ranks 2, but got 'vector<16x32xf64>'}}
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %m : vector<16x32xf64>, vector<16xf32> -> vector<16x32xf16>
  return
}

// -----

func.func @accumulate_c1(%P: vector<16x32xf16>, %V: vector<32x64xf32>, %O: vector<16x64xf32>) {
  // expected-error @+1 {{expected the element type of probs to be that of value, 'f32', but got 'f16'}}
  %O1 = fa.accumulate %P, %V, %O : vector<16x32xf16>, vector<32x64xf32>, vector<16x64xf32>
  return
}

// -----

func.func @accumulate_c2(%P: vector<16x32xf16>, %V: memref<16x64xf16>, %O: vector<16x64xf32>) {
  // expected-error @+1 {{expected the rows of value to be 32 but got 16}}
  %O1 = fa.accumulate %P, %V, %O : vector<16x32xf16>, memref<16x64xf16>, vector<16x64xf32>
  return
}

// -----

func.func @accumulate_c3_rows(%P: vector<16x32xf16>, %V: memref<32x64xf16>, %O: vector<8x64xf32>) {
  // expected-error @+1 {{expected acc with the rows of probs and the columns of value but got 'vector<8x64xf32>' for 'vector<16x32xf16>' and 'memref<32x64xf16>'}}
  %O1 = fa.accumulate %P, %V, %O : vector<16x32xf16>, memref<32x64xf16>, vector<8x64xf32>
  return
}

// -----

func.func @accumulate_c3_columns(%P: vector<16x32xf16>, %V: memref<?x?xf16>, %O: vector<16x64xf32>) {
  // expected-error @+1 {{expected acc with the rows of probs and the columns of value but got 'vector<16x64xf32>' for 'vector<16x32xf16>' and 'memref<?x?xf16>'}}
  %O1 = fa.accumulate %P, %V, %O : vector<16x32xf16>, memref<?x?xf16>, vector<16x64xf32>
  return
}

// -----

func.func @accumulate_c2_transposed(%P: vector<32x16xf16>, %V: memref<16x64xf16>, %O: vector<16x64xf32>) {
  // expected-error @+1 {{expected the rows of value to be 32 but got 16}}
  %O1 = fa.accumulate %P, %V, %O transposed : vector<32x16xf16>, memref<16x64xf16>, vector<16x64xf32>
  return
}

// -----

func.func @accumulate_c3_transposed(%P: vector<32x16xf16>, %V: memref<32x64xf16>, %O: vector<32x64xf32>) {
  // expected-error @+1 {{expected acc with the rows of the transpose of probs and the columns of value but got 'vector<32x64xf32>' for 'vector<32x16xf16>' and 'memref<32x64xf16>'}}
  %O1 = fa.accumulate %P, %V, %O transposed : vector<32x16xf16>, memref<32x64xf16>, vector<32x64xf32>
  return
}

// -----

func.func @accumulate_c4(%P: vector<16x32xf16>, %V: memref<32x64xf16>, %O: vector<16x64xf32>, %alpha: vector<64xf32>) {
  // expected-error @+1 {{expected the size of alpha to be 16 but got 64}}
  %O1 = fa.accumulate %P, %V, %O rescale %alpha : vector<16x32xf16>, memref<32x64xf16>, vector<16x64xf32>, vector<64xf32>
  return
}

// -----

func.func @accumulate_c5(%P: vector<16x32xf16>, %V: memref<32x64xf16, strided<[128, 2]>>, %O: vector<16x64xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of value but got 'memref<32x64xf16, strided<[128, 2]>>'}}
  %O1 = fa.accumulate %P, %V, %O : vector<16x32xf16>, memref<32x64xf16, strided<[128, 2]>>, vector<16x64xf32>
  return
}

// -----

func.func @accumulate_result(%P: vector<16x32xf16>, %V: memref<32x64xf16>, %O: vector<16x64xf32>) {
  // expected-error @+1 {{failed to verify that all of {acc, result} have same type}}
  %O1 = "fa.accumulate"(%P, %V, %O) : (vector<16x32xf16>, memref<32x64xf16>, vector<16x64xf32>) -> vector<16x32xf32>
  return
}

// -----

func.func @finish_c1(%O: vector<16x64xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{failed to verify that all of {acc, output} have same type}}
  %out, %lse = "fa.finish"(%O, %m, %m) : (vector<16x64xf32>, vector<16xf32>, vector<16xf32>) -> (vector<16x32xf32>, vector<16xf32>)
  return
}

// -----

func.func @finish_c2(%O: vector<16x64xf32>, %m: vector<16xf32>, %l: vector<8xf32>) {
  // expected-error @+1 {{failed to verify that all of {max, sum, lse} have same type}}
  %out, %lse = "fa.finish"(%O, %m, %l) : (vector<16x64xf32>, vector<16xf32>, vector<8xf32>) -> (vector<16x64xf32>, vector<16xf32>)
  return
}

// -----

func.func @finish_c3(%O: vector<16x64xf32>, %m: vector<64xf32>) {
  // expected-error @+1 {{expected the size of max to be 16 but got 64}}
  %out, %lse = fa.finish %O, %m, %m : vector<16x64xf32>, vector<64xf32>
  return
}

// -----

func.func @finish_c4(%O: vector<16x64xf32>, %m: vector<16xf32>) {
  // expected-error @+1 {{expected a positive, finite scale but got 0x7FC00000 : f32}}
  %out, %lse = fa.finish %O, %m, %m scale 0x7FC00000 : vector<16x64xf32>, vector<16xf32>
  return
}
