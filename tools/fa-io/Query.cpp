//===- Query.cpp - The numbers of fa-io -----------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Query.h"

#include "fa/Runtime/Problem.h"

using namespace mlir;
using namespace mlir::fa;

llvm::Expected<int64_t> fa::evaluate(const fart::Formula &formula,
                                     const fart::SizeValues &sizes,
                                     StringRef what) {
  fart::Result<int64_t> value = formula.evaluate(sizes);
  if (!value)
    return llvm::createStringError("cannot compute " + what + ": " +
                                   value.error().message);
  return *value;
}

double fa::getFlops(const Query &query, const fart::SizeValues &sizes) {
  fart::Problem problem;
  problem.batch = query.batch;
  problem.heads = query.heads;
  problem.seqQ = sizes.at("seq_q");
  problem.seqKV = sizes.at("seq_kv");
  problem.headDim = sizes.at("head_dim");
  problem.headDimV = sizes.at("head_dim_v");
  problem.mask = query.mask.getBand();
  double forward = problem.getFlops();
  if (!query.isBackward)
    return forward;
  // S, dQ and dK along the head dim of K; dP and dV along that of V.
  auto d = static_cast<double>(problem.headDim),
       dv = static_cast<double>(problem.headDimV);
  return forward / (d + dv) * (3 * d + 2 * dv);
}

AttentionProblem Query::getProblem(int64_t headDim) const {
  AttentionProblem problem;
  problem.headDim = headDim;
  problem.headDimV = headDimV.value_or(headDim);
  problem.dtype = elementBytes == 2 ? fart::DType::BF16 : fart::DType::F32;
  problem.mask = mask;
  return problem;
}

fart::SizeValues Query::getSizes(int64_t seqQ, int64_t headDim, int64_t br,
                                 int64_t bc) const {
  return {{"batch", batch},
          {"heads", heads},
          {"kv_heads", kvHeads.value_or(heads)},
          {"seq_q", seqQ},
          {"seq_kv", seqKV.value_or(seqQ)},
          {"head_dim", headDim},
          {"head_dim_v", headDimV.value_or(headDim)},
          {"br", br},
          {"bc", bc},
          {"bytes", elementBytes}};
}

llvm::Expected<Row> fa::computeRow(const Query &query,
                                   ArrayRef<ClosedForm> forms, int64_t seqQ,
                                   int64_t headDim, int64_t br, int64_t bc) {
  Row row;
  row.sizes = query.getSizes(seqQ, headDim, br, bc);
  for (const ClosedForm &form : forms) {
    llvm::Expected<int64_t> bytes =
        evaluate(form.getBytes(), row.sizes, "the bytes of " + form.name);
    if (!bytes)
      return bytes.takeError();
    llvm::Expected<int64_t> read =
        evaluate(form.getRead(), row.sizes, "the bytes of " + form.name);
    if (!read)
      return read.takeError();
    row.bytes.push_back(*bytes);
    row.read.push_back(*read);
  }
  llvm::Expected<int64_t> sram =
      evaluate(getTextbookSram() * fart::Formula::symbol("bytes"), row.sizes,
               "the SRAM of a block");
  if (!sram)
    return sram.takeError();
  row.textbookSram = *sram;
  if (const Machine *machine = query.machine) {
    if (row.textbookSram > machine->sramBytes)
      return llvm::createStringError(
          "expected tiles that fit in the " + Twine(machine->sramBytes) +
          " bytes of SRAM of a block of " + machine->name + " but with br " +
          Twine(br) + ", bc " + Twine(bc) + " and head dim " + Twine(headDim) +
          " they take " + Twine(row.textbookSram));
    llvm::Expected<int64_t> bound =
        evaluate(getBound(machine->sramBytes), row.sizes, "the bound");
    if (!bound)
      return bound.takeError();
    row.bound = *bound;
  }
  row.flops = getFlops(query, row.sizes);
  return row;
}

llvm::Expected<std::vector<Row>> fa::computeRows(const Query &query) {
  std::vector<ClosedForm> forms = query.getForms();
  std::vector<Row> rows;
  for (int64_t br : query.br)
    for (int64_t bc : query.bc)
      for (int64_t headDim : query.headDim)
        for (int64_t seqQ : query.seqQ) {
          llvm::Expected<Row> row =
              computeRow(query, forms, seqQ, headDim, br, bc);
          if (!row)
            return row.takeError();
          rows.push_back(std::move(*row));
        }
  return rows;
}
