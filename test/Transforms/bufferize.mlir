// RUN: fa-opt %s --fa-bufferize -split-input-file | FileCheck %s

// Arguments get strides of their own and a contiguous last dimension; the
// results are the destinations, and so there are none.

// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[Q:[^:]*]]: memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>,
// CHECK-SAME: %[[K:[^:]*]]: memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>,
// CHECK-SAME: %[[V:[^:]*]]: memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>,
// CHECK-SAME: %[[O:[^:]*]]: memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>,
// CHECK-SAME: %[[LSE:[^:]*]]: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>) {
// CHECK-NEXT: fa.attention ins(%[[Q]], %[[K]], %[[V]] : {{.*}}) outs(%[[O]], %[[LSE]] : {{.*}})
// CHECK-SAME: mask = <causal> scale = 1.250000e-01
// CHECK-SAME: {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>}{{$}}
// CHECK-NEXT: return{{$}}
func.func @attention(%Q: tensor<?x?x?x64xf16>, %K: tensor<?x?x?x64xf16>, %V: tensor<?x?x?x64xf16>,
                     %O: tensor<?x?x?x64xf16>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      outs(%O, %LSE : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal> scale = 0.125
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>}
      -> tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}

// -----

// The regions move along, and what they read from outside becomes memory too.

// CHECK-LABEL: func.func @tables(
// CHECK-SAME: %[[SLOPES:[^:]*]]: memref<8xf32, strided<[1], offset: ?>>,
// CHECK-SAME: %[[DOCUMENT:[^:]*]]: memref<?x?xi32, strided<[?, 1], offset: ?>>,
// CHECK-SAME: %[[CAP:[^:]*]]: f32)
// CHECK: fa.attention
// CHECK: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %[[H:.*]]: index, %{{.*}}: index, %{{.*}}: index):
// CHECK-NEXT: %[[SLOPE:.*]] = memref.load %[[SLOPES]][%[[H]]]
// CHECK-NEXT: arith.mulf %[[S]], %[[SLOPE]]
// CHECK-NEXT: arith.minimumf %{{.*}}, %[[CAP]]
// CHECK: where {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT: memref.load %[[DOCUMENT]][%[[B]], %[[I]]]
// CHECK-NEXT: memref.load %[[DOCUMENT]][%[[B]], %[[J]]]
// CHECK-NOT: tensor
func.func @tables(%Q: tensor<1x8x16x32xf32>, %O: tensor<1x8x16x32xf32>, %LSE: tensor<1x8x16xf32>,
                  %slopes: tensor<8xf32>, %document: tensor<?x?xi32>, %cap: f32)
    -> (tensor<1x8x16x32xf32>, tensor<1x8x16xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x8x16x32xf32>, tensor<1x8x16x32xf32>, tensor<1x8x16x32xf32>)
      outs(%O, %LSE : tensor<1x8x16x32xf32>, tensor<1x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %slope = tensor.extract %slopes[%h] : tensor<8xf32>
        %t = arith.mulf %s, %slope : f32
        %u = arith.minimumf %t, %cap : f32
        fa.yield %u : f32
      }
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %di = tensor.extract %document[%b, %i] : tensor<?x?xi32>
        %dj = tensor.extract %document[%b, %j] : tensor<?x?xi32>
        %same = arith.cmpi eq, %di, %dj : i32
        fa.yield %same : i1
      }
      -> tensor<1x8x16x32xf32>, tensor<1x8x16xf32>
  return %r#0, %r#1 : tensor<1x8x16x32xf32>, tensor<1x8x16xf32>
}

// -----

// A destination that is also an input is not overwritten while it is read. Its
// contents are not copied: they are not read.

// CHECK-LABEL: func.func @in_place
// CHECK-SAME: %[[Q:[^:]*]]: memref<1x1x8x16xf32,
// CHECK: %[[O:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: fa.attention ins(%[[Q]], %[[Q]], %[[Q]] : {{.*}}) outs(%[[O]],
// CHECK: return %[[O]]
func.func @in_place(%Q: tensor<1x1x8x16xf32>, %LSE: tensor<1x1x8xf32>)
    -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      outs(%Q, %LSE : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
      -> tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
  return %r#0, %r#1 : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
}

// -----

// The same where it is a region that reads the destination.

// CHECK-LABEL: func.func @region_reads_destination
// CHECK-SAME: %[[OLD:[^:]*]]: memref<1x1x8xf32, {{[^)]*}}) ->
// CHECK: %[[LSE:.*]] = memref.alloc() {{.*}} : memref<1x1x8xf32>
// CHECK: fa.attention {{.*}} outs(%{{.*}}, %[[LSE]] :
// CHECK: memref.load %[[OLD]]
func.func @region_reads_destination(%Q: tensor<1x1x8x16xf32>, %O: tensor<1x1x8x16xf32>, %LSE: tensor<1x1x8xf32>)
    -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      outs(%O, %LSE : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %x = tensor.extract %LSE[%b, %h, %j] : tensor<1x1x8xf32>
        %t = arith.addf %s, %x : f32
        fa.yield %t : f32
      }
      -> tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
  return %r#0, %r#1 : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
}

// -----

// Destinations that the function makes are allocated and returned.

// CHECK-LABEL: func.func @makes_destinations
// CHECK-SAME: -> (memref<1x1x8x16xf32>, memref<1x1x8xf32>)
// CHECK-DAG: %[[O:.*]] = memref.alloc() {{.*}} : memref<1x1x8x16xf32>
// CHECK-DAG: %[[LSE:.*]] = memref.alloc() {{.*}} : memref<1x1x8xf32>
// CHECK: fa.attention
// CHECK: return %[[O]], %[[LSE]]
func.func @makes_destinations(%Q: tensor<1x1x8x16xf32>) -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) {
  %O = tensor.empty() : tensor<1x1x8x16xf32>
  %LSE = tensor.empty() : tensor<1x1x8xf32>
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      outs(%O, %LSE : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
      -> tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
  return %r#0, %r#1 : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
}

// -----

// Calls: the result of the first is read from its destination by the second.

// CHECK-LABEL: func.func @layer(
// CHECK-NOT: ->
// CHECK: return{{$}}
func.func @layer(%X: tensor<1x1x8x16xf32>, %O: tensor<1x1x8x16xf32>, %LSE: tensor<1x1x8xf32>)
    -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) {
  %r:2 = fa.attention ins(%X, %X, %X : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      outs(%O, %LSE : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
      -> tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
  return %r#0, %r#1 : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
}

// CHECK-LABEL: func.func @two_layers(
// CHECK-SAME: %[[X:[^:]*]]: memref<{{[^>]*}}>>, %[[T:[^:]*]]: memref<{{[^>]*}}>>,
// CHECK-SAME: %[[O:[^:]*]]: memref<{{[^>]*}}>>, %[[LSE:[^:]*]]: memref<
// CHECK: call @layer(%[[X]], %[[T]], %[[LSE]])
// CHECK: call @layer(%[[T]], %[[O]], %[[LSE]])
// CHECK: return{{$}}
func.func @two_layers(%X: tensor<1x1x8x16xf32>, %T: tensor<1x1x8x16xf32>, %O: tensor<1x1x8x16xf32>,
                      %LSE: tensor<1x1x8xf32>) -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) {
  %0:2 = call @layer(%X, %T, %LSE) : (tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
  %1:2 = call @layer(%0#0, %O, %0#1) : (tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
  return %1#0, %1#1 : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
}

// -----

// Other tensors: rank 0 and 1, no rank, and a function without a body.

// CHECK: func.func private @external(memref<4xf32, strided<[1], offset: ?>>) -> memref<4xf32, strided<[1], offset: ?>>
func.func private @external(tensor<4xf32>) -> tensor<4xf32>

// CHECK-LABEL: func.func @others(
// CHECK-SAME: memref<f32>,
// CHECK-SAME: memref<*xf32>)
// CHECK-SAME: -> memref<4xf32, strided<[1], offset: ?>>
func.func @others(%x: tensor<4xf32>, %y: tensor<f32>, %z: tensor<*xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %y : tensor<4xf32>, tensor<f32>
}

// -----

// The gradient: inputs are read, destinations overwritten, all regions move.

// CHECK-LABEL: func.func @backward(
// CHECK-SAME: %[[Q:[^:]*]]: memref<1x2x8x16xf32, strided<[?, ?, ?, 1], offset: ?>>, %[[L:[^:]*]]: memref<1x2x8xf32, strided<[?, ?, 1], offset: ?>>,
// CHECK-SAME: %[[T:[^:]*]]: memref<8xf32, strided<[1], offset: ?>>, %[[dQ:[^:]*]]: memref<1x2x8x16xf32, strided<[?, ?, ?, 1], offset: ?>>,
// CHECK-SAME: %[[dK:[^:]*]]: {{[^%]*}}%[[dV:[^:]*]]: {{[^{]*}} {
// CHECK-NEXT: fa.attention_backward ins(%[[Q]], %[[Q]], %[[Q]], %[[Q]], %[[Q]], %[[L]], %[[L]] : {{.*}}) outs(%[[dQ]], %[[dK]], %[[dV]] : {{.*}})
// CHECK: memref.load %[[T]]
// CHECK: derivative {
// CHECK: memref.load %[[T]]
// CHECK: return{{$}}
func.func @backward(%Q: tensor<1x2x8x16xf32>, %L: tensor<1x2x8xf32>, %T: tensor<8xf32>,
                    %dQ: tensor<1x2x8x16xf32>, %dK: tensor<1x2x8x16xf32>, %dV: tensor<1x2x8x16xf32>)
    -> (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>) {
  %r:3 = fa.attention_backward
      ins(%Q, %Q, %Q, %Q, %Q, %L, %L : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>,
          tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
      outs(%dQ, %dK, %dV : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = tensor.extract %T[%j] : tensor<8xf32>
        %u = arith.mulf %s, %t : f32
        fa.yield %u : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = tensor.extract %T[%j] : tensor<8xf32>
        fa.yield %t : f32
      }
      -> tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>
  return %r#0, %r#1, %r#2 : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>
}
