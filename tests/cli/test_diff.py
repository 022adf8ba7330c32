"""The command diff: what it says of a change, and how it exits."""

import html
import json
import pathlib
import re
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
RESNET = TOP / "examples" / "resnet" / "profile"

BLOCKS = 3


def node(name, op, inputs=(), device="/device:CPU:0", shape=None):
    dims = "".join(f" dim {{ size: {d} }}" for d in shape or ())
    attr = f' attr {{ key: "_output_shapes" value {{ list {{ shape {{{dims} }} }} }} }}' if shape else ""
    if op == "VariableV2":
        attr += f' attr {{ key: "shape" value {{ shape {{{dims} }} }} }}'
    wires = "".join(f' input: "{i}"' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}"{wires} device: "{device}"{attr} }}\n'


def model(scope="block", blocks=BLOCKS, batch=8, device="/device:CPU:0"):
    """Nodes of a chain of blocks: (name, op, inputs, device, shape, micros)."""
    nodes = [("input", "Placeholder", (), device, (batch, 16), 1)]
    last = "input"
    for i in range(blocks):
        at = f"{scope}_{i}"
        nodes += [(f"{at}/weights", "VariableV2", (), device, (16, 16), 2),
                  (f"{at}/MatMul", "MatMul", (last, f"{at}/weights"), device, (batch, 16), 1000 + i),
                  (f"{at}/Relu", "Relu", (f"{at}/MatMul",), device, (batch, 16), 100)]
        last = f"{at}/Relu"
    nodes.append(("loss", "Mean", (last,), device, (batch, 16), 50))
    return nodes


@pytest.fixture
def save(tmp_path, tfprof):
    def do(name, nodes, slow=1.0):
        graph, run, out = tmp_path / f"{name}.pbtxt", tmp_path / f"{name}.run.pbtxt", tmp_path / name
        graph.write_text("".join(node(*n[:5]) for n in nodes))
        stats, start = "", 1
        for n in nodes:
            micros = round(n[5] * slow)
            dims = "".join(f" dim {{ size: {d} }}" for d in n[4])
            stats += (f'node_stats {{ node_name: "{n[0]}" all_start_micros: {start} op_end_rel_micros: {micros} '
                      f'all_end_rel_micros: {micros} output {{ tensor_description {{ dtype: DT_FLOAT shape {{{dims} }} }} }} }}\n')
            start += micros
        run.write_text(f'step_stats {{ dev_stats {{ device: "/job:localhost/replica:0/task:0{nodes[0][3]}" {stats} }} }}')
        tfprof("save", out, graph, run)
        return out
    return do


@pytest.fixture
def tfprof(program):
    def run(*words, status=0):
        done = subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done
    return run


def test_a_profile_does_not_differ_from_itself(tfprof):
    for view in ["op", "scope", "graph", "code"]:
        done = tfprof("diff", view, RESNET, RESNET, "--fail_if=micros>0,params>0,added>0,removed>0,renamed>0,moved>0")
        assert f"{view}: 1 run against 1; 0 added, 0 removed, 0 renamed" in done.stdout
        assert "slower" not in done.stdout and "?" not in done.stdout
        assert done.stderr.count(": within: ") == 6


def test_a_side_without_times_is_no_silent_gain(tfprof, tmp_path):
    graph = tmp_path / "graph.pbtxt"
    graph.write_text("".join(node(*n[:5]) for n in model()))
    note = f"{graph}: no times, memory and devices in this profile: they are compared as 0\n"
    assert note in tfprof("diff", RESNET, graph).stderr
    assert "compared as 0" not in tfprof("diff", RESNET, graph, "--select=params").stderr
    assert "compared as 0" not in tfprof("diff", graph, graph).stderr


def test_steps_of_one_run_raise_no_alarm(tfprof):
    for base, new in [(0, 1), (1, 2), (0, 2)]:
        done = tfprof("diff", RESNET, f"--base_step={base}", f"--step={new}", "--output=json")
        assert all(n["micros"]["verdict"] in ["equal", "indistinct", "too few runs"]
                   for n in json.loads(done.stdout)["nodes"])
    tfprof("diff", RESNET, "--base_step=0", "--step=1", "--fail_if=micros>5%", status=4)


def test_renamed_scope(tfprof, save):
    base, new = save("base", model("unit")), save("new", model("layer"))
    done = tfprof("diff", "scope", base, new)
    assert "0 added, 0 removed, 12 renamed (12 guessed)" in done.stdout
    for i in range(BLOCKS):
        assert f"guessed: unit_{i} is now layer_{i}\n" in done.stdout
    done = tfprof("diff", "scope", base, new, "--no_guess")
    assert "12 added, 12 removed, 0 renamed" in done.stdout
    done = tfprof("diff", "scope", base, new, "--no_guess", "--rename=^unit_=>layer_")
    assert "0 added, 0 removed, 12 renamed\n" in done.stdout
    assert "by rule: unit_0 is now layer_0\n" in done.stdout
    done = tfprof("diff", "scope", base, new, "--output=json")
    renames = json.loads(done.stdout)["renames"]
    assert renames == {f"unit_{i}": f"layer_{i}" for i in range(BLOCKS)}


def test_removed_layer(tfprof, save):
    base, new = save("base", model(blocks=3)), save("new", model(blocks=2))
    done = tfprof("diff", "scope", base, new, "--select=params", "--fail_if=params>0,removed>0", status=3)
    assert "scope: 1 run against 1; 0 added, 4 removed, 0 renamed\n" in done.stdout
    lines = [line for line in done.stdout.splitlines() if "removed" in line][1:]
    assert [line.split(" | ")[0].strip() for line in lines] == ["block_2"]
    assert "budget params>0: within: 768 to 512, -256, -33.3%" in done.stderr
    assert "budget removed>0: over: 4" in done.stderr


def test_changed_batch_size(tfprof, save):
    base, new = save("base", model(batch=8)), save("new", model(batch=16))
    for view in ["scope", "op"]:
        done = tfprof("diff", view, base, new)
        assert "0 added, 0 removed, 0 renamed\n" in done.stdout
        assert "batch size: the first dimension of " in done.stdout and "changed from 8 to 16\n" in done.stdout
    assert "batch size" not in tfprof("diff", base, base).stdout


def test_moved_device(tfprof, save):
    base = save("base", model())
    new = save("new", model(device="/device:GPU:0"))
    done = tfprof("diff", "scope", base, new)
    assert "0 added, 0 removed, 0 renamed, 11 moved to another device\n" in done.stdout
    assert "moved from /job:localhost/replica:0/task:0/device:cpu:0 to " \
           "/job:localhost/replica:0/task:0/device:gpu:0" in done.stdout.lower()


def test_a_slowdown_needs_runs(tfprof, save):
    base = [save(f"base{i}", model(), 1 + i / 200) for i in range(5)]
    new = [save(f"new{i}", model(), 1.2 + i / 200) for i in range(5)]
    rules = "--fail_if=micros>5%,MatMul:micros>10%,Relu:micros>50%"
    done = tfprof("diff", *base, "--", *new, rules, status=3)
    assert "budget micros>5%: over: " in done.stderr and "p=0.008" in done.stderr
    assert "budget MatMul:micros>10%: over: " in done.stderr
    assert "budget Relu:micros>50%: within: " in done.stderr
    tfprof("diff", base[0], new[0], rules, status=4)
    tfprof("diff", *base, "--", *base, rules)
    tfprof("op", "--base=" + ",".join(map(str, base)), *new, rules, status=3)


def test_budgets_of_a_file(tfprof, save, tmp_path):
    base, new = save("base", model()), save("new", model(blocks=4))
    file = tmp_path / "budgets"
    file.write_text("# what a change may cost\nparams>300\nadded>3\n")
    done = tfprof("diff", "scope", base, new, f"--budgets={file}", status=3)
    assert "budget params>300: within: 768 to 1.02k, +256, +33.3%" in done.stderr
    assert "budget added>3: over: 4" in done.stderr
    tfprof("diff", base, new, f"--budgets={tmp_path / 'none'}", status=1)
    done = tfprof("diff", base, new, "--budgets=/dev/zero", status=1)
    assert "-budgets: /dev/zero: longer than 16 MB" in done.stderr


@pytest.mark.parametrize("words, why", [
    (["a", "b", "c"], "two sides are needed"),
    ([RESNET, RESNET, "--fail_if=micros"], "expected NAME>VALUE"),
    ([RESNET, RESNET, "--fail_if=macs>1"], "macs is not compared here"),
    ([RESNET, RESNET, "--fail_if=(:micros>1"], "-fail_if: "),
    ([RESNET, RESNET, "--rename=a"], "expected REGEX=>TEXT"),
    ([RESNET, RESNET, "--min_change=x"], "expected a percentage"),
    ([RESNET, RESNET, "--order_by=micros"], "expected one of: delta, percent, base, new, name"),
    ([RESNET, RESNET, "--select=device"], "nothing to compare"),
])
def test_what_is_refused(tfprof, words, why):
    done = tfprof("diff", *[f"./{w}" if isinstance(w, str) and len(w) == 1 else w for w in words], status=2)
    assert why in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("view", ["scope", "op"])
def test_names_do_not_become_markup(tfprof, save, view):
    """In Markdown, and so in the page of a pull request."""
    hostile = ("<img src=x onerror=alert(1)>|[x](javascript:e)@all*b*`c`_d_~e~&lt;!-- \\\\"
               "#12 www.evil.example WWW.evil.example https://evil.example")
    nodes = model()
    new = nodes + [(hostile, hostile, (), nodes[0][3], (8, 16), 5000)]
    done = tfprof("diff", view, save("base", nodes), save("new", new), "--output=markdown")
    cells = [line for line in done.stdout.splitlines() if "onerror" in line]
    assert cells
    for line in cells:
        assert line.count("|") == 7
        assert not set(line.replace("&#", "").replace("&emsp;", "")) & set("<>[]@*`_~!\\&")
        # Nor what a forge looks for in the text of the finished page.
        assert not re.search(r"@\w|#\d|www\.|://", html.unescape(line), re.I)


def test_budgets_gate_a_model_file(tfprof, models_of_keras):
    small, large = models_of_keras
    done = tfprof("diff", small, large, "--fail_if=params>0,float_ops>50%,params>1M", status=3)
    assert "model: 1 run against 1; " in done.stdout
    assert "budget params>0: over: 110 to 220, +110, +100.0%" in done.stderr
    assert "budget params>1M: within: " in done.stderr
    tfprof("diff", large, small, "--fail_if=params>0,float_ops>0")
    tfprof("diff", small, small, "--fail_if=params>0,float_ops>0,added>0")


def test_models_are_compared_in_one_table(tfprof, models_of_keras):
    small, large = models_of_keras
    lines = tfprof("diff", small, large).stdout.splitlines()
    assert [line.split()[0] for line in lines if " | " in line] == ["layer", "|", "total", "dense_1"]
    assert lines[1].split() == ["layer", "|", "params", "MACs", "memory"]
    assert lines[2].split() == ["|", *("base new change".split() * 3)]
    # Weights of 4 bytes, and the result of each layer.
    assert lines[3].split() == "total | 110 220 +100.0% 100 200 +100.0% 480B 960B +100.0%".split()
    assert lines[4].split() == "dense_1 | -- 110 -- 100 -- 480B added".split()
    text = tfprof("diff", small, large, "--output=markdown").stdout
    assert text.count("\n|---|") == 1 and "| 110 | 220 |" in text


def test_generated_names_of_layers_are_matched_by_order_and_cost(tfprof, tmp_path):
    """The new file was made by a program that had made others before, and has one layer more."""
    base = keras_file(tmp_path / "base.keras", [("dense", 10), ("dense_1", 20), ("dense_2", 10)])
    new = keras_file(tmp_path / "new.keras", [("dense_7", 10), ("dense_8", 30), ("dense_9", 10), ("dense_10", 20), ("dense_11", 10)])
    rows = [line.split() for line in tfprof("diff", base, new).stdout.splitlines() if line.endswith(("added", "removed"))]
    # 10 to 30 and 30 to 10 came in between; the others are as they were.
    assert [(row[0], row[3]) for row in rows] == [("dense_8", "330"), ("dense_9", "310")]
    # A name that a user gave is no number of a program.
    named = keras_file(tmp_path / "named.keras", [("stem_1", 10), ("dense_1", 20), ("dense_2", 10)])
    states = {row[0]: row[-1] for row in (line.split() for line in tfprof("diff", base, named).stdout.splitlines()) if row}
    assert states["stem_1"] == "added" and states["dense"] == "removed" and "dense_2" not in states


@pytest.fixture
def models_of_keras(tmp_path):
    """Two .keras files of dense layers, made by hand: 10 inputs, then one or two layers of 10."""
    return [keras_file(tmp_path / f"{name}.keras", [(f"dense_{i}", 10) for i in range(n)])
            for name, n in (("small", 1), ("large", 2))]


def keras_file(path, dense):
    """A model of 10 inputs and dense layers: names and units."""
    import zipfile
    layers = [{"class_name": "InputLayer", "config": {"batch_shape": [None, 10], "dtype": "float32", "name": "in"}}]
    layers += [{"class_name": "Dense", "config": {"name": name, "units": units, "use_bias": True, "activation": "linear",
                                                  "dtype": "float32"}} for name, units in dense]
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "m", "layers": layers,
                                                                         "build_input_shape": [None, 10]}}
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("config.json", json.dumps(config))
        file.writestr("metadata.json", '{"keras_version": "3.0.0"}')
    return path


GRAPH = ('node { name: "x" op: "Placeholder" }\n'
         'node { name: "y" op: "MatMul" input: "x" }\n'
         'node { name: "z" op: "Relu" input: "y" }\n')


def run_of(micros):
    """Run metadata: y takes `micros`, z 5."""
    return 'step_stats { dev_stats { device: "/device:CPU:0" %s } }\n' % "".join(
        f'node_stats {{ node_name: "{name}" all_start_micros: {start} op_end_rel_micros: {us} }} '
        for name, start, us in (("y", 100, micros), ("z", 9000, 5)))


@pytest.fixture
def parts(tmp_path):
    (tmp_path / "graph.pbtxt").write_text(GRAPH)
    for i, micros in enumerate((100, 300, 500, 700)):
        (tmp_path / f"run_meta_{i}").write_text(run_of(micros))
    (tmp_path / "tfprof_log").write_text('log_entries { name: "y" float_ops: 1000 }\n')
    return tmp_path


def numbers(done, metric="micros"):
    """The rows of a JSON report by name: (base, new)."""
    report = json.loads(done.stdout)
    return report, {row["name"]: (row[metric]["base"], row[metric]["new"])
                    for row in report["nodes"]}


def test_parts_of_a_side_are_one_profile(tfprof, parts):
    graph, log = parts / "graph.pbtxt", parts / "tfprof_log"
    done = tfprof("diff", "op", graph, parts / "run_meta_0", "--", graph, parts / "run_meta_1",
                  "--output=json")
    report, rows = numbers(done)
    assert "compared as 0" not in done.stderr
    assert report["samples"] == [1, 1]
    assert report["base"] == [f"{graph} + {parts / 'run_meta_0'}"]
    assert rows["MatMul"] == (100, 300) and rows["Relu"] == (5, 5)
    _, rows = numbers(tfprof("diff", "op", parts / "run_meta_0", graph, log, "--", log, graph,
                             parts / "run_meta_1", "--output=json", "--select=float_ops"),
                      "float_ops")
    assert rows["MatMul"] == (1000, 1000)


def test_several_run_metadata_are_steps_of_one_profile(tfprof, parts):
    graph = parts / "graph.pbtxt"
    report, rows = numbers(tfprof(
        "diff", "op", graph, parts / "run_meta_0", parts / "run_meta_1", parts / "run_meta_2",
        "--", graph, parts / "run_meta_3", "--output=json"))
    assert report["samples"] == [1, 1]
    assert rows["MatMul"] == (300, 700)  # the median of its steps
    _, rows = numbers(tfprof("diff", graph, parts / "run_meta_0", parts / "run_meta_3",
                             "--base_step=0", "--step=1", "--output=json"))
    assert rows["MatMul"] == (100, 700)


def test_sides_given_as_base_may_be_parts(tfprof, parts):
    graph = parts / "graph.pbtxt"
    _, rows = numbers(tfprof("op", f"--base={graph},{parts / 'run_meta_0'}", graph,
                             parts / "run_meta_2", "--output=json"))
    assert rows["MatMul"] == (100, 500)


def test_wholes_are_several_runs(tfprof, parts, tmp_path):
    saved = []
    for i in range(4):
        saved.append(tmp_path / f"saved_{i}")
        tfprof("save", saved[-1], parts / "graph.pbtxt", parts / f"run_meta_{i}")
    report, rows = numbers(tfprof("diff", saved[0], saved[1], saved[2], "--", saved[3],
                                  "--output=json"))
    assert report["samples"] == [3, 1] and rows["MatMul"] == (300, 700)


def test_sides_that_could_mean_two_things_are_refused(tfprof, parts, tmp_path):
    graph, run = parts / "graph.pbtxt", parts / "run_meta_0"
    saved = tmp_path / "saved"
    tfprof("save", saved, graph, run)
    error = tfprof("diff", graph, run, status=2).stderr
    assert f"{graph} and {run} are parts of one profile: separate the sides with --" in error
    error = tfprof("diff", graph, saved, saved, "--", saved, status=2).stderr
    assert f"{graph} is part of a profile, but of which: {saved} and {saved} are runs" in error
    error = tfprof("diff", graph, graph, run, "--", saved, status=2).stderr
    assert "each is a GraphDef: only one can be loaded at a time" in error
