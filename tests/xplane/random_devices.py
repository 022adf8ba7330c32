"""Random traces of accelerators, as recorders write them on a bad day: planes that were not used, streams that
overlap, kernels within each other, graphs of kernels with one correlation id, ids that are missing or used twice,
events without length and out of order, clocks that differ, runs and lines that are cut off."""

import random

import make

US = 1_000_000


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.next_id = 0
        self.launches = []

    def chance(self, part):
        return self.r.random() < part

    # ---- GPUs ----

    def launch(self, ordinal, start, name="cuLaunchKernel", ids=None, **stats):
        self.next_id += 1
        number = ids.pop() if ids else self.next_id
        self.launches.append((name, start, self.r.randint(1, 3 * US),
                              {"correlation_id": number, "device_id": ordinal + self.offset, **stats}))
        return number

    def kernels(self, ordinal, ids):
        events, at = [], self.r.randint(5, 50) * US
        for _ in range(self.r.randint(1, 25)):
            length = self.r.choice([0, 1, self.r.randint(1, 40 * US), self.r.randint(1, 9 * US)])
            op = self.r.choice(["dot.1", "add.2", "fusion.3", "fusion.4"])
            stats = {"hlo_op": op, "hlo_module": "jit_f", "program_id": self.r.choice([3, 3, 4])}
            start = max(0, at - self.r.choice([US, 3 * US, self.r.randint(1, 60 * US)]))
            n = 1
            if self.chance(0.15):  # a graph
                n, number = self.r.randint(2, 5), self.launch(ordinal, start, "cuGraphLaunch", ids)
            elif self.chance(0.1):
                number = None
            else:
                number = self.launch(ordinal, start, ids=ids, **(stats if self.chance(0.7) else {}))
            for _ in range(n):
                more = {} if number is None else {"correlation_id": number}
                events.append((f"k{self.r.randint(0, 2)}", at, length, {**stats, **more}))
                at += self.r.choice([length, length // 2, length + self.r.randint(0, 9 * US)])
        return events

    def copies(self, ordinal, ids):
        events, at = [], self.r.randint(5, 50) * US
        for _ in range(self.r.randint(1, 8)):
            length = self.r.randint(1, 20 * US)
            name = self.r.choice(["MemcpyH2D", "MemcpyD2H", "MemcpyD2D", "MemcpyP2P", "Memset",
                                  "__amd_rocclr_copyBuffer.kd", "__amd_rocclr_fillBufferAligned.kd"])
            stats = {} if self.chance(0.3) else {"memcpy_details": f"size:{self.r.randint(0, 9999)} dest:0 async:1"}
            if name.startswith("_"):
                stats = {}
            launched = self.r.choice(["hipMemcpyHtoDAsync", "hipMemcpyDtoHAsync", "hipMemcpyAsync"])
            stats["correlation_id"] = self.launch(ordinal, max(0, at - self.r.randint(0, 30 * US)), launched, ids)
            events.append((name, at, length, stats))
            at += length + self.r.randint(0, 30 * US)
        return events

    def mix(self, events):
        """In order, or as they came."""
        if self.chance(0.3):
            self.r.shuffle(events)
        else:
            events.sort(key=lambda e: (e[1], -e[2]))
        return events

    def gpus(self):
        planes, used = [], 0
        self.offset = self.r.choice([0, 0, 768])
        again = self.offset == 0 and self.chance(0.3)  # processes that number alike
        for ordinal in range(self.r.randint(1, 4)):
            plane = make.Plane(f"/device:GPU:{ordinal}")
            for name, value in (("clock_rate", 1980000), ("core_count", 132), ("memory_size", 80 << 30),
                                ("memory_bandwidth", 3350 * 10**9), ("compute_cap_major", 9),
                                ("compute_cap_minor", 0)):
                plane.add_stat(name, value)
            planes.append(plane)
            if used and self.chance(0.3):
                continue
            used += 1
            ids = list(range(500, 0, -1)) if again else None
            for stream in range(self.r.randint(1, 4)):
                kind = self.r.choice(["(Kernel)", "(Compute)", "", "(MemcpyH2D,MemcpyD2H)"])
                events = self.copies(ordinal, ids) if "Memcpy" in kind else self.kernels(ordinal, ids)
                plane.add_line(f"Stream #{stream + 7}{kind}", self.mix(events), sort=False, id_=stream + 7,
                               timestamp_ns=1000)
            if self.chance(0.3):  # what XProf adds to it
                plane.add_line("XLA Ops", [("dot.1", 5 * US, 900 * US)], id_=0xdeadbeef)
        host = make.Plane("/host:CPU")
        host.add_line("Host Threads/1", self.mix(self.launches), sort=False)
        return [*planes, host]

    # ---- TPUs ----

    def core_op(self, name, opcode, program, start, end, operand="p"):
        text = f"%{name} = f32[8]{{0}} {opcode}(f32[8]{{0}} %{operand})"
        return ((text if program == 7 else text + " ", name, [("program_id", program), ("bytes_accessed", 4096)]),
                start, end - start)

    def run_of(self, program, at):
        """Operations of a run, nested, and when it ends."""
        events, begin = [], at
        for i in range(self.r.randint(2, 4)):
            at += self.r.choice([0, self.r.randint(0, 2 * US)])
            if i == 1 and program == 7:
                loop, body = at, at + self.r.randint(0, US)
                for _ in range(self.r.randint(1, 4)):
                    for name in "dot.9", "add.9":
                        end = body + self.r.randint(1, 3 * US)
                        events.append(self.core_op(name, name[:3], program, body, end))
                        body = end
                at = body + self.r.randint(1, US)
                events.append(self.core_op("while.1", "while", program, loop, at))
                continue
            end = at + self.r.randint(0 if i else 1, 6 * US)
            events.append(self.core_op(f"fusion.{i}", "fusion", program, at, end))
            at = end
        start, wait = begin, at + self.r.randint(0, 2 * US)
        events.append(self.core_op("copy-start.5", "copy-start", program, start, start))
        at = wait + self.r.randint(1, 9 * US)
        events.append(self.core_op("copy-done.5", "copy-done", program, wait, at, "copy-start.5"))
        return events, at

    def tpus(self):
        planes, steps = [], self.chance(0.4)
        has_modules, is_cut = self.chance(0.7), self.chance(0.4)
        for ordinal in range(self.r.randint(1, 3)):
            plane, at, events, modules, marks = make.Plane(f"/device:TPU:{ordinal}"), US, [], [], []
            skew = self.r.choice([0, self.r.randint(1, 300) * US])
            for number in range(self.r.randint(2, 6)):
                program = 7 if has_modules or self.chance(0.8) else 8
                ran, end = self.run_of(program, at)
                ran.sort(key=lambda e: (e[1], -e[2]))
                if is_cut and has_modules and not number:  # recording began in the loop
                    ran = [e for e in ran if e[0][1] in ("dot.9", "add.9", "copy-done.5")]
                else:
                    modules.append((f"jit_f({program})", at + skew, end - at, {"run_id": number}))
                    marks.append((str(number), at + skew, end - at))
                for name, start, length in ran:  # the host's clock squeezes what is in it
                    inside = start - at + (self.r.randint(0, max(0, end - start - 1)) if self.chance(0.2) else 0)
                    events.append((name, at + skew + inside, length, {"device_offset_ps": start,
                                                                      "device_duration_ps": length}))
                at = end + self.r.randint(1, 9 * US)
            if self.chance(0.3):
                self.r.shuffle(events)
            lines = [("XLA Ops", events)] + ([("XLA Modules", modules)] if has_modules else [])
            lines += [("Steps", marks)] if steps else []
            lines += [("Async XLA Ops", [(e[0], *e[1:]) for e in events if "copy" in e[0][1]])]
            self.r.shuffle(lines)
            for i, (name, found) in enumerate(lines):
                plane.add_line(name, found, sort=False, id_=i + 1)
            planes.append(plane)
            if self.chance(0.3):
                planes.append(make.Plane(f"/device:TPU:{ordinal + 10}"))
        return planes

    def trace(self):
        return make.space(*(self.gpus() if self.chance(0.6) else self.tpus()))
