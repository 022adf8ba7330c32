"""What instructions of compiled programs cost, against JAX and a slow program of our own."""

import base64
import glob
import gzip
import json
import os

import pytest
import programs
import wire

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "xplane", "samples")


def load(path):
    with gzip.open(path) as file:
        return json.load(file)


def costs(numbers):
    return dict(zip(programs.COSTS, numbers))


# ---- one instruction each ---------------------------------------------------

# Where we differ from JAX on purpose: float operations, transcendentals, bytes, unknown.
DIFFERENT = {
    # Results that repeat an operand, or wait for it, are not written.
    "copy-start": (0, 0, 2 * 512, 0),
    "send": (0, 0, 512, 0),
    "all-gather-start": (0, 0, 512 + 4 * 512, 0),
    "collective-permute-start": (0, 0, 512 + 512, 0),
    # The pair counts once, at the start.
    "all-reduce-done": (128, 0, 512 + 512, 0),
    # Nothing is read or written.
    "optimization-barrier": (0, 0, 0, 0),
    "tuple": (0, 0, 0, 0),
    "partition-id": (0, 0, 0, 0),
    "replica-id": (0, 0, 0, 0),
    "get-dimension-size": (0, 0, 0, 0),
    # Padding is not added: each of 8 rows adds 15 + 14 + … + 0 times.
    "reduce-window cumsum": (8 * 15 * 16 // 2, 0, 512 + 4 + 512, 0),
    # Each row of 16 is sorted by itself, in four rounds.
    "sort": (128 * 4, 0, 1024, 0),
    "sort kv": (128 * 4, 0, 2048, 0),
    "sort heavy cmp": (128 * 4, 0, 1024, 0),
    # 2 · result · contracted dimension; JAX has an eighth of it.
    "ragged-dot": (2 * 8 * 4 * 16, 0, 512 + 768 + 12 + 128, 0),
    "ragged-dot 32": (2 * 8 * 4 * 32, 0, 1024 + 1536 + 12 + 128, 0),
    # 5 · elements · log₂(length), half of it for real ones.
    "fft": (5 * 128 * 4, 0, 2048, 0),
    "fft 2d": (5 * 128 * 7, 0, 2048, 0),
    "rfft": (5 * 128 * 4 // 2, 0, 1088, 0),
    "irfft": (5 * 128 * 4 // 2, 0, 1088, 0),
    # JAX has no numbers of custom calls.
    "custom-call": (0, 0, 3 * 512, 1),
    "custom-call topk": (0, 0, 512 + 256, 0),
    "custom-call onednn": (2 * 8 * 4 * 16, 0, 512 + 256 + 128, 0),
    "custom-call gemm": (2 * 8 * 4 * 16, 0, 512 + 256 + 128, 0),
    # The loop's tuple is not written. How often a loop runs counts, if it is known.
    "while": (2, 128, 1061 - 2 * 8, 1),
    "while known": (10 * 2, 10 * 128, 10 * (1061 - 2 * 8), 0),
    # No more is read than there is, nor more than a slice or gather takes, also behind a bitcast.
    "fusion slice+full": (160, 0, 512 + 4 + 512, 0),
    "fusion gather": (0, 0, 320 + 20 + 320, 0),
    "fusion bitcast slice": (0, 0, 64 + 64, 0),
    "fusion param only tuple gte": (128, 0, 512 + 512, 0),
    "fusion nested": (128, 128, 512 + 512, 0),
    # Only the update is written, also behind a bitcast.
    "fusion dus bitcast root": (0, 0, 128 + 4 + 128, 0),
    "fusion scatter": (80, 0, 512 + 20 + 320 + 320, 0),
}


@pytest.fixture(scope="module")
def opcodes(tmp_path_factory):
    cases = load(os.path.join(HERE, "opcodes.json.gz"))
    messages = [wire.field(1, base64.b64decode(case["message"])) for case in cases]
    return list(zip(cases, programs.dump(messages, tmp_path_factory.mktemp("opcodes"))))


def test_every_opcode_costs_what_jax_says_or_what_we_say_instead(opcodes):
    assert len(opcodes) == 184
    wrong = []
    for case, said in opcodes:
        total = costs(said["total"])
        expected = DIFFERENT.get(case["name"], (*case["jax"], 0))
        got = tuple(total[key] for key in ("float_ops", "transcendentals", "bytes", "unknown"))
        if got != expected or said["n_damaged"]:
            wrong.append((case["name"], got, expected))
    assert not wrong


def test_differences_are_differences(opcodes):
    same = [case["name"] for case, _ in opcodes if DIFFERENT.get(case["name"]) == (*case["jax"], 0)]
    assert not same and set(DIFFERENT) <= {case["name"] for case, _ in opcodes}


# ---- traces -----------------------------------------------------------------

def traces():
    for path in sorted(glob.glob(os.path.join(HERE, "reference", "*.json.gz"))):
        name = os.path.basename(path).removesuffix(".json.gz")
        folder = os.path.join(HERE, "traces") if name.startswith("fn_") else SAMPLES
        yield pytest.param(path, os.path.join(folder, name + ".xplane.pb.gz"), id=name)


KEYS = {"float_ops": "flops", "matrix_float_ops": "matrix", "transcendentals": "trans",
        "bytes": "bytes", "sent_bytes": "comm", "unknown": "unknown"}
OP_KEYS = {"float_ops": "flops", "matrix_float_ops": "matrix_flops", "transcendentals": "transcendentals",
           "bytes": "bytes", "sent_bytes": "comm_bytes", "unknown": "unknown"}


@pytest.mark.parametrize("reference, trace", list(traces()))
def test_programs_and_operations_of_traces(reference, trace, tmp_path):
    reference = load(reference)
    found = programs.programs_of(programs.read_trace(trace))
    names = [module["name"] for module in reference["modules"]]
    said = dict(zip(names, programs.dump([found[name] for name in names], tmp_path)))
    wrong = []
    for module in reference["modules"]:
        got = costs(said[module["name"]]["total"])
        expected = {key: module["cost"][theirs] for key, theirs in KEYS.items()}
        if got != expected:
            wrong.append((module["name"], got, expected))
    for device in reference["devices"]:
        for op in device["ops"]:
            if op.get("cost_from") != "hlo":
                continue
            got = costs(said[op["module"]]["ops"][op["op"]])
            expected = {key: int(op[theirs]) for key, theirs in OP_KEYS.items()}
            if got != expected:
                wrong.append((op["op"], got, expected))
    assert not wrong
