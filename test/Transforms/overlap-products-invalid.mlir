// RUN: fa-opt %s -allow-unregistered-dialect --fa-overlap-products --split-input-file -verify-diagnostics

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @step(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      // expected-error @+1 {{expected a step of 1 to overlap products}}
      %r:3 = scf.for %t = %c0 to %edges step %c16 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @two_products(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      // expected-error @+1 {{expected one fa.scores, fa.online_softmax and fa.accumulate in a loop to overlap products}}
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %S2 = fa.scores %q, %k : !q, !k -> !S
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @position(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      // expected-error @+1 {{expected tiles of K and V that are acquired at the loop's counter to overlap products}}
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%c0] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @not_carried(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      // expected-error @+1 {{expected O to be carried by the loop and P to be used once to overlap products}}
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %zero rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @probs_used_twice(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      // expected-error @+1 {{expected O to be carried by the loop and P to be used once to overlap products}}
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        "test.use"(%P) : (!P) -> ()
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @may_not_run(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      // expected-error @+1 {{expected a first loop over key tiles that runs at least once to overlap products}}
      %r:3 = scf.for %t = %c0 to %n step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @start(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  %ones = arith.constant dense<1.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      // expected-error @+1 {{expected O to start from 0 to overlap products}}
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %ones, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @gap(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
      scf.for %t = %edges to %visits step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      // expected-error @+1 {{expected a loop that goes on where the one before ended to overlap products}}
      %r2:3 = scf.for %t = %n to %visits step %c1 iter_args(%l = %r#0, %o = %r#1, %m = %r#2) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r2#0, %r2#1, %r2#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @other_state(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
      scf.for %t = %edges to %visits step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      // expected-error @+1 {{expected a loop that goes on where the one before ended to overlap products}}
      %r2:3 = scf.for %t = %edges to %visits step %c1 iter_args(%l = %r#2, %o = %r#1, %m = %r#0) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r2#0, %r2#1, %r2#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @producer_position(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        // expected-error @+1 {{expected loads of V at the loop's counter, from one head, in loops that go on where the one before ended, to overlap products}}
        fagpu.load %vring[%c0] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @producer_head(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        %batch = arith.addi %b, %t : index
        // expected-error @+1 {{expected loads of V at the loop's counter, from one head, in loops that go on where the one before ended, to overlap products}}
        fagpu.load %vring[%t] from %V[%batch, %h, %row] : !ring, !KV
      }
    } consumer {
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @producer_may_not_run(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %n step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        // expected-error @+1 {{expected loads of V at the loop's counter, from one head, in loops that go on where the one before ended, to overlap products}}
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r#0, %r#1, %r#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!KV = memref<?x?x?x64xf16, #global>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>
!stats = vector<64xf32>

func.func @producer_gap(%q: !q, %K: !KV, %V: !KV, %n: index, %visits: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : !stats
  %ninf = arith.constant dense<0xFF800000> : !stats
  %zero = arith.constant dense<0.0> : !O
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    %edges = arith.maxsi %n, %c1 : index
    fagpu.specialize groups = 1 registers = (24, 240) producer {
      scf.for %t = %c0 to %edges step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
      scf.for %t = %n to %visits step %c1 {
        %row = arith.muli %t, %c16 : index
        fagpu.load %kring[%t] from %K[%b, %h, %row] : !ring, !KV
        // expected-error @+1 {{expected loads of V at the loop's counter, from one head, in loops that go on where the one before ended, to overlap products}}
        fagpu.load %vring[%t] from %V[%b, %h, %row] : !ring, !KV
      }
    } consumer {
      %r:3 = scf.for %t = %c0 to %edges step %c1 iter_args(%l = %zeros, %o = %zero, %m = %ninf) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      %r2:3 = scf.for %t = %edges to %visits step %c1 iter_args(%l = %r#0, %o = %r#1, %m = %r#2) -> (!stats, !O, !stats) {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        fagpu.release %kring[%t] : !ring
        %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %P, %v, %o rescale %alpha : !P, !k, !O, !stats
        fagpu.release %vring[%t] : !ring
        scf.yield %l1, %o1, %m1 : !stats, !O, !stats
      }
      "test.use"(%r2#0, %r2#1, %r2#2) : (!stats, !O, !stats) -> ()
    }
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, stages = 2, overlap = true>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}
