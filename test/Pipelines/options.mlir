// Every option of fa-lower-to-cpu, by what it changes. Where an option is given
// on the command line, the defaults are what CHECK has.

// RUN: fa-opt %s --fa-lower-to-cpu=stop-after=fused | FileCheck %s
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=fused br=8' | FileCheck %s --check-prefix=BR
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=fused bc=16' | FileCheck %s --check-prefix=BC
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=fused mr=2' | FileCheck %s --check-prefix=MR
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=fused nr=4' | FileCheck %s --check-prefix=NR
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=fused sram=20000' | FileCheck %s --check-prefix=SRAM
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=fused vector-bits=512' | FileCheck %s --check-prefix=BITS

// CHECK: fa.online_softmax
// CHECK: {fa.schedule = #fa.schedule<br = 64, bc = 64, mr = 4, nr = 16>, fa.target = #fa.target<"cpu", sram = 1048576, vector_bits = 256>,
// BR: #fa.schedule<br = 8, bc = 64, mr = 4, nr = 16>
// BC: #fa.schedule<br = 64, bc = 16, mr = 4, nr = 16>
// MR: #fa.schedule<br = 64, bc = 64, mr = 2, nr = 16>
// NR: #fa.schedule<br = 64, bc = 64, mr = 4, nr = 4>
// SRAM: #fa.schedule<br = 64, bc = 16, mr = 4, nr = 16>, fa.target = #fa.target<"cpu", sram = 20000,
// BITS: #fa.schedule<br = 64, bc = 64, mr = 8, nr = 32>, fa.target = #fa.target<"cpu", sram = 1048576, vector_bits = 512>

// The algorithm; to stop at one is to choose it.
// RUN: fa-opt %s --fa-lower-to-cpu='level=nest stop-after=loops' | FileCheck %s --check-prefix=TWO-PASSES
// RUN: fa-opt %s --fa-lower-to-cpu='level=fused stop-after=loops' | FileCheck %s --check-prefix=ONE-PASS
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=loops' | FileCheck %s --check-prefix=ONE-PASS
// RUN: fa-opt %s --fa-lower-to-cpu='level=naive stop-after=loops' | FileCheck %s --check-prefix=MATRICES
// RUN: fa-opt %s --fa-lower-to-cpu='level=naive stop-after=nest' | FileCheck %s --check-prefix=NEST
// RUN: fa-opt %s --fa-lower-to-cpu='level=nest stop-after=fused' | FileCheck %s
// RUN: fa-opt %s --fa-lower-to-cpu='level=fused stop-after=naive' | FileCheck %s --check-prefix=NAIVE

// In the second pass of two the maximum is known.
// TWO-PASSES: vector.reduction <maxnumf>
// TWO-PASSES: vector.reduction <maxnumf>
// TWO-PASSES-NOT: vector.reduction <maxnumf>
// TWO-PASSES: vector.reduction <add>
// TWO-PASSES: vector.reduction <add>
// In each of the loops of one pass both are found.
// ONE-PASS: vector.reduction <maxnumf>
// ONE-PASS: vector.reduction <add>
// ONE-PASS: vector.reduction <maxnumf>
// ONE-PASS: vector.reduction <add>
// MATRICES-COUNT-2: memref.alloc(%{{.*}}) {{.*}}memref<?x?x?x?xf32>
// MATRICES-NOT: vector.
// NEST: fa.softmax
// NAIVE: linalg.generic

// Where it ends.
// RUN: fa-opt %s --fa-lower-to-cpu=stop-after=problem | FileCheck %s --check-prefix=PROBLEM
// RUN: fa-opt %s --fa-lower-to-cpu=stop-after=vector | FileCheck %s --check-prefix=VECTOR
// RUN: fa-opt %s --fa-lower-to-cpu=stop-after=llvm | FileCheck %s --check-prefix=LLVM
// RUN: fa-opt %s --fa-lower-to-cpu | FileCheck %s --check-prefix=LLVM
// RUN: fa-opt %s --fa-lower-to-cpu='level=naive stop-after=vector' | FileCheck %s --check-prefix=NAIVE

// PROBLEM: fa.attention ins({{.*}} : tensor
// VECTOR: fa.scores
// VECTOR-NOT: fa.online_softmax
// VECTOR: math.exp2
// LLVM: llvm.func @f_blocks
// LLVM: llvm.func @f(

// RUN: not fa-opt %s --fa-lower-to-cpu=stop-after=ptx 2>&1 | FileCheck %s --check-prefix=UNKNOWN-LEVEL
// RUN: not fa-opt %s --fa-lower-to-cpu=tile=8 2>&1 | FileCheck %s --check-prefix=UNKNOWN-OPTION
// RUN: not fa-opt %s --fa-lower-to-cpu=br=wide 2>&1 | FileCheck %s --check-prefix=NO-NUMBER
// RUN: not fa-opt %s --fa-lower-to-cpu=mr=7 2>&1 | FileCheck %s --check-prefix=NOT-VALID
// UNKNOWN-LEVEL: for the --stop-after option: Cannot find option named 'ptx'!
// UNKNOWN-OPTION: <Pass-Options-Parser>: no such option tile
// NO-NUMBER: for the --br option: 'wide' value invalid for {{l?long}} argument!
// NOT-VALID: error: 'fa.attention' op has no valid schedule: expected br to be a multiple of mr but got br = 64, mr = 7

func.func @f(%Q: tensor<?x?x?x16xf32>, %K: tensor<?x?x?x16xf32>, %V: tensor<?x?x?x16xf32>,
             %O: tensor<?x?x?x16xf32>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x16xf32>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>)
      outs(%O, %LSE : tensor<?x?x?x16xf32>, tensor<?x?x?xf32>)
      -> tensor<?x?x?x16xf32>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x16xf32>, tensor<?x?x?xf32>
}
