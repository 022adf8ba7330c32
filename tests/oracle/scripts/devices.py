"""A graph for two GPUs and a parameter server, with hand-made run metadata: no GPU is
needed.

    python devices.py OUTPUT_DIRECTORY

Step 2 lacks one of the GPUs; kernels appear on `stream:all` and on their own stream,
as in TensorFlow's traces.
"""

import os
import random
import sys

import tensorflow.compat.v1 as tf

PS = "/job:ps/replica:0/task:0/device:CPU:0"
CPU = "/job:worker/replica:0/task:0/device:CPU:0"
GPUS = ("/job:worker/replica:0/task:0/device:GPU:0", "/job:worker/replica:0/task:0/device:GPU:1")
STEPS = (10, 11, 12)


def tower(x, scope):
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE), tf.device(PS):
        filters = tf.get_variable("filters", [5, 5, 3, 8])
        weights = tf.get_variable("weights", [8, 10])
        biases = tf.get_variable("biases", [10])
    with tf.name_scope(scope):
        x = tf.nn.relu(tf.nn.conv2d(x, filters, [1, 2, 2, 1], "SAME"))
        x = tf.reduce_mean(x, [1, 2])
        return tf.reduce_sum(tf.nn.xw_plus_b(x, weights, biases))


def build():
    with tf.device(CPU):
        images = tf.random.uniform([2, 16, 24, 24, 3], name="images")
    losses = []
    for i, gpu in enumerate(GPUS):
        with tf.device(gpu):
            losses.append(tower(images[i], f"tower_{i}"))
    with tf.device(CPU):
        loss = tf.add_n(losses, name="loss")
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss)


class Run:
    """One step's figures, from a seed."""

    def __init__(self, step):
        self.rng = random.Random(step)
        self.message = tf.RunMetadata()
        self.devices = {}
        self.clock = 1_500_000_000_000_000 + step * 1_000_000

    def stats(self, device):
        if device not in self.devices:
            self.devices[device] = self.message.step_stats.dev_stats.add(device=device)
        return self.devices[device]

    def add(self, op, gpus):
        device = op.device or CPU
        if "GPU" in device and device not in gpus:
            return
        self.clock += self.rng.randint(0, 40)
        entry = self.stats(device).node_stats.add(
            node_name=op.name, all_start_micros=self.clock, op_start_rel_micros=1,
            op_end_rel_micros=self.rng.randint(1, 90), timeline_label=f"{op.name} = {op.type}()")
        entry.all_end_rel_micros = entry.op_end_rel_micros + 2
        if op.outputs:
            self.add_memory(entry, device, op)
        if "GPU" in device and op.type not in ("Const", "Shape", "NoOp"):
            self.add_kernels(entry, device, op)

    def add_memory(self, entry, device, op):
        size = self.rng.choice((256, 1024, 98_304, 5_308_416))
        allocator = f"GPU_{device[-1]}_bfc" if "GPU" in device else "cpu"
        memory = entry.memory.add(allocator_name=allocator, total_bytes=size + 512,
                                  peak_bytes=size + 256, live_bytes=size,
                                  allocator_bytes_in_use=self.rng.randint(10**6, 10**8))
        memory.allocation_records.add(alloc_micros=entry.all_start_micros, alloc_bytes=size)
        memory.allocation_records.add(alloc_micros=entry.all_start_micros + 500,
                                      alloc_bytes=-size)
        description = entry.output.add(slot=0).tensor_description.allocation_description
        description.requested_bytes = size - 16
        description.allocated_bytes = size
        description.ptr = 0x7F0000000000 + self.rng.randrange(1 << 30) * 256
        if op.type == "Conv2D":
            entry.memory_stats.temp_memory_size = 65_536
        if op.type.startswith("Variable"):
            entry.memory_stats.persistent_memory_size = size

    def add_kernels(self, entry, device, op):
        start = entry.all_start_micros + self.rng.randint(1, 20)
        for _ in range(2 if op.type.startswith("Conv2D") else 1):
            duration = self.rng.randint(1, 900 if op.type.startswith("Conv2D") else 30)
            for stream in ("stream:all", f"stream:{13 + int(device[-1])}"):
                self.stats(f"{device}/{stream}").node_stats.add(
                    node_name=f"{op.name}:{op.type}", all_start_micros=start,
                    op_end_rel_micros=duration, all_end_rel_micros=duration)
            start += duration
        if self.rng.random() < 0.2:
            self.stats(f"{device}/memcpy").node_stats.add(
                node_name=f"{op.name}:MEMCPYHtoD", all_start_micros=start, op_end_rel_micros=3)
            self.stats(CPU).node_stats.add(node_name="RecvTensor", all_start_micros=start,
                                           op_end_rel_micros=55, timeline_label=(
                                               f"[4.0MB] {op.name} from {PS} to {device}"))


def main(directory):
    build()
    graph = tf.get_default_graph()
    tf.profiler.write_op_log(graph, directory)
    profiler = tf.profiler.Profiler(graph)
    write(directory, "graph.pb", graph.as_graph_def(add_shapes=True))
    for i, step in enumerate(STEPS):
        run = Run(step)
        for op in graph.get_operations():
            run.add(op, GPUS if step != 12 else GPUS[:1])
        write(directory, f"run_meta_{i}", run.message)
        profiler.add_step(step, run.message)
    with open(os.path.join(directory, "profile"), "wb") as file:
        file.write(profiler.serialize_to_string())


def write(directory, name, message):
    with open(os.path.join(directory, name), "wb") as file:
        file.write(message.SerializeToString(deterministic=True))


if __name__ == "__main__":
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
    tf.set_random_seed(1)
    main(sys.argv[1])
