"""Random queries on a case: every view and option, with regexes made from strings
of the case, so that filters match some of it."""

import re
from dataclasses import dataclass

from messages import OptionsProto

VIEWS = ("scope", "graph", "op", "code")
SELECTS = ("bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros",
           "accelerator_micros", "cpu_micros", "params", "float_ops", "occurrence", "device",
           "op_types", "input_shapes")
ORDERS = ("name", "bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros",
          "accelerator_micros", "cpu_micros", "params", "float_ops", "occurrence")
MINIMUMS = {
    "min_bytes": (1, 1000, 100_000), "min_peak_bytes": (1, 500, 50_000),
    "min_residual_bytes": (1, 200), "min_output_bytes": (1, 256, 5000),
    "min_micros": (1, 100, 5000), "min_accelerator_micros": (1, 50),
    "min_cpu_micros": (1, 100, 3000), "min_params": (1, 10),
    "min_float_ops": (1, 1000, 1_000_000), "min_occurrence": (1, 1, 2),
}
# Placeholder for the path of an output file, replaced when the query runs.
OUTFILE = "@OUTFILE@"
ROOT = "_TFProfRoot"


@dataclass
class Query:
    view: str
    options: OptionsProto

    def bytes_for(self, outfile):
        options = OptionsProto()
        options.CopyFrom(self.options)
        options.output = options.output.replace(OUTFILE, outfile)
        return options.SerializeToString()


class Words:
    """The strings a case's options can match, and its steps."""

    def __init__(self, case):
        names, types = {}, {}
        for graph in case.graphs():
            for node in graph.node:
                parts = node.name.split("/")
                names.update(dict.fromkeys("/".join(parts[:i + 1]) for i in range(len(parts))))
                types[node.op] = None
        for step in case.steps:
            for stats in step.run_meta.step_stats.dev_stats:
                types[stats.device.lower()] = None
                names.update(dict.fromkeys(entry.node_name for entry in stats.node_stats))
        labels = {}
        for log in case.op_logs():
            for entry in log.log_entries:
                types.update(dict.fromkeys(entry.types))
                for trace in entry.code_def.traces:
                    label = _label(log, trace)
                    labels[label] = labels[label + " (gradient)"] = None
        self.steps = [step.step for step in case.steps]
        self.types = list(types) or ["Op"]
        self.names = list(names) or ["name"]
        self.labels = list(labels) or ["file.py:1:main"]

    def shown_in(self, view):
        return {"op": self.types, "code": self.labels}.get(view, self.names)


def _label(log, trace):
    function = log.id_to_string[trace.function_id] if trace.function_id in log.id_to_string else ""
    file = log.id_to_string[trace.file_id] if trace.file_id in log.id_to_string else ""
    if len(function.encode()) >= 20:
        function = function[:17] + "..."
    return f"{file.rsplit('/', 1)[-1]}:{trace.lineno}:{function}"


def escape(text):
    """Makes text match itself in any Perl-like regex engine."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)


def make_regex(rng, strings):
    text = rng.choice(strings)
    cut = rng.randint(0, len(text))
    form = rng.randrange(15)
    if form < 3:
        return escape(text)
    if form < 5:
        return escape(text[:cut]) + ".*"
    if form < 7:
        return ".*" + escape(text[cut:])
    if form == 7:
        return ".*" + escape(text[cut:cut + 2]) + ".*"
    if form == 8:
        return f"({escape(text)}|{escape(rng.choice(strings))})"
    if form == 9:
        return escape(text[:cut]) + "." + escape(text[cut + 1:])
    if form == 10:
        return re.sub(r"[0-9]+", lambda _: r"\d+", escape(text))
    if form == 11:
        return "(?i)" + escape(text.upper())
    if form == 12:
        return rng.choice((".+", "[a-z]+.*", "^.*$", "[^/]*", ".*/[^/]+", "(?:a|b)*.*?", "", "\\w+",
                           ".*_grad/.*", "gradients/.*", ".{1,8}", "x{2,}", "_TFProfRoot",
                           "[[:upper:]].*", "\\S*", ".*\\b[a-f]+\\b.*", "\\D*",
                           ".*\\W.*", "[\\W_]?.*x"))
    return ".*"


def make_list(rng, strings, usual, how_often):
    if rng.random() >= how_often:
        return list(usual)
    if rng.random() < 0.1:
        return []
    regexes = [make_regex(rng, strings) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))]
    if usual and rng.random() < 0.5:
        # Permissive lists: narrow ones leave nothing to compare.
        text = rng.choice(strings)
        cut = rng.randint(0, len(text))
        regexes[0] = ".*" + escape(text[cut:cut + 1]) + ".*"
    return regexes


def matches_root(regexes):
    return any(re.fullmatch(regex.replace("[:upper:]", "A-Z"), ROOT) for regex in regexes)


def draw(rng, words, only=None):
    view = only or rng.choice(VIEWS)
    shown = words.shown_in(view)
    options = OptionsProto()
    options.max_depth = rng.choice((1, 2, 3, 4, 6, 10, 10, 20, 20, 100, 1000))
    if rng.random() < 0.02:
        options.max_depth = rng.choice((0, -1))
    if rng.random() < 0.2:
        for name in rng.sample(sorted(MINIMUMS), rng.choice((1, 1, 2))):
            setattr(options, name, rng.choice(MINIMUMS[name]))
    options.step = -1
    if rng.random() < 0.35:
        options.step = rng.choice(words.steps or [-1])
    elif rng.random() < 0.05:
        options.step = rng.choice((0, 3, -2))
    options.order_by = rng.choice(ORDERS) if rng.random() < 0.85 else "name"
    if rng.random() < 0.04:
        options.order_by = rng.choice(("", "nonsense"))
    options.account_type_regexes.extend(make_list(rng, words.types, [".*"], 0.4))
    options.start_name_regexes.extend(make_list(rng, shown, [".*"], 0.25))
    options.trim_name_regexes.extend(make_list(rng, shown, [], 0.2))
    options.show_name_regexes.extend(make_list(rng, shown, [".*"], 0.3))
    options.hide_name_regexes.extend(make_list(rng, shown, [], 0.25))
    if view == "code" and rng.random() < 0.98:
        # TensorFlow's profiler crashes on a depth of 0 or a trimmed root in this view.
        options.max_depth = max(options.max_depth, 1)
        if matches_root(options.trim_name_regexes):
            del options.trim_name_regexes[:]
    options.account_displayed_op_only = rng.random() < 0.25
    if rng.random() < 0.1:
        options.select.extend(SELECTS)
    else:
        options.select.extend(rng.sample(SELECTS, rng.choice((0, 1, 1, 2, 2, 3, 3, 5))))
    if rng.random() < 0.02:
        options.select.append("nonsense")
    output = rng.random()
    options.output = "stdout"
    if output < 0.15:
        options.output = "file:outfile=" + OUTFILE
    elif output < 0.25:
        options.output = "none"
    return Query(view, options)
