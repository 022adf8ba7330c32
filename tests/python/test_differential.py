"""Random profiles and queries through the public API, compared with TensorFlow's
profiler. (tests/differential compares the library itself, and more of it.)"""

import pytest
from package_under_test import needs_tensorflow

pytestmark = needs_tensorflow

SEED = "python"
COUNT = 60


@pytest.fixture(scope="module")
def original():
    pytest.importorskip("tensorflow")
    import original as original_module
    with original_module.Original() as made:
        yield made


def check(comparison, cases):
    failures = []
    for number, case in cases:
        for difference in comparison.compare(case):
            failures.append(f"case {number}: {difference.what}\n{difference.diff()}")
    assert not failures, "\n\n".join(failures[:3])
    assert comparison.asked > 0 and comparison.aborted < comparison.asked / 2


def test_reports_messages_and_profiles_through_pywrap(original, tmp_path):
    import compare
    import generate
    from public_api import Pywrap
    with Pywrap() as ours:
        check(compare.Comparison(original, ours, str(tmp_path)),
              ((i, generate.make_case(SEED, i)) for i in range(COUNT)))


def test_reports_messages_and_profiles_through_load(original, tmp_path, monkeypatch):
    import compare
    import generate
    import queries
    from public_api import Loaded, Unframed
    # Names that act on a terminal are shown as escapes here.
    monkeypatch.setattr(generate, "ODD_NAMES", tuple(n for n in generate.ODD_NAMES if n.isprintable()))

    def make_case(number):
        """Removes what is deliberately different here: words that are errors, labels that tell
        types, code view, where lines of equal labels in different files are apart, minimums of
        op view, which compare rows, columns of time where there is no accelerator, and devices
        written in the graph."""
        case = generate.make_case(SEED, number)
        devices = [device.device.lower() for step in case.steps
                   for device in step.run_meta.step_stats.dev_stats]
        for step in case.steps:
            for device in step.run_meta.step_stats.dev_stats:
                for entry in device.node_stats:
                    entry.ClearField("timeline_label")
        case.queries = [query for query in case.queries
                        if set(query.options.select) <= set(queries.SELECTS) and query.view != "code"]
        for graph in [case.graph] + [step.graph for step in case.steps if step.graph]:
            for node in graph.node if graph else ():
                node.ClearField("device")
        for query in case.queries:
            for field, _ in query.options.ListFields():
                if query.view == "op" and field.name.startswith("min_"):
                    query.options.ClearField(field.name)
            if not any("gpu" in device for device in devices) and "micros" in query.options.select:
                query.options.select.remove("micros")
        return case

    with Loaded() as ours:
        check(compare.Comparison(Unframed(original), ours, str(tmp_path)),
              ((i, make_case(i)) for i in range(COUNT)))


def test_timelines_and_pprof_through_pywrap(original, tmp_path):
    import outputs
    from public_api import Pywrap
    with Pywrap() as ours:
        check(outputs.Comparison(original, ours, str(tmp_path)),
              ((i, outputs.make_case(SEED, i, 6, None)) for i in range(COUNT // 2)))


def test_advice_through_pywrap(original, tmp_path):
    import advice
    from public_api import Pywrap
    with Pywrap() as ours:
        comparison = advice.Comparison(original, ours, str(tmp_path))
        for number in range(COUNT):
            differences = comparison.compare(advice.make_case(SEED, number),
                                             advice.make_options(SEED, number))
            assert not differences, f"case {number}: {differences[:1]}"
    assert comparison.aborted < comparison.asked / 2
