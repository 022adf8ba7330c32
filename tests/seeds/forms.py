"""The form of a line: its columns, their order and punctuation, without its numbers and names."""

import re

_NUMBERS = (
    (r"\d+(?:\.\d+)?(?:us|ms|sec|min|hr)\b", "TIME"),
    (r"\d+(?:\.\d+)?(?:B|KB|MB|GB)\b", "BYTES"),
    (r"\d+\.\d\d%", "PERCENT"),
    (r"(?<![\w.])\d+(?:\.\d+)?[kmb]?(?![\w.])", "NUMBER"),
)
_LABEL = r"\S+\.py:\d+:[^:]+:.*?"

# The documents are of different years, and show the same thing in different ways. Forms of the
# older ones are those of the newer.
_SAME = (
    # A node that does not count itself has -- for its own numbers: (--/930.58k params) and
    # (0/18.43k params) are both roots.
    (r"--/(TIME|BYTES|NUMBER)", r"\1/\1"),
    # Occurrences were those in the graph, and then (run|defined).
    (r"(PERCENT\),) NUMBER$", r"\1 NUMBER|NUMBER"),
)


def _numbers(text):
    text = re.sub(r"^\d+(?:x\d+)*, ", "SHAPE, ", text)
    for pattern, word in _NUMBERS:
        text = re.sub(pattern, word, text)
    return text


def _same(text):
    for pattern, word in _SAME:
        text = re.sub(pattern, word, text)
    return text


def form(line):
    text = " ".join(line.split())
    for pattern, name in ((rf"({_LABEL}) \(([^()]*)\)", "FILE:LINE:FUNCTION:SOURCE ({})"),
                          (r"(\S+) \(([^()%]*)\)", "NAME ({})")):
        match = re.fullmatch(pattern, text)
        if match:
            return _same(name.format(_numbers(match.group(2))))
    match = re.fullmatch(rf"({_LABEL})(, cpu: .*)", text)
    if match:
        return "FILE:LINE:FUNCTION:SOURCE" + _numbers(match.group(2))
    if re.fullmatch(r"\[(-?\d+\.\d\d )+\],", text):
        return "[VALUES ],"
    match = re.fullmatch(r"(device|top \d+ [a-z ]+): (\S+?)(,? .*)", text)
    if match:
        return f"{_numbers(match.group(1))}: NAME{_numbers(match.group(3))}"
    match = re.fullmatch(r"(-\w+) +(.*)", line)
    if match:  # an option: the column of its value
        return f"{match.group(1)} at {match.start(2)}"
    match = re.fullmatch(r"(\w+) (\S+ \(\d.*)", text)
    if match:  # a row of a table
        return _same("NAME " + _numbers(match.group(2)))
    return text
