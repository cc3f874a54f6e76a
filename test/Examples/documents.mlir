// Documents packed into one sequence: a query sees the keys of its own document,
// up to itself. Which position belongs to which document is in a table of ids.
//
// RUN: %python -c "import numpy; numpy.save('%t.npy', (numpy.arange(150) // 40 + numpy.array([[0], [5]])).astype('i4'))"
// RUN: fa-run --target=cpu %s --arg=5:%t.npy --heads=2 --batch=2 --seq-q=150 --check | FileCheck %s --check-prefix=OK
// RUN: fa-run --target=cpu %s --arg=5:%t.npy --heads=2 --batch=2 --seq-q=150 --level=naive --check | FileCheck %s --check-prefix=OK
// RUN: fa-translate %s --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
//
// OK: 600 of 600 rows against the fp64 reference: PASS
// PTX: .visible .entry documents(

func.func @documents(%Q: tensor<?x?x?x64xf16>, %K: tensor<?x?x?x64xf16>,
                     %V: tensor<?x?x?x64xf16>, %O: tensor<?x?x?x64xf16>,
                     %LSE: tensor<?x?x?xf32>, %ids: tensor<?x?xi32>)
    -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      outs(%O, %LSE : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal>
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %mine = tensor.extract %ids[%b, %i] : tensor<?x?xi32>
        %its = tensor.extract %ids[%b, %j] : tensor<?x?xi32>
        %sees = arith.cmpi eq, %mine, %its : i32
        fa.yield %sees : i1
      } -> tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
