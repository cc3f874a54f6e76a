// RUN: fa-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @mask_none
// CHECK: fa.attention
// CHECK-NOT: mask
// CHECK: return
func.func @mask_none(%Q: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %LSE: memref<1x2x8xf32>) {
  fa.attention ins(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %LSE : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      mask = #fa.mask<none>
  return
}

// A score region that changes nothing, and a where region that hides nothing.
// CHECK-LABEL: func.func @regions
// CHECK: fa.attention
// CHECK-SAME: mask = <causal>
// CHECK-NOT: score
// CHECK-NOT: where
// CHECK: return
func.func @regions(%Q: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %LSE: memref<1x2x8xf32>) {
  fa.attention ins(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %LSE : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      mask = #fa.mask<causal>
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %true = arith.cmpi eq, %i, %i : index
        fa.yield %true : i1
      }
  return
}

// Regions that do something stay, and so does a where region that hides all.
// CHECK-LABEL: func.func @regions_stay
// CHECK: fa.attention
// CHECK: score {
// CHECK: where {
// CHECK: return
func.func @regions_stay(%Q: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %LSE: memref<1x2x8xf32>) {
  fa.attention ins(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %LSE : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %false = arith.constant false
        fa.yield %false : i1
      }
  return
}

// An LSE that nothing uses is not computed; in memory a caller may look at it.
// CHECK-LABEL: func.func @unused_lse
// CHECK: %[[O:.*]] = fa.attention {{.*}} outs(%{{[^,]*}} : tensor<1x2x8x16xf32>) mask = <causal> scale = 2.500000e-01 score {
// CHECK: math.tanh
// CHECK: } -> tensor<1x2x8x16xf32>
// CHECK: fa.attention {{.*}} outs(%{{.*}}, %{{.*}} : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
// CHECK: %{{.*}}:2 = fa.attention
// CHECK: return %[[O]],
func.func @unused_lse(%Q: tensor<1x2x8x16xf32>, %LSE: tensor<1x2x8xf32>, %q: memref<1x2x8x16xf32>, %lse: memref<1x2x8xf32>)
    -> (tensor<1x2x8x16xf32>, tensor<1x2x8xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%Q, %LSE : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
      mask = #fa.mask<causal> scale = 0.25
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
      -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  fa.attention ins(%q, %q, %q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%q, %lse : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  %s:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%Q, %LSE : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>) -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  return %r#0, %s#1 : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
}

// Of the gradient likewise; but a derivative region says something of a score
// region that does nothing.
// CHECK-LABEL: func.func @backward
// CHECK: fa.attention_backward
// CHECK-NOT: mask
// CHECK-NOT: score
// CHECK-NOT: where
// CHECK: fa.attention_backward
// CHECK: score {
// CHECK: derivative {
func.func @backward(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: f32) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      mask = #fa.mask<none>
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %true = arith.constant true
        fa.yield %true : i1
      }
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %x : f32
      }
  return
}

// CHECK-LABEL: func.func @rescale_by_one
// CHECK: fa.accumulate %{{.*}}, %{{.*}}, %{{.*}} : vector<16x32xf16>, memref<32x64xf16>, vector<16x64xf32>{{$}}
func.func @rescale_by_one(%P: vector<16x32xf16>, %V: memref<32x64xf16>, %O: vector<16x64xf32>) -> vector<16x64xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %O1 = fa.accumulate %P, %V, %O rescale %one : vector<16x32xf16>, memref<32x64xf16>, vector<16x64xf32>, vector<16xf32>
  return %O1 : vector<16x64xf32>
}

// On tensors, and on vectors, an unused result means an unused op.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: return
func.func @unused(%Q: tensor<1x2x8x16xf32>, %LSE: tensor<1x2x8xf32>, %t: vector<8x8xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%Q, %LSE : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
      -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  %S = fa.scores %t, %t : vector<8x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  return
}

// A product reads its memref where it stands: two reads with a store between
// them are not one.
// CHECK-LABEL: func.func @product_reads
// CHECK: fa.scores
// CHECK: vector.store
// CHECK: fa.scores
func.func @product_reads(%Q: vector<8x8xf32>, %K: memref<8x8xf32>, %row: vector<8xf32>)
    -> (vector<8x8xf32>, vector<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %S0 = fa.scores %Q, %K : vector<8x8xf32>, memref<8x8xf32> -> vector<8x8xf32>
  vector.store %row, %K[%c0, %c0] : memref<8x8xf32>, vector<8xf32>
  %S1 = fa.scores %Q, %K : vector<8x8xf32>, memref<8x8xf32> -> vector<8x8xf32>
  return %S0, %S1 : vector<8x8xf32>, vector<8x8xf32>
}

// On tensors the op has no effects but those of its regions: a table in memory
// may change between two ops that are otherwise the same.
// CHECK-LABEL: func.func @table_in_memory
// CHECK: fa.attention
// CHECK: memref.store
// CHECK: fa.attention
func.func @table_in_memory(%Q: tensor<1x2x8x16xf32>, %LSE: tensor<1x2x8xf32>, %table: memref<2xf32>, %x: f32)
    -> (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>) {
  %c0 = arith.constant 0 : index
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%Q, %LSE : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %slope = memref.load %table[%h] : memref<2xf32>
        fa.yield %slope : f32
      }
      -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  memref.store %x, %table[%c0] : memref<2xf32>
  %t:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%Q, %LSE : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %slope = memref.load %table[%h] : memref<2xf32>
        fa.yield %slope : f32
      }
      -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  return %r#0, %t#0 : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>
}
