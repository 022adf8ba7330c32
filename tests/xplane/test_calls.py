"""Programs that JAX compiled and did not wait for: they belong to the step of their call."""

import make
import product
import pytest

US = 1_000_000

# What JAX 0.10 names calls and modules of functions with such names.
JAX = [
    ("plain", "jit_plain"),
    ("jit(plain)", "jit_plain"),  # of jax.jit(plain).lower(…).compile()
    ("<lambda>", "jit__lambda"),
    ("jit(<lambda>)", "jit__lambda"),
    ("<unnamed function>", "jit__unnamed_function"),
    ("__dunder__", "jit___dunder"),
    ("trail_", "jit_trail"),
    ("a.b", "jit_a.b"),
    ("f(x)", "jit_f_x"),
    ("jit(f(x))", "jit_f_x"),
    ("été", "jit___t__"),
    ("", "jit"),
]


@pytest.mark.parametrize("function, module", JAX)
def test_run_belongs_to_the_step_of_its_call(function, module, tmp_path):
    python, worker = [], []
    for step in range(3):
        at = step * 20 * US
        python.append(("train", at, 15 * US, {"_r": 1, "step_num": step}))
        python += [(f"PjitFunction({function})", at + inner, 9 * US - inner, {}) for inner in (1, 2)]
        worker.append(("dot", (100 + 20 * step) * US, (5 + step) * US,
                       {"hlo_op": "dot", "hlo_module": module, "program_id": 6, "run_id": step - 9}))
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.host(python, worker))
    for step in range(3):
        assert product.nodes(path, step, tmp_path) == {f"{module}/dot": (5 + step, 1)}
