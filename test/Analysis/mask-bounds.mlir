// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-tile))' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// Which keys a where region is found to let through. b, h and i are arguments of
// the region, #5 an argument of the function.

!T = memref<?x?x?x16xf32>
!L = memref<?x?x?xf32>
#s = #fa.schedule<br = 16, bc = 32>
#t = #fa.target<"cpu", sram = 1048576, vector_bits = 256>

// CHECK: Function=causal | {{.*}}query i sees exactly [-inf, i + 1)
func.func @causal(%Q: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %c = arith.cmpi sle, %j, %i : index
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}

// The other way round, and through differences and casts.
// CHECK: Function=turned | {{.*}}query i sees exactly [i - 7, i + 1)
func.func @turned(%Q: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %eight = arith.constant 8 : i64
        %zero = arith.constant 0 : index
        %d = arith.subi %i, %j : index
        %wide = arith.index_cast %d : index to i64
        %near = arith.cmpi sgt, %eight, %wide : i64
        %past = arith.cmpi sge, %d, %zero : index
        %c = arith.andi %past, %near : i1
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}

// A window that the caller gives, in four comparisons.
// CHECK: Function=captured | {{.*}}query i sees exactly [max(i - #3, i - 2), min(#3 + i + 1, i + 1))
func.func @captured(%Q: !T, %O: !T, %L: !L, %w: index) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %two = arith.constant 2 : index
        %from = arith.subi %i, %w : index
        %to = arith.addi %w, %i : index
        %a = arith.cmpi sge, %j, %from : index
        %c = arith.cmpi sge, %to, %j : index
        %e = arith.andi %a, %c : i1
        %next = arith.addi %j, %two : index
        %f = arith.cmpi uge, %next, %i : index
        %past = arith.cmpi ule, %j, %i : index
        %x = arith.andi %f, %past : i1
        %g = arith.andi %e, %x : i1
        fa.yield %g : i1
      } {schedule = #s, target = #t}
  return
}

// CHECK: Function=one_key | {{.*}}query i sees exactly [i, i + 1)
func.func @one_key(%Q: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %c = arith.cmpi eq, %j, %i : index
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}

// A union of what begins before all keys is an interval: a prefix, which is read
// from a table.
// CHECK: Function=prefix | {{.*}}query i sees exactly [-inf, max(i + 1, index_cast(load(#3, b))))
func.func @prefix(%Q: !T, %O: !T, %L: !L, %p: memref<?xi32>) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %n = memref.load %p[%b] : memref<?xi32>
        %end = arith.index_cast %n : i32 to index
        %a = arith.cmpi slt, %j, %end : index
        %c = arith.cmpi sle, %j, %i : index
        %e = arith.ori %a, %c : i1
        fa.yield %e : i1
      } {schedule = #s, target = #t}
  return
}

// One of others is not: keys between the two may be hidden.
// CHECK: Function=sinks | {{.*}}query i sees some of [-inf, i + 1)
func.func @sinks(%Q: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %four = arith.constant 4 : index
        %a = arith.cmpi slt, %j, %four : index
        %d = arith.subi %i, %j : index
        %f = arith.cmpi slt, %d, %four : index
        %e = arith.ori %a, %f : i1
        %past = arith.cmpi sle, %j, %i : index
        %g = arith.andi %e, %past : i1
        fa.yield %g : i1
      } {schedule = #s, target = #t}
  return
}

// Chunks: divisions of both.
// CHECK: Function=chunks | {{.*}}query i sees exactly [128 * (divui(i, 128)), min(128 * (divui(i, 128) + 1), i + 1))
func.func @chunks(%Q: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %size = arith.constant 128 : index
        %mine = arith.divui %i, %size : index
        %its = arith.divui %j, %size : index
        %same = arith.cmpi eq, %mine, %its : index
        %past = arith.cmpi sle, %j, %i : index
        %g = arith.andi %same, %past : i1
        fa.yield %g : i1
      } {schedule = #s, target = #t}
  return
}

// A condition on the head: local in some heads, global in others.
// CHECK: Function=heads | {{.*}}query i sees exactly [select(cmpi(h, 2), -inf, i - 3), inf)
func.func @heads(%Q: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %two = arith.constant 2 : index
        %three = arith.constant 3 : index
        %global = arith.cmpi slt, %h, %two : index
        %d = arith.subi %i, %j : index
        %near = arith.cmpi sle, %d, %three : index
        %g = arith.ori %near, %global : i1
        fa.yield %g : i1
      } {schedule = #s, target = #t}
  return
}

// Negation, selection, constants.
// CHECK: Function=logic | {{.*}}query i sees exactly [-inf, select(cmpi(h, b), i, #3))
func.func @logic(%Q: !T, %O: !T, %L: !L, %n: index) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %true = arith.constant true
        %which = arith.cmpi eq, %h, %b : index
        %late = arith.cmpi sge, %j, %i : index
        %early = arith.xori %late, %true : i1
        %first = arith.cmpi slt, %j, %n : index
        %all = arith.andi %first, %true : i1
        %g = arith.select %which, %early, %all : i1
        fa.yield %g : i1
      } {schedule = #s, target = #t}
  return
}

// What is not known may let any key through: a parity, a bound that falls, a
// narrow integer, a number that may be negative and is compared without sign.
// CHECK-COUNT-4: query i sees some of [-inf, inf)
func.func @parity(%Q: !T, %O: !T, %L: !L) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %two = arith.constant 2 : index
        %zero = arith.constant 0 : index
        %r = arith.remui %j, %two : index
        %c = arith.cmpi eq, %r, %zero : index
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}
func.func @falls(%Q: !T, %O: !T, %L: !L, %n: index) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %left = arith.subi %n, %i : index
        %c = arith.cmpi slt, %j, %left : index
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}
func.func @narrow(%Q: !T, %O: !T, %L: !L, %n: index) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %x = arith.index_cast %i : index to i32
        %y = arith.index_cast %j : index to i32
        %c = arith.cmpi slt, %y, %x : i32
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}
func.func @unsigned(%Q: !T, %O: !T, %L: !L, %n: index) {
  fa.attention ins(%Q, %Q, %Q : !T, !T, !T) outs(%O, %L : !T, !L)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %c = arith.cmpi ult, %j, %n : index
        fa.yield %c : i1
      } {schedule = #s, target = #t}
  return
}
