// RUN: fa-opt %s -split-input-file -verify-diagnostics

// The constraints of the attributes. An attribute has no function: its case is
// an op that is named, in its attribute, by the label that it violates.

// expected-error @+1 {{expected a window with left and right of at least 0 but got left = -1, right = 0}}
func.func private @f() attributes {mask_c1_left = #fa.mask<window, right = 0>}

// -----

// expected-error @+1 {{expected a window with left and right of at least 0 but got left = 4, right = -5}}
func.func private @f() attributes {mask_c1_right = #fa.mask<window, left = 4, right = -5>}

// -----

// expected-error @+1 {{expected left and right only with a window mask, but the mask is causal}}
func.func private @f() attributes {mask_c2_causal = #fa.mask<causal, left = 4>}

// -----

// expected-error @+1 {{expected left and right only with a window mask, but the mask is none}}
func.func private @f() attributes {mask_c2_none = #fa.mask<none, right = 0>}

// -----

// expected-error @+1 {{expected no alignment on a mask of kind none but got top_left}}
func.func private @f() attributes {mask_c3 = #fa.mask<none, align = top_left>}

// -----

// expected-error @+1 {{expected target "cpu", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100" or "sm_120" but got "sm_1"}}
func.func private @f() attributes {target_c1 = #fa.target<"sm_1", sram = 1024, vector_bits = 256>}

// -----

// expected-error @+1 {{expected a positive number of bytes for sram but got 0}}
func.func private @f() attributes {target_c2 = #fa.target<"cpu", sram = 0, vector_bits = 256>}

// -----

// expected-error @+1 {{expected vector_bits of 128, 256 or 512 but got 100}}
func.func private @f() attributes {target_c3 = #fa.target<"cpu", sram = 1024, vector_bits = 100>}

// -----

// expected-error @+1 {{expected no vector_bits on a GPU but got 256}}
func.func private @f() attributes {target_c3_gpu = #fa.target<"sm_90a", sram = 1024, vector_bits = 256>}

// -----

// expected-error @+1 {{expected 'vector_bits', 'align' and 'max_keys' in this order, each at most once}}
func.func private @f() attributes {order = #fa.target<"cpu", sram = 1024, align = 16, vector_bits = 256>}

// -----

// expected-error @+1 {{expected 'vector_bits', 'align' and 'max_keys' in this order, each at most once}}
func.func private @f() attributes {twice = #fa.target<"sm_80", sram = 1024, max_keys = 16, max_keys = 16>}

// -----

// expected-error @+1 {{expected an align of 2, 4, 8 or 16 bytes on a GPU, and none on the CPU, but got 12}}
func.func private @f() attributes {target_c4 = #fa.target<"sm_80", sram = 1024, align = 12>}

// -----

// expected-error @+1 {{expected an align of 2, 4, 8 or 16 bytes on a GPU, and none on the CPU, but got 8}}
func.func private @f() attributes {target_c4_cpu = #fa.target<"cpu", sram = 1024, vector_bits = 256, align = 8>}

// -----

// expected-error @+1 {{expected max_keys of at least 0 on a GPU, and none on the CPU, but got -1}}
func.func private @f() attributes {target_c5 = #fa.target<"sm_80", sram = 1024, max_keys = -1>}

// -----

// expected-error @+1 {{expected max_keys of at least 0 on a GPU, and none on the CPU, but got 64}}
func.func private @f() attributes {target_c5_cpu = #fa.target<"cpu", sram = 1024, vector_bits = 256, max_keys = 64>}

// -----

// expected-error @+1 {{expected positive tile sizes but got br = 16, bc = 0, mr = 4, nr = 8}}
func.func private @f() attributes {schedule_c1 = #fa.schedule<br = 16, bc = 0, mr = 4, nr = 8>}

// -----

// expected-error @+1 {{expected positive tile sizes but got br = 16, bc = 16, mr = -4, nr = 8}}
func.func private @f() attributes {schedule_c1_negative = #fa.schedule<br = 16, bc = 16, mr = -4, nr = 8>}

// -----

// expected-error @+1 {{expected positive tile sizes but got br = 16, bc = 16, mr = 4, nr = 0}}
func.func private @f() attributes {schedule_c1_half = #fa.schedule<br = 16, bc = 16, mr = 4>}

// -----

// expected-error @+1 {{expected at least one row group, warp, stage and block but got groups = 0, warps = 4, stages = 2, blocks = 1}}
func.func private @f() attributes {schedule_c1_groups = #fa.schedule<br = 16, bc = 16, groups = 0, warps = 4, stages = 2>}

// -----

// expected-error @+1 {{expected br and bc of at most 4096 but got br = 8192, bc = 16}}
func.func private @f() attributes {schedule_c2 = #fa.schedule<br = 8192, bc = 16, mr = 4, nr = 8>}

// -----

// expected-error @+1 {{expected br to be a multiple of mr but got br = 16, mr = 5}}
func.func private @f() attributes {schedule_c3 = #fa.schedule<br = 16, bc = 16, mr = 5, nr = 8>}

// -----

// expected-error @+1 {{expected bc to be a multiple of nr but got bc = 16, nr = 32}}
func.func private @f() attributes {schedule_c4 = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 32>}

// -----

// expected-error @+1 {{expected br to be a multiple of groups but got br = 64, groups = 3}}
func.func private @f() attributes {schedule_c5 = #fa.schedule<br = 64, bc = 16, groups = 3, warps = 4, stages = 2>}

// -----

// expected-error @+1 {{expected pingpong with at least two groups but got groups = 1}}
func.func private @f() attributes {schedule_c6 = #fa.schedule<br = 64, bc = 16, warps = 4, pingpong = true>}

// -----

// expected-error @+1 {{expected at least one split but got splits = 0}}
func.func private @f() attributes {schedule_c1_splits = #fa.schedule<br = 64, bc = 16, backward = one_pass, splits = 0>}

// -----

// expected-error @+1 {{expected at most 1 splits with two_pass but got 2}}
func.func private @f() attributes {schedule_c7 = #fa.schedule<br = 64, bc = 16, splits = 2>}

// -----

// expected-error @+1 {{expected persistent to be 0, 1 or 2 but got 3}}
func.func private @f() attributes {schedule_c8 = #fa.schedule<br = 64, bc = 16, warps = 4, persistent = 3>}

// -----

// expected-error @+1 {{expected persistent to be 0, 1 or 2 but got -1}}
func.func private @f() attributes {schedule_c8_negative = #fa.schedule<br = 64, bc = 16, warps = 4, persistent = -1>}

// -----

// expected-error @+1 {{expected at most 64 splits with one_pass but got 65}}
func.func private @f() attributes {schedule_c7_one_pass = #fa.schedule<br = 64, bc = 16, backward = one_pass, splits = 65>}

// -----

// The attributes of the dialect that may stand on any op.

// expected-error @+1 {{expected attribute 'fa.schedule' to be a #fa.schedule but got 1 : i64}}
func.func private @f() attributes {fa.schedule = 1}

// -----

// expected-error @+1 {{expected attribute 'fa.target' to be a #fa.target but got "cpu"}}
func.func private @f() attributes {fa.target = "cpu"}

// -----

// expected-error @+1 {{expected attribute 'fa.kernel' to be a dictionary but got "flash"}}
func.func private @f() attributes {fa.kernel = "flash"}

// -----

// expected-error @+1 {{expected attribute 'fa.problem' to be a dictionary but got [1]}}
func.func private @f() attributes {fa.problem = [1]}

// -----

// expected-error @+1 {{expected attribute 'fa.step' to be a string but got 1 : i64}}
func.func private @f() attributes {fa.step = 1}

// -----

// expected-error @+1 {{expected attribute 'fa.steps' to be a list of strings but got [1]}}
func.func private @f() attributes {fa.steps = [1]}

// -----

// expected-error @+1 {{unknown attribute 'fa.tiling' of the fa dialect, expected 'fa.schedule'}}
func.func private @f() attributes {fa.tiling = 1}

// -----

// What the parser says.

// expected-error @+2 {{to be one of: none, causal, window}}
// expected-error @+1 {{failed to parse FA_MaskAttr parameter 'kind'}}
func.func private @f() attributes {a = #fa.mask<diagonal>}

// -----

// expected-error @+2 {{expected valid keyword or string}}
// expected-error @+1 {{failed to parse FA_MaskAttr parameter 'kind'}}
func.func private @f() attributes {a = #fa.mask<>}

// -----

// expected-error @+1 {{duplicate or unknown struct parameter name: width}}
func.func private @f() attributes {a = #fa.mask<window, width = 3>}

// -----

// expected-error @+1 {{duplicate or unknown struct parameter name: left}}
func.func private @f() attributes {a = #fa.mask<window, left = 3, left = 3>}

// -----

// expected-error @+2 {{integer value too large}}
// expected-error @+1 {{failed to parse FA_MaskAttr parameter 'left'}}
func.func private @f() attributes {a = #fa.mask<window, left = 9223372036854775808, right = 3>}

// -----

// expected-error @+2 {{expected one of [bottom_right, top_left]}}
// expected-error @+1 {{failed to parse FA_MaskAttr parameter 'align'}}
func.func private @f() attributes {a = #fa.mask<causal, align = centre>}
