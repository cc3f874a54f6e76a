# ===- __init__.py - Attention on NumPy --------------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
import numpy as np

from . import attention


class functional:
    @staticmethod
    def scaled_dot_product_attention(q, k, v, is_causal, scale, enable_gqa=False):
        import torch

        if attention.current == "flash":
            raise RuntimeError("No available kernel. Aborting execution.\nmore")
        group = q.shape[1] // k.shape[1]
        k, v = (np.repeat(x.float().array, group, axis=1) for x in (k, v))
        scores = scale * (q.float().array @ k.swapaxes(2, 3))
        if is_causal:
            scores = np.where(np.tri(*scores.shape[2:], dtype=bool), scores, -np.inf)
        probs = np.exp(scores)
        output = probs @ v / probs.sum(axis=3, keepdims=True)
        return torch.Tensor(torch._encode(output.astype(np.float32), q.dtype), q.dtype)
