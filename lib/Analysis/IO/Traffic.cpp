//===- Traffic.cpp - Bytes of HBM, counted from IR ------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/Traffic.h"

#include "SizeFormulas.h"
#include "fa/IR/FA.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;
using fart::Formula;

Formula Traffic::getRead() const {
  Formula sum;
  for (const OpTraffic &traffic : ops)
    if (!traffic.isWrite)
      sum += traffic.bytes;
  return sum;
}

Formula Traffic::getWritten() const {
  Formula sum;
  for (const OpTraffic &traffic : ops)
    if (traffic.isWrite)
      sum += traffic.bytes;
  return sum;
}

namespace {
/// Walks a function from the outside in. `ops` is what the region at hand moves
/// in one iteration of what is around it.
class Counter {
public:
  Counter(FunctionOpInterface func,
          function_ref<void(Operation *op, const Twine &message)> report)
      : sizes(func), report(report) {}

  /// Finds the views that products read, then counts.
  FailureOr<Traffic> count(FunctionOpInterface func);

private:
  using Ops = SmallVector<OpTraffic>;

  LogicalResult countRegion(Region &region, Ops &ops);
  LogicalResult countOp(Operation *op, Ops &ops);
  LogicalResult countFor(scf::ForOp loop, Ops &ops);
  LogicalResult countForall(scf::ForallOp loop, Ops &ops);
  LogicalResult countIf(scf::IfOp branch, Ops &ops);
  LogicalResult countSpecialize(fagpu::SpecializeOp split, Ops &ops);
  LogicalResult countStep(linalg::LinalgOp step, Ops &ops);
  template <typename TransferOp>
  LogicalResult countTransfer(TransferOp op, Value memref, Ops &ops);

  /// The whole of `memref`.
  LogicalResult add(Operation *op, Value memref, bool isWrite, Ops &ops);
  /// Rows from `row` on of a tile of `rows` x `columns`, as far as `memref`, of
  /// rank 4, has them.
  LogicalResult addRows(Operation *op, Value memref, Value row, int64_t rows,
                        int64_t columns, bool isWrite, Ops &ops);
  LogicalResult addBytes(Operation *op, Value memref,
                         std::optional<Formula> elements, bool isWrite,
                         Ops &ops);
  LogicalResult fail(Operation *op, const Twine &expected);
  /// `base`, or with a number if that counts a loop around this one.
  std::string openLoop(StringRef base);
  void closeLoop() { loops.pop_back(); }

  SizeFormulas sizes;
  function_ref<void(Operation *op, const Twine &message)> report;
  DenseSet<Operation *> tileViews;
  SmallVector<std::string> loops; ///< Names of the loops around.
};
} // namespace

/// Whether `memref` is in HBM.
static bool isInHBM(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && !type.getMemorySpace();
}

/// The view of a tile that a product reads by way of `operand`: the first one
/// with two dimensions. The rows of a row group are a view of those of its
/// block.
static memref::SubViewOp findTileView(Value operand) {
  memref::SubViewOp tile;
  while (true) {
    if (auto cast = operand.getDefiningOp<memref::CastOp>()) {
      operand = cast.getSource();
      continue;
    }
    auto view = operand.getDefiningOp<memref::SubViewOp>();
    if (!view || view.getType().getRank() != 2)
      return tile;
    tile = view;
    operand = view.getSource();
  }
}

static SmallVector<Value> getMatrices(Operation *op) {
  if (auto scores = dyn_cast<ScoresOp>(op))
    return {scores.getQuery(), scores.getKey()};
  if (auto accumulate = dyn_cast<AccumulateOp>(op))
    return {accumulate.getValue()};
  return {};
}

//===----------------------------------------------------------------------===//
// What one op moves
//===----------------------------------------------------------------------===//

LogicalResult Counter::fail(Operation *op, const Twine &expected) {
  report(op, "expected " + expected + " to count the bytes of HBM");
  return failure();
}

LogicalResult Counter::addBytes(Operation *op, Value memref,
                                std::optional<Formula> elements, bool isWrite,
                                Ops &ops) {
  if (!elements)
    return fail(op, "a tile whose size follows from those of the function");
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  ops.push_back({op, sizes.getTensor(memref), isWrite, bytes * *elements});
  return success();
}

LogicalResult Counter::add(Operation *op, Value memref, bool isWrite,
                           Ops &ops) {
  return addBytes(op, memref, sizes.getNumElements(memref), isWrite, ops);
}

LogicalResult Counter::addRows(Operation *op, Value memref, Value row,
                               int64_t rows, int64_t columns, bool isWrite,
                               Ops &ops) {
  std::optional<Formula> end = sizes.getDim(memref, 2), begin = sizes.get(row);
  if (!end || !begin)
    return addBytes(op, memref, std::nullopt, isWrite, ops);
  Formula left = Formula::max(0, Formula::min(rows, *end - *begin));
  return addBytes(op, memref, columns * left, isWrite, ops);
}

template <typename TransferOp>
LogicalResult Counter::countTransfer(TransferOp op, Value memref, Ops &ops) {
  constexpr bool isWrite = std::is_same_v<TransferOp, vector::TransferWriteOp>;
  if (!op.getPermutationMap().isMinorIdentity() || op.getMask())
    return fail(op, "a transfer along the last dimensions, without a mask,");
  Formula elements = 1;
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  int64_t leading = rank - op.getVectorType().getRank();
  for (int64_t dim = leading; dim < rank; ++dim) {
    int64_t extent = op.getVectorType().getDimSize(dim - leading);
    if (op.isDimInBounds(dim - leading)) {
      elements = elements * extent;
      continue;
    }
    std::optional<Formula> end = sizes.getDim(memref, dim),
                           begin = sizes.get(op.getIndices()[dim]);
    if (!end || !begin)
      return addBytes(op, memref, std::nullopt, isWrite, ops);
    // No extent is negative, but what is left of it past `begin` may be.
    Formula inside = Formula::min(extent, *end - *begin);
    elements =
        elements * (begin->isConstant(0) ? inside : Formula::max(0, inside));
  }
  return addBytes(op, memref, elements, isWrite, ops);
}

/// A step over whole matrices streams each operand once. What the body loads by
/// index is an operand too.
LogicalResult Counter::countStep(linalg::LinalgOp step, Ops &ops) {
  for (OpOperand &operand : step->getOpOperands()) {
    if (!isInHBM(operand.get()))
      continue;
    bool isWrite = step.isDpsInit(&operand);
    if (step.payloadUsesValueFromOperand(&operand) &&
        failed(add(step, operand.get(), /*isWrite=*/false, ops)))
      return failure();
    if (isWrite && failed(add(step, operand.get(), /*isWrite=*/true, ops)))
      return failure();
  }
  SetVector<Value> tables;
  step->walk([&](memref::LoadOp load) {
    if (isInHBM(load.getMemRef()))
      tables.insert(load.getMemRef());
  });
  for (Value table : tables)
    if (failed(add(step, table, /*isWrite=*/false, ops)))
      return failure();
  return success();
}

LogicalResult Counter::countOp(Operation *op, Ops &ops) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::ForOp>([&](auto loop) { return countFor(loop, ops); })
      .Case<scf::ForallOp>([&](auto loop) { return countForall(loop, ops); })
      .Case<scf::IfOp>([&](auto branch) { return countIf(branch, ops); })
      .Case<fagpu::SpecializeOp>(
          [&](auto split) { return countSpecialize(split, ops); })
      .Case<linalg::LinalgOp>([&](auto step) { return countStep(step, ops); })
      .Case<memref::SubViewOp>([&](memref::SubViewOp view) -> LogicalResult {
        if (!tileViews.contains(view))
          return success();
        return add(view, view.getResult(), /*isWrite=*/false, ops);
      })
      .Case<ScoresOp, AccumulateOp>([&](Operation *product) -> LogicalResult {
        // A matrix that is no view is read by the product itself.
        for (Value matrix : getMatrices(product))
          if (isInHBM(matrix) && !findTileView(matrix) &&
              failed(add(product, matrix, /*isWrite=*/false, ops)))
            return failure();
        return success();
      })
      .Case<fagpu::CopyOp, fagpu::CopyAsyncOp, fagpu::FillOp>([&](auto copy) {
        return add(copy, copy.getSource(), /*isWrite=*/false, ops);
      })
      .Case<fagpu::LoadOp>([&](fagpu::LoadOp load) {
        MemRefType tile = load.getRing().getType().getTile();
        return addRows(load, load.getSource(), load.getRow(),
                       tile.getDimSize(0), tile.getDimSize(1),
                       /*isWrite=*/false, ops);
      })
      .Case<fagpu::StoreTileOp>([&](fagpu::StoreTileOp store) {
        auto tile = cast<VectorType>(store.getValue().getType());
        return addRows(store, store.getTarget(), store.getRow(),
                       tile.getDimSize(0), tile.getDimSize(1),
                       /*isWrite=*/true, ops);
      })
      .Case<vector::TransferReadOp, vector::TransferWriteOp>(
          [&](auto transfer) -> LogicalResult {
            if (!isInHBM(transfer.getBase()))
              return success();
            return countTransfer(transfer, transfer.getBase(), ops);
          })
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        if (!isInHBM(access.getMemRef()))
          return success();
        return addBytes(access, access.getMemRef(), Formula(1),
                        isa<memref::StoreOp>(access), ops);
      })
      .Default([&](Operation *op) -> LogicalResult {
        // Whatever else touches HBM is not known here.
        bool touches = hasEffect<MemoryEffects::Read>(op) ||
                       hasEffect<MemoryEffects::Write>(op) ||
                       !isa<MemoryEffectOpInterface>(op);
        if (op->getNumRegions() == 0 &&
            !(touches && llvm::any_of(op->getOperands(), isInHBM)))
          return success();
        return fail(op, "ops of a level from naive to scheduled, and not '" +
                            op->getName().getStringRef() + "',");
      });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::string Counter::openLoop(StringRef base) {
  std::string name = base.str();
  for (int64_t n = 2; llvm::is_contained(loops, name); ++n)
    name = base.str() + std::to_string(n);
  loops.push_back(name);
  return name;
}

LogicalResult Counter::countRegion(Region &region, Ops &ops) {
  for (Block &block : region)
    for (Operation &op : block.without_terminator())
      if (failed(countOp(&op, ops)))
        return failure();
  return success();
}

LogicalResult Counter::countFor(scf::ForOp loop, Ops &ops) {
  std::optional<Formula> begin = sizes.get(loop.getLowerBound()),
                         end = sizes.get(loop.getUpperBound()),
                         step = sizes.get(loop.getStep());
  if (!begin || !end || !step)
    return fail(loop, "bounds that follow from the sizes of the function");
  std::string name = openLoop("j");
  Formula iteration = Formula::symbol(name),
          trips = Formula::ceilDiv(*end - *begin, *step);
  // A position that is carried to the next iteration, as it was made in the one
  // before.
  auto getCarried = [&](unsigned index, const Formula &number) {
    SizeFormulas before = sizes;
    before.bind(loop.getInductionVar(), *begin + *step * (number - 1));
    std::optional<Formula> init = sizes.get(loop.getInitArgs()[index]),
                           next = before.get(loop.getYieldedValues()[index]);
    return init && next
               ? std::optional(Formula::makeIf(number, 1, *init, *next))
               : std::nullopt;
  };
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    std::optional<Formula> inside = getCarried(index, iteration),
                           after = getCarried(index, trips);
    if (inside && after) {
      sizes.bind(argument, *inside);
      sizes.bind(loop.getResult(index), *after);
    }
  }
  sizes.bind(loop.getInductionVar(), *begin + *step * iteration);
  Ops body;
  if (failed(countRegion(loop.getRegion(), body)))
    return failure();
  closeLoop();
  for (OpTraffic &traffic : body) {
    traffic.bytes = Formula::makeSum(name, trips, traffic.bytes);
    ops.push_back(std::move(traffic));
  }
  return success();
}

LogicalResult Counter::countForall(scf::ForallOp loop, Ops &ops) {
  // Batch, head and query tile; or the row groups of a block.
  bool isGroups = loop.getMapping() && !loop.getMapping()->empty() &&
                  isa<gpu::GPUWarpgroupMappingAttr>((*loop.getMapping())[0]);
  static constexpr StringRef blockNames[] = {"b", "h", "i"};
  SmallVector<std::pair<std::string, Formula>> dims;
  SizeFormulas outside = sizes;
  for (auto [index, variable] : llvm::enumerate(loop.getInductionVars())) {
    std::optional<Formula> begin = sizes.get(loop.getMixedLowerBound()[index]),
                           end = sizes.get(loop.getMixedUpperBound()[index]),
                           step = sizes.get(loop.getMixedStep()[index]);
    if (!begin || !end || !step)
      return fail(loop, "bounds that follow from the sizes of the function");
    std::string name =
        openLoop(isGroups ? "g" : blockNames[std::min<size_t>(index, 2)]);
    sizes.bind(variable, *begin + *step * Formula::symbol(name));
    dims.emplace_back(name, Formula::ceilDiv(*end - *begin, *step));
  }
  Ops body;
  if (failed(countRegion(loop.getRegion(), body)))
    return failure();
  // The tiles that row groups share are read once: those of the last group,
  // which skips none of them.
  Ops last;
  if (isGroups) {
    sizes = outside;
    sizes.bind(loop.getInductionVars().front(), dims.front().second - 1);
    if (failed(countRegion(loop.getRegion(), last)))
      return failure();
  }
  for (auto [index, traffic] : llvm::enumerate(body)) {
    if (isGroups && isa<fagpu::FillOp>(traffic.op)) {
      ops.push_back(std::move(last[index]));
      continue;
    }
    for (auto &[name, trips] : llvm::reverse(dims))
      if (!isGroups || traffic.isWrite || traffic.bytes.uses(name))
        traffic.bytes = Formula::makeSum(name, trips, traffic.bytes);
    ops.push_back(std::move(traffic));
  }
  for (size_t i = 0; i < dims.size(); ++i)
    closeLoop();
  return success();
}

LogicalResult Counter::countIf(scf::IfOp branch, Ops &ops) {
  Ops then, otherwise;
  if (failed(countRegion(branch.getThenRegion(), then)) ||
      failed(countRegion(branch.getElseRegion(), otherwise)))
    return failure();
  if (then.empty() && otherwise.empty())
    return success();
  std::optional<Condition> condition =
      getCondition(sizes, branch.getCondition());
  if (!condition)
    return fail(branch, "a condition on sizes");
  for (OpTraffic &traffic : then) {
    traffic.bytes = condition->select(traffic.bytes, 0);
    ops.push_back(std::move(traffic));
  }
  for (OpTraffic &traffic : otherwise) {
    traffic.bytes = condition->select(0, traffic.bytes);
    ops.push_back(std::move(traffic));
  }
  return success();
}

LogicalResult Counter::countSpecialize(fagpu::SpecializeOp split, Ops &ops) {
  Ops consumer;
  if (failed(countRegion(split.getProducer(), ops)))
    return failure();
  std::string name = openLoop("g");
  split.getConsumer().walk([&](fagpu::GroupIdOp group) {
    sizes.bind(group.getResult(), Formula::symbol(name));
  });
  if (failed(countRegion(split.getConsumer(), consumer)))
    return failure();
  closeLoop();
  Formula groups = static_cast<int64_t>(split.getGroups());
  for (OpTraffic &traffic : consumer) {
    traffic.bytes = Formula::makeSum(name, groups, traffic.bytes);
    ops.push_back(std::move(traffic));
  }
  return success();
}

FailureOr<Traffic> Counter::count(FunctionOpInterface func) {
  func.walk([&](Operation *op) {
    for (Value matrix : getMatrices(op))
      if (isInHBM(matrix))
        if (memref::SubViewOp view = findTileView(matrix))
          tileViews.insert(view);
  });
  Traffic traffic;
  if (failed(countRegion(func.getFunctionBody(), traffic.ops)))
    return failure();
  return traffic;
}

FailureOr<Traffic> fa::countTraffic(
    FunctionOpInterface func,
    function_ref<void(Operation *op, const Twine &message)> report) {
  return Counter(func, report).count(func);
}
