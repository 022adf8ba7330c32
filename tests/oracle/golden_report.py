"""The golden reports as the program prints them. They are those of TensorFlow's profiler, but
where no accelerator ran, its column of zeros and the column of CPU time, which repeats the
total, are left out unless select names them. Does not need TensorFlow."""

import os
import re

import query_line

WITH_ACCELERATOR = ("devices",)
TIME = r"[\d.]+(?:us|ms|sec)"
PAIR = rf"(?:--|{TIME})/{TIME}"
SHARE = rf" +{TIME} \([\d.]+%, [\d.]+%\)"


def with_one_time(text, select):
    """Leaves out no column that says something: one that does stays, and the header tells."""
    text = re.sub(r"^(total execution time: .*\n)cpu execution time: .*\naccelerator execution "
                  r"time: .*\n", r"\1", text, flags=re.M)
    if "micros" not in select or "cpu_micros" in select:
        return text
    text = text.replace(" | total execution time | accelerator execution time | cpu execution time",
                        " | total execution time")
    text = re.sub(rf"({PAIR}), (?:--|0us)/0us, \1", r"\1", text)
    return re.sub(rf"({SHARE}), +0us \(0\.00%, 0\.00%\),\1", r"\1", text)


def read_golden(path):
    """(query, report) of a .query file. Types also come from the labels of run metadata:
    NAME.executed.txt, if there is one, is the answer of TensorFlow's profiler once it is told
    of those."""
    with open(path, encoding="utf-8") as file:
        query = query_line.parse(file.read())
    base = path[:-len(".query")]
    executed = base + ".executed.txt"
    with open(executed if os.path.exists(executed) else base + ".txt", "rb") as file:
        text = file.read().decode()
    if os.path.basename(os.path.dirname(path)) not in WITH_ACCELERATOR:
        text = with_one_time(text, query.options.get("select", "micros").split(","))
    return query, text
