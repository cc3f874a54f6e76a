// RUN: fa-opt %s --fa-outline-blocks -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a function in destination style, without results, but it returns 'f32'}}
func.func @result(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @+1 {{expected a function of one block}}
func.func @branches(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb1
^bb1:
  return
}

// -----

// expected-error @+1 {{expected no other function named 'f_blocks'}}
func.func @f() {
  return
}
func.func private @f_blocks()

// -----

// Its caller would have to say which blocks.
// expected-error @+1 {{expected a kernel that is not used in its module, since its arguments change}}
func.func @called() {
  return
}
func.func @caller() {
  func.call @called() : () -> ()
  return
}
