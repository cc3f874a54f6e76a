// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-tile, canonicalize, cse))' | %python %S/Inputs/same-ranges.py | FileCheck %s
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-tile, canonicalize, cse))' | FileCheck %s --check-prefix=IR

// A where region that says what a mask attribute says visits the same tiles: the
// bounds of the four loops are the same expressions.

// CHECK: PASS causal_mask
// CHECK: PASS window_mask
// CHECK: PASS half_mask

!T = memref<?x?x?x16xf32>
!L = memref<?x?x?xf32>
#s = #fa.schedule<br = 16, bc = 32>
#t = #fa.target<"cpu", sram = 1048576, vector_bits = 256>

func.func @causal_mask(%Q: !T, %K: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %K, %K : !T, !T, !T) outs(%O, %L : !T, !L)
      mask = #fa.mask<causal, align = top_left> {schedule = #s, target = #t}
  return
}

// The region is applied in edge tiles, with the end of the keys, and not in full
// ones.
// IR-LABEL: func.func @causal_where(
// IR: scf.for
// IR:   arith.cmpi sle, %{{.*}} : vector<16x32xindex>
// IR:   arith.cmpi slt, %{{.*}} : vector<16x32xi32>
// IR: scf.for
// IR-NOT: arith.cmpi
// IR: scf.for
// IR:   arith.cmpi
// IR: scf.for
// IR-NOT: arith.cmpi
// IR: fa.finish
func.func @causal_where(%Q: !T, %K: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %K, %K : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %c = arith.cmpi sle, %j, %i : index
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}

func.func @window_mask(%Q: !T, %K: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %K, %K : !T, !T, !T) outs(%O, %L : !T, !L)
      mask = #fa.mask<window, left = 7, right = 3, align = top_left> {schedule = #s, target = #t}
  return
}
func.func @window_where(%Q: !T, %K: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %K, %K : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %seven = arith.constant 7 : index
        %three = arith.constant 3 : index
        %d = arith.subi %i, %j : index
        %near = arith.cmpi sle, %d, %seven : index
        %e = arith.subi %j, %i : index
        %past = arith.cmpi sge, %three, %e : index
        %c = arith.andi %past, %near : i1
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}

// Half of it as an attribute.
func.func @half_mask(%Q: !T, %K: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %K, %K : !T, !T, !T) outs(%O, %L : !T, !L)
      mask = #fa.mask<causal, align = top_left> {schedule = #s, target = #t}
  return
}
func.func @half_where(%Q: !T, %K: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %K, %K : !T, !T, !T) outs(%O, %L : !T, !L)
      mask = #fa.mask<causal, align = top_left>
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %true = arith.constant true
        fa.yield %true : i1
      } {schedule = #s, target = #t}
  return
}

// What is known only in part narrows the range, and is applied in every tile.
// IR-LABEL: func.func @some(
// IR: scf.for
// IR:   arith.remui
// IR: scf.for
// IR:   arith.remui
// IR: fa.finish
func.func @some(%Q: !T, %K: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %K, %K : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %two = arith.constant 2 : index
        %zero = arith.constant 0 : index
        %r = arith.remui %j, %two : index
        %even = arith.cmpi eq, %r, %zero : index
        %past = arith.cmpi sle, %j, %i : index
        %c = arith.andi %past, %even : i1
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}
