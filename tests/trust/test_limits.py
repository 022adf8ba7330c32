"""Bad inputs do what docs/limits.md says, here and in the originals."""

import os

import limits
import pytest
from original import Original

DOCUMENT = os.path.join(limits.TOP, "docs", "limits.md")


def rows(*kinds):
    return [pytest.param(row, id=f"{row.kind}: {row.input}") for row in limits.ROWS
            if row.kind in (kinds or limits.TITLES)]


@pytest.fixture(scope="module")
def original():
    with Original(timeout=limits.WAIT) as running:
        yield running


@pytest.mark.parametrize("row", rows())
def test_tfprof(row, tmp_path):
    status, printed = limits.run(row, tmp_path)
    assert (status, row.says in printed) == (row.status, True), printed[-1000:]
    assert status == 0 or printed.startswith("tfprof: ") and printed.count("\n") == 1


@pytest.mark.parametrize("row", rows(*limits.ASKED))
def test_tensorflow(original, row, tmp_path):
    check(row, *limits.ask(original, row, tmp_path))


@pytest.mark.parametrize("row", rows("xplane"))
def test_xprof(row, tmp_path):
    check(row, *limits.ask_xprof(row, tmp_path))


def check(row, how, printed):
    expected, _, text = row.original.partition(": ")
    assert how == expected and text in printed, (how, printed[-1000:])


def test_the_document_shows_the_table():
    with open(DOCUMENT, encoding="utf-8") as file:
        assert file.read().endswith(limits.tables()), "print it with tests/trust/limits.py"
    assert len(limits.ROWS) >= 60
