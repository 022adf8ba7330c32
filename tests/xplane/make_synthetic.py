"""Recordings of accelerators that are made up, in the shape of real ones: launches carry the operation of their
kernels, copies of AMD are kernels, planes of devices that were not used have no lines. What is in them is planted."""

import json

import make
from make import number, piece

US = 1_000_000
BF16, F32, S8 = 16, 11, 2


def shape(dims, type_=BF16):
    if isinstance(dims, tuple):  # of a tuple: (dims, type) of each element
        return number(2, 13) + b"".join(piece(4, shape(*one)) for one in dims)
    return number(2, type_) + b"".join(number(3, n) for n in dims) + piece(
        5, b"".join(number(1, i) for i in reversed(range(len(dims)))))


class Program:
    """A compiled program. Line n of f.py made an instruction of line n."""

    def __init__(self, name, id_):
        self.name, self.id, self.ids, self.blocks, self.lines = name, id_, {}, [], []
        self.next_id = 1

    def frame(self, line):
        if not line:
            return 0
        if line not in self.lines:
            self.lines.append(line)
        return self.lines.index(line) + 1

    def op(self, name, opcode, dims, operands=(), op_name="", line=0, more=b"", type_=BF16):
        self.ids[name] = self.next_id
        self.next_id += 1
        metadata = (piece(2, op_name) if op_name else b"") + (number(15, self.frame(line)) if line else b"")
        return piece(2, piece(1, name) + piece(2, opcode) + piece(3, shape(dims, type_))
                     + (piece(7, metadata) if metadata else b"") + number(35, self.ids[name])
                     + b"".join(number(36, self.ids[one]) for one in operands) + more)

    def block(self, *ops):
        """A computation; its number."""
        self.blocks.append(number(5, len(self.blocks) + 1) + piece(1, f"block{len(self.blocks)}") + b"".join(ops)
                           + number(6, self.next_id - 1))
        return len(self.blocks)

    def fusion(self, name, dims, operands, inside, op_name="", line=0, type_=BF16):
        """`inside`: arguments of op(), but for parameters, which have the names of the operands."""
        made = [self.op(f"{name}.p{i}", "parameter", of, more=number(9, i), type_=of_type)
                for i, (_, of, of_type) in enumerate(operands)]
        made += [self.op(*one[0], **one[1]) for one in inside]
        called = self.block(*made)
        return self.op(name, "fusion", dims, [one for one, _, _ in operands], op_name, line,
                       piece(11, "kLoop") + number(38, called), type_)

    def proto(self, entry):
        frames = piece(1, "f.py") + piece(2, "f")
        for i, line in enumerate(self.lines):
            frames += piece(3, number(1, 1) + number(2, 1) + number(3, line)) + piece(4, number(1, i + 1))
        return piece(1, piece(1, self.name) + b"".join(piece(3, one) for one in self.blocks)
                     + number(6, entry) + piece(17, frames))


def metadata(*programs):
    """Of (program, its entry)."""
    plane = make.Plane("/host:metadata")
    for program, entry in programs:
        plane.name_id(f"{program.name}({program.id})", stats=[("Hlo Proto", program.proto(entry))])
    return plane


DOT = piece(30, number(1, 1) + number(2, 0))
GEMM = piece(28, "__cublas$lt$matmul") + piece(43, json.dumps({"gemm_backend_config": {"dot_dimension_numbers": {
    "lhs_contracting_dimensions": ["1"], "rhs_contracting_dimensions": ["0"], "lhs_batch_dimensions": [],
    "rhs_batch_dimensions": []}}}))


class Gpus:
    """GPUs of one process, with the calls that put kernels on their streams."""

    FACTS = {"amd": {"device_vendor": "AMD", "clock_rate": 2400000, "core_count": 256, "compute_cap_major": 9,
                     "compute_cap_minor": 5, "memory_size": 309220868096, "memory_bandwidth": 4096000000000},
             "nvidia": {"device_vendor": "NVIDIA", "clock_rate": 1980000, "core_count": 132, "compute_cap_major": 9,
                        "compute_cap_minor": 0, "memory_size": 85029158912, "memory_bandwidth": 3352320000000}}

    def __init__(self, vendor, n):
        self.vendor, self.planes, self.streams, self.calls, self.other = vendor, [], {}, [], {}
        self.next_id = 100
        for i in range(n):
            plane = make.Plane(f"/device:GPU:{i}")
            for name, value in self.FACTS[vendor].items():
                plane.add_stat(name, value)
            self.planes.append(plane)

    def run(self, device, stream, name, at, us, launched, op=None, program=None, call=None, id_=None, **stats):
        """A kernel at `at`, for so many microseconds, whose launch began at `launched`; its correlation id."""
        if not id_:
            self.next_id += 1
            id_ = self.next_id
            call = call or ("hipModuleLaunchKernel" if self.vendor == "amd" else "cuLaunchKernelEx")
        of = {"hlo_op": op, "hlo_module": program.name, "program_id": program.id} if op else {}
        if op and self.vendor == "amd":
            of["tf_op"] = "XlaModule:"
        self.streams.setdefault((device, stream), []).append((name, at * US, us * US, {"correlation_id": id_, **of, **stats}))
        if call:
            self.calls.append((call, launched * US, 2 * US, {"correlation_id": id_, "device_id": 22139 + device, **of}))
        return id_

    def on_host(self, line, *event):
        self.other.setdefault(line, []).append(event)

    def allocate(self, line, at, device, in_use, peak, capacity):
        self.on_host(line, "MemoryAllocation", at * US, 0, {
            "allocator_name": f"GPU_{device}_bfc", "bytes_allocated": in_use, "bytes_reserved": 0,
            "bytes_available": capacity - in_use, "peak_bytes_in_use": peak, "requested_bytes": 256,
            "allocation_bytes": 256, "addr": 4096, "fragmentation": 0.0, "id": 1})

    def bytes(self, *programs, host="vm"):
        kinds = {"amd": lambda _: "(Kernel)", "nvidia": lambda s: s}[self.vendor]
        for (device, stream), events in self.streams.items():
            number_, _, kind = stream.partition("(")
            self.planes[device].add_line(f"Stream #{number_}{kinds('(' + kind if kind else '')}", events,
                                         id_=int(number_), timestamp_ns=869971)
        cpu = make.Plane("/host:CPU")
        cpu.add_line("Host Threads/2356", self.calls, id_=2356, timestamp_ns=869971)
        for i, (line, events) in enumerate(self.other.items()):
            cpu.add_line(line, events, id_=7000 + i, timestamp_ns=869971)
        environment = make.Plane("Task Environment")
        environment.add_stat("profile_start_time", 1771595660705918620)
        environment.add_stat("profile_stop_time", 1771595660745575712)
        return make.space(metadata(*programs), *self.planes, make.Plane("/device:CUSTOM:Megascale Trace"), cpu,
                          environment, host=host)
