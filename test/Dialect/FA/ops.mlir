// RUN: fa-opt %s --verify-roundtrip | FileCheck %s

// The examples of the op descriptions in FAOps.td come first, one a function.

// CHECK-LABEL: func.func @attention_example
// CHECK: fa.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<?x8x?x64xf16>, tensor<?x8x?xf32>)
// CHECK-SAME: mask = <causal> scale = 1.250000e-01 score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// CHECK-NEXT:   %[[T:.*]] = math.tanh %[[S]] : f32
// CHECK-NEXT:   fa.yield %[[T]] : f32
// CHECK-NEXT: } -> tensor<?x8x?x64xf16>, tensor<?x8x?xf32>
func.func @attention_example(%Q: tensor<?x8x?x64xf16>, %K: tensor<?x2x?x64xf16>,
                             %V: tensor<?x2x?x64xf16>, %O: tensor<?x8x?x64xf16>,
                             %LSE: tensor<?x8x?xf32>)
    -> (tensor<?x8x?x64xf16>, tensor<?x8x?xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
      outs(%O, %LSE : tensor<?x8x?x64xf16>, tensor<?x8x?xf32>)
      mask = #fa.mask<causal> scale = 0.125
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
      -> tensor<?x8x?x64xf16>, tensor<?x8x?xf32>
  return %r#0, %r#1 : tensor<?x8x?x64xf16>, tensor<?x8x?xf32>
}

// CHECK-LABEL: func.func @attention_without_lse
// CHECK: %[[O:.*]] = fa.attention ins(%{{.*}}) outs(%{{[^,]*}} : tensor<?x8x?x64xf16>)
// CHECK-SAME: -> tensor<?x8x?x64xf16>
// CHECK: fa.attention ins({{.*}}) outs(%{{[^,]*}} : memref<?x8x?x64xf16>){{$}}
func.func @attention_without_lse(%Q: tensor<?x8x?x64xf16>, %K: tensor<?x2x?x64xf16>, %O: tensor<?x8x?x64xf16>,
                                 %q: memref<?x8x?x64xf16>, %o: memref<?x8x?x64xf16>) -> tensor<?x8x?x64xf16> {
  %r = fa.attention ins(%Q, %K, %K : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
      outs(%O : tensor<?x8x?x64xf16>) -> tensor<?x8x?x64xf16>
  fa.attention ins(%q, %q, %q : memref<?x8x?x64xf16>, memref<?x8x?x64xf16>, memref<?x8x?x64xf16>)
      outs(%o : memref<?x8x?x64xf16>)
  return %r : tensor<?x8x?x64xf16>
}

// CHECK-LABEL: func.func @attention_backward_example
// CHECK: fa.attention_backward ins(%{{[^:]*}} : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>,
// CHECK-SAME: tensor<?x2x?x64xf16>, tensor<?x8x?x64xf16>, tensor<?x8x?x64xf16>, tensor<?x8x?xf32>)
// CHECK-SAME: outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
// CHECK-SAME: mask = <causal> scale = 1.250000e-01 score {
// CHECK: } -> tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>
func.func @attention_backward_example(%Q: tensor<?x8x?x64xf16>, %K: tensor<?x2x?x64xf16>, %V: tensor<?x2x?x64xf16>,
                                      %O: tensor<?x8x?x64xf16>, %dO: tensor<?x8x?x64xf16>, %LSE: tensor<?x8x?xf32>,
                                      %dQ: tensor<?x8x?x64xf16>, %dK: tensor<?x2x?x64xf16>, %dV: tensor<?x2x?x64xf16>)
    -> (tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>) {
  %r:3 = fa.attention_backward
      ins(%Q, %K, %V, %O, %dO, %LSE : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>,
          tensor<?x8x?x64xf16>, tensor<?x8x?x64xf16>, tensor<?x8x?xf32>)
      outs(%dQ, %dK, %dV : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
      mask = #fa.mask<causal> scale = 0.125
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
      -> tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>
  return %r#0, %r#1, %r#2 : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>
}

// CHECK-LABEL: func.func @scores_example
// CHECK: fa.scores %{{.*}}, %{{.*}} scale 1.250000e-01 : memref<?x64xf16>, memref<32x64xf16> -> vector<16x32xf32>
func.func @scores_example(%Qi: memref<?x64xf16>, %Kj: memref<32x64xf16>) -> vector<16x32xf32> {
  %S = fa.scores %Qi, %Kj scale 0.125 : memref<?x64xf16>, memref<32x64xf16> -> vector<16x32xf32>
  return %S : vector<16x32xf32>
}

// CHECK-LABEL: func.func @softmax_example
// CHECK: fa.softmax %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
func.func @softmax_example(%S: vector<16x32xf32>, %m: vector<16xf32>, %l: vector<16xf32>)
    -> (vector<16x32xf16>, vector<16xf32>) {
  %P, %l1 = fa.softmax %S, %m, %l scale 0.125 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  return %P, %l1 : vector<16x32xf16>, vector<16xf32>
}

// CHECK-LABEL: func.func @online_softmax_example
// CHECK: fa.online_softmax %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
func.func @online_softmax_example(%S: vector<16x32xf32>, %m: vector<16xf32>, %l: vector<16xf32>)
    -> (vector<16x32xf16>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l scale 0.125 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  return %P, %m1, %l1, %alpha : vector<16x32xf16>, vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// CHECK-LABEL: func.func @rescale_example
// CHECK: fa.rescale %{{.*}} by %{{.*}} rarely : vector<16x64xf32>, vector<16xf32>
func.func @rescale_example(%O: vector<16x64xf32>, %alpha: vector<16xf32>) -> vector<16x64xf32> {
  %O1 = fa.rescale %O by %alpha rarely : vector<16x64xf32>, vector<16xf32>
  return %O1 : vector<16x64xf32>
}

// CHECK-LABEL: func.func @accumulate_example
// CHECK: fa.accumulate %{{.*}}, %{{.*}}, %{{.*}} rescale %{{.*}} : vector<16x32xf16>, memref<32x64xf16>, vector<16x64xf32>, vector<16xf32>
func.func @accumulate_example(%P: vector<16x32xf16>, %Vj: memref<32x64xf16>,
                              %O: vector<16x64xf32>, %alpha: vector<16xf32>) -> vector<16x64xf32> {
  %O1 = fa.accumulate %P, %Vj, %O rescale %alpha : vector<16x32xf16>, memref<32x64xf16>, vector<16x64xf32>, vector<16xf32>
  return %O1 : vector<16x64xf32>
}

// CHECK-LABEL: func.func @finish_example
// CHECK: fa.finish %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 : vector<16x64xf32>, vector<16xf32>
func.func @finish_example(%O: vector<16x64xf32>, %m: vector<16xf32>, %l: vector<16xf32>)
    -> (vector<16x64xf32>, vector<16xf32>) {
  %out, %lse = fa.finish %O, %m, %l scale 0.125 : vector<16x64xf32>, vector<16xf32>
  return %out, %lse : vector<16x64xf32>, vector<16xf32>
}

// The rest: what the examples leave out.

// A scale of 1 is the default of the tile ops and is not printed.
// CHECK-LABEL: func.func @defaults
// CHECK: fa.scores %{{.*}}, %{{.*}} : vector<16x64xbf16>, vector<32x64xbf16> -> vector<16x32xf32>
// CHECK: fa.online_softmax %{{.*}}, %{{.*}}, %{{.*}} : vector<16x32xf32>, vector<16xf32> -> vector<16x32xbf16>
// CHECK: fa.accumulate %{{.*}}, %{{.*}}, %{{.*}} : vector<16x32xbf16>, vector<32x64xbf16>, vector<16x64xf32>{{$}}
// CHECK: fa.finish %{{.*}}, %{{.*}}, %{{.*}} : vector<16x64xf32>, vector<16xf32>
func.func @defaults(%Q: vector<16x64xbf16>, %K: vector<32x64xbf16>, %O: vector<16x64xf32>,
                    %m: vector<16xf32>, %l: vector<16xf32>) -> (vector<16x64xf32>, vector<16xf32>) {
  %S = fa.scores %Q, %K scale 1.0 : vector<16x64xbf16>, vector<32x64xbf16> -> vector<16x32xf32>
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : vector<16x32xf32>, vector<16xf32> -> vector<16x32xbf16>
  %O1 = fa.accumulate %P, %K, %O : vector<16x32xbf16>, vector<32x64xbf16>, vector<16x64xf32>
  %out, %lse = fa.finish %O1, %m1, %l1 : vector<16x64xf32>, vector<16xf32>
  return %out, %lse : vector<16x64xf32>, vector<16xf32>
}

// A maximum that may lag behind, by both ends of the range; a rescale that is
// always done; a schedule with all that a GPU has.
// CHECK-LABEL: func.func @lazy
// CHECK-SAME: fa.schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2, overlap = true, pingpong = true, lazy = true, narrow = true, persistent = 2>
// CHECK: fa.online_softmax %{{.*}}, %{{.*}}, %{{.*}} scale 5.000000e-01 lazy 0.000000e+00 :
// CHECK: fa.online_softmax %{{.*}}, %{{.*}}, %{{.*}} lazy 1.500000e+01 :
// CHECK: fa.rescale %{{.*}} by %{{.*}} : vector<16x32xf32>, vector<16xf32>
func.func @lazy(%S: vector<16x32xf32>, %m: vector<16xf32>, %l: vector<16xf32>) -> vector<16x32xf32>
    attributes {fa.schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2,
                                           overlap = true, pingpong = true, lazy = true, narrow = true, persistent = 2>} {
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l scale 0.5 lazy 0.0 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  %P2, %m2, %l2, %alpha2 = fa.online_softmax %S, %m1, %l1 lazy 15.0 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
  %R = fa.rescale %S by %alpha2 : vector<16x32xf32>, vector<16xf32>
  return %R : vector<16x32xf32>
}

// The products of backward.
// CHECK-LABEL: func.func @backward_products
// CHECK: %[[DP:.*]] = fa.scores %{{.*}}, %{{.*}} start %{{.*}} : memref<?x64xf16>, memref<32x64xf16> -> vector<16x32xf32>
// CHECK: fa.scores %{{.*}}, %{{.*}} start %[[DP]] scale 5.000000e-01 : memref<?x64xf16>, memref<32x64xf16> -> vector<16x32xf32>
// CHECK: fa.accumulate %{{.*}}, %{{.*}}, %{{.*}} transposed : vector<32x16xf16>, memref<32x64xf16>, vector<16x64xf32>
// CHECK: fa.accumulate %{{.*}}, %{{.*}}, %{{.*}} rescale %{{.*}} transposed : vector<32x16xf16>, memref<32x64xf16>, vector<16x64xf32>, vector<16xf32>
func.func @backward_products(%dOi: memref<?x64xf16>, %Vj: memref<32x64xf16>, %D: vector<16x32xf32>, %dST: vector<32x16xf16>,
                             %dQ: vector<16x64xf32>, %alpha: vector<16xf32>) -> (vector<16x32xf32>, vector<16x64xf32>) {
  %dP = fa.scores %dOi, %Vj start %D : memref<?x64xf16>, memref<32x64xf16> -> vector<16x32xf32>
  %S = fa.scores %dOi, %Vj start %dP scale 0.5 : memref<?x64xf16>, memref<32x64xf16> -> vector<16x32xf32>
  %dQ1 = fa.accumulate %dST, %Vj, %dQ transposed : vector<32x16xf16>, memref<32x64xf16>, vector<16x64xf32>
  %dQ2 = fa.accumulate %dST, %Vj, %dQ1 rescale %alpha transposed : vector<32x16xf16>, memref<32x64xf16>, vector<16x64xf32>, vector<16xf32>
  return %S, %dQ2 : vector<16x32xf32>, vector<16x64xf32>
}

// Memrefs with strides of their own, no result; every dimension but the head
// dims dynamic; both regions; all attributes.
// CHECK-LABEL: func.func @attention_memrefs
// CHECK: fa.attention
// CHECK-SAME: mask = <window, left = 128, right = 0, align = top_left> scale = -2.000000e+00 score {
// CHECK: memref.load
// CHECK: } where {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %[[H:.*]]: index, %{{.*}}: index, %[[J:.*]]: index):
// CHECK: fa.yield %{{.*}} : i1
// CHECK-NEXT: } {schedule = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>,
// CHECK-SAME: target = #fa.target<"cpu", sram = 65536, vector_bits = 256>}
func.func @attention_memrefs(%Q: memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>,
                             %K: memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>,
                             %V: memref<?x?x?x80xf32>, %O: memref<?x?x?x80xf32>,
                             %LSE: memref<?x?x?xf32>, %slopes: memref<?xf32>, %period: index) {
  fa.attention ins(%Q, %K, %V : memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>,
                                memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>, memref<?x?x?x80xf32>)
      outs(%O, %LSE : memref<?x?x?x80xf32>, memref<?x?x?xf32>)
      mask = #fa.mask<window, left = 128, right = 0, align = top_left> scale = -2.0
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %slope = memref.load %slopes[%h] : memref<?xf32>
        %t = arith.mulf %s, %slope : f32
        fa.yield %t : f32
      }
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %r = arith.remui %j, %period : index
        %c = arith.cmpi ne, %r, %h : index
        fa.yield %c : i1
      }
      {schedule = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>,
       target = #fa.target<"cpu", sram = 65536, vector_bits = 256>}
  return
}

// The gradient on memrefs: dLSE, all three regions, all attributes, no result.
// CHECK-LABEL: func.func @attention_backward_memrefs
// CHECK: fa.attention_backward ins(%{{[^:]*}} : memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>,
// CHECK-SAME: memref<?x?x?x32xbf16>, memref<?x?x?x32xbf16>, memref<?x?x?x32xbf16>, memref<?x?x?xf32>, memref<?x?x?xf32>)
// CHECK-SAME: mask = <window, left = 3, right = 0> scale = 2.000000e+00 score {
// CHECK: } derivative {
// CHECK: } where {
// CHECK: } {schedule = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>, target = #fa.target<"cpu", sram = 65536, vector_bits = 256>}
func.func @attention_backward_memrefs(%Q: memref<?x?x?x64xbf16>, %V: memref<?x?x?x32xbf16>, %LSE: memref<?x?x?xf32>, %x: f32) {
  fa.attention_backward
      ins(%Q, %Q, %V, %V, %V, %LSE, %LSE : memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x32xbf16>,
          memref<?x?x?x32xbf16>, memref<?x?x?x32xbf16>, memref<?x?x?xf32>, memref<?x?x?xf32>)
      outs(%Q, %Q, %V : memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x32xbf16>)
      mask = #fa.mask<window, left = 3, right = 0> scale = 2.0
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = arith.mulf %s, %x : f32
        fa.yield %t : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %x : f32
      }
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %c = arith.cmpi ne, %j, %h : index
        fa.yield %c : i1
      }
      {schedule = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>,
       target = #fa.target<"cpu", sram = 65536, vector_bits = 256>}
  return
}

// Extremes that are allowed: no heads, no batch, no keys, one element a row.
// CHECK-LABEL: func.func @attention_empty
// CHECK: fa.attention
func.func @attention_empty(%Q: memref<0x0x3x1xf32>, %K: memref<0x0x0x1xf32>, %LSE: memref<0x0x3xf32>) {
  fa.attention ins(%Q, %K, %K : memref<0x0x3x1xf32>, memref<0x0x0x1xf32>, memref<0x0x0x1xf32>)
      outs(%Q, %LSE : memref<0x0x3x1xf32>, memref<0x0x3xf32>)
  return
}

// Empty regions are no regions.
// CHECK-LABEL: func.func @attention_empty_regions
// CHECK: fa.attention
// CHECK-NOT: score
// CHECK-NOT: where
// CHECK: return
func.func @attention_empty_regions(%Q: memref<1x1x8x16xf32>, %LSE: memref<1x1x8xf32>) {
  fa.attention ins(%Q, %Q, %Q : memref<1x1x8x16xf32>, memref<1x1x8x16xf32>, memref<1x1x8x16xf32>)
      outs(%Q, %LSE : memref<1x1x8x16xf32>, memref<1x1x8xf32>)
      score {} where {}
  return
}

// CHECK-LABEL: func.func @masks
// CHECK: a = #fa.mask<none>,
// CHECK-SAME: b = #fa.mask<causal>,
// CHECK-SAME: c = #fa.mask<causal>,
// CHECK-SAME: d = #fa.mask<causal, align = top_left>,
// CHECK-SAME: e = #fa.mask<window, left = 0, right = 9223372036854775807>,
// CHECK-SAME: f = #fa.mask<window, left = 1, right = 2, align = top_left>
func.func @masks() -> i1 {
  %true = arith.constant {
    a = #fa.mask<none>,
    b = #fa.mask<causal>,
    c = #fa.mask<causal, align = bottom_right>,
    d = #fa.mask<causal, align = top_left>,
    e = #fa.mask<window, left = 0, right = 9223372036854775807>,
    f = #fa.mask<window, align = top_left, right = 2, left = 1>
  } true
  return %true : i1
}

// What is not given, or is its default, is not printed.
// CHECK-LABEL: func.func @schedules
// CHECK: a = #fa.schedule<br = 16, bc = 32, mr = 4, nr = 8>,
// CHECK-SAME: b = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 3>,
// CHECK-SAME: backward = #fa.schedule<br = 64, bc = 64, mr = 8, nr = 32, backward = one_pass, splits = 4>,
// CHECK-SAME: c = #fa.target<"cpu", sram = 65536, vector_bits = 512>,
// CHECK-SAME: d = #fa.target<"sm_90a", sram = 232448>
func.func @schedules() -> i1 {
  %true = arith.constant {
    a = #fa.schedule<nr = 8, mr = 4, bc = 32, br = 16, groups = 1>,
    b = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 3>,
    backward = #fa.schedule<br = 64, bc = 64, mr = 8, nr = 32, splits = 4, backward = one_pass>,
    c = #fa.target<"cpu", sram = 65536, vector_bits = 512>,
    d = #fa.target<"sm_90a", sram = 232448>
  } true
  return %true : i1
}

// The attributes that fa-tile leaves on a nest.
// CHECK-LABEL: func.func @carried
// CHECK: scf.forall
// CHECK: {fa.schedule = #fa.schedule<br = 8, bc = 8, mr = 4, nr = 8>, fa.target = #fa.target<"cpu", sram = 1, vector_bits = 128>}
func.func @carried(%n: index) {
  scf.forall (%i) in (%n) {
  } {fa.schedule = #fa.schedule<br = 8, bc = 8, mr = 4, nr = 8>,
     fa.target = #fa.target<"cpu", sram = 1, vector_bits = 128>}
  return
}
