// A mask of one's own: each query sees the keys of its own chunk of 128, up to
// itself. The region yields whether query i sees key j.
//
// RUN: fa-run --target=cpu %s --heads=1 --seq-q=300 --check | FileCheck %s --check-prefix=OK
// RUN: fa-run --target=cpu %s --heads=1 --seq-q=300 --level=naive --check | FileCheck %s --check-prefix=OK
// RUN: fa-opt %s --fa-lower-to-nvvm=chip=sm_80 | fa-translate - --emit=ptx | FileCheck %s --check-prefix=PTX
//
// OK: 300 of 300 rows against the fp64 reference: PASS
// PTX: .visible .entry chunks(

func.func @chunks(%Q: tensor<?x?x?x64xf16>, %K: tensor<?x?x?x64xf16>,
                  %V: tensor<?x?x?x64xf16>, %O: tensor<?x?x?x64xf16>,
                  %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %size = arith.constant 128 : index
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      outs(%O, %LSE : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal>
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %mine = arith.divui %i, %size : index
        %its = arith.divui %j, %size : index
        %sees = arith.cmpi eq, %mine, %its : index
        fa.yield %sees : i1
      } -> tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
