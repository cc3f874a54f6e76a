// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-expand-math), convert-scf-to-cf, convert-to-llvm)' \
// RUN:   | mlir-translate --mlir-to-llvmir | lli

// What fa-expand-math says of exp2, executed: at most 1 ulp of error from -125
// to 128, 0 below, and infinities and NaN kept. f64 is not expanded, and is what
// is compared with. Returns the number of failures.

// Whether |y - 2^x| is at most the last bit of y.
func.func private @is_near(%x: f32, %y: f32) -> i1 {
  %exponent = arith.constant 0x7F800000 : i32
  %last = arith.constant 1.1920928955078125e-07 : f64
  %xd = arith.extf %x : f32 to f64
  %expected = math.exp2 %xd : f64
  %yd = arith.extf %y : f32 to f64
  %difference = arith.subf %yd, %expected : f64
  %error = math.absf %difference : f64
  %bits = arith.bitcast %y : f32 to i32
  %power_bits = arith.andi %bits, %exponent : i32
  %power = arith.bitcast %power_bits : i32 to f32
  %power_d = arith.extf %power : f32 to f64
  %ulp = arith.mulf %power_d, %last : f64
  %ok = arith.cmpf ole, %error, %ulp : f64
  return %ok : i1
}

func.func private @bits_of_exp2(%bits: i32) -> i32 {
  %x = arith.bitcast %bits : i32 to f32
  %y = math.exp2 %x : f32
  %r = arith.bitcast %y : f32 to i32
  return %r : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant -125.0 : f32
  %step = arith.constant 2.53e-4 : f32
  %failures = scf.for %i = %c0 to %n step %c1 iter_args(%count = %zero) -> (i32) {
    %integer = arith.index_cast %i : index to i32
    %float = arith.sitofp %integer : i32 to f32
    %distance = arith.mulf %float, %step : f32
    %x = arith.addf %first, %distance : f32
    %y = math.exp2 %x : f32
    %near = func.call @is_near(%x, %y) : (f32, f32) -> i1
    %failed = arith.select %near, %zero, %one : i32
    %next = arith.addi %count, %failed : i32
    scf.yield %next : i32
  }

  // -infinity and -125.5 give 0, infinity and 128 infinity, a NaN a NaN.
  %inf = arith.constant 0x7F800000 : i32
  %minus_inf = arith.constant 0xFF800000 : i32
  %below = arith.constant 0xC2FB0000 : i32
  %above = arith.constant 0x43000000 : i32
  %nan = arith.constant 0x7FC00000 : i32
  %a = func.call @bits_of_exp2(%minus_inf) : (i32) -> i32
  %b = func.call @bits_of_exp2(%below) : (i32) -> i32
  %c = func.call @bits_of_exp2(%inf) : (i32) -> i32
  %d = func.call @bits_of_exp2(%above) : (i32) -> i32
  %e = func.call @bits_of_exp2(%nan) : (i32) -> i32
  %a0 = arith.cmpi ne, %a, %zero : i32
  %b0 = arith.cmpi ne, %b, %zero : i32
  %c0_ = arith.cmpi ne, %c, %inf : i32
  %d0 = arith.cmpi ne, %d, %inf : i32
  %e0 = arith.cmpi ule, %e, %inf : i32
  %ab = arith.ori %a0, %b0 : i1
  %cd = arith.ori %c0_, %d0 : i1
  %abcd = arith.ori %ab, %cd : i1
  %any = arith.ori %abcd, %e0 : i1
  %special = arith.select %any, %one, %zero : i32
  %total = arith.addi %failures, %special : i32
  // An exit code has 8 bits.
  %limit = arith.constant 100 : i32
  %code = arith.minui %total, %limit : i32
  return %code : i32
}
