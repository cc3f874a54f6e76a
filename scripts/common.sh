#===- common.sh - Shared by the scripts, sourced -----------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets the working directory to the root of the checkout.
#   FA_BUILD_DIR  build directory, from the root of the checkout (default: build)
#   FA_PRESET     preset of CMakePresets.json (default: dev)
#   FA_PYTHON     Python with NumPy (default: /usr/bin/python3, where the
#                 distribution's NumPy is; the first python3 in PATH may differ)
#   FA_JOBS       compilations and tests at a time (default: the number of cores)
#
#===-------------------------------------------------------------------------===#

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

FA_BUILD_DIR=$(realpath -m "${FA_BUILD_DIR:-build}")
FA_PYTHON=${FA_PYTHON:-/usr/bin/python3}
FA_JOBS=${FA_JOBS:-$(nproc)}
export FA_BUILD_DIR FA_PYTHON

# Prints a heading with the seconds since the script began.
step() { printf '\n== [%4d s] %s\n' "$SECONDS" "$*"; }

# configureAndBuild <ninja target>...: as FA_PRESET, in FA_BUILD_DIR.
configureAndBuild() {
  step "Configuring in $FA_BUILD_DIR"
  mkdir -p "$FA_BUILD_DIR"
  cmake --preset "${FA_PRESET:-dev}" -B "$FA_BUILD_DIR" -DFA_PYTHON="$FA_PYTHON" \
    ${MLIR_DIR:+-DMLIR_DIR="$MLIR_DIR"} >"$FA_BUILD_DIR/configure.log" 2>&1 || {
    cat "$FA_BUILD_DIR/configure.log"
    return 1
  }
  grep -E '^-- Using|warning' "$FA_BUILD_DIR/configure.log" || true
  step "Building with $FA_JOBS jobs"
  cmake --build "$FA_BUILD_DIR" -j "$FA_JOBS" --target "$@"
}
