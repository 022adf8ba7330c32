"""Results as trees and advice as tables in notebooks."""

import html.parser
import json
import re
import shutil
import subprocess

import pytest
from wire import node

import tfprof
from tfprof import _html, _html_advice, _html_tree

VOID = ("meta", "br")


class Page(html.parser.HTMLParser):
    """The elements of a page, and whether each was closed in order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.stack, self.rows = [], [], []
        self.deepest, self.texts = 0, []
        self.feed(text)
        self.close()
        assert not self.stack

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if "tfprof-row" in attributes.get("class", ""):
            self.rows.append((self.stack.count("details"), tag, ""))
        if tag not in VOID:
            self.stack.append(tag)
        self.deepest = max(self.deepest, len(self.stack))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if self.stack and self.stack[-1] == "bdi" and self.rows:
            nesting, tag, name = self.rows[-1]
            self.rows[-1] = nesting, tag, name + data


@pytest.fixture(params=["scope", "graph", "code"])
def result(request, profile):
    return getattr(profile, request.param)(max_depth=1000, select="micros,params,op_types")


def test_a_tree_has_the_nodes_of_the_result(result):
    page = Page(result._repr_html_())
    rows = page.rows[1:]
    assert [name for _, _, name in rows] == [node.name for node in result]
    for one, (nesting, tag, _) in zip(result, rows):
        assert tag == ("summary" if one.children else "div")
        assert nesting == one.depth + (tag == "summary")


def test_a_tree_needs_no_script(result):
    page = Page(result._repr_html_())
    assert "script" not in {tag for tag, _ in page.elements}
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")]


def test_the_numbers_are_own_and_total(profile):
    result = profile.scope(select="micros")
    text = result._repr_html_()
    for one in result:
        own = tfprof._format.micros(one.exec_micros) if one.accounted else "--"
        total = tfprof._format.micros(one.total_exec_micros)
        assert f'<span class="own">{own} /</span> {total}' in text


def test_what_costs_most_is_open(profile):
    result = profile.scope(select="micros", max_depth=1000)
    opened, expected = [], []
    for tag, attributes in Page(result._repr_html_()).elements:
        if tag == "details":
            opened.append("open" in attributes)
    at = result.root
    while at.children:
        expected.append(at.index)
        at = max(at.children, key=lambda child: child.total_exec_micros)
        if not at.total_exec_micros:
            break
    inner = [one.index for one in result if one.children]
    assert [inner[i] for i, is_open in enumerate(opened) if is_open] == expected


def make(tmp_path, names, op="Op"):
    (tmp_path / "graph").write_bytes(b"".join(node(name, op) for name in names))
    return tfprof.load(graph=tmp_path / "graph")


EVIL = ["<script>alert(1)</script>", "a\"onmouseover=alert(1) x='", "</details></div>", "&amp;",
        "x\u202egnp.exe"]


@pytest.mark.parametrize("view", ["scope", "op"])
def test_nothing_in_names_is_markup(tmp_path, view):
    """Neither in names nor in types."""
    profile = tfprof.Profile()
    profile.add_graph(b"".join(node(name.replace("/", "_"), name) for name in EVIL))
    result = getattr(profile, view)(select="op_types,occurrence", max_depth=1000)
    plain = make(tmp_path, ["a"]).scope(select="op_types,occurrence")._repr_html_()
    page, expected = Page(result._repr_html_()), Page(plain)
    known = {tag for tag, _ in expected.elements} | {"table", "thead", "tbody", "tr", "th", "td",
                                                     "details", "summary", "script", "bdi"}
    assert {tag for tag, _ in page.elements} <= known
    assert [tag for tag, _ in page.elements].count("script") == (view == "op")
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")]
    for name in EVIL:
        shown = name if view == "op" else name.replace("/", "_")
        assert shown in page.texts


def test_a_large_tree_is_cut_at_its_deepest_nodes(tmp_path):
    names = [f"s{i}/n{k}" for i in range(100) for k in range(30)]
    result = make(tmp_path, names).scope(max_depth=1000, select="occurrence")
    text = result._repr_html_()
    page = Page(text)
    shown = [name for _, _, name in page.rows[1:]]
    assert len(shown) == _html.MAX_ROWS and f"{len(result) - len(shown)} more rows" in text
    assert {f"s{i}" for i in range(100)} <= set(shown)
    assert text.count("</bdi> …") == 100 - len({name.partition("/")[0] for name in shown
                                                if "/" in name})


def test_a_deep_tree_is_nested_to_a_limit(tmp_path):
    result = make(tmp_path, ["/".join(["s"] * 400)]).scope(max_depth=1000)
    page = Page(result._repr_html_())
    assert len(page.rows) == 402
    assert max(nesting for nesting, _, _ in page.rows) == _html_tree.MAX_NESTING
    assert page.deepest < _html_tree.MAX_NESTING + 10


@pytest.mark.parametrize("view", ["scope", "op"])
def test_notes_explain_an_empty_result(profile, view):
    shown = getattr(profile, view)(show_name_regexes=["<b>"])._repr_html_()
    assert "show_name_regexes: &#x27;&lt;b&gt;&#x27; matches no " in shown
    assert "<em>" not in profile.scope()._repr_html_()


def test_an_empty_result():
    for view in ("scope", "graph", "op"):
        assert Page(getattr(tfprof.Profile(), view)()._repr_html_())


OPEN = """
<script>
function shown() {
  return Array.from(document.querySelectorAll(".tfprof-row bdi")).filter(
    e => e.checkVisibility()).map(e => e.textContent);
}
var seen = [shown()];
document.querySelectorAll("details[open]").forEach(e => { e.open = false; });
seen.push(shown());
document.querySelector("summary").click();
seen.push(shown());
document.body.textContent = "SEEN" + JSON.stringify(seen) + "END";
</script>
"""


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
def test_a_tree_opens_in_a_browser(tmp_path):
    result = make(tmp_path, ["a", "b/c", "b/d"]).scope(max_depth=1000, select="occurrence")
    (tmp_path / "page.html").write_text(f"<meta charset=utf-8><body>{result._repr_html_()}{OPEN}")
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         f"--user-data-dir={tmp_path / 'browser'}", "--dump-dom",
         (tmp_path / "page.html").as_uri()], capture_output=True, text=True, timeout=120)
    seen = json.loads(re.search("SEEN(.*)END", done.stdout, re.S).group(1))
    assert seen[0][:3] == ["_TFProfRoot", "a", "b"]
    assert seen[1:] == [["_TFProfRoot"], ["_TFProfRoot", "a", "b"]]


# ---- advice ---------------------------------------------------------------------

def test_advice_is_a_table(profile):
    advice = profile.advise()
    text = advice._repr_html_()
    page = Page(text)
    tags = [tag for tag, _ in page.elements]
    assert "script" not in tags and tags.count("tr") == len(advice) + 1
    for finding in advice:
        assert finding["text"] in page.texts and finding["checker"] in page.texts
    skipped = [one for one in advice.checkers if one.get("skipped")]
    assert f"{len(skipped)} checkers did not apply" in text and tags.count("li") == len(skipped)


def test_outputs_of_a_notebook_do_not_style_each_other(profile):
    """They are on one page, in any order."""
    shown = [profile.op(), profile.scope(), profile.advise(), profile.diff(profile)]
    styled = []
    for output in shown:
        style = re.search("<style>(.*?)</style>", output._repr_html_(), re.S).group(1)
        selectors = re.sub(r"\{[^}]*\}", ",", style).split(",")
        styled.append({re.match(r"\.[\w-]+", one.strip()).group(0) for one in selectors if one.strip()})
    assert all(styled)
    assert sum(map(len, styled)) == len(set().union(*styled))


def test_advice_of_nothing_and_of_too_much():
    class Stub:
        checkers = []

        def __init__(self, findings):
            self.findings = findings

        def __iter__(self):
            return iter(self.findings)

    assert "Nothing found." in _html_advice.table(Stub([]))
    finding = {"checker": "<c>", "what": "w", "level": "high", "text": "a\n<b>",
               "remedy": "do <this>", "stake": {"micros": 1500, "bytes": 2000, "share": .25},
               "where": [{"device": "/gpu:0", "op": "Op", "node": f"n<{i}>"} for i in range(8)]}
    text = _html_advice.table(Stub([finding] * (_html_advice.MAX_ROWS + 3)))
    page = Page(text)
    assert "3 more findings: use to_pandas()" in text
    assert "1.50ms, 2.00KB, 25%" in page.texts and "do <this>" in page.texts
    assert "/gpu:0 Op n<4>\nand 3 more" in "".join(page.texts)
    assert "<b>" not in text and "<c>" not in text


def test_advice_to_pandas(profile):
    pytest.importorskip("pandas")
    advice = profile.advise()
    frame = advice.to_pandas()
    assert list(frame["checker"]) == [finding["checker"] for finding in advice]
    assert list(frame["text"]) == [finding["text"] for finding in advice]
    assert list(frame["level"]) == [finding["level"] for finding in advice]
    assert list(frame["nodes"]) == [[place["node"] for place in finding["where"] if "node" in place]
                                    for finding in advice]
    assert frame["step"].dtype == "Int64" and frame["share"].dtype == "float64"
