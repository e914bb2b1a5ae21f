"""The dense decoder of our recipes in PyTorch, written from its description and not from its code.

Pre-norm blocks: RMSNorm, grouped-query attention with RoPE over the halves of a head and a mask by document, SwiGLU
with gate and up in one matrix; the embedding is also the head. Loss: mean cross-entropy over counted targets plus
z_loss times the mean of lse². Dropout is left out, since random streams differ; run it against a recipe without.
"""

import math

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    """Parameters have the names of our plan, so that initial values can be loaded by name."""

    def __init__(self, semantics: dict, parameters: dict[str, torch.Tensor]):
        super().__init__()
        self.shape = semantics["model"]
        self.row_tokens = semantics["data"]["row_tokens"]
        assert self.shape["tied_embedding"] and self.shape["dropout"] == 0.0, "the peer has a tied head and no dropout"
        assert set(self.shape["mlp"]) == {"swiglu"}, "the peer knows SwiGLU only"
        self.names = sorted(parameters)
        self.values = torch.nn.ParameterList([torch.nn.Parameter(parameters[name].clone()) for name in self.names])
        half = self.shape["head_width"] // 2
        angles = torch.arange(half, dtype=torch.float64) * 2 / self.shape["head_width"]
        frequency = (self.shape["rope_theta"] ** -angles).float()
        self.angle = torch.arange(self.row_tokens, dtype=torch.float32)[:, None] * frequency

    def weights(self) -> dict[str, torch.Tensor]:
        return dict(zip(self.names, self.values))

    def forward(self, tokens, document_start, w=None) -> torch.Tensor:
        """Logits of rows [rows, S]; `w` replaces the parameters, for the averaged ones."""
        w = w or self.weights()
        place = torch.arange(self.row_tokens)
        angle = self.angle[place - document_start]
        cos, sin = angle.cos().unsqueeze(-2), angle.sin().unsqueeze(-2)
        # Position i sees position j of its own document, j ≤ i.
        mask = (place[None, :] <= place[:, None]) & (place[None, :] >= document_start[:, :, None])
        x = F.embedding(tokens, w["embedding.table"])
        for layer in range(self.shape["layers"]):
            at = f"layers.{layer}"
            h = self.norm(x, w[f"{at}.attention.norm"])
            x = x + self.attention(h @ w[f"{at}.attention.qkv"].T, cos, sin, mask) @ w[f"{at}.attention.output"].T
            h = self.norm(x, w[f"{at}.mlp.norm"])
            gate, up = (h @ w[f"{at}.mlp.up"].T).chunk(2, dim=-1)
            x = x + (F.silu(gate) * up) @ w[f"{at}.mlp.down"].T
        return self.norm(x, w["head.norm"]) @ w["embedding.table"].T

    def norm(self, x, gamma):
        return F.rms_norm(x, gamma.shape, gamma, self.shape["norm_epsilon"])

    def attention(self, qkv, cos, sin, mask):
        rows, tokens, _ = qkv.shape
        query, kv = self.shape["query_heads"], self.shape["kv_heads"]
        heads = qkv.view(rows, tokens, query + 2 * kv, self.shape["head_width"])
        q, k, v = heads.split([query, kv, kv], dim=2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        # Query head h reads KV head h // (query_heads / kv_heads).
        k, v = (t.repeat_interleave(query // kv, dim=2) for t in (k, v))
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None])
        return o.transpose(1, 2).reshape(rows, tokens, -1)

    @staticmethod
    def rotate(x, cos, sin):
        low, high = x.chunk(2, dim=-1)
        return torch.cat([low * cos - high * sin, high * cos + low * sin], dim=-1)


def losses(logits: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean cross-entropy over counted targets, and mean lse² over the same positions."""
    counted = targets >= 0
    logits, targets = logits[counted], targets[counted].long()
    lse = torch.logsumexp(logits, dim=-1)
    return F.cross_entropy(logits, targets), (lse * lse).mean()


def learning_rate(schedule: dict, step: int) -> float:
    """Rate of applied step `step`, counted from 1: linear warm-up, then half a cosine."""
    warmup, total, peak, floor = (schedule[key] for key in ("warmup", "total", "peak", "floor"))
    if step <= warmup:
        return peak * step / warmup
    if step >= total:
        return floor
    return floor + (peak - floor) * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))
