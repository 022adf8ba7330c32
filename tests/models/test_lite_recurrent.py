"""TensorFlow Lite's recurrent operators, which today's converter no longer makes: models of one
operator. The interpreter says what shapes its results have; multiply-accumulates are the weights
of all gates, once per step and row."""

import numpy as np
import pytest
from frozen import tf
from test_models import count

import flatbuffers
from tensorflow.lite.python import schema_py_generated as schema

BATCH, STEPS, IN, UNITS, PROJECTED = 2, 7, 5, 6, 3
STATE = "state"


def gates(n, width):
    return [(n, width)] * 4


def lstm(out=UNITS):
    """Inputs of one direction, but for the states."""
    projection = [(out, UNITS), None] if out != UNITS else [None, None]
    return [*gates(UNITS, IN), *gates(UNITS, out), *[None] * 3, *[(UNITS,)] * 4, *projection]


def states(*widths):
    return [(STATE, BATCH, width) for width in widths]


RNN = [(UNITS, IN), (UNITS, UNITS), (UNITS,), *states(UNITS)]
SEQUENCE = (BATCH, STEPS, IN)
LSTM_MACS, RNN_MACS = 4 * UNITS * (IN + UNITS), UNITS * (IN + UNITS)
NARROW_MACS = 4 * UNITS * (IN + PROJECTED) + UNITS * PROJECTED
NORM = [None] * 4
APART = dict(timeMajor=False)
BOTH = dict(timeMajor=False, mergeOutputs=True)
# name: (operator, its options, inputs, number of results, multiply-accumulates)
CASES = {
    "LSTM": ("LSTM", "LSTM", {}, [(BATCH, IN), *lstm(), *states(UNITS, UNITS), *NORM], 1,
             BATCH * LSTM_MACS),
    "LSTM basic": ("LSTM", "LSTM", dict(kernelType=1, fusedActivationFunction=4),
                   [(BATCH, IN), *states(UNITS), (4 * UNITS, IN + UNITS), (4 * UNITS,),
                    *states(UNITS)], 4, BATCH * LSTM_MACS),
    "LSTM projected": ("LSTM", "LSTM", {}, [(BATCH, IN), *lstm(PROJECTED),
                                            *states(PROJECTED, UNITS), *NORM], 1,
                       BATCH * NARROW_MACS),
    "sequence LSTM": ("UNIDIRECTIONAL_SEQUENCE_LSTM", "UnidirectionalSequenceLSTM", {},
                      [SEQUENCE, *lstm(), *states(UNITS, UNITS), *NORM], 1,
                      BATCH * STEPS * LSTM_MACS),
    "sequence LSTM projected": ("UNIDIRECTIONAL_SEQUENCE_LSTM", "UnidirectionalSequenceLSTM", {},
                                [SEQUENCE, *lstm(PROJECTED), *states(PROJECTED, UNITS), *NORM], 1,
                                BATCH * STEPS * NARROW_MACS),
    "both ways LSTM": ("BIDIRECTIONAL_SEQUENCE_LSTM", "BidirectionalSequenceLSTM", APART,
                       [SEQUENCE, *lstm(), *lstm(), *states(*[UNITS] * 4), *[None] * 9], 2,
                       2 * BATCH * STEPS * LSTM_MACS),
    "both ways LSTM merged": ("BIDIRECTIONAL_SEQUENCE_LSTM", "BidirectionalSequenceLSTM", BOTH,
                              [SEQUENCE, *lstm(), *lstm(), *states(*[UNITS] * 4), *[None] * 9], 1,
                              2 * BATCH * STEPS * LSTM_MACS),
    "RNN": ("RNN", "RNN", {}, [(BATCH, IN), *RNN], 1, BATCH * RNN_MACS),
    "sequence RNN": ("UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNN", {}, [SEQUENCE, *RNN], 1,
                     BATCH * STEPS * RNN_MACS),
    "both ways RNN": ("BIDIRECTIONAL_SEQUENCE_RNN", "BidirectionalSequenceRNN", {},
                      [SEQUENCE, *RNN, *RNN, *[None] * 3], 2, 2 * BATCH * STEPS * RNN_MACS),
    "both ways RNN merged": ("BIDIRECTIONAL_SEQUENCE_RNN", "BidirectionalSequenceRNN", BOTH,
                             [SEQUENCE, *RNN, *RNN, *[None] * 3], 1,
                             2 * BATCH * STEPS * RNN_MACS),
}


def write(operator, kind, options, inputs, n_results):
    """A model whose first input is the graph's; states are variables, the others weights."""
    model, graph, call = schema.ModelT(), schema.SubGraphT(), schema.OperatorT()
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, operator)
    code.deprecatedBuiltinCode = code.builtinCode
    model.version, model.operatorCodes, model.buffers = 3, [code], [schema.BufferT()]
    graph.tensors, call.inputs, call.opcodeIndex = [], [], 0

    def add(name, shape):
        tensor = schema.TensorT()
        tensor.name, tensor.isVariable = name.encode(), shape[0] == STATE
        tensor.shape = [n for n in shape if n != STATE]
        tensor.type = schema.TensorType.FLOAT32
        if name.startswith("weights"):
            buffer = schema.BufferT()
            buffer.data = np.zeros(4 * int(np.prod(tensor.shape)), np.uint8)
            model.buffers.append(buffer)
            tensor.buffer = len(model.buffers) - 1
        graph.tensors.append(tensor)
        return len(graph.tensors) - 1

    for i, shape in enumerate(inputs):
        name = "x" if not i else "state" if shape and shape[0] == STATE else "weights"
        call.inputs.append(add(f"{name}_{i}", shape) if shape else -1)
    call.outputs = [add(f"result_{i}", (1,)) for i in range(n_results)]
    call.builtinOptionsType = getattr(schema.BuiltinOptions, kind + "Options")
    call.builtinOptions = getattr(schema, kind + "OptionsT")()
    for key, value in options.items():
        setattr(call.builtinOptions, key, value)
    graph.inputs, graph.outputs, graph.operators = [0], call.outputs, [call]
    model.subgraphs = [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


@pytest.mark.parametrize("name", CASES)
def test_operator(name, tmp_path):
    operator, kind, options, inputs, n_results, macs = CASES[name]
    data = write(operator, kind, options, inputs, n_results)
    (tmp_path / "model.tflite").write_bytes(data)
    model = count(tmp_path / "model.tflite", "--max_depth=100")
    assert not model["not_counted"]
    assert model["total"]["macs"] == macs
    interpreter = tf.lite.Interpreter(
        model_content=data,
        experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    shape = list(interpreter.get_output_details()[0]["shape"])
    assert model["layers"][0]["output_shapes"] == [shape]
