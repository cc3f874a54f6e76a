//===- Problem.h - An attention problem from flags --------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes, type and mask of one attention problem, gathered from flags, from
// a function in a .mlir file and from the shapes of arrays; and the module that
// states the problem in the fa dialect.
//
//===----------------------------------------------------------------------===//

#ifndef FA_SUPPORT_PROBLEM_H
#define FA_SUPPORT_PROBLEM_H

#include "fa/IR/FA.h"
#include "fa/Runtime/DType.h"
#include "fa/Runtime/Reference.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <optional>
#include <string>

namespace mlir::fa {

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

/// Which keys a query sees; the fields of `#fa.mask`.
struct MaskSpec {
  MaskKind kind = MaskKind::None;
  int64_t left = -1;
  int64_t right = -1;
  MaskAlign align = MaskAlign::BottomRight;

  bool operator==(const MaskSpec &other) const = default;

  /// Reads none, causal, causal-top-left or window:L,R.
  static llvm::Expected<MaskSpec> parse(StringRef text);
  static MaskSpec get(MaskAttr attr);

  MaskAttr getAttr(MLIRContext *context) const;
  /// The same band for the reference.
  fart::Band getBand() const;
  /// The inverse of parse.
  std::string str() const;
};

/// Everything that distinguishes one attention problem from another, but its
/// regions.
struct AttentionProblem {
  int64_t batch = 1;
  int64_t heads = 8;
  int64_t kvHeads = 8;
  int64_t seqQ = 512;
  int64_t seqKV = 512;
  int64_t headDim = 64;
  int64_t headDimV = 64;
  fart::DType dtype = fart::DType::F32;
  MaskSpec mask;
  std::optional<float> scale;
  bool lse = true;       ///< Whether LSE is wanted beside O.
  bool backward = false; ///< The gradients of Q, K and V, of dO
  bool lseGrad = false;  ///< and of dLSE.

  /// Fails with one message if a size is not positive, if the query heads are
  /// no multiple of the key/value heads, or if a tensor does not fit in 63
  /// bits.
  llvm::Error validate() const;

  std::vector<int64_t> getQueryShape() const;
  std::vector<int64_t> getKeyShape() const;
  std::vector<int64_t> getValueShape() const;
  std::vector<int64_t> getOutputShape() const;
  std::vector<int64_t> getLseShape() const;

  /// The scale given, or 1/sqrt(head dim).
  float getScaleOrDefault() const;
  /// Floating-point operations of the products over visible keys: two, and in
  /// backward five (what a kernel computes twice counts once).
  double getFlops() const;
};

/// The problem in the fa dialect: one function in destination style, @attention
/// of Q, K, V, O and LSE if it is wanted, or @attention_backward of Q, K, V, O,
/// dO, LSE, dLSE if the problem has it, dQ, dK and dV. Head dims are static,
/// everything else is dynamic.
OwningOpRef<ModuleOp> buildProblem(MLIRContext *context,
                                   const AttentionProblem &problem);

/// The builtin type of a runtime type, and back if it is a float.
Type getType(MLIRContext *context, fart::DType dtype);
std::optional<fart::DType> getDType(Type type);
/// The type of the elements of a table, which may be integers; an index is an
/// i64.
std::optional<fart::DType> getTableDType(Type type);

//===----------------------------------------------------------------------===//
// Where it comes from
//===----------------------------------------------------------------------===//

/// The sizes of a problem. The order is that of their flags.
enum class Size { Batch, Heads, KVHeads, SeqQ, SeqKV, HeadDim, HeadDimV };
constexpr size_t numSizes = 7;

/// A flag of the shape: its name without dashes, and help.
struct ProblemFlag {
  StringRef name;
  StringRef valueDesc;
  StringRef help;
};

/// All flags that `ProblemSpec::setFlag` knows: --batch to --scale.
ArrayRef<ProblemFlag> getProblemFlags();

/// A problem under construction. Several sources (flags, a function, arrays)
/// may each state some of it; where two disagree, the second one fails with a
/// message that names both.
class ProblemSpec {
public:
  /// States what the flag --`name`=`value` says.
  llvm::Error setFlag(StringRef name, StringRef value);
  /// States that `size` is `value`, according to `source`.
  llvm::Error setSize(Size size, int64_t value, StringRef source);
  llvm::Error setDType(fart::DType dtype, StringRef source);
  /// States mask and scale, according to `source`.
  llvm::Error setMask(const MaskSpec &mask, StringRef source);
  llvm::Error setScale(float scale, StringRef source);
  /// States that the problem is one of gradients, or has a gradient of LSE.
  void setBackward() { backward = true; }
  void setLseGrad() { lseGrad = true; }
  /// States that LSE is not wanted.
  void setNoLse() { lse = false; }
  /// States the sizes of a tensor whose dimensions are `sizes`; a negative
  /// (dynamic) extent says nothing.
  llvm::Error setShape(ArrayRef<int64_t> shape, ArrayRef<Size> sizes,
                       StringRef source);

  /// What is known so far.
  std::optional<fart::DType> getDType() const;
  bool isBackward() const { return backward; }

  /// Fills the rest with defaults and validates: key/value heads as the query
  /// heads, keys as queries, the head dim of V as that of Q.
  llvm::Expected<AttentionProblem> resolve() const;

private:
  template <typename T>
  struct Stated {
    T value;
    std::string source;
  };
  /// Sets `slot`, or fails if it holds something else.
  template <typename T, typename PrintFn>
  llvm::Error state(std::optional<Stated<T>> &slot, T value, StringRef what,
                    StringRef source, PrintFn print);

  std::array<std::optional<Stated<int64_t>>, numSizes> sizes;
  std::optional<Stated<fart::DType>> dtype;
  std::optional<Stated<MaskSpec>> mask;
  std::optional<Stated<float>> scale;
  bool backward = false, lseGrad = false, lse = true;
};

/// Reads a positive integer for the flag --`name`.
llvm::Expected<int64_t> parsePositive(StringRef name, StringRef text);

} // namespace mlir::fa

#endif // FA_SUPPORT_PROBLEM_H
