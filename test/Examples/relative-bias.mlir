// A bias that depends on the distance of the key, from a table that is learnt:
// a row for each head, with distances from -128 to 128. What is further away
// has the bias at the end of the table.
//
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.random.default_rng(1).normal(size=(4, 257)).astype('f4'))"
// RUN: fa-run --target=cpu %s --arg=5:%t.npy --heads=4 --seq-q=150 --seq-kv=200 --check | FileCheck %s --check-prefix=OK
// RUN: fa-run --target=cpu %s --arg=5:%t.npy --heads=4 --seq-q=150 --seq-kv=200 --level=naive --check | FileCheck %s --check-prefix=OK
// RUN: fa-translate %s --target=sm_80 --emit=ptx | FileCheck %s --check-prefix=PTX
//
// OK: 600 of 600 rows against the fp64 reference: PASS
// PTX: .visible .entry relative_bias(

func.func @relative_bias(%Q: tensor<?x?x?x64xbf16>, %K: tensor<?x?x?x64xbf16>,
                         %V: tensor<?x?x?x64xbf16>, %O: tensor<?x?x?x64xbf16>,
                         %LSE: tensor<?x?x?xf32>, %table: tensor<?x257xf32>)
    -> (tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>)
      outs(%O, %LSE : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %last = arith.constant 256 : index
        %first = arith.constant 0 : index
        %middle = arith.constant 128 : index
        %distance = arith.subi %j, %i : index
        %shifted = arith.addi %distance, %middle : index
        %atLeast = arith.maxsi %shifted, %first : index
        %column = arith.minsi %atLeast, %last : index
        %bias = tensor.extract %table[%h, %column] : tensor<?x257xf32>
        %y = arith.addf %s, %bias : f32
        fa.yield %y : f32
      } -> tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
}
