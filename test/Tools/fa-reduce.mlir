// The reducer deletes what the script does not ask for.
// RUN: fa-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-mulf.sh' \
// RUN:   | FileCheck %s
// RUN: not fa-reduce %t.none.mlir 2>&1 | FileCheck %s --check-prefix=MISSING

// MISSING: cannot open input file

// CHECK-NOT: func.func @irrelevant
// CHECK-LABEL: func.func @keep
// CHECK: arith.mulf
func.func @irrelevant(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}

func.func @keep(%a: f32) -> f32 {
  %0 = arith.mulf %a, %a : f32
  return %0 : f32
}
