// RUN: fa-opt %s -split-input-file -verify-diagnostics -fa-spill-scores

// expected-error @+1 {{expected a loop nest for a GPU without row groups}}
func.func @no_nest() {
  return
}

// -----

func.func @tile(%n: index) {
  // expected-error @+1 {{expected a schedule whose bc divides 64}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = []}, fa.schedule = #fa.schedule<br = 16, bc = 48>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @one_pass(%n: index) {
  // expected-error @+1 {{expected a nest with two passes over the keys}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = []}, fa.schedule = #fa.schedule<br = 16, bc = 64>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @max_of_something_else(%n: index, %S: vector<16x64xf32>, %m: vector<16xf32>) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // expected-error @+1 {{expected the maximum of scores}}
    %max = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<16x64xf32> to vector<16xf32>
    %P, %l = fa.softmax %S, %max, %m : vector<16x64xf32>, vector<16xf32> -> vector<16x64xbf16>
  } {fa.problem = {arguments = []}, fa.schedule = #fa.schedule<br = 16, bc = 64>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @softmax_of_something_else(%n: index, %S: vector<16x64xf32>, %m: vector<16xf32>) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // expected-error @+1 {{expected the softmax of scores}}
    %P, %l = fa.softmax %S, %m, %m : vector<16x64xf32>, vector<16xf32> -> vector<16x64xbf16>
  } {fa.problem = {arguments = []}, fa.schedule = #fa.schedule<br = 16, bc = 64>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @no_views(%n: index, %Q: memref<16x32xbf16>, %K: memref<64x32xbf16>, %m: vector<16xf32>) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // expected-error @+1 {{expected views of Q and K as operands; run fa-tile first, for a target without row groups}}
    %S = fa.scores %Q, %K : memref<16x32xbf16>, memref<64x32xbf16> -> vector<16x64xf32>
    %P, %l = fa.softmax %S, %m, %m : vector<16x64xf32>, vector<16xf32> -> vector<16x64xbf16>
  } {fa.problem = {arguments = []}, fa.schedule = #fa.schedule<br = 16, bc = 64>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}
