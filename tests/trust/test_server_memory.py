"""What the server keeps of earlier requests is bounded by the memory it holds.

A result of few rows holds arrays as long as the graph, so that counting rows would
keep gigabytes: 100 such requests took 1.2 GB where the limit is 256 MB.
"""

from soak import Server, make_graph, resident_bytes, soak

N_NODES = 150_000
KEPT_MAX = 256 << 20  # docs/limits.md


def test_results_of_few_rows_are_charged_what_they_hold(tmp_path):
    graph = tmp_path / "graph.pb"
    make_graph(graph, N_NODES)
    server = Server(str(graph))
    server.wait_until_loaded()

    def ask(i):
        # Each request has another filter, so none is answered from what is kept.
        view = ("scope", "graph", "op")[i % 3]
        status, _, body = server.ask(f"/api/rows?view={view}&show_name_regexes=.*unit_{i}/.*&limit=20")
        assert status == 200, body

    for i in range(3):
        ask(i)
    before = resident_bytes(server.process.pid)
    for i in range(3, 130):
        ask(i)
    grown = resident_bytes(server.process.pid) - before
    assert server.stop() == 0
    # Freed memory does not all return to the system at once.
    assert grown < 1.5 * KEPT_MAX, f"grew by {grown >> 20} MB"


def test_random_requests():
    """`tools/validate soak` asks 20,000."""
    resident, statuses = soak(600)
    assert statuses[200] > 300
    assert resident[-1] - resident[0] < 1.5 * KEPT_MAX
