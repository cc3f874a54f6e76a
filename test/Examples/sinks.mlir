// A sliding window and attention sinks, as in StreamingLLM: a query sees the
// last keys, as many as the caller says, and the first four.
//
// RUN: fa-run --target=cpu %s --arg=5:64 --heads=1 --seq-q=200 --check | FileCheck %s --check-prefix=OK
// RUN: fa-run --target=cpu %s --arg=5:64 --heads=1 --seq-q=200 --level=naive --check | FileCheck %s --check-prefix=OK
// RUN: fa-translate %s --target=sm_80 --emit=ptx | FileCheck %s --check-prefix=PTX
//
// OK: 200 of 200 rows against the fp64 reference: PASS
// PTX: .visible .entry sinks(

func.func @sinks(%Q: tensor<?x?x?x128xbf16>, %K: tensor<?x?x?x128xbf16>,
                 %V: tensor<?x?x?x128xbf16>, %O: tensor<?x?x?x128xbf16>,
                 %LSE: tensor<?x?x?xf32>, %window: index)
    -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      outs(%O, %LSE : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal>
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %numSinks = arith.constant 4 : index
        %distance = arith.subi %i, %j : index
        %isNear = arith.cmpi slt, %distance, %window : index
        %isSink = arith.cmpi slt, %j, %numSinks : index
        %sees = arith.ori %isNear, %isSink : i1
        fa.yield %sees : i1
      } -> tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
}
