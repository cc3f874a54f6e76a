// RUN: fa-opt %s --fa-tile-backward -split-input-file -verify-diagnostics

!M = tensor<?x?x?x64xf32>
!LSE = tensor<?x?x?xf32>
func.func @tensors(%Q: !M, %LSE: !LSE) {
  // expected-error @+1 {{expected memrefs but got tensors; run fa-bufferize first}}
  %r:3 = fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %LSE : !M, !M, !M, !M, !M, !LSE) outs(%Q, %Q, %Q : !M, !M, !M) -> !M, !M, !M
  return
}

// -----

!M = memref<?x?x?x64xf32>
!LSE = memref<?x?x?xf32>
func.func @no_schedule(%Q: !M, %LSE: !LSE, %dQ: !M, %dK: !M, %dV: !M) {
  // expected-error @+1 {{expected a schedule and a target; run fa-select-schedule first}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %LSE : !M, !M, !M, !M, !M, !LSE) outs(%dQ, %dK, %dV : !M, !M, !M)
  return
}

// -----

!M = memref<?x?x?x64xf32>
!LSE = memref<?x?x?xf32>
func.func @no_derivative(%Q: !M, %LSE: !LSE, %dQ: !M, %dK: !M, %dV: !M) {
  // expected-error @+1 {{expected a derivative region beside the score region; run fa-differentiate-score first}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %LSE : !M, !M, !M, !M, !M, !LSE) outs(%dQ, %dK, %dV : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>, target = #fa.target<"cpu", sram = 1048576, vector_bits = 128>}
  return
}

// -----

!M = memref<?x?x?x64xf32>
!LSE = memref<?x?x?xf32>
func.func @table_of_tensor(%Q: !M, %LSE: !LSE, %dQ: !M, %dK: !M, %dV: !M, %table: tensor<?xf32>) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %LSE : !M, !M, !M, !M, !M, !LSE) outs(%dQ, %dK, %dV : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        // expected-error @+1 {{expected an op that works element by element, or a read of a memref, to apply to a tile but got 'tensor.extract'}}
        %x = tensor.extract %table[%i] : tensor<?xf32>
        %t = arith.addf %s, %x : f32
        fa.yield %t : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = arith.constant 1.0 : f32
        fa.yield %t : f32
      }
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>, target = #fa.target<"cpu", sram = 1048576, vector_bits = 128>}
  return
}
