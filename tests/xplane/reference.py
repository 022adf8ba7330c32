"""A slow and simple version of the rules by which tfprof reads a trace: operations, their
times and their steps. It judges src/load/xplane*.c on random traces, where nothing else
says which step an operation belongs to.

    python reference.py FILE    # prints a JSON list of {node, op, step, count, total_ps, self_ps, …}
"""

import json
import re
import sys
from collections import Counter, defaultdict

import xspace
from own_time import own_times

NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_./>-]*")
TYPE = re.compile(r"[A-Z_][A-Za-z0-9_]*")
JAX_TYPE = re.compile(r"([a-z_][a-z0-9_]*)(\[.*\])?", re.S)
MASK = (1 << 64) - 1


# ---- HLO ------------------------------------------------------------------------------


class Instruction:
    def __init__(self, data):
        self.name = self.opcode = self.op_name = self.op_type = ""
        for n, v in xspace.fields(data):
            if n == 1:
                self.name = xspace.text(v)
            elif n == 2:
                self.opcode = xspace.text(v)
            elif n == 7:
                for k, w in xspace.fields(v):
                    if k == 1:
                        self.op_type = xspace.text(w)
                    elif k == 2:
                        self.op_name = xspace.text(w)


class Module:
    def __init__(self, data):
        self.name, self.instructions = "", {}
        for n, v in xspace.fields(data):
            if n != 1:
                continue
            for k, w in xspace.fields(v):
                if k == 1:
                    self.name = xspace.text(w)
                elif k == 3:
                    for j, i in xspace.fields(w):
                        if j == 2:
                            i = Instruction(i)
                            self.instructions.setdefault(i.name, i)


def modules(space):
    found = {}
    for plane in space.planes:
        if plane.name != "/host:metadata":
            continue
        for key, meta in plane.metas.items():
            proto = meta.stats.get("Hlo Proto", meta.stats.get("HLO Proto"))
            if proto is None:
                continue
            program = meta.stats.get("program_id")
            if program is None:
                m = re.search(r"\((\d+)\)$", meta.name)
                program = int(m.group(1)) if m else key
            found.setdefault(program & MASK, Module(proto))
    return found


def framework_type(op_name, op_type):
    """The type of an operation named by a compiler: as given, or from the path."""
    if not op_type:
        last = op_name.rsplit("/", 1)[-1]
        return re.sub(r"_\d+$", "", last)
    m = JAX_TYPE.fullmatch(op_type)
    return m.group(1) if m else op_type


def operation(text):
    """(name, type) of `name:type`, or None."""
    name, colon, type_ = text.partition(":")
    if not colon or text.startswith("Iterator:"):
        return None
    if NAME.fullmatch(name) and TYPE.fullmatch(type_):
        return name, type_
    if not type_ or JAX_TYPE.fullmatch(type_):
        return name, framework_type(name, type_)
    return None


# ---- operations -----------------------------------------------------------------------


class Op:
    def __init__(self, event, node, type_, total=None, kind="", module=None, run=None):
        self.event, self.node, self.type, self.kind = event, node, type_, kind
        self.start = event.start
        self.end = event.end  # of the time that its thread is with it
        self.total = event.duration if total is None else total
        self.nested = 0
        self.module, self.run, self.step = module, run, None
        self.is_async = False


def stat_int(event, name):
    v = event.stats.get(name)
    return v & MASK if isinstance(v, int) else None


def flow(event, kind):
    """(type, id) of what an event produces or consumes."""
    i = stat_int(event, "_" + kind)
    return None if i is None else ((stat_int(event, f"_{kind}t") or 0), i)


def host_ops(space):
    found, programs = [], modules(space)
    events = [e for p in host_planes(space) for line in p.lines for e in line.events]
    starts, ends = {}, {}
    for e in events:
        if e.name == "ExecutorState::ProcessAsync::Start" and flow(e, "p"):
            starts.setdefault(flow(e, "p"), e)
        elif e.name == "ExecutorState::ProcessAsync::Done" and flow(e, "c"):
            ends.setdefault(flow(e, "c"), e)
    names = {e.name for e in events}
    for e in events:
        named = operation(e.name)
        if "hlo_op" in e.stats and not e.name.startswith("end: "):
            found.append(hlo_op(e, programs))
        elif named:
            found.append(Op(e, *named))
        elif e.name == "EagerExecute" and stat_int(e, "is_func") == 0:
            found.append(Op(e, e.stats["eager_op"], e.stats["eager_op"], kind="eager"))
        elif (e.name == "ExecutorState::ProcessAsync::Start" and flow(e, "p") in ends
              and f"{e.stats['name']}:{e.stats['kernel_type']}" not in names):
            total, is_async = completed(e, ends)
            found.append(Op(e, e.stats["name"], e.stats["kernel_type"], total, "async"))
            found[-1].is_async = is_async
            done = ends[flow(e, "p")]
            if done.line is e.line and done.start < e.end:
                found[-1].end = done.start
                found[-1].total = done.start - e.start
    nest(found)
    own_times([line for p in host_planes(space) for line in p.lines], found)
    return found


def completed(e, ends):
    """The time of an event up to its completion, where that comes after its end."""
    done = ends.get(flow(e, "p")) if flow(e, "p") else None
    if done and done.start > e.end:
        return done.start - e.start, True
    return e.duration, False


def hlo_op(e, programs):
    name, module = e.stats["hlo_op"], e.stats.get("hlo_module", "")
    program = programs.get(stat_int(e, "program_id"))
    i = program.instructions.get(name) if program else None
    node, op = f"{module}/{name}", "hlo"
    if i:
        node = f"{i.op_name or program.name or module}/{name}"
        op = framework_type(i.op_name, i.op_type) if i.op_name else i.opcode
    return Op(e, node, op, None, "hlo", module, stat_int(e, "run_id"))


def nest(ops):
    """Takes the time of operations directly within another off it, line by line."""
    lines = defaultdict(list)
    for op in ops:
        lines[id(op.event.line)].append(op)
    for line in lines.values():
        line.sort(key=lambda op: (op.event.start, -op.event.duration))
        stack = []
        for op in line:
            while stack and stack[-1].end < op.end:
                stack.pop()
            if stack and op.start < stack[-1].end or stack and op.end == op.start:
                stack[-1].nested += op.end - op.start
            stack.append(op)


# ---- steps ----------------------------------------------------------------------------


def host_planes(space):
    return [p for p in space.planes if p.name.startswith("/host:CPU")]


def link(space):
    events, producers, consumers, executors, get_next = [], defaultdict(list), defaultdict(list), {}, []
    for plane in host_planes(space):
        for line in plane.lines:
            line.events.sort(key=lambda e: (e.start, -e.duration))
            stack = []
            for e in line.events:
                events.append(e)
                while stack and stack[-1].end < e.end:
                    stack.pop()
                if not e.stats.get("_a"):
                    if stack:
                        stack[-1].children.append(e)
                        e.parent = stack[-1]
                    stack.append(e)
                if flow(e, "p"):
                    producers[flow(e, "p")].append(e)
                if flow(e, "c"):
                    consumers[flow(e, "c")].append(e)
                key = (stat_int(e, "id"), stat_int(e, "iter_num"))
                if e.name == "ExecutorState::Process" and None not in key:
                    executors.setdefault(key, []).append(e)
                if e.name in ("IteratorGetNextOp::DoCompute", "IteratorGetNextAsOptionalOp::DoCompute"):
                    get_next.append((key, e))
    for key, list_ in producers.items():
        for p in list_:
            p.children += [c for c in consumers.get(key, ()) if c is not p]
    for key, e in get_next:
        for p in executors.get(key, ()):
            p.children.append(e)
    return events


def is_root(e):
    return "_r" in e.stats or e.name == "TraceContext"


def groups(events):
    """XProf's groups, as lists of (root, members)."""
    roots = sorted((e for e in events if is_root(e)), key=lambda e: (-(stat_int(e, "_r") or 0), e.start))
    found = []
    for root in roots:
        if root.group is not None:
            continue
        group, waiting = {"root": root, "markers": []}, [root]
        root.group = group
        while waiting:
            e = waiting.pop()
            if "step_num" in e.stats:
                group["markers"].append(e)
            for child in e.children:
                if child.group is None:
                    child.group = group
                    waiting.append(child)
        found.append(group)
    return found


def number(space, ops):
    events = link(space)
    found = groups(events)
    markers = sorted((e for e in events if "step_num" in e.stats), key=lambda e: e.start)
    if not markers:
        markers = sorted((e for e in events if e.group and e.group["root"] is e and e.name != "FunctionRun"),
                         key=lambda e: e.start)
        for i, e in enumerate(markers):
            e.stats["step_num"] = i
            e.group["markers"].append(e)
    captured = {stat_int(e, "id") for e in events if e.name.startswith("InstantiatedCapturedFunction::")}
    runs = sorted((e for e in events if e.name == "FunctionRun" and e.group and e.group["root"] is e
                   and stat_int(e, "id") not in captured), key=lambda e: e.start)
    if not markers and not runs:
        for op in ops:
            op.step = 0
        return
    for g in found:
        g["step"] = None
        if g["markers"]:
            g["step"] = min(g["markers"], key=lambda e: e.start).stats["step_num"]
        elif markers:
            around = at_time(markers, g["root"].start)
            g["step"] = around.stats["step_num"] if around else None
    if not markers:
        for i, e in enumerate(runs):
            e.group["step"] = i
    by_run = match_runs(events, ops)
    regions = region_groups(space)
    for op in ops:
        group = op.event.group
        if group is None or group["step"] is None:
            group = by_run.get((op.module, op.run)) if op.kind == "hlo" else None
        if group is None or group["step"] is None:
            group = regions.get(id(op.event))
        if group is not None and group["step"] is not None:
            op.step = group["step"]
        elif markers:
            marker = at_time(markers, op.start)
            op.step = marker.stats["step_num"] if marker else None
        elif at_time(runs, op.start):
            op.step = at_time(runs, op.start).group["step"]
        elif op.kind == "hlo":
            before = [e for e in runs if e.start <= op.start]
            op.step = before[-1].group["step"] if before else None


def at_time(markers, time):
    holding = [e for e in markers if e.start <= time < e.end]
    return holding[-1] if holding else None


def module_key(name):
    """A name of a module and of the function it was compiled from, made equal."""
    return re.sub(rb"[^A-Za-z0-9]", b"_", name.encode()).rstrip(b"_")


def match_runs(events, ops):
    """(module, run_id) → group of the call that launched it, counted from the last."""
    calls, first = defaultdict(list), {}
    for e in events:
        m = (re.fullmatch(r"PjitFunction\(jit\((.*)\)\)", e.name, re.S)
             or re.fullmatch(r"PjitFunction\((.*)\)", e.name, re.S))
        if m:
            up = e.parent
            while up and up.name != e.name:
                up = up.parent
            if not up:
                calls[module_key("jit_" + m.group(1))].append(e)
    for op in ops:
        if op.kind == "hlo" and op.run is not None:
            key = (op.module, op.run)
            first[key] = min(first.get(key, op.start), op.start)
    matched, per_module = {}, defaultdict(list)
    for key, start in first.items():
        per_module[key[0]].append((start, key))
    for module, runs in per_module.items():
        called = sorted(calls.get(module_key(module), ()), key=lambda e: e.start)
        for (_, key), call in zip(sorted(runs, reverse=True), reversed(called)):
            matched[key] = call.group
    return matched


def region_groups(space):
    """The group of the region of a thread pool that each event lies in."""
    found = {}
    for plane in host_planes(space):
        for line in plane.lines:
            group = None
            for e in line.events:
                if e.name == "ThreadpoolListener::StartRegion":
                    group = e.group
                elif e.name == "ThreadpoolListener::StopRegion":
                    group = None
                elif group is not None:
                    found[id(e)] = group
    return found


# ---- result ---------------------------------------------------------------------------


def read(data):
    space = xspace.Space(data)
    ops = host_ops(space)
    number(space, ops)
    sums, types = {}, {}
    for op in ops:
        row = sums.setdefault((op.node, op.step), [0] * 7)
        types.setdefault(op.node, op.type)
        row[0] += 1
        row[1] += op.total
        row[2] += op.total - op.nested if op.kind == "async" else op.own
        row[3] += op.is_async
        row[4] += op.total - op.nested
        row[5] += op.total - op.nested if op.kind == "async" else op.busy
        row[6] += 0 if op.kind == "async" else op.waiting
    return [
        {"node": n, "op": types[n], "step": s, "count": c, "total_ps": t, "self_ps": p, "async": a, "event_ps": e,
         "busy_ps": b, "waiting_ps": w}
        for (n, s), (c, t, p, a, e, b, w) in sorted(sums.items(), key=lambda i: (i[0][0], i[0][1] is None, i[0][1]))
    ]


if __name__ == "__main__":
    json.dump(read(open(sys.argv[1], "rb").read()), sys.stdout, indent=1)
