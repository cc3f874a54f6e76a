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
       a 1-D vector and a row statistic a scalar.
     - `fa.scores` and `fa.accumulate` become products blocked by registers:
       mr x nr accumulators in a loop over the contracted dimension. Q is
       converted to f32 once for each query tile, K transposed and V converted
       once for each key tile; rows past the end become zeros.

    Preconditions: no `fa.softmax`, `fa.online_softmax` or `fa.finish`
    (`fa-expand-softmax`); no row-wise op other than those of `arith` and `math`
    that work element by element, `vector.broadcast`, `vector.shape_cast`,
    `vector.step`, `vector.multi_reduction` along the columns, `vector.gather`
    and `vector.transfer_write`. Anything else on a tile is an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fa::FADialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
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

    Precondition: functions in destination style, without results.
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
    polynomials (`math-polynomial-approximation`), and bf16 conversions are done
    on bits, so that every host rounds alike (`arith-expand`).

    What has no expansion (for example `math.cbrt`) is left for the C library.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // FA_CONVERSION_PASSES_TD
