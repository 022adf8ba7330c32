"""When threads work for an operation, slow and simple: the oracle of src/load/xplane/own.c.

A thread works for an operation in its event, without the operations, programs and tasks nested in that, and in the
tasks of thread pools that it queued, until it is done and the program goes on."""

import re
from collections import defaultdict

FOREVER = 1 << 61
WAITS = re.compile(r"wait for completion|::Await|^Await|BlockUntilReady|BlockHostUntilDone|^Wait for|^Wait:|^Rendezvous$"
                   r"|SynchronizeStream|StreamSynchronize|EventSynchronize|CtxSynchronize|KernelAndDeviceFunc::Run"
                   r"|dependency-wait")


class Node:
    def __init__(self, event, start, end, kind="event"):
        self.event, self.start, self.end, self.kind = event, start, end, kind
        self.up, self.inside, self.op = None, [], None
        self.name = event.name

    def own(self):
        """What is left of it by those inside."""
        at = self.start
        for node in self.inside:
            if node.start > at:
                yield at, node.start
            at = max(at, node.end)
        if at < self.end:
            yield at, self.end

    def goes_on(self):
        """When a task goes on to what follows in the program."""
        starts = [self.end]
        for n in self.inside:
            if n.op or n.name == "ThunkExecutor::Execute":
                starts.append(n.start)
            elif n.kind != "task":
                starts += [n.goes_on()] if n.goes_on() < n.end else []
        return min(starts)

    def task(self):
        """The task that it is part of; None."""
        n = self
        while n and n.kind != "task" and not n.op and n.name != "ThunkExecutor::Execute":
            n = n.up
        return n if n and n.kind == "task" else None


def number(event, stat):
    value = event.stats.get(stat)
    return value if isinstance(value, int) else None


def joined(line, last):
    """The events of a line, with tasks and waits as one each."""
    nodes, task, waits = [], None, {}
    for e in sorted(line.events, key=lambda e: (e.start, -e.duration)):
        if e.name in ("ThreadpoolListener::StartRegion", "ThreadpoolListener::StopRegion"):
            if task:
                task.end = e.start
            task = Node(e, e.start, last, "task") if e.name.endswith("StartRegion") else None
            nodes += [task] if task else []
        elif e.name.endswith("::Await") and number(e, "_p") is not None:
            nodes.append(Node(e, e.start, e.end))
            waits[number(e, "_p")] = nodes[-1]
        elif e.name.endswith("::Await") and number(e, "_c") in waits:
            wait = waits.pop(number(e, "_c"))
            wait.end = max(wait.end, e.end)
        elif not e.name.startswith("$") and not e.stats.get("_a"):
            nodes.append(Node(e, e.start, e.end))
    return sorted(nodes, key=lambda n: (n.start, -n.end))


def tree(line, last):
    """All nodes of a line; what sticks out of another is cut off."""
    nodes, open_ = joined(line, last), []
    for n in nodes:
        while open_ and open_[-1].end <= n.start and not n.start == n.end == open_[-1].end:
            open_.pop()
        if open_:
            n.end = min(n.end, open_[-1].end)
            n.up = open_[-1]
            n.up.inside.append(n)
        open_.append(n)
    return nodes


class Finder:
    def __init__(self, lines, ops):
        of_event = {id(op.event): op for op in ops}
        last = max((e.end for line in lines for e in line.events), default=0)
        self.threads = [tree(line, last) for line in lines]
        self.nodes = [n for thread in self.threads for n in thread]
        self.records, ends = {}, {}
        for n in self.nodes:
            if n.kind == "event":
                n.op = of_event.get(id(n.event))
            if n.op:
                n.op.place = n
            elif n.name == "ThreadpoolListener::Record":
                self.records[number(n.event, "_p")] = n
            elif n.name.startswith("end: ") and number(n.event, "_c") is not None:
                ends[number(n.event, "_ct") or 0, number(n.event, "_c")] = n
        self.done = {id(op): self.end(op, ends) for op in ops if hasattr(op, "place")}  # not those with _a
        self.owners = {}

    @staticmethod
    def end(op, ends):
        n = op.place
        if op.kind != "hlo":
            return n.end
        key = number(op.event, "_pt") or 0, number(op.event, "_p")
        if key not in ends:
            return FOREVER
        end = ends[key]
        done = max(end.start, n.start)
        if done > n.end and end.up and end.up.kind == "task":
            done = max(n.end, min(done, end.up.goes_on()))
        return done

    def owner(self, n, seen=()):
        while n:
            if n.op:
                return None if n.op.kind == "async" else n.op
            if n.name == "ThunkExecutor::Execute":
                return None
            if n.kind == "task":
                return self.owner_of_task(n, seen)
            n = n.up
        return None

    def owner_of_task(self, task, seen):
        if id(task) in seen:
            return None
        if id(task) not in self.owners:
            record = self.records.get(number(task.event, "_c"))
            by = record.up.task() if record and record.up else None
            is_late = by and record.start >= by.goes_on() and by.goes_on() < by.end
            op = self.owner(record.up, (*seen, id(task))) if record and not is_late else None
            self.owners[id(task)] = op if op and task.start < self.done[id(op)] else None
        return self.owners[id(task)]

    @staticmethod
    def waits(n):
        """The time of an eager operation is its whole event."""
        found = False
        while n and not n.op:
            found |= n.kind == "event" and bool(WAITS.search(n.name))
            n = n.up
        return found and not (n and n.op.kind == "eager")


def union(pieces):
    length, at = 0, -FOREVER
    for start, end in sorted(pieces):
        length += max(0, end - max(start, at))
        at = max(at, end)
    return length


def pieces(found, nodes):
    """(operation, start, end, whether it waits)."""
    for n in nodes:
        op = found.owner(n)
        if not op:
            continue
        limit = max(found.done[id(op)], op.place.end)
        if n.task():
            limit = min(limit, n.task().goes_on())
        for start, end in n.own():
            end = min(end, limit)
            if end > start:
                yield op, start, end, found.waits(n)


def own_times(lines, ops):
    """Sets .own, .busy and .waiting of operations, but for asynchronous kernels of TensorFlow. Returns the finder."""
    found, work, waiting = Finder(lines, ops), defaultdict(list), defaultdict(int)
    for op, start, end, waits in pieces(found, found.nodes):
        if waits:
            waiting[id(op)] += end - start
        else:
            work[id(op)].append((start, end))
    for op in ops:
        op.own, op.busy = union(work[id(op)]), sum(end - start for start, end in work[id(op)])
        op.waiting = waiting[id(op)]
    return found
