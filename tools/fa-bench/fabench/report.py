# ===- report.py - Tables of results -----------------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""One line for each of our kernels on each case, with its peers beside it. A report is
what `runner.run` returns."""

PEERS = ("cudnn", "flash", "flex")
BASELINE = "cudnn"
CASE = 36  # Width of the names of cases.


def is_ours(kernel):
    return kernel.get("kind") == "fa"


def is_timed(kernel):
    return "tflops" in kernel


def ratio(kernel, kernels, field="tflops"):
    """Speed as a multiple of the baseline's in the same run."""
    baseline = kernels.get(BASELINE, {})
    if not is_timed(kernel) or not is_timed(baseline):
        return None
    return kernel[field] / baseline[field]


def best(result):
    """The name of our fastest kernel of a case."""
    ours = {
        name: kernel["tflops"] for name, kernel in result["kernels"].items()
        if is_timed(kernel) and name not in PEERS
    }  # fmt: skip
    return max(ours, key=ours.get, default=None)


def _pair(kernel):
    if kernel is None:
        return f"{'':14}"
    if not is_timed(kernel):
        return f"{'-':>7}{'-':>7}"
    return f"{kernel['tflops']:7.0f}{kernel['back_to_back_tflops']:7.0f}"


def _short(name, result):
    """What a package's name says beyond the target and the problem."""
    problem = result["name"].partition(" ")[0]
    return name.partition(problem)[2].lstrip("-") or name


def _lines(result, peers, names, top):
    kernels = result["kernels"]
    ours = sorted(
        (name for name in kernels if name not in PEERS),
        key=lambda name: -kernels[name].get("tflops", 0),
    )[:top] or [None]
    for number, name in enumerate(ours):
        kernel = kernels.get(name)
        line = f"{result['name'] if number == 0 else '':{CASE}}"
        if names:
            short = _short(name, result) if name else ""
            line += f" {short:{names}}"
        line += _pair(kernel)
        for peer in peers:
            line += " |" + (_pair(kernels.get(peer)) if number == 0 else f"{'':14}")
        for field in ("tflops", "back_to_back_tflops"):
            value = ratio(kernel or {}, kernels, field)
            line += f"{value:7.3f}" if value else f"{'':7}"
        if kernel is None:
            line += "  no package"
        elif "error" in kernel:
            line += f"  {kernel['error']}"
        else:
            line += f" {100 * kernel['spread']:5.1f}% {kernel['check']['relative_error']:9.1e}"
        yield line.rstrip()


def _header(peers, names):
    blank = f"{'':{names + 1}}" if names else ""
    line = f"{'':{CASE}}{blank}{'fa':>9}{'':5}"
    line += "".join(f" |{peer:>9}{'':5}" for peer in peers)
    second = f"{'TFLOP/s':{CASE}}" + (f" {'schedule':{names}}" if names else "")
    second += f"{'single':>7}{'b2b':>7}" + "".join(f" |{'single':>7}{'b2b':>7}" for _ in peers)
    return [
        line + f"{'of cuDNN':>14}",
        second + f"{'single':>7}{'b2b':>7}{'spread':>7}{'error':>10}",
    ]


def table(report, top=None):
    """`top`: how many of our kernels are shown of each case, the fastest first."""
    results = report["results"]
    peers = [peer for peer in PEERS if any(peer in result["kernels"] for result in results)]
    # The width of a column for the names, where some case has several kernels.
    ours = [[_short(n, result) for n in result["kernels"] if n not in PEERS] for result in results]
    names = 0
    if any(len(some) > 1 for some in ours):
        names = max(len("schedule"), *(len(name) for some in ours for name in some))
    lines = []
    if device := report["device"]:
        lines.append(f"{device['device']}, PyTorch {device['torch']}, cuDNN {device['cudnn']}")
    if yardstick := report.get("yardstick"):
        size = f"{yardstick['size']} x {yardstick['size']}"
        lines.append(
            f"{yardstick['name']} of {yardstick['dtype']} matrices, {size}: {yardstick['tflops']:.0f} single, "
            f"{yardstick['back_to_back_tflops']:.0f} b2b, spread {100 * yardstick['spread']:.1f}%"
        )
    lines += _header(peers, names)
    for result in results:
        lines += _lines(result, peers, names, top)
    for result in results:
        for peer in peers:
            if error := result["kernels"].get(peer, {}).get("error"):
                lines.append(f"{peer} has no result for {result['name']}: {error[:120]}")
        for name, kernel in result["kernels"].items():
            if kernel.get("host_bound"):
                lines.append(f"{name} was launched no faster than it ran: {result['name']}")
    for name in report.get("not_measured", []):
        lines.append(f"not measured, out of time: {name}")
    return "\n".join(lines)
