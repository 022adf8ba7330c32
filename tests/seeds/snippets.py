"""The snippets of the documents as they run here. Nothing is changed but what REPAIRS lists."""

import textwrap

import documents

# What is not Python, or names nothing, as printed: (document, as printed, repaired, why)
REPAIRS = (
    ("profiler_class.md", "Typical use case:\n", "", "a title, and the code is indented below it"),
    ("profiler_class.md", "sess.run(...", "sess.run(train_op", "an ellipsis for what is run"),
    ("profiler_and_advisor.md", "_ = session.run(train_op)", "_ = sess.run(train_op)",
     "the session is called sess"),
    ("tfprof.md", "tfprof_cmd='code'\n    tfprof_options=opts", "tfprof_cmd='code',\n    tfprof_options=opts",
     "a comma is missing"),
    ("tfprof.md", "/tmp/my_op_log_dir,", "'/tmp/my_op_log_dir',", "a path without quotes"),
    ("tfprof.md", "self._sess.run(...,", "self._sess.run(train_op,", "an ellipsis for what is run"),
)


def repaired():
    """[(name, code)]; each repair is used."""
    found, used = [], set()
    for block in documents.snippets():
        code = "\n".join(block.lines) + "\n"
        for document, printed, better, _ in REPAIRS:
            if document == block.document and printed in code:
                code = code.replace(printed, better)
                used.add(printed)
        found.append((f"{block.document}:{block.line}", textwrap.dedent(code)))
    assert used == {printed for _, printed, _, _ in REPAIRS}
    return found
