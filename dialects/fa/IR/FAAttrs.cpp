//===- FAAttrs.cpp - Attributes of the fa dialect -------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;

#include "fa/IR/FAEnums.cpp.inc"

/// `sram = N` (`, vector_bits = N`)? (`, align = N`)? (`, max_keys = N`)?
static ParseResult parseTargetLimits(AsmParser &parser, int64_t &sram,
                                     int64_t &vectorBits, int64_t &align,
                                     int64_t &maxKeys) {
  vectorBits = 0;
  align = 16;
  maxKeys = 0;
  if (parser.parseKeyword("sram") || parser.parseEqual() ||
      parser.parseInteger(sram))
    return failure();
  const std::pair<StringRef, int64_t *> fields[] = {
      {"vector_bits", &vectorBits}, {"align", &align}, {"max_keys", &maxKeys}};
  ArrayRef<std::pair<StringRef, int64_t *>> left = fields;
  while (succeeded(parser.parseOptionalComma())) {
    while (!left.empty() &&
           failed(parser.parseOptionalKeyword(left.front().first)))
      left = left.drop_front();
    if (left.empty())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected 'vector_bits', 'align' and 'max_keys' "
                              "in this order, each at most once");
    if (parser.parseEqual() || parser.parseInteger(*left.front().second))
      return failure();
    left = left.drop_front();
  }
  return success();
}

static void printTargetLimits(AsmPrinter &printer, int64_t sram,
                              int64_t vectorBits, int64_t align,
                              int64_t maxKeys) {
  printer << "sram = " << sram;
  if (vectorBits != 0)
    printer << ", vector_bits = " << vectorBits;
  if (align != 16)
    printer << ", align = " << align;
  if (maxKeys != 0)
    printer << ", max_keys = " << maxKeys;
}

#define GET_ATTRDEF_CLASSES
#include "fa/IR/FAAttrs.cpp.inc"

void FADialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fa/IR/FAAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// MaskAttr
//===----------------------------------------------------------------------===//

LogicalResult MaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               MaskKind kind, int64_t left, int64_t right,
                               MaskAlign align) {
  if (kind == MaskKind::Window) {
    // mask_c1
    if (left < 0 || right < 0)
      return emitError() << "expected a window with left and right of at least "
                            "0 but got left = "
                         << left << ", right = " << right;
    return success();
  }
  // mask_c2
  if (left != -1 || right != -1)
    return emitError() << "expected left and right only with a window mask, "
                          "but the mask is "
                       << stringifyMaskKind(kind);
  // mask_c3
  if (kind == MaskKind::None && align != MaskAlign::BottomRight)
    return emitError() << "expected no alignment on a mask of kind none but "
                          "got "
                       << stringifyMaskAlign(align);
  return success();
}

std::optional<int64_t> MaskAttr::getLeftBound() const {
  if (getKind() == MaskKind::Window)
    return getLeft();
  return std::nullopt;
}

std::optional<int64_t> MaskAttr::getRightBound() const {
  switch (getKind()) {
  case MaskKind::None:
    return std::nullopt;
  case MaskKind::Causal:
    return 0;
  case MaskKind::Window:
    return getRight();
  }
  llvm_unreachable("unknown mask kind");
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef chip, int64_t sram,
                                 int64_t vectorBits, int64_t align,
                                 int64_t maxKeys) {
  // target_c1
  if (!llvm::is_contained({"cpu", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a",
                           "sm_100", "sm_120"},
                          chip))
    return emitError() << "expected target \"cpu\", \"sm_80\", \"sm_86\", "
                          "\"sm_89\", \"sm_90\", \"sm_90a\", \"sm_100\" or "
                          "\"sm_120\" but got \""
                       << chip << "\"";
  // target_c2
  if (sram <= 0)
    return emitError() << "expected a positive number of bytes for sram but "
                          "got "
                       << sram;
  // target_c3
  if (chip == "cpu" && vectorBits != 128 && vectorBits != 256 &&
      vectorBits != 512)
    return emitError() << "expected vector_bits of 128, 256 or 512 but got "
                       << vectorBits;
  if (chip != "cpu" && vectorBits != 0)
    return emitError() << "expected no vector_bits on a GPU but got "
                       << vectorBits;
  // target_c4
  if (!llvm::is_contained({2, 4, 8, 16}, align) ||
      (chip == "cpu" && align != 16))
    return emitError() << "expected an align of 2, 4, 8 or 16 bytes on a GPU, "
                          "and none on the CPU, but got "
                       << align;
  // target_c5
  if (maxKeys < 0 || (chip == "cpu" && maxKeys != 0))
    return emitError() << "expected max_keys of at least 0 on a GPU, and none "
                          "on the CPU, but got "
                       << maxKeys;
  return success();
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t br, int64_t bc, int64_t mr,
                                   int64_t nr, int64_t groups, int64_t warps,
                                   int64_t stages, int64_t blocks, bool overlap,
                                   bool pingpong, bool lazy, bool narrow,
                                   int64_t persistent, BackwardDesign backward,
                                   int64_t splits) {
  // Larger tiles only make code and buffers grow.
  constexpr int64_t kMaxTile = 4096;

  // schedule_c1
  if (br <= 0 || bc <= 0 || mr < 0 || nr < 0 || (mr == 0) != (nr == 0))
    return emitError() << "expected positive tile sizes but got br = " << br
                       << ", bc = " << bc << ", mr = " << mr << ", nr = " << nr;
  if (groups <= 0 || warps <= 0 || stages <= 0 || blocks <= 0)
    return emitError() << "expected at least one row group, warp, stage and "
                          "block but got groups = "
                       << groups << ", warps = " << warps
                       << ", stages = " << stages << ", blocks = " << blocks;
  if (splits <= 0)
    return emitError() << "expected at least one split but got splits = "
                       << splits;
  // schedule_c2
  if (br > kMaxTile || bc > kMaxTile)
    return emitError() << "expected br and bc of at most " << kMaxTile
                       << " but got br = " << br << ", bc = " << bc;
  // schedule_c3
  if (mr != 0 && br % mr != 0)
    return emitError() << "expected br to be a multiple of mr but got br = "
                       << br << ", mr = " << mr;
  // schedule_c4
  if (nr != 0 && bc % nr != 0)
    return emitError() << "expected bc to be a multiple of nr but got bc = "
                       << bc << ", nr = " << nr;
  // schedule_c5
  if (br % groups != 0)
    return emitError() << "expected br to be a multiple of groups but got br = "
                       << br << ", groups = " << groups;
  // schedule_c6
  if (pingpong && groups < 2)
    return emitError() << "expected pingpong with at least two groups but got "
                          "groups = "
                       << groups;
  // schedule_c7
  constexpr int64_t kMaxSplits = 64;
  int64_t maxSplits = backward == BackwardDesign::OnePass ? kMaxSplits : 1;
  if (splits > maxSplits)
    return emitError() << "expected at most " << maxSplits << " splits with "
                       << stringifyBackwardDesign(backward) << " but got "
                       << splits;
  // schedule_c8
  if (persistent < 0 || persistent > 2)
    return emitError() << "expected persistent to be 0, 1 or 2 but got "
                       << persistent;
  return success();
}
