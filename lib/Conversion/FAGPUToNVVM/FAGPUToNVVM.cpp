//===- FAGPUToNVVM.cpp - Tiles, rings and products to NVVM -------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles become 32-bit addresses in workgroup memory, computed where the tile is
// made; no memref in #fagpu.sram is left. The ops of fagpu are rewritten in
// program order, so that the address of a tile is known where it is used.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "CarryPairs.h"
#include "PTX.h"
#include "fa/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fa {
#define GEN_PASS_DEF_CONVERTFAGPUTONVVMPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// The symbol of the dynamic workgroup memory.
constexpr StringLiteral kSramSymbol = "fa_sram";

Value NVVMLowering::threadId() {
  return NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
}

SmallVector<Value> NVVMLowering::unpackVector(Value vector) {
  SmallVector<Value> elements;
  for (int64_t i = 0, e = cast<VectorType>(vector.getType()).getDimSize(0);
       i < e; ++i)
    elements.push_back(vector::ExtractOp::create(builder, loc, vector, i));
  return elements;
}

Value NVVMLowering::packVector(ValueRange elements, Type type) {
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

SmallVector<Value> NVVMLowering::packPairs(Value fragment) {
  int64_t size = cast<VectorType>(fragment.getType()).getDimSize(0);
  auto type = VectorType::get({size / 2}, builder.getI32Type());
  return unpackVector(vector::BitCastOp::create(builder, loc, type, fragment));
}

//===----------------------------------------------------------------------===//
// Tiles and rings
//===----------------------------------------------------------------------===//

/// Bytes from a chunk of `tile` to the next.
static int64_t getChunkBytes(MemRefType tile) {
  return tile.getDimSize(0) *
         cast<fagpu::SramAttr>(tile.getMemorySpace()).getSwizzle();
}

void NVVMLowering::lowerAlloc(fagpu::AllocOp op) {
  Value base = add(sramBase, *op.getOffset());
  if (auto type = dyn_cast<fagpu::RingType>(op.getType())) {
    Value full = add(sramBase, barrierOffset);
    Value empty = add(full, 8 * type.getStages());
    barrierOffset += 16 * type.getStages();
    std::optional<int64_t> readers = op.getReaders();
    rings[op.getResult()] = {base, full, empty, type,
                             readers.value_or(schedule.getGroups())};
    ringOrder.push_back(op.getResult());
    return;
  }
  tiles[op.getResult()] = {base, getChunkBytes(cast<MemRefType>(op.getType()))};
}

TileAddress NVVMLowering::getStage(Value ring, Value position) {
  RingAddress address = rings.lookup(ring);
  MemRefType tile = address.type.getTile();
  Value stage = rem(toI32(position), address.type.getStages());
  Value base = add(address.base, mul(stage, fagpu::getStageBytes(tile)));
  return {base, getChunkBytes(tile)};
}

FailureOr<TileAddress> NVVMLowering::getTile(Operation *op, Value tile) {
  auto it = tiles.find(tile);
  if (it == tiles.end())
    return op->emitOpError("expected a tile made by fagpu ops but got ")
           << tile.getType();
  return it->second;
}

FailureOr<TileAddress> NVVMLowering::getWideTile(Operation *op, Value tile) {
  auto layout = dyn_cast_if_present<fagpu::SramAttr>(
      cast<MemRefType>(tile.getType()).getMemorySpace());
  if (!layout || layout.getSwizzle() != 128 || layout.getTail() != 0)
    return op->emitOpError("expected a tile in chunks of 128 bytes but got ")
           << tile.getType();
  return getTile(op, tile);
}

/// A view of rows: a multiple of 8, so that the swizzle stays as it is. Rows of
/// a tail would be at another distance from those of the chunks before it.
LogicalResult NVVMLowering::lowerView(memref::SubViewOp op) {
  FailureOr<TileAddress> tile = getTile(op, op.getSource());
  if (failed(tile))
    return failure();
  auto layout = cast<fagpu::SramAttr>(op.getSourceType().getMemorySpace());
  if (layout.getTail() != 0)
    return op.emitOpError("expected a view of a tile without a tail but got ")
           << op.getSourceType();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  if (getConstantIntValue(offsets[1]) != 0)
    return op.emitOpError("expected a view of whole rows of a tile in SRAM");
  Value row;
  if (auto constant = getConstantIntValue(offsets[0]))
    row = i32(*constant);
  else
    row = toI32(cast<Value>(offsets[0]));
  tiles[op.getResult()] = {add(tile->base, mul(row, layout.getSwizzle())),
                           tile->chunkBytes};
  return success();
}

//===----------------------------------------------------------------------===//
// Producer and row groups
//===----------------------------------------------------------------------===//

Value NVVMLowering::buildUniform(Value value) {
  return NVVM::ReduxOp::create(builder, loc, builder.getI32Type(), value,
                               NVVM::ReduxKind::MAX, i32(-1));
}

/// Warpgroup 0 gives its registers to the others, and one of its threads
/// issues the copies. With one row group there is nothing to give: 256 threads
/// may have 255 registers each, and ptxas ignores setmaxnreg.
void NVVMLowering::lowerSpecialize(fagpu::SpecializeOp op) {
  bool sharesRegisters = op.getGroups() > 1;
  // All lanes of a warp have the same. redux.sync says so: its result is in a
  // uniform register, and so is what is computed from it: addresses,
  // descriptors and counters of loops. Group and turns are wanted in loops, and
  // no pass moves such an op out of one.
  groupId = buildUniform(add(div(threadId(), 128), i32(-1)));
  // Named barriers: 0 is the block's, 1 + g that of row group g for its store,
  // and after those one a group for its turns.
  int64_t turns = 1 + op.getGroups();
  ownTurn = add(groupId, turns);
  nextTurn = arith::SelectOp::create(builder, loc,
                                     isEqual(groupId, op.getGroups() - 1),
                                     i32(turns), add(groupId, turns + 1));
  Value isProducer = isEqual(div(threadId(), 128), 0);
  auto roles = scf::IfOp::create(builder, loc, isProducer,
                                 /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(roles.thenBlock());
    if (sharesRegisters)
      ptx::buildSetRegisters(builder, loc, op.getProducerRegisters(),
                             /*increase=*/false);
    auto one = scf::IfOp::create(builder, loc, isEqual(threadId(), 0));
    one.thenBlock()->getOperations().splice(
        one.thenBlock()->begin(), op.getProducer().front().getOperations());
    builder.setInsertionPointToStart(roles.elseBlock());
    if (sharesRegisters)
      ptx::buildSetRegisters(builder, loc, op.getConsumerRegisters(),
                             /*increase=*/true);
    roles.elseBlock()->getOperations().splice(
        builder.getInsertionPoint(), op.getConsumer().front().getOperations());
  }
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult NVVMLowering::lowerOp(Operation *op) {
  builder.setInsertionPoint(op);
  loc = op->getLoc();
  for (Value operand : op->getOperands())
    if (isa<fagpu::RingType>(operand.getType()) && !rings.contains(operand))
      return op->emitOpError("expected a ring made by fagpu.alloc");
  auto replace = [&](Value value) -> LogicalResult {
    op->getResult(0).replaceAllUsesWith(value);
    return success();
  };
  auto reject = [](Operation *op) -> LogicalResult {
    return op->emitOpError("expected an op of the scheduled level or below to "
                           "lower to NVVM");
  };
  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        value);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](fagpu::AllocOp op) { return lowerAlloc(op), success(); })
      .Case([&](fagpu::SlotOp op) {
        tiles[op.getStage()] = getStage(op.getRing(), op.getPosition());
        return success();
      })
      .Case([&](memref::SubViewOp op) { return lowerView(op); })
      .Case([&](fagpu::CopyAsyncOp op) { return lowerCopyAsync(op); })
      .Case([&](fagpu::LoadOp op) { return lowerLoad(op); })
      .Case([&](fagpu::StoreFragmentOp op) { return lowerStoreFragment(op); })
      .Case([&](fagpu::StoreOp op) { return lowerStore(op); })
      .Case([&](fagpu::AcquireOp op) { return lowerAcquire(op), success(); })
      .Case([&](fagpu::ReleaseOp op) { return lowerRelease(op), success(); })
      .Case([&](fagpu::DrawBlockOp op) { return replace(lowerDrawBlock(op)); })
      .Case(
          [&](fagpu::PostBlockOp op) { return lowerPostBlock(op), success(); })
      .Case([&](fagpu::AcquireBlockOp op) {
        return replace(lowerAcquireBlock(op));
      })
      .Case([&](fagpu::ReadBlockOp op) {
        return replace(
            buildUniform(readPosted(op.getTurn(), 1 + op.getIndex())));
      })
      .Case([&](fagpu::ReleaseBlockOp op) {
        return lowerReleaseBlock(op), success();
      })
      .Case([&](fagpu::GroupIdOp) { return replace(toIndex(groupId)); })
      .Case([&](fagpu::AwaitTurnOp) {
        ptx::buildNamedBarrier(builder, loc, ownTurn, 256);
        return success();
      })
      .Case([&](fagpu::PassTurnOp) {
        ptx::buildNamedBarrierArrive(builder, loc, nextTurn, 256);
        return success();
      })
      .Case([&](fagpu::DotOp op) {
        if (target.isHopper())
          return lowerDotWgmma(op);
        bool isFMA =
            op.getBType().getElementType().isF32() && !schedule.getTf32();
        return isFMA ? lowerDotFMA(op) : lowerDotMmaSync(op);
      })
      .Case([&](fagpu::WaitDotOp op) { return lowerWaitDot(op); })
      .Case([&](gpu::ThreadIdOp op) {
        if (op.getDimension() != gpu::Dimension::x)
          return reject(op);
        return replace(toIndex(threadId()));
      })
      .Case([&](gpu::BlockIdOp op) {
        if (op.getDimension() != gpu::Dimension::x)
          return reject(op);
        return replace(toIndex(
            NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type())));
      })
      .Case([&](gpu::BarrierOp) {
        NVVM::Barrier0Op::create(builder, loc);
        return success();
      })
      .Default(reject);
}

LogicalResult NVVMLowering::lower() {
  // The start of the workgroup memory; tiles come first, then barriers.
  auto module = kernel->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(kSramSymbol)) {
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, kernel.getLoc(), type, /*isConstant=*/false,
                           LLVM::Linkage::External, kSramSymbol,
                           /*value=*/Attribute(), /*alignment=*/1024,
                           /*addrSpace=*/3);
  }
  builder.setInsertionPointToStart(&kernel.front());
  loc = kernel.getLoc();
  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  Value pointer =
      LLVM::AddressOfOp::create(builder, loc, pointerType, kSramSymbol);
  sramBase =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
  WalkResult planned = kernel.walk([&](fagpu::AllocOp op) {
    if (!op.getOffset()) {
      op.emitOpError("expected an offset; run fa-plan-sram first");
      return WalkResult::interrupt();
    }
    barrierOffset = std::max<int64_t>(
        barrierOffset, llvm::alignTo(*op.getOffset() + op.getByteSize(), 1024));
    return WalkResult::advance();
  });
  if (planned.wasInterrupted())
    return failure();

  // Splits are opened first: what is in them is lowered as part of the block.
  SmallVector<fagpu::SpecializeOp> splits;
  kernel.walk([&](fagpu::SpecializeOp op) { splits.push_back(op); });

  SmallVector<Operation *> ops;
  auto collect = [&] {
    ops.clear();
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool isView = isa<memref::SubViewOp>(op) &&
                    fagpu::isSramTile(op->getResult(0).getType());
      if (isView || isa<fagpu::FAGPUDialect, gpu::GPUDialect>(op->getDialect()))
        ops.push_back(op);
    });
  };
  collect();
  // Rings first: the barriers of all of them are made before any is used.
  for (Operation *op : ops)
    if (auto alloc = dyn_cast<fagpu::AllocOp>(op)) {
      builder.setInsertionPointAfter(pointer.getDefiningOp()->getNextNode());
      loc = alloc.getLoc();
      lowerAlloc(alloc);
    }
  if (schedule.getPersistent() && !splits.empty())
    allocMailbox();
  scf::IfOp setUp;
  if (!splits.empty())
    setUp = initBarriers();
  for (fagpu::SpecializeOp split : splits) {
    builder.setInsertionPoint(split);
    loc = split.getLoc();
    // All have seen the barriers initialised before any waits at one.
    NVVM::Barrier0Op::create(builder, loc);
    lowerSpecialize(split);
  }
  collect();
  for (Operation *op : ops) {
    if (!isa<fagpu::AllocOp, fagpu::SpecializeOp>(op) && failed(lowerOp(op)))
      return failure();
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  if (setUp)
    prefetchTensorMaps(setUp);
  carryPairs(kernel);
  return success();
}

namespace {
struct ConvertFAGPUToNVVM
    : public fa::impl::ConvertFAGPUToNVVMPassBase<ConvertFAGPUToNVVM> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    getOperation().walk([&](func::FuncOp func) {
      if (func->hasAttr(FADialect::getKernelAttrName()))
        kernels.push_back(func);
    });
    for (func::FuncOp kernel : kernels)
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  static LogicalResult lower(func::FuncOp kernel);
};
} // namespace

/// The recipe by which the caller makes a tensor map.
static DictionaryAttr describe(const NVVMLowering::TensorMap &map, Builder &b,
                               StringAttr tensor) {
  auto dim = [&](Attribute size, Attribute stride) -> Attribute {
    return b.getDictionaryAttr(
        {b.getNamedAttr("size", size), b.getNamedAttr("stride", stride)});
  };
  auto integer = [&](int64_t value) -> Attribute {
    return b.getI64IntegerAttr(value);
  };
  auto type = cast<MemRefType>(map.source.getType());
  int64_t columns = type.getDimSize(3),
          bytes = type.getElementTypeBitWidth() / 8;
  int64_t chunks = map.splitColumns ? columns / map.boxColumns : 1;
  auto same = [&](StringRef name) {
    Attribute attr = b.getStringAttr(name);
    return dim(attr, attr);
  };
  Attribute dims[] = {
      dim(integer(map.splitColumns ? map.boxColumns : columns), integer(bytes)),
      same("rows"), dim(integer(chunks), integer(map.boxColumns * bytes)),
      same("heads"), same("batch")};
  Attribute box[] = {integer(map.boxColumns), integer(map.boxRows),
                     integer(map.boxChunks), integer(1), integer(1)};
  return b.getDictionaryAttr(
      {b.getNamedAttr("kind", b.getStringAttr("tensor_map")),
       b.getNamedAttr("tensor", tensor),
       b.getNamedAttr("swizzle", integer(map.swizzle)),
       b.getNamedAttr("box", b.getArrayAttr(box)),
       b.getNamedAttr("dims", b.getArrayAttr(dims))});
}

LogicalResult ConvertFAGPUToNVVM::lower(func::FuncOp kernel) {
  auto info =
      kernel->getAttrOfType<DictionaryAttr>(FADialect::getKernelAttrName());
  auto schedule =
      kernel->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
  auto target =
      kernel->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
  auto arguments = info.getAs<ArrayAttr>("arguments");
  auto sram = info.getAs<IntegerAttr>("sram_bytes");
  if (!schedule || !target || !arguments || !sram)
    return kernel.emitError("expected a kernel made by fa-outline-kernel");
  NVVMLowering lowering(kernel, schedule, target);
  if (failed(lowering.lower()))
    return failure();

  // The tensor maps follow the tensors.
  Builder b(kernel.getContext());
  SmallVector<Attribute> allArguments(arguments.getValue());
  for (const NVVMLowering::TensorMap &map : lowering.getTensorMaps()) {
    auto tensor = cast<DictionaryAttr>(arguments[map.source.getArgNumber()])
                      .getAs<StringAttr>("tensor");
    allArguments.push_back(describe(map, b, tensor));
  }
  if (lowering.hasCounter())
    allArguments.insert(allArguments.begin() + arguments.size(),
                        b.getDictionaryAttr(b.getNamedAttr(
                            "kind", b.getStringAttr("counter"))));
  NamedAttrList extended(info);
  extended.set("arguments", b.getArrayAttr(allArguments));
  kernel->setAttr(FADialect::getKernelAttrName(),
                  extended.getDictionary(kernel.getContext()));
  return success();
}
