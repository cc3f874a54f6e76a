//===- OutlineKernel.cpp - A loop nest to the program of a block ---------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grid is linear in x, since the number of heads may pass what y and z can
// count. Block n works on query tile i of head h of batch b with
//
//   n = (b * H + h) * T_r + i
//
// without a mask. With one, query tiles differ in the number of their keys, and
// the longest ones, which most often are the last ones, begin first: all heads
// of a section at once, i from T_r - 1 to 0, whose K and V fit in L2 together.
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/Sizes.h"
#include "fa/Conversion/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Support/DebugStringHelper.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAOUTLINEKERNELPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// The loop nest that is all `func` does, or null.
static scf::ForallOp getNest(func::FuncOp func) {
  if (!func.getBody().hasOneBlock() || func.getNumResults() != 0)
    return {};
  scf::ForallOp nest;
  for (Operation &op : func.front().without_terminator()) {
    auto forall = dyn_cast<scf::ForallOp>(op);
    if (forall && forall->hasAttr(FADialect::getScheduleAttrName())) {
      if (nest || forall.getRank() != 3 || !forall.isNormalized())
        return {};
      nest = forall;
    } else if (!isMemoryEffectFree(&op)) {
      return {};
    }
  }
  return nest;
}

/// What a region may read: a table in memory, or a number. Null for what a
/// caller cannot pass.
static DictionaryAttr describeExtra(Builder &b, unsigned number, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  Type element = memref ? memref.getElementType() : type;
  std::string dtype = "i64"; // Of an index.
  if (element.isF32() || element.isF16() || element.isBF16() ||
      element.isSignlessInteger(32) || element.isSignlessInteger(64) ||
      (memref && element.isSignlessInteger(1)))
    dtype = debugString(element);
  else if (!element.isIndex())
    return {};
  NamedAttrList info;
  info.set("kind", b.getStringAttr(memref ? "table" : "number"));
  info.set("argument", b.getI64IntegerAttr(number));
  info.set("dtype", b.getStringAttr(dtype));
  if (memref) {
    SmallVector<Attribute> shape;
    for (int64_t size : memref.getShape())
      shape.push_back(ShapedType::isDynamic(size) ? Attribute(b.getUnitAttr())
                                                  : b.getI64IntegerAttr(size));
    info.set("shape", b.getArrayAttr(shape));
  }
  return info.getDictionary(b.getContext());
}

/// The sizes that are static: the kernel takes no others.
static void describeSizes(func::FuncOp func, ArrayAttr tensors,
                          NamedAttrList &problem) {
  Builder b(func.getContext());
  auto describe = [&](StringRef tensor, ArrayRef<StringRef> names) {
    unsigned number =
        llvm::find(tensors, b.getStringAttr(tensor)) - tensors.begin();
    auto type = cast<MemRefType>(func.getArgumentTypes()[number]);
    for (auto [dim, name] : llvm::enumerate(names))
      if (!type.isDynamicDim(dim))
        problem.set(name, b.getI64IntegerAttr(type.getDimSize(dim)));
  };
  describe("Q", {"batch", "heads", "seq_q"});
  describe("K", {"batch", "kv_heads", "seq_kv"});
  describe("V", {"batch", "kv_heads", "seq_kv"});
}

/// What the caller must know, as the launch contract has it: arguments, block
/// size, rows of a block, bytes of SRAM.
static DictionaryAttr describeKernel(func::FuncOp func, scf::ForallOp nest,
                                     ScheduleAttr schedule, TargetAttr target) {
  Builder b(func.getContext());
  auto problem =
      nest->getAttrOfType<DictionaryAttr>(FADialect::getProblemAttrName());
  SmallVector<Attribute> arguments;
  for (auto [number, tensor] :
       llvm::enumerate(problem.getAs<ArrayAttr>("arguments"))) {
    if (tensor == b.getStringAttr("")) {
      arguments.push_back(
          describeExtra(b, number, func.getArgumentTypes()[number]));
      continue;
    }
    arguments.push_back(
        b.getDictionaryAttr({b.getNamedAttr("kind", b.getStringAttr("memref")),
                             b.getNamedAttr("tensor", tensor)}));
  }
  NamedAttrList problemInfo(problem);
  problemInfo.erase("arguments");
  problemInfo.erase("lse");
  Attribute next = problemInfo.erase("next");
  if (schedule.getTf32())
    problemInfo.set("tf32", b.getBoolAttr(true));
  describeSizes(func, problem.getAs<ArrayAttr>("arguments"), problemInfo);
  int64_t threads = 32 * schedule.getWarps() * schedule.getGroups() +
                    (target.isHopper() ? 128 : 0);
  auto align = b.getI64IntegerAttr(target.getAlign());
  std::string scheduleText;
  llvm::raw_string_ostream(scheduleText) << schedule;
  NamedAttrList info;
  info.set("entry", b.getStringAttr(func.getName()));
  info.set("target", b.getStringAttr(target.getChip()));
  NamedAttrList guards;
  guards.set("pointer_alignment", align);
  guards.set("stride_alignment", align);
  if (target.getMaxKeys() != 0)
    guards.set("max_seq_kv", b.getI64IntegerAttr(target.getMaxKeys()));
  info.set("guards", guards.getDictionary(func.getContext()));
  info.set("arguments", b.getArrayAttr(arguments));
  info.set("block", b.getI64IntegerAttr(threads));
  info.set("query_tile", b.getI64IntegerAttr(schedule.getBr()));
  info.set("sram_bytes", nest->getAttr("fagpu.sram_bytes"));
  if (Attribute bytes = nest->getAttr("fagpu.hbm_bytes"))
    info.set("hbm_bytes", bytes);
  info.set("schedule", b.getStringAttr(scheduleText));
  if (next)
    info.set("next", next);
  info.set("problem", problemInfo.getDictionary(func.getContext()));
  return info.getDictionary(func.getContext());
}

namespace {
/// The arithmetic of a block's place in the grid. A grid has less than 2^31
/// blocks, so that 32 bits are enough for it and all its parts.
class GridOrder {
public:
  /// The sizes of the nest: batch, heads, query tiles.
  GridOrder(OpBuilder &builder, Location loc, ArrayRef<Value> sizes)
      : builder(builder), loc(loc), batches(narrow(sizes[0])),
        heads(narrow(sizes[1])), tiles(narrow(sizes[2])),
        block(narrow(gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x))) {
  }

  /// Batch, head and query tile of this block, head by head.
  SmallVector<Value> byHead() {
    return split(div(block, tiles), rem(block, tiles));
  }
  /// The same, longest tiles of `headsInSection` (of type index) heads first.
  SmallVector<Value> longestFirst(Value headsInSection);

private:
  SmallVector<Value> split(Value batchAndHead, Value tile) {
    return {widen(div(batchAndHead, heads)), widen(rem(batchAndHead, heads)),
            widen(tile)};
  }
  Value narrow(Value value) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getI32Type(),
                                        value);
  }
  Value widen(Value value) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        value);
  }
  Value div(Value a, Value b) {
    return arith::DivUIOp::create(builder, loc, a, b);
  }
  Value rem(Value a, Value b) {
    return arith::RemUIOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
  Value batches, heads, tiles, block;
};
} // namespace

SmallVector<Value> GridOrder::longestFirst(Value headsInSection) {
  Value all = mul(batches, heads);
  Value most = arith::MinUIOp::create(builder, loc, headsInSection, widen(all));
  // Sections of the same size, as far as possible: with few heads the last one
  // would keep some multiprocessors busy when the others have nothing left.
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  Value sections = arith::CeilDivUIOp::create(builder, loc, all, narrow(most));
  Value perSection = arith::CeilDivUIOp::create(
      builder, loc, all, arith::MaxUIOp::create(builder, loc, sections, one));
  Value first = mul(div(block, mul(perSection, tiles)), perSection);
  Value inSection = sub(block, mul(first, tiles));
  // The last section may have fewer heads.
  Value sectionHeads =
      arith::MinUIOp::create(builder, loc, perSection, sub(all, first));
  Value tile = sub(sub(tiles, one), div(inSection, sectionHeads));
  Value head =
      arith::AddIOp::create(builder, loc, first, rem(inSection, sectionHeads));
  return split(head, tile);
}

/// How many query heads' K and V fit in `kSectionBytes`, at least one.
static Value buildHeadsInSection(OpBuilder &builder, Location loc, Value query,
                                 Value key, Value value) {
  // What L2 has from sm_80 on; most sections are smaller.
  constexpr int64_t kSectionBytes = 40 << 20;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto atLeastOne = [&](Value value) -> Value {
    return arith::MaxUIOp::create(builder, loc, value, constant(1));
  };
  auto dim = [&](Value tensor, int64_t index) -> Value {
    return memref::DimOp::create(builder, loc, tensor, index);
  };
  auto keyType = cast<MemRefType>(key.getType());
  int64_t columns =
      keyType.getDimSize(3) + cast<MemRefType>(value.getType()).getDimSize(3);
  int64_t rowBytes = columns * keyType.getElementTypeBitWidth() / 8;
  Value group = arith::DivUIOp::create(builder, loc, dim(query, 1),
                                       atLeastOne(dim(key, 1)));
  // So many heads to one of K and V that the product would pass 2^31 do not
  // change the order of a grid, which has fewer blocks.
  int64_t rowsOfSection = std::max<int64_t>(kSectionBytes / rowBytes, 1);
  group = arith::MinUIOp::create(
      builder, loc, group,
      constant(std::numeric_limits<int32_t>::max() / rowsOfSection));
  Value rows = arith::MulIOp::create(builder, loc, constant(rowsOfSection),
                                     atLeastOne(group));
  return atLeastOne(
      arith::DivUIOp::create(builder, loc, rows, atLeastOne(dim(key, 2))));
}

/// Numbers of heads, rows and tiles are below 2^31 (the limit of the grid and
/// of the coordinates of a tensor map), and a division of 64 bits is a call.
template <typename DivisionOp>
static void narrowDivisions(func::FuncOp func) {
  func.walk([](DivisionOp op) {
    if (!op.getType().isIndex() || !isOfSizes(op.getLhs()) ||
        !isOfSizes(op.getRhs()))
      return;
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Type i32 = builder.getI32Type();
    Value lhs = arith::IndexCastOp::create(builder, loc, i32, op.getLhs());
    Value rhs = arith::IndexCastOp::create(builder, loc, i32, op.getRhs());
    Value result = DivisionOp::create(builder, loc, lhs, rhs);
    op.replaceAllUsesWith(
        arith::IndexCastUIOp::create(builder, loc, op.getType(), result)
            .getResult());
    op.erase();
  });
}

/// Likewise a loop counts tiles, in a register instead of two.
static void narrowLoops(func::FuncOp func) {
  func.walk([](scf::ForOp loop) {
    if (!loop.getInductionVar().getType().isIndex())
      return;
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Type i32 = builder.getI32Type();
    auto narrow = [&](OpOperand &operand) {
      operand.set(arith::IndexCastOp::create(builder, loc, i32, operand.get()));
    };
    for (unsigned bound = 0; bound < 3; ++bound)
      narrow(loop->getOpOperand(bound));
    BlockArgument counter = cast<BlockArgument>(loop.getInductionVar());
    counter.setType(i32);
    builder.setInsertionPointToStart(loop.getBody());
    auto wide = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           counter);
    counter.replaceAllUsesExcept(wide, wide);
  });
}

static LogicalResult outline(func::FuncOp func) {
  // What is not here is not compiled.
  if (func.isDeclaration())
    return success();
  scf::ForallOp nest = getNest(func);
  if (!nest)
    return func.emitError("expected a function that is one loop nest to become "
                          "a kernel");
  auto schedule =
      nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
  auto target = nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
  auto problem =
      nest->getAttrOfType<DictionaryAttr>(FADialect::getProblemAttrName());
  auto mask = problem ? problem.getAs<StringAttr>("mask") : StringAttr();
  auto tensors = problem ? problem.getAs<ArrayAttr>("arguments") : ArrayAttr();
  if (!target || !mask || !tensors ||
      tensors.size() != func.getNumArguments() ||
      !nest->hasAttr("fagpu.sram_bytes"))
    return func.emitError("expected a loop nest planned for a GPU; run fa-tile "
                          "and fa-plan-sram first");
  SmallVector<StringRef> names = {"Q", "K", "V", "O"};
  if (auto lse = problem.getAs<BoolAttr>("lse"); !lse || lse.getValue())
    names.push_back("LSE");
  Builder b(func.getContext());
  for (StringRef name : names)
    if (llvm::count(tensors, b.getStringAttr(name)) != 1)
      return func.emitError("expected Q, K, V, O and LSE to be an argument "
                            "each on a GPU but ")
             << name << " is not";
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (tensor == b.getStringAttr("") &&
        !describeExtra(b, index, func.getArgumentTypes()[index]))
      return func.emitError("expected arguments besides Q, K, V, O and LSE "
                            "that are tables of f32, f16, bf16, i1, i32, i64 "
                            "or index, or such numbers but i1, on a GPU but "
                            "argument #")
             << index << " is " << func.getArgumentTypes()[index];

  Location loc = nest.getLoc();
  OpBuilder builder(nest);
  SmallVector<Value> sizes;
  for (OpFoldResult bound : nest.getMixedUpperBound()) {
    if (auto constant = getConstantIntValue(bound))
      sizes.push_back(arith::ConstantIndexOp::create(builder, loc, *constant));
    else
      sizes.push_back(cast<Value>(bound));
  }
  auto getArgument = [&](StringRef name) -> Value {
    return func.getArgument(llvm::find(tensors, b.getStringAttr(name)) -
                            tensors.begin());
  };
  for (StringRef name : {"Q", "K", "V"}) {
    auto type = dyn_cast<MemRefType>(getArgument(name).getType());
    if (!type || type.getRank() != 4 || type.isDynamicDim(3) ||
        !type.getElementType().isIntOrFloat())
      return func.emitError("expected ")
             << name << " to be a memref of rank 4 with a static head dim but "
             << "got " << getArgument(name).getType();
  }
  GridOrder order(builder, loc, sizes);
  auto hasRegion = problem.getAs<BoolAttr>("mask_region");
  bool isMasked =
      mask.getValue() != "none" || (hasRegion && hasRegion.getValue());
  SmallVector<Value> indices =
      !isMasked ? order.byHead()
                : order.longestFirst(
                      buildHeadsInSection(builder, loc, getArgument("Q"),
                                          getArgument("K"), getArgument("V")));
  func->setAttr(FADialect::getKernelAttrName(),
                describeKernel(func, nest, schedule, target));
  func->setAttr(FADialect::getScheduleAttrName(), schedule);
  func->setAttr(FADialect::getTargetAttrName(), target);

  // What tells one block from another, for fa-persistent-grid.
  if (schedule.getPersistent())
    for (Value index : indices)
      index.getDefiningOp()->setAttr(fagpu::kCoordinateAttrName,
                                     builder.getUnitAttr());
  for (auto [argument, index] :
       llvm::zip_equal(nest.getInductionVars(), indices))
    argument.replaceAllUsesWith(index);
  nest.getBody()->getTerminator()->erase();
  func.front().getOperations().splice(nest->getIterator(),
                                      nest.getBody()->getOperations());
  nest.erase();
  narrowDivisions<arith::DivUIOp>(func);
  narrowDivisions<arith::RemUIOp>(func);
  narrowDivisions<arith::CeilDivUIOp>(func);
  if (target.isHopper())
    narrowLoops(func);
  return success();
}

namespace {
struct OutlineKernel : public fa::impl::FAOutlineKernelPassBase<OutlineKernel> {
  void runOnOperation() override {
    if (failed(outline(getOperation())))
      signalPassFailure();
  }
};
} // namespace
