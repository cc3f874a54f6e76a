//===- FADialect.td - The fa dialect -----------------------*- tablegen -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_IR_FADIALECT_TD
#define FA_IR_FADIALECT_TD

include "mlir/IR/DialectBase.td"

def FA_Dialect : Dialect {
  let name = "fa";
  let cppNamespace = "::mlir::fa";
  let summary = "attention and the steps of the FlashAttention loop nest";
  let description = [{
    The dialect has two floors.

    `fa.attention` is the *problem*: softmax(scale * Q K^T) V with its mask,
    its optional score function, and the log-sum-exp of each row. It is in
    destination style and lives on tensors or memrefs.

    The *tile ops* are the lines of Algorithm 1 of FlashAttention (Dao et al.,
    2022) for one query tile of B_r rows and one key tile of B_c rows:

    | Algorithm 1                                | op                  |
    |--------------------------------------------|---------------------|
    | S_ij = Q_i K_j^T                           | `fa.scores`         |
    | m_ij, P_ij, l_ij, the new m_i and l_i, and the factor e^{m_i - m_i^new} | `fa.online_softmax` |
    | O_i = diag(e^{m_i - m_i^new}) O_i + P_ij V_j | `fa.accumulate`   |
    | diag(l_i)^{-1} O_i and LSE_i = m_i + log l_i | `fa.finish`       |

    `fa.softmax` is the step of the two-pass nest, in which the row maximum is
    already known; `fa-fuse-online-softmax` turns it into `fa.online_softmax`.

    A tile in registers is a builtin 2-D `vector`, a statistic of its rows a
    1-D `vector`. The matrix operands of the two products may also be memrefs,
    which are read where the op stands. Everything between the products (score
    functions, masks) is ordinary `arith`, `math` and `vector` code.

    Numeric conventions: scores, softmax state and accumulators are f32. P is
    rounded to the element type of V before the product with V. The running
    maximum starts at -inf, and a row without a visible key gives O = 0 and
    LSE = -inf. No op carries `nnan` or `ninf`: -inf is a value here.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Names under which a loop nest carries its schedule and target.
    static StringRef getScheduleAttrName() { return "fa.schedule"; }
    static StringRef getTargetAttrName() { return "fa.target"; }
    /// The name of a step, where a function is several loop nests.
    static StringRef getStepAttrName() { return "fa.step"; }
    /// The functions of the steps in order, on the one that sizes their scratch.
    static StringRef getStepsAttrName() { return "fa.steps"; }
    /// What the caller of a GPU kernel must know (a dictionary).
    static StringRef getKernelAttrName() { return "fa.kernel"; }
    /// The problem that a loop nest solves (a dictionary), for the caller.
    static StringRef getProblemAttrName() { return "fa.problem"; }

  private:
    void registerAttributes();

  public:
  }];
}

#endif // FA_IR_FADIALECT_TD
