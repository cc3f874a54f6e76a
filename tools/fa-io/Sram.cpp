//===- Sram.cpp - What the tiles of a block take --------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside the paper's figure that of the schedule which the compiler chooses, as
// fa-plan-sram left it in the IR: tiles with their padding, stages, barriers;
// and what lives in registers instead.
//
//===----------------------------------------------------------------------===//

#include "../common/Levels.h"
#include "Query.h"
#include "fa/InitAllDialects.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fa;

static llvm::Error printSchedule(const Query &query, StringRef target,
                                 int64_t headDim, MLIRContext &context,
                                 raw_ostream &os) {
  AttentionProblem problem = query.getProblem(headDim);
  GPUPipelineOptions options;
  options.chip = target.str();
  options.stopAfter = Level::Scheduled;
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      lowerCopy(*buildProblem(&context, problem), options);
  if (!module)
    return module.takeError();

  (*module)->walk([&](scf::ForallOp nest) {
    auto schedule =
        nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
    auto total = nest->getAttrOfType<IntegerAttr>("fagpu.sram_bytes");
    if (!schedule || !total)
      return;
    int64_t br = schedule.getBr(), bc = schedule.getBc();
    int64_t textbook = (br * headDim + bc * (headDim + problem.headDimV) +
                        br * bc + br * problem.headDimV) *
                       query.elementBytes;
    os << "\nhead dim " << headDim << " on " << target << ", " << schedule
       << '\n';
    std::vector<std::vector<std::string>> table = {{"", "bytes"}};
    int64_t tiles = 0;
    nest.walk([&](fagpu::AllocOp alloc) {
      int64_t bytes = llvm::alignTo(alloc.getByteSize(), 1024);
      tiles += bytes;
      std::string type;
      llvm::raw_string_ostream(type) << alloc.getType();
      table.push_back({type, std::to_string(bytes)});
    });
    table.push_back({"barriers", std::to_string(total.getInt() - tiles)});
    table.push_back({"SRAM of a block", std::to_string(total.getInt())});
    table.push_back(
        {"in the paper, with these tiles", std::to_string(textbook)});
    // f32 accumulators, P in the type of V, and m and l.
    int64_t registers = br * bc * 4 + br * problem.headDimV * 4 +
                        br * bc * query.elementBytes + 2 * br * 4;
    table.push_back(
        {"S, P, O, m and l in registers instead", std::to_string(registers)});
    printAligned(table, os);
  });
  return llvm::Error::success();
}

llvm::Error fa::printSram(const Query &query, StringRef target,
                          raw_ostream &os) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  for (int64_t headDim : query.headDim)
    if (llvm::Error error = printSchedule(query, target, headDim, context, os))
      return error;
  return llvm::Error::success();
}
