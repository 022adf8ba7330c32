#!/usr/bin/env python3
"""Random requests to a server for a long time: its memory stays what docs/limits.md says.

    tests/trust/soak.py [N_REQUESTS] [SEED] [N_NODES]

The profile is the sample, or a graph of so many nodes. Prints the server's resident memory after each tenth. It fails if that is more than 1.5 times what it was
after the first tenth, or if a request is answered otherwise than with an answer or a reason.
"""

import collections
import pathlib
import random
import sys
import tempfile
import urllib.parse

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "server")]
import tree  # noqa: E402
from serving import SAMPLE, Server  # noqa: E402
from wire import node  # noqa: E402

TRACE = tree.TOP + "/examples/traces/keras_fit.xplane.pb.gz"
VIEWS = ("scope", "graph", "op", "code")
METRICS = ("micros", "bytes", "params", "float_ops", "occurrence", "peak_bytes")
QUESTIONS = ("step", "devices", "memory", "events", "layers", "advise", "overview", "table", "roofline", "transfers")


def choose_part(r):
    """Of a timeline."""
    start = r.randrange(2_000_000)
    return {"p": r.choice((0, 1)), "step": r.choice((-1, 0, 1, 7)), "from": start, "until": start + r.randrange(1_000_000),
            "lane": r.randrange(4), "sel": r.choice(("", "op:Conv2D", "op:MatMul", f"node:{r.randrange(3000)}"))}


def choose_request(r):
    view = {"view": r.choice(VIEWS), "order_by": r.choice(METRICS), "p": r.choice((0, 0, 0, 1)),
            "step": r.choice((-1, -1, 0, 1, 7)), "min_micros": r.randrange(5000)}
    for name in r.sample(("show_name_regexes", "hide_name_regexes", "start_name_regexes", "trim_name_regexes"),
                         r.randrange(3)):
        view[name] = f".*{r.choice(('unit', 'Conv', 'grad', 'a', '_1', '('))}.*{r.randrange(50)}.*"
    kind, query = r.choice((
        ("rows", {**view, "limit": r.randrange(1, 300)}), ("tree", view), ("rows", {**view, "find": "conv"}),
        ("lines", view), ("graph", view), ("options", {}), ("model", {}), ("check", {"name": "step", "value": "x"}),
        (r.choice(("lanes", "slices", "flows", "sums", "busy", "holders")), choose_part(r)),
        (r.choice(("lanes", "slices", "flows", "sums", "busy", "holders")), choose_part(r)),
        ("export", {**view, "format": r.choice(("json", "csv", "pprof", "timeline", "exe"))}),
        ("ask", {"question": r.choice(QUESTIONS), "p": view["p"]}), ("find", {"find": f"unit_{r.randrange(9)}"}),
        ("diff", {"view": view["view"], "select": r.choice(METRICS)}), ("advice", {"p": view["p"]}),
        ("selection", {"sel": "op:Conv2D", **view}), ("callers", {"sel": "op:Conv2D"}), ("memory", {}),
        ("node", {"id": r.randrange(3000)}), ("nothing", {}), ("profile", {"p": view["p"]}), ("next", {"at": r.randrange(9)}),
    ))
    return f"/api/{kind}?{urllib.parse.urlencode(query)}"


def resident_bytes(process):
    """Of a server, which is the process itself or its only child."""
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        children = file.read().split()
    with open(f"/proc/{children[0] if children else process}/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("VmRSS"))
    return int(line.split()[1]) << 10


def make_graph(path, n_nodes):
    path.write_bytes(b"".join(node(f"tower_{i % 7}/unit_{i % 1000}/op_{i}", "Relu") for i in range(n_nodes)))


def soak(n_requests, seed=1, profile=SAMPLE):
    """Resident bytes after each tenth of the requests, and how many had each status."""
    r, statuses, resident = random.Random(seed), collections.Counter(), []
    server = Server(profile, "--", TRACE)
    server.wait_until_loaded()
    for i in range(1, n_requests + 1):
        status, _, body = server.ask(choose_request(r))
        statuses[status] += 1
        assert status < 500 and body, f"request {i}: {status} {body[:200]}"
        if i % (n_requests // 10) == 0:
            resident.append(resident_bytes(server.process.pid))
    assert server.stop() == 0
    return resident, statuses


def main():
    n_requests, seed, n_nodes = [*map(int, sys.argv[1:]), *(20_000, 1, 0)[len(sys.argv) - 1:]]
    with tempfile.TemporaryDirectory() as folder:
        graph = pathlib.Path(folder, "graph.pb")
        make_graph(graph, n_nodes)
        resident, statuses = soak(n_requests, seed, str(graph) if n_nodes else SAMPLE)
    print("resident MB after each tenth:", ", ".join(str(n >> 20) for n in resident))
    print("answers:", ", ".join(f"{n} of status {status}" for status, n in sorted(statuses.items())))
    if resident[-1] > 1.5 * resident[0]:
        sys.exit("soak: the memory grew")


if __name__ == "__main__":
    main()
