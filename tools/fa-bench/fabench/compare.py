# ===- compare.py - What one property costs -----------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""Pairs of cases that differ in one property, such as the element type, or of our
kernels of one case, one of which writes LSE; and the ratio of their times."""

from .report import CASE, is_ours, is_timed

PROPERTIES = ("dtype", "kv_heads", "lse")


def _describe(by, value):
    if by == "lse":
        return "with LSE" if value else "without LSE"
    return f"{value} kv-heads" if by == "kv_heads" else value


def lines(report, by):
    """A line for each pair, and the range of the ratios. The first value of the
    property that was measured is what the others are compared with."""
    groups = {}
    for result in report["results"]:
        for kernel in filter(is_ours, result["kernels"].values()):
            if not is_timed(kernel):
                continue
            values = {**result["case"], "lse": kernel.get("lse", True)}
            key = tuple(item for item in values.items() if item[0] != by)
            name, fastest = groups.setdefault(key, (result["name"], {}))
            known = fastest.get(values[by])
            if known is None or kernel["ms"] < known["ms"]:
                fastest[values[by]] = kernel
    text, ratios = [], []
    for name, fastest in groups.values():
        (base, first), *others = sorted(fastest.items(), key=lambda item: by == "lse" and item[0])
        for value, kernel in others:
            single = kernel["ms"] / first["ms"]
            together = kernel["back_to_back_ms"] / first["back_to_back_ms"]
            ratios += [single, together]
            text.append(
                f"{name:{CASE}} {_describe(by, base)} {first['tflops']:.0f} {first['back_to_back_tflops']:.0f}, "
                f"{_describe(by, value)} {kernel['tflops']:.0f} {kernel['back_to_back_tflops']:.0f}: "
                f"times {single:.3f} {together:.3f}"
            )
    if ratios:
        text.append(f"ratios of times from {min(ratios):.3f} to {max(ratios):.3f}")
    return text
