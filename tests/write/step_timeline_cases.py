"""StepStats for timelines: hand-made, random and real ones.

Used by test_step_timeline.py. The hand-made ones are tests/data/step_timeline/
*.pbtxt; run as a program, this file writes the timelines of TensorFlow's timeline
module next to them:

    python tests/write/step_timeline_cases.py

Needs a Python with TensorFlow.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]

from google.protobuf import text_format  # noqa: E402
from tensorflow.core.framework.step_stats_pb2 import StepStats  # noqa: E402
from tensorflow.core.protobuf.config_pb2 import RunMetadata  # noqa: E402

from step_timeline_golden import (  # noqa: E402
    BY_HAND, KINDS, run_metadata_path, timeline_path)


def expected_events(step_stats, show_dataflow, show_memory):
    from tensorflow.python.client.timeline import Timeline

    trace = json.loads(Timeline(step_stats).generate_chrome_trace_format(
        show_dataflow=show_dataflow, show_memory=show_memory))
    assert list(trace) == ["traceEvents"]
    return trace["traceEvents"]


# ---- hand-made -------------------------------------------------------------

def by_hand(name):
    with open(run_metadata_path(name), encoding="utf-8") as file:
        return text_format.Parse(file.read(), RunMetadata()).step_stats


# ---- random ----------------------------------------------------------------

NODES = ["a", "b", "a:1", "a/_1", "n/_2/b", "", "RecvTensor", "x = y(z)", "é"]
DEVICES = ["/cpu:0", "/job:w/device:CPU:0", "/gpu:0", "/gpu:0/stream:all", "/gpu:0/stream:3",
           "/gpu:0/memcpy", "/memcpy", "/stream", ""]
PIECES = NODES + [" = ", "(", ")", ", ", "@@", "#", ":", "\n", "Op", "/_3", "@", " ", "/_"]


def random_label(draw, nodes):
    kind = draw.random()
    if kind < 0.25:
        return "".join(draw.choice(PIECES) for _ in range(draw.randrange(9)))
    if kind < 0.4:
        return f"k@@{draw.choice(nodes)}:Op#{draw.choice(PIECES)}"
    inputs = ", ".join(draw.choice(nodes) + draw.choice(["", "", ":1", ":2", "/_4", ":1/_5"])
                       for _ in range(draw.randrange(5)))
    return f"{draw.choice(nodes)} = {draw.choice(['Add', 'Mul', 'X y'])}({inputs})"


def random_description(draw, message):
    if draw.random() < 0.5:
        message.dtype = draw.choice([0, 1, 3, 19, 33, 101, 133, 34, -1, 99999])
    if draw.random() < 0.5:
        message.shape.SetInParent()
        for _ in range(draw.randrange(4)):
            message.shape.dim.add(size=draw.choice([0, 1, -1, 2**62]),
                                  name=draw.choice(["", "n", 'q"\'\\', "\x00\x1f\x7f\r\n\té"]))
        message.shape.unknown_rank = draw.random() < 0.2
    if draw.random() < 0.8:
        allocation = message.allocation_description
        allocation.SetInParent()
        allocation.requested_bytes = draw.choice([0, 1, 5, 100, 100, -3])
        allocation.allocated_bytes = draw.choice([0, 256])
        allocation.allocator_name = draw.choice(["", "cpu", "GPU_0_bfc", 'x"y'])
        allocation.allocation_id = draw.choice([0, -1])
        allocation.has_single_reference = draw.random() < 0.5
        allocation.ptr = draw.choice([0, 1, 2**64 - 1])


def random_step_stats(draw):
    step_stats = StepStats()
    nodes = [draw.choice(NODES) if draw.random() < 0.3 else f"n{i}"
             for i in range(draw.randrange(1, 15))]
    span = draw.choice([5, 40, 1000])
    for _ in range(draw.randrange(5)):
        device = step_stats.dev_stats.add(device=draw.choice(DEVICES))
        for _ in range(draw.randrange(draw.choice([3, 12, 40]))):
            entry = device.node_stats.add(
                node_name=draw.choice(nodes) + draw.choice(["", "", "", ":Op"]),
                all_start_micros=draw.randrange(-2, span),
                all_end_rel_micros=draw.choice([0, 0, 1, 2, draw.randrange(span), -3]),
                timeline_label=random_label(draw, nodes), thread_id=3)
            for slot in range(draw.choice([0, 1, 1, 2, 12])):
                output = entry.output.add(slot=draw.choice([slot, 0]))
                if draw.random() < 0.9:
                    random_description(draw, output.tensor_description)
    return step_stats


# ---- from real runs --------------------------------------------------------

def run_traced(build, **config):
    """The RunMetadata of two runs of a graph."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default():
        fetches = build(tf)
        with tf.Session(config=tf.ConfigProto(**config)) as session:
            session.run(tf.global_variables_initializer())
            traces = []
            for _ in range(2):
                traces.append(RunMetadata())
                session.run(fetches, run_metadata=traces[-1],
                            options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))
    return traces


def conv_net(tf):
    images = tf.random_uniform([4, 8, 8, 3])
    weights = tf.get_variable("weights", [3, 3, 3, 5])
    hidden = tf.nn.relu(tf.nn.conv2d(images, weights, [1, 1, 1, 1], "SAME"))
    loss = tf.reduce_mean(tf.square(hidden))
    return tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss), loss


def while_loop(tf):
    return tf.while_loop(lambda i, _: i < 5, lambda i, x: (i + 1, tf.matmul(x, x)),
                         [tf.constant(0), tf.random_uniform([6, 6])])


def conditional(tf):
    x = tf.random_uniform([5])
    return tf.cond(tf.reduce_sum(x) > 1.0, lambda: tf.sin(x), lambda: tf.split(x, 5)[0])


def several_devices(tf):
    total = []
    for i in range(3):
        with tf.device(f"/cpu:{i}"):
            parts = tf.split(tf.random_uniform([6, 6]), 2)
            total.append(tf.matmul(parts[0], parts[1], transpose_b=True))
    with tf.device("/cpu:1"):
        return tf.add_n(total)


REAL = {
    "conv_net": lambda: run_traced(conv_net),
    "while_loop": lambda: run_traced(while_loop),
    "conditional": lambda: run_traced(conditional),
    "several_devices": lambda: run_traced(several_devices, device_count={"CPU": 3}),
}


# ---- golden data -----------------------------------------------------------

def write_golden(name, step_stats):
    for kind, flags in KINDS.items():
        lines = [json.dumps(event, sort_keys=True)
                 for event in expected_events(step_stats, *flags)]
        with open(timeline_path(name, kind), "w", encoding="ascii") as file:
            file.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    for case in BY_HAND:
        write_golden(case, by_hand(case))
