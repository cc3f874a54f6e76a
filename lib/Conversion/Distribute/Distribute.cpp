//===- Distribute.cpp - Tile values to the values of one thread ----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of a row group, on tiles of 16 * warps * B rows, becomes that of
// one of its threads. With lane l of warp w, which has B blocks of 16 rows, a
// thread holds
//
//   of a tile [R, N]        vector<B*N/2>, at index (N/2) b + 4 j + 2 i + k the
//                           element in row 16 (B w + b) + l/4 + 8 i, column
//                           8 j + 2 (l mod 4) + k
//   of a row statistic [R]  vector<2*B>, at index 2 b + i that of the row
//                           16 (B w + b) + l/4 + 8 i
//
// which for each b is the fragment order of mma.sync and wgmma accumulators,
// and of their A operand. Columns are counted up to a multiple of 8: what is
// past the end of O, where its head dim is none, is 0 and is not stored. So an
// op that works element by element stays as it is, and the four lanes 4 n .. 4
// n + 3 (a quad) hold one row between them: a reduction along the columns is a
// local one and two exchanges within the quad.
//
//===----------------------------------------------------------------------===//

#include "ColumnTests.h"
#include "PartialSums.h"
#include "fa/Analysis/RowWise.h"
#include "fa/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FADISTRIBUTEPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
class Distributor {
public:
  Distributor(OpBuilder &builder, Block &program, ScheduleAttr schedule,
              TargetAttr target)
      : builder(builder), program(program), warps(schedule.getWarps()),
        rowBlocks(schedule.getRowBlocks()),
        align(target ? target.getAlign() : 16), partial(program) {}

  LogicalResult distribute();

private:
  // Blocks and loops.
  LogicalResult distributeBlock(Block &block);
  LogicalResult distributeLoop(scf::ForOp loop);
  LogicalResult distributeOp(Operation *op);

  // The value of one thread.
  FailureOr<Type> getThreadType(Operation *op, Type type);
  FailureOr<Value> get(Value value);
  FailureOr<Value> getWhole(Value value);
  FailureOr<Value> getColumns(Value value, int64_t columns);
  std::pair<Value, Value> getColumnNumbers(Location loc, VectorType type);
  FailureOr<Value> acrossColumns(Location loc, Value rows, int64_t elements);

  // Ops.
  LogicalResult distributeBroadcast(vector::BroadcastOp op);
  LogicalResult distributeElementwise(Operation *op);
  LogicalResult distributeReduction(vector::MultiDimReductionOp op);
  LogicalResult distributeScores(ScoresOp op);
  LogicalResult distributeAccumulate(AccumulateOp op);
  LogicalResult distributeRescale(RescaleOp op);
  LogicalResult distributeLoad(vector::TransferReadOp op);
  LogicalResult distributeStore(vector::TransferWriteOp op);
  void storePairs(vector::TransferWriteOp op, Value value, int64_t i,
                  Value row);
  LogicalResult distributeStoreTile(fagpu::StoreTileOp op);

  /// Elements that a thread has of a tile with `columns` columns.
  int64_t getSize(int64_t columns) {
    return rowBlocks * static_cast<int64_t>(llvm::alignTo(columns, 8)) / 2;
  }
  /// The statistic of the row of element `e` of a fragment of `elements`.
  int64_t getStatistic(int64_t e, int64_t elements) {
    return 2 * (e / (elements / rowBlocks)) + (e / 2) % 2;
  }
  Value index(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value reduceQuad(Location loc, Value rows, vector::CombiningKind kind);
  Value inFirstLane(Location loc, Value rows);
  Value combine(Location loc, ArrayRef<Value> elements,
                vector::CombiningKind kind);

  OpBuilder &builder;
  Block &program;
  int64_t warps, rowBlocks;
  int64_t align; // of the rows of O, in bytes
  PartialSums partial;
  Value row, column; // 16 B w + l/4 and 2 (l mod 4), of type index
  Value isFirstInQuad;
  DenseMap<Value, Value> values;
  DenseMap<std::pair<Value, Block *>, Value> wholes; // of sums in parts
  SmallVector<Operation *> distributed;              // in program order
};
} // namespace

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

FailureOr<Type> Distributor::getThreadType(Operation *op, Type type) {
  auto tile = dyn_cast<VectorType>(type);
  if (!tile)
    return type;
  int64_t rows = 16 * warps * rowBlocks;
  if (tile.getDimSize(0) != rows)
    return op->emitError("expected tiles of ")
           << rows << " rows for " << warps << " warps but got " << type;
  if (tile.getRank() == 1 || tile.getDimSize(1) == 1)
    return VectorType::get({2 * rowBlocks}, tile.getElementType());
  return VectorType::get({getSize(tile.getDimSize(1))}, tile.getElementType());
}

/// Of a statistic that is spread over the quad, the part of this lane.
FailureOr<Value> Distributor::get(Value value) {
  if (!isTileType(value.getType()))
    return value;
  if (Value mapped = values.lookup(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  if (!op || !isRematerializable(*op))
    return emitError(value.getLoc(),
                     "expected a tile that is made by the row group but got ")
           << value.getType();
  // Made anew at each use: it must not be taken from a loop that does not run.
  FailureOr<Type> type = getThreadType(op, value.getType());
  if (failed(type))
    return failure();
  Location loc = op->getLoc();
  Value result;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    result = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(*type),
                               splat.getSplatValue<Attribute>()));
  } else if (isa<vector::StepOp>(op)) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < 2 * rowBlocks; ++i)
      rows.push_back(
          arith::AddIOp::create(builder, loc, row, index(loc, 8 * i)));
    result = vector::FromElementsOp::create(builder, loc, *type, rows);
  } else {
    if (failed(distributeOp(op)))
      return failure();
    result = values.lookup(value);
    values.erase(value);
  }
  return result;
}

/// Of a statistic that is spread over the quad, the sum.
FailureOr<Value> Distributor::getWhole(Value value) {
  FailureOr<Value> part = get(value);
  if (failed(part) || !partial.contains(value))
    return part;
  // Once a block: in program order, what was exchanged before is known after.
  Value &whole = wholes[{value, builder.getInsertionBlock()}];
  if (!whole)
    whole = reduceQuad(value.getLoc(), *part, vector::CombiningKind::ADD);
  return whole;
}

/// Whether `value` is a vector over the columns that holds their numbers.
static bool isColumnNumbers(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value.getDefiningOp<vector::StepOp>() != nullptr;
}

/// The numbers of a thread's columns as a sum: that of its first column, and
/// constants.
std::pair<Value, Value> Distributor::getColumnNumbers(Location loc,
                                                      VectorType type) {
  Type element = type.getElementType();
  int64_t size = type.getDimSize(0);
  SmallVector<Attribute> offsets;
  for (int64_t e = 0; e < size; ++e)
    offsets.push_back(
        IntegerAttr::get(element, 8 * (e % (size / rowBlocks) / 4) + e % 2));
  Value first = column;
  if (!element.isIndex())
    first = arith::IndexCastOp::create(builder, loc, element, first);
  Value splat = vector::BroadcastOp::create(builder, loc, type, first);
  Value constants = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, offsets));
  return {splat, constants};
}

/// A vector over the columns, as the elements that this thread has of it.
FailureOr<Value> Distributor::getColumns(Value value, int64_t columns) {
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  Type element = cast<VectorType>(value.getType()).getElementType();
  int64_t size = getSize(columns);
  auto type = VectorType::get({size}, element);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    return Value(arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, splat.getSplatValue<Attribute>())));
  }
  // Column numbers, at once in the type that they are wanted in.
  if (isColumnNumbers(value)) {
    auto [first, offsets] = getColumnNumbers(loc, type);
    return Value(arith::AddIOp::create(builder, loc, first, offsets));
  }
  return op->emitError("expected column numbers or a constant as a vector over "
                       "the columns");
}

FailureOr<Value> Distributor::acrossColumns(Location loc, Value rows,
                                            int64_t elements) {
  SmallVector<int64_t> order;
  for (int64_t e = 0; e < elements; ++e)
    order.push_back(getStatistic(e, elements));
  return Value(vector::ShuffleOp::create(builder, loc, rows, rows, order));
}

//===----------------------------------------------------------------------===//
// Row-wise ops
//===----------------------------------------------------------------------===//

LogicalResult Distributor::distributeBroadcast(vector::BroadcastOp op) {
  Location loc = op.getLoc();
  FailureOr<Type> type = getThreadType(op, op.getType());
  if (failed(type))
    return failure();
  auto source = dyn_cast<VectorType>(op.getSourceType());
  if (!source) {
    values[op] =
        vector::BroadcastOp::create(builder, loc, *type, op.getSource());
    return success();
  }
  FailureOr<Value> result =
      source.getRank() == 1 ? getColumns(op.getSource(), source.getDimSize(0))
                            : getWhole(op.getSource());
  if (failed(result))
    return failure();
  int64_t elements = cast<VectorType>(*type).getDimSize(0);
  if (source.getRank() == 2)
    result = acrossColumns(loc, *result, elements);
  values[op] = *result;
  return success();
}

LogicalResult Distributor::distributeElementwise(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    // A product with a common factor leaves a sum spread over the quad.
    bool keepsParts =
        isa<arith::MulFOp>(op) && partial.contains(op->getResult(0));
    FailureOr<Value> value = keepsParts ? get(operand) : getWhole(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    FailureOr<Type> threadType = getThreadType(op, type);
    if (failed(threadType))
      return failure();
    types.push_back(*threadType);
  }
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *onThread = builder.create(state);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), onThread->getResults()))
    values[result] = value;
  return success();
}

/// `rows` of the quad's lanes combined, in every lane.
Value Distributor::reduceQuad(Location loc, Value rows,
                              vector::CombiningKind kind) {
  Type f32 = builder.getF32Type();
  auto i32Constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  Value all = i32Constant(-1), clamp = i32Constant(31);
  SmallVector<Value> results;
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    Value value = vector::ExtractOp::create(builder, loc, rows, i);
    for (int32_t distance : {1, 2}) {
      Value other = NVVM::ShflOp::create(
          builder, loc, f32, all, value, i32Constant(distance), clamp,
          NVVM::ShflKind::bfly, /*return_value_and_is_valid=*/UnitAttr());
      value = vector::makeArithReduction(builder, loc, kind, value, other);
    }
    results.push_back(value);
  }
  return vector::FromElementsOp::create(builder, loc, rows.getType(), results);
}

/// A statistic that all lanes of the quad have, as a part of a sum over them:
/// one lane brings it, the others 0.
Value Distributor::inFirstLane(Location loc, Value rows) {
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(rows.getType()));
  return arith::SelectOp::create(builder, loc, isFirstInQuad, rows, zero);
}

/// All of `elements`. As a rule pairs, then pairs of pairs: short chains of
/// dependent ops. A row group of sm_90a, which shares the multiprocessor with
/// others, has two chains instead: two values beside the elements, where a tree
/// would need as many as it has leaves.
Value Distributor::combine(Location loc, ArrayRef<Value> elements,
                           vector::CombiningKind kind) {
  auto reduce = [&](Value a, Value b) -> Value {
    return vector::makeArithReduction(builder, loc, kind, a, b);
  };
  if (isa<fagpu::SpecializeOp>(program.getParentOp())) {
    Value chains[] = {elements[0], elements[1]};
    for (size_t n = 2; n < elements.size(); ++n)
      chains[n % 2] = reduce(chains[n % 2], elements[n]);
    return reduce(chains[0], chains[1]);
  }
  SmallVector<Value> level(elements);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (size_t n = 0; n + 1 < level.size(); n += 2)
      next.push_back(reduce(level[n], level[n + 1]));
    if (level.size() % 2 != 0)
      next.push_back(level.back());
    level = std::move(next);
  }
  return level.front();
}

LogicalResult Distributor::distributeReduction(vector::MultiDimReductionOp op) {
  Location loc = op.getLoc();
  vector::CombiningKind kind = op.getKind();
  bool isSum = kind == vector::CombiningKind::ADD;
  VectorType tile = op.getSourceVectorType();
  if (!tile.getElementType().isF32() || tile.getDimSize(1) % 8 != 0)
    return op.emitError("expected a reduction of f32 over a multiple of 8 "
                        "columns but got ")
           << tile;
  FailureOr<Value> source = getWhole(op.getSource());
  FailureOr<Value> acc = isSum ? get(op.getAcc()) : getWhole(op.getAcc());
  if (failed(source) || failed(acc))
    return failure();
  if (isSum && !partial.contains(op.getAcc()) &&
      !matchPattern(op.getAcc(), m_AnyZeroFloat()))
    acc = inFirstLane(loc, *acc);
  int64_t elements = cast<VectorType>(source->getType()).getDimSize(0);
  SmallVector<Value> rows;
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    SmallVector<Value> ofRow;
    for (int64_t e = 0; e < elements; ++e)
      if (getStatistic(e, elements) == i)
        ofRow.push_back(vector::ExtractOp::create(builder, loc, *source, e));
    rows.push_back(combine(loc, ofRow, kind));
  }
  Value local =
      vector::FromElementsOp::create(builder, loc, acc->getType(), rows);
  if (!isSum)
    local = reduceQuad(loc, local, kind);
  values[op] = vector::makeArithReduction(builder, loc, kind, local, *acc);
  return success();
}

/// Rows past the end are read as the last one: nothing of them is stored.
LogicalResult Distributor::distributeLoad(vector::TransferReadOp op) {
  Location loc = op.getLoc();
  VectorType tile = op.getVectorType();
  bool isTile = tile.getRank() == 2;
  FailureOr<Type> type = getThreadType(op, tile);
  if (failed(type))
    return failure();
  auto threadType = cast<VectorType>(*type);
  Value end = memref::DimOp::create(builder, loc, op.getBase(), 0);
  Value last = arith::SubIOp::create(builder, loc, end, index(loc, 1));
  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(threadType));
  auto pairType = VectorType::get({2}, tile.getElementType());
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    Value loadRow = arith::AddIOp::create(builder, loc, row, index(loc, 8 * i));
    loadRow = arith::AddIOp::create(builder, loc, loadRow, op.getIndices()[0]);
    loadRow = arith::MinSIOp::create(builder, loc, loadRow, last);
    if (!isTile) {
      Value scalar =
          memref::LoadOp::create(builder, loc, op.getBase(), loadRow);
      result = vector::InsertOp::create(builder, loc, scalar, result, i);
      continue;
    }
    int64_t blockSize = threadType.getDimSize(0) / rowBlocks;
    int64_t first = i / 2 * blockSize + 2 * (i % 2);
    for (int64_t j = 0; j < blockSize / 4; ++j) {
      Value loadColumn =
          arith::AddIOp::create(builder, loc, column, index(loc, 8 * j));
      loadColumn =
          arith::AddIOp::create(builder, loc, loadColumn, op.getIndices()[1]);
      Value pair = vector::LoadOp::create(
          builder, loc, pairType, op.getBase(), ValueRange{loadRow, loadColumn},
          /*nontemporal=*/false,
          llvm::MaybeAlign(tile.getElementTypeBitWidth() / 4));
      result = vector::InsertStridedSliceOp::create(
          builder, loc, pair, result, ArrayRef<int64_t>{first + 4 * j},
          ArrayRef<int64_t>{1});
    }
  }
  values[op] = result;
  return success();
}

LogicalResult Distributor::distributeStore(vector::TransferWriteOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> value = getWhole(op.getVector());
  if (failed(value))
    return failure();
  bool isTile = op.getVectorType().getRank() == 2;
  if (isTile && op.getVectorType().getDimSize(1) == 1)
    return op.emitError("expected a store of at least 2 columns but got ")
           << op.getVectorType();
  Value end = memref::DimOp::create(builder, loc, op.getBase(), 0);
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    OpBuilder::InsertionGuard guard(builder);
    Value storeRow =
        arith::AddIOp::create(builder, loc, row, index(loc, 8 * i));
    storeRow =
        arith::AddIOp::create(builder, loc, storeRow, op.getIndices()[0]);
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, storeRow, end);
    if (!isTile) // the lanes of a quad have the same statistic
      inside = arith::AndIOp::create(builder, loc, inside, isFirstInQuad);
    auto guarded = scf::IfOp::create(builder, loc, inside);
    builder.setInsertionPointToStart(guarded.thenBlock());
    if (!isTile) {
      Value scalar = vector::ExtractOp::create(builder, loc, *value, i);
      memref::StoreOp::create(builder, loc, scalar, op.getBase(), storeRow);
      continue;
    }
    storePairs(op, *value, i, storeRow);
  }
  return success();
}

/// The elements of statistic `i` at row `row`: by pairs where these are
/// aligned, and what is past the last column not at all.
void Distributor::storePairs(vector::TransferWriteOp op, Value value, int64_t i,
                             Value row) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(value.getType());
  int64_t columns = op.getVectorType().getDimSize(1);
  int64_t pairBytes = type.getElementTypeBitWidth() / 4;
  int64_t width = columns % 2 == 0 && align >= pairBytes ? 2 : 1;
  int64_t blockSize = type.getDimSize(0) / rowBlocks;
  int64_t first = i / 2 * blockSize + 2 * (i % 2);
  for (int64_t j = 0; j < blockSize / 4; ++j)
    for (int64_t k = 0; k < 2; k += width) {
      OpBuilder::InsertionGuard guard(builder);
      Value inTile =
          arith::AddIOp::create(builder, loc, column, index(loc, 8 * j + k));
      if (8 * (j + 1) > columns) {
        Value exists =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                  inTile, index(loc, columns));
        auto guarded = scf::IfOp::create(builder, loc, exists);
        builder.setInsertionPointToStart(guarded.thenBlock());
      }
      Value storeColumn =
          arith::AddIOp::create(builder, loc, inTile, op.getIndices()[1]);
      int64_t element = first + 4 * j + k;
      if (width == 1) {
        Value scalar = vector::ExtractOp::create(builder, loc, value, element);
        memref::StoreOp::create(builder, loc, scalar, op.getBase(),
                                ValueRange{row, storeColumn});
        continue;
      }
      Value pair = vector::ExtractStridedSliceOp::create(
          builder, loc, value, ArrayRef<int64_t>{element}, ArrayRef<int64_t>{2},
          ArrayRef<int64_t>{1});
      vector::StoreOp::create(
          builder, loc, pair, op.getBase(), ValueRange{row, storeColumn},
          /*nontemporal=*/false, llvm::MaybeAlign(pairBytes));
    }
}

LogicalResult Distributor::distributeStoreTile(fagpu::StoreTileOp op) {
  FailureOr<Value> value = getWhole(op.getValue());
  if (failed(value))
    return failure();
  fagpu::StoreFragmentOp::create(builder, op.getLoc(), *value, op.getBuffer(),
                                 warps);
  fagpu::StoreOp::create(builder, op.getLoc(), op.getBuffer(), op.getTarget(),
                         op.getBatch(), op.getHead(), op.getRow());
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult Distributor::distributeScores(ScoresOp op) {
  Location loc = op.getLoc();
  FailureOr<Type> type = getThreadType(op, op.getScores().getType());
  FailureOr<Value> query = get(op.getQuery());
  if (failed(type) || failed(query))
    return failure();
  if (!fagpu::isSramTile(op.getKey().getType()))
    return op.emitOpError("expected key to be in SRAM; run fa-promote-to-sram "
                          "first");
  FailureOr<Value> start;
  if (op.getStart())
    start = getWhole(op.getStart());
  else
    start = Value(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(*type)));
  if (failed(start))
    return failure();
  Value scores = fagpu::DotOp::create(builder, loc, *type, *query, op.getKey(),
                                      *start, fagpu::Contract::Columns, warps);
  if (!op.getScale().isExactlyValue(1.0)) {
    Value scale = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(*type), op.getScale()));
    scores = arith::MulFOp::create(builder, loc, scores, scale);
  }
  values[op.getScores()] = scores;
  return success();
}

LogicalResult Distributor::distributeAccumulate(AccumulateOp op) {
  Location loc = op.getLoc();
  if (op.getTransposed())
    return op.emitOpError("expected probs that are not transposed on a GPU");
  FailureOr<Value> probs = getWhole(op.getProbs());
  FailureOr<Value> acc = getWhole(op.getAcc());
  if (failed(probs) || failed(acc))
    return failure();
  if (!fagpu::isSramTile(op.getValue().getType()))
    return op.emitOpError("expected value to be in SRAM; run "
                          "fa-promote-to-sram first");
  if (op.getAlpha()) {
    FailureOr<Value> alpha = getWhole(op.getAlpha());
    if (failed(alpha))
      return failure();
    int64_t elements = cast<VectorType>(acc->getType()).getDimSize(0);
    acc = Value(arith::MulFOp::create(builder, loc, *acc,
                                      *acrossColumns(loc, *alpha, elements)));
  }
  values[op.getResult()] =
      fagpu::DotOp::create(builder, loc, acc->getType(), *probs, op.getValue(),
                           *acc, fagpu::Contract::Rows, warps);
  return success();
}

LogicalResult Distributor::distributeRescale(RescaleOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> acc = getWhole(op.getAcc());
  FailureOr<Value> alpha = getWhole(op.getAlpha());
  if (failed(acc) || failed(alpha))
    return failure();
  int64_t elements = cast<VectorType>(acc->getType()).getDimSize(0);
  auto scale = [&]() -> Value {
    return arith::MulFOp::create(builder, loc, *acc,
                                 *acrossColumns(loc, *alpha, elements));
  };
  if (!op.getRarely()) {
    values[op.getResult()] = scale();
    return success();
  }
  // A branch that all lanes of a warp take, if one of them has to.
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<ShapedType>(alpha->getType()), 1.0f));
  Value factors = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                        *alpha, one);
  Value differs;
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    Value factor = vector::ExtractOp::create(builder, loc, factors, i);
    differs =
        differs
            ? arith::OrIOp::create(builder, loc, differs, factor).getResult()
            : factor;
  }
  Value all =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  differs = NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(), all,
                                     differs, NVVM::VoteSyncKind::any);
  auto branch = scf::IfOp::create(builder, loc, acc->getType(), differs,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, scale());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, *acc);
  values[op.getResult()] = branch.getResult(0);
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks and loops
//===----------------------------------------------------------------------===//

LogicalResult Distributor::distributeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ScoresOp>([&](auto op) { return distributeScores(op); })
      .Case<AccumulateOp>([&](auto op) { return distributeAccumulate(op); })
      .Case<RescaleOp>([&](auto op) { return distributeRescale(op); })
      .Case<scf::ForOp>([&](auto op) { return distributeLoop(op); })
      .Case<vector::BroadcastOp>(
          [&](auto op) { return distributeBroadcast(op); })
      .Case<vector::MultiDimReductionOp>(
          [&](auto op) { return distributeReduction(op); })
      .Case<fagpu::StoreTileOp>(
          [&](auto op) { return distributeStoreTile(op); })
      .Case<vector::TransferReadOp>([&](auto op) { return distributeLoad(op); })
      .Case<vector::TransferWriteOp>(
          [&](auto op) { return distributeStore(op); })
      .Case<vector::ShapeCastOp>([&](vector::ShapeCastOp op) -> LogicalResult {
        FailureOr<Value> rows = getWhole(op.getSource());
        if (failed(rows))
          return failure();
        values[op] = *rows;
        return success();
      })
      // Element by element, or a gather: each lane reads at its own positions.
      .Default([&](Operation *op) { return distributeElementwise(op); });
}

LogicalResult Distributor::distributeBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (!touchesTiles(op)) {
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          if (failed(distributeBlock(nested)))
            return failure();
      continue;
    }
    if (!isRematerializable(op)) {
      if (!isRowWise(op) && !isa<ScoresOp, AccumulateOp, RescaleOp, scf::ForOp,
                                 fagpu::StoreTileOp>(op))
        return op.emitError("expected a product, a loop or a row-wise op on "
                            "tiles to distribute but got '")
               << op.getName() << "'";
      builder.setInsertionPoint(&op);
      if (failed(distributeOp(&op)))
        return failure();
    }
    distributed.push_back(&op);
  }
  return success();
}

LogicalResult Distributor::distributeLoop(scf::ForOp loop) {
  Location loc = loop.getLoc();
  SmallVector<Value> inits;
  for (auto [init, argument] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    FailureOr<Value> value = get(init);
    if (failed(value))
      return failure();
    if (partial.contains(argument) && !partial.contains(init) &&
        !matchPattern(init, m_AnyZeroFloat()))
      value = inFirstLane(loc, *value);
    inits.push_back(*value);
  }
  auto threadLoop =
      scf::ForOp::create(builder, loc, loop.getLowerBound(),
                         loop.getUpperBound(), loop.getStep(), inits);
  threadLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop.getInductionVar().replaceAllUsesWith(threadLoop.getInductionVar());
  auto replace = [&](Value value, Value onThread) {
    if (isTileType(value.getType()))
      values[value] = onThread;
    else
      value.replaceAllUsesWith(onThread);
  };
  for (auto [argument, onThread] : llvm::zip_equal(
           loop.getRegionIterArgs(), threadLoop.getRegionIterArgs()))
    replace(argument, onThread);
  for (auto [result, onThread] :
       llvm::zip_equal(loop.getResults(), threadLoop.getResults()))
    replace(result, onThread);

  Block *body = threadLoop.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  size_t outer = distributed.size();
  if (failed(distributeBlock(*body)))
    return failure();

  auto yield = cast<scf::YieldOp>(body->getTerminator());
  builder.setInsertionPoint(yield);
  SmallVector<Value> next;
  for (auto [operand, argument] :
       llvm::zip_equal(yield.getOperands(), loop.getRegionIterArgs())) {
    bool isPartial = partial.contains(argument);
    FailureOr<Value> value = isPartial ? get(operand) : getWhole(operand);
    if (failed(value))
      return failure();
    if (isPartial && !partial.contains(operand))
      value = inFirstLane(loc, *value);
    next.push_back(*value);
  }
  yield->setOperands(next);
  while (distributed.size() > outer)
    distributed.pop_back_val()->erase();
  return success();
}

LogicalResult Distributor::distribute() {
  // Who this thread is.
  builder.setInsertionPointToStart(&program);
  Location loc = program.getParentOp()->getLoc();
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value lane = arith::RemUIOp::create(builder, loc, thread, index(loc, 32));
  Value warp = arith::RemUIOp::create(
      builder, loc,
      arith::DivUIOp::create(builder, loc, thread, index(loc, 32)),
      index(loc, warps));
  Value inQuad = arith::RemUIOp::create(builder, loc, lane, index(loc, 4));
  row = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, warp, index(loc, 16 * rowBlocks)),
      arith::DivUIOp::create(builder, loc, lane, index(loc, 4)));
  column = arith::MulIOp::create(builder, loc, inQuad, index(loc, 2));
  isFirstInQuad = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        inQuad, index(loc, 0));

  if (failed(distributeBlock(program)))
    return failure();
  while (!distributed.empty())
    distributed.pop_back_val()->erase();
  return success();
}

namespace {
struct Distribute : public fa::impl::FADistributePassBase<Distribute> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](scf::ForallOp nest) {
      auto schedule =
          nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
      if (!schedule)
        return WalkResult::advance();
      // The program of a row group, or of the whole block.
      Block *program = nest.getBody();
      nest.walk([&](fagpu::SpecializeOp split) {
        program = &split.getConsumer().front();
      });
      OpBuilder builder(nest);
      auto target =
          nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
      return failed(
                 Distributor(builder, *program, schedule, target).distribute())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    // On the mma.sync road ptxas needs more registers with it: sm_120 spills.
    getOperation().walk(
        [](fagpu::SpecializeOp split) { simplifyColumnTests(split); });
  }
};
} // namespace
