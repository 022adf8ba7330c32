"""A translation model on four GPUs and two parameter servers, as files of a run: what the documents
show of theirs, made by hand. The second server has twice the parameters of the first."""

from advise_profiles import entry, run_meta
from wire import field

WORKER = "/job:worker/replica:0/task:0"
SERVER = "/job:ps/replica:0/task:%d/device:CPU:0"
CPU = f"{WORKER}/device:CPU:0"
LOSS = "seq2seq/loss/sampled_sequence_loss/sequence_loss_by_example"

# 25.81m and 58.84m parameters
VARIABLES = (("seq2seq/embedding", 0, [5081, 5080]), ("seq2seq/output_projection/w", 1, [7671, 7670]))

MODEL = "seq2seq_attention_model.py"
BUILD = (MODEL, 360, "build_graph", "self._add_seq2seq()")
TRAIN = (MODEL, 363, "build_graph", "self._add_train_op()")
DECODE = (MODEL, 293, "_add_seq2seq", "decoder_outputs, loss_function)")
ENCODE = (MODEL, 192, "_add_seq2seq", "sequence_length=article_lens)")

# name, type, GPU or None for the CPU, microseconds, call stack
NODES = [
    *((f"{LOSS}/SoftmaxCrossEntropyWithLogits_{i}", "SoftmaxCrossEntropyWithLogits", None, micros,
       (BUILD, DECODE, ("seq2seq_lib.py", 147, "sequence_loss_by_example", "crossent = loss_function("),
        ))
      for i, micros in ((11, 89920), (19, 73020), (2, 1200))),
    ("seq2seq/loss/mul", "Mul", None, 1450,
     (BUILD, DECODE, ("seq2seq_lib.py", 148, "sequence_loss_by_example", "log_perp_list.append("))),
    *((f"seq2seq/encoder/conv_{i}", "Conv2D", i, 1500 + 100 * i,
       (BUILD, ENCODE, ("seq2seq_lib.py", 104 + 6 * i, "bidirectional_rnn", "outputs = [tf.concat(1, [fw, bw])")))
      for i in range(4)),
    ("train_step/gradients/MatMul", "MatMul", 0, 2900,
     (TRAIN, (MODEL, 307, "_add_train_op", "tf.gradients(self._loss, tvars)"))),
    ("train_step/update_seq2seq/output_projection/w/ApplyAdam", "ApplyAdam", None, 84520,
     (TRAIN, (MODEL, 322, "_add_train_op", "zip(grads, tvars))"))),
]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def graph():
    """A GraphDef as text."""
    out = []
    for name, server, shape in VARIABLES:
        sizes = " ".join(f"dim {{ size: {size} }}" for size in shape)
        out.append(f"""node {{ name: {quoted(name)} op: "VariableV2" device: {quoted(SERVER % server)}
  attr {{ key: "shape" value {{ shape {{ {sizes} }} }} }}
  attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{ key: "_output_shapes" value {{ list {{ shape {{ {sizes} }} }} }} }} }}\n""")
    for name, op, gpu, _, _ in NODES:
        device = CPU if gpu is None else f"{WORKER}/device:GPU:{gpu}"
        layout = ' attr { key: "data_format" value { s: "NHWC" } }' if op == "Conv2D" else ""
        out.append(f"node {{ name: {quoted(name)} op: {quoted(op)} device: {quoted(device)}{layout} }}\n")
    return "".join(out)


def step():
    """A RunMetadata: accelerators are idle most of the time."""
    cpu, gpus, at = [], {i: ([], []) for i in range(4)}, 0
    for name, op, gpu, micros, _ in NODES:
        label = f"{name} = {op}()"
        if gpu is None:
            cpu.append(entry(name, at, micros, label))
            at += micros
        else:
            gpus[gpu][0].append(entry(name, at, 50, label))
            gpus[gpu][1].append(entry(f"{name}:{op}", at + 60, micros, label))
            gpus[gpu][1].append(entry(f"{name}:{op}", at + 50 * micros, 1, label))
    devices = [(CPU, cpu)]
    for i, (scheduled, executed) in gpus.items():
        devices += [(f"{WORKER}/device:GPU:{i}", scheduled),
                    (f"{WORKER}/device:GPU:{i}/stream:all", executed)]
    devices += [(SERVER % server, [entry(name, 0, 40, f"{name} = VariableV2()")])
                for name, server, _ in VARIABLES]
    return run_meta(*devices)


def call_stacks():
    """An OpLog of the documents' time, whose frames hold text: file, line, function and source."""
    return b"".join(
        field(1, field(1, name) + field(4, b"".join(
            field(1, field(1, file) + field(2, line) + field(3, function) + field(4, source))
            for file, line, function, source in stack)))
        for name, _, _, _, stack in NODES)


def write(directory):
    (directory / "graph.pbtxt").write_text(graph())
    (directory / "run_meta").write_bytes(step())
    (directory / "tfprof_log").write_bytes(call_stacks())
