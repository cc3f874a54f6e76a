# ===- contenders.py - What is measured: our kernels and PyTorch's -----------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""Everything here has the same face: `launch(i)` puts attention on the i-th copy of
the tensors into PyTorch's current stream."""

import contextlib
import math

import torch

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}
# Together the copies are larger than the L2 cache of any GPU.
COPY_BYTES, MIN_COPIES, MAX_COPIES = 320 << 20, 4, 64
PEERS = ("cudnn", "flash", "flex")
YARDSTICK_SIZE = 8192


class Tensors:
    """Copies of Q, K and V, normally distributed, and of our outputs."""

    def __init__(self, case, seed):
        problem, dtype = case.problem, DTYPES[case.problem.dtype]
        query = (case.batch, case.heads, case.seq_q)
        key = (case.batch, case.kv_heads, case.seq_kv)
        shapes = [
            (*query, problem.head_dim),
            (*key, problem.head_dim),
            (*key, problem.head_dim_v),
        ]
        size = 2 * sum(math.prod(shape) for shape in shapes)
        count = max(MIN_COPIES, min(MAX_COPIES, COPY_BYTES // size + 1))
        torch.manual_seed(seed)
        self.inputs = [
            [torch.randn(*shape, device="cuda", dtype=dtype) for shape in shapes]
            for _ in range(count)
        ]
        self.outputs = [
            (
                torch.empty(*query, problem.head_dim_v, device="cuda", dtype=dtype),
                torch.empty(*query, device="cuda", dtype=torch.float32),
            )
            for _ in range(count)
        ]

    def __len__(self):
        return len(self.inputs)

    def get_input(self, name, batch, head):
        return self.inputs[0]["qkv".index(name)][batch, head].float().cpu().numpy()


class Ours:
    """A package."""

    def __init__(self, package, manifest):
        self.package = package
        self.name, self.kernels = manifest["stem"], manifest["kernels"]
        self.facts = {"kind": "fa", "lse": package.writes_lse}
        self.launches = []

    def setup(self, tensors):
        self.tensors = tensors
        for inputs, (output, lse) in zip(tensors.inputs, tensors.outputs):
            lse = lse if self.facts["lse"] else None
            self.launches.append(self.package.prepare([*inputs, output, lse]))
        info = self.launches[0].info
        # Which kernel of the package runs may depend on the case.
        kernel = self.kernels[info["kernel"]]
        self.facts.update({"target": kernel["target"], "schedule": kernel.get("schedule")})
        self.facts.update(
            {name: info[name] for name in ("registers", "local_bytes", "sram_bytes", "grid")}
        )
        self.facts["load_ms"] = 1e3 * info["load_seconds"]
        self.stream = torch.cuda.current_stream().cuda_stream

    def session(self):
        return contextlib.nullcontext()

    def launch(self, i):
        self.launches[i](self.stream)

    def run_poisoned(self):
        """O and LSE of the first copy, which held NaN before."""
        output, lse = self.tensors.outputs[0]
        output.fill_(math.nan)
        lse.fill_(math.nan)
        self.launch(0)
        return output, lse if self.facts["lse"] else None

    def close(self):
        for launch in self.launches:
            launch.close()


class Sdpa:
    """A backend of torch.nn.functional.scaled_dot_product_attention."""

    def __init__(self, name, case):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        if case.problem.mask != "none" and (
            not case.problem.mask.startswith("causal") or case.seq_q != case.seq_kv
        ):
            raise ValueError(f"not measured with the mask {case.problem.mask}")
        self.name, self.case = name, case
        self.facts = {"kind": "peer"}
        backend = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}[name]
        self.session = lambda: sdpa_kernel(backend)
        self.options = {"is_causal": case.problem.mask != "none", "scale": case.scale}
        if case.heads != case.kv_heads:
            self.options["enable_gqa"] = True

    def setup(self, tensors):
        self.tensors = tensors

    def launch(self, i):
        return torch.nn.functional.scaled_dot_product_attention(
            *self.tensors.inputs[i], **self.options
        )

    def run_poisoned(self):
        with self.session():
            return self.launch(0), None

    def close(self):
        pass


class Flex:
    """FlexAttention, compiled."""

    def __init__(self, case):
        self.name, self.case = "flex", case
        self.facts = {"kind": "peer"}

    def setup(self, tensors):
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention

        self.tensors, case = tensors, self.case
        left, right, offset = case.band
        torch._dynamo.reset()
        block_mask = None
        if (left, right) != (None, None):

            def sees(batch, head, i, j):
                distance = j - i - offset
                if left is None:
                    return distance <= right
                return (distance >= -left) & (distance <= right)

            block_mask = create_block_mask(
                sees, None, None, case.seq_q, case.seq_kv, device="cuda"
            )
        compiled = torch.compile(flex_attention, dynamic=False)
        self.run = lambda q, k, v: compiled(
            q, k, v, block_mask=block_mask, scale=case.scale,
            enable_gqa=case.heads != case.kv_heads,
        )  # fmt: skip

    def session(self):
        return torch.no_grad()

    def launch(self, i):
        return self.run(*self.tensors.inputs[i])

    def run_poisoned(self):
        with self.session():
            return self.launch(0), None

    def close(self):
        pass


class Matmul:
    """A product of square bf16 matrices by the vendor's library: how fast this GPU
    is, whatever attention it computes."""

    flops = 2 * YARDSTICK_SIZE**3
    facts = {"name": "torch.matmul", "dtype": "bf16", "size": YARDSTICK_SIZE}

    def __init__(self):
        options = {"device": "cuda", "dtype": torch.bfloat16}
        shape = (YARDSTICK_SIZE, YARDSTICK_SIZE)
        self.a, self.b = (torch.randn(*shape, **options) for _ in range(2))
        self.c = torch.empty(*shape, **options)

    def session(self):
        return torch.no_grad()

    def launch(self, i):
        torch.matmul(self.a, self.b, out=self.c)


def make_peer(name, case):
    return Flex(case) if name == "flex" else Sdpa(name, case)
