//===- FAGPUOps.td - Operations of the fagpu dialect -------*- tablegen -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels such as dot_c1 name one constraint: in the description, beside the
// check, and as the function of test/Dialect/FAGPU/invalid.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef FAGPU_IR_FAGPUOPS_TD
#define FAGPU_IR_FAGPUOPS_TD

include "fagpu/IR/FAGPUDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class FAGPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<FAGPU_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

def FAGPU_SramAttr : AttrDef<FAGPU_Dialect, "Sram"> {
  let mnemonic = "sram";
  let summary = "the memory space of a tile in workgroup memory";
  let description = [{
    A tile of R rows and C columns is stored in chunks of `swizzle` bytes a row:
    all rows of the first chunk, then all rows of the second, the last chunk
    filled up. With a `tail` the columns after the last whole chunk are in one
    of `tail` bytes a row, with a swizzle of that width. Within a chunk of w
    units of 16 bytes a row, unit u of row r stands at unit

        u xor (r w / 8 mod w)      w = 8, 4, 2 for 128, 64, 32 bytes

    so that the same units of 8 consecutive rows lie in different banks. This is
    the layout that a tensor map with SWIZZLE_128B, _64B or _32B writes and that
    a wgmma descriptor reads (PTX ISA, "Shared memory matrix layout"), and one
    that ldmatrix and stmatrix use without conflicts. wgmma reads a tile over its
    rows in chunks of one width: a B with a tail is only summed over its columns.

    The type of the tile keeps its logical shape and strides, so that views of
    rows are ordinary `memref.subview` ops.

    Examples: `#fagpu.sram<swizzle = 128>`, `#fagpu.sram<swizzle = 64>`;
    `#fagpu.sram<swizzle = 128, tail = 32>` for 80 columns of 16 bits, 64 + 16.

    Constraints:
     - sram_c1: `swizzle` is 32, 64 or 128.
     - sram_c2: `tail`, if given, is 32 or 64 and less than `swizzle`.
  }];
  let parameters = (ins "int64_t":$swizzle,
                        DefaultValuedParameter<"int64_t", "0">:$tail);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def FAGPU_RingType : TypeDef<FAGPU_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "stages of one tile in SRAM, filled and read in turn";
  let description = [{
    Position t of the ring is stage t mod `stages`, in its use number
    t / `stages`. Where a producer fills the ring by tensor maps, each stage has
    two mbarriers: full (armed by the producer, completed by the copy) and empty
    (one arrival of each warp that reads). The phase that is waited for is the
    parity of the use number.

    Constraints:
     - ring_c1: `stages` is positive.
     - ring_c2: `tile` is a 2-D memref with static shape, not empty, of f16, bf16 or f32, in
       `#fagpu.sram`.
  }];
  let parameters = (ins "int64_t":$stages, "::mlir::MemRefType":$tile);
  let assemblyFormat = "`<` $stages `,` $tile `>`";
  let genVerifyDecl = 1;
}

def FAGPU_Contract : I32EnumAttr<"Contract",
    "the dimension of B that a product sums over", [
    I32EnumAttrCase<"Columns", 0, "columns">,
    I32EnumAttrCase<"Rows", 1, "rows">
  ]> {
  let cppNamespace = "::mlir::fagpu";
  let genSpecializedAttr = 0;
}
def FAGPU_ContractAttr : EnumAttr<FAGPU_Dialect, FAGPU_Contract, "contract">;

def FAGPU_Float16 : AnyTypeOf<[F16, BF16], "f16 or bf16">;
def FAGPU_Float : AnyTypeOf<[F16, BF16, F32], "f16, bf16 or f32">;
def FAGPU_GlobalTile : MemRefRankOf<[FAGPU_Float], [2]>;
def FAGPU_SramTile : Type<
    CPred<"::mlir::fagpu::isSramTile($_self)">,
    "2-D memref of f16, bf16 or f32 in #fagpu.sram", "::mlir::MemRefType">;
def FAGPU_Fragment : VectorOfRankAndType<[1], [FAGPU_Float]>;
def FAGPU_Accumulator : VectorOfRankAndType<[1], [F32]>;

//===----------------------------------------------------------------------===//
// Promoted
//===----------------------------------------------------------------------===//

def FAGPU_AllocOp : FAGPU_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile or a ring in workgroup memory";
  let description = [{
    Space in the dynamic workgroup memory of the block. `offset` is in bytes from
    its start; it is assigned by `fa-plan-sram`. `readers` is the number of row
    groups that read, and release, each stage of a ring: all, if it is not given.

    Example:

    ```mlir
    %q = fagpu.alloc : memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
    %k = fagpu.alloc offset = 16384 : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
    ```

    Constraints:
     - alloc_c1: `offset` is a multiple of 1024, the period of the swizzle.
     - alloc_c2: a tile with a `tail` has whole chunks, and after them columns
       that fit in the tail.
     - alloc_c3: `readers` is positive, and of a ring.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<I64Attr>:$readers);
  let results = (outs AnyTypeOf<[FAGPU_SramTile, FAGPU_RingType]>:$result);
  let assemblyFormat = [{
    (`offset` `=` $offset^)? (`readers` `=` $readers^)? attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes that the tiles take, each from a multiple of 1024 on, without
    /// barriers.
    int64_t getByteSize();
  }];
}

def FAGPU_CopyOp : FAGPU_Op<"copy"> {
  let summary = "copy a tile to SRAM";
  let description = [{
    `source` may have fewer rows than `target`, and fewer columns than the chunks
    of `target` hold: the rest becomes zero.

    Example:

    ```mlir
    fagpu.copy %src to %q : memref<?x64xbf16, strided<[?, 1], offset: ?>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
    ```

    Constraints:
     - copy_c1: `source` and `target` have the same number of columns.
     - copy_c2: a static number of rows of `source` is at most that of `target`.
     - copy_c3: `source` is not in SRAM and has a contiguous last dimension.
  }];
  let arguments = (ins Arg<FAGPU_GlobalTile, "", [MemRead]>:$source,
                       Arg<FAGPU_SramTile, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `to` $target attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

/// The stage is a tile of the ring.
def FAGPU_StageOfRing : TypesMatchWith<
    "the stage to have the type of the ring's tile", "ring", "stage",
    "::llvm::cast<::mlir::fagpu::RingType>($_self).getTile()">;

def FAGPU_FillOp : FAGPU_Op<"fill", [FAGPU_StageOfRing]> {
  let summary = "copy a tile to the next stage of a ring";
  let description = [{
    The result is stage `position` mod stages of the ring, holding `source`. It
    may be read until position + stages is filled.

    Example:

    ```mlir
    %k = fagpu.fill %ring[%t] from %src : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x64xbf16, strided<[?, 1], offset: ?>>
    ```

    Constraints:
     - fill_c1: `source` fits the ring's tile as in copy_c1 to copy_c3.
  }];
  let arguments = (ins FAGPU_RingType:$ring, Index:$position,
                       Arg<FAGPU_GlobalTile, "", [MemRead]>:$source);
  let results = (outs Res<FAGPU_SramTile, "", [MemWrite]>:$stage);
  let assemblyFormat = [{
    $ring `[` $position `]` `from` $source attr-dict
    `:` type($ring) `,` type($source)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Scheduled: sm_80
//===----------------------------------------------------------------------===//

def FAGPU_CopyAsyncOp : FAGPU_Op<"copy_async"> {
  let summary = "begin to copy a tile to SRAM, by all threads of the block";
  let description = [{
    As `fagpu.copy`, but `target` holds the tile only after the copies that were
    committed with it have been waited for (`nvvm.cp.async.commit.group`,
    `nvvm.cp.async.wait.group`) and a barrier. Each thread copies its share in
    units of 16 bytes. The rows of `source` begin at multiples of `align` bytes:

     - 16: one `cp.async.cg.shared.global` a unit;
     - 8, 4: two or four `cp.async.ca.shared.global`;
     - 2: eight loads and one store (there is no narrower cp.async).

    What is past the end becomes zero: the source size of a cp.async is less then.

    Example:

    ```mlir
    fagpu.copy_async %src to %q : memref<?x64xbf16, strided<[?, 1], offset: ?>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
    ```

    Constraints:
     - copy_async_c1: as copy_c1 to copy_c3.
     - copy_async_c2: `align` is 2, 4, 8 or 16, and at least the size of an
       element.
  }];
  let arguments = (ins Arg<FAGPU_GlobalTile, "", [MemRead]>:$source,
                       Arg<FAGPU_SramTile, "", [MemWrite]>:$target,
                       DefaultValuedAttr<I64Attr, "16">:$align);
  let assemblyFormat = [{
    $source `to` $target (`align` `=` $align^)? attr-dict
    `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def FAGPU_SlotOp : FAGPU_Op<"slot", [Pure, FAGPU_StageOfRing]> {
  let summary = "a stage of a ring";
  let description = [{
    Stage `position` mod stages, without any wait.

    Example:

    ```mlir
    %k = fagpu.slot %ring[%t] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
    ```
  }];
  let arguments = (ins FAGPU_RingType:$ring, Index:$position);
  let results = (outs FAGPU_SramTile:$stage);
  let assemblyFormat = [{
    $ring `[` $position `]` attr-dict
    `:` type($ring)
  }];
}

//===----------------------------------------------------------------------===//
// Scheduled: sm_90a
//===----------------------------------------------------------------------===//

def FAGPU_SpecializeOp : FAGPU_Op<"specialize", [
    RecursiveMemoryEffects, NoRegionArguments, SingleBlock, NoTerminator
  ]> {
  let summary = "split the block into a producer and row groups";
  let description = [{
    The first warpgroup (128 threads) runs the `producer` region, of which one
    thread issues the copies; each of the `groups` warpgroups after it runs the
    `consumer` region. `producer_registers` and `consumer_registers` are the
    registers of a thread (`setmaxnreg`, PTX ISA 9.7.19.5; one group can have all
    that a thread may have, and is left alone).

    No barrier of the whole block may stand in the regions.

    Constraints:
     - specialize_c1: `groups` is positive.
     - specialize_c2: register counts are multiples of 8 from 24 to 240.
     - specialize_c3: no `gpu.barrier` or `nvvm.barrier0` in the regions.
     - specialize_c4: the threads of the block have at most 65,536 registers
       between them, 128 * (producer + groups * consumer).
  }];
  let arguments = (ins I64Attr:$groups, I64Attr:$producer_registers,
                       I64Attr:$consumer_registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = [{
    `groups` `=` $groups
    `registers` `=` `(` $producer_registers `,` $consumer_registers `)`
    attr-dict-with-keyword `producer` $producer `consumer` $consumer
  }];
  let hasVerifier = 1;
}

def FAGPU_GroupIdOp : FAGPU_Op<"group_id", [Pure]> {
  let summary = "the number of the row group that runs this";
  let description = [{
    tid / 128 - 1 in the consumer region of `fagpu.specialize`.

    Example:

    ```mlir
    %g = fagpu.group_id
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def FAGPU_LoadOp : FAGPU_Op<"load"> {
  let summary = "fill a stage of a ring by the tensor memory accelerator";
  let description = [{
    Waits until the readers have released the last use of the stage, arms its
    full barrier with the bytes of the tile, and begins the copy of the rows from
    `row` on of one head: `cp.async.bulk.tensor` with a tensor map of `source`,
    which clips at the ends of all dimensions and fills with zeros. Run by one
    thread.

    Example:

    ```mlir
    fagpu.load %ring[%t] from %K[%b, %h, %row] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
    ```

    Constraints:
     - load_c1: `source` has the columns and element type of the ring's tile.
     - load_c2: `source` is an argument of the function, for which the caller
       makes the tensor map.
     - load_c3: `source` has a contiguous last dimension.
  }];
  let arguments = (ins FAGPU_RingType:$ring, Index:$position,
                       Arg<MemRefRankOf<[FAGPU_Float16], [4]>, "",
                           [MemRead, MemWrite]>:$source,
                       Index:$batch, Index:$head, Index:$row);
  let assemblyFormat = [{
    $ring `[` $position `]` `from` $source `[` $batch `,` $head `,` $row `]`
    attr-dict `:` type($ring) `,` type($source)
  }];
  let hasVerifier = 1;
}

def FAGPU_AcquireOp : FAGPU_Op<"acquire", [
    MemoryEffects<[MemRead, MemWrite]>, FAGPU_StageOfRing
  ]> {
  let summary = "wait until a stage of a ring is full";
  let description = [{
    `mbarrier.try_wait.parity` on the full barrier of the stage, by all threads
    of the row group.

    Example:

    ```mlir
    %k = fagpu.acquire %ring[%t] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
    ```
  }];
  let arguments = (ins FAGPU_RingType:$ring, Index:$position);
  let results = (outs FAGPU_SramTile:$stage);
  let assemblyFormat = [{
    $ring `[` $position `]` attr-dict
    `:` type($ring)
  }];
}

def FAGPU_ReleaseOp : FAGPU_Op<"release", [
    MemoryEffects<[MemRead, MemWrite]>
  ]> {
  let summary = "let the producer fill a stage anew";
  let description = [{
    One lane of each warp arrives at the empty barrier of the stage. All reads of
    the stage must be complete: a product that reads it, waited for.

    Example:

    ```mlir
    fagpu.release %ring[%t] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
    ```
  }];
  let arguments = (ins FAGPU_RingType:$ring, Index:$position);
  let assemblyFormat = "$ring `[` $position `]` attr-dict `:` type($ring)";
}

class FAGPU_TurnOp<string mnemonic> : FAGPU_Op<mnemonic, [
    MemoryEffects<[MemRead, MemWrite]>
  ]> {
  let assemblyFormat = "attr-dict";
}

def FAGPU_AwaitTurnOp : FAGPU_TurnOp<"await_turn"> {
  let summary = "wait until it is this row group's turn to issue products";
  let description = [{
    The row groups of `fagpu.specialize` take turns in the order of their
    numbers, group 0 after the last. A group that awaits its turn is held until
    the group before it has passed it on: `bar.sync` on a named barrier of the
    group, with the threads of both (PTX ISA 9.7.13.1). All groups must await
    and pass equally often, and the last one passes once more at the start.

    Example:

    ```mlir
    fagpu.await_turn
    ```
  }];
}

def FAGPU_PassTurnOp : FAGPU_TurnOp<"pass_turn"> {
  let summary = "pass the turn to the next row group";
  let description = [{
    `bar.arrive` on the named barrier of the next group; see
    `fagpu.await_turn`.

    Example:

    ```mlir
    fagpu.pass_turn
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Scheduled: persistent grids
//===----------------------------------------------------------------------===//

def FAGPU_DrawBlockOp : FAGPU_Op<"draw_block", [
    MemoryEffects<[MemRead, MemWrite]>
  ]> {
  let summary = "draw the next block of the grid";
  let description = [{
    Of a grid of `total` blocks of work the block of threads that was launched as
    number n begins with n. Further ones are drawn in order from a counter in
    device memory, which the caller provides, 0 before the launch and 0 again
    after it: all draws together are `total`. The result is at least `total` when
    nothing is left. Run by the producer after each block of work.

    Example:

    ```mlir
    %next = fagpu.draw_block of %total
    ```
  }];
  let arguments = (ins I32:$total);
  let results = (outs I32:$block);
  let assemblyFormat = "`of` $total attr-dict";
}

def FAGPU_PostBlockOp : FAGPU_Op<"post_block", [
    MemoryEffects<[MemRead, MemWrite]>
  ]> {
  let summary = "tell the row groups which block of work comes next";
  let description = [{
    Run by the producer: posts `values`, or that no block is left if there are
    none. `turn` counts the posts. There are two places in SRAM for what is posted,
    with two mbarriers each, as the stages of a ring have: this waits until the row
    groups have released what was posted two turns before.

    Example:

    ```mlir
    fagpu.post_block %batch, %head, %tile at %turn
    ```

    Constraints:
     - post_block_c1: at most 12 values.
  }];
  let arguments = (ins Variadic<I32>:$values, I32:$turn);
  let assemblyFormat = "($values^)? `at` $turn attr-dict";
  let hasVerifier = 1;
}

def FAGPU_AcquireBlockOp : FAGPU_Op<"acquire_block", [
    MemoryEffects<[MemRead, MemWrite]>
  ]> {
  let summary = "wait until the next block of work is posted";
  let description = [{
    Waits for the `fagpu.post_block` of the same `turn`. The result says whether a
    block was left.

    Example:

    ```mlir
    %left = fagpu.acquire_block at %turn
    ```
  }];
  let arguments = (ins I32:$turn);
  let results = (outs I1:$isLeft);
  let assemblyFormat = "`at` $turn attr-dict";
}

def FAGPU_ReadBlockOp : FAGPU_Op<"read_block", [
    MemoryEffects<[MemRead, MemWrite]>
  ]> {
  let summary = "a value that was posted";
  let description = [{
    Value `index` of the `fagpu.post_block` of the same `turn`, which is acquired
    and not yet released. It is the same in all threads of a warp, and in a uniform
    register, since `redux.sync` has it there (PTX ISA 9.7.13.14). It is read where
    this stands, so that no register need hold it from one use to another.

    Example:

    ```mlir
    %batch = fagpu.read_block 0 at %turn
    ```

    Constraints:
     - read_block_c1: `index` is from 0 to 11.
  }];
  let arguments = (ins I64Attr:$index, I32:$turn);
  let results = (outs I32:$value);
  let assemblyFormat = "$index `at` $turn attr-dict";
  let hasVerifier = 1;
}

def FAGPU_ReleaseBlockOp : FAGPU_Op<"release_block", [
    MemoryEffects<[MemRead, MemWrite]>
  ]> {
  let summary = "let the producer post another block of work";
  let description = [{
    What was posted at `turn` is not read any more. One lane of each warp arrives.

    Example:

    ```mlir
    fagpu.release_block at %turn
    ```
  }];
  let arguments = (ins I32:$turn);
  let assemblyFormat = "`at` $turn attr-dict";
}

def FAGPU_StoreTileOp : FAGPU_Op<"store_tile"> {
  let summary = "store a tile by way of SRAM";
  let description = [{
    Writes `value` to `buffer`, which nothing reads any more, and from there to
    the rows from `row` on of one head of `target`, clipped at its end. By row
    group.

    Example:

    ```mlir
    fagpu.store_tile %value by %q to %O[%b, %h, %row] : vector<64x64xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
    ```

    Constraints:
     - store_tile_c1: `value` has the shape and element type of `buffer`.
     - store_tile_c2: `target` has the columns and element type of `buffer`, and
       is an argument of the function.
  }];
  let arguments = (ins
    VectorOfRankAndType<[2], [FAGPU_Float16]>:$value,
    Arg<FAGPU_SramTile, "", [MemWrite]>:$buffer,
    Arg<MemRefRankOf<[FAGPU_Float16], [4]>, "", [MemWrite]>:$target,
    Index:$batch, Index:$head, Index:$row);
  let assemblyFormat = [{
    $value `by` $buffer `to` $target `[` $batch `,` $head `,` $row `]` attr-dict
    `:` type($value) `,` type($buffer) `,` type($target)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Warp
//===----------------------------------------------------------------------===//

def FAGPU_StoreFragmentOp : FAGPU_Op<"store_fragment"> {
  let summary = "write the values of a row group to a tile in SRAM";
  let description = [{
    The reverse of reading A: `fragment` is in the order of an accumulator
    (`fagpu.dot`), already of 16 bits. `stmatrix` (PTX ISA 9.7.14.5.16), without
    bank conflicts thanks to the swizzle.

    Example:

    ```mlir
    fagpu.store_fragment %f to %q warps = 4 : vector<32xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
    ```

    Constraints:
     - store_fragment_c1: `tile` has 16 * warps rows, a multiple of 8 columns,
       and twice as many columns as `fragment` has elements.
  }];
  let arguments = (ins VectorOfRankAndType<[1], [FAGPU_Float16]>:$fragment,
                       Arg<FAGPU_SramTile, "", [MemWrite]>:$tile,
                       I64Attr:$warps);
  let assemblyFormat = [{
    $fragment `to` $tile `warps` `=` $warps attr-dict
    `:` type($fragment) `,` type($tile)
  }];
  let hasVerifier = 1;
}

def FAGPU_StoreOp : FAGPU_Op<"store"> {
  let summary = "store a tile in SRAM by the tensor memory accelerator";
  let description = [{
    When all threads of the row group have written their part of `tile`, one of
    them stores it to the rows from `row` on of one head of `target`
    (`cp.async.bulk.tensor` with a tensor map, which clips at the end), and waits
    until the tile has been read.

    Example:

    ```mlir
    fagpu.store %q to %O[%b, %h, %row] : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
    ```

    Constraints:
     - store_c1: as store_tile_c2.
  }];
  let arguments = (ins
    Arg<FAGPU_SramTile, "", [MemRead]>:$tile,
    Arg<MemRefRankOf<[FAGPU_Float16], [4]>, "", [MemWrite]>:$target,
    Index:$batch, Index:$head, Index:$row);
  let assemblyFormat = [{
    $tile `to` $target `[` $batch `,` $head `,` $row `]` attr-dict
    `:` type($tile) `,` type($target)
  }];
  let hasVerifier = 1;
}

def FAGPU_DotOp : FAGPU_Op<"dot", [
    AllTypesMatch<["acc", "result"]>
  ]> {
  let summary = "the matrix product of a row group, D = A B + C";
  let description = [{
    Values are those of one thread of a group of `warps` warps. A is a tile
    [M, K] in SRAM or in registers. B is a tile in SRAM that is read in one of two
    ways: `columns` sums over its columns (B is [N, K], as in Q K^T), `rows` over
    its rows (B is [K, N], as in P V). C and D are the accumulators of [M, N].

    In registers a warp has B blocks of 16 rows, one after the other, for
    M = 16 * B * warps. A thread of lane l holds of an accumulator, at index
    (N / 2) b + 4 j + 2 i + k, the element

        row 16 b + l / 4 + 8 i,  column 8 j + 2 (l mod 4) + k      i, k in {0, 1}

    (PTX ISA, mma.m16n8k16 and wgmma accumulator fragments), and an A fragment
    has the same order. A part of B that a warp has read serves all its blocks of
    rows. wgmma has one. So what was accumulated by one product is the A of the
    next after conversion to 16 bits.

    sm_80: `ldmatrix` and `mma.sync.m16n8k16`; for f32 FMAs, exact as those of a
    CPU. sm_90a: one chain of
    `wgmma.mma_async` with its fence and commit; the result, and the reads of A
    and B from SRAM, are complete only after `fagpu.wait_dot`.

    Example:

    ```mlir
    %s = fagpu.dot %q, %k, %zero contract = columns warps = 4
        : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>, vector<64xf32>
    ```

    Constraints:
     - dot_c1: A and B have the same element type.
     - dot_c2: A in SRAM is [16 * B * warps, K], with the K of B; A in registers
       has B * K / 2 elements.
     - dot_c3: the accumulator has B * N / 2 elements, for a whole B.
     - dot_c4: a K that is summed over rows, or in registers, is a multiple of
       16. N, the rows of B, is a multiple of 8; the columns of B are filled up to
       one in the accumulator.
     - dot_c5: `warps` is positive.
     - dot_c6: a B that is summed over its rows has chunks of one width.
  }];
  let arguments = (ins
    Arg<AnyTypeOf<[FAGPU_SramTile, FAGPU_Fragment]>, "", [MemRead]>:$a,
    Arg<FAGPU_SramTile, "", [MemRead]>:$b,
    FAGPU_Accumulator:$acc,
    FAGPU_ContractAttr:$contract,
    I64Attr:$warps
  );
  let results = (outs FAGPU_Accumulator:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `contract` `=` $contract `warps` `=` $warps attr-dict
    `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The K and N of the product; N columns of B are filled up to a multiple
    /// of 8.
    int64_t getK();
    int64_t getN();
    /// The blocks of 16 rows of a warp, from the size of the accumulator.
    int64_t getRowBlocks() {
      return getAcc().getType().getDimSize(0) / (getN() / 2);
    }
    MemRefType getBType() { return getB().getType(); }
  }];
}

def FAGPU_WaitDotOp : FAGPU_Op<"wait_dot", [
    MemoryEffects<[MemRead, MemWrite]>,
    AllTypesMatch<["value", "result"]>
  ]> {
  let summary = "wait for the products of this thread's group";
  let description = [{
    Waits until at most `pending` of the products issued are not complete
    (`wgmma.wait_group`). The result is `value`, the result of a product, which
    may be used from here on. Nothing to do on sm_80.

    Example:

    ```mlir
    %s1 = fagpu.wait_dot %s pending = 0 : vector<64xf32>
    ```

    Constraints:
     - wait_dot_c1: `pending` is from 0 to 7.
  }];
  let arguments = (ins FAGPU_Accumulator:$value, I64Attr:$pending);
  let results = (outs FAGPU_Accumulator:$result);
  let assemblyFormat = [{
    $value `pending` `=` $pending attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

#endif // FAGPU_IR_FAGPUOPS_TD
