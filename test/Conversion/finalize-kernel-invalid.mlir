// RUN: fa-opt %s --fa-finalize-kernel --split-input-file -verify-diagnostics

// expected-error @+1 {{expected the block and arguments of convert-fagpu-to-nvvm in fa.kernel but got {block = 256 : i64}}}
llvm.func @no_arguments(%Q: !llvm.ptr) attributes {fa.kernel = {block = 256 : i64}} {
  llvm.return
}

// -----

// expected-error @+1 {{expected the block and arguments of convert-fagpu-to-nvvm in fa.kernel but got {arguments = []}}}
llvm.func @no_block(%Q: !llvm.ptr) attributes {fa.kernel = {arguments = []}} {
  llvm.return
}
