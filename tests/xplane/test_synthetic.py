"""Made-up recordings in the shape of real ones: what is planted is found, and nothing else."""

import json

import product
import pytest
from make_synthetic import BF16, DOT, GEMM, S8, Gpus, Program, piece, number

J = "jit(train_step)/jit(main)/"
SIZE = [4096, 4096]
US = 1_000_000


def ask(question, path, *more):
    result = product.run(question, path, *more, "--output=json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def rows(question, path, *more):
    return {row["name"]: row for row in ask(question, path, *more)["nodes"][1:]}


# ---- TransformerEngine on one of eight AMD GPUs ----------------------------------------

# (instruction, kernel, us, idle before it) of one run
ATTENTION = "te_fused_attn_backward_ffi.12"
KERNELS = [("loop_transpose_fusion.3", "loop_transpose_fusion_3.kd", 40, 0),
           ("custom-call.1", "Cijk_Ailk_Bljk_BBS_BH_MT256x224x64_MI16x16x1_SN.kd", 200, 0),
           (ATTENTION, "__amd_rocclr_fillBufferAligned.kd", 5, 0),
           (ATTENTION, "_ZN7ck_tile6kentryILi256ELi2ENS_4BwdAEEEvT1_.kd", 300, 1),
           (ATTENTION, "_ZN7ck_tile6kentryILi256ELi2ENS_4BwdBEEEvT1_.kd", 800, 2),
           (ATTENTION, "__amd_rocclr_fillBufferAligned.kd", 5, 0),
           (ATTENTION, "_ZN7ck_tile6kentryILi256ELi2ENS_4BwdCEEEvT1_.kd", 100, 0),
           ("gemm_fusion_dot.6", "gemm_fusion_dot_6.kd", 220, 3),
           ("loop_convert_fusion", "loop_convert_fusion.kd", 60, 0),
           ("input_reduce_fusion.2", "input_reduce_fusion_2.kd", 50, 0)]
RUNS, RUN_US, GAP_US = 5, 1786, 6


def train_step():
    p = Program("jit_train_step", 3)
    entry = [p.op("x", "parameter", SIZE, op_name="x", more=number(9, 0)),
             p.op("kernel", "parameter", SIZE, op_name="kernel", more=number(9, 1)),
             p.fusion("loop_transpose_fusion.3", SIZE, [("kernel", SIZE, BF16)], [
                 (("transpose.9", "transpose", SIZE, ["loop_transpose_fusion.3.p0"]), {"more": number(14, 1) + number(14, 0)})]),
             p.op("custom-call.1", "custom-call", ((SIZE, BF16), ([33554432], S8)), ["x", "loop_transpose_fusion.3"],
                  J + "dot_general", 11, GEMM),
             p.op("get-tuple-element.1", "get-tuple-element", SIZE, ["custom-call.1"], more=number(13, 0)),
             p.op(ATTENTION, "custom-call", ((SIZE, BF16), ([1024], S8)), ["get-tuple-element.1"],
                  J + "te_fused_attn_backward_ffi", 12, piece(28, "te_fused_attn_backward_ffi")),
             p.op("get-tuple-element.2", "get-tuple-element", SIZE, [ATTENTION], more=number(13, 0)),
             p.fusion("gemm_fusion_dot.6", SIZE, [("get-tuple-element.2", SIZE, BF16), ("kernel", SIZE, BF16)], [
                 (("dot.6", "dot", SIZE, ["gemm_fusion_dot.6.p0", "gemm_fusion_dot.6.p1"], J + "dot_general", 13), {"more": DOT}),
                 (("transpose.6", "transpose", SIZE, ["dot.6"], J + "transpose", 13), {"more": number(14, 1) + number(14, 0)})],
                 J + "transpose", 13),
             p.fusion("loop_convert_fusion", SIZE, [("gemm_fusion_dot.6", SIZE, BF16)], [
                 (("mul.1", "multiply", SIZE, ["loop_convert_fusion.p0", "loop_convert_fusion.p0"], J + "mul", 14), {}),
                 (("convert.1", "convert", SIZE, ["mul.1"]), {})]),
             p.fusion("input_reduce_fusion.2", SIZE[:1], [("loop_convert_fusion", SIZE, BF16)], [
                 (("constant.1", "constant", []), {}),
                 (("reduce.1", "reduce", SIZE[:1], ["input_reduce_fusion.2.p0", "constant.1"], J + "reduce_sum", 15),
                  {"more": number(14, 1)}),
                 (("convert.2", "convert", SIZE[:1], ["reduce.1"], J + "convert_element_type", 15), {})],
                 J + "convert_element_type", 15)]
    return p, p.block(*entry)


@pytest.fixture(name="amd", scope="module")
def _amd(tmp_path_factory):
    program, entry = train_step()
    gpus = Gpus("amd", 8)
    for run in range(RUNS):
        at, launched = 1000 + 3000 * run, 60 + 3000 * run
        gpus.on_host("python", "GpuExecutable::ExecuteThunks", (at - 950) * US, 60 * US, {"module_name": program.name})
        for op, name, us, gap in KERNELS:
            at += gap
            gpus.run(0, "16", name, at, us, launched, op, program,
                     kernel_details=" grid:16,18,1 block:256,1,1 private_mem:0 group_mem:0 occ_pct:0")
            at, launched = at + us, launched + 4
    gpus.run(0, "17", "__amd_rocclr_copyBuffer.kd", 500, 10, 480, call="hipMemcpyHtoDAsync",
             kernel_details=" grid:1,1,1 block:512,1,1")
    gpus.allocate("python", 10, 0, 10**9, 5 * 10**9, 250 * 10**9)
    gpus.allocate("python", 2000, 0, 4 * 10**9, 5 * 10**9, 250 * 10**9)
    path = tmp_path_factory.mktemp("amd") / "vm.xplane.pb"
    path.write_bytes(gpus.bytes((program, entry)))
    return path


def test_amd_operations(amd):
    """Type, kind, executions, kernels, float operations."""
    found = {row["name"].split("/")[-1]: row for row in ask(
        "scope", amd, "--select=micros,occurrence,kind,float_ops,matrix_float_ops,op_types", "--max_depth=99")["nodes"]}
    flops = RUNS * 2 * 4096**3
    assert found["loop_convert_fusion"]["float_ops"] == RUNS * 2 * 4096**2  # a product and a conversion of each
    assert {name: (found[name]["exec_micros"], found[name]["run_count"], found[name]["kind"],
                   found[name]["matrix_float_ops"])
            for name in {op for op, *_ in KERNELS}} == {
        "loop_transpose_fusion.3": (200, 5, "data movement", 0), "custom-call.1": (1000, 5, "matmul", flops),
        ATTENTION: (6050, 5, "custom call", 0), "gemm_fusion_dot.6": (1100, 5, "matmul", flops),
        "loop_convert_fusion": (300, 5, "element-wise", 0), "input_reduce_fusion.2": (250, 5, "reduction", 0)}
    types = {row["name"]: (row["exec_micros"], row["kernel_count"], row["launch_micros"])
             for row in ask("op", amd)["nodes"][1:] if row["exec_micros"]}
    assert types == {"te_fused_attn_backward_ffi": (6050, 25, 50), "dot_general": (2100, 10, 20), "mul": (300, 5, 10),
                     "reduce_sum": (250, 5, 10), "transpose": (200, 5, 10), "MemcpyH2D": (10, 1, 2)}


def test_amd_lines(amd):
    """The transposition that the compiler added serves the product of line 11."""
    found = {row["name"].split(":")[1]: row["exec_micros"] for row in ask("code", amd)["nodes"]
             if row["name"].startswith("f.py")}
    assert found == {"11": 1200, "12": 6050, "13": 1100, "14": 300, "15": 250}


def test_amd_device(amd):
    row = rows("devices", amd)
    assert list(row) == ["gpu:0"]
    row = row["gpu:0"]
    busy, span = RUNS * (RUN_US - GAP_US) + 10, 500 + 4 * 3000 + RUN_US
    assert {name: row[name] for name in row if name in (
        "product", "lanes", "runs", "executions", "busy_micros", "span_micros", "idle_micros", "kernel_busy_micros",
        "host_late_micros", "dependency_micros", "bound", "peak_bytes", "lifetime_peak_bytes", "capacity_bytes",
        "peak_flops", "peak_bandwidth")} == {
        "product": "AMD MI350 series (gfx950)", "lanes": 2, "runs": 5, "executions": 31, "busy_micros": busy,
        "span_micros": span, "idle_micros": span - busy, "kernel_busy_micros": busy - 10,
        "host_late_micros": 4 * (1000 + 3000 - (1000 + RUN_US)), "dependency_micros": 490 + RUNS * GAP_US,
        "bound": "device-bound", "peak_bytes": 4 * 10**9, "lifetime_peak_bytes": 5 * 10**9,
        "capacity_bytes": 250 * 10**9, "peak_flops": None, "peak_bandwidth": 2 * 4096000000000}
    assert rows("devices", amd, "--peak_flops=sheet")["gpu:0"]["peak_flops"] == pytest.approx(256 * 2.4e9 * 4096)


def test_amd_steps(amd):
    step = ask("step", amd)
    assert step["steps_by"] == "runs of jit_train_step"
    assert [row["wall_micros"] for row in step["nodes"] if row["depth"] == 1] == [RUN_US] * RUNS


def test_amd_unknown_float_operations_are_stated(amd):
    assert ask("roofline", amd)["unknown_share"] == pytest.approx(6050 / 8900)
    assert "68.0% of the time of operations has unknown float operations" in product.run("roofline", amd).stderr
