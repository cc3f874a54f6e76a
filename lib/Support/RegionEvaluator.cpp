//===- RegionEvaluator.cpp - Score and mask regions, one score at a time --===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op is looked up by name in one of four tables (float or integer, one or
// two operands), or is one of a few special cases (constants, comparisons,
// conversions, reads of tables). The tables are the whole of the semantics.
//
//===----------------------------------------------------------------------===//

#include "fa/Support/RegionEvaluator.h"
#include "fa/Support/Problem.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fa;

using Slot = RegionEvaluator::Slot;
using Apply = std::function<Slot(ArrayRef<Slot>)>;

//===----------------------------------------------------------------------===//
// What the ops mean
//===----------------------------------------------------------------------===//

using UnaryReal = double (*)(double);
using BinaryReal = double (*)(double, double);
using UnaryInt = int64_t (*)(int64_t);
using BinaryInt = int64_t (*)(int64_t, int64_t);

static const llvm::StringMap<UnaryReal> &getUnaryReal() {
  static const llvm::StringMap<UnaryReal> table = {
      {"arith.negf", [](double x) { return -x; }},
      {"math.absf", [](double x) { return std::fabs(x); }},
      {"math.acos", [](double x) { return std::acos(x); }},
      {"math.acosh", [](double x) { return std::acosh(x); }},
      {"math.asin", [](double x) { return std::asin(x); }},
      {"math.asinh", [](double x) { return std::asinh(x); }},
      {"math.atan", [](double x) { return std::atan(x); }},
      {"math.atanh", [](double x) { return std::atanh(x); }},
      {"math.cbrt", [](double x) { return std::cbrt(x); }},
      {"math.ceil", [](double x) { return std::ceil(x); }},
      {"math.cos", [](double x) { return std::cos(x); }},
      {"math.cosh", [](double x) { return std::cosh(x); }},
      {"math.erf", [](double x) { return std::erf(x); }},
      {"math.erfc", [](double x) { return std::erfc(x); }},
      {"math.exp", [](double x) { return std::exp(x); }},
      {"math.exp2", [](double x) { return std::exp2(x); }},
      {"math.expm1", [](double x) { return std::expm1(x); }},
      {"math.floor", [](double x) { return std::floor(x); }},
      {"math.log", [](double x) { return std::log(x); }},
      {"math.log10", [](double x) { return std::log10(x); }},
      {"math.log1p", [](double x) { return std::log1p(x); }},
      {"math.log2", [](double x) { return std::log2(x); }},
      {"math.round", [](double x) { return std::round(x); }},
      {"math.roundeven", [](double x) { return std::nearbyint(x); }},
      {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"math.sin", [](double x) { return std::sin(x); }},
      {"math.sinh", [](double x) { return std::sinh(x); }},
      {"math.sqrt", [](double x) { return std::sqrt(x); }},
      {"math.tan", [](double x) { return std::tan(x); }},
      {"math.tanh", [](double x) { return std::tanh(x); }},
      {"math.trunc", [](double x) { return std::trunc(x); }},
  };
  return table;
}

/// The larger of two numbers; NaN if either is.
static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b);
}

/// Tests of one number.
static const llvm::StringMap<bool (*)(double)> &getTests() {
  static const llvm::StringMap<bool (*)(double)> table = {
      {"math.isfinite", [](double x) { return std::isfinite(x); }},
      {"math.isinf", [](double x) { return std::isinf(x); }},
      {"math.isnan", [](double x) { return std::isnan(x); }},
  };
  return table;
}

static const llvm::StringMap<BinaryReal> &getBinaryReal() {
  static const llvm::StringMap<BinaryReal> table = {
      {"arith.addf", [](double a, double b) { return a + b; }},
      {"arith.divf", [](double a, double b) { return a / b; }},
      {"arith.maximumf", maximum},
      {"arith.maxnumf", [](double a, double b) { return std::fmax(a, b); }},
      {"arith.minimumf", [](double a, double b) { return -maximum(-a, -b); }},
      {"arith.minnumf", [](double a, double b) { return std::fmin(a, b); }},
      {"arith.mulf", [](double a, double b) { return a * b; }},
      {"arith.remf", [](double a, double b) { return std::fmod(a, b); }},
      {"arith.subf", [](double a, double b) { return a - b; }},
      {"math.atan2", [](double a, double b) { return std::atan2(a, b); }},
      {"math.copysign", [](double a, double b) { return std::copysign(a, b); }},
      {"math.powf", [](double a, double b) { return std::pow(a, b); }},
  };
  return table;
}

static const llvm::StringMap<UnaryInt> &getUnaryInt() {
  static const llvm::StringMap<UnaryInt> table = {
      {"arith.extsi", [](int64_t x) { return x; }},
      {"arith.index_cast", [](int64_t x) { return x; }},
      {"arith.trunci", [](int64_t x) { return x; }},
      {"math.absi",
       [](int64_t x) { return x < 0 ? int64_t(-uint64_t(x)) : x; }},
  };
  return table;
}

/// Division by zero, and of the least number by -1, have no meaning: 0.
static bool canDivide(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}

/// `base` to a power, modulo 2^64; for a negative one the integer part.
static int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1;
  for (auto factor = static_cast<uint64_t>(base); exponent > 0;
       exponent >>= 1) {
    if (exponent & 1)
      result *= factor;
    factor *= factor;
  }
  return static_cast<int64_t>(result);
}

/// Signed and wrapping operations; the result is cut to its width afterwards.
static const llvm::StringMap<BinaryInt> &getBinaryInt() {
  using U = uint64_t;
  static const llvm::StringMap<BinaryInt> table = {
      {"arith.addi", [](int64_t a, int64_t b) { return int64_t(U(a) + U(b)); }},
      {"arith.andi", [](int64_t a, int64_t b) { return a & b; }},
      {"arith.ceildivsi",
       [](int64_t a, int64_t b) {
         return canDivide(a, b) ? llvm::divideCeilSigned(a, b) : 0;
       }},
      {"arith.divsi",
       [](int64_t a, int64_t b) { return canDivide(a, b) ? a / b : 0; }},
      {"arith.floordivsi",
       [](int64_t a, int64_t b) {
         return canDivide(a, b) ? llvm::divideFloorSigned(a, b) : 0;
       }},
      {"arith.maxsi", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"arith.minsi", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"arith.muli", [](int64_t a, int64_t b) { return int64_t(U(a) * U(b)); }},
      {"arith.ori", [](int64_t a, int64_t b) { return a | b; }},
      {"arith.remsi",
       [](int64_t a, int64_t b) { return canDivide(a, b) ? a % b : 0; }},
      {"arith.shli",
       [](int64_t a, int64_t b) { return int64_t(U(a) << (b & 63)); }},
      {"arith.shrsi", [](int64_t a, int64_t b) { return a >> (b & 63); }},
      {"arith.subi", [](int64_t a, int64_t b) { return int64_t(U(a) - U(b)); }},
      {"arith.xori", [](int64_t a, int64_t b) { return a ^ b; }},
      {"math.ipowi", power},
  };
  return table;
}

/// Operations on the operands as unsigned numbers of their width.
static const llvm::StringMap<BinaryInt> &getBinaryUnsigned() {
  using U = uint64_t;
  static const llvm::StringMap<BinaryInt> table = {
      {"arith.ceildivui",
       [](int64_t a, int64_t b) {
         return b ? int64_t(U(a) / U(b) + (U(a) % U(b) != 0)) : 0;
       }},
      {"arith.divui",
       [](int64_t a, int64_t b) { return b ? int64_t(U(a) / U(b)) : 0; }},
      {"arith.maxui", [](int64_t a, int64_t b) { return U(a) > U(b) ? a : b; }},
      {"arith.minui", [](int64_t a, int64_t b) { return U(a) < U(b) ? a : b; }},
      {"arith.remui",
       [](int64_t a, int64_t b) { return b ? int64_t(U(a) % U(b)) : 0; }},
      {"arith.shrui",
       [](int64_t a, int64_t b) { return int64_t(U(a) >> (b & 63)); }},
  };
  return table;
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return unordered || a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

/// Signed predicates get signed operands; sign extension keeps the order of
/// unsigned numbers of one width, so these need no other treatment.
static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

/// Bits of an integer; an index has 64.
static unsigned getIntWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static int64_t signExtend(int64_t value, unsigned width) {
  return width >= 64 ? value
                     : llvm::SignExtend64(static_cast<uint64_t>(value), width);
}

static int64_t zeroExtend(int64_t value, unsigned width) {
  return width >= 64
             ? value
             : static_cast<int64_t>(static_cast<uint64_t>(value) &
                                    llvm::maskTrailingOnes<uint64_t>(width));
}

/// Float to integer, with what does not fit held to the ends.
static int64_t toInteger(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  if (value < -0x1p63)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

static Slot makeReal(double value) { return {value, 0}; }
static Slot makeInteger(int64_t value) { return {0, value}; }

static double roundToType(Type type, double value) {
  std::optional<fart::DType> dtype = getDType(type);
  return dtype ? fart::roundTo(*dtype, value) : value; // f64 stays as it is.
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

class RegionEvaluator::Builder {
public:
  Builder(const llvm::DenseMap<Value, Binding> &bindings, Precision precision)
      : bindings(bindings), precision(precision) {}

  llvm::Expected<RegionEvaluator> run(Region &region) {
    Block &block = region.front();
    for (BlockArgument argument : block.getArguments())
      slots[argument] = addSlot({});
    evaluator.numArguments = block.getNumArguments();
    // Every op in order, though a result may not be used: an unknown op is then
    // an error however it stands.
    for (Operation &op : block.without_terminator())
      if (llvm::Error error = addOp(&op))
        return error;
    llvm::Expected<unsigned> result =
        getSlot(block.getTerminator()->getOperand(0));
    if (!result)
      return result.takeError();
    evaluator.resultSlot = *result;
    return std::move(evaluator);
  }

private:
  unsigned addSlot(Slot value) {
    evaluator.initial.push_back(value);
    return evaluator.initial.size() - 1;
  }

  /// The slot of a scalar, with what it is computed from outside of the region.
  llvm::Expected<unsigned> getSlot(Value value) {
    if (auto it = slots.find(value); it != slots.end())
      return it->second;
    if (auto it = bindings.find(value); it != bindings.end())
      return slots[value] = addSlot(it->second.scalar);
    Operation *op = value.getDefiningOp();
    if (!op)
      return llvm::createStringError(
          // untested: the tool gives every argument a value
          "a region uses a block argument that has no value");
    if (llvm::Error error = addOp(op))
      return error;
    return slots[value];
  }

  static llvm::Error makeUnknown(Operation *op) {
    return llvm::createStringError("the reference does not know the op '" +
                                   op->getName().getStringRef() +
                                   "' of the region");
  }

  llvm::Error addOp(Operation *op) {
    // A step has one result.
    if (op->getNumResults() != 1)
      return makeUnknown(op);
    if (slots.contains(op->getResult(0)))
      return llvm::Error::success();
    Type type = op->getResult(0).getType();

    // A scalar constant is a slot and no step.
    if (Attribute constant; matchPattern(op, m_Constant(&constant))) {
      if (auto value = dyn_cast<FloatAttr>(constant)) {
        slots[op->getResult(0)] =
            addSlot(makeReal(value.getValue().convertToDouble()));
        return llvm::Error::success();
      }
      if (auto value = dyn_cast<IntegerAttr>(constant)) {
        slots[op->getResult(0)] =
            addSlot(makeInteger(value.getValue().getSExtValue()));
        return llvm::Error::success();
      }
    }

    Step step;
    ValueRange scalars = op->getOperands();
    if (isa<tensor::ExtractOp, memref::LoadOp>(op)) {
      llvm::Expected<Apply> read = makeRead(scalars.front());
      if (!read)
        return read.takeError();
      step.apply = *read;
      scalars = scalars.drop_front();
    } else {
      step.apply = makeApply(op);
    }
    if (!step.apply || !type.isIntOrIndexOrFloat())
      return makeUnknown(op);
    for (Value operand : scalars) {
      llvm::Expected<unsigned> slot = getSlot(operand);
      if (!slot)
        return slot.takeError();
      step.operands.push_back(*slot);
    }

    // Bring the result to its type.
    Apply exact = std::move(step.apply);
    if (!isa<FloatType>(type))
      step.apply = [exact, width = getIntWidth(type)](ArrayRef<Slot> in) {
        return makeInteger(signExtend(exact(in).integer, width));
      };
    else if (precision == Precision::Typed || isa<arith::TruncFOp>(op))
      step.apply = [exact, type](ArrayRef<Slot> in) {
        return makeReal(roundToType(type, exact(in).real));
      };
    else
      step.apply = std::move(exact);
    step.result = slots[op->getResult(0)] = addSlot({});
    evaluator.steps.push_back(std::move(step));
    return llvm::Error::success();
  }

  /// The meaning of `op`, or nothing if it is not known.
  Apply makeApply(Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (UnaryReal fn = getUnaryReal().lookup(name))
      return [fn](ArrayRef<Slot> in) { return makeReal(fn(in[0].real)); };
    if (bool (*fn)(double) = getTests().lookup(name))
      return [fn](ArrayRef<Slot> in) { return makeInteger(fn(in[0].real)); };
    if (BinaryReal fn = getBinaryReal().lookup(name))
      return [fn](ArrayRef<Slot> in) {
        return makeReal(fn(in[0].real, in[1].real));
      };
    if (UnaryInt fn = getUnaryInt().lookup(name))
      return [fn](ArrayRef<Slot> in) { return makeInteger(fn(in[0].integer)); };
    if (BinaryInt fn = getBinaryInt().lookup(name))
      return [fn](ArrayRef<Slot> in) {
        return makeInteger(fn(in[0].integer, in[1].integer));
      };
    if (BinaryInt fn = getBinaryUnsigned().lookup(name))
      return [fn, width = getIntWidth(op->getOperand(0).getType())](
                 ArrayRef<Slot> in) {
        return makeInteger(fn(zeroExtend(in[0].integer, width),
                              zeroExtend(in[1].integer, width)));
      };
    return makeSpecial(op);
  }

  /// Comparisons, conversions and the like.
  Apply makeSpecial(Operation *op) {
    return TypeSwitch<Operation *, Apply>(op)
        .Case([](arith::CmpFOp cmp) -> Apply {
          return [predicate = cmp.getPredicate()](ArrayRef<Slot> in) {
            return makeInteger(compare(predicate, in[0].real, in[1].real));
          };
        })
        .Case([](arith::CmpIOp cmp) -> Apply {
          return [predicate = cmp.getPredicate()](ArrayRef<Slot> in) {
            return makeInteger(
                compare(predicate, in[0].integer, in[1].integer));
          };
        })
        .Case([](arith::SelectOp) -> Apply {
          return
              [](ArrayRef<Slot> in) { return in[0].integer ? in[1] : in[2]; };
        })
        .Case([](math::FmaOp) -> Apply {
          return [](ArrayRef<Slot> in) {
            return makeReal(std::fma(in[0].real, in[1].real, in[2].real));
          };
        })
        .Case([](math::ClampFOp) -> Apply {
          return [](ArrayRef<Slot> in) {
            double atLeast = maximum(in[0].real, in[1].real);
            return makeReal(-maximum(-atLeast, -in[2].real));
          };
        })
        .Case([](math::FPowIOp) -> Apply {
          return [](ArrayRef<Slot> in) {
            return makeReal(
                std::pow(in[0].real, static_cast<double>(in[1].integer)));
          };
        })
        .Case<arith::ExtFOp, arith::TruncFOp>([](auto) -> Apply {
          return [](ArrayRef<Slot> in) { return in[0]; };
        })
        .Case<arith::SIToFPOp>([](auto) -> Apply {
          return [](ArrayRef<Slot> in) {
            return makeReal(static_cast<double>(in[0].integer));
          };
        })
        .Case<arith::FPToSIOp, arith::FPToUIOp>([](auto) -> Apply {
          return [](ArrayRef<Slot> in) {
            return makeInteger(toInteger(in[0].real));
          };
        })
        .Case<arith::ExtUIOp, arith::IndexCastUIOp, arith::UIToFPOp>(
            [](auto cast) -> Apply {
              bool toFloat = isa<arith::UIToFPOp>(cast.getOperation());
              unsigned width = getIntWidth(cast.getIn().getType());
              return [toFloat, width](ArrayRef<Slot> in) {
                int64_t value = zeroExtend(in[0].integer, width);
                return toFloat ? makeReal(static_cast<double>(
                                     static_cast<uint64_t>(value)))
                               : makeInteger(value);
              };
            })
        .Default([](Operation *) { return Apply(); });
  }

  /// Reads an element of the table `value` at the operands.
  llvm::Expected<Apply> makeRead(Value value) {
    DenseElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return makeReadConstant(constant);
    auto it = bindings.find(value);
    if (it == bindings.end() || !it->second.table)
      return llvm::createStringError(
          "a region reads a table that is neither an input of the function nor "
          "a constant, which the reference cannot follow");
    const fart::HostTensor *table = it->second.table;
    if (!fart::isFloat(table->getDType()))
      return Apply([table](ArrayRef<Slot> in) {
        std::optional<int64_t> offset =
            getOffset(in, table->getShape(), table->getStrides());
        return makeInteger(offset ? table->getInteger(*offset) : 0);
      });
    return Apply([table](ArrayRef<Slot> in) {
      std::optional<int64_t> offset =
          getOffset(in, table->getShape(), table->getStrides());
      return makeReal(offset ? table->get(*offset)
                             : std::numeric_limits<double>::quiet_NaN());
    });
  }

  /// The same for a table of constants; nothing if it does not hold numbers.
  static Apply makeReadConstant(DenseElementsAttr constant) {
    std::vector<Slot> elements;
    if (isa<FloatType>(constant.getElementType()))
      for (APFloat element : constant.getValues<APFloat>())
        elements.push_back(makeReal(element.convertToDouble()));
    else if (constant.getElementType().isIntOrIndex())
      for (APInt element : constant.getValues<APInt>())
        elements.push_back(makeInteger(element.getSExtValue()));
    else
      return Apply();
    ArrayRef<int64_t> shape = constant.getType().getShape();
    return [elements, shape = shape.vec(),
            strides = computeStrides(shape)](ArrayRef<Slot> in) {
      std::optional<int64_t> offset = getOffset(in, shape, strides);
      return offset ? elements[*offset]
                    : makeReal(std::numeric_limits<double>::quiet_NaN());
    };
  }

  /// Where the element at `indices` is, if it is inside of `shape`.
  static std::optional<int64_t> getOffset(ArrayRef<Slot> indices,
                                          ArrayRef<int64_t> shape,
                                          ArrayRef<int64_t> strides) {
    int64_t offset = 0;
    for (auto [index, extent, stride] :
         llvm::zip_equal(indices, shape, strides)) {
      if (index.integer < 0 || index.integer >= extent)
        return std::nullopt;
      offset += index.integer * stride;
    }
    return offset;
  }

  const llvm::DenseMap<Value, Binding> &bindings;
  Precision precision;
  RegionEvaluator evaluator;
  llvm::DenseMap<Value, unsigned> slots;
};

llvm::Expected<RegionEvaluator>
RegionEvaluator::create(Region &region,
                        const llvm::DenseMap<Value, Binding> &bindings,
                        Precision precision) {
  return Builder(bindings, precision).run(region);
}

Slot RegionEvaluator::evaluate(ArrayRef<Slot> arguments) const {
  SmallVector<Slot, 32> slots{ArrayRef<Slot>(initial)};
  llvm::copy(arguments, slots.begin());
  SmallVector<Slot, 4> operands;
  for (const Step &step : steps) {
    operands.clear();
    for (unsigned operand : step.operands)
      operands.push_back(slots[operand]);
    slots[step.result] = step.apply(operands);
  }
  return slots[resultSlot];
}
