//===- FAInterfaces.td - What problems have in common ------*- tablegen -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_IR_FAINTERFACES_TD
#define FA_IR_FAINTERFACES_TD

include "mlir/IR/OpBase.td"

def AttentionOpInterface : OpInterface<"AttentionOpInterface"> {
  let description = [{
    A problem: `fa.attention` or its gradient. Both have Q, K and V, a scale, a
    mask and the regions that say what a score is, and the schedule and target
    that a pass chooses.
  }];
  let cppNamespace = "::mlir::fa";
  let methods = [
    InterfaceMethod<"Q, [B, Hq, Sq, D].",
      "::mlir::TypedValue<::mlir::ShapedType>", "getQuery">,
    InterfaceMethod<"K, [B, Hkv, Sk, D].",
      "::mlir::TypedValue<::mlir::ShapedType>", "getKey">,
    InterfaceMethod<"V, [B, Hkv, Sk, Dv].",
      "::mlir::TypedValue<::mlir::ShapedType>", "getValue">,
    InterfaceMethod<"The mask given, or null.",
      "::mlir::fa::MaskAttr", "getMaskAttr">,
    InterfaceMethod<"", "void", "setMaskAttr", (ins "::mlir::fa::MaskAttr":$mask)>,
    InterfaceMethod<"The scale given, or null.",
      "::mlir::FloatAttr", "getScaleAttr">,
    InterfaceMethod<"The schedule, or null before fa-select-schedule.",
      "::mlir::fa::ScheduleAttr", "getScheduleAttr">,
    InterfaceMethod<"", "void", "setScheduleAttr",
      (ins "::mlir::fa::ScheduleAttr":$schedule)>,
    InterfaceMethod<"The target, or null before fa-select-schedule.",
      "::mlir::fa::TargetAttr", "getTargetAttr">,
    InterfaceMethod<"", "void", "setTargetAttr",
      (ins "::mlir::fa::TargetAttr":$target)>,
    InterfaceMethod<"(score, b, h, i, j) to the new score; may be empty.",
      "::mlir::Region &", "getScoreRegion">,
    InterfaceMethod<"(b, h, i, j) to visibility; may be empty.",
      "::mlir::Region &", "getMaskRegion">
  ];
  let extraSharedClassDeclaration = [{
    bool hasScoreRegion() { return !$_op.getScoreRegion().empty(); }
    bool hasMaskRegion() { return !$_op.getMaskRegion().empty(); }
    bool isOnTensors() {
      return ::llvm::isa<::mlir::RankedTensorType>($_op.getQuery().getType());
    }
    /// D and D_v, static by attention_c5.
    int64_t getHeadDim() { return $_op.getQuery().getType().getDimSize(3); }
    int64_t getHeadDimV() { return $_op.getValue().getType().getDimSize(3); }
    ::mlir::Type getElementType() {
      return $_op.getQuery().getType().getElementType();
    }
    /// The scale given, or 1/sqrt(D).
    float getScaleOrDefault() {
      return ::mlir::fa::detail::getScaleOrDefault($_op.getScaleAttr(),
                                                   getHeadDim());
    }
    /// The mask given, or `none`.
    ::mlir::fa::MaskAttr getMaskOrDefault() {
      return ::mlir::fa::detail::getMaskOrDefault($_op->getContext(),
                                                  $_op.getMaskAttr());
    }
  }];
}

#endif // FA_IR_FAINTERFACES_TD
