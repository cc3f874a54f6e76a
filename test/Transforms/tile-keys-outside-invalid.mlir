// RUN: fa-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(fa-select-schedule,fa-tile{keys-outside=true}))'

func.func @region(%Q: memref<?x?x?x16xf32>, %K: memref<?x?x?x16xf32>, %V: memref<?x?x?x16xf32>,
                  %O: memref<?x?x?x16xf32>, %LSE: memref<?x?x?xf32>) {
  // expected-error @+1 {{expected no score or mask region with the loop over keys outside}}
  fa.attention
      ins(%Q, %K, %V : memref<?x?x?x16xf32>, memref<?x?x?x16xf32>, memref<?x?x?x16xf32>)
      outs(%O, %LSE : memref<?x?x?x16xf32>, memref<?x?x?xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
  return
}

// -----

func.func @gpu(%Q: memref<?x?x?x64xbf16>, %K: memref<?x?x?x64xbf16>, %V: memref<?x?x?x64xbf16>,
               %O: memref<?x?x?x64xbf16>, %LSE: memref<?x?x?xf32>) {
  // expected-error @+1 {{expected the CPU as target with the loop over keys outside but got sm_80}}
  fa.attention
      ins(%Q, %K, %V : memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
      outs(%O, %LSE : memref<?x?x?x64xbf16>, memref<?x?x?xf32>)
      {schedule = #fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>,
       target = #fa.target<"sm_80", sram = 166912>}
  return
}
