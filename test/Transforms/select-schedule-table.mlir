// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a}))' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TABLE
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a table=false}))' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODEL
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a stages=1}))' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODEL
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a sram=65536}))' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODEL
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_86}))' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODEL

// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a max-keys=4096}))' | FileCheck %s --check-prefix=SHORT
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a max-keys=4097}))' | FileCheck %s --check-prefix=LONG
// RUN: fa-opt %s --pass-pipeline='builtin.module(func.func(fa-select-schedule{chip=sm_90a}))' | FileCheck %s --check-prefix=ANY

// Schedules.def has a schedule for this problem. It is not taken where it is not
// wanted, where a field is asked for, where it does not fit, or on another chip.
// Schedules themselves are checked in test/Target/schedules.test.

!M = tensor<?x?x?x96xbf16>
!LSE = tensor<?x?x?xf32>

// TABLE: Function=measured | Remark="by the table: br = {{[0-9]+}}, bc = {{[0-9]+}}: tiles take {{[0-9]+}} of 232448 bytes of sram; measured"
// MODEL: Function=measured | Remark="by the model: br = {{[0-9]+}}, bc = {{[0-9]+}}: tiles take {{[0-9]+}} of {{[0-9]+}} bytes of sram; {{[0-9]+}}
func.func @measured(%Q: !M, %LSE: !LSE) -> !M {
  %r:2 = fa.attention ins(%Q, %Q, %Q : !M, !M, !M) outs(%Q, %LSE : !M, !LSE) mask = #fa.mask<causal> -> !M, !LSE
  return %r#0 : !M
}

// f16 has the same instructions as bf16.
!H = tensor<?x?x?x96xf16>
// TABLE: Function=f16 | Remark="by the table
// MODEL: Function=f16 | Remark="by the model
func.func @f16(%Q: !H, %LSE: !LSE) -> !H {
  %r:2 = fa.attention ins(%Q, %Q, %Q : !H, !H, !H) outs(%Q, %LSE : !H, !LSE) mask = #fa.mask<causal> -> !H, !LSE
  return %r#0 : !H
}

// Nobody measured this head dim, nor a head dim of V that differs from it, nor a
// window, nor a known number of keys, nor what a user's function costs.
!K = tensor<?x?x?x120xbf16>
// TABLE: Function=other_head_dim | Remark="by the model
// MODEL: Function=other_head_dim | Remark="by the model
func.func @other_head_dim(%Q: !K, %LSE: !LSE) -> !K {
  %r:2 = fa.attention ins(%Q, %Q, %Q : !K, !K, !K) outs(%Q, %LSE : !K, !LSE) mask = #fa.mask<causal> -> !K, !LSE
  return %r#0 : !K
}
// TABLE: Function=other_head_dim_v | Remark="by the model
// MODEL: Function=other_head_dim_v | Remark="by the model
func.func @other_head_dim_v(%Q: !M, %V: !K, %LSE: !LSE) -> !K {
  %r:2 = fa.attention ins(%Q, %Q, %V : !M, !M, !K) outs(%V, %LSE : !K, !LSE) mask = #fa.mask<causal> -> !K, !LSE
  return %r#0 : !K
}
// TABLE: Function=window | Remark="by the model
// MODEL: Function=window | Remark="by the model
func.func @window(%Q: !M, %LSE: !LSE) -> !M {
  %r:2 = fa.attention ins(%Q, %Q, %Q : !M, !M, !M) outs(%Q, %LSE : !M, !LSE) mask = #fa.mask<window, left = 64, right = 0> -> !M, !LSE
  return %r#0 : !M
}
!N = tensor<?x?x512x96xbf16>
// TABLE: Function=static_keys | Remark="by the model
// MODEL: Function=static_keys | Remark="by the model
func.func @static_keys(%Q: !M, %K: !N, %LSE: !LSE) -> !M {
  %r:2 = fa.attention ins(%Q, %K, %K : !M, !N, !N) outs(%Q, %LSE : !M, !LSE) mask = #fa.mask<causal> -> !M, !LSE
  return %r#0 : !M
}
// TABLE: Function=score | Remark="by the model
// MODEL: Function=score | Remark="by the model
func.func @score(%Q: !M, %LSE: !LSE) -> !M {
  %r:2 = fa.attention ins(%Q, %Q, %Q : !M, !M, !M) outs(%Q, %LSE : !M, !LSE) mask = #fa.mask<causal>
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.absf %s : f32
        fa.yield %t : f32
      } -> !M, !LSE
  return %r#0 : !M
}

// The narrowest row that covers the keys which there are at most. One for at most so
// many is none for any number.
!S = tensor<?x?x?x64xbf16>
// SHORT-LABEL: func.func @short
// SHORT: groups = 4, {{.*}}target = #fa.target<"sm_90a", sram = 232448, max_keys = 4096>
// LONG-LABEL: func.func @short
// LONG: groups = 3, {{.*}}target = #fa.target<"sm_90a", sram = 232448, max_keys = 4097>
// ANY-LABEL: func.func @short
// ANY: groups = 3, {{.*}}target = #fa.target<"sm_90a", sram = 232448>
func.func @short(%Q: !S, %LSE: !LSE) -> !S {
  %r:2 = fa.attention ins(%Q, %Q, %Q : !S, !S, !S) outs(%Q, %LSE : !S, !LSE) mask = #fa.mask<causal> -> !S, !LSE
  return %r#0 : !S
}
