//===- PTX.cpp - The instructions that NVVM has no op for --------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fa;

/// One inline assembly op with side effects.
static LLVM::InlineAsmOp buildAsm(OpBuilder &builder, Location loc,
                                  TypeRange results, ValueRange operands,
                                  StringRef text, StringRef constraints) {
  Type type;
  if (results.size() == 1)
    type = results.front();
  else if (results.size() > 1)
    type = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                            SmallVector<Type>(results));
  return LLVM::InlineAsmOp::create(
      builder, loc, type, operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
}

void ptx::buildMbarrierWait(OpBuilder &builder, Location loc, Value barrier,
                            Value parity) {
  buildAsm(builder, loc, {}, {barrier, parity},
           "{\n"
           ".reg .pred done;\n"
           "wait:\n"
           "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
           "@!done bra wait;\n"
           "}",
           "r,r,~{memory}");
}

void ptx::buildMbarrierInit(OpBuilder &builder, Location loc, Value barrier,
                            int64_t count) {
  buildAsm(
      builder, loc, {}, {barrier},
      llvm::formatv("mbarrier.init.shared::cta.b64 [$0], {0};", count).str(),
      "r,~{memory}");
}

void ptx::buildMbarrierArrive(OpBuilder &builder, Location loc, Value barrier) {
  buildAsm(builder, loc, {}, {barrier},
           "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}");
}

void ptx::buildMbarrierExpect(OpBuilder &builder, Location loc, Value barrier,
                              int64_t bytes) {
  buildAsm(builder, loc, {}, {barrier},
           llvm::formatv(
               "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], {0};", bytes)
               .str(),
           "r,~{memory}");
}

void ptx::buildFenceMbarrierInit(OpBuilder &builder, Location loc) {
  buildAsm(builder, loc, {}, {}, "fence.mbarrier_init.release.cluster;",
           "~{memory}");
}

void ptx::buildTensorMapPrefetch(OpBuilder &builder, Location loc, Value map) {
  buildAsm(builder, loc, {}, {map}, "prefetch.tensormap [$0];", "l,~{memory}");
}

void ptx::buildTensorLoad(OpBuilder &builder, Location loc, Value target,
                          Value map, ValueRange coordinates, Value barrier) {
  SmallVector<Value> operands{target, map};
  llvm::append_range(operands, coordinates);
  operands.push_back(barrier);
  buildAsm(builder, loc, {}, operands,
           "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::"
           "complete_tx::bytes [$0], [$1, {$2, $3, $4, $5, $6}], [$7];",
           "r,l,r,r,r,r,r,r,~{memory}");
}

void ptx::buildTensorStore(OpBuilder &builder, Location loc, Value source,
                           Value map, ValueRange coordinates) {
  SmallVector<Value> operands{map};
  llvm::append_range(operands, coordinates);
  operands.push_back(source);
  buildAsm(builder, loc, {}, operands,
           "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group "
           "[$0, {$1, $2, $3, $4, $5}], [$6];",
           "l,r,r,r,r,r,r,~{memory}");
}

void ptx::buildFenceProxyAsync(OpBuilder &builder, Location loc) {
  buildAsm(builder, loc, {}, {}, "fence.proxy.async.shared::cta;", "~{memory}");
}

void ptx::buildNamedBarrier(OpBuilder &builder, Location loc, Value id,
                            int64_t threads) {
  buildAsm(builder, loc, {}, {id},
           llvm::formatv("bar.sync $0, {0};", threads).str(), "r,~{memory}");
}

void ptx::buildNamedBarrierArrive(OpBuilder &builder, Location loc, Value id,
                                  int64_t threads) {
  buildAsm(builder, loc, {}, {id},
           llvm::formatv("bar.arrive $0, {0};", threads).str(), "r,~{memory}");
}

void ptx::buildCopyAsync(OpBuilder &builder, Location loc, Value target,
                         Value source, int64_t size, Value bytes) {
  // Only whole units may pass by L1.
  buildAsm(builder, loc, {}, {target, source, bytes},
           llvm::formatv("cp.async.{0}.shared.global [$0], [$1], {1}, $2;",
                         size == 16 ? "cg" : "ca", size)
               .str(),
           "r,l,r,~{memory}");
}

void ptx::buildCopyByHalves(OpBuilder &builder, Location loc, Value target,
                            Value source, Value bytes) {
  std::string text = "{\n.reg .pred p;\n.reg .b16 h<8>;\n.reg .b32 w<4>;\n";
  for (int64_t i = 0; i < 8; ++i)
    text += llvm::formatv("setp.gt.s32 p, $2, {0};\nmov.b16 h{1}, 0;\n"
                          "@p ld.global.b16 h{1}, [$1+{0}];\n",
                          2 * i, i)
                .str();
  for (int64_t i = 0; i < 4; ++i)
    text += llvm::formatv("mov.b32 w{0}, {{h{1}, h{2}};\n", i, 2 * i, 2 * i + 1)
                .str();
  text += "st.shared.v4.b32 [$0], {w0, w1, w2, w3};\n}";
  buildAsm(builder, loc, {}, {target, source, bytes}, text, "r,l,r,~{memory}");
}

Value ptx::buildConvertPair(OpBuilder &builder, Location loc, Value low,
                            Value high, Type elementType) {
  // The first source is the upper half.
  StringRef name = elementType.isBF16() ? "bf16" : "f16";
  return buildAsm(builder, loc, builder.getI32Type(), {high, low},
                  ("cvt.rn." + name + "x2.f32 $0, $1, $2;").str(), "=r,f,f")
      .getRes();
}

void ptx::buildSetRegisters(OpBuilder &builder, Location loc, int64_t registers,
                            bool increase) {
  buildAsm(builder, loc, {}, {},
           llvm::formatv("setmaxnreg.{0}.sync.aligned.u32 {1};",
                         increase ? "inc" : "dec", registers)
               .str(),
           "");
}

/// $first, ..., $(first + count - 1) in braces.
static std::string operandList(int64_t first, int64_t count) {
  std::string list = "{";
  for (int64_t i = 0; i < count; ++i)
    list += llvm::formatv("{0}${1}", i ? ", " : "", first + i).str();
  return list + "}";
}

/// The values of a struct, or the one value.
static SmallVector<Value> unpack(OpBuilder &builder, LLVM::InlineAsmOp op) {
  SmallVector<Value> values;
  Value result = op.getRes();
  auto type = dyn_cast<LLVM::LLVMStructType>(result.getType());
  if (!type)
    return {result};
  for (int64_t i = 0, e = type.getBody().size(); i < e; ++i)
    values.push_back(
        LLVM::ExtractValueOp::create(builder, op.getLoc(), result, i));
  return values;
}

SmallVector<Value> ptx::buildWgmma(OpBuilder &builder, Location loc,
                                   const Wgmma &wgmma) {
  // Operands: the accumulators (results $0 .. $n/2-1, tied inputs after them
  // if C is given), then for each step A and B.
  int64_t accSize = wgmma.n / 2;
  bool hasAcc = !wgmma.acc.empty();
  SmallVector<Value> operands(wgmma.acc);
  std::string constraints;
  for (int64_t i = 0; i < accSize; ++i)
    constraints += hasAcc ? "=f," : "=&f,";
  for (int64_t i = 0; hasAcc && i < accSize; ++i)
    constraints += std::to_string(i) + ",";

  std::string d = operandList(0, accSize);
  std::string text = "{\nwgmma.fence.sync.aligned;\n";
  int64_t next = accSize * (hasAcc ? 2 : 1);
  for (auto [step, ab] : llvm::enumerate(llvm::zip_equal(wgmma.a, wgmma.b))) {
    const auto &[a, b] = ab;
    bool inRegisters = a.size() > 1;
    std::string aText = inRegisters ? operandList(next, a.size())
                                    : llvm::formatv("${0}", next).str();
    constraints += inRegisters ? "r,r,r,r,l," : "l,l,";
    llvm::append_range(operands, a);
    operands.push_back(b);
    // Scale-d (0 for the first step of C = 0), the signs of A and B, and the
    // transpose bits: of B only, if A is in registers.
    text += llvm::formatv(
                "wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} {2}, "
                "{3}, ${4}, {5}, 1, 1, {6}{7};\n",
                wgmma.n, wgmma.elementType, d, aText, next + a.size(),
                hasAcc || step > 0 ? 1 : 0, inRegisters ? "" : "0, ",
                wgmma.transposeB ? 1 : 0)
                .str();
    next += a.size() + 1;
  }
  text += "wgmma.commit_group.sync.aligned;\n}";
  constraints += "~{memory}";
  SmallVector<Type> results(accSize, builder.getF32Type());
  return unpack(builder,
                buildAsm(builder, loc, results, operands, text, constraints));
}

SmallVector<Value> ptx::buildWgmmaWait(OpBuilder &builder, Location loc,
                                       ValueRange acc, int64_t pending) {
  std::string constraints;
  for (size_t i = 0; i < acc.size(); ++i)
    constraints += "=f,";
  for (size_t i = 0; i < acc.size(); ++i)
    constraints += std::to_string(i) + ",";
  constraints += "~{memory}";
  SmallVector<Type> results(acc.size(), builder.getF32Type());
  return unpack(
      builder,
      buildAsm(
          builder, loc, results, acc,
          llvm::formatv("wgmma.wait_group.sync.aligned {0};", pending).str(),
          constraints));
}
