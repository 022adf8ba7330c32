"""Input that crashes TensorFlow's profiler, or might crash any reader: here it gets
the right answer or a clear error."""

import re
import pytest
from wire import field, log_entry, node, strings, varint

TEXTS = strings(["", "/x/a.py", "main"])
FRAME = (1, 7, 2)


def check_alive(done):
    assert done.returncode in (0, 1, 2), done.stderr.decode()[:500]
    if done.returncode:
        assert done.stdout == b""
        assert done.stderr.startswith(b"tfprof: ") and done.stderr.count(b"\n") == 1
    return done


def put(tfprof, name, data):
    (tfprof.directory / name).write_bytes(data)


@pytest.mark.parametrize("option", ["--max_depth=0", "--max_depth=-1",
                                    "--trim_name_regexes=_TFProfRoot", "--trim_name_regexes=.*"])
def test_code_view_without_a_root_to_show(tfprof, option):
    done = check_alive(tfprof.run("code", "--profile_path=p", option))
    assert done.returncode == 0


@pytest.mark.parametrize("log", [
    log_entry("a", []), log_entry("gradients/a_grad/z", [FRAME]),
    log_entry("gradients/a_grad/z", []),
], ids=["empty stack", "gradient only", "empty gradient stack"])
def test_code_view_without_forward_stacks(tfprof, log):
    put(tfprof, "graph", node("a", "A") + node("gradients/a_grad/z", "Z", ["a"]))
    put(tfprof, "log", log + TEXTS)
    check_alive(tfprof.run("code", "--graph_path=graph", "--op_log_path=log"))


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
@pytest.mark.parametrize("name, op", [("_TFProfRoot", "A"), ("a", "_TFProfRoot"),
                                      ("_TFProfRoot/x", "_TFProfRoot")])
def test_things_named_like_the_root(tfprof, view, name, op):
    put(tfprof, "graph", node(name, op) + node("b", "B", [name]))
    put(tfprof, "log", log_entry(name, [FRAME]) + log_entry("b", [FRAME]) + TEXTS)
    done = check_alive(tfprof.run(view, "--graph_path=graph", "--op_log_path=log"))
    assert done.returncode == 0


def test_stack_with_missing_strings(tfprof):
    put(tfprof, "graph", node("a", "A"))
    put(tfprof, "log", log_entry("a", [(5, 1, 6)]))
    check_alive(tfprof.run("code", "--graph_path=graph", "--op_log_path=log"))


def test_profile_with_missing_inputs(tfprof):
    """inputs {0: 99} of node 0, and src_output_index {98: 1}."""
    body = field(1, "a") + field(9, "A") + field(2, field(1, 0) + field(2, 99))
    body += field(14, field(1, 98) + field(2, 1))
    put(tfprof, "saved", field(1, field(1, 0) + field(2, body)))
    for view in ("scope", "graph", "op"):
        check_alive(tfprof.run(view, "--profile_path=saved", "--select=input_shapes"))


def test_profile_with_ids_twice_and_far_apart(tfprof):
    nodes = b"".join(field(1, field(1, key) + field(2, field(1, name) + field(9, "A")
                                                    + field(13, key)))
                     for key, name in ((0, "a"), (0, "b"), (1 << 62, "c"), (-1, "d"), (7, "a")))
    put(tfprof, "saved", nodes)
    for view in ("scope", "graph", "op"):
        check_alive(tfprof.run(view, "--profile_path=saved"))


def test_chain_of_200_000_nodes(tfprof):
    put(tfprof, "graph", b"".join(node(f"n{i}", "Op", [f"n{i - 1}"] if i else [])
                                  for i in range(200_000)))
    done = check_alive(tfprof.run("graph", "--graph_path=graph", "--max_depth=1000000",
                                  "--select=occurrence", "--show_name_regexes=n1?0"))
    assert done.returncode == 0
    assert b"n0 (0/0|1/1)" in done.stdout


def test_scope_50_000_deep(tfprof):
    put(tfprof, "graph", node("/".join("s" * 50_000), "Op"))
    done = check_alive(tfprof.run("scope", "--graph_path=graph", "--select=occurrence"))
    assert done.returncode == 0
    assert b"_TFProfRoot (--/0|--/50.00k)" in done.stdout


def test_reports_of_deep_trees_are_not_mostly_blanks(tfprof):
    """Each of 20,000 levels indented by two more would be 400 MB; deeper ones say how deep
    they are."""
    put(tfprof, "graph", b"".join(node(f"n{i}", "A", [f"n{i + 1}"]) for i in range(20_000)))
    done = check_alive(tfprof.run("graph", "--graph_path=graph", "--max_depth=10000000"))
    assert done.returncode == 0
    assert len(done.stdout) < 20_000 * 600
    assert b"[level 19999] n19998 (" in done.stdout


def test_stack_50_000_deep(tfprof):
    put(tfprof, "graph", node("a", "A"))
    put(tfprof, "log", log_entry("a", [FRAME] * 50_000) + TEXTS)
    done = check_alive(tfprof.run("code", "--graph_path=graph", "--op_log_path=log",
                                  "--max_depth=3"))
    assert done.returncode == 0


def test_attribute_nested_deep(tfprof):
    """func { attr { value { func { ... } } } }: whatever the answer, no crash."""
    layers = [b""]
    size = 0
    for _ in range(30_000):
        opening = b""
        for number in (2, 2, 10):
            size_of_rest = size + len(opening)
            opening = varint(number << 3 | 2) + varint(size_of_rest) + opening
        layers.append(opening)
        size += len(opening)
    value = b"".join(reversed(layers))
    put(tfprof, "graph", node("a", "A", attributes=field(5, field(1, "f") + field(2, value))))
    check_alive(tfprof.run("scope", "--graph_path=graph"))


@pytest.mark.parametrize("opening, closing", [("a {", "}"), ("node { attr { value { func {", ""),
                                              ("x <", ">"), ("l: [", "]")])
def test_text_nested_deep(tfprof, opening, closing):
    put(tfprof, "graph.pbtxt", (opening * 100_000 + closing * 100_000).encode())
    check_alive(tfprof.run("scope", "--graph_path=graph.pbtxt"))


def test_huge_shape_does_not_overflow(tfprof):
    """The product saturates, with a warning, instead of overflowing."""
    dims = b"".join(field(2, field(1, 1 << 40)) for _ in range(3))
    shape = field(5, field(1, "shape") + field(2, field(7, dims)))
    put(tfprof, "graph", node("v", "VariableV2", attributes=shape))
    done = tfprof.run("scope", "--graph_path=graph", "--select=params")
    assert done.returncode == 0
    assert b"9223372036.85b params" in done.stdout
    assert done.stderr


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_sums_stop_at_the_largest_number(tfprof, view):
    """Three nodes of half of 2^63 microseconds each: the sum was negative."""
    def stats(name):
        return field(2, field(1, name) + field(2, 1) + field(4, 1 << 62))
    device = field(1, "/job:w/replica:0/task:0/device:CPU:0") + b"".join(map(stats, "abc"))
    put(tfprof, "run_meta", field(1, field(1, device)))
    done = tfprof.run(view, "--run_meta_path=run_meta", "--select=micros")
    assert done.returncode == 0
    assert not re.search(rb"-[0-9]", done.stdout)
    assert view == "op" or b"--/9223372036854.78sec" in done.stdout
    assert b"does not fit in 64 bits" in done.stderr


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_graph_without_nodes(tfprof, view):
    put(tfprof, "graph", field(4, field(1, 1700)))
    done = check_alive(tfprof.run(view, "--graph_path=graph"))
    assert done.returncode == 0
    assert b"_TFProfRoot" in done.stdout


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_names_that_are_no_text(tfprof, view):
    put(tfprof, "graph", node(b"\xff\xfe/x", b"\x80op", [b"\xff\xfe/x"]) + node(b"a\0b", "B"))
    put(tfprof, "log", log_entry(b"a\0b", [FRAME]) + TEXTS)
    check_alive(tfprof.run(view, "--graph_path=graph", "--op_log_path=log",
                           "--show_name_regexes=.*,x.*"))
