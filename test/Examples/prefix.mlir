// A prefix that all see, and causal after it: the mask of an encoder-decoder in
// one sequence. How long the prefix is differs from batch to batch. Key tiles
// that no query of a tile sees are not visited, and those that all see are not
// tested: the compiler finds both from the comparisons.
//
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.array([100, 0, 17], 'i4'))"
// RUN: fa-run --target=cpu %s --arg=5:%t.npy --heads=2 --batch=3 --seq-q=130 --check | FileCheck %s --check-prefix=OK
// RUN: fa-run --target=cpu %s --arg=5:%t.npy --heads=2 --batch=3 --seq-q=130 --level=naive --check | FileCheck %s --check-prefix=OK
// RUN: fa-translate %s --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
//
// OK: 780 of 780 rows against the fp64 reference: PASS
// PTX: .visible .entry prefix(

func.func @prefix(%Q: tensor<?x?x?x64xf16>, %K: tensor<?x?x?x64xf16>,
                  %V: tensor<?x?x?x64xf16>, %O: tensor<?x?x?x64xf16>,
                  %LSE: tensor<?x?x?xf32>, %lengths: tensor<?xi32>)
    -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      outs(%O, %LSE : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %integer = tensor.extract %lengths[%b] : tensor<?xi32>
        %length = arith.index_cast %integer : i32 to index
        %early = arith.cmpi slt, %j, %length : index
        %past = arith.cmpi sle, %j, %i : index
        %sees = arith.ori %early, %past : i1
        fa.yield %sees : i1
      } -> tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
