// ALiBi: a bias that falls with the distance of the key, with a slope for each
// head that is read from a table. Sixteen-bit Q, K and V, two of them shared by
// four query heads each.
//
// RUN: %python -c "import numpy; numpy.save('%t.npy', (2.0 ** -numpy.arange(1, 9)).astype('f4'))"
// RUN: fa-run --target=cpu %s --arg=5:%t.npy --heads=8 --kv-heads=2 --seq-q=100 --seq-kv=150 --check | FileCheck %s --check-prefix=OK
// RUN: fa-run --target=cpu %s --arg=5:%t.npy --heads=8 --kv-heads=2 --seq-q=100 --seq-kv=150 --level=naive --check | FileCheck %s --check-prefix=OK
//
// OK: 800 of 800 rows against the fp64 reference: PASS

func.func @alibi(%Q: tensor<?x8x?x64xf16>, %K: tensor<?x?x?x64xf16>,
                 %V: tensor<?x?x?x64xf16>, %O: tensor<?x8x?x64xf16>,
                 %LSE: tensor<?x8x?xf32>, %slopes: tensor<8xf32>)
    -> (tensor<?x8x?x64xf16>, tensor<?x8x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x8x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      outs(%O, %LSE : tensor<?x8x?x64xf16>, tensor<?x8x?xf32>)
      mask = #fa.mask<causal>
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %slope = tensor.extract %slopes[%h] : tensor<8xf32>
        %distance = arith.subi %j, %i : index
        %integer = arith.index_cast %distance : index to i32
        %float = arith.sitofp %integer : i32 to f32
        %bias = arith.mulf %slope, %float : f32
        %y = arith.addf %s, %bias : f32
        fa.yield %y : f32
      } -> tensor<?x8x?x64xf16>, tensor<?x8x?xf32>
  return %result#0, %result#1 : tensor<?x8x?x64xf16>, tensor<?x8x?xf32>
}
