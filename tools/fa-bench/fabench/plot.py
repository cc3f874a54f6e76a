# ===- plot.py - Results as a picture ----------------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""TFLOP/s over the head dim as SVG, a panel for each mask and length. Written as
text, so that a machine with a GPU needs no plotting library."""

import math
from xml.sax.saxutils import escape

from . import report

# Of Okabe and Ito's palette, which colour-blind readers can tell apart.
SERIES = {
    "fa": ("#0072b2", "fa"),
    "cudnn": ("#d55e00", "cuDNN"),
    "flash": ("#009e73", "FlashAttention-2"),
    "flex": ("#cc79a7", "FlexAttention"),
}
WIDTH, HEIGHT, COLUMNS = 400, 250, 2
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 34, 36
LEGEND = 34


def _panels(results):
    """{title: {head dim: {series: TFLOP/s}}}, in the order of the results."""
    panels = {}
    for result in results:
        case, kernels = result["case"], result["kernels"]
        seq = f"{case['seq_q']}"
        if case["seq_kv"] != case["seq_q"]:
            seq += f" x {case['seq_kv']}"
        title = f"{case['dtype']}, mask {case['mask']}, S = {seq}"
        if case["kv_heads"] != case["heads"]:
            title += f", {case['heads']} heads on {case['kv_heads']}"
        dim = f"{case['head_dim']}"
        if case["head_dim_v"] != case["head_dim"]:
            dim += f"/{case['head_dim_v']}"
        named = {"fa": kernels.get(report.best(result)), **kernels}
        panels.setdefault(title, {})[dim] = {
            name: named[name]["tflops"] for name in SERIES if named.get(name) and "tflops" in named[name]
        }
    return panels


def _step(largest):
    """A round number, four to ten of which cover the axis."""
    power = 10 ** math.floor(math.log10(largest)) if largest > 0 else 1
    return next(power * part for part in (0.1, 0.2, 0.25, 0.5, 1, 2) if largest / (power * part) <= 8)


def _text(x, y, text, anchor="middle", size=11, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{extra}>{escape(text)}</text>'


def _panel(title, points, top):
    """One panel, with its corner at the origin; `top` is the end of the axis."""
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    dims = list(points)

    def x(index):
        return LEFT + width * (index + 0.5) / len(dims)

    def y(value):
        return TOP + height * (1 - value / top)

    yield _text(LEFT, 20, title, "start", 12, ' font-weight="bold"')
    step = _step(top)
    for tick in range(int(top / step) + 1):
        value = tick * step
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>'
        yield _text(LEFT - 6, y(value) + 4, f"{value:g}", "end")
    for index, dim in enumerate(dims):
        yield _text(x(index), HEIGHT - BOTTOM + 16, dim)
    yield _text(LEFT + width / 2, HEIGHT - 5, "head dim")
    for name, (color, _) in reversed(SERIES.items()):
        at = [(x(i), y(points[dim][name])) for i, dim in enumerate(dims) if name in points[dim]]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in at)
        weight = 2.5 if name == "fa" else 1.5
        yield f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="{weight}"/>'
        for px, py in at:
            yield f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{weight + 0.5}" fill="{color}"/>'


def plot(results):
    """The SVG of what `fa-bench run` measured."""
    panels = _panels(results["results"])
    speeds = [v for points in panels.values() for series in points.values() for v in series.values()]
    largest = max(speeds, default=1)
    top = _step(largest) * math.ceil(largest / _step(largest))
    rows = math.ceil(len(panels) / COLUMNS)
    width, height = WIDTH * min(COLUMNS, len(panels) or 1), LEGEND + HEIGHT * rows
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    x = LEFT
    for name, (color, label) in SERIES.items():
        if any(name in series for points in panels.values() for series in points.values()):
            lines.append(f'<line x1="{x}" x2="{x + 18}" y1="18" y2="18" stroke="{color}" stroke-width="3"/>')
            lines.append(_text(x + 24, 22, label, "start"))
            x += 50 + 7 * len(label)
    device = results["device"] or {}
    lines.append(_text(width - RIGHT, 22, f"TFLOP/s, {device.get('device', '')}", "end"))
    for number, (title, points) in enumerate(panels.items()):
        corner = (WIDTH * (number % COLUMNS), LEGEND + HEIGHT * (number // COLUMNS))
        lines.append(f'<g transform="translate({corner[0]},{corner[1]})">')
        lines += _panel(title, points, top)
        lines.append("</g>")
    lines.append("</svg>")
    return "\n".join(lines) + "\n"
