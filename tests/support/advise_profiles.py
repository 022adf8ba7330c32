"""Hand-made profiles for the advisor's tests, as serialized messages of a
TensorFlow run."""

from wire import field

START = 1_700_000_000_000_000
WORKER = "/job:worker/replica:0/task:%d"
CPU, GPU = WORKER % 0 + "/device:CPU:0", WORKER % 0 + "/device:GPU:0"
STREAM, MEMCPY = GPU + "/stream:all", GPU + "/memcpy"
FLOAT, HALF = 1, 19


def attribute(name, value):
    """An int is a type, bytes are a string, a list is a shape."""
    if isinstance(value, list):
        shape = b"".join(field(2, field(1, size)) for size in value)
        return field(5, field(1, name) + field(2, field(7, shape)))
    return field(5, field(1, name) + field(2, field(2 if isinstance(value, bytes) else 6, value)))


def node(name, op, inputs=(), device="", **attributes):
    return field(1, field(1, name) + field(2, op) + b"".join(field(3, each) for each in inputs)
                 + (field(4, device) if device else b"")
                 + b"".join(attribute(key, value) for key, value in attributes.items()))


def entry(name, start, duration, label="", received=None, in_use=None, allocations=()):
    """A NodeExecStats; `start` counts from START."""
    out = field(1, name) + field(2, START + start) + field(4, duration) + field(5, duration)
    if label:
        out += field(8, label)
    if received is not None:
        out += field(7, field(3, field(4, field(1, received))))
    if in_use is not None:
        records = b"".join(field(6, field(1, START + when) + field(2, size))
                           for when, size in allocations)
        out += field(6, field(1, "GPU_0_bfc") + field(5, in_use) + records)
    return out


def run_meta(*devices):
    """RunMetadata of (device, [entry, …])."""
    return field(1, b"".join(
        field(1, field(1, device) + b"".join(field(2, each) for each in entries))
        for device, entries in devices))


def op_log(stacks):
    """OpLogProto of {node: [(file, line, function, source), …]}."""
    ids, out = {}, b""

    def number(text):
        return ids.setdefault(text, len(ids))

    for name, frames in stacks.items():
        traces = b"".join(field(1, field(2, line) + field(6, number(file))
                                + field(7, number(function)) + field(8, number(source)))
                          for file, line, function, source in frames)
        out += field(1, field(1, name) + field(4, traces))
    return out + b"".join(field(2, field(1, i) + field(2, text)) for text, i in ids.items())


class Profile:
    """Graph, steps and op log, to be loaded as a profile."""

    def __init__(self, nodes, steps, stacks=None):
        self.graph = b"".join(nodes)
        self.steps = steps
        self.op_log = op_log(stacks) if stacks else b""

    def load(self, ours):
        ours.new(self.graph, self.op_log)
        for number, step in enumerate(self.steps):
            ours.add_run_meta(number, step)
        return ours


def layers(n):
    """A chain of n layers: input, MatMul, Relu, MatMul, …"""
    nodes, last = [node("x", "IteratorGetNext")], "x"
    for i in range(n):
        nodes += [node(f"layer{i}/MatMul", "MatMul", [last, f"layer{i}/w"], T=HALF),
                  node(f"layer{i}/Relu", "Relu", [f"layer{i}/MatMul"], T=HALF),
                  node(f"layer{i}/w", "VariableV2", dtype=HALF, shape=[64, 64])]
        last = f"layer{i}/Relu"
    return nodes


def gpu_step(n, kernel=900, launch=20, gap=10, input_wait=50, factor=1.0, extra=()):
    """The layers on a GPU: consecutive kernels, each launched in time."""
    launches, kernels, at = [], [], input_wait
    for i in range(n):
        for name in (f"layer{i}/MatMul", f"layer{i}/Relu"):
            long = int(kernel * factor)
            launches.append(entry(name, max(1, at - launch - 2), launch))
            kernels.append(entry(name, at, long))
            at += long + gap
    return run_meta((CPU, [entry("x", 1, max(1, input_wait - 30))]), (GPU, launches),
                    (STREAM, kernels), *extra)


def clean(n_steps=5, n=8):
    """A GPU model without problems: busy, 16-bit, steps of equal length."""
    jitter = (1.0, 1.02, 0.99, 1.01, 1.0, 0.98, 1.03, 1.0)
    return Profile(layers(n), [gpu_step(n, factor=jitter[i % len(jitter)])
                               for i in range(n_steps)])
