"""Random profiles: what a TensorFlow run could write, and worse.

A `Case` is everything one comparison needs: the inputs in order and the queries.
It depends only on (seed, number), so any case can be reproduced. The pools below
are chosen to expose differences: names whose byte order differs from their tree
order, devices that almost look canonical, stacks that share labels but not files,
steps that repeat.
"""

import random
from dataclasses import dataclass, field
from typing import List, Optional

from queries import Query, Words, draw
from messages import GraphDef, OpLogProto, RunMetadata

SEGMENTS = ("a", "b", "b-x", "b.x", "b0", "b_1", "B", "conv1", "unit_1", "unit_1_0", "unit_2",
            "sub1", "DW", "gamma", "biases", "Momentum", "read", "while", "cond", "e\u00e9")
ODD_NAMES = ("", "/", "/lead", "trail/", "two//slashes", "a b/c d", "line\nbreak", "tab\tx/y",
             'quote"\\', "gradients/_grad/z", "_grad/gradients/a", "gradients/a_grad",
             "x_grad/gradients/y_grad/z", "gradients/gradients/a_grad/b", "gradients", "_grad/",
             "a:0", "^a", "RecvTensor", "_SOURCE", "xMEMCPYx", "_TFProfRoot2", ".", "0", "~")
OPS = ("Conv2D", "MatMul", "VariableV2", "Add", "Const", "Identity", "Relu", "NoOp", "Merge",
       "SoftmaxCrossEntropyWithLogits", "ExactlyTwentyFiveBytesLong", "Op with space", "")
CANONICAL = ("/job:localhost/replica:0/task:0/device:CPU:0",
             "/job:localhost/replica:0/task:0/device:GPU:0",
             "/job:worker/replica:0/task:1/device:GPU:1", "/job:worker/replica:0/task:1/cpu:0",
             "/job:ps/replica:0/task:0/device:cpu:12", "/gpu:0", "/cpu:0", "/device:GPU:0",
             "/DEVICE:gpu:3", "/job:worker/gpu:0/gpu:1")
STREAMS = ("/gpu:0/stream:all", "/gpu:0/stream:7", "/gpu:0/memcpy", "/device:GPU:0/stream:all",
           "/job:localhost/replica:0/task:0/device:GPU:0/stream:all",
           "/job:localhost/replica:0/task:0/device:GPU:0/stream:13",
           "/job:localhost/replica:0/task:0/device:GPU:0/memcpy", "/GPU:1/Stream:All",
           "/stream:all", "/host:CPU")
ODD_DEVICES = ("", "CPU:0", "/cpu:", "/cpu:1x", "/device:XLA_CPU:0", "gpu", "/cpu:0/stream:all",
               "/task:0/device:TPU:0", "/gpu:0\n", "/device:CPU:0 ")
ALLOCATORS = ("GPU_0_bfc", "GPU_1_bfc", "cpu", "gpu_host_bfc", "cuda_host_bfc", "", "xGPUx")
TYPES = ("_trainable_variables", "_custom", "Conv2D", "VariableV2", "/cpu:0", "gpu", "zz", "")
FILES = ("/home/me/model.py", "/home/me/train.py", "/other/model.py", "model.py", "/x/y/ops.py",
         "dir/", "", "<stdin>")
FUNCTIONS = ("main", "<module>", "build", "build_model", "conv", "nineteen_bytes_long",
             "twenty_bytes_long__x", "a_function_with_a_rather_long_name",
             "a_function_with_a_rather_long_tail", "", "caf\u00e9")
SOURCES = ("", "x = build()", "return conv(x)", "loss = tf.reduce_sum(tf.square(x))")
HUGE = 1 << 40


@dataclass
class Step:
    step: int
    graph: Optional[GraphDef]
    run_meta: RunMetadata
    op_log: Optional[OpLogProto]


@dataclass
class Case:
    graph: GraphDef
    op_log: Optional[OpLogProto]
    steps: List[Step]
    all_at_once: bool = False
    queries: List[Query] = field(default_factory=list)

    def graphs(self):
        return [self.graph] + [step.graph for step in self.steps if step.graph]

    def op_logs(self):
        logs = [self.op_log] + [step.op_log for step in self.steps]
        return [log for log in logs if log]


def make_case(seed, number, n_queries=8, only=None):
    rng = random.Random(f"{seed}/{number}")
    maker = _Maker(rng)
    case = maker.make()
    words = Words(case)
    case.queries = [draw(rng, words, only) for _ in range(n_queries)]
    return case


class _Maker:
    def __init__(self, rng):
        self.rng = rng
        self.names = []
        self.odd = rng.random() < 0.15
        # Outputs other than the first and negative figures differ deliberately:
        # separate, rare modes, so that the rest stays exact.
        self.other_outputs = rng.random() < 0.05
        self.negative = rng.random() < 0.03

    def chance(self, probability):
        return self.rng.random() < probability

    def make(self):
        rng = self.rng
        size = rng.choice((0, 1, 2)) if self.chance(0.04) else rng.randint(3, 45)
        if self.chance(0.02):
            size = rng.randint(200, 600)
        graph = GraphDef()
        self.add_nodes(graph, size)
        if self.chance(0.3):
            graph.versions.producer = 1700
        self.stacks = self.make_stacks()
        case = Case(graph, self.make_log() if self.chance(0.7) else None, [])
        if self.chance(0.2):
            case.all_at_once = True
            if self.chance(0.8):
                case.steps = [Step(0, None, self.make_run(), None)]
        else:
            case.steps = self.make_steps(graph)
        return case

    # -- graph ---------------------------------------------------------------

    def make_name(self):
        rng = self.rng
        if self.odd and self.chance(0.2):
            return rng.choice(ODD_NAMES)
        if self.names and self.chance(0.25):
            return rng.choice(self.names) + "/" + rng.choice(SEGMENTS)
        if self.names and self.chance(0.2):
            forward = rng.choice(self.names)
            if self.odd and self.chance(0.2):
                # The markers in the wrong order: the forward name is the rest.
                return "_grad/gradients/" + forward
            where = rng.choice(("gradients/", "gradients/", "train/gradients/", "gradients_1/"))
            return f"{where}{forward}_grad/{rng.choice(SEGMENTS)}"
        name = "/".join(rng.choice(SEGMENTS) for _ in range(rng.choice((1, 1, 2, 2, 3, 4, 6))))
        return name + rng.choice(("", "", "", "_1", "_2"))

    def add_nodes(self, graph, count):
        rng = self.rng
        chain = self.chance(0.1)
        for _ in range(count):
            name = self.make_name()
            if name not in self.names or self.chance(0.1):
                graph.node.add(name=name)
                self.names.append(name)
        if self.chance(0.15):
            names = [node.name for node in graph.node]
            rng.shuffle(names)
            for node, name in zip(graph.node, names):
                node.name = name
        cyclic = self.chance(0.12)
        for i, node in enumerate(graph.node):
            node.op = rng.choice(OPS[:6] if self.chance(0.6) else OPS)
            if self.odd and self.chance(0.05):
                node.op = node.name if node.name != "_TFProfRoot" else "x"
            if chain and i:
                node.input.append(graph.node[i - 1].name)
            for _ in range(rng.choice((0, 0, 1, 1, 2, 2, 3, 4)) if not chain else self.chance(0.1)):
                pool = self.names if cyclic or not i else [n.name for n in graph.node[:i]]
                node.input.append(self.make_input(rng.choice(pool)))
            if self.chance(0.2):
                node.device = rng.choice(CANONICAL)
            self.add_attributes(node)

    def make_input(self, name):
        rng = self.rng
        draw = rng.random()
        if draw < 0.1:
            return "^" + name
        if draw < 0.2:
            return name + ":0"
        if draw < 0.23 and self.odd:
            return rng.choice(("nowhere", "gone/away", "", "^", ":0", "^^" + name, name + ":"))
        if self.other_outputs and draw < 0.6:
            return f"{name}:{rng.randint(0, 3)}"
        return name

    def add_attributes(self, node):
        rng = self.rng
        if node.op == "VariableV2" or self.chance(0.1):
            self.fill_shape(node.attr["shape"].shape)
        if self.chance(0.6):
            shapes = node.attr["_output_shapes"].list
            shapes.SetInParent()
            for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
                self.fill_shape(shapes.shape.add())
        if self.chance(0.3):
            node.attr["T"].type = rng.randint(1, 9)
        if self.chance(0.1):
            node.attr["data_format"].s = rng.choice((b"NHWC", b"NCHW", b"\xff\x00raw"))
        if self.chance(0.05):
            tensor = node.attr["value"].tensor
            tensor.dtype = 1
            tensor.tensor_shape.dim.add(size=2)
            tensor.float_val.extend((1.5, rng.random()))
        if self.chance(0.05):
            node.attr["f"].func.name = "body"
            node.attr["f"].func.attr["n"].i = rng.randint(-5, 5)
        if self.chance(0.03):
            # Attributes with the right name and the wrong type.
            rng.choice((node.attr["shape"], node.attr["_output_shapes"])).i = 7
        if self.chance(0.03):
            node.attr["strides"].list.i.extend((1, 2, 2, 1))
        if self.chance(0.02):
            node.attr["empty"].SetInParent()

    def fill_shape(self, shape):
        rng = self.rng
        shape.SetInParent()
        draw = rng.random()
        if draw < 0.1:
            shape.unknown_rank = True
        elif draw > 0.2:
            for _ in range(rng.randint(1, 4)):
                shape.dim.add(size=rng.choice((-1, 0, 1, 2, 3, 7, 16, 64, 128, 1000)))

    # -- run metadata --------------------------------------------------------

    def make_steps(self, graph):
        rng = self.rng
        numbers = [0, 1, 2, 5, 100, HUGE]
        steps = []
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 4))):
            newer = None
            if self.chance(0.2):
                newer = GraphDef()
                if self.chance(0.7):
                    newer.CopyFrom(graph)
                self.add_nodes(newer, rng.randint(0, 6))
            log = self.make_log() if self.chance(0.2) else None
            steps.append(Step(rng.choice(numbers), newer, self.make_run(), log))
        return steps

    def make_run(self):
        rng = self.rng
        run = RunMetadata()
        run.step_stats.SetInParent()
        pool = list(CANONICAL[:3]) + list(STREAMS[:2] + STREAMS[4:7])
        if self.chance(0.4):
            pool = list(CANONICAL + STREAMS)
        if self.odd:
            pool += ODD_DEVICES
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4, 6))):
            stats = run.step_stats.dev_stats.add(device=rng.choice(pool))
            for _ in range(rng.randint(0, 2 * min(len(self.names), 60) + 1)):
                self.fill_entry(stats.node_stats.add())
        if self.chance(0.05):
            run.partition_graphs.add().node.add(name="partition")
        return run

    def make_entry_name(self):
        rng = self.rng
        draw = rng.random()
        if draw < 0.04:
            return rng.choice(("RecvTensor", "_SOURCE", "MEMCPYHtoD", "edge_MEMCPY_x", "_SINK"))
        if draw < 0.09 or not self.names:
            return rng.choice(("unknown", "unknown/deeper", "a/from_run", "gradients/a_grad/run"))
        name = rng.choice(self.names)
        if draw < 0.2:
            return name + rng.choice((":Conv2D", ":", ":a:b", ":0"))
        return name

    def fill_entry(self, entry):
        rng = self.rng
        entry.node_name = self.make_entry_name()
        base = rng.choice((1, 1000, 1_700_000_000_000_000))
        if not self.chance(0.08):
            entry.all_start_micros = base + rng.randint(0, 3000)
        if not self.chance(0.1):
            entry.op_end_rel_micros = rng.choice((1, 7, 99, 1234, 56_789, 2_345_678))
        entry.op_start_rel_micros = rng.randint(0, 3)
        entry.all_end_rel_micros = entry.op_end_rel_micros + rng.randint(0, 5)
        if self.chance(0.3):
            entry.timeline_label = f"{entry.node_name} = Op(a, b)"
            entry.thread_id = rng.randint(0, 9)
            entry.all_start_nanos = entry.all_start_micros * 1000
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
            self.fill_memory(entry.memory.add())
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            self.fill_output(entry.output.add())
        if self.chance(0.2):
            stats = entry.memory_stats
            stats.temp_memory_size = rng.choice((0, 8, 4096))
            stats.persistent_memory_size = rng.choice((0, 16, 123_456))
            stats.persistent_tensor_alloc_ids.extend((1, 2))
            stats.device_temp_memory_size = rng.choice((0, 77))
            stats.device_persistent_memory_size = rng.choice((0, 99))
        if self.negative and self.chance(0.2):
            entry.op_end_rel_micros = -rng.randint(1, 5000)

    def fill_memory(self, memory):
        rng = self.rng
        memory.allocator_name = rng.choice(ALLOCATORS)
        memory.total_bytes = rng.choice((0, 1, 256, 999, 1000, 65_536, 12_345_678, HUGE))
        memory.peak_bytes = memory.total_bytes // rng.randint(1, 4)
        memory.live_bytes = memory.total_bytes // rng.randint(1, 9)
        memory.allocator_bytes_in_use = rng.choice((0, 5000, 77_777_777))
        if self.negative and self.chance(0.5):
            memory.live_bytes = -memory.live_bytes
        for _ in range(rng.choice((0, 0, 1, 3))):
            memory.allocation_records.add(alloc_micros=rng.randint(0, 5000),
                                          alloc_bytes=rng.choice((-4096, 0, 256, 4096)))

    def fill_output(self, output):
        rng = self.rng
        output.slot = rng.choice((0, 0, 1, 2))
        if self.chance(0.1):
            return
        output.tensor_description.dtype = 1
        if self.chance(0.1):
            return
        description = output.tensor_description.allocation_description
        description.SetInParent()
        description.allocated_bytes = rng.choice((0, 256, 4096))
        description.requested_bytes = rng.choice((0, 200, 4000, 70_000))
        description.allocator_name = rng.choice(ALLOCATORS)
        description.ptr = rng.choice((0, 1, 0x7F00_0000_1000, (1 << 64) - 1))

    # -- op log --------------------------------------------------------------

    def make_stacks(self):
        """Call stacks as (file id, line, function id, source id) tuples that
        share prefixes, as calls from one program do."""
        rng = self.rng
        self.strings = list(dict.fromkeys(FILES + FUNCTIONS + SOURCES))
        ids = {text: i for i, text in enumerate(self.strings)}
        stacks = [()]
        for _ in range(rng.randint(1, 25)):
            base = rng.choice(stacks)
            frame = (ids[rng.choice(FILES[:4] if self.chance(0.8) else FILES)],
                     rng.choice((1, 2, 10, 11, 345)),
                     ids[rng.choice(FUNCTIONS[:6] if self.chance(0.7) else FUNCTIONS)],
                     ids[rng.choice(SOURCES)])
            stacks.append(base + (frame,) * rng.choice((1, 1, 1, 2)))
        return stacks[1:] if self.chance(0.7) else stacks

    def make_log(self):
        rng = self.rng
        log = OpLogProto()
        traced = self.chance(0.85)
        share = rng.choice((0.3, 0.7, 1.0))
        for name in self.names + ["nowhere", "unknown"]:
            if self.chance(share):
                self.fill_log_entry(log.log_entries.add(name=name), traced)
        if traced:
            for i, text in enumerate(self.strings):
                log.id_to_string[i] = text
            if self.chance(0.1):
                # An id that another log may have used for something else.
                log.id_to_string[rng.randrange(len(self.strings))] = "other"
        if self.chance(0.1):
            log.id_to_string[1000] = "unused"
        return log

    def fill_log_entry(self, entry, traced):
        rng = self.rng
        if self.chance(0.3):
            entry.types.extend(rng.choice(TYPES) for _ in range(rng.choice((1, 1, 2))))
        if self.chance(0.5):
            entry.float_ops = rng.choice((0, 1, 999, 1000, 163_840, 603_979_776, 17 * HUGE // 100))
        if traced and self.chance(0.85):
            entry.code_def.SetInParent()
            for file_id, line, function_id, line_id in rng.choice(self.stacks):
                entry.code_def.traces.add(file_id=file_id, lineno=line, function_id=function_id,
                                          line_id=line_id, func_start_line=line // 2)
