//===- Passes.td - From tiles to machine code --------------*- tablegen -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_PASSES_TD
#define FA_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FATilesToLoopsPass : Pass<"fa-tiles-to-loops", "::mlir::func::FuncOp"> {
  let summary = "tile values to scratch buffers and loops (CPU)";
  let description = [{
    Rewrites the tile program inside each loop nest that carries an
    `fa.schedule`:

     - A tile value that is used beyond the run of row-wise ops that makes it
       becomes a buffer of f32 on the stack; a tile that a loop carries becomes
       one buffer that is updated in place.
     - A run of row-wise ops (`arith`, `math`, `vector` ops between two
       products) becomes one loop over the rows of the tile, in which a tile is
       a 1-D vector and a row statistic a scalar. A vector over the columns,
       which is broadcast to the rows, is read from its buffer.
     - `fa.scores` and `fa.accumulate` become products blocked by registers:
       mr x nr accumulators in a loop over the contracted dimension. Q is
       converted to f32 once for each query tile, K transposed and V converted
       once for each key tile; rows past the end become zeros. With
       `transposed` the left operand is read as it is, column by column.

    Preconditions: no `fa.softmax`, `fa.online_softmax` or `fa.finish`
    (`fa-expand-softmax`); no row-wise op other than those of `arith` and `math`
    that work element by element, `vector.broadcast`, `vector.shape_cast`,
    `vector.step`, `vector.multi_reduction` along the columns, `vector.gather`,
    `vector.transfer_read` and `vector.transfer_write`. Anything else on a tile
    is an error, as is a nest that is not for the CPU. Q is read once, where its
    memref is made: nothing in the nest may write it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fa::FADialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FAOutlineStepsPass : Pass<"fa-outline-steps", "::mlir::ModuleOp"> {
  let summary = "a function of several loop nests to a function for each (CPU)";
  let description = [{
    A function that is a sequence of nests with a name (`fa.step`), each of which
    needs all of the one before,

    ```mlir
    func.func @f(%Q: memref<...>, ...) {
      %delta = memref.alloc(...) : memref<?x?x?xf32>
      scf.forall ... {fa.step = "delta"}
      scf.forall ... {fa.step = "dq"}
      memref.dealloc %delta : memref<?x?x?xf32>
      return
    }
    ```

    becomes a function for each and one that says how many bytes of scratch, which
    the caller provides, they hand on to each other:

    ```mlir
    func.func @f_delta(%Q: memref<...>, ..., %scratch: memref<?xi8>)
    func.func @f_dq(%Q: memref<...>, ..., %scratch: memref<?xi8>)
    func.func @f_scratch(%Q: memref<...>, ...) -> i64
        attributes {fa.steps = ["f_delta", "f_dq"], llvm.emit_c_interface}
    ```

    Other functions are left alone.

    Preconditions: none; no other function may have the names of the new ones.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fa::FADialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def FAOutlineBlocksPass : Pass<"fa-outline-blocks", "::mlir::ModuleOp"> {
  let summary = "the parallel loops of a kernel to a range of blocks (CPU)";
  let description = [{
    Gives each kernel the calling convention of the CPU. A function

    ```mlir
    func.func @f(%Q: memref<...>, ...) {
      scf.forall (%b, %h, %i) in (%B, %H, %Tr) { ... }
      return
    }
    ```

    becomes two, both with a C interface:

    ```mlir
    func.func @f_blocks(%Q: memref<...>, ...) -> i64       // B * H * Tr
    func.func @f(%Q: memref<...>, ..., %begin: i64, %end: i64) {
      scf.for %block = %begin to %end { ... }              // b, h, i from %block
      return
    }
    ```

    Blocks are independent of each other, so that ranges may run on any number
    of threads, in any order. A function that is not of this form (the naive
    level) is one block.

    Private functions are left alone, and so is @f_scratch of `fa-outline-steps`.
    The stack buffers of a block are moved out
    of the loop over blocks, which all use them.

    Preconditions: functions in destination style, without results, that are not
    called in the module.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def FAExpandMathPass : Pass<"fa-expand-math", "::mlir::func::FuncOp"> {
  let summary = "math functions to arithmetic, so that no library is called";
  let description = [{
    exp2 on f32 becomes a polynomial of degree 6 around the nearest integer n,
    times 2^n built from bits: at most 1 ulp of error, results below 2^-125
    flushed to zero, NaN and infinities kept. Other functions take upstream's
    polynomials (`math-polynomial-approximation`) or are made of these, and bf16 conversions are done
    on bits, so that every host rounds alike (`arith-expand`).

    What has no expansion (functions of f64) is left for the C library, integer
    powers for `convert-math-to-funcs`.

    Preconditions: none, and so no diagnostic.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// GPU
//===----------------------------------------------------------------------===//

def FADistributePass : Pass<"fa-distribute", "::mlir::func::FuncOp"> {
  let summary = "tile values to the values of one thread (GPU)";
  let description = [{
    Rewrites the program of a row group on tiles as that of one of its threads.
    A tile [R, N] becomes a vector of the N/2 elements that the thread holds in the
    fragment order of mma.sync and wgmma, a row statistic a vector of 2;
    `fa.scores` and `fa.accumulate` become `fagpu.dot`; `fa.rescale`, where it is
    rarely needed, a branch that a warp takes if one of its rows needs it. A
    reduction along the
    columns is a local one and, for the maximum, two shuffles within four lanes;
    a sum stays spread over the lanes as long as it is only scaled and added to,
    and is reduced where it is used.

    Preconditions: `fa-promote-to-sram` and a schedule of it, `fa-expand-softmax`;
    R is 16 times the warps of a row group.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fagpu::FAGPUDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FAOutlineKernelPass : Pass<"fa-outline-kernel", "::mlir::func::FuncOp"> {
  let summary = "a loop nest to the program of a block (GPU)";
  let description = [{
    The parallel loops over batch, head and query tile become the linear number
    of the block; with a mask the longest tiles come first. The function gets
    `fa.kernel`, a dictionary of what the caller must know (the launch contract),
    and keeps `fa.schedule` and `fa.target`. Divisions of sizes, and on sm_90a
    the counters of loops, become of 32 bits: they number heads, rows and tiles,
    which are fewer than 2^31. What a region divides of its own stays as it is.

    Preconditions: a function of Q, K, V, O, LSE and of tables and numbers that
    regions read, which is one nest, after `fa-plan-sram`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ConvertFAGPUToNVVMPass : Pass<"convert-fagpu-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "tiles, rings and products to NVVM (GPU)";
  let description = [{
    Lowers `fagpu` and the few `gpu` ops to NVVM ops and inline PTX. Tiles in SRAM
    become 32-bit addresses. For each argument that is loaded by the tensor
    memory accelerator a tensor map is appended to the arguments, and its recipe
    to `fa.kernel`. A whole tile whose columns fill its chunks is moved in one box,
    others in a box a chunk.

    On sm_90a one thread initialises all barriers and prefetches the tensor maps
    before the roles part. The number of the row group comes from `redux.sync`,
    which puts it, and so what is computed from it, in uniform registers.

    Preconditions: `fa-outline-kernel`, `fa-distribute`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def FAUnrollElementwisePass
    : Pass<"fa-unroll-elementwise", "::mlir::func::FuncOp"> {
  let summary = "chains of ops on fragments, one element after another (GPU)";
  let description = [{
    A chain of element-wise ops on the vectors of a thread, and of reads of
    tables at vectors of positions, becomes the same chain on one element, for
    each element in turn: the temporaries that are alive at a time are those of
    one element instead of those of a tile. Only chains with a function that
    takes many instructions, with a read of a table, or with more than twelve
    ops: a score function or a mask of the user's. What is shorter is left to
    the assembler.

    ```mlir
    %x = math.tanh %s : vector<32xf32>
    %y = arith.mulf %x, %cap : vector<32xf32>
    // becomes
    %s_0 = vector.extract %s[0] : f32 from vector<32xf32>
    %x_0 = math.tanh %s_0 : f32
    %y_0 = arith.mulf %x_0, %cap_0 : f32
    ...
    %y = vector.from_elements %y_0, ... : vector<32xf32>
    ```

    Preconditions: none, and so no diagnostic.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FAExpandMathGPUPass : Pass<"fa-expand-math-gpu", "::mlir::func::FuncOp"> {
  let summary = "math functions to PTX instructions, without libdevice (GPU)";
  let description = [{
    exp2 becomes `ex2.approx.ftz.f32` (2 ulp), log `lg2.approx.ftz.f32` times
    ln 2, tanh these and `rcp.approx.ftz.f32`, conversions to f16 and bf16
    `cvt.rn.f16x2.f32` and `cvt.rn.bf16x2.f32` on pairs. Other functions are made
    of these, or take upstream's polynomials, integer powers are multiplications.
    The errors are in docs/Spec.md. What is left would need a library and is an
    error: functions of f64.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def FAFinalizeKernelPass : Pass<"fa-finalize-kernel", "::mlir::ModuleOp"> {
  let summary = "entry, thread bound and tensor maps of a kernel (GPU)";
  let description = [{
    Gives an `llvm.func` with `fa.kernel` the attributes from which LLVM makes a
    PTX entry: `nvvm.kernel`, `nvvm.maxntid`, and for tensor maps `llvm.byval` with
    `nvvm.grid_constant`.

    Preconditions: the LLVM dialect.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif // FA_CONVERSION_PASSES_TD
