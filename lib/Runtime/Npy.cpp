//===- Npy.cpp - Reading and writing .npy files ---------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout of the format: the magic "\x93NUMPY", a major and a minor version
// byte, the length of the header (16 bits in version 1, 32 bits later, little
// endian), the header, which is a Python dictionary literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 8, 512, 64), }
// and then the elements. Nothing follows them.
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Npy.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

using namespace fart;
namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little,
              "the elements are copied as they are");

namespace {

/// What the header says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the dictionary literal of the header. Every function returns false
/// (or nothing) at the first deviation; `problem` then says what was expected.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  std::optional<Header> parse() {
    Header header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return std::nullopt;
    while (!peek('}')) {
      std::optional<std::string> key = parseString();
      if (!key || !take(':'))
        return std::nullopt;
      bool *seen = *key == "descr"           ? &hasDescr
                   : *key == "fortran_order" ? &hasOrder
                   : *key == "shape"         ? &hasShape
                                             : nullptr;
      if (!seen || *seen) {
        problem = (seen ? "repeated" : "unknown") + (" key '" + *key + "'");
        return std::nullopt;
      }
      *seen = true;
      bool parsed = seen == &hasDescr   ? parseDescr(header.descr)
                    : seen == &hasOrder ? parseBool(header.fortranOrder)
                                        : parseShape(header.shape);
      if (!parsed)
        return std::nullopt;
      if (!peek('}') && !take(','))
        return std::nullopt;
    }
    take('}');
    if (!hasDescr || !hasOrder || !hasShape) {
      problem = "expected the keys 'descr', 'fortran_order' and 'shape'";
      return std::nullopt;
    }
    skipSpace();
    if (!rest.empty()) {
      problem = "unexpected text after the dictionary";
      return std::nullopt;
    }
    return header;
  }

  const std::string &getProblem() const { return problem; }

private:
  void skipSpace() {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n'))
      rest.remove_prefix(1);
  }

  bool peek(char c) {
    skipSpace();
    return !rest.empty() && rest[0] == c;
  }

  bool take(char c) {
    if (peek(c)) {
      rest.remove_prefix(1);
      return true;
    }
    problem = std::string("expected '") + c + "'";
    return false;
  }

  std::optional<std::string> parseString() {
    skipSpace();
    char quote = rest.empty() ? '\0' : rest[0];
    size_t end = quote == '\'' || quote == '"' ? rest.find(quote, 1)
                                               : std::string_view::npos;
    if (end == std::string_view::npos) {
      problem = "expected a quoted string";
      return std::nullopt;
    }
    std::string text(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return text;
  }

  bool parseDescr(std::string &descr) {
    if (peek('[')) {
      problem = "structured element types are not supported";
      return false;
    }
    std::optional<std::string> text = parseString();
    if (text)
      descr = *text;
    return text.has_value();
  }

  bool parseBool(bool &value) {
    skipSpace();
    for (auto [name, meaning] :
         {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (rest.substr(0, name.size()) == name) {
        rest.remove_prefix(name.size());
        value = meaning;
        return true;
      }
    problem = "expected 'fortran_order' to be True or False";
    return false;
  }

  bool parseShape(std::vector<int64_t> &shape) {
    if (!take('('))
      return false;
    while (!peek(')')) {
      int64_t extent = 0;
      size_t digits = 0;
      for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9';
           ++digits)
        if (__builtin_mul_overflow(extent, int64_t{10}, &extent) ||
            __builtin_add_overflow(extent, rest[digits] - '0', &extent)) {
          problem = "an extent of 'shape' overflows 64 bits";
          return false;
        }
      if (digits == 0) {
        problem = "expected the extents of 'shape' to be non-negative integers";
        return false;
      }
      rest.remove_prefix(digits);
      shape.push_back(extent);
      if (!peek(')') && !take(','))
        return false;
    }
    return take(')');
  }

  std::string_view rest;
  std::string problem;
};

/// Is `descr` how a file spells elements of type `dtype`?
bool matches(std::string_view descr, DType dtype) {
  switch (dtype) {
  case DType::F32:
    return descr == "<f4";
  case DType::F16:
    return descr == "<f2";
  case DType::BF16:
    return descr == "<V2" || descr == "|V2" || descr == "<u2";
  case DType::I32:
    return descr == "<i4";
  case DType::I64:
    return descr == "<i8";
  case DType::I1:
    return descr == "|b1";
  }
  return false;
}

std::string_view getDescr(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return "<f4";
  case DType::F16:
    return "<f2";
  case DType::BF16:
    return "<V2";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  case DType::I1:
    break;
  }
  return "|b1";
}

/// How to call the element type `descr` in a message.
std::string describe(const std::string &descr) {
  for (DType dtype :
       {DType::F32, DType::F16, DType::BF16, DType::I32, DType::I64, DType::I1})
    if (matches(descr, dtype))
      return std::string(getName(dtype)) + " ('" + descr + "')";
  return "'" + descr + "'";
}

/// Copies column-major `source` into row-major `target`.
void transpose(const std::byte *source, HostTensor &target) {
  int64_t width = getByteWidth(target.getDType());
  auto *bytes = static_cast<std::byte *>(target.data());
  std::vector<int64_t> index(target.getShape().size(), 0);
  for (int64_t i = 0; i < target.getNumElements(); ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d)
      offset += index[d] * target.getStrides()[d];
    std::memcpy(bytes + offset * width, source + i * width, width);
    // The first index runs fastest.
    for (size_t d = 0; d < index.size(); ++d) {
      if (++index[d] < target.getShape()[d])
        break;
      index[d] = 0;
    }
  }
}

uint32_t readLittleEndian(const unsigned char *bytes, int count) {
  uint32_t value = 0;
  for (int i = count; i-- > 0;)
    value = (value << 8) | bytes[i];
  return value;
}

} // namespace

Result<HostTensor> fart::readNpy(const std::string &path, DType expected) {
  auto fail = [&](const std::string &reason) {
    return Error{"cannot read '" + path + "': " + reason};
  };

  std::error_code ec;
  fs::file_status status = fs::status(path, ec);
  if (!fs::exists(status))
    return fail(ec ? ec.message() : "no such file"); // untested: Linux has ec
  if (!fs::is_regular_file(status))
    return fail("it is not a regular file");
  auto fileSize = static_cast<uint64_t>(fs::file_size(path, ec));
  if (ec)
    return fail(ec.message());
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return fail(std::strerror(errno));

  // The preamble: magic, version, length of the header.
  unsigned char preamble[12] = {};
  stream.read(reinterpret_cast<char *>(preamble), 8);
  if (stream.gcount() < 6 || std::memcmp(preamble, "\x93NUMPY", 6) != 0)
    return fail("it is not a .npy file (wrong magic bytes)");
  int major = preamble[6], minor = preamble[7];
  int lengthBytes = major == 1 ? 2 : 4;
  if (stream.gcount() == 8 && (major < 1 || major > 3 || minor != 0))
    return fail("unsupported .npy version " + std::to_string(major) + "." +
                std::to_string(minor) + ", expected 1.0, 2.0 or 3.0");
  stream.read(reinterpret_cast<char *>(preamble) + 8, lengthBytes);
  if (!stream)
    return fail("the file ends inside the header");
  uint64_t headerLength = readLittleEndian(preamble + 8, lengthBytes);
  uint64_t dataBegin = 8 + lengthBytes + headerLength;
  if (dataBegin > fileSize)
    return fail("the file ends inside the header");

  std::string text(headerLength, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(headerLength));
  HeaderParser parser(text);
  std::optional<Header> header = parser.parse();
  if (!stream || !header)
    return fail("malformed .npy header: " + parser.getProblem());
  if (!matches(header->descr, expected))
    return fail("expected elements of type " +
                describe(std::string(getDescr(expected))) + ", but it holds " +
                describe(header->descr));

  // Compare with the size of the file before anything is allocated, so that a
  // header cannot ask for more memory than the file could fill.
  uint64_t dataSize = fileSize - dataBegin;
  uint64_t wanted = static_cast<uint64_t>(getByteWidth(expected));
  bool overflow = false;
  for (int64_t extent : header->shape)
    overflow |=
        __builtin_mul_overflow(wanted, static_cast<uint64_t>(extent), &wanted);
  std::string shapeText = formatShape(header->shape);
  if (overflow)
    return fail("the size of shape " + shapeText + " overflows 64 bits");
  if (dataSize != wanted)
    return fail("shape " + shapeText + " of " + std::string(getName(expected)) +
                " takes " + std::to_string(wanted) +
                " bytes, but the file holds " + std::to_string(dataSize) +
                (dataSize < wanted ? " (truncated)" : " (trailing data)"));

  Result<HostTensor> tensor = HostTensor::create(expected, header->shape);
  if (!tensor)
    return fail(tensor.error().message);
  if (!header->fortranOrder) {
    stream.read(static_cast<char *>(tensor->data()),
                static_cast<std::streamsize>(wanted));
  } else {
    std::vector<std::byte> columns(wanted);
    stream.read(reinterpret_cast<char *>(columns.data()),
                static_cast<std::streamsize>(wanted));
    transpose(columns.data(), *tensor);
  }
  if (!stream)
    return fail("reading failed"); // untested: needs a broken disk
  if (expected == DType::I1)       // A kernel looks at the whole byte.
    for (int64_t i = 0; i < tensor->getNumElements(); ++i)
      if (auto byte = static_cast<unsigned char *>(tensor->data())[i]; byte > 1)
        return fail("expected bytes that are 0 or 1 but one is " +
                    std::to_string(byte));
  return tensor;
}

Status fart::writeNpy(const HostTensor &tensor, OutputFile &file) {
  std::string header = "{'descr': '" +
                       std::string(getDescr(tensor.getDType())) +
                       "', 'fortran_order': False, 'shape': (";
  // A tuple: "()", "(5,)" or "(2, 5)".
  for (int64_t extent : tensor.getShape())
    header += std::to_string(extent) + (tensor.getRank() == 1 ? "," : ", ");
  if (tensor.getRank() > 1)
    header.resize(header.size() - 2);
  header += "), }";
  // Pad so that the elements begin at a multiple of 64 bytes.
  size_t length = 10 + header.size() + 1;
  header.append((64 - length % 64) % 64, ' ');
  header += '\n';

  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble += static_cast<char>(header.size() & 0xff);
  preamble += static_cast<char>(header.size() >> 8);
  preamble += header;
  Status status = file.write(preamble.data(), preamble.size());
  if (!status)
    return status;
  if (tensor.isRowMajor())
    return file.write(tensor.data(), static_cast<size_t>(tensor.getNumBytes()));

  // Row by row of the last dimension, which is contiguous in any order.
  const std::vector<int64_t> &shape = tensor.getShape();
  int64_t width = getByteWidth(tensor.getDType());
  int64_t rowLength = shape.back();
  const auto *bytes = static_cast<const std::byte *>(tensor.data());
  int64_t numRows = rowLength ? tensor.getNumElements() / rowLength : 0;
  for (int64_t row = 0; row < numRows; ++row) {
    int64_t offset = 0;
    for (size_t d = shape.size() - 1, rest = row; d-- > 0; rest /= shape[d])
      offset += static_cast<int64_t>(rest % shape[d]) * tensor.getStrides()[d];
    status = file.write(bytes + offset * width,
                        static_cast<size_t>(rowLength * width));
    if (!status)
      return status;
  }
  return Success{};
}

Status fart::writeNpy(const HostTensor &tensor, const std::string &path) {
  Result<OutputFile> file = OutputFile::open(path);
  if (!file)
    return file.error();
  Status status = writeNpy(tensor, *file);
  if (!status)
    return status;
  return file->commit();
}
