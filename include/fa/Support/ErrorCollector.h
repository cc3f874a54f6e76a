//===- ErrorCollector.h - Diagnostics as an llvm::Error ---------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_SUPPORT_ERRORCOLLECTOR_H
#define FA_SUPPORT_ERRORCOLLECTOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace mlir::fa {

/// Gathers the errors that are reported while it lives.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure(); // Left to the next handler.
          llvm::raw_string_ostream stream(text);
          if (!text.empty())
            stream << '\n';
          if (auto loc =
                  diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
            stream << loc.getFilename().getValue() << ':' << loc.getLine()
                   << ':' << loc.getColumn() << ": ";
          stream << diagnostic;
          for (Diagnostic &note : diagnostic.getNotes())
            stream << "\n  note: " << note;
          return success();
        }) {}

  /// The errors, or `fallback` if there were none.
  llvm::Error take(const Twine &fallback) {
    return llvm::createStringError(text.empty() ? fallback : Twine(text));
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::fa

#endif // FA_SUPPORT_ERRORCOLLECTOR_H
