// Soft-capping, as in Gemma 2: the score s becomes cap * tanh(s / cap), with a
// cap of 30. To multiply by 1 / 30 is much cheaper than to divide.
//
// RUN: fa-run --target=cpu %s --heads=4 --kv-heads=2 --seq-q=100 --check | FileCheck %s --check-prefix=OK
// RUN: fa-run --target=cpu %s --heads=4 --kv-heads=2 --seq-q=100 --level=naive --check | FileCheck %s --check-prefix=OK
// RUN: fa-opt %s --fa-lower-to-nvvm=chip=sm_90a | fa-translate - --emit=ptx | FileCheck %s --check-prefix=PTX
//
// OK: heads 4 on 2, 100 queries on 100 keys, head dim 64, bf16, mask causal
// OK: 400 of 400 rows against the fp64 reference: PASS
// PTX: .visible .entry softcap(

func.func @softcap(%Q: tensor<?x?x?x64xbf16>, %K: tensor<?x?x?x64xbf16>,
                   %V: tensor<?x?x?x64xbf16>, %O: tensor<?x?x?x64xbf16>,
                   %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>) {
  %cap = arith.constant 30.0 : f32
  %inverse = arith.constant 0.0333333333 : f32
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>)
      outs(%O, %LSE : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal>
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %x = arith.mulf %s, %inverse : f32
        %t = math.tanh %x : f32
        %y = arith.mulf %t, %cap : f32
        fa.yield %y : f32
      } -> tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
}
