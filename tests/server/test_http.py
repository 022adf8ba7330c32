"""The server of `tfprof ui`: which requests it accepts, and what it answers."""

import gzip
import http.client
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest
import tree
import wire
from serving import SAMPLE, Server


def raw(server, data, wait=5.0):
    """What comes back for these bytes until the server closes, or nothing more comes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait) as s:
        s.sendall(data)
        answer = b""
        try:
            while chunk := s.recv(65536):
                answer += chunk
                if b"\r\n\r\n" in answer:
                    break
        except (TimeoutError, ConnectionResetError):
            pass
    return answer


# ---- accepted requests -------------------------------------------------------

def test_the_token_becomes_a_cookie(server):
    status, headers, _ = server.ask("/?t=secret", cookie=False)
    assert status == 303
    assert headers["Location"] == "./"
    cookie = headers["Set-Cookie"]
    assert cookie.startswith(f"tfprof_{server.port}=secret;")
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie


@pytest.mark.parametrize("path", ["/", "/app.js", "/api/load", "/?t=wrong", "/?t=secre", "/?t=secrett", "/?t="])
def test_without_the_token_nothing_is_shown(server, path):
    status, _, body = server.ask(path, cookie=False)
    assert status == 403
    assert b"address that tfprof ui printed" in body


def test_a_wrong_cookie_is_refused(server):
    for cookie in (f"tfprof_{server.port}=wrong", f"tfprof_{server.port}=", f"xtfprof_{server.port}=secret"):
        assert server.ask("/", cookie=False, Cookie=cookie)[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:6117", "127.0.0.1.evil.example", "localhost@evil.example",
                                  "", "[::1", "localhost:80:80"])
def test_another_host_name_is_refused(server, host):
    assert server.ask("/", Host=host)[0] in (400, 403)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8888", "[::1]:6117"])
def test_names_of_this_machine_are_answered_at_any_port(server, host):
    assert server.ask("/", Host=host)[0] == 200


def test_other_sites_are_refused(server):
    assert server.ask("/api/load", Origin="http://evil.example")[0] == 403
    assert server.ask("/api/load", Origin="https://127.0.0.1")[0] == 403
    assert server.ask("/api/load", Origin="null")[0] == 403
    assert server.ask("/api/load", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors")[0] == 403
    assert server.ask("/api/load", Origin=f"http://127.0.0.1:{server.port}")[0] == 200


def test_a_link_of_another_site_works_with_the_token_only(server):
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    status, headers, body = server.ask("/?t=secret", cookie=False, **link)
    assert status == 200 and b"http-equiv=refresh" in body and "Set-Cookie" in headers
    assert server.ask("/", cookie=False, **link)[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_only_get_and_head(server, method):
    status, headers, _ = server.ask("/api/load", method=method)
    assert status == 405
    assert headers["Allow"] == "GET, HEAD"


def test_head_has_no_body(server):
    status, _, body = server.ask("/app.js", method="HEAD")
    assert (status, body) == (200, b"")


def test_a_body_is_refused(server):
    assert server.ask("/api/load", Content_Length="5")[0] == 413


def test_long_addresses_and_headers_are_refused(server):
    assert server.ask("/api/load?x=" + "y" * 9000)[0] == 414
    status, _, _ = server.ask("/api/load", X_Long="y" * 17000)
    assert status == 431


@pytest.mark.parametrize("path", ["/../etc/passwd", "/%2e%2e/etc/passwd", "/api", "/api/", "/api/rows/", "/app.css/x",
                                  "//etc/passwd", "/api/load%00"])
def test_other_paths_are_not_found(server, path):
    assert server.ask(path)[0] == 404


def test_every_answer_has_the_security_headers(server):
    for path in ("/", "/app.js", "/api/load", "/api/rows", "/nothing"):
        _, headers, _ = server.ask(path)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in headers


# ---- clients that behave badly -----------------------------------------------

def answers_within_a_second(server):
    start = time.monotonic()
    assert server.ask("/api/load")[0] == 200
    assert server.ask("/api/rows?view=op")[0] == 200
    assert time.monotonic() - start < 1


def test_others_are_answered_beside_stalled_and_dripping_clients(server):
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
    for s in clients:
        s.sendall(b"GET / HTTP/1.1\r\nX: ")
    for _ in range(5):
        for s in clients[100:]:
            s.sendall(b"y")
        answers_within_a_second(server)
    for s in clients:
        s.close()
    answers_within_a_second(server)


def test_a_client_that_goes_in_mid_query_costs_nothing(server):
    head = f"HTTP/1.1\r\nHost: localhost\r\nCookie: tfprof_{server.port}={server.token}\r\n\r\n".encode()
    for i in range(50):
        with socket.create_connection(("127.0.0.1", server.port)) as s:
            # Each is another query: none is kept yet.
            s.sendall(f"GET /api/tree?view=scope&hide_name_regexes=.*x{i}.*y{i} ".encode() + head)
    with socket.create_connection(("127.0.0.1", server.port)) as s:
        s.sendall(b"GET /api/export?view=scope&format=json " + head)  # and leaves while it is sent
        s.recv(100)
    answers_within_a_second(server)


SLOW = r"/api/rows?view=scope&show_name_regexes=.*\p{L}%2B\p{N}%2B$|"


@pytest.fixture
def slow_server(tmp_path):
    """SLOW and a number takes it half a minute."""
    graph = tmp_path / "graph.pb"
    graph.write_bytes(b"".join(wire.node("a" * 5000 + f"{i}!", "A") for i in range(6000)))
    server = Server(str(graph))
    server.wait_until_loaded()
    yield server
    assert server.stop() == 0


def test_slow_queries_do_not_hold_up_others(slow_server):
    """Three of them: the fourth worker answers others, equal ones wait, and each ends after 10 seconds."""
    server, answers = slow_server, []
    threads = [threading.Thread(target=lambda i=i: answers.append(server.ask(SLOW + str(i)))) for i in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    for _ in range(10):
        start = time.monotonic()
        assert server.ask("/api/rows?view=op")[0] == 200
        assert time.monotonic() - start < 3
    assert not answers
    for thread in threads:
        thread.join()
    assert [(status, b"longer than 10 seconds" in body) for status, _, body in answers] == 3 * [(503, True)]


def test_slow_queries_that_take_all_workers_hold_up_no_quick_one(slow_server):
    """More of them than workers, two of which are equal: what takes little is answered by another one."""
    server = slow_server
    head = f"HTTP/1.1\r\nHost: localhost\r\nCookie: tfprof_{server.port}={server.token}\r\n\r\n".encode()
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(8)]
    for i, client in enumerate(clients):
        client.sendall(f"GET {SLOW}{i // 2} ".encode() + head)
    time.sleep(0.5)
    start = time.monotonic()
    for path in ("/", "/api/load", "/api/rows?view=op", "/api/rows?view=op", "/api/profile"):
        assert server.ask(path)[0] == 200
    assert time.monotonic() - start < 6
    for client in clients:
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)  # is still worked on, not answered
        client.close()
    answers_within_a_second(server)  # nobody waits for the slow ones any more


def test_a_client_that_drips_is_dropped(server):
    closed_after = None
    with socket.create_connection(("127.0.0.1", server.port), timeout=1) as s:
        start = time.monotonic()
        s.sendall(b"GET / HTTP/1.1\r\nX: ")
        while time.monotonic() - start < 20:
            try:
                s.sendall(b"y")
                if s.recv(1) == b"":
                    raise ConnectionResetError
            except TimeoutError:
                continue
            except OSError:
                closed_after = time.monotonic() - start
                break
    assert closed_after and 8 < closed_after < 15


@pytest.mark.parametrize("n", [300, 700, 4000, 20000])
def test_a_request_with_too_many_parameters_is_refused_at_once(server, n):
    start = time.monotonic()
    answer = raw(server, b"GET /api/profile?" + b"&".join([b"a"] * n) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", wait=9)
    assert answer.startswith(b"HTTP/1.1 414 ") and time.monotonic() - start < 5
    assert server.ask("/api/load")[0] == 200


@pytest.mark.parametrize("data", [b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00",
                                  b"GET / HTTP/1.1\r\n: \r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                                  b"\0" * 100 + b"\r\n\r\n", b"GET /" + b"\xff" * 100 + b" HTTP/1.1\r\n\r\n",
                                  b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                                  b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n"])
def test_malformed_requests_are_refused(server, data):
    answer = raw(server, data, wait=1)
    assert not answer or re.match(rb"HTTP/1\.[01] [45]\d\d", answer)
    assert server.ask("/api/load")[0] == 200


# ---- answers -----------------------------------------------------------------

def test_assets_come_packed_or_plain(server):
    for path in ("/", "/app.js", "/app.css", "/icon.svg"):
        _, headers, packed = server.ask(path, Accept_Encoding="gzip")
        assert headers["Content-Encoding"] == "gzip"
        _, headers, plain = server.ask(path)
        assert "Content-Encoding" not in headers
        assert gzip.decompress(packed) == plain and plain


def test_large_answers_are_packed_if_the_client_can(server):
    path = "/api/rows?view=op&limit=500"
    _, headers, packed = server.ask(path, Accept_Encoding="gzip")
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == server.ask(path)[2]


def test_answers_for_this_instance_are_kept(server):
    instance = server.api("load")[1]["instance"]
    assert "immutable" in server.ask(f"/api/rows?view=op&v={instance}")[1]["Cache-Control"]
    assert server.ask("/api/rows?view=op&v=other")[1]["Cache-Control"] == "no-store"
    assert server.ask(f"/api/rows?view=nothing&v={instance}")[1]["Cache-Control"] == "no-store"


@pytest.mark.parametrize("query, status, text", [
    ("view=nothing", 400, "no such view"),
    ("view=op&limit=501", 400, "expected a number from 0 to 500"),
    ("view=op&limit=x", 400, "expected a number"),
    ("view=op&parent=99999", 400, "there are"),
    ("view=op&p=1", 400, "there are 1 profiles"),
    ("view=op&show_name_regexes=(", 400, "show_name_regexes"),
    ("view=op&step=77", 404, "77"),
    ("view=op&min_micros=x", 400, "min_micros"),
])
def test_wrong_parameters_are_named(server, query, status, text):
    answer = server.api("rows?" + query)
    assert answer[0] == status
    assert text in answer[1]["error"]["text"]


def test_no_request_writes_a_file(server, tmp_path):
    target = tmp_path / "written"
    assert server.api(f"rows?view=op&output=file:outfile={target}")[0] == 200
    assert not target.exists()


def test_a_profile_names_every_metric_that_rows_have(server):
    profile, options = server.api("profile")[1], server.api("options")[1]
    words = {w["word"] for o in options if o["name"] == "select" for w in o["words"]}
    minimums = {o["name"][len("min_"):] for o in options if o["name"].startswith("min_")} & words
    metrics = profile["metrics"]
    assert {m["word"] for m in metrics} == minimums
    assert {m["column"] for m in metrics} >= set(profile["root"]["total"]) - {"definition_count"} >= {"exec_micros", "parameters", "peak_bytes"}
    assert metrics[0] == {"word": "micros", "column": "exec_micros", "unit": "micros", "title": "time", "is_static": False}
    assert [m["word"] for m in metrics if m["is_static"]] == ["params", "float_ops"]


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_rows_have_the_numbers_of_the_command_line(server, view, tmp_path):
    out = tmp_path / "rows.json"
    subprocess.run([tree.program(), view, SAMPLE, "-max_depth=100000", "-select=micros,params,float_ops",
                    "-order_by=name", f"-output=json:outfile={out}"], check=True, stdout=subprocess.DEVNULL)
    expected = [(row["name"], row["exec_micros"], row["total_parameters"], row["total_float_ops"])
                for row in json.loads(out.read_text())["nodes"]]
    rows, offset = [], 0
    while True:
        page = server.api(f"rows?view={view}&order_by=name&flat=1&limit=500&offset={offset}")[1]
        if not offset:
            rows.append(page["root"])
        rows += page["rows"]
        offset += 500
        if offset >= page["total"]:
            break
    assert [(r["name"], r["own"].get("exec_micros", 0), r["total"].get("parameters", 0),
             r["total"].get("float_ops", 0)) for r in rows] == expected


def test_children_come_in_pages(server):
    whole = server.api("rows?view=scope&order_by=name&limit=500")[1]
    assert whole["total"] == len(whole["rows"]) == whole["root"]["kids"]
    pages = [server.api(f"rows?view=scope&order_by=name&limit=10&offset={o}")[1]["rows"]
             for o in range(0, whole["total"], 10)]
    assert sum(pages, []) == whole["rows"]
    child = next(r for r in whole["rows"] if r["kids"])
    below = server.api(f"rows?view=scope&order_by=name&parent={child['row']}")[1]
    assert below["root"]["name"] == child["name"]
    assert below["total"] == child["kids"]
    assert all(r["name"].startswith(child["name"] + "/") for r in below["rows"])


def test_the_overview_adds_up(server):
    status, profile = server.api("profile")
    assert status == 200
    assert [s["step"] for s in profile["steps"]] == [0, 1, 2]
    assert abs(sum(f["micros"] for f in profile["families"]) - profile["root"]["total"]["exec_micros"]) <= 50
    asked = json.loads(subprocess.run([tree.program(), "step", SAMPLE, "--output=json"], capture_output=True, check=True).stdout)
    assert profile["sentence"] == asked["headline"] and profile["wall"] == asked["wall_micros"]
    assert [s["wall"] for s in profile["steps"]] == [row["wall_micros"] for row in asked["nodes"] if row["depth"] == 1]


def test_advice_is_that_of_the_command_line(server, tmp_path):
    out = tmp_path / "advice.json"
    subprocess.run([tree.program(), "advise", SAMPLE, f"-output=json:outfile={out}"], check=True,
                   stdout=subprocess.DEVNULL)
    assert server.api("advice")[1] == json.loads(out.read_text())


def test_advice_takes_options_of_checkers(server, tmp_path):
    out = tmp_path / "advice.json"
    subprocess.run([tree.program(), "advise", SAMPLE, "--checker=all", "--checker=ExpensiveOperationChecker:top=1",
                    "--checker=StepOutlierChecker:min_steps=2", f"--output=json:outfile={out}"], check=True,
                   stdout=subprocess.DEVNULL)
    asked = "ExpensiveOperationChecker.top=1&StepOutlierChecker.min_steps=2"
    assert server.api(f"advice?{asked}")[1] == json.loads(out.read_text())
    assert server.api("advice")[1] != json.loads(out.read_text())
    line = server.api(f"command?view=advise&{asked}")[1]["command"]
    assert line.endswith(" --checker=all --checker=ExpensiveOperationChecker:top=1 --checker=StepOutlierChecker:min_steps=2")
    for wrong, text in [("Nobody.top=1", "Nobody"), ("JobChecker.x=1", "x"), ("JobChecker.top=a", "not a number"), (".=", "")]:
        for route in ("advice?", "command?view=advise&"):
            status, answer = server.api(route + wrong)
            assert status == 400 and text in answer["error"]["text"], wrong
    names = {c["name"]: c for c in server.api("checkers")[1]}
    assert [o["default"] for o in names["ExpensiveOperationChecker"]["options"] if o["name"] == "top"] == ["3"]


def test_an_option_is_checked(server):
    assert server.api("check?name=show_name_regexes&value=a.*,b")[1] == {"ok": True}
    assert server.api("check?name=min_micros&value=3ms")[1] == {"ok": True}
    wrong = server.api("check?name=show_name_regexes&value=a(")[1]
    assert not wrong["ok"] and "missing closing parenthesis at position 2" in wrong["text"]
    assert not server.api("check?name=nothing&value=1")[1]["ok"]
    assert not server.api("check")[1]["ok"]


def test_a_command_prints_what_a_query_answers(server):
    command = server.api("command?view=op&step=1&select=micros,bytes&show_name_regexes=Conv.*&max_depth=1000")[1]["command"]
    words = shlex.split(command)
    assert words[:3] == ["tfprof", "op", SAMPLE]
    report = subprocess.run([tree.program(), *words[1:], "-output=json"], capture_output=True, text=True, check=True).stdout
    rows = server.api("rows?view=op&step=1&show_name_regexes=Conv.*")[1]["rows"]
    assert len(rows) == 3
    assert [(r["name"], r["own"]["exec_micros"], r["own"]["requested_bytes"]) for r in rows] == \
        [(n["name"], n["exec_micros"], n["requested_bytes"]) for n in json.loads(report)["nodes"][1:]]
    assert server.api("command?view=nothing")[0] == 400
    assert server.api("command?view=scope&root=99999999")[0] == 400


def test_a_name_with_signs_is_quoted_for_regex_and_shell(tmp_path):
    graph = tmp_path / "it's a graph.pbtxt"
    graph.write_text("node { name: 'a(b)+[c]/w' op: 'NoOp' }\nnode { name: 'a_b/w' op: 'NoOp' }\n")
    server = Server(str(graph))
    server.wait_until_loaded()
    row = server.api("rows?view=scope")[1]["rows"][0]
    words = shlex.split(server.api(f"command?view=scope&root={row['row']}&select=op_types")[1]["command"])
    assert server.stop() == 0
    assert words[2] == str(graph)
    report = subprocess.run([tree.program(), *words[1:]], capture_output=True, text=True, check=True).stdout
    assert "a(b)+[c]/w" in report and "a_b" not in report


@pytest.mark.parametrize("query, file, kind", [
    ("view=op&format=csv&step=1", "tfprof.csv", "text/csv"), ("view=scope&format=json", "tfprof.json", "application/json"),
    ("view=op&format=text", "tfprof.txt", "text/plain"), ("view=code&format=pprof", "tfprof.pprof", "application/octet-stream"),
    ("view=graph&format=timeline&step=1", "tfprof-timeline.json", "application/json"),
])
def test_an_export_is_what_the_command_writes(server, query, file, kind, tmp_path):
    status, headers, body = server.ask("/api/export?max_depth=1000&" + query)
    assert status == 200
    assert headers["Content-Disposition"] == f'attachment; filename="{file}"'
    assert headers["Content-Type"].startswith(kind)
    values = dict(word.split("=") for word in query.split("&"))
    out = tmp_path / "out"
    output = "file" if values["format"] == "text" else values["format"]
    flags = [f"-step={values['step']}"] if "step" in values else []
    subprocess.run([tree.program(), values["view"], SAMPLE, "-max_depth=1000", *flags, f"-output={output}:outfile={out}"],
                   check=True, stdout=subprocess.DEVNULL)
    written = out.read_bytes() if out.exists() else (tmp_path / f"out_{values.get('step')}").read_bytes()
    if values["format"] == "json":  # it also names the output
        assert json.loads(body)["nodes"] == json.loads(written)["nodes"]
    else:
        assert body == (gzip.decompress(written) if written[:2] == b"\x1f\x8b" else written)


def test_an_export_starts_where_its_page_does(server):
    rows = server.api("rows?view=scope&fold_gradients=true&limit=500")[1]["rows"]
    row = next(r["row"] for r in rows if r["name"] == "unit_1_3")
    asked = "export?view=scope&fold_gradients=true&select=micros&format=json"
    for where in (f"root={row}", "scope=unit_1_3"):
        nodes = server.api(f"{asked}&{where}")[1]["nodes"]
        assert len(nodes) > 10
        assert all("unit_1_3" in n["name"] for n in nodes[1:])
    assert len(server.api(asked)[1]["nodes"]) > len(nodes)
    assert server.api(f"{asked}&root=99999999")[0] == 400


def test_an_export_names_what_is_wrong(server):
    assert "expected one of: text, json" in server.api("export?view=op&format=exe")[1]["error"]["text"]
    assert "timeline" in server.api("export?view=op&format=timeline")[1]["error"]["text"]


def test_find(server):
    found = server.api("find?find=conv2d&limit=2")[1]
    assert found["operations"]["total"] == 3 and len(found["operations"]["rows"]) == 2
    assert found["operations"]["rows"][0]["name"] == "Conv2DBackpropFilter"
    assert server.api("find?find=conv2D")[1]["operations"]["total"] == 0  # a capital: case matters
    assert found["layers"]["total"] > 50 and found["lines"]["total"] > 0
    assert server.api("find?find=(")[1]["error"]["status"] == "regex"
    assert server.api("find")[0] == 400
    marked = [r["name"] for r in server.api("rows?view=op&find=conv2d")[1]["rows"] if r.get("match")]
    assert sorted(marked) == ["Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput"]


# ---- starting, stopping, files -----------------------------------------------

def test_ctrl_c_ends_it_within_a_second():
    server = Server(SAMPLE)
    server.wait_until_loaded()
    start = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - start < 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_it_answers_ends_it(number):
    server = Server(SAMPLE)
    server.wait_until_loaded()
    ends = threading.Event()
    answers = []

    def ask(client):
        for i in range(100_000):
            try:
                answers.append(server.ask(f"/api/rows?view=scope&show_name_regexes=.*{client}.*{i}.*")[0])
            except (OSError, ValueError, http.client.HTTPException):  # while it starts
                break  # it is gone
        ends.set()

    clients = [threading.Thread(target=ask, args=[c], daemon=True) for c in range(6)]
    for client in clients:
        client.start()
    while len(answers) < 20:
        time.sleep(0.01)
    server.process.send_signal(number)
    assert server.process.wait(10) == 0
    assert ends.wait(10)
    assert set(answers) - {503} == {200}, "503: it was about to end"
    assert server.process.stderr.read() == ""


def test_files_whose_names_begin_with_a_dash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(SAMPLE, tmp_path / "-x")
    for words, n in ((["--", "-x"], 1), (["--", "-x", "--", "-x"], 2), (["./-x", "--", "-x"], 2)):
        server = Server(*words)
        assert [p["state"] for p in server.wait_until_loaded()] == ["ready"] * n
        assert server.stop() == 0


def test_a_taken_port_is_passed_over():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = subprocess.Popen([tree.program(), "ui", SAMPLE, f"--port={port}"], stdout=subprocess.PIPE, text=True)
        address = process.stdout.readline()
        process.terminate()
        process.wait(10)
    found = int(re.match(r"http://127\.0\.0\.1:(\d+)/\?t=[0-9a-f]{32}\n", address).group(1))
    assert port < found < port + 50


def test_over_ssh_it_says_what_to_type_at_home():
    server = Server(SAMPLE, env={"SSH_CONNECTION": "10.0.0.1 5000 10.0.0.2 22"})
    lines = server.process.stdout.readline() + server.process.stdout.readline()
    assert server.stop() == 0
    assert f"ssh -N -L {server.port}:127.0.0.1:{server.port} 10.0.0.2" in lines


def test_no_token_on_request():
    server = Server(SAMPLE, token="none")
    assert server.address == f"http://127.0.0.1:{server.port}/"
    assert server.ask("/", cookie=False)[0] == 200
    assert server.stop() == 0


def listen(host, *arguments, **settings):
    """A server on another address than 127.0.0.1, and its first line."""
    process = subprocess.Popen([tree.program(), "ui", SAMPLE, f"--host={host}", "--port=0", "--token=secret", *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **settings)
    address = process.stdout.readline().strip()
    return process, address, int(re.search(r":(\d+)/\?t=secret$", address).group(1))


def status_of(host, port, name):
    connection = http.client.HTTPConnection(host, port, timeout=30)
    connection.request("GET", "/", headers={"Host": name, "Cookie": f"tfprof_{port}=secret"})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("host, first", [("0.0.0.0", "http://127.0.0.1:"), ("::", "http://[::1]:")])
def test_every_address_of_this_machine_is_answered(host, first):
    process, address, port = listen(host)
    try:
        assert address.startswith(first)
        to = "127.0.0.2" if host == "0.0.0.0" else "::1"
        name = to if host == "0.0.0.0" else "[::1]"
        assert status_of(to, port, f"{name}:{port}") == 200
        assert status_of(to, port, "evil.example") == 403
        assert status_of(to, port, "127.0.0.3") == 403, "an address that the client did not come to"
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_browser_is_opened_without_showing_the_token(tmp_path, host):
    """xdg-open gets a file that only its user can read, and signals as programs expect them."""
    opener = tmp_path / "xdg-open"
    opener.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\" > opened.part\ngrep -E 'Sig(Blk|Ign)' /proc/self/status >> opened.part\n"
                      "mv opened.part opened\n")
    opener.chmod(0o755)
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    process, address, _ = listen(host, "--open", cwd=tmp_path, env={
        **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(runtime)})
    for _ in range(200):
        if (tmp_path / "opened").exists():
            break
        time.sleep(0.05)
    path, *signals = (tmp_path / "opened").read_text().splitlines()
    page = pathlib.Path(path)
    assert page.parent == runtime and page.stat().st_mode & 0o777 == 0o600
    assert f'url={address}"' in page.read_text() and "secret" not in path
    blocked, ignored = (int(line.split()[1], 16) for line in signals)
    assert blocked & (1 << 1 | 1 << 14) == 0 and ignored & 1 << 12 == 0
    assert pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text() == "", "no zombie is left"
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0
    assert list(runtime.iterdir()) == []


@pytest.mark.parametrize("changes, words, is_opened", [
    ({}, [], True), ({}, ["--open=false"], False), ({"DISPLAY": ""}, [], False), ({"DISPLAY": "", "WAYLAND_DISPLAY": "w"}, [], True),
    ({"SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"}, [], False), ({"SSH_TTY": "/dev/pts/1"}, [], False),
])
def test_the_browser_is_opened_on_a_desktop_with_a_terminal(tmp_path, changes, words, is_opened):
    opener = tmp_path / "xdg-open"
    opener.write_text(f"#!/bin/sh\n> {tmp_path}/opened\n")
    opener.chmod(0o755)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SSH_") and k != "WAYLAND_DISPLAY"}
    ours, theirs = pty.openpty()
    process = subprocess.Popen([tree.program(), "ui", SAMPLE, "--port=0", *words], stdin=theirs, stdout=theirs, env={
        **clean, "PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(tmp_path), "DISPLAY": ":0", **changes})
    os.close(theirs)
    text = b""
    while b"Ctrl-C" not in text:
        text += os.read(ours, 4096)
    for _ in range(40 if is_opened else 6):
        if (tmp_path / "opened").exists():
            break
        time.sleep(0.05)
    assert (tmp_path / "opened").exists() == is_opened
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0
    os.close(ours)


def test_a_replaced_file_is_loaded_again_at_the_same_address(tmp_path):
    path = tmp_path / "profile"
    shutil.copy(SAMPLE, path)
    server = Server(str(path))
    server.wait_until_loaded()
    first = server.api("load")[1]["instance"]
    assert server.api("reload")[1] == {"reloads": False}
    other = tmp_path / "other"
    shutil.copy(SAMPLE, other)
    other.replace(path)
    assert server.api("load")[1]["profiles"][0]["changed"] is True
    assert server.api("reload")[1] == {"reloads": True}
    for _ in range(100):
        try:
            if server.api("load")[1]["instance"] != first:
                break
        except (OSError, ValueError, http.client.HTTPException):  # while it starts
            pass
        time.sleep(0.05)
    assert server.wait_until_loaded()[0]["changed"] is False
    assert server.api("load")[1]["instance"] != first
    assert server.stop() == 0


@pytest.mark.parametrize("arguments, text", [
    ([], "no input"), ([SAMPLE, "--open=maybe"], "expected true or false"), ([SAMPLE, "--port=70000"], "expected a number from 0 to 65535"),
    ([SAMPLE, "--host=example"], "expected an address"), ([SAMPLE, "--frobnicate=1"], "unknown option --frobnicate"),
    ([SAMPLE, "--token=a b"], "letters"), ([SAMPLE, "--"], "no files after --"),
])
def test_wrong_command_lines(arguments, text):
    done = subprocess.run([tree.program(), "ui", *arguments], capture_output=True, text=True, timeout=20)
    assert done.returncode in (1, 2)
    assert text in done.stderr and done.stderr.count("\n") == 1


def test_a_file_that_cannot_be_read_is_said_in_the_page_and_the_terminal(tmp_path):
    server = Server(str(tmp_path / "missing"))
    state = server.wait_until_loaded()[0]
    assert state["state"] == "failed" and "missing" in state["error"]
    status, answer = server.api("rows?view=op")
    assert status >= 400 and "missing" in answer["error"]["text"]
    assert server.stop() == 0
    assert server.process.stderr.read() == (
        f"tfprof ui: cannot read: {tmp_path / 'missing'}: No such file or directory\n")


def test_a_changed_file_is_noticed(tmp_path):
    copy = tmp_path / "profile"
    shutil.copy(SAMPLE, copy)
    server = Server(str(copy))
    assert server.wait_until_loaded()[0]["changed"] is False
    os.utime(copy, (1, 1))
    assert server.wait_until_loaded()[0]["changed"] is True
    assert server.stop() == 0


def test_a_file_cut_short_does_not_end_the_server(tmp_path):
    copy = tmp_path / "profile"
    shutil.copy(SAMPLE, copy)
    server = Server(str(copy))
    server.wait_until_loaded()
    os.truncate(copy, 0)
    for view in ("graph", "code", "scope", "op"):
        assert server.api(f"rows?view={view}")[0] in (200, 400, 500)
    assert server.wait_until_loaded()[0]["changed"] is True
    assert server.stop() == 0


@pytest.mark.parametrize("files", [[SAMPLE, "--", SAMPLE], [SAMPLE, SAMPLE]])
def test_two_profiles(files):
    server = Server(*files)
    assert len(server.wait_until_loaded()) == 2
    assert server.api("rows?view=op&p=0")[1] == server.api("rows?view=op&p=1")[1]
    assert server.stop() == 0


def test_a_graph_and_its_runs_are_one_profile(tmp_path):
    (tmp_path / "graph").write_text("node { name: 'a' op: 'NoOp' }\n")
    for name, time_us in (("run_0", 3), ("run_1", 4)):
        (tmp_path / name).write_text("step_stats { dev_stats { device: '/cpu:0' node_stats { node_name: 'a' "
                                     f"all_start_micros: 1 op_end_rel_micros: {time_us} }} }} }}\n")
    server = Server(*(str(tmp_path / name) for name in ("graph", "run_0", "run_1")))
    assert [p["state"] for p in server.wait_until_loaded()] == ["ready"]
    assert [s["wall"] for s in server.api("profile")[1]["steps"]] == [3, 4]
    assert server.stop() == 0


def test_nodes_that_did_not_run_have_no_device(tmp_path):
    (tmp_path / "graph").write_text("node { name: 'a' op: 'Add' } node { name: 'b' op: 'Add' } node { name: 'c' op: 'Mul' }\n")
    (tmp_path / "run").write_text("step_stats { dev_stats { device: '/cpu:0' node_stats { node_name: 'a' "
                                  "all_start_micros: 1 op_end_rel_micros: 3 } } }\n")
    server = Server(str(tmp_path / "graph"), str(tmp_path / "run"))
    server.wait_until_loaded()
    rows = server.api("rows?view=op")[1]["rows"]
    assert {row["name"]: row.get("device") for row in rows} == {"Add": ["/cpu:0"], "Mul": None}
    assert server.stop() == 0


def test_equal_requests_side_by_side(server):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(server.api("rows?view=code&order_by=bytes&flat=1")[1]))
               for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 16 and all(a == answers[0] for a in answers)


def test_damaged_files_are_recovered_or_refused(tmp_path):
    with open(SAMPLE, "rb") as file:
        data = file.read()
    cut = tmp_path / "cut"
    cut.write_bytes(data[:300_000])
    server = Server(str(cut))
    (state,) = server.wait_until_loaded()
    server.stop()
    assert "(--recover loads the intact parts)" in state["error"]

    server = Server("--recover", str(cut))
    (state,) = server.wait_until_loaded()
    notes = server.api("profile")[1]["notes"]
    words = shlex.split(server.api("command?view=op")[1]["command"])
    server.stop()
    assert "recovered: dropped 415 of 300000 bytes" in notes
    done = subprocess.run([tree.program(), *words[1:]], capture_output=True, text=True, check=True)
    assert "recovered: dropped 415 of 300000 bytes" in done.stderr

    unknown = tmp_path / "unknown"
    unknown.write_bytes(data + b"\x9a\x06\x01x")  # field 99
    server = Server(str(unknown), "--strict")
    (state,) = server.wait_until_loaded()
    server.stop()
    assert "1 unknown field" in state["error"]

    done = subprocess.run([tree.program(), "ui", "--strict", "--recover", SAMPLE],
                          capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        2, "tfprof ui: --strict and --recover cannot be combined\n")


def test_damaged_models_are_recovered(tmp_path):
    with open(os.path.join(tree.TESTS, "models", "files", "mlp", "export", "saved_model.pb"), "rb") as file:
        data = file.read()
    (tmp_path / "cut.pb").write_bytes(data[:len(data) // 2])
    server = Server("--recover", str(tmp_path / "cut.pb"), str(tmp_path / "cut.pb"))
    server.wait_until_loaded()
    answers = [server.api("model"), server.api("diff?view=model&select=params")]
    server.stop()
    assert [status for status, _ in answers] == [200, 200], answers
    assert "recovered: dropped" in str(answers[0])
