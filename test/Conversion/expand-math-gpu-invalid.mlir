// RUN: fa-opt %s --fa-expand-math-gpu --split-input-file -verify-diagnostics

func.func @f64(%x: f64) -> f64 {
  // expected-error @+1 {{expected 'math.exp2' of f32, f16 or bf16 on a GPU but got 'f64'}}
  %y = math.exp2 %x : f64
  return %y : f64
}

// -----

func.func @power(%x: vector<2xf64>) -> vector<2xf64> {
  // expected-error @+1 {{expected 'math.powf' of f32, f16 or bf16 on a GPU but got 'f64'}}
  %y = math.powf %x, %x : vector<2xf64>
  return %y : vector<2xf64>
}
