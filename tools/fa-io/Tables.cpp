//===- Tables.cpp - What fa-io prints -------------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Query.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::fa;

/// The sizes that tell rows apart, in the order of the columns.
static constexpr StringRef columns[] = {"seq_q",      "seq_kv", "head_dim",
                                        "head_dim_v", "br",     "bc"};

void fa::printAligned(ArrayRef<std::vector<std::string>> rows,
                      raw_ostream &os) {
  std::vector<size_t> widths(rows.front().size());
  for (const std::vector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (auto [width, cell] : llvm::zip_equal(widths, row)) {
      if (!line.empty())
        line += "  ";
      line += std::string(width - cell.size(), ' ') + cell;
    }
    os << line << '\n';
  }
}

static double getRatio(const Row &row) {
  return static_cast<double>(row.bytes[0]) / static_cast<double>(row.bytes[1]);
}

static std::vector<std::string> getSizes(const Row &row) {
  std::vector<std::string> cells;
  for (StringRef column : columns)
    cells.push_back(std::to_string(row.sizes.find(column)->second));
  return cells;
}

static void printHead(const Query &query, raw_ostream &os) {
  os << "bytes of HBM, " << (query.isBackward ? "backward" : "forward")
     << ", batch " << query.batch << ", heads " << query.heads;
  if (query.kvHeads && *query.kvHeads != query.heads)
    os << " on " << *query.kvHeads;
  os << ", " << query.elementBytes << " bytes an element, mask "
     << query.mask.str() << "\n\n";
}

void fa::printTables(const Query &query, ArrayRef<Row> rows, raw_ostream &os) {
  std::vector<ClosedForm> forms = query.getForms();
  printHead(query, os);
  std::vector<std::vector<std::string>> table(1);
  for (StringRef column : columns)
    table[0].push_back(column.str());
  for (const ClosedForm &form : forms)
    table[0].push_back(form.name);
  table[0].push_back(forms[0].name + "/" + forms[1].name);
  for (const Row &row : rows) {
    std::vector<std::string> cells = getSizes(row);
    for (int64_t bytes : row.bytes)
      cells.push_back(std::to_string(bytes));
    cells.push_back(llvm::formatv("{0:F2}", getRatio(row)).str());
    table.push_back(std::move(cells));
  }
  printAligned(table, os);
  os << '\n';
  for (const ClosedForm &form : forms)
    os << llvm::formatv("{0,-10} {1}\n", form.name, form.title);

  const Machine *machine = query.machine;
  if (!machine)
    return;
  os << llvm::formatv(
      "\nroofline of {0}: {1:F1} TFLOP/s, {2:F3} TB/s, memory is the bound "
      "below {3:F0} FLOP a byte\n\n",
      machine->name, machine->flopsPerSecond * 1e-12,
      machine->bytesPerSecond * 1e-12, machine->getRidge());
  table.assign(1, {"seq_q", "head_dim", "GFLOP"});
  for (const ClosedForm &form : forms) {
    table[0].push_back(form.name + " FLOP/B");
    table[0].push_back(form.name + " us");
  }
  table[0].push_back("N^2 d^2 / M");
  table[0].push_back("SRAM");
  for (const Row &row : rows) {
    std::vector<std::string> cells = {
        std::to_string(row.sizes.at("seq_q")),
        std::to_string(row.sizes.at("head_dim")),
        llvm::formatv("{0:F3}", row.flops * 1e-9).str()};
    for (int64_t bytes : row.bytes) {
      auto moved = static_cast<double>(bytes);
      cells.push_back(llvm::formatv("{0:F1}", row.flops / moved).str());
      cells.push_back(
          llvm::formatv("{0:F2}", machine->getSeconds(row.flops, moved) * 1e6)
              .str());
    }
    cells.push_back(std::to_string(row.bound));
    cells.push_back(std::to_string(row.textbookSram));
    table.push_back(std::move(cells));
  }
  printAligned(table, os);
}

void fa::printCSV(const Query &query, ArrayRef<Row> rows, raw_ostream &os) {
  std::vector<std::string> heading(std::begin(columns), std::end(columns));
  for (const ClosedForm &form : query.getForms())
    heading.push_back(form.name);
  heading.push_back("ratio");
  os << llvm::join(heading, ",") << '\n';
  for (const Row &row : rows) {
    os << llvm::join(getSizes(row), ",");
    for (int64_t bytes : row.bytes)
      os << ',' << bytes;
    os << llvm::formatv(",{0:F4}\n", getRatio(row));
  }
}

void fa::printJSON(const Query &query, ArrayRef<Row> rows, raw_ostream &os) {
  std::vector<ClosedForm> forms = query.getForms();
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("direction", query.isBackward ? "backward" : "forward");
    json.attribute("mask", query.mask.str());
    if (const Machine *machine = query.machine)
      json.attributeObject("machine", [&] {
        json.attribute("name", machine->name);
        json.attribute("flops_per_second", machine->flopsPerSecond);
        json.attribute("bytes_per_second", machine->bytesPerSecond);
        json.attribute("sram_bytes", machine->sramBytes);
      });
    json.attributeArray("rows", [&] {
      for (const Row &row : rows)
        json.object([&] {
          for (const auto &[name, size] : row.sizes)
            json.attribute(name, size);
          for (size_t i = 0; i < forms.size(); ++i)
            json.attributeObject(forms[i].name, [&] {
              json.attribute("bytes", row.bytes[i]);
              json.attribute("read", row.read[i]);
              json.attribute("written", row.bytes[i] - row.read[i]);
              auto moved = static_cast<double>(row.bytes[i]);
              json.attribute("flop_per_byte", row.flops / moved);
              if (query.machine)
                json.attribute("roofline_seconds",
                               query.machine->getSeconds(row.flops, moved));
            });
          json.attribute("ratio", getRatio(row));
          json.attribute("flops", row.flops);
          json.attribute("textbook_sram_bytes", row.textbookSram);
          if (query.machine)
            json.attribute("bound_bytes", row.bound);
        });
    });
  });
  os << '\n';
}

void fa::printFormulas(const Query &query, raw_ostream &os) {
  for (const ClosedForm &form : query.getForms()) {
    os << form.name << ": " << form.title << '\n';
    for (const TensorTraffic &traffic : form.tensors) {
      if (!traffic.read.isConstant(0))
        os << "  reads " << traffic.tensor << ": " << traffic.read.str()
           << '\n';
      if (!traffic.written.isConstant(0))
        os << "  writes " << traffic.tensor << ": " << traffic.written.str()
           << '\n';
    }
  }
}
