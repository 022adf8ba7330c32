"""Results as sequences of nodes, dictionaries, tables and pages."""

import json
import re
import shutil
import subprocess

import pytest

import tfprof
from tfprof import _html, _native


@pytest.fixture(params=["scope", "graph", "op", "code"])
def result(request, profile):
    return getattr(profile, request.param)(max_depth=1000, select="micros,params,occurrence")


def test_nodes_are_the_messages(result):
    """Names and numbers, in the order of the result message."""
    pytest.importorskip("google.protobuf")
    message, nodes = result.message, list(result)
    expected, stack = [], [message]
    while stack:
        one = stack.pop()
        expected.append(one)
        stack.extend(reversed(one.children))
    assert [node.name for node in nodes] == [one.name for one in expected]
    for name in ("exec_micros", "total_exec_micros", "requested_bytes", "parameters", "float_ops",
                 "total_parameters", "total_float_ops", "total_peak_bytes", "total_cpu_exec_micros"):
        assert [getattr(node, name) for node in nodes[1:]] == [
            getattr(one, name) for one in expected[1:]]


def test_tree(result):
    seen = []
    stack = [result.root]
    while stack:
        node = stack.pop()
        seen.append(node.index)
        for child in node.children:
            assert child.parent == node and child.depth == node.depth + 1
        stack.extend(reversed(node.children))
    assert seen == list(range(len(result)))
    assert result.root.parent is None


def test_sequence(result):
    assert [node.index for node in result] == list(range(len(result)))
    assert result[-1] == result[len(result) - 1]
    assert result[1:4] == [result[1], result[2], result[3]]
    assert result[result[2].name].name == result[2].name
    assert result[1] != result[2] and len({result[1], result[1], result[2]}) == 2
    for bad in (len(result), -len(result) - 1):
        with pytest.raises(IndexError):
            result[bad]
    with pytest.raises(KeyError, match="no-such-node"):
        result["no-such-node"]
    assert "exec_micros" in dir(result[0]) and "children" in dir(result[0])
    with pytest.raises(AttributeError):
        result[0].nonsense
    with pytest.raises(AttributeError):
        result[0].name = "x"


def test_reprs(result):
    assert repr(result) == f"<{result.view} result: {len(result)} nodes>"
    assert repr(result.root) == "<Node '_TFProfRoot'>"
    assert str(result) == result.text


def test_to_dict(result):
    tree = result.to_dict()
    json.dumps(tree)
    count, stack = 0, [tree]
    while stack:
        one = stack.pop()
        assert one["name"] == result[count].name
        assert one["total_exec_micros"] == result[count].total_exec_micros
        count += 1
        stack.extend(reversed(one["children"]))
    assert count == len(result)


def test_deep_trees_need_no_recursion(tmp_path):
    from wire import node
    n = 30_000
    (tmp_path / "graph").write_bytes(b"".join(
        node(f"n{i}", "Op", [f"n{i - 1}"] if i else []) for i in range(n)))
    result = tfprof.load(graph=tmp_path / "graph").graph(max_depth=n + 5)
    assert len(result) == n + 1
    tree = result.to_dict()
    for _ in range(n):
        tree, = tree["children"]
    assert tree["name"] == "n0"
    # Freed from the top, as freeing 30,000 levels at once would recurse.
    assert result[-1].parent.name == "n1"
    pytest.importorskip("google.protobuf")
    message, depth = result.message, 0
    while message.children:
        message, depth = message.children[0], depth + 1
    assert depth == n and message.name == "n0"


# ---- tables -------------------------------------------------------------------------

def test_pandas(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert list(frame.columns) == list(_native.ROW_FIELDS) and len(frame) == len(result)
    assert frame["name"].tolist() == [node.name for node in result]
    assert frame["total_exec_micros"].tolist() == [node.total_exec_micros for node in result]
    assert frame["accounted"].dtype == bool
    assert pandas.isna(frame["parent"][0]) and frame["parent"][1] == 0
    frame.loc[0, "exec_micros"] = 5      # a separate copy


def test_pyarrow(result):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(result)
    table.validate(full=True)
    # What the option select names, and what is there without it.
    assert table.column_names == [
        "name", "parent", "depth", "accounted", "exec_micros", "total_exec_micros",
        "accelerator_exec_micros", "total_accelerator_exec_micros", "cpu_exec_micros",
        "total_cpu_exec_micros", "parameters", "total_parameters", "shape", "run_count",
        "total_run_count", "definition_count", "total_definition_count"]
    for row, node in zip(table.to_pylist(), result):
        values = node.to_dict()
        assert row == {name: values[name] for name in table.column_names}
    assert pyarrow.schema(result) == table.schema


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_pyarrow_of_all_columns(profile, view):
    pyarrow = pytest.importorskip("pyarrow")
    result = getattr(profile, view)()
    table = pyarrow.table(result)
    assert table.column_names == list(_native.ROW_FIELDS)
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        tuple(node.to_dict().values()) for node in result]


def test_pyarrow_of_some_columns(result):
    pyarrow = pytest.importorskip("pyarrow")
    names = ["end", "name", "op_types", "total_parameters"]
    table = result.to_arrow(columns=names)
    table.validate(full=True)
    assert table.column_names == names
    assert table["name"].to_pylist() == [node.name for node in result]
    assert table["op_types"].to_pylist() == [node.op_types for node in result]
    assert table["total_parameters"].to_pylist() == [node.total_parameters for node in result]
    # One past the last row below each.
    ends = list(range(1, len(result) + 1))
    for node in reversed(list(result)[1:]):
        ends[node.parent.index] = max(ends[node.parent.index], ends[node.index])
    assert table["end"].to_pylist() == ends
    assert result.to_arrow().equals(pyarrow.table(result))
    with pytest.raises(ValueError, match="no column 'nonsense'"):
        result.to_arrow(columns=["name", "nonsense"])


def test_pandas_of_some_columns(result):
    pytest.importorskip("pandas")
    frame = result.to_pandas(columns=["name", "peak_bytes"])
    assert list(frame.columns) == ["name", "peak_bytes"]
    assert frame["peak_bytes"].tolist() == [node.peak_bytes for node in result]


def test_one_column_by_its_name(result):
    pytest.importorskip("pandas")
    assert list(result.to_pandas("name").columns) == ["name"]
    pytest.importorskip("pyarrow")
    assert result.to_arrow("name").column_names == ["name"]


def test_positions_that_are_none(result):
    for key in (None, 1.5, b"x", ["a"]):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            result[key]  # pylint: disable=pointless-statement


def test_advice_as_arrow(profile):
    pyarrow = pytest.importorskip("pyarrow")
    advice = profile.advise()
    table = pyarrow.table(advice)
    table.validate(full=True)
    assert table["checker"].to_pylist() == [finding["checker"] for finding in advice]
    assert table["text"].to_pylist() == [finding["text"] for finding in advice]
    assert table["level"].to_pylist() == [finding["level"] for finding in advice]
    assert any(table["lines"].to_pylist()) and any(table["nodes"].to_pylist())


def test_a_result_stays_as_it_is_when_the_profile_changes(loop_files):
    pytest.importorskip("google.protobuf")
    made = tfprof.load(loop_files / "profile")
    before = [made.op(select="micros"), made.code(select="bytes")]
    same = [made.op(select="micros"), made.code(select="bytes")]
    expected = [(str(result), result.message, result.to_dict()) for result in same]
    made.add_step(7, loop_files / "run_meta_0")
    assert [(str(result), result.message, result.to_dict()) for result in before] == expected
    assert str(made.op(select="micros")) != expected[0][0]


def test_polars(result):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(result)
    assert frame["name"].to_list() == [node.name for node in result]
    assert frame["parent"].null_count() == 1


def test_duckdb(result):
    duckdb = pytest.importorskip("duckdb")
    (found,), = duckdb.sql("select sum(exec_micros) from result").fetchall()
    assert found == sum(node.exec_micros for node in result)


def test_arrow_capsules_by_hand(result):
    """Without any library: they can be created, dropped unread, and outlive the result."""
    assert "arrow_array_stream" in repr(result.__arrow_c_stream__())
    assert "arrow_schema" in repr(result.__arrow_c_schema__())
    capsule = result.__arrow_c_stream__(requested_schema=None)
    del result
    del capsule


def test_arrow_of_many_rows_comes_in_batches(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from wire import node
    n = 150_000
    (tmp_path / "graph").write_bytes(b"".join(node(f"n{i:06}", "Op") for i in range(n)))
    result = tfprof.load(graph=tmp_path / "graph").scope()
    batches = list(pyarrow.RecordBatchReader.from_stream(result))
    assert len(batches) == 3 and sum(batch.num_rows for batch in batches) == n + 1
    assert batches[2].column("name")[-1].as_py() == f"n{n - 1:06}"
    # A batch stays valid when the others and the result are gone.
    last = batches.pop()
    del batches, result
    last.validate(full=True)


def test_arrow_of_a_closed_stream_is_released(profile):
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(profile.op())
    reader.close()
    del reader


def test_text_that_is_no_utf8(tmp_path):
    """From a function whose name contains half of a character."""
    pyarrow = pytest.importorskip("pyarrow")
    from wire import log_entry, node, strings
    (tmp_path / "graph").write_bytes(node("a", "A"))
    (tmp_path / "log").write_bytes(log_entry("a", [(1, 7, 2)])
                                   + strings(["", "/x/a.py", b"x\xc3y"]))
    result = tfprof.load(graph=tmp_path / "graph", op_log=tmp_path / "log").code()
    assert result[1].name == "a.py:7:x\ufffdy:none"
    table = pyarrow.table(result)
    table.validate(full=True)
    assert table["name"][1].as_py() == result[1].name


# ---- pages --------------------------------------------------------------------------

def test_html_escapes_and_limits(tmp_path):
    from wire import node
    (tmp_path / "graph").write_bytes(node("<script>alert(1)", "A&B") + b"".join(
        node(f"n{i}", "Op") for i in range(_html.MAX_ROWS + 5)))
    page = tfprof.load(graph=tmp_path / "graph").scope(select="op_types")._repr_html_()
    assert "<script>alert" not in page and "&lt;script&gt;" in page and "A&amp;B" in page
    assert page.count('"tfprof-row') == _html.MAX_ROWS + 1
    assert "7 more rows" in page


def test_html_of_every_view(result):
    page = result._repr_html_()
    if result.view == "op":
        heads = re.findall(r"<th[^>]*>([^<]*)</th>", page)
        n_rows = page.count("<tr>")
    else:
        head = page.partition('tfprof-head">')[2].partition("</div>")[0]
        heads = re.findall(r"<span[^>]*>([^<]*)</span>", head)
        n_rows = page.count('"tfprof-row')
    assert heads[:4] == ["node", "total time", "accelerator time", "cpu time"]
    assert n_rows == len(result) + (0 if result.view == "op" else 1)


CLICKS = """
<script>
function names() {
  return Array.from(document.querySelectorAll("tbody tr")).map(r => r.cells[0].textContent);
}
var seen = [names()];
var heads = document.querySelectorAll("th");
[%s].forEach(i => {
  heads[i].click();
  seen.push(names());
  seen.push(heads[i].getAttribute("aria-sort"));
});
document.body.textContent = "SEEN" + JSON.stringify(seen) + "END";
</script>
"""


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
def test_columns_sort_in_a_browser(profile, tmp_path):
    result = profile.op(select="micros,occurrence", order_by="micros", max_depth=1000)
    page = tmp_path / "page.html"
    page.write_text("<meta charset=utf-8><body>" + result._repr_html_()
                    + CLICKS % "1, 1, 1, 0, 4")
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         f"--user-data-dir={tmp_path / 'browser'}", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=120)
    seen = json.loads(re.search("SEEN(.*)END", done.stdout, re.S).group(1)
                      .replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    reported = [node.name for node in result][1:]
    nodes = result[1:]
    down = [node.name for node in sorted(nodes, key=lambda node: -node.exec_micros)]
    up = [node.name for node in sorted(nodes, key=lambda node: node.exec_micros)]
    runs = [node.name for node in sorted(nodes, key=lambda node: -node.run_count)]
    assert seen == [reported, down, "descending", up, "ascending", reported, None,
                    sorted(reported), "ascending", runs, "descending"]


# ---- events ---------------------------------------------------------------------------

def test_events_are_what_the_timeline_shows(profile, tmp_path):
    """Its events are those of the nodes shown, each start of a device once."""
    pyarrow = pytest.importorskip("pyarrow")
    import json
    rows = pyarrow.table(profile.events(step=1)).to_pylist()
    profile.graph(step=1, max_depth=100000,
                  output=f"timeline:outfile={tmp_path / 'timeline'}")
    trace = json.loads((tmp_path / "timeline").read_text())["traceEvents"]
    shown = {(event["name"], event["ts"], event["dur"]) for event in trace if event["ph"] == "X"}
    assert shown and shown <= {(row["name"], row["start_micros"], row["duration_micros"])
                               for row in rows}
    assert {row["step"] for row in rows} == {1}
    assert rows == sorted(rows, key=lambda row: (
        [row["device"] for row in rows].index(row["device"]), row["start_micros"]))


def test_events_of_all_steps(profile):
    pyarrow = pytest.importorskip("pyarrow")
    every = pyarrow.table(profile.events()).to_pylist()
    assert len(every) == sum(len(profile.events(step)) for step in profile.steps)
    with pytest.raises(ValueError, match="Available steps: 0 1 2"):
        profile.events(step=7)
