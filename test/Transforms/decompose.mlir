// RUN: fa-opt %s --fa-decompose -split-input-file | FileCheck %s
// RUN: fa-opt %s --pass-pipeline='builtin.module(fa-bufferize, func.func(fa-decompose))' -split-input-file \
// RUN:   | FileCheck %s --check-prefix=MEMREF
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-decompose), fa-bufferize)' -split-input-file \
// RUN:   | FileCheck %s --check-prefix=BUFFERIZED

// Every step, on tensors and on memrefs.

// CHECK-DAG: #[[$BHIC:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[$BHJC:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-DAG: #[[$BHIJ_OF_5:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$BHIJ:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$BHI:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @steps
// CHECK-SAME: (%[[Q:[^:]*]]: tensor<{{[^>]*}}>, %[[K:[^:]*]]: tensor<{{[^>]*}}>, %[[V:[^:]*]]: tensor<{{[^>]*}}>,
// CHECK-SAME: %[[O:[^:]*]]: tensor<{{[^>]*}}>, %[[LSE:[^:]*]]: tensor<{{[^>]*}}>)

// S = Q K^T, in f32; a sum may be taken in any order, nothing else is relaxed.
// CHECK: %[[S_EMPTY:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<2x4x?x?xf32>
// CHECK: %[[S_ZERO:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[S_EMPTY]]
// CHECK: %[[QK:.*]] = linalg.generic {indexing_maps = [#[[$BHIC]], #[[$BHJC]], #[[$BHIJ_OF_5]]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[Q]], %[[K]] : {{.*}}) outs(%[[S_ZERO]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %[[Y:.*]]: f16, %[[ACC:.*]]: f32):
// CHECK-NEXT:   %[[XF:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:   %[[YF:.*]] = arith.extf %[[Y]] : f16 to f32
// CHECK-NEXT:   %[[XY:.*]] = arith.mulf %[[XF]], %[[YF]] fastmath<reassoc,contract> : f32
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[ACC]], %[[XY]] fastmath<reassoc,contract> : f32
// CHECK-NEXT:   linalg.yield %[[SUM]]

// The default scale, 1/sqrt(64); without a mask the position is not needed.
// CHECK: %[[S:.*]] = linalg.generic {{.*}} outs(%[[QK]] :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT:   %[[SCALE:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-NEXT:   %[[SCALED:.*]] = arith.mulf %[[X]], %[[SCALE]] : f32
// CHECK-NEXT:   linalg.yield %[[SCALED]]

// m = max_j S
// CHECK: %[[MINUS_INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[M_INIT:.*]] = linalg.fill ins(%[[MINUS_INF]] : f32) outs(%{{.*}} : tensor<2x4x?xf32>)
// CHECK: %[[M:.*]] = linalg.generic {indexing_maps = [#[[$BHIJ]], #[[$BHI]]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[S]] : {{.*}}) outs(%[[M_INIT]]
// CHECK: arith.maximumf

// P = exp(S - m) in the type of V, l = sum_j P before rounding. A maximum of
// -inf (no key is visible) is replaced by 0.
// CHECK: %[[P_EMPTY:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<2x4x?x?xf16>
// CHECK: %[[PL:.*]]:2 = linalg.generic {indexing_maps = [#[[$BHIJ]], #[[$BHI]], #[[$BHIJ]], #[[$BHI]]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[S]], %[[M]] : {{.*}}) outs(%[[P_EMPTY]], %{{.*}} :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[MAX:.*]]: f32, %{{.*}}: f16, %[[ACC:.*]]: f32):
// CHECK: %[[MASKED:.*]] = arith.cmpf oeq, %[[MAX]], %{{.*}} : f32
// CHECK: %[[SUB:.*]] = arith.select %[[MASKED]], %{{.*}}, %[[MAX]] : f32
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[X]], %[[SUB]] : f32
// CHECK-NEXT: %[[E:.*]] = math.exp %[[D]] : f32
// CHECK-NEXT: %[[L1:.*]] = arith.addf %[[ACC]], %[[E]] fastmath<reassoc,contract> : f32
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[E]] : f32 to f16
// CHECK-NEXT: linalg.yield %[[ROUNDED]], %[[L1]]

// A = P V, the head dim innermost.
// CHECK: %[[A_ZERO:.*]] = linalg.fill {{.*}} -> tensor<2x4x?x64xf32>
// CHECK: %[[A:.*]] = linalg.generic {indexing_maps = [#[[$BHIJ_OF_5]], #[[$BHJC]], #[[$BHIC]]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
// CHECK-SAME: ins(%[[PL]]#0, %[[V]] : {{.*}}) outs(%[[A_ZERO]]

// O = A / l, or 0 where l = 0.
// CHECK: %[[OUT:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[PL]]#1 : {{.*}}) outs(%[[O]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[L:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[MASKED:.*]] = arith.cmpf oeq, %[[L]], %[[ZERO]] : f32
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divf %[[X]], %[[L]] : f32
// CHECK-NEXT: %[[SELECTED:.*]] = arith.select %[[MASKED]], %[[ZERO]], %[[QUOTIENT]] : f32
// CHECK-NEXT: arith.truncf %[[SELECTED]] : f32 to f16

// LSE = m + log l.
// CHECK: %[[LOGSUM:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ID]], #[[$ID]]], {{.*}} ins(%[[M]], %[[PL]]#1 : {{.*}}) outs(%[[LSE]]
// CHECK: math.log
// CHECK: return %[[OUT]], %[[LOGSUM]]
// CHECK-NOT: fa.attention

// MEMREF-LABEL: func.func @steps
// MEMREF-DAG: %[[S:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<2x4x?x?xf32>
// MEMREF-DAG: %[[P:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<2x4x?x?xf16>
// MEMREF-NOT: memref.copy
// MEMREF: linalg.generic {{.*}} outs(%arg3 :
// MEMREF: linalg.generic {{.*}} outs(%arg4 :
// MEMREF: memref.dealloc %[[S]]
// MEMREF: memref.dealloc %[[P]]
// MEMREF: return{{$}}

// BUFFERIZED-LABEL: func.func @steps
// BUFFERIZED-NOT: memref.copy
// BUFFERIZED: linalg.generic {{.*}} outs(%arg3 :
// BUFFERIZED: linalg.generic {{.*}} outs(%arg4 :
// BUFFERIZED-NOT: memref.copy
// BUFFERIZED: return{{$}}
func.func @steps(%Q: tensor<2x4x?x64xf16>, %K: tensor<2x4x?x64xf16>, %V: tensor<2x4x?x64xf16>,
                 %O: tensor<2x4x?x64xf16>, %LSE: tensor<2x4x?xf32>)
    -> (tensor<2x4x?x64xf16>, tensor<2x4x?xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<2x4x?x64xf16>, tensor<2x4x?x64xf16>, tensor<2x4x?x64xf16>)
      outs(%O, %LSE : tensor<2x4x?x64xf16>, tensor<2x4x?xf32>)
      -> tensor<2x4x?x64xf16>, tensor<2x4x?xf32>
  return %r#0, %r#1 : tensor<2x4x?x64xf16>, tensor<2x4x?xf32>
}

// -----

// f32: nothing is converted.

// CHECK-LABEL: func.func @f32
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return

// MEMREF-LABEL: func.func @f32
// BUFFERIZED-LABEL: func.func @f32
func.func @f32(%Q: tensor<1x1x8x16xf32>, %O: tensor<1x1x8x16xf32>, %LSE: tensor<1x1x8xf32>)
    -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      outs(%O, %LSE : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
      -> tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
  return %r#0, %r#1 : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
}

// -----

// Grouped-query heads whose numbers are known: an affine map names the head of
// K and V.

// CHECK-DAG: #[[$SHARED:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 3, d3, d4)>
// CHECK-LABEL: func.func @static_groups
// CHECK-SAME: (%[[Q:[^:]*]]: tensor<{{[^>]*}}>, %[[K:[^:]*]]: tensor<{{[^>]*}}>, %[[V:[^:]*]]: tensor<
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$SHARED]], #{{.*}}], {{.*}} ins(%[[Q]], %[[K]] :
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$SHARED]], #{{.*}}], {{.*}} ins(%{{.*}}, %[[V]] :

// MEMREF-LABEL: func.func @static_groups
// BUFFERIZED-LABEL: func.func @static_groups
func.func @static_groups(%Q: tensor<?x9x?x64xf32>, %K: tensor<?x3x?x64xf32>, %V: tensor<?x3x?x32xf32>,
                         %O: tensor<?x9x?x32xf32>, %LSE: tensor<?x9x?xf32>)
    -> (tensor<?x9x?x32xf32>, tensor<?x9x?xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<?x9x?x64xf32>, tensor<?x3x?x64xf32>, tensor<?x3x?x32xf32>)
      outs(%O, %LSE : tensor<?x9x?x32xf32>, tensor<?x9x?xf32>)
      -> tensor<?x9x?x32xf32>, tensor<?x9x?xf32>
  return %r#0, %r#1 : tensor<?x9x?x32xf32>, tensor<?x9x?xf32>
}

// -----

// Numbers of heads that are known at run time only: the body reads K and V at
// head h * Hkv / Hq.

// CHECK-LABEL: func.func @dynamic_groups
// CHECK-SAME: (%[[Q:[^:]*]]: tensor<{{[^>]*}}>, %[[K:[^:]*]]: tensor<{{[^>]*}}>, %[[V:[^:]*]]: tensor<
// CHECK: %[[HQ:.*]] = tensor.dim %[[Q]], %c1
// CHECK: %[[HKV:.*]] = tensor.dim %[[K]], %c1
// CHECK: linalg.generic {{.*}} ins(%[[Q]] :
// CHECK: %[[H:.*]] = linalg.index 1
// CHECK-NEXT: %[[SCALED:.*]] = arith.muli %[[H]], %[[HKV]]
// CHECK-NEXT: %[[HK:.*]] = arith.divui %[[SCALED]], %[[HQ]]
// CHECK-DAG: %[[B:.*]] = linalg.index 0
// CHECK-DAG: %[[J:.*]] = linalg.index 3
// CHECK-DAG: %[[C:.*]] = linalg.index 4
// CHECK: tensor.extract %[[K]][%[[B]], %[[HK]], %[[J]], %[[C]]]
// CHECK: tensor.extract %[[V]][

// MEMREF-LABEL: func.func @dynamic_groups
// MEMREF: linalg.generic
// MEMREF: memref.load %arg1[
// MEMREF: linalg.generic
// MEMREF: memref.load %arg2[

// BUFFERIZED-LABEL: func.func @dynamic_groups
// BUFFERIZED: linalg.generic
// BUFFERIZED: memref.load %arg1[
func.func @dynamic_groups(%Q: tensor<?x?x?x64xf32>, %K: tensor<?x?x?x64xf32>, %V: tensor<?x?x?x32xf32>,
                          %O: tensor<?x?x?x32xf32>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x32xf32>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x32xf32>)
      outs(%O, %LSE : tensor<?x?x?x32xf32>, tensor<?x?x?xf32>)
      -> tensor<?x?x?x32xf32>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x32xf32>, tensor<?x?x?xf32>
}

// -----

// No heads at all: no division by zero on the way to no result.

// CHECK-LABEL: func.func @no_heads
// CHECK-NOT: floordiv
// CHECK: return

// MEMREF-LABEL: func.func @no_heads
// BUFFERIZED-LABEL: func.func @no_heads
func.func @no_heads(%Q: tensor<1x0x8x16xf32>, %O: tensor<1x0x8x16xf32>, %LSE: tensor<1x0x8xf32>)
    -> (tensor<1x0x8x16xf32>, tensor<1x0x8xf32>) {
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x0x8x16xf32>, tensor<1x0x8x16xf32>, tensor<1x0x8x16xf32>)
      outs(%O, %LSE : tensor<1x0x8x16xf32>, tensor<1x0x8xf32>)
      -> tensor<1x0x8x16xf32>, tensor<1x0x8xf32>
  return %r#0, %r#1 : tensor<1x0x8x16xf32>, tensor<1x0x8xf32>
}

// -----

// The score region sees the scaled score; then the window, aligned bottom-right,
// and the where region hide keys together.

// CHECK-LABEL: func.func @mask_and_regions
// CHECK-SAME: %[[Q:[^:]*]]: tensor<1x2x?x16xf32>, %[[K:[^:]*]]: tensor<1x2x?x16xf32>,
// CHECK: %[[SQ:.*]] = tensor.dim %[[Q]]
// CHECK: %[[SK:.*]] = tensor.dim %[[K]]
// CHECK: %[[SHIFT:.*]] = arith.subi %[[SK]], %[[SQ]] : index
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[X]], %[[SCALE]] : f32
// CHECK-DAG: %[[H:.*]] = linalg.index 1
// CHECK-DAG: %[[I:.*]] = linalg.index 2
// CHECK-DAG: %[[J:.*]] = linalg.index 3
// CHECK: %[[SLOPE:.*]] = tensor.extract %{{.*}}[%[[H]]]
// CHECK-NEXT: %[[SCORE:.*]] = arith.mulf %[[SCALED]], %[[SLOPE]] : f32
// CHECK-NEXT: %[[JI:.*]] = arith.subi %[[J]], %[[I]] : index
// CHECK-NEXT: %[[DISTANCE:.*]] = arith.subi %[[JI]], %[[SHIFT]] : index
// CHECK-NEXT: %[[LEFT:.*]] = arith.constant -3 : index
// CHECK-NEXT: %[[GE:.*]] = arith.cmpi sge, %[[DISTANCE]], %[[LEFT]] : index
// CHECK-NEXT: %[[RIGHT:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[LE:.*]] = arith.cmpi sle, %[[DISTANCE]], %[[RIGHT]] : index
// CHECK-NEXT: %[[BAND:.*]] = arith.andi %[[GE]], %[[LE]] : i1
// CHECK-NEXT: %[[WHERE:.*]] = arith.cmpi ne, %[[I]], %[[J]] : index
// CHECK-NEXT: %[[VISIBLE:.*]] = arith.andi %[[BAND]], %[[WHERE]] : i1
// CHECK-NEXT: %[[MINUS_INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: %[[RESULT:.*]] = arith.select %[[VISIBLE]], %[[SCORE]], %[[MINUS_INF]] : f32
// CHECK-NEXT: linalg.yield %[[RESULT]]

// MEMREF-LABEL: func.func @mask_and_regions
// MEMREF: memref.load %arg4[
// BUFFERIZED-LABEL: func.func @mask_and_regions
// BUFFERIZED: memref.load %arg4[
func.func @mask_and_regions(%Q: tensor<1x2x?x16xf32>, %K: tensor<1x2x?x16xf32>, %O: tensor<1x2x?x16xf32>,
                            %LSE: tensor<1x2x?xf32>, %slopes: tensor<2xf32>)
    -> (tensor<1x2x?x16xf32>, tensor<1x2x?xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %K : tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>)
      outs(%O, %LSE : tensor<1x2x?x16xf32>, tensor<1x2x?xf32>)
      mask = #fa.mask<window, left = 3, right = 1> scale = 0.5
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %slope = tensor.extract %slopes[%h] : tensor<2xf32>
        %t = arith.mulf %s, %slope : f32
        fa.yield %t : f32
      }
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %c = arith.cmpi ne, %i, %j : index
        fa.yield %c : i1
      }
      -> tensor<1x2x?x16xf32>, tensor<1x2x?xf32>
  return %r#0, %r#1 : tensor<1x2x?x16xf32>, tensor<1x2x?xf32>
}

// -----

// Top-left: the diagonal is j = i. The widest window does not overflow.

// CHECK-LABEL: func.func @top_left
// CHECK: %[[I:.*]] = linalg.index 2
// CHECK-NEXT: %[[J:.*]] = linalg.index 3
// CHECK-NEXT: %[[DISTANCE:.*]] = arith.subi %[[J]], %[[I]] : index
// CHECK-NEXT: %[[LEFT:.*]] = arith.constant -9223372036854775807 : index
// CHECK-NEXT: arith.cmpi sge, %[[DISTANCE]], %[[LEFT]] : index

// MEMREF-LABEL: func.func @top_left
// BUFFERIZED-LABEL: func.func @top_left
func.func @top_left(%Q: tensor<1x2x5x16xf32>, %K: tensor<1x2x9x16xf32>, %O: tensor<1x2x5x16xf32>,
                    %LSE: tensor<1x2x5xf32>) -> (tensor<1x2x5x16xf32>, tensor<1x2x5xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %K : tensor<1x2x5x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x9x16xf32>)
      outs(%O, %LSE : tensor<1x2x5x16xf32>, tensor<1x2x5xf32>)
      mask = #fa.mask<window, left = 9223372036854775807, right = 0, align = top_left>
      -> tensor<1x2x5x16xf32>, tensor<1x2x5xf32>
  return %r#0, %r#1 : tensor<1x2x5x16xf32>, tensor<1x2x5xf32>
}
