// RUN: fa-opt %s --fa-outline-steps -split-input-file -verify-diagnostics

// expected-error @+1 {{expected no other function named 'f_fill'}}
func.func @f(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {fa.step = "fill"}
  return
}
func.func private @f_fill()

// -----

// expected-error @+1 {{expected no other function named 'f_scratch'}}
func.func @f(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {fa.step = "fill"}
  return
}
func.func private @f_scratch()

// -----

// expected-error @+1 {{expected steps of different names but got 'fill' twice}}
func.func @f(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {fa.step = "fill"}
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {fa.step = "fill"}
  return
}
