"""Models in plain PyTorch as their papers have them, to be recorded."""
import math

import torch
from torch import nn
from torch.nn import functional as F


def heads(x, count):
    b, s, width = x.shape
    return x.view(b, s, count, width // count).transpose(1, 2)


def merged(x):
    b, h, s, d = x.shape
    return x.transpose(1, 2).contiguous().view(b, s, h * d)


class Conv1D(nn.Module):
    """A linear layer whose weights are rows of its results."""

    def __init__(self, inner, outer):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.empty(inner, outer)), nn.Parameter(torch.empty(outer))

    def forward(self, x):
        return torch.addmm(self.bias, x.view(-1, x.shape[-1]), self.weight).view(*x.shape[:-1], -1)


class GptLayer(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.count = count
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = Conv1D(width, 3 * width), Conv1D(width, width)
        self.c_fc, self.c_out = Conv1D(width, 4 * width), Conv1D(4 * width, width)

    def attend(self, x):
        q, k, v = (heads(part, self.count) for part in self.c_attn(x).split(x.shape[-1], dim=2))
        scores = torch.matmul(q, k.transpose(-1, -2))
        scores = scores / torch.full([], q.shape[-1] ** 0.5, dtype=scores.dtype)
        s = x.shape[1]
        mask = torch.ones(s, s, dtype=torch.bool).tril().view(1, 1, s, s)
        scores = torch.where(mask, scores, torch.full([], -1e4, dtype=scores.dtype))
        return self.c_proj(merged(torch.matmul(F.softmax(scores, dim=-1), v)))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        h = self.c_fc(self.ln_2(x))
        h = 0.5 * h * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * torch.pow(h, 3.0))))
        return x + self.c_out(h)


class Gpt2(nn.Module):
    def __init__(self, width=768, layers=12, count=12, vocabulary=50257, positions=1024):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.h = nn.ModuleList(GptLayer(width, count) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1], device=tokens.device)[None].expand(tokens.shape)
        x = self.wte(tokens) + self.wpe(positions)
        for layer in self.h:
            x = layer(x)
        return self.ln_f(x)


class BertLayer(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.count = count
        self.query, self.key, self.value, self.dense = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, mask):
        q, k, v = (heads(part(x), self.count) for part in (self.query, self.key, self.value))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1]) + mask
        x = self.norm_1(x + self.dense(merged(torch.matmul(F.softmax(scores, dim=-1), v))))
        return self.norm_2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """Takes embeddings without their positions."""

    def __init__(self, width=768, layers=12, count=12, positions=512):
        super().__init__()
        self.positions = nn.Parameter(torch.empty(positions, width))
        self.norm, self.pooler = nn.LayerNorm(width), nn.Linear(width, width)
        self.layer = nn.ModuleList(BertLayer(width, count) for _ in range(layers))

    def forward(self, x, absent):
        mask = absent[:, None, None, :] * -1e4
        x = self.norm(x + self.positions[:x.shape[1]])
        for layer in self.layer:
            x = layer(x, mask)
        return torch.tanh(self.pooler(x[:, 0]))


class Bottleneck(nn.Module):
    def __init__(self, inner, width, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inner, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        self.beside = None
        if stride != 1 or inner != 4 * width:
            self.beside = nn.Sequential(nn.Conv2d(inner, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += x if self.beside is None else self.beside(x)
        return F.relu(y, inplace=True)


class ResNet50(nn.Module):
    """Without pools, which take no part in the comparison: every other number, and the first."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        blocks, inner = [], 64
        for stage, (width, count) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
            for i in range(count):
                blocks.append(Bottleneck(inner, width, 2 if stage > 0 and i == 0 else 1))
                inner = 4 * width
        self.blocks, self.fc = nn.Sequential(*blocks), nn.Linear(inner, 1000)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))[:, :, ::2, ::2]
        return self.fc(self.blocks(x)[:, :, 0, 0])


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * wide.to(x.dtype)


def turned(x, cosine, sine):
    first, second = x[..., :x.shape[-1] // 2], x[..., x.shape[-1] // 2:]
    return x * cosine + torch.cat((-second, first), dim=-1) * sine


class LlamaLayer(nn.Module):
    """Grouped heads, queries, keys and values in one product, keys and values in a cache of whole length."""

    def __init__(self, width, count, groups, inner):
        super().__init__()
        self.count, self.groups, self.size = count, groups, width // count
        self.norm_1, self.norm_2 = RmsNorm(width), RmsNorm(width)
        self.qkv = nn.Linear(width, (count + 2 * groups) * self.size, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 2 * inner, bias=False), nn.Linear(inner, width, bias=False)

    def attend(self, x, cosine, sine, cache, at):
        b, s, _ = x.shape
        all_heads = self.qkv(x).view(b, s, -1, self.size)
        qk, v = all_heads[:, :, :self.count + self.groups], all_heads[:, :, self.count + self.groups:]
        qk = turned(qk, cosine, sine)
        q, k = qk[:, :, :self.count].transpose(1, 2), qk[:, :, self.count:].transpose(1, 2)
        cache[0][:, :, at:at + s], cache[1][:, :, at:at + s] = k, v.transpose(1, 2)
        k, v = (self.repeated(part[:, :, :at + s]) for part in cache)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.size)
        if s > 1:
            scores = scores + torch.full((s, s), float("-inf"), dtype=x.dtype).triu(1)
        return self.out(merged(torch.matmul(F.softmax(scores, dim=-1, dtype=torch.float32).to(x.dtype), v)))

    def repeated(self, x):
        b, g, s, d = x.shape
        return x[:, :, None].expand(b, g, self.count // g, s, d).reshape(b, self.count, s, d)

    def forward(self, x, *beside):
        x = x + self.attend(self.norm_1(x), *beside)
        gate, up = self.up(self.norm_2(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


class Llama(nn.Module):
    def __init__(self, width=2048, layers=16, count=32, groups=8, inner=8192, vocabulary=128256):
        super().__init__()
        self.size = width // count
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(LlamaLayer(width, count, groups, inner) for _ in range(layers))
        self.norm, self.head = RmsNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens, caches, at):
        s = tokens.shape[1]
        angles = torch.arange(at, at + s)[:, None, None] * torch.ones(self.size)
        cosine, sine = (wave(angles).to(self.head.weight.dtype) for wave in (torch.cos, torch.sin))
        x = self.embedding(tokens)
        for layer, cache in zip(self.layers, caches):
            x = layer(x, cosine, sine, cache, at)
        return self.head(self.norm(x[:, -1]))


def made(kind, *args, dtype=torch.bfloat16, **kwargs):
    """A model without memory, in evaluation."""
    def bare(tensor):
        return torch.empty_like(tensor, device="meta", dtype=dtype if tensor.is_floating_point() else None)

    construct = {nn.Linear: nn.Linear.reset_parameters, nn.Embedding: nn.Embedding.reset_parameters, nn.Conv2d: nn.Conv2d.reset_parameters}
    try:
        for layer in construct:
            layer.reset_parameters = lambda self: None
        return kind(*args, **kwargs)._apply(bare).eval()
    finally:
        for layer, reset in construct.items():
            layer.reset_parameters = reset
