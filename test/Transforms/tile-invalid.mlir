// RUN: fa-opt %s --fa-tile -split-input-file -verify-diagnostics

func.func @tensors(%Q: tensor<1x1x?x16xf32>, %LSE: tensor<1x1x?xf32>) -> tensor<1x1x?x16xf32> {
  // expected-error @+1 {{expected memrefs but got tensors; run fa-bufferize first}}
  %r:2 = fa.attention ins(%Q, %Q, %Q : tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>)
      outs(%Q, %LSE : tensor<1x1x?x16xf32>, tensor<1x1x?xf32>) -> tensor<1x1x?x16xf32>, tensor<1x1x?xf32>
  return %r#0 : tensor<1x1x?x16xf32>
}

// -----

func.func @no_schedule(%Q: memref<1x1x?x16xf32>, %LSE: memref<1x1x?xf32>) {
  // expected-error @+1 {{expected a schedule and a target; run fa-select-schedule first}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x16xf32>, memref<1x1x?x16xf32>, memref<1x1x?x16xf32>)
      outs(%Q, %LSE : memref<1x1x?x16xf32>, memref<1x1x?xf32>)
      {target = #fa.target<"cpu", sram = 65536, vector_bits = 256>}
  return
}

// -----

func.func @no_target(%Q: memref<1x1x?x16xf32>, %LSE: memref<1x1x?xf32>) {
  // expected-error @+1 {{expected a schedule and a target; run fa-select-schedule first}}
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x16xf32>, memref<1x1x?x16xf32>, memref<1x1x?x16xf32>)
      outs(%Q, %LSE : memref<1x1x?x16xf32>, memref<1x1x?xf32>)
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>}
  return
}

// -----

// A table that is still a tensor, read at positions...
func.func @tensor_table(%Q: memref<1x1x?x16xf32>, %LSE: memref<1x1x?xf32>, %table: tensor<?xf32>) {
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x16xf32>, memref<1x1x?x16xf32>, memref<1x1x?x16xf32>)
      outs(%Q, %LSE : memref<1x1x?x16xf32>, memref<1x1x?xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        // expected-error @+1 {{expected an op that works element by element, or a read of a memref, to apply to a tile but got 'tensor.extract'}}
        %x = tensor.extract %table[%j] : tensor<?xf32>
        fa.yield %x : f32
      }
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>,
       target = #fa.target<"cpu", sram = 65536, vector_bits = 256>}
  return
}

// -----

// ... or at the same place for the whole tile.
func.func @tensor_table_of_head(%Q: memref<1x1x?x16xf32>, %LSE: memref<1x1x?xf32>, %table: tensor<?xi1>) {
  fa.attention ins(%Q, %Q, %Q : memref<1x1x?x16xf32>, memref<1x1x?x16xf32>, memref<1x1x?x16xf32>)
      outs(%Q, %LSE : memref<1x1x?x16xf32>, memref<1x1x?xf32>)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        // expected-error @+1 {{expected an op that works element by element, or a read of a memref, to apply to a tile but got 'tensor.extract'}}
        %x = tensor.extract %table[%h] : tensor<?xi1>
        fa.yield %x : i1
      }
      {schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>,
       target = #fa.target<"cpu", sram = 65536, vector_bits = 256>}
  return
}
