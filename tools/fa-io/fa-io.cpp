//===- fa-io.cpp - Bytes of HBM and of SRAM -------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ToolMain.h"
#include "Query.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::fa;
namespace cl = llvm::cl;

namespace {
struct Flags {
  using List = cl::list<std::string>;
  using Text = cl::opt<std::string>;

  cl::OptionCategory category{"fa-io options"};
  List seq{"seq",
           cl::desc("Numbers of queries, and of keys (default 1024, "
                    "2048, 4096, 8192, 16384)"),
           cl::value_desc("N,..."), cl::CommaSeparated, cl::cat(category)};
  List headDim{"head-dim", cl::desc("Head dims of Q and K (default 64, 128)"),
               cl::value_desc("N,..."), cl::CommaSeparated, cl::cat(category)};
  List br{"br", cl::desc("Rows of a query tile (default 64)"),
          cl::value_desc("N,..."), cl::CommaSeparated, cl::cat(category)};
  List bc{"bc", cl::desc("Rows of a key tile (default 64)"),
          cl::value_desc("N,..."), cl::CommaSeparated, cl::cat(category)};
  Text seqKV{"seq-kv", cl::desc("Number of keys (default: as --seq)"),
             cl::value_desc("N"), cl::cat(category)};
  Text headDimV{"head-dim-v",
                cl::desc("Head dim of V and O (default: as --head-dim)"),
                cl::value_desc("N"), cl::cat(category)};
  Text batch{"batch", cl::desc("Batch size (default 1)"), cl::value_desc("N"),
             cl::cat(category)};
  Text heads{"heads", cl::desc("Number of query heads (default 1)"),
             cl::value_desc("N"), cl::cat(category)};
  Text kvHeads{"kv-heads",
               cl::desc("Number of key/value heads (default: as --heads)"),
               cl::value_desc("N"), cl::cat(category)};
  Text bytes{"bytes", cl::desc("Bytes of an element (default 2)"),
             cl::value_desc("N"), cl::cat(category)};
  Text mask{"mask",
            cl::desc("none (default), causal, causal-top-left or window:L,R"),
            cl::value_desc("mask"), cl::cat(category)};
  cl::opt<bool> backward{"backward", cl::desc("The backward pass"),
                         cl::cat(category)};
  Text gpu{"gpu",
           cl::desc("Whose roofline and SRAM: none, a100, a100-40gb, h100, "
                    "h200 (default), b200, l40s, rtx4090"),
           cl::value_desc("name"), cl::init("h200"), cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Print JSON"), cl::cat(category)};
  cl::opt<bool> csv{"csv", cl::desc("Print CSV"), cl::cat(category)};
  cl::opt<bool> formulas{"formulas",
                         cl::desc("Print the formulas instead of numbers"),
                         cl::cat(category)};
  cl::opt<bool> sram{"sram",
                     cl::desc("Print what the compiler's own schedule for the "
                              "GPU takes of its SRAM, for each head dim"),
                     cl::cat(category)};
  List count{
      "count",
      cl::desc(
          "Compare the closed forms with the bytes counted from the "
          "IR of these levels: naive, nest, fused, promoted, "
          "scheduled; or of kernels, the three of the naive level on a GPU, "
          "or keys-outside, the loop order of the first paper"),
      cl::value_desc("level,..."), cl::CommaSeparated, cl::cat(category)};
  Text compare{
      "compare",
      cl::desc("Print what scripts/measure-io measured beside what was "
               "counted"),
      cl::value_desc("file.json"), cl::cat(category)};
  Text svg{"svg", cl::desc("Also draw bytes against length and tile size"),
           cl::value_desc("path"), cl::cat(category)};
};
} // namespace

/// The numbers of a list flag, or `defaults`.
static llvm::Expected<std::vector<int64_t>>
parseList(const Flags::List &list, std::vector<int64_t> defaults) {
  if (list.empty())
    return defaults;
  std::vector<int64_t> numbers;
  for (const std::string &text : list) {
    llvm::Expected<int64_t> number = parsePositive(list.ArgStr, text);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return numbers;
}

static llvm::Expected<Query> makeQuery(const Flags &flags) {
  Query query;
  std::tuple<const Flags::List &, std::vector<int64_t> &, std::vector<int64_t>>
      lists[] = {{flags.seq, query.seqQ, {1024, 2048, 4096, 8192, 16384}},
                 {flags.headDim, query.headDim, {64, 128}},
                 {flags.br, query.br, {64}},
                 {flags.bc, query.bc, {64}}};
  for (auto &[flag, target, defaults] : lists) {
    llvm::Expected<std::vector<int64_t>> numbers = parseList(flag, defaults);
    if (!numbers)
      return numbers.takeError();
    target = std::move(*numbers);
  }
  auto setNumber = [](const Flags::Text &flag, auto &target) -> llvm::Error {
    if (!flag.getNumOccurrences())
      return llvm::Error::success();
    llvm::Expected<int64_t> number =
        parsePositive(flag.ArgStr, flag.getValue());
    if (!number)
      return number.takeError();
    target = *number;
    return llvm::Error::success();
  };
  if (llvm::Error error = setNumber(flags.batch, query.batch))
    return error;
  if (llvm::Error error = setNumber(flags.heads, query.heads))
    return error;
  if (llvm::Error error = setNumber(flags.bytes, query.elementBytes))
    return error;
  if (llvm::Error error = setNumber(flags.seqKV, query.seqKV))
    return error;
  if (llvm::Error error = setNumber(flags.headDimV, query.headDimV))
    return error;
  if (llvm::Error error = setNumber(flags.kvHeads, query.kvHeads))
    return error;
  if (query.kvHeads && query.heads % *query.kvHeads != 0)
    return llvm::createStringError(
        "--kv-heads: expected a divisor of the " + Twine(query.heads) +
        " query heads but got " + Twine(*query.kvHeads));
  if (flags.mask.getNumOccurrences()) {
    llvm::Expected<MaskSpec> mask = MaskSpec::parse(flags.mask);
    if (!mask)
      return mask.takeError();
    query.mask = *mask;
  }
  query.isBackward = flags.backward;
  query.hasTiles = !flags.br.empty() || !flags.bc.empty();
  if (flags.gpu == "none")
    return query;
  query.machine = findMachine(flags.gpu);
  if (!query.machine)
    return llvm::createStringError(
        "--gpu: expected none, " +
        llvm::join(llvm::map_range(getMachines(),
                                   [](const Machine &m) { return m.name; }),
                   ", ") +
        " but got '" + flags.gpu + "'");
  return query;
}

static llvm::Error run(const Flags &flags) {
  llvm::Expected<Query> query = makeQuery(flags);
  if (!query)
    return query.takeError();
  raw_ostream &os = llvm::outs();
  if (!flags.compare.empty())
    return printComparison(flags.compare, os);
  if (flags.formulas) {
    printFormulas(*query, os);
    return llvm::Error::success();
  }
  if (flags.sram) {
    if (!query->machine)
      return llvm::createStringError("--sram: expected a --gpu but got 'none'");
    return printSram(*query, query->machine->chip, os);
  }
  if (!flags.count.empty())
    return printCounts(*query, llvm::to_vector(flags.count), os);
  llvm::Expected<std::vector<Row>> rows = computeRows(*query);
  if (!rows)
    return rows.takeError();
  if (!flags.svg.empty()) {
    llvm::Expected<std::string> picture = plot(*query, *rows);
    if (!picture)
      return picture.takeError();
    if (llvm::Error error =
            llvm::writeToOutput(flags.svg, [&](raw_ostream &file) {
              file << *picture;
              return llvm::Error::success();
            }))
      return error;
  }
  if (flags.json)
    printJSON(*query, *rows, os);
  else if (flags.csv)
    printCSV(*query, *rows, os);
  else
    printTables(*query, *rows, os);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  return runTool<Flags>(
      argc, argv, "fa-io",
      "bytes of HBM that attention moves, and of SRAM that its tiles take\n",
      run);
}
