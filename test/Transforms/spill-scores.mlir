// RUN: fa-opt %s -pass-pipeline='builtin.module(fa-bufferize,func.func(fa-select-schedule{chip=sm_80},fa-tile),canonicalize,cse,fa-spill-scores,canonicalize,cse)' | FileCheck %s

func.func @f(%Q: tensor<?x?x?x64xbf16>, %K: tensor<?x?x?x64xbf16>, %V: tensor<?x?x?x128xbf16>,
             %O: tensor<?x?x?x128xbf16>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x128xbf16>)
      outs(%O, %LSE : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal> -> tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
}

// S, masked in edge tiles, goes to memory. Nothing is carried by the loops.

// CHECK-LABEL: func.func @f_scores(
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>,
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>>,
// CHECK-SAME: %[[l:[a-z0-9]+]]: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>)
// CHECK: scf.forall (%[[b:.*]], %[[h:.*]], %{{.*}}) in
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: fa.scores
// CHECK: %[[MASKED:.*]] = arith.select
// CHECK: %[[TILE:.*]] = memref.subview %[[S]][%[[b]], %[[h]], %{{.*}}, %{{.*}}] [1, 1, %{{.*}}, 32]
// CHECK: vector.transfer_write %[[MASKED]], %[[TILE]]{{.*}} {in_bounds = [false, true]}
// CHECK: scf.for
// CHECK: %[[FULL:.*]] = fa.scores
// CHECK: vector.transfer_write %[[FULL]],
// CHECK-NOT: scf.for
// CHECK-NOT: fa.
// CHECK: fa.problem = {arguments = ["Q", "K", "V", "O", "LSE", "S", "P", "l"]
// CHECK-SAME: next = "f_softmax"

// The rows of S are read twice; no product is left.

// CHECK-LABEL: func.func @f_softmax(
// CHECK-NOT: fa.scores
// CHECK: scf.for {{.*}} -> (vector<128xf32>)
// CHECK: vector.transfer_read {{.*}} : memref<?x32xf32, {{.*}}>, vector<128x32xf32>
// CHECK: vector.multi_reduction <maxnumf>
// CHECK: %[[m:.*]] = scf.for {{.*}} -> (vector<128xf32>)
// CHECK: scf.for {{.*}} -> (vector<128xf32>)
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<128xf32>)
// CHECK: vector.transfer_read {{.*}} : memref<?x32xf32, {{.*}}>, vector<128x32xf32>
// CHECK: %[[PROBS:.*]], %{{.*}} = fa.softmax %{{.*}}, %[[m]],
// CHECK: vector.transfer_write %[[PROBS]], {{.*}} : vector<128x32xbf16>, memref<?x32xbf16,
// CHECK-NOT: fa.accumulate
// CHECK: vector.transfer_write %[[SUM]], {{.*}} : vector<128xf32>, memref<?xf32,
// CHECK: %{{.*}}, %[[lse:.*]] = fa.finish %{{.*}}, %[[m]], %[[SUM]]
// CHECK: vector.transfer_write %[[lse]], {{.*}} : vector<128xf32>, memref<?xf32,
// CHECK: next = "f_output"

// P comes from memory.

// CHECK-LABEL: func.func @f_output(
// CHECK-NOT: fa.scores
// CHECK-NOT: fa.softmax
// CHECK: scf.for {{.*}} -> (vector<128x128xf32>)
// CHECK: %[[P:.*]] = vector.transfer_read {{.*}} : memref<?x32xbf16, {{.*}}>, vector<128x32xbf16>
// CHECK: fa.accumulate %[[P]],
// CHECK: %[[ACC:.*]] = scf.for {{.*}} -> (vector<128x128xf32>)
// CHECK: fa.accumulate
// CHECK: %[[l:.*]] = vector.transfer_read {{.*}} : memref<?xf32, {{.*}}>, vector<128xf32>
// CHECK: fa.finish %[[ACC]], %[[l]], %[[l]]
// CHECK: vector.transfer_write {{.*}} : vector<128x128xbf16>
// CHECK-NOT: vector.transfer_write
// CHECK-NOT: next =
