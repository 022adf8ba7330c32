"""Random traces of hosts, GPUs and TPUs."""

import random

import make

US = 1_000_000


class Maker:
    def __init__(self, seed, module):
        self.r = random.Random(seed)
        self.module = module  # HloProto of program 6, with instructions of these names:
        self.compiled = ("ynn_fusion", "broadcast_select_fusion", "dot")
        self.next_id = 1
        self.names = [self.name() for _ in range(self.r.randint(1, 12))]

    def name(self):
        scopes = [self.r.choice(["a", "layer_1", "b2", "gradient_tape", "StatefulPartitionedCall"])
                  for _ in range(self.r.randint(0, 3))]
        op = self.r.choice(["MatMul", "Add", "_MklNativeConv2D", "x.y", "Mul_1", "Relu6",
                            "IteratorV2"])
        type_ = self.r.choice(["MatMul", "AddV2", "_MklNativeConv2D", "Relu6", "NoOp"])
        return "/".join(scopes + [op]) + ":" + type_

    def id(self):
        self.next_id += 1
        return self.next_id if self.r.random() < 0.5 else -self.next_id

    def nested(self, start, end, depth):
        """Operations one after the other, some with others in them, between two times."""
        events, at = [], start
        while at < end and len(events) < 30:
            length = self.r.randint(1, max(1, (end - at) // self.r.randint(1, 4)))
            at += self.r.choice([0, 0, self.r.randint(0, max(1, end - at))])
            length = min(length, end - at)
            if length <= 0:
                break
            events.append((self.r.choice(self.names), at, length, {}))
            if depth and self.r.random() < 0.4:
                events += self.nested(at, at + length, depth - 1)
            at += length
        return events

    def flow_between(self, main, other, start, end):
        """Work given to another thread."""
        id_, kind = self.id(), self.r.choice([2, 15])
        producer = "FunctionRun" if kind == 2 else "ThreadpoolListener::Record"
        stats = {"_pt": kind, "_p": id_}
        if self.r.random() < 0.1:  # of what is produced twice, a GPU would consume one
            stats["correlation_id"] = self.id() & 0xffff
        if kind == 2:
            stats.update({"_r": 1, "id": id_}) if self.r.random() < 0.5 else None
        main.append((producer, start, max(1, (end - start) // 2), stats))
        consumer = "ExecutorState::Process" if kind == 2 else "ThreadpoolListener::StartRegion"
        other.append((consumer, start + 1, 1 if kind == 15 else end - start,
                      {"_ct": kind, "_c": id_, "id": id_, "iter_num": 0}))
        other.extend(self.nested(start + 2, end, 1))
        if kind == 15:
            other.append(("ThreadpoolListener::StopRegion", end + 1, 0, {}))
        if self.r.random() < 0.2:  # what is consumed twice
            other.append((consumer, end + 2, 2 * US, {"_ct": kind, "_c": id_}))
            other.extend(self.nested(end + 3, end + 2 * US, 1))

    def host(self):
        lines = [[] for _ in range(self.r.randint(1, 4))]
        at = self.r.randint(0, 50) * US
        is_numbered = self.r.random() < 0.8
        for step in range(self.r.randint(0, 4)):
            length = self.r.randint(20, 300) * US
            if self.r.random() < 0.9:
                stats = {"step_num": step * 7} if is_numbered else {}
                stats.update({"_r": 1} if self.r.random() < 0.8 else {})
                lines[0].append(("train", at, length, stats))
            for _ in range(self.r.randint(0, 2)):
                begin = at + self.r.randint(1, length // 2)
                line = self.r.choice(lines)
                if line is lines[0]:
                    line += self.nested(begin, at + length, 2)
                else:
                    self.flow_between(lines[0], line, begin, at + length)
            at += length + self.r.randint(1, 20) * US
        return [self.without_overlaps(line) for line in lines]

    @staticmethod
    def without_overlaps(events):
        """Those that lie within each other or apart, as operations of a thread do. XProf
        loses others, and what ends at the same picosecond as what it lies within."""
        events.sort(key=lambda e: (e[1], -e[2]))
        stack, kept = [], []
        for e in events:
            while stack and stack[-1] <= e[1]:
                stack.pop()
            if not stack or e[1] + e[2] < stack[-1]:
                kept.append(e)
                stack.append(e[1] + e[2])
        return kept

    def gpu(self):
        plane = make.Plane("/device:GPU:0")
        for name, value in (("clock_rate", 1410000), ("core_count", 108), ("memory_size", 40 << 30),
                            ("memory_bandwidth", 1555 * 10**9), ("compute_cap_major", 8),
                            ("compute_cap_minor", 0), ("device_vendor", "Nvidia")):
            plane.add_stat(name, value)
        for stream in range(self.r.randint(1, 3)):
            events, at = [], self.r.randint(0, 30) * US
            for i in range(self.r.randint(1, 20)):
                length = self.r.randint(1, 60 * US)
                op = self.r.choice(self.compiled)
                stats = self.r.choice([
                    {"hlo_op": op, "hlo_module": "jit_model", "program_id": 6},
                    {"tf_op": "gpu/" + self.r.choice(self.names)}])
                events.append((f"kernel_{self.r.randint(0, 3)}", at, length, {
                    "correlation_id": 1000 * stream + i, "kernel_details":
                    "regs:32 static_shared:0 dynamic_shared:0 grid:4,1,1 block:128,1,1 occ_pct:50",
                    **stats}))
                at += length + self.r.randint(0, 9 * US)
            plane.add_line(f"Stream #{stream + 1}(Compute)", events, id_=stream + 1)
        return plane

    def tpu(self):
        plane = make.Plane("/device:TPU:0")
        for name, value in (("device_type_string", "TPU v5 lite"),
                            ("peak_teraflops_per_second", 197.0),
                            ("peak_hbm_bw_gigabytes_per_second", 819.0)):
            plane.add_stat(name, value)
        ops = []
        for i in range(self.r.randint(1, 6)):
            category = self.r.choice(["while", "convolution fusion", "loop fusion", "copy"])
            path = self.r.choice(["jit(f)/dense/dot_general:", "jit(f)/while:", "jit(f)/add:"])
            ops.append((f"%op.{i} = f32[4,4] x(...)", f"op.{i}", [
                ("hlo_category", category), ("program_id", 6), ("symbol_id", i + 1),
                ("tf_op", path), ("flops", 100 * i), ("bytes_accessed", 64)]))
        steps, events, modules, at = [], [], [], US
        for step in range(self.r.randint(1, 4)):
            length = self.r.randint(50, 400) * US
            for start, end in self.spans(at, at + length, 1):
                events.append((self.r.choice(ops), start, end - start, self.times(start, end)))
            steps.append((str(step), at, length, self.times(at, at + length)))
            modules.append(("jit_f(6)", at, length, {"run_id": step, "program_id": 6,
                                                     **self.times(at, at + length)}))
            at += length + self.r.randint(1, 50) * US
        events = self.without_overlaps(events)
        for id_, (name, found) in enumerate((("Steps", steps), ("XLA Modules", modules),
                                             ("XLA Ops", events))):
            plane.add_line(name, found, id_=id_ + 1)
        return plane

    @staticmethod
    def times(start, end):
        return {"device_offset_ps": start, "device_duration_ps": end - start}

    def spans(self, start, end, depth):
        return [(e[1], e[1] + e[2]) for e in self.nested(start, end, depth)]

    def steps(self):
        """Steps without gaps, and launches of kernels in them."""
        n, length = self.r.randint(1, 4), 1000 * US
        events = [("train", i * length, length - 1 if i < n - 1 else 10 ** 6 * US,
                   {"step_num": i, "_r": 1}) for i in range(n)]
        for i in range(20):
            if self.r.random() < 0.7:
                events.append(("cuLaunchKernel", (i % n) * length + (i + 1) * US, 1000,
                               {"correlation_id": self.r.randint(0, 3) * 1000 + i}))
        return [self.without_overlaps(events)]

    def trace(self):
        host, kind = make.Plane("/host:CPU"), self.r.choice(["host", "host", "gpu", "tpu"])
        for i, events in enumerate(self.host() if kind == "host" else self.steps()):
            host.add_line("python" if not i else f"tf_Compute/{i}", events, id_=i + 1)
        planes = [host]
        if kind != "host":
            metadata = make.Plane("/host:metadata")
            metadata.name_id("jit_model(6)", "jit_model(6)", [("Hlo Proto", self.module),
                                                              ("program_id", 6)])
            planes = [metadata, host, self.gpu() if kind == "gpu" else self.tpu()]
        return make.space(*planes)
