//===- Plot.cpp - Bytes of HBM as a picture -------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two panels with logarithmic axes: bytes against the length, for the first
// head dim and tiles, and bytes against the tile size B_r = B_c, for the
// longest length. One line a form.
//
//===----------------------------------------------------------------------===//

#include "Query.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa;

namespace {
/// The points of one form in one panel.
struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// A panel at `left`, in pixels.
class Panel {
public:
  Panel(raw_ostream &os, double left, ArrayRef<Line> lines);

  void draw(StringRef title, StringRef xLabel);

private:
  static constexpr double top = 50, width = 360, height = 260;
  /// One for each form, readable on white and by people who see no red.
  static constexpr StringLiteral colours[] = {"#d55e00", "#0072b2", "#009e73",
                                              "#000000"};

  double getX(double x) const {
    return left + width * (std::log2(x) - xMin) / std::max(xMax - xMin, 1e-9);
  }
  double getY(double y) const {
    return top + height * (1 - (std::log10(y) - yMin) / (yMax - yMin));
  }
  void drawAxes(StringRef xLabel);
  void drawLine(const Line &line, StringRef colour, double legendY);

  raw_ostream &os;
  double left;
  ArrayRef<Line> lines;
  double xMin = 1e9, xMax = -1e9, yMin = 1e9, yMax = -1e9; // logarithms
};
} // namespace

Panel::Panel(raw_ostream &os, double left, ArrayRef<Line> lines)
    : os(os), left(left), lines(lines) {
  for (const Line &line : lines)
    for (auto [x, y] : line.points) {
      xMin = std::min(xMin, std::log2(x));
      xMax = std::max(xMax, std::log2(x));
      yMin = std::min(yMin, std::floor(std::log10(y)));
      yMax = std::max(yMax, std::ceil(std::log10(y)));
    }
  yMax = std::max(yMax, yMin + 1);
}

void Panel::drawAxes(StringRef xLabel) {
  os << llvm::formatv("<rect x='{0}' y='{1}' width='{2}' height='{3}' "
                      "fill='none' stroke='#888'/>\n",
                      left, top, width, height);
  for (auto power = static_cast<int>(yMin); power <= static_cast<int>(yMax);
       ++power)
    os << llvm::formatv(
        "<line x1='{0}' x2='{1}' y1='{2:F1}' y2='{2:F1}' stroke='#ddd'/>\n"
        "<text x='{3}' y='{4:F1}' text-anchor='end'>1e{5}</text>\n",
        left, left + width, getY(std::pow(10.0, power)), left - 6,
        getY(std::pow(10.0, power)) + 4, power);
  for (auto [x, y] : lines.front().points)
    os << llvm::formatv(
        "<text x='{0:F1}' y='{1}' text-anchor='middle'>{2:F0}</text>\n",
        getX(x), top + height + 16, x);
  os << llvm::formatv("<text x='{0}' y='{1}' text-anchor='middle'>{2}</text>\n",
                      left + width / 2, top + height + 36, xLabel);
}

void Panel::drawLine(const Line &line, StringRef colour, double legendY) {
  os << "<polyline fill='none' stroke='" << colour
     << "' stroke-width='2' points='";
  for (auto [x, y] : line.points)
    os << llvm::formatv("{0:F1},{1:F1} ", getX(x), getY(y));
  os << "'/>\n";
  for (auto [x, y] : line.points)
    os << llvm::formatv("<circle cx='{0:F1}' cy='{1:F1}' r='3' fill='{2}'/>\n",
                        getX(x), getY(y), colour);
  os << llvm::formatv("<text x='{0}' y='{1}' fill='{2}'>{3}</text>\n",
                      left + 10, legendY, colour, line.name);
}

void Panel::draw(StringRef title, StringRef xLabel) {
  os << llvm::formatv(
      "<text x='{0}' y='{1}' text-anchor='middle' font-weight='bold'>{2}"
      "</text>\n",
      left + width / 2, top - 14, title);
  drawAxes(xLabel);
  for (auto [i, line] : llvm::enumerate(lines))
    drawLine(line, colours[i % std::size(colours)],
             top + 18 + 16 * static_cast<double>(i));
}

llvm::Expected<std::string> fa::plot(const Query &query, ArrayRef<Row> rows) {
  std::vector<ClosedForm> forms = query.getForms();
  std::vector<Line> byLength, byTile;
  for (const ClosedForm &form : forms) {
    byLength.push_back({form.name, {}});
    byTile.push_back({form.name, {}});
  }
  auto add = [](std::vector<Line> &lines, int64_t x, const Row &row) {
    for (auto [line, bytes] : llvm::zip_equal(lines, row.bytes))
      line.points.emplace_back(static_cast<double>(x),
                               static_cast<double>(bytes));
  };
  for (const Row &row : rows.take_front(query.seqQ.size()))
    add(byLength, row.sizes.at("seq_q"), row);

  int64_t longest = *std::max_element(query.seqQ.begin(), query.seqQ.end());
  Query noLimit = query;
  noLimit.machine = nullptr;
  for (int64_t tile = 16; tile <= 256; tile *= 2) {
    llvm::Expected<Row> row =
        computeRow(noLimit, forms, longest, query.headDim.front(), tile, tile);
    if (!row)
      return row.takeError();
    add(byTile, tile, *row);
  }

  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<svg xmlns='http://www.w3.org/2000/svg' width='900' height='380' "
        "font-family='sans-serif' font-size='12'>\n"
        "<rect width='100%' height='100%' fill='white'/>\n";
  Panel(os, /*left=*/60, byLength)
      .draw(llvm::formatv("bytes of HBM, head dim {0}, tiles {1} x {2}",
                          query.headDim.front(), query.br.front(),
                          query.bc.front())
                .str(),
            "queries");
  Panel(os, /*left=*/510, byTile)
      .draw(llvm::formatv("bytes of HBM, head dim {0}, {1} queries",
                          query.headDim.front(), longest)
                .str(),
            "rows of a tile");
  os << "</svg>\n";
  return text;
}
