// Attention with one thread for each query, as plain as a kernel can be: it
// tests packages and launches, not speed. bf16, head dim 64, no mask, any
// strides.
//
// %lower_rows of lit.cfg.py, upstream passes alone, takes it to the LLVM and
// NVVM dialects.

!tensor = memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
!lse = memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>

gpu.module @kernels {
gpu.func @rows(%q: !tensor, %k: !tensor, %v: !tensor, %o: !tensor, %lse: !lse)
    kernel attributes {
      known_block_size = array<i32: 64, 1, 1>,
      fa.kernel = {
        target = "sm_80", block = 64, query_tile = 64, sram_bytes = 0,
        schedule = "one thread a row",
        guards = {pointer_alignment = 2, stride_alignment = 2},
        arguments = [{kind = "memref", tensor = "Q"},
                     {kind = "memref", tensor = "K"},
                     {kind = "memref", tensor = "V"},
                     {kind = "memref", tensor = "O"},
                     {kind = "memref", tensor = "LSE"}],
        problem = {dtype = "bf16", head_dim = 64, head_dim_v = 64,
                   mask = "none", scale = 0.125}}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %log2e = arith.constant 1.44269502 : f32
  %ln2 = arith.constant 0.693147182 : f32

  // block = (batch * heads + head) * tiles + tile
  %heads = memref.dim %q, %c1 : !tensor
  %rows = memref.dim %q, %c2 : !tensor
  %kvHeads = memref.dim %k, %c1 : !tensor
  %keys = memref.dim %k, %c2 : !tensor
  %tiles = arith.ceildivsi %rows, %c64 : index
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %head = arith.divui %block, %tiles : index
  %tile = arith.remui %block, %tiles : index
  %b = arith.divui %head, %heads : index
  %h = arith.remui %head, %heads : index
  %group = arith.divui %heads, %kvHeads : index
  %hk = arith.divui %h, %group : index
  %begin = arith.muli %tile, %c64 : index
  %i = arith.addi %begin, %thread : index

  %inside = arith.cmpi ult, %i, %rows : index
  scf.if %inside {
    %acc = memref.alloca() : memref<64xf32>
    scf.for %c = %c0 to %c64 step %c1 {
      memref.store %zero, %acc[%c] : memref<64xf32>
    }
    // m: running maximum, l: running sum.
    %state:2 = scf.for %j = %c0 to %keys step %c1
        iter_args(%m = %infinity, %l = %zero) -> (f32, f32) {
      %dot = scf.for %c = %c0 to %c64 step %c1
          iter_args(%sum = %zero) -> (f32) {
        %x = memref.load %q[%b, %h, %i, %c] : !tensor
        %y = memref.load %k[%b, %hk, %j, %c] : !tensor
        %xf = arith.extf %x : bf16 to f32
        %yf = arith.extf %y : bf16 to f32
        %product = arith.mulf %xf, %yf : f32
        %next = arith.addf %sum, %product : f32
        scf.yield %next : f32
      }
      %s = arith.mulf %dot, %scale : f32
      %max = arith.maximumf %m, %s : f32
      %dm = arith.subf %m, %max : f32
      %ds = arith.subf %s, %max : f32
      %dm2 = arith.mulf %dm, %log2e : f32
      %ds2 = arith.mulf %ds, %log2e : f32
      %alpha = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%dm2)
          : (f32) -> f32
      %p = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%ds2)
          : (f32) -> f32
      %scaled = arith.mulf %l, %alpha : f32
      %sum = arith.addf %scaled, %p : f32
      scf.for %c = %c0 to %c64 step %c1 {
        %old = memref.load %acc[%c] : memref<64xf32>
        %y = memref.load %v[%b, %hk, %j, %c] : !tensor
        %yf = arith.extf %y : bf16 to f32
        %rescaled = arith.mulf %old, %alpha : f32
        %product = arith.mulf %p, %yf : f32
        %new = arith.addf %rescaled, %product : f32
        memref.store %new, %acc[%c] : memref<64xf32>
      }
      scf.yield %max, %sum : f32, f32
    }
    scf.for %c = %c0 to %c64 step %c1 {
      %x = memref.load %acc[%c] : memref<64xf32>
      %y = arith.divf %x, %state#1 : f32
      %z = arith.truncf %y : f32 to bf16
      memref.store %z, %o[%b, %h, %i, %c] : !tensor
    }
    %log2 = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%state#1)
        : (f32) -> f32
    %log = arith.mulf %log2, %ln2 : f32
    %value = arith.addf %state#0, %log : f32
    memref.store %value, %lse[%b, %h, %i] : !lse
  }
  gpu.return
}
}
