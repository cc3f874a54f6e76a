//===- PTX.h - The instructions that NVVM has no op for ---------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the conversion: all PTX text of the project, as inline assembly.
// Section numbers are those of the PTX ISA 8.6.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUTONVVM_PTX_H
#define FA_LIB_CONVERSION_FAGPUTONVVM_PTX_H

#include "mlir/IR/Builders.h"

namespace mlir::fa::ptx {

/// Waits until the phase with the given parity of the mbarrier at the i32
/// address `barrier` is complete (9.7.13.15.16). No load moves over it.
void buildMbarrierWait(OpBuilder &builder, Location loc, Value barrier,
                       Value parity);
/// mbarrier.init, .arrive and .arrive.expect_tx (9.7.13.15).
void buildMbarrierInit(OpBuilder &builder, Location loc, Value barrier,
                       int64_t count);
void buildMbarrierArrive(OpBuilder &builder, Location loc, Value barrier);
void buildMbarrierExpect(OpBuilder &builder, Location loc, Value barrier,
                         int64_t bytes);
/// Makes the initialisation of mbarriers visible to the asynchronous proxy.
void buildFenceMbarrierInit(OpBuilder &builder, Location loc);

/// Fetches the descriptor `map` ahead of its use: prefetch.tensormap
/// (9.7.9.15).
void buildTensorMapPrefetch(OpBuilder &builder, Location loc, Value map);
/// cp.async.bulk.tensor, five dimensions, to the i32 address `target`; reports
/// its bytes to `barrier` (9.7.9.27.1.2). `coordinates` are i32, the innermost
/// first.
void buildTensorLoad(OpBuilder &builder, Location loc, Value target, Value map,
                     ValueRange coordinates, Value barrier);

/// cp.async.bulk.tensor from SRAM (9.7.9.27.1.2), not yet committed.
void buildTensorStore(OpBuilder &builder, Location loc, Value source, Value map,
                      ValueRange coordinates);
/// Makes writes to SRAM visible to the tensor memory accelerator (9.7.13.4).
void buildFenceProxyAsync(OpBuilder &builder, Location loc);
/// bar.sync of the named barrier `id` for `threads` threads (9.7.13.1).
void buildNamedBarrier(OpBuilder &builder, Location loc, Value id,
                       int64_t threads);

/// Arrives at named barrier `id` of `threads` threads without waiting:
/// bar.arrive.
void buildNamedBarrierArrive(OpBuilder &builder, Location loc, Value id,
                             int64_t threads);

/// cp.async of `size` bytes, 4, 8 or 16, of which the first `bytes` come from
/// `source` and the rest is zero (9.7.9.25.3.1).
void buildCopyAsync(OpBuilder &builder, Location loc, Value target,
                    Value source, int64_t size, Value bytes);
/// The same of 16 bytes with loads of 2 bytes and one store, done when it
/// returns; `bytes` is even.
void buildCopyByHalves(OpBuilder &builder, Location loc, Value target,
                       Value source, Value bytes);

/// Two f32 to a pair of bf16 or f16 in an i32, to nearest: cvt.rn.bf16x2.f32 or
/// cvt.rn.f16x2.f32 (9.7.9.21). It stays where it stands: LLVM would sink P's
/// conversion past the branch that rescales O, out of the shadow of exp2, for 2
/// to 3 % of a kernel's time.
Value buildConvertPair(OpBuilder &builder, Location loc, Value low, Value high,
                       Type elementType);

/// setmaxnreg.dec or .inc (9.7.19.5).
void buildSetRegisters(OpBuilder &builder, Location loc, int64_t registers,
                       bool increase);

/// One chain of wgmma with its fence and commit (9.7.15): D = A B + C over
/// steps of 16 of K. `a` holds for each step one descriptor, or four i32 with
/// packed pairs; `b` one descriptor a step. `acc` holds the accumulators, or is
/// empty for C = 0, with `n` columns. Returns the accumulators, which are valid
/// only after buildWgmmaWait.
struct Wgmma {
  StringRef elementType; // bf16 or f16
  int64_t n;
  bool transposeB;
  SmallVector<SmallVector<Value>> a;
  SmallVector<Value> b;
  SmallVector<Value> acc;
};
SmallVector<Value> buildWgmma(OpBuilder &builder, Location loc,
                              const Wgmma &wgmma);
/// wgmma.wait_group, through which the accumulators pass: nothing that uses
/// them can move ahead of it.
SmallVector<Value> buildWgmmaWait(OpBuilder &builder, Location loc,
                                  ValueRange acc, int64_t pending);

} // namespace mlir::fa::ptx

#endif // FA_LIB_CONVERSION_FAGPUTONVVM_PTX_H
