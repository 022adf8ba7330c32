"""Runs out of memory in a training step, for test_planted.py: the trace beside it, without the lines of
the compiler's threads.

  python train.py DIRECTORY
"""

import resource
import sys

import jax
import jax.numpy as jnp

WIDTH = 128


def attention(p, x):
    q, k, v = jnp.split(x @ p["qkv"], 3, -1)
    return x + jax.nn.softmax(q @ k.swapaxes(-1, -2) / 8.0, -1) @ v @ p["out"]


def mlp(p, x, is_planted):
    h = x @ p["up"]
    if is_planted:
        waves = jnp.sin(h[..., None] * jnp.arange(1.0, 1025.0))
        h = h + jax.lax.optimization_barrier(waves).max(-1)
    return x + jax.nn.gelu(h) @ p["down"]


def loss(params, x):
    for i, p in enumerate(params):
        with jax.named_scope(f"block_{i}"):
            with jax.named_scope("attention"):
                x = attention(p, x)
            with jax.named_scope("mlp"):
                x = mlp(p, x, i == 2)
    return (x**2).mean()


@jax.jit
def train_step(params, x):
    return jax.tree.map(lambda p, g: p - 1e-3 * g, params, jax.grad(loss)(params, x))


@jax.jit
def evaluate(params, x):
    return loss([{**p} for p in params[:1]], x)


def weights(*shape):
    return jax.random.normal(jax.random.key(0), shape) * 0.02


params = [{"qkv": weights(WIDTH, 3 * WIDTH), "out": weights(WIDTH, WIDTH), "up": weights(WIDTH, 4 * WIDTH),
           "down": weights(4 * WIDTH, WIDTH)} for _ in range(4)]
x = weights(8, 64, WIDTH)
jax.block_until_ready(evaluate(params, x))
with open("/proc/self/statm", encoding="ascii") as file:
    used = int(file.read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + 800_000_000, -1))
options = jax.profiler.ProfileOptions()
options.python_tracer_level = 0
jax.profiler.start_trace(sys.argv[1], profiler_options=options)
jax.block_until_ready(evaluate(params, x))
try:
    jax.block_until_ready(train_step(params, x))
except jax.errors.JaxRuntimeError as error:
    print(error)
jax.profiler.stop_trace()
