"""What accelerators of a trace did, slow and simple: the oracle of src/load/xplane/apply_devices.c and its neighbours.
Times are picoseconds."""

import re
from collections import defaultdict

COPY = re.compile(r"Memcpy|Memset|Copy|__amd_rocclr_(copy|fill)Buffer")
DIRECTIONS = ("HtoD", "H2D"), ("DtoH", "D2H"), ("DtoD", "D2D"), ("Peer", "P2P")


def to_us(ps):
    return (ps + 500_000) // 1_000_000


def union(intervals):
    out = []
    for start, end in sorted(intervals):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def length(intervals):
    return sum(end - start for start, end in union(intervals))


def overlap(intervals, start, end):
    return sum(max(0, min(b, end) - max(a, start)) for a, b in union(intervals))


class Ran:
    """An operation or kernel, by the device's clock."""

    def __init__(self, event, host, order):
        self.event, self.host_start, self.order = event, event.start, order
        self.start, self.duration, self.launch = event.start, event.duration, None
        if not host and "device_duration_ps" in event.stats:
            self.start = event.line.timestamp_ns * 1000 + event.stats["device_offset_ps"]
            self.duration = event.stats["device_duration_ps"]
        self.self_ps, self.end = self.duration, self.start + self.duration


def launches(space):
    found = defaultdict(list)
    for plane in space.planes:
        for line in plane.lines if plane.name.startswith("/host:C") else []:
            for event in line.events:
                if "correlation_id" in event.stats:
                    found[event.stats["correlation_id"]].append(event)
    return found


def launch_of(ran, found, ordinal):
    """The last before it, of its device if that is told; of calls within each other the outermost."""
    every = sorted(found.get(ran.event.stats.get("correlation_id"), []), key=lambda e: e.start)
    before = [e for e in every if e.start <= ran.start]
    if not before:
        return every[0] if every else None
    own = [e for e in before if e.stats.get("device_id") == ordinal]
    at = every.index((own or before)[-1])
    while at and every[at - 1].end >= every[at].end:
        at -= 1
    return every[at]


def copy_of(ran):
    """What kind of copy it is; None."""
    name = ran.event.name
    if ran.event.stats.get("hlo_op"):
        return None
    if name.startswith(("Memset", "__amd_rocclr_fillBuffer")):
        return "Memset"
    own = name.startswith(("Memcpy", "Copy"))
    if not own and "memcpy_details" not in ran.event.stats and not COPY.match(name):
        return None
    text = name if own else ran.launch.name if ran.launch else ""
    return next((f"Memcpy{short}" for word, short in DIRECTIONS if word in text or short in text),
                name if own else "Memcpy")


class Device:
    def __init__(self, plane, found):
        kind, number = re.fullmatch(r"/device:(GPU|TPU):(\d+)", plane.name).groups()
        self.name, self.is_gpu = f"{kind.lower()}:{number}", kind == "GPU"
        self.lines, self.modules, self.steps = [], [], []
        for line in plane.lines:
            derived = 0xdeadbeef <= line.id & 0xffffffff <= 0xdeadbeef + 389
            events = [e for e in line.events if e.duration >= 0]
            if line.name == "XLA Modules" and not self.is_gpu:
                self.modules = sorted((e.start, e.end) for e in events)
            if line.name == "Steps" and not derived:
                self.steps = [(e.start, e.end) for e in events]
            if not (line.name.startswith("Stream") and not derived if self.is_gpu else line.name == "XLA Ops"):
                continue
            ran = sorted((Ran(e, self.is_gpu, i) for i, e in enumerate(events)),
                         key=lambda r: (r.start, -r.duration, r.order))
            for one in ran if self.is_gpu else []:
                one.launch = launch_of(one, found, int(number))
            if not self.is_gpu:
                self.nest(ran)
            self.lines += [ran] if ran else []
        self.ran = sorted((r for line in self.lines for r in line), key=lambda r: r.start)

    @staticmethod
    def nest(ran):
        stack = []
        for one in ran:
            while stack and stack[-1].end < one.end:
                stack.pop()
            if stack:
                stack[-1].self_ps -= one.duration
            stack.append(one)

    def busy(self):
        return length([(r.start, r.end) for r in self.ran])

    def kernel_busy(self):
        return length([(r.start, r.end) for r in self.ran if not self.is_gpu or not copy_of(r)])

    def span(self):
        return max(r.end for r in self.ran) - self.ran[0].start

    def delay(self):
        """The median; of a graph of kernels, its first counts."""
        first, delays = set(), []
        for r in self.ran:
            if r.launch and not ("GraphLaunch" in r.launch.name and id(r.launch) in first):
                first.add(id(r.launch))
                delays.append(r.start - r.launch.start)
        return sorted(delays)[len(delays) // 2] if delays else None

    def gaps(self):
        """Of the idle time: the host was late, the device waited; the rest is not known."""
        late = waited = 0
        reach = self.ran[0].end
        for r in self.ran:
            gap = r.start - reach
            if gap > 0 and r.launch and r.launch.start <= r.start:
                late += gap if r.launch.start > reach else 0
                waited += gap if r.launch.start <= reach else 0
            reach = max(reach, r.end)
        return late, waited

    def runs(self):
        """(first start, last end, operations) of each run of a program on a core."""
        found = []
        for line in self.lines:
            now, before, seen, around = None, None, set(), -1
            for r in line:
                if self.modules:
                    key = max((m for m in self.modules if m[0] <= r.host_start), default=None)
                    key = key if key and r.host_start <= key[1] else None
                    begins = key is not None and (now is None or key != before)
                    before, now = key, None if key is None else now
                else:
                    key, top = r.event.meta.stats["program_id"], r.start >= around
                    begins = key != before or top and r.event.name in seen
                    before, around = key, r.end if top else around
                if begins:
                    now, seen = [], set()
                    found.append(now)
                seen.add(r.event.name)
                if now is not None:
                    now.append(r)
        return [(run[0].start, max(r.end for r in run), run) for run in found]


def devices(space):
    found = launches(space)
    every = [Device(plane, found) for plane in space.planes
             if re.fullmatch(r"/device:(GPU|TPU):\d+", plane.name)]
    return {device.name: device for device in every if device.ran}
