"""Missing, special and broken files, and files of the wrong kind: status 1, one line
with the file and the offset, and no partial output."""

import gzip
import os
import re

import pytest
from wire import field, node

# flag, a good file for it, what else the command line then needs
FLAGS = [
    ("--profile_path", "p", ()),
    ("--graph_path", "g", ()),
    ("--run_meta_path", "r", ("--graph_path=g",)),
    ("--op_log_path", "l", ("--graph_path=g",)),
]
KINDS = {"p": "ProfileProto", "g": "GraphDef", "r": "RunMetadata", "l": "OpLogProto"}
each_flag = pytest.mark.parametrize("flag, sample, rest", FLAGS, ids=[row[0] for row in FLAGS])


@each_flag
def test_missing_file(tfprof, flag, sample, rest):
    tfprof.refuses(1, "scope", f"{flag}=no/such/file", *rest, says=["no/such/file"])


@each_flag
def test_directory(tfprof, flag, sample, rest):
    (tfprof.directory / "dir").mkdir()
    line = tfprof.refuses(1, "scope", f"{flag}=dir", *rest, says=["dir"])
    assert "directory" in line


@each_flag
def test_empty_file(tfprof, flag, sample, rest):
    (tfprof.directory / "void").touch()
    line = tfprof.refuses(1, "scope", f"{flag}=void", *rest, says=["void"])
    assert "empty" in line


@each_flag
def test_unreadable_device(tfprof, flag, sample, rest):
    """Special files, endless or empty, must neither hang nor be accepted."""
    tfprof.refuses(1, "scope", f"{flag}=/dev/null", *rest, says=["/dev/null"])


@each_flag
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_truncated(tfprof, flag, sample, rest, share):
    whole = (tfprof.directory / sample).read_bytes()
    (tfprof.directory / "cut").write_bytes(whole[:int(len(whole) * share)])
    line = tfprof.refuses(1, "scope", f"{flag}=cut", *rest, says=["cut"])
    assert re.search(r"\b(offset|byte) \d+", line), line


@each_flag
@pytest.mark.parametrize("garbage", [
    b"\xff" * 4096, b"\0" * 100, bytes(range(256)) * 16,
    b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x0b" * 1000, b"\x80" * 64,
], ids=["ff", "zeros", "count", "huge length", "group", "long varint"])
def test_garbage(tfprof, flag, sample, rest, garbage):
    (tfprof.directory / "junk").write_bytes(garbage)
    line = tfprof.refuses(1, "scope", f"{flag}=junk", *rest, says=["junk"])
    assert re.search(r"\b(offset|byte) \d+", line), line


@each_flag
@pytest.mark.parametrize("at", [0.2, 0.6])
def test_damage_inside(tfprof, flag, sample, rest, at):
    """Overwritten bytes in the middle: an error, or read as they are; never a crash,
    and never a report together with an error."""
    data = bytearray((tfprof.directory / sample).read_bytes())
    middle = int(len(data) * at)
    data[middle:middle + 40] = b"\xff" * 40
    (tfprof.directory / "damaged").write_bytes(data)
    done = tfprof.run("scope", f"{flag}=damaged", *rest)
    assert done.returncode in (0, 1)
    assert done.returncode == 0 or done.stdout == b""


@each_flag
@pytest.mark.parametrize("other", "pgrl")
def test_wrong_kind(tfprof, flag, sample, rest, other):
    if other == sample:
        return
    line = tfprof.refuses(1, "scope", f"{flag}={other}", *rest)
    assert KINDS[other] in line, line


@each_flag
@pytest.mark.parametrize("content, kind", [
    (b"#!/bin/sh\necho hello\n", "text"), (gzip.compress(b"x" * 100), "gzip"),
    (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "PNG"), (b"\x7fELF\x02\x01\x01" + b"\0" * 50, "ELF"),
    (b'{"traceEvents": []}', "JSON"),
], ids=["text", "gzip", "png", "elf", "json"])
def test_foreign_kind(tfprof, flag, sample, rest, content, kind):
    (tfprof.directory / "foreign").write_bytes(content)
    line = tfprof.refuses(1, "scope", f"{flag}=foreign", *rest, says=["foreign"])
    assert kind.lower() in line.lower(), line


def test_text_graph_with_an_error_says_where(tfprof):
    text = 'node {\n  name: "a"\n  op: "B" }\nnode {\n  name }\n'
    (tfprof.directory / "t.pbtxt").write_text(text)
    line = tfprof.refuses(1, "scope", "--graph_path=t.pbtxt", says=["t.pbtxt"])
    assert re.search(r"\b5\b", line), "the line number: " + line


def test_second_run_meta_is_named(tfprof):
    (tfprof.directory / "void").touch()
    tfprof.refuses(1, "scope", "--graph_path=g", "--run_meta_path=r,void", says=["void"])


def test_run_meta_without_step_stats(tfprof):
    (tfprof.directory / "bare").write_bytes(field(3, node("a", "A")[2:]))
    line = tfprof.refuses(1, "scope", "--graph_path=g", "--run_meta_path=bare", says=["bare"])
    assert "step" in line


def test_unwritable_outfile(tfprof):
    tfprof.refuses(1, "scope", "--profile_path=p", "--output=file:outfile=no/such/dir/x",
                   says=["no/such/dir/x"])


def test_outfile_is_a_directory(tfprof):
    (tfprof.directory / "dir").mkdir()
    tfprof.refuses(1, "scope", "--profile_path=p", "--output=file:outfile=dir", says=["dir"])
    assert not list((tfprof.directory / "dir").iterdir())


def test_failed_write_leaves_no_temporary_file(tfprof):
    before = sorted(path.name for path in tfprof.directory.iterdir())
    tfprof.refuses(1, "scope", "--graph_path=nothing")
    after = sorted(path.name for path in tfprof.directory.iterdir())
    assert [name for name in after if name not in before] == ["outfile"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_full_disk_on_stdout(tfprof):
    with open("/dev/full", "wb") as full:
        done = tfprof.run("scope", "--profile_path=p", stdout=full)
    assert done.returncode == 1
    assert done.stderr.startswith(b"tfprof: ")
