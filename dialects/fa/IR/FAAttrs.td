//===- FAAttrs.td - Attributes of the fa dialect -----------*- tablegen -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_IR_FAATTRS_TD
#define FA_IR_FAATTRS_TD

include "fa/IR/FADialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class FA_Attr<string name, string attrMnemonic> : AttrDef<FA_Dialect, name> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Mask
//===----------------------------------------------------------------------===//

def FA_MaskKind : I32EnumAttr<"MaskKind", "which keys a query sees", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Causal", 1, "causal">,
    I32EnumAttrCase<"Window", 2, "window">
  ]> {
  let cppNamespace = "::mlir::fa";
  let genSpecializedAttr = 0;
}

def FA_MaskAlign : I32EnumAttr<"MaskAlign",
    "which corner of the score matrix the diagonal goes through", [
    I32EnumAttrCase<"BottomRight", 0, "bottom_right">,
    I32EnumAttrCase<"TopLeft", 1, "top_left">
  ]> {
  let cppNamespace = "::mlir::fa";
  let genSpecializedAttr = 0;
}

def FA_MaskAttr : FA_Attr<"Mask", "mask"> {
  let summary = "a band of visible keys around the diagonal";
  let description = [{
    Query i sees key j if and only if

        i + shift - left <= j <= i + shift + right

    where both ends are inclusive and shift = Sk - Sq for `bottom_right` (the
    default, as FlashAttention 2.1 and later) or 0 for `top_left`.

    | kind     | left      | right     |
    |----------|-----------|-----------|
    | `none`   | unbounded | unbounded |
    | `causal` | unbounded | 0         |
    | `window` | `left`    | `right`   |

    Examples: `#fa.mask<causal>`, `#fa.mask<causal, align = top_left>`,
    `#fa.mask<window, left = 128, right = 0>`.

    Constraints:
     - mask_c1: `window` has a left and a right that are not negative.
     - mask_c2: the other kinds have neither.
     - mask_c3: `none` has no alignment other than the default.
  }];
  let parameters = (ins
    EnumParameter<FA_MaskKind>:$kind,
    DefaultValuedParameter<"int64_t", "-1">:$left,
    DefaultValuedParameter<"int64_t", "-1">:$right,
    DefaultValuedParameter<"::mlir::fa::MaskAlign",
                           "::mlir::fa::MaskAlign::BottomRight">:$align
  );
  let assemblyFormat = [{
    `<` $kind (`,` struct($left, $right, $align)^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Distance from the diagonal to the first visible key, if bounded.
    std::optional<int64_t> getLeftBound() const;
    /// Distance from the diagonal to the last visible key, if bounded.
    std::optional<int64_t> getRightBound() const;
  }];
}

//===----------------------------------------------------------------------===//
// Target and schedule
//===----------------------------------------------------------------------===//

def FA_TargetAttr : FA_Attr<"Target", "target"> {
  let summary = "what the kernel is compiled for, and its limits";
  let description = [{
    `chip` names the target. `sram` is the number of bytes of fast memory that
    one block may use for its tiles: the workgroup memory of a GPU, a core's
    share of L2 on a CPU. `vector_bits` is the width of a CPU's SIMD register.
    `align` is what the code for a GPU may rely on: the addresses of Q, K, V and O
    and the distances between their rows, heads and batches are multiples of so
    many bytes. `max_keys` is another promise: there are at most so many keys (0:
    any number), for a schedule that is the best one for short sequences alone.
    The caller has to see to both (`guards` of a kernel package).

    Examples: `#fa.target<"cpu", sram = 1048576, vector_bits = 512>`,
    `#fa.target<"sm_90a", sram = 232448>`,
    `#fa.target<"sm_90a", sram = 232448, max_keys = 4096>`.

    Constraints:
     - target_c1: `chip` is a known target: `cpu`, `sm_80`, `sm_86`, `sm_89`,
       `sm_90` (without what only 9.0 has), `sm_90a`, `sm_100` or `sm_120`.
     - target_c2: `sram` is positive.
     - target_c3: `vector_bits` is 128, 256 or 512 on a CPU, and not given on a
       GPU.
     - target_c4: `align` is 2, 4, 8 or 16, and not given on a CPU.
     - target_c5: `max_keys` is at least 0, and not given on a CPU.
  }];
  let parameters = (ins
    StringRefParameter<"target name">:$chip,
    "int64_t":$sram,
    DefaultValuedParameter<"int64_t", "0">:$vectorBits,
    DefaultValuedParameter<"int64_t", "16">:$align,
    DefaultValuedParameter<"int64_t", "0">:$maxKeys
  );
  let assemblyFormat = [{
    `<` $chip `,` custom<TargetLimits>($sram, $vectorBits, $align, $maxKeys) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isCPU() const { return getChip() == "cpu"; }
    /// True if the target has the tensor memory accelerator and wgmma.
    bool isHopper() const { return getChip() == "sm_90a"; }
  }];
}

def FA_BackwardDesign : I32EnumAttr<"BackwardDesign",
    "how the gradients are spread over loops", [
    I32EnumAttrCase<"TwoPass", 0, "two_pass">,
    I32EnumAttrCase<"OnePass", 1, "one_pass">
  ]> {
  let cppNamespace = "::mlir::fa";
  let genSpecializedAttr = 0;
}

def FA_ScheduleAttr : FA_Attr<"Schedule", "schedule"> {
  let summary = "the choices of a kernel, made once by fa-select-schedule";
  let description = [{
    `br` and `bc` are the rows of a query tile and of a key tile (B_r and B_c
    of the paper).

    On a CPU `mr` and `nr` are the rows and columns of the register tile that
    the matrix products are blocked by.

    On a GPU the rows of a query tile are split among `groups` row groups of
    `warps` warps each, and `stages` key tiles are in SRAM at a time. `blocks` is
    the number of blocks that are to share a multiprocessor; it bounds the
    registers of a thread.

    On sm_90a the matrix products are asynchronous, and three choices say what
    runs beside them. With `overlap` the product Q K^T of a key tile is issued
    together with P V of the tile before it (`fa-overlap-products`). With
    `pingpong` the row groups take turns to issue products, so that the softmax
    of one runs while the tensor cores work for another (`fa-ping-pong`). With
    `lazy` O is rescaled only where the row maximum has grown by more than a
    bound (`fa-lazy-rescale`). With `persistent = n` there are only as many blocks
    as run at a time, which take query tiles in turn and have n tiles of Q in SRAM
    (`fa-persistent-grid`); with 0 there is a block for each query tile.

    With `narrow`, on sm_90a too, tiles in SRAM have chunks narrower than 128
    bytes where their columns would not fill such chunks
    (`fa-promote-to-sram`).

    With `tf32` the products of f32 run on the tensor cores of a GPU, which take
    operands of 10 bits of fraction: those of Q, K, P and V are rounded to
    nearest (PTX ISA, cvt.rna.tf32). Sums stay f32. It is never chosen, only
    asked for.

    `backward` is the design of a gradient. With `two_pass` one nest owns dQ, a
    query tile a block, and one owns dK and dV, a key tile a block: S and dP are
    computed twice. With `one_pass` they are computed once, in the nest that owns
    dK and dV, which also adds to dQ in memory, in f32. There the key tiles of a
    head are dealt out to `splits` blocks with a dQ each, which are summed in the
    end: the order of each sum is fixed.

    Constraints:
     - schedule_c1: `br`, `bc`, `groups`, `warps`, `stages`, `blocks` and
       `splits` are positive;
       `mr` and `nr` are positive, or neither is given.
     - schedule_c2: `br` and `bc` are at most 4096.
     - schedule_c3: `br` is a multiple of `mr`.
     - schedule_c4: `bc` is a multiple of `nr`.
     - schedule_c5: `br` is a multiple of `groups`.
     - schedule_c6: `pingpong` has at least two `groups`.
     - schedule_c7: `splits` is 1 with `two_pass`, and at most 64.
     - schedule_c8: `persistent` is 0, 1 or 2.
  }];
  let parameters = (ins
    "int64_t":$br, "int64_t":$bc,
    DefaultValuedParameter<"int64_t", "0">:$mr,
    DefaultValuedParameter<"int64_t", "0">:$nr,
    DefaultValuedParameter<"int64_t", "1">:$groups,
    DefaultValuedParameter<"int64_t", "1">:$warps,
    DefaultValuedParameter<"int64_t", "1">:$stages,
    DefaultValuedParameter<"int64_t", "1">:$blocks,
    DefaultValuedParameter<"bool", "false">:$overlap,
    DefaultValuedParameter<"bool", "false">:$pingpong,
    DefaultValuedParameter<"bool", "false">:$lazy,
    DefaultValuedParameter<"bool", "false">:$narrow,
    DefaultValuedParameter<"int64_t", "0">:$persistent,
    DefaultValuedParameter<"bool", "false">:$tf32,
    DefaultValuedParameter<"::mlir::fa::BackwardDesign",
                           "::mlir::fa::BackwardDesign::TwoPass">:$backward,
    DefaultValuedParameter<"int64_t", "1">:$splits
  );
  let assemblyFormat = [{ `<` struct(params) `>` }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Registers of a thread of the producer, and of one of `groups` row groups,
    /// on sm_90a: together no more than the launch gives the block
    /// (docs/Rationale.md, registers). The producer of a persistent block finds
    /// out what is next, too.
    static int64_t getProducerRegisters(int64_t groups, bool isPersistent) {
      return groups > 2 ? 32 : isPersistent ? 40 : 24;
    }
    static int64_t getGroupRegisters(int64_t groups, bool isPersistent) {
      return groups > 3 ? 112 : groups == 3 ? 160 : isPersistent ? 232 : 240;
    }
    /// Tiles of Q that a block has in SRAM at a time.
    int64_t getQueryTiles() const {
      return std::max<int64_t>(getPersistent(), 1);
    }
    /// Rows of the tile program of one row group.
    int64_t getGroupRows() const { return getBr() / getGroups(); }
    /// Blocks of 16 rows that each warp of a row group has, on a GPU.
    int64_t getRowBlocks() const {
      return std::max<int64_t>(getGroupRows() / (16 * getWarps()), 1);
    }
  }];
}

#endif // FA_IR_FAATTRS_TD
