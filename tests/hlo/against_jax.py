#!/usr/bin/env python3
"""Compiles functions with JAX and compares what we say about their programs with what JAX says: sizes of
memory with memory_analysis(), float operations and transcendentals with cost_analysis(). Needs JAX:

    $(tools/venv-jax) tests/hlo/against_jax.py
"""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE)]

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import programs  # noqa: E402
import wire  # noqa: E402

lax = jax.lax


def f32(*dims):
    return jax.ShapeDtypeStruct(dims, jnp.float32)


def s32(*dims):
    return jax.ShapeDtypeStruct(dims, jnp.int32)


def bf16(*dims):
    return jax.ShapeDtypeStruct(dims, jnp.bfloat16)


def conv(x, w, stride=1, padding="SAME", groups=1, dilation=1):
    return lax.conv_general_dilated(x, w, (stride, stride), padding, rhs_dilation=(dilation, dilation),
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


def layer_norm(x, scale):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-6) * scale


def attention(q, k, v):
    weights = jax.nn.softmax(jnp.einsum("btd,bsd->bts", q, k) / q.shape[-1] ** 0.5)
    return jnp.einsum("bts,bsd->btd", weights, v)


def mlp(x, w1, w2):
    return jnp.mean((jax.nn.gelu(x @ w1) @ w2) ** 2)


def cross_entropy(x, w, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x @ w), labels[:, None], 1))


def adam(w, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 0.001 * m / (jnp.sqrt(v) + 1e-8), m, v


# Functions whose cost we count as JAX does: no loops, sorts, transforms or padded pools.
X, Y, V = f32(48, 40), f32(48, 40), f32(40)
SAME = {
    "add": (lambda a, b: a + b, X, Y),
    "chain": (lambda a, b: (a * b + a) / (b * b + 1), X, Y),
    "broadcast": (lambda a, b: a * b + b, X, V),
    "integers": (lambda a, b: (a // 3) ^ (b << 2), s32(48, 40), s32(48, 40)),
    "compare": (lambda a, b: jnp.where(a > b, a, -b), X, Y),
    "clip": (lambda a: jnp.clip(a, -1, 1), X),
    "round": (lambda a: jnp.floor(a) + jnp.ceil(a) + jnp.round(a), X),
    "exp": (lambda a: jnp.exp(a) + jnp.log1p(jnp.abs(a)), X),
    "sin": (lambda a: jnp.sin(a) * jnp.cos(a), X),
    "tanh": (lambda a: jnp.tanh(a), X),
    "sigmoid": (lambda a: jax.nn.sigmoid(a), X),
    "erf": (lambda a: lax.erf(a), X),
    "power": (lambda a, b: jnp.power(jnp.abs(a), b), X, Y),
    "sqrt": (lambda a: jnp.sqrt(a) + lax.rsqrt(a) + jnp.cbrt(a), X),
    "atan2": (lambda a, b: jnp.arctan2(a, b), X, Y),
    "bfloat16": (lambda a, b: a * b + a, bf16(48, 40), bf16(48, 40)),
    "casts": (lambda a: a.astype(jnp.bfloat16).astype(jnp.float32) * 2, X),
    "complex": (lambda a, b: jnp.abs(lax.complex(a, b)), X, Y),
    "sum": (lambda a: a.sum(), X),
    "sum_rows": (lambda a: a.sum(1), X),
    "mean_var": (lambda a: (a.mean(0), a.var(0)), X),
    "max": (lambda a: a.max(0), X),
    "prod": (lambda a: a.prod(1), X),
    "argmax": (lambda a: a.argmax(1), X),
    "any": (lambda a: (a > 0).any(1), X),
    "logsumexp": (lambda a: jax.nn.logsumexp(a, axis=1), X),
    "softmax": (lambda a: jax.nn.softmax(a), X),
    "norm": (lambda a: a / jnp.linalg.norm(a), X),
    "dot": (lambda a, b: a @ b, f32(32, 24), f32(24, 16)),
    "dot_transposed": (lambda a, b: a.T @ b, f32(24, 32), f32(24, 16)),
    "dot_bfloat16": (lambda a, b: a @ b, bf16(32, 24), bf16(24, 16)),
    "dot_vector": (lambda a, b: a @ b, f32(64, 32), f32(32)),
    "dot_batch": (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), f32(4, 16, 8), f32(4, 8, 12)),
    "outer": (lambda a, b: jnp.outer(a, b), f32(40), f32(30)),
    "three_products": (lambda a, b, c: (a @ b) @ c, f32(16, 32), f32(32, 24), f32(24, 8)),
    "dense_relu": (lambda x, w, b: jax.nn.relu(x @ w + b), f32(32, 24), f32(24, 16), f32(16)),
    "conv": (conv, f32(2, 12, 12, 3), f32(3, 3, 3, 8)),
    "conv_stride": (lambda x, w: conv(x, w, 2), f32(2, 13, 13, 3), f32(3, 3, 3, 8)),
    "conv_valid": (lambda x, w: conv(x, w, 1, "VALID"), f32(2, 12, 12, 3), f32(5, 5, 3, 4)),
    "conv_depthwise": (lambda x, w: conv(x, w, groups=6), f32(2, 12, 12, 6), f32(3, 3, 1, 6)),
    "conv_dilated": (lambda x, w: conv(x, w, dilation=2), f32(2, 12, 12, 3), f32(3, 3, 3, 4)),
    "conv_bias_relu": (lambda x, w, b: jax.nn.relu(conv(x, w) + b), f32(2, 8, 8, 3), f32(3, 3, 3, 4), f32(4)),
    "pool_sum": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), f32(2, 8, 8, 4)),
    "pool_max": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
                 f32(2, 8, 8, 4)),
    "layer_norm": (layer_norm, f32(16, 32), f32(32)),
    "attention": (attention, f32(2, 16, 8), f32(2, 16, 8), f32(2, 16, 8)),
    "gather": (lambda e, i: e[i] * 2, f32(100, 16), s32(12)),
    "scatter_add": (lambda e, i, u: e.at[i].add(u), f32(100, 16), s32(12), f32(12, 16)),
    "update_slice": (lambda c, n, i: lax.dynamic_update_slice(c, n, (i, 0)), f32(64, 16), f32(2, 16), s32()),
    "dynamic_slice": (lambda c, i: lax.dynamic_slice(c, (i, 0), (4, 16)) * 2, f32(64, 16), s32()),
    "concatenate": (lambda a, b: jnp.concatenate([a, b + 1]), X, Y),
    "pad": (lambda a: jnp.pad(a, 2) * 2, X),
    "transpose": (lambda a: a.T + 1, X),
    "reshape": (lambda a: a.reshape(-1) * 2, X),
    "iota": (lambda a: a + jnp.arange(40), X),
    "one_hot": (lambda i: jax.nn.one_hot(i, 30), s32(50)),
    "triangle": (lambda a: jnp.tril(a), f32(40, 40)),
    "adam": (adam, f32(64, 32), f32(64, 32), f32(64, 32), f32(64, 32)),
    "grad_mlp": (jax.grad(mlp, (0, 1, 2)), f32(16, 24), f32(24, 48), f32(48, 8)),
    "grad_cross_entropy": (jax.grad(cross_entropy, 1), f32(16, 24), f32(24, 10), s32(16)),
    "grad_layer_norm": (jax.grad(lambda x, s: layer_norm(x, s).sum(), (0, 1)), f32(16, 32), f32(32)),
    "grad_attention": (jax.grad(lambda q, k, v: attention(q, k, v).sum(), (0, 1, 2)), *[f32(2, 16, 8)] * 3),
    "grad_conv": (jax.grad(lambda x, w: (conv(x, w) ** 2).sum(), (0, 1)), f32(2, 8, 8, 3), f32(3, 3, 3, 4)),
    "vmap": (jax.vmap(lambda a, b: jnp.tanh(a @ b), (0, None)), f32(4, 16, 8), f32(8, 12)),
    "cond": (lambda p, a: lax.cond(p > 0, lambda a: a @ a, lambda a: a, a), s32(), f32(16, 16)),
}

# Functions whose memory is compared only: loops, sorts, transforms, libraries.
MEMORY = {
    "scan": (lambda a, w: lax.scan(lambda h, w: (jnp.tanh(h @ w), h), a, w), f32(8, 16), f32(5, 16, 16)),
    "grad_scan": (jax.grad(lambda w, a: lax.scan(lambda h, w: (jnp.tanh(h @ w), None), a, w)[0].sum()),
                  f32(5, 16, 16), f32(8, 16)),
    "grad_scan_checkpoint": (
        jax.grad(lambda w, a: lax.scan(jax.checkpoint(lambda h, w: (jnp.tanh(h @ w), None)), a, w)[0].sum()),
        f32(5, 16, 16), f32(8, 16)),
    "while": (lambda a: lax.while_loop(lambda c: jnp.sum(c) < 100, lambda c: c * 1.5, a), f32(16, 16)),
    "fori": (lambda a: lax.fori_loop(0, 7, lambda i, x: x @ a + i, a), f32(16, 16)),
    "sort": (lambda a: jnp.sort(a, 1), X),
    "top_k": (lambda a: lax.top_k(a, 3), X),
    "fft": (lambda a: jnp.abs(jnp.fft.fft(a)), f32(8, 32)),
    "cumsum": (lambda a: jnp.cumsum(a, 1), X),
    "solve": (lambda a, b: jnp.linalg.solve(a, b), f32(12, 12), f32(12)),
    "random": (lambda s: jax.random.normal(jax.random.PRNGKey(s), (32, 32)), s32()),
    "pool_same": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME"), f32(2, 8, 8, 4)),
}
# XLA reduces these in padded windows, whose padding JAX counts and we do not. Float operations by hand, or
# None: fewer than JAX says.
PADDED = {"sum": 48 * 40 - 1, "sum_rows": 48 * 39, "max": 40 * 47, "prod": 48 * 39, "mean_var": None, "any": None,
          "logsumexp": None, "softmax": None, "norm": None}
DONATED = {"adam": (0, 2, 3), "update_slice": 0}


def compile_one(name, function, arguments):
    """The HloProto of a function, and what JAX says about it."""
    compiled = jax.jit(function, donate_argnums=DONATED.get(name, ())).lower(*arguments).compile()
    memory, cost = compiled.memory_analysis(), compiled.cost_analysis()
    module = compiled.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()
    return wire.field(1, module) + wire.field(3, memory.serialized_buffer_assignment_proto), memory, cost


def compare(name, said, memory, cost, has_cost):
    """Yields what differs."""
    ours = said["memory"]["spaces"].get("0", dict.fromkeys(("parameters", "outputs", "aliased", "temporaries"), 0))
    sizes = {"argument": ours["parameters"], "output": ours["outputs"] + ours["aliased"],
             "alias": ours["aliased"], "temp": ours["temporaries"]}
    for key, size in sizes.items():
        theirs = getattr(memory, f"{key}_size_in_bytes")
        if size != theirs:
            yield f"{name}: {key} bytes: {size}, JAX says {theirs}"
    for arena in said["memory"]["arenas"]:
        if not 0 < arena["peak"] <= arena["size"]:
            yield f"{name}: a peak of {arena['peak']} in {arena['size']} bytes"
    total = dict(zip(programs.COSTS, said["total"]))
    for key, theirs in (("float_ops", "flops"), ("transcendentals", "transcendentals")):
        if key == "float_ops" and name in PADDED:
            if total[key] >= cost[theirs] or PADDED[name] not in (None, total[key]):
                yield f"{name}: {key}: {total[key]}, by hand {PADDED[name]}, JAX says {cost[theirs]}"
        elif has_cost and total[key] != cost.get(theirs, 0):
            yield f"{name}: {key}: {total[key]}, JAX says {cost.get(theirs, 0)}"
    if said["n_damaged"] or said["memory"]["n_damaged"] or (has_cost and total["unknown"]):
        yield f"{name}: damaged or unknown"


def main():
    functions = {**SAME, **MEMORY}
    compiled = {name: compile_one(name, function, arguments) for name, (function, *arguments) in functions.items()}
    with tempfile.TemporaryDirectory() as directory:
        said = programs.dump([message for message, _, _ in compiled.values()], pathlib.Path(directory))
    wrong = [problem for (name, (_, memory, cost)), one in zip(compiled.items(), said)
             for problem in compare(name, one, memory, cost, name in SAME)]
    print(f"{len(functions)} functions, {len(SAME)} with their cost: {len(wrong)} differences from JAX")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
