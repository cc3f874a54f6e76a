// RUN: fa-opt %s --fa-distribute --canonicalize --cse | FileCheck %s

// Each lane reads a table at the positions of its own elements: of a tile of 16
// rows and 8 columns rows l / 4 and l / 4 + 8, and columns 2 (l mod 4) and one
// more.

// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[TABLE:[^:]*]]: memref<?xf32, strided<[1], offset: ?>>, %[[N:.*]]: index
// CHECK-DAG: %[[YES:.*]] = arith.constant dense<true> : vector<4xi1>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-DAG: %[[EVEN:.*]] = arith.constant dense<[0, 1, 0, 1]> : vector<4xindex>
// CHECK: %[[ROW:.*]] = arith.divui
// CHECK: %[[COLUMN:.*]] = arith.muli
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c8
// CHECK: %[[ROWS:.*]] = vector.from_elements %[[ROW]], %[[NEXT]] : vector<2xindex>
// CHECK: %[[NS:.*]] = vector.broadcast %[[N]] : index to vector<2xindex>
// CHECK: %[[FIRST:.*]] = arith.muli %[[ROWS]], %[[NS]] : vector<2xindex>
// CHECK: %[[FIRSTS:.*]] = vector.shuffle %[[FIRST]], %[[FIRST]] [0, 0, 1, 1]
// CHECK: %[[SPLAT:.*]] = vector.broadcast %[[COLUMN]] : index to vector<4xindex>
// CHECK: %[[COLUMNS:.*]] = arith.addi %[[SPLAT]], %[[EVEN]]
// CHECK: %[[AT:.*]] = arith.addi %[[FIRSTS]], %[[COLUMNS]] : vector<4xindex>
// CHECK: vector.gather %[[TABLE]][%c0] [%[[AT]]], %[[YES]], %[[ZERO]] : {{.*}} into vector<4xf32>
func.func @gather(%table: memref<?xf32, strided<[1], offset: ?>>, %n: index, %O: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %yes = arith.constant dense<true> : vector<16x8xi1>
    %zero = arith.constant dense<0.0> : vector<16x8xf32>
    %rows = vector.step : vector<16xindex>
    %ns = vector.broadcast %n : index to vector<16xindex>
    %first = arith.muli %rows, %ns : vector<16xindex>
    %column = vector.shape_cast %first : vector<16xindex> to vector<16x1xindex>
    %firsts = vector.broadcast %column : vector<16x1xindex> to vector<16x8xindex>
    %step = vector.step : vector<8xindex>
    %columns = vector.broadcast %step : vector<8xindex> to vector<16x8xindex>
    %at = arith.addi %firsts, %columns : vector<16x8xindex>
    %bias = vector.gather %table[%c0] [%at], %yes, %zero
        : memref<?xf32, strided<[1], offset: ?>>, vector<16x8xindex>, vector<16x8xi1>, vector<16x8xf32> into vector<16x8xf32>
    vector.transfer_write %bias, %O[%c0, %c0] {in_bounds = [false, true]} : vector<16x8xf32>, memref<?x8xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}
