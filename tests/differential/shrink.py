"""Shrink a failing case: remove parts as long as it still fails.

Works on any message: removes runs of repeated elements, in halves, then quarters
and so on; then single fields; then does the same inside what is left.
"""

import copy


def shrink(case, fails, budget=1500):
    """The smallest case found for which `fails(case)` holds, as it does for the one
    given. `budget` limits the number of calls."""
    return _Shrinker(case, fails, budget).shrink()


class _Shrinker:
    def __init__(self, case, fails, budget):
        self.case = copy.deepcopy(case)
        self.fails = fails
        self.left = budget

    def shrink(self):
        before = None
        while before != self.left and self.left > 0:
            size = self._size()
            before = self.left
            self._cut_list(lambda case: case.queries)
            self._cut_list(lambda case: case.steps)
            for path in self._messages():
                self._cut_message(path)
            if self._size() == size:
                break
        return self.case

    def _size(self):
        messages = [path(self.case) for path in self._messages()]
        return sum(message.ByteSize() for message in messages) + len(self.case.steps)

    def _messages(self):
        """Functions that find each message of a case by name, so that they work on copies."""
        case = self.case
        paths = [lambda case: case.graph]
        if case.op_log is not None:
            paths.append(lambda case: case.op_log)
        for i, step in enumerate(case.steps):
            for part in ("graph", "run_meta", "op_log"):
                if getattr(step, part) is not None:
                    paths.append(lambda case, i=i, part=part: getattr(case.steps[i], part))
        for i in range(len(case.queries)):
            paths.append(lambda case, i=i: case.queries[i].options)
        return paths

    def _try(self, change):
        if self.left <= 0:
            return False
        self.left -= 1
        candidate = copy.deepcopy(self.case)
        change(candidate)
        if not self.fails(candidate):
            return False
        self.case = candidate
        return True

    def _cut_list(self, where):
        """Removes runs of elements, the longest first."""
        run = len(where(self.case))
        while run:
            at = 0
            while at < len(where(self.case)) and self.left > 0:
                def remove(case, at=at, run=run):
                    del where(case)[at:at + run]
                if not self._try(remove):
                    at += run
            run //= 2

    def _cut_message(self, path):
        stack = [path]
        while stack and self.left > 0:
            where = stack.pop()
            for field, value in where(self.case).ListFields():
                if not self._try(lambda case: where(case).ClearField(field.name)):
                    stack.extend(self._cut_field(where, field, value))

    def _cut_field(self, where, field, value):
        """Shrinks one field; returns functions that find the messages in it."""
        name = field.name
        if _is_map(field):
            for key in list(value):
                self._try(lambda case: getattr(where(case), name).pop(key))
            if field.message_type.fields_by_name["value"].message_type:
                return [lambda case, key=key: getattr(where(case), name)[key]
                        for key in getattr(where(self.case), name)]
            return []
        if _is_repeated(value):
            self._cut_list(lambda case: getattr(where(case), name))
            if field.message_type:
                return [lambda case, i=i: getattr(where(case), name)[i]
                        for i in range(len(getattr(where(self.case), name)))]
            return []
        return [lambda case: getattr(where(case), name)] if field.message_type else []


def _is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _is_repeated(value):
    return hasattr(value, "append") or hasattr(value, "add") and hasattr(value, "__len__")
