// RUN: fa-opt %s --fa-specialize-warps --split-input-file -verify-diagnostics

func.func @no_row_groups(%n: index) {
  // expected-error @+1 {{expected one parallel loop over row groups in the block but got 0}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

func.func @two_loops_over_row_groups(%n: index) {
  // expected-error @+1 {{expected one parallel loop over row groups in the block but got 2}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    scf.forall (%g) in (2) {
    }
    scf.forall (%g) in (2) {
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

func.func @too_many_groups(%n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // expected-error @+1 {{expected at most 65536 registers in all but a producer with 32 and 8 row groups with 112 registers a thread take more}}
    scf.forall (%g) in (8) {
    }
  } {fa.schedule = #fa.schedule<br = 512, bc = 16, groups = 8, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// A tensor map describes a whole argument.
#tile = strided<[?, 1], offset: ?>
func.func @rank_2(%Q: memref<?x64xf16, #tile>, %n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // expected-error @+1 {{expected a view of an argument of rank 4 to be loaded}}
    %Qi = memref.subview %Q[%i, 0] [64, 64] [1, 1] : memref<?x64xf16, #tile> to memref<64x64xf16, #tile>
    %q = fagpu.alloc : memref<64x64xf16, #fagpu.sram<swizzle = 128>>
    fagpu.copy %Qi to %q : memref<64x64xf16, #tile>, memref<64x64xf16, #fagpu.sram<swizzle = 128>>
    scf.forall (%g) in (1) {
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
func.func @target_of_copy(%Q: memref<?x?x?x64xf16>, %q: memref<64x64xf16, #fagpu.sram<swizzle = 128>>, %n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, 64, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
    // expected-error @+1 {{expected the target to be a tile of fagpu.alloc but got 'memref<64x64xf16, #fagpu.sram<swizzle = 128>>'}}
    fagpu.copy %Qi to %q : memref<64x64xf16, strided<[64, 1], offset: ?>>, memref<64x64xf16, #fagpu.sram<swizzle = 128>>
    scf.forall (%g) in (1) {
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// The producer does not read memory to find the tiles.
func.func @bound_from_memory(%bounds: memref<?xindex>, %n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    scf.forall (%g) in (1) {
      // expected-error @+1 {{expected the address of a tile to depend on loop counters only}}
      %hi = memref.load %bounds[%b] : memref<?xindex>
      scf.for %t = %b to %hi step %c1 {
      }
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
func.func @row_from_memory(%K: memref<?x?x?x64xf16, #global>, %rows: memref<?xindex>, %n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %ring = fagpu.alloc : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
    scf.forall (%g) in (1) {
      scf.for %t = %b to %n step %c1 {
        // expected-error @+1 {{expected the address of a tile to depend on loop counters only}}
        %row = memref.load %rows[%t] : memref<?xindex>
        %Kj = memref.subview %K[%b, %h, %row, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>, memref<16x64xf16, #tile>
        %S = fa.scores %k, %k : memref<16x64xf16, #fagpu.sram<swizzle = 128>>, memref<16x64xf16, #fagpu.sram<swizzle = 128>> -> vector<16x16xf32>
      }
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

// All groups share what the producer loads.
func.func @end_of_group(%n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    scf.forall (%g) in (2) {
      %end = arith.addi %g, %c1 : index
      // expected-error @+1 {{expected row groups to visit the same key tiles, but for those that they skip at the start}}
      scf.for %t = %c1 to %end step %c1 {
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

func.func @step_of_group(%n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    scf.forall (%g) in (2) {
      %step = arith.addi %g, %c1 : index
      // expected-error @+1 {{expected row groups to visit the same key tiles, but for those that they skip at the start}}
      scf.for %t = %c1 to %n step %step {
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

func.func @start_of_second_loop(%n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    scf.forall (%g) in (2) {
      scf.for %t = %c1 to %n step %c1 {
      }
      // expected-error @+1 {{expected row groups to visit the same key tiles, but for those that they skip at the start}}
      scf.for %t = %g to %n step %c1 {
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>

// One loop goes on where the other of this group ends, but with other tiles.
func.func @other_tiles_after_boundary(%K: memref<?x?x?x64xf16, #global>, %n: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %ring = fagpu.alloc : !ring
    scf.forall (%g) in (2) {
      // expected-error @+1 {{expected row groups to visit the same key tiles, but for those that they skip at the start}}
      scf.for %t = %c1 to %g step %c1 {
        %row = arith.subi %n, %t : index
        %Kj = memref.subview %K[%b, %h, %row, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %k, %k : !k, !k -> vector<16x16xf32>
      }
      scf.for %t = %g to %n step %c1 {
        %Kj = memref.subview %K[%b, %h, %t, 0] [1, 1, 16, 64] [1, 1, 1, 1]
            : memref<?x?x?x64xf16, #global> to memref<16x64xf16, #tile>
        %k = fagpu.fill %ring[%t] from %Kj : !ring, memref<16x64xf16, #tile>
        %S = fa.scores %k, %k : !k, !k -> vector<16x16xf32>
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#tile = strided<[?, 1], offset: ?>
!q = memref<128x64xf16, #fagpu.sram<swizzle = 128>>

// A group has its own stage of Q alone: all rows, and rows of another group, are not
// there.
func.func @all_rows_of_query(%Q: memref<?x?x?x64xf16>, %n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, 128, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xf16> to memref<128x64xf16, strided<[64, 1], offset: ?>>
    %q = fagpu.alloc : !q
    fagpu.copy %Qi to %q : memref<128x64xf16, strided<[64, 1], offset: ?>>, !q
    scf.forall (%g) in (2) {
      // expected-error @+1 {{expected the rows of the row group, from group * 64 on, where the query tile of the block is used}}
      %S = fa.scores %q, %q : !q, !q -> vector<128x128xf32>
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

!q = memref<128x64xf16, #fagpu.sram<swizzle = 128>>
func.func @other_rows_of_query(%Q: memref<?x?x?x64xf16>, %n: index) {
  %c32 = arith.constant 32 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, 128, 64] [1, 1, 1, 1]
        : memref<?x?x?x64xf16> to memref<128x64xf16, strided<[64, 1], offset: ?>>
    %q = fagpu.alloc : !q
    fagpu.copy %Qi to %q : memref<128x64xf16, strided<[64, 1], offset: ?>>, !q
    scf.forall (%g) in (2) {
      %first = arith.muli %g, %c32 : index
      // expected-error @+1 {{expected the rows of the row group, from group * 64 on, where the query tile of the block is used}}
      %rows = memref.subview %q[%first, 0] [64, 64] [1, 1]
          : !q to memref<64x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}
