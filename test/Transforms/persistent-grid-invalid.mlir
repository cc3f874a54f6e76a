// RUN: fa-opt %s --fa-persistent-grid --split-input-file -verify-diagnostics

// expected-error @+1 {{expected a kernel with one fagpu.specialize and one gpu.block_id to become persistent}}
func.func @no_roles(%Q: memref<?x?x?x64xbf16>)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "Q"}]}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, persistent = 1>} {
  %block = gpu.block_id x
  return
}

// -----

func.func @not_marked(%Q: memref<?x?x?x64xbf16>)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "Q"}]}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, persistent = 1>} {
  // expected-error @+1 {{expected three values that are marked fagpu.coordinate to depend on it but got 1}}
  %block = gpu.block_id x
  %b = arith.addi %block, %block {fagpu.coordinate} : index
  fagpu.specialize groups = 1 registers = (40, 232) producer {
  } consumer {
  }
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!T = memref<?x?x?x64xbf16, #global>
!ring = !fagpu.ring<2, memref<16x64xbf16, #fagpu.sram<swizzle = 128>>>

// Every other position.
func.func @positions_with_gaps(%Q: !T, %n: index)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "Q"}]}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, persistent = 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %block = gpu.block_id x
  %b = arith.addi %block, %c1 {fagpu.coordinate} : index
  %h = arith.addi %b, %c1 {fagpu.coordinate} : index
  %i = arith.addi %h, %c1 {fagpu.coordinate} : index
  %ring = fagpu.alloc offset = 0 : !ring
  fagpu.specialize groups = 1 registers = (40, 232) producer {
    scf.for %t = %c0 to %n step %c1 {
      %twice = arith.addi %t, %t : index
      // expected-error @+1 {{expected the last load of a ring at a position that a loop of the producer counts}}
      fagpu.load %ring[%twice] from %Q[%b, %h, %i] : !ring, !T
    }
  } consumer {
  }
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
!T = memref<?x?x?x64xbf16, #global>
!ring = !fagpu.ring<2, memref<16x64xbf16, #fagpu.sram<swizzle = 128>>>

func.func @many_counts(%Q: !T, %n: index)
    attributes {fa.kernel = {arguments = [{kind = "memref", tensor = "Q"}]}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, persistent = 1>} {
  %c1 = arith.constant 1 : index
  %block = gpu.block_id x
  %b = arith.addi %block, %c1 {fagpu.coordinate} : index
  %h = arith.addi %b, %c1 {fagpu.coordinate} : index
  %i = arith.addi %h, %c1 {fagpu.coordinate} : index
  %r0 = fagpu.alloc offset = 0 : !ring
  %r1 = fagpu.alloc offset = 4096 : !ring
  %r2 = fagpu.alloc offset = 8192 : !ring
  %r3 = fagpu.alloc offset = 12288 : !ring
  %r4 = fagpu.alloc offset = 16384 : !ring
  %r5 = fagpu.alloc offset = 20480 : !ring
  %r6 = fagpu.alloc offset = 24576 : !ring
  %r7 = fagpu.alloc offset = 28672 : !ring
  %r8 = fagpu.alloc offset = 32768 : !ring
  // expected-error @+1 {{expected at most 8 different numbers of positions but got 9}}
  fagpu.specialize groups = 1 registers = (40, 232) producer {
    fagpu.load %r0[%n] from %Q[%b, %h, %i] : !ring, !T
    fagpu.load %r1[%n] from %Q[%b, %h, %i] : !ring, !T
    fagpu.load %r2[%n] from %Q[%b, %h, %i] : !ring, !T
    fagpu.load %r3[%n] from %Q[%b, %h, %i] : !ring, !T
    fagpu.load %r4[%n] from %Q[%b, %h, %i] : !ring, !T
    fagpu.load %r5[%n] from %Q[%b, %h, %i] : !ring, !T
    fagpu.load %r6[%n] from %Q[%b, %h, %i] : !ring, !T
    fagpu.load %r7[%n] from %Q[%b, %h, %i] : !ring, !T
    fagpu.load %r8[%n] from %Q[%b, %h, %i] : !ring, !T
  } consumer {
  }
  return
}
