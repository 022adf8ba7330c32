"""A trace of more operations than are added to the model at once."""

from collections import defaultdict

import make
import product

US = 1_000_000
N_STEPS, N_OPS = 4, 90_000  # three steps and one: a batch is of 2^18 operations, or more
STEP = 200 * N_OPS * 1000


def test_steps_of_a_large_trace(tmp_path):
    markers, lines, sums = [], ([], []), defaultdict(lambda: [0, 0])
    for step in range(N_STEPS):
        markers.append(("train", step * STEP, STEP - 1, {"step_num": 10 + step, "_r": 1}))
        for i in range(N_OPS):
            node = i % 7 if step % 2 else i % 5 + 1  # some are not in every step
            duration = 100_000 + i * 37 % 50_000
            lines[(node + step) % 2].append((f"n{node}:Add", step * STEP + i * 200_000, duration, {}))
            sums[10 + step, node][0] += duration
            sums[10 + step, node][1] += 1
    host = make.Plane("/host:CPU")
    host.add_line("python", markers)
    for number, line in enumerate(lines):
        host.add_line(f"tf_Compute/{number}", line)
    path = tmp_path / "large.xplane.pb"
    path.write_bytes(make.space(host))
    for step in range(10, 10 + N_STEPS):
        assert product.nodes(path, step, tmp_path) == {
            f"n{node}": ((ps + US // 2) // US, n)
            for (of, node), (ps, n) in sums.items() if of == step}


def test_hours(tmp_path):
    """More microseconds than 32 bits hold."""
    host = make.Plane("/host:CPU")
    hours = 2 * 3600 * US * US
    host.add_line("tf_Compute/0", [("a:Add", 0, hours, {}), ("b:Mul", 1000 * US, 7 * US, {})])
    path = tmp_path / "hours.xplane.pb"
    path.write_bytes(make.space(host))
    assert product.nodes(path, 0, tmp_path) == {"a": (7_200_000_000 - 7, 1), "b": (7, 1)}
    out = tmp_path / "timeline"
    assert product.run("graph", path, f"--output=timeline:outfile={out}", "--step=0").returncode == 0
    timeline = "".join(file.read_text() for file in tmp_path.glob("timeline*"))
    assert '"dur":7200000000' in timeline.replace(" ", "")
