//===- UnrollElementwise.cpp - Chains of ops, one element after another ---===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread holds a tile as a vector of N/2 elements, one register each. A chain
// of element-wise ops on vectors,
//
//   b = f(a);  c = g(b, x);  d = h(c)
//
// is generated op by op, each for all elements, so that the temporaries of a
// whole tile are alive at a time. Here it becomes
//
//   d = [h(g(f(a[0]), x[0])), h(g(f(a[1]), x[1])), ...]
//
// whose temporaries are those of one element.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAUNROLLELEMENTWISEPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Elements of a 1-D vector, or 0.
static int64_t getLength(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable()
             ? vector.getDimSize(0)
             : 0;
}

/// A read of one element of a table for each element of the result.
static bool isFullGather(Operation *op) {
  auto gather = dyn_cast<vector::GatherOp>(op);
  return gather && isa<MemRefType>(gather.getBase().getType()) &&
         cast<MemRefType>(gather.getBase().getType()).getRank() == 1 &&
         matchPattern(gather.getMask(), m_One());
}

/// The length of the vectors that `op` works on element by element, or 0.
/// Conversions to 16 bits are left out: they are done in pairs.
static int64_t getChainLength(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1)
    return 0;
  int64_t length = getLength(op->getResult(0).getType());
  if (isFullGather(op))
    return length;
  if (!OpTrait::hasElementwiseMappableTraits(op) || !isMemoryEffectFree(op) ||
      isa<arith::TruncFOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  return llvm::all_of(op->getOperandTypes(),
                      [&](Type type) {
                        return !isa<VectorType>(type) ||
                               getLength(type) == length;
                      })
             ? length
             : 0;
}

/// Whether the op becomes more than a few instructions, with temporaries.
static bool isLong(Operation *op) {
  return isa<vector::GatherOp>(op) ||
         (isa_and_present<math::MathDialect>(op->getDialect()) &&
          !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
               math::Exp2Op, math::FloorOp, math::FmaOp, math::SqrtOp>(op));
}

namespace {
/// Consecutive ops of one length that work element by element, other than what
/// stands between them and needs none of their results.
class Chain {
public:
  bool isEmpty() const { return ops.empty(); }
  int64_t getLength() const { return length; }

  void add(Operation *op, int64_t opLength) {
    length = opLength;
    ops.push_back(op);
    results.insert(op->getResult(0));
  }

  /// Whether `op`, or an op in it, uses a result.
  bool isUsedBy(Operation *op) const {
    return op
        ->walk([&](Operation *nested) {
          return llvm::any_of(
                     nested->getOperands(),
                     [&](Value operand) { return results.contains(operand); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  bool isWorthIt() const {
    // Without a long op: the chain must be longer than that of a mask.
    return llvm::any_of(ops, isLong) || ops.size() > kMaskOps;
  }

  /// Writes the chain before `next`, and forgets it.
  void unroll(Operation *next);
  void clear() { *this = Chain(); }

private:
  static constexpr size_t kMaskOps = 12;

  Value getElement(OpBuilder &builder, Value vector, int64_t index);

  int64_t length = 0;
  SmallVector<Operation *> ops;
  llvm::SmallDenseSet<Value> results;
  DenseMap<Value, Value> elements; ///< Of the element that is being written.
};
} // namespace

/// Element `index` of `vector`, from where the vector is made if that is known.
Value Chain::getElement(OpBuilder &builder, Value vector, int64_t index) {
  if (!isa<VectorType>(vector.getType()))
    return vector;
  if (Value element = elements.lookup(vector))
    return element;
  Location loc = vector.getLoc();
  if (DenseElementsAttr constant; matchPattern(vector, m_Constant(&constant)))
    return arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(constant.getValues<Attribute>()[index]));
  if (auto broadcast = vector.getDefiningOp<vector::BroadcastOp>();
      broadcast && !isa<VectorType>(broadcast.getSourceType()))
    return broadcast.getSource();
  if (auto shuffle = vector.getDefiningOp<vector::ShuffleOp>()) {
    int64_t from = shuffle.getMask()[index];
    int64_t first = shuffle.getV1VectorType().getDimSize(0);
    if (from >= 0)
      return getElement(builder,
                        from < first ? shuffle.getV1() : shuffle.getV2(),
                        from < first ? from : from - first);
  }
  if (auto pack = vector.getDefiningOp<vector::FromElementsOp>())
    return pack.getElements()[index];
  return vector::ExtractOp::create(builder, loc, vector, index);
}

void Chain::unroll(Operation *next) {
  OpBuilder builder(next);
  // Results that something outside of the chain uses.
  SmallVector<Operation *> outputs;
  for (Operation *op : ops)
    if (llvm::any_of(op->getUsers(), [&](Operation *user) {
          return user->getNumResults() != 1 ||
                 !results.contains(user->getResult(0));
        }))
      outputs.push_back(op);
  SmallVector<SmallVector<Value>> outputElements(outputs.size());
  for (int64_t index = 0; index < length; ++index) {
    elements.clear();
    for (Operation *op : ops) {
      Value element;
      if (auto gather = dyn_cast<vector::GatherOp>(op)) {
        Value at = getElement(builder, gather.getIndices(), index);
        if (!at.getType().isIndex())
          at = arith::IndexCastOp::create(builder, op->getLoc(),
                                          builder.getIndexType(), at);
        Value offset = arith::AddIOp::create(builder, op->getLoc(),
                                             gather.getOffsets()[0], at);
        element = memref::LoadOp::create(builder, op->getLoc(),
                                         gather.getBase(), offset);
      } else {
        SmallVector<Value> operands;
        for (Value operand : op->getOperands())
          operands.push_back(getElement(builder, operand, index));
        OperationState state(op->getLoc(), op->getName(), operands,
                             getElementTypeOrSelf(op->getResult(0).getType()),
                             op->getDiscardableAttrDictionary().getValue());
        state.propertiesAttr = op->getPropertiesAsAttribute();
        element = builder.create(state)->getResult(0);
      }
      elements[op->getResult(0)] = element;
    }
    for (auto [op, list] : llvm::zip_equal(outputs, outputElements))
      list.push_back(elements[op->getResult(0)]);
  }
  for (auto [op, list] : llvm::zip_equal(outputs, outputElements)) {
    Value result = op->getResult(0);
    result.replaceAllUsesWith(vector::FromElementsOp::create(
        builder, op->getLoc(), result.getType(), list));
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  clear();
}

static void unrollBlock(Block &block) {
  Chain chain;
  auto finish = [&](Operation *next) {
    if (!chain.isEmpty() && chain.isWorthIt())
      chain.unroll(next);
    chain.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    int64_t length = getChainLength(&op);
    // A chain may be written later than it stood, but not past a write to
    // what it reads.
    bool mayWrite = !isMemoryEffectFree(&op) && !isFullGather(&op) &&
                    !isa<memref::LoadOp>(op);
    if (!chain.isEmpty() &&
        (mayWrite || op.hasTrait<OpTrait::IsTerminator>() ||
         (length ? length != chain.getLength() && chain.isUsedBy(&op)
                 : chain.isUsedBy(&op))))
      finish(&op);
    if (length && (chain.isEmpty() || chain.getLength() == length))
      chain.add(&op, length);
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        unrollBlock(nested);
  }
}

namespace {
struct UnrollElementwise
    : public fa::impl::FAUnrollElementwisePassBase<UnrollElementwise> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      unrollBlock(block);
  }
};
} // namespace
