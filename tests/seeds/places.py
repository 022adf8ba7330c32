"""Where the commands of the documents run: directories that have the files they name, and the
program under the paths that it had when it was built with Bazel."""

import gzip
import os
import re
import subprocess
import sys

import seq2seq
import tree

HERE = os.path.dirname(os.path.abspath(__file__))

# Programs that are not ours, and what was said by a checker that was not open.
NOT_OURS = ("bazel build", "google-pprof")
NOT_SAID = {"Not running under xxxx. Skip JobChecker.": "JobChecker runs here"}

ALL = "--graph_path=graph.pbtxt --run_meta_path=run_meta --op_log_path=tfprof_log"
FLAGS = {"graph_path": "graph.pbtxt", "run_meta_path": "run_meta", "op_log_path": "tfprof_log",
         "checkpoint_path": "model.ckpt"}

# What runs where, and from which files; the first that matches. Without an entry, a command runs
# on the ResNet with the files that its block requires.
PLACES = (
    # The document names only a graph and an op log, which have no times.
    (r"code .*model_analyzer", "model_analyzer", ALL),
    (r"advise|code -select accelerator_micros", "textsum", ALL),
    (r"scope -account_type_regexes pool_logit", "resnet",
     "--graph_path=graph.pbtxt --op_log_path=own_log"),
    (r"graph -step -1 .*timeline", "resnet", ALL),
    (r"scope -account_type_regexes VariableV2", "resnet", "--graph_path=graph.pbtxt"),
    (r"scope -show_name_regexes unit_2_1", "resnet",
     "--graph_path=graph.pbtxt --op_log_path=tfprof_log"),
    (r"$", "resnet", "--graph_path=graph.pbtxt"),
)
# The table of operations with accelerators, and the older one without.
TABLES = {"profiler_and_advisor.md": "textsum", "tfprof.md": "resnet"}


def place_of(command):
    """The directory of a command and the flags that tfprof is started with."""
    if command.text.startswith("op "):
        return TABLES[command.document], ALL
    for pattern, directory, flags in PLACES:
        if re.match(pattern, command.text):
            return directory, flags
    required = re.findall(r"--(\w+)", "".join(note for note in command.notes if "Requires" in note))
    return "resnet", " ".join(f"--{name}={FLAGS[name]}" for name in required or ["graph_path"])


class Workplace:
    """All directories, below one."""

    def __init__(self, root, models):
        self.root = root
        self.kept = {}
        self._make_programs()
        self._make_resnet(models / "resnet")
        seq2seq.write(self._make("textsum"))
        (root / "home" / "tfprof").mkdir(parents=True)
        (root / "home" / "tfprof" / "textsum").symlink_to(root / "textsum")
        for path in ("tmp/train_dir", "tmp/profiles"):
            (root / path).mkdir(parents=True)
        for path in ("tmp/train_dir/profile_xx", "tmp/profiles/profile_1"):
            (root / path).symlink_to(models / "resnet" / "profile")

    def _make(self, name):
        (self.root / name).mkdir()
        for path in ("bazel-bin", "bin"):
            (self.root / name / path).symlink_to(self.root / path)
        return self.root / name

    def _make_programs(self):
        for path, program in (("bin/tfprof", tree.program()),
                              ("bazel-bin/tensorflow/tools/tfprof/tfprof", tree.program()),
                              ("bazel-bin/tensorflow/core/profiler/profiler", tree.program()),
                              ("bazel-bin/tensorflow/python/profiler/profiler_ui",
                               os.path.join(os.path.dirname(tree.program()), "tfprof-ui"))):
            os.makedirs(self.root / os.path.dirname(path), exist_ok=True)
            (self.root / path).symlink_to(program)

    def _make_resnet(self, files):
        here = self._make("resnet")
        for name, file in (("graph.pbtxt", "graph.pbtxt"), ("run_meta", "run_meta_0"),
                           ("tfprof_log", "tfprof_log")):
            (here / name).symlink_to(files / file)
        for name in os.listdir(os.path.join(tree.DATA, "resnet_checkpoint")):
            with gzip.open(os.path.join(tree.DATA, "resnet_checkpoint", name)) as packed:
                (here / name[:-len(".gz")]).write_bytes(packed.read())
        (here / "own_log").write_text("".join(
            f'log_entries {{ name: "pool_logit/{name}" types: "pool_logit" }}\n'
            for name in ("DW", "biases")))

    def make_model_analyzer(self):
        """The model of TensorFlow's own tests, or one like it: its files and functions have those
        names."""
        here = self._make("model_analyzer")
        subprocess.run([sys.executable, os.path.join(HERE, "models", "model_analyzer_run.py"), here],
                       check=True, capture_output=True)

    def localize(self, text):
        """Placeholders and paths below /tmp."""
        return text.replace("/tmp/", f"{self.root}/tmp/").replace(
            "<filename>", str(self.root / "tmp" / "out"))

    def environment(self):
        return {**os.environ, "HOME": str(self.root / "home"), "TERM": "dumb",
                "PATH": f"{self.root}/bin:{os.environ['PATH']}"}

    def shell(self, line, directory, typed=""):
        """Runs a line of the shell; returns what it prints."""
        done = subprocess.run(["bash", "-c", self.localize(line)], cwd=self.root / directory,
                              input=typed, capture_output=True, text=True, timeout=100,
                              env=self.environment())
        assert done.returncode == 0, f"{line}: {done.stderr}"
        return done.stdout

    def say(self, start, directory, lines):
        """Types lines; returns what the last one prints."""
        printed = [self.shell(start, directory, "".join(line + "\n" for line in self_lines))
                   for self_lines in (map(self.localize, lines[:-1]), map(self.localize, lines))]
        if not lines[:-1]:
            return printed[1]
        assert printed[1].startswith(printed[0])
        return printed[1][len(printed[0]):]

    def answer(self, command):
        """What a command prints. Each runs once."""
        key = str(command)
        if key not in self.kept:
            directory, flags = place_of(command)
            if directory == "model_analyzer" and not (self.root / directory).exists():
                self.make_model_analyzer()
            if command.is_typed:
                self.kept[key] = self.say(command.start or f"tfprof {flags}", directory,
                                          [*command.before, command.text])
            else:
                self.kept[key] = self.shell(command.text, "resnet")
        return self.kept[key]
