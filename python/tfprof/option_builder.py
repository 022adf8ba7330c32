"""Options of a query, built step by step.

The dictionaries are those of ``tf.compat.v1.profiler.ProfileOptionBuilder``.
"""

import copy
from typing import Any, Dict, List, Optional, Sequence

Options = Dict[str, Any]


def _options(**changes: Any) -> Options:
    options: Options = {
        "max_depth": 100,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": False,
        "select": ["micros"],
        "step": -1,
        "output": "stdout",
    }
    options.update(changes)
    return options


class ProfileOptionBuilder:
    """Builds the options of ``profile()`` and of a Profiler's methods.

    Start from a preset or from the defaults, make changes, and ``build()`` the
    dictionary:

    >>> import tfprof
    >>> builder = tfprof.ProfileOptionBuilder
    >>> options = (builder(builder.time_and_memory())
    ...            .order_by('micros')
    ...            .with_max_depth(5)
    ...            .build())
    >>> options['select'], options['max_depth']
    (['micros', 'bytes'], 5)
    """

    def __init__(self, options: Optional[Options] = None):
        """`options`: the options to start from, which are copied; None for the defaults."""
        self._options = _options() if options is None else copy.deepcopy(options)

    # -- presets -----------------------------------------------------------

    @staticmethod
    def trainable_variables_parameter() -> Options:
        """Parameters of the trainable variables.

        >>> ProfileOptionBuilder.trainable_variables_parameter()['account_type_regexes']
        ['_trainable_variables']
        """
        return _options(max_depth=10000, account_type_regexes=["_trainable_variables"],
                        account_displayed_op_only=True, select=["params"])

    @staticmethod
    def float_operation() -> Options:
        """Float operations, the most expensive first.

        >>> ProfileOptionBuilder.float_operation()['order_by']
        'float_ops'
        """
        return _options(max_depth=10000, min_float_ops=1, order_by="float_ops",
                        account_displayed_op_only=True, select=["float_ops"])

    @staticmethod
    def time_and_memory(min_micros: int = 1, min_bytes: int = 1, min_accelerator_micros: int = 0,
                        min_cpu_micros: int = 0, min_peak_bytes: int = 0,
                        min_residual_bytes: int = 0, min_output_bytes: int = 0) -> Options:
        """Time and memory, the slowest first, of nodes that reach the minimums.

        >>> ProfileOptionBuilder.time_and_memory(min_micros=100)['min_micros']
        100
        """
        return _options(max_depth=10000, min_bytes=min_bytes, min_peak_bytes=min_peak_bytes,
                        min_residual_bytes=min_residual_bytes, min_output_bytes=min_output_bytes,
                        min_micros=min_micros, min_accelerator_micros=min_accelerator_micros,
                        min_cpu_micros=min_cpu_micros, order_by="micros",
                        account_displayed_op_only=True, select=["micros", "bytes"])

    def build(self) -> Options:
        """The dictionary; later changes to the builder do not affect it."""
        return copy.deepcopy(self._options)

    # -- what is shown -------------------------------------------------------

    def with_max_depth(self, max_depth: int) -> "ProfileOptionBuilder":
        """Show nodes at most this many levels below the root."""
        return self._set(max_depth=max_depth)

    def with_min_memory(self, min_bytes: int = 0, min_peak_bytes: int = 0,
                        min_residual_bytes: int = 0,
                        min_output_bytes: int = 0) -> "ProfileOptionBuilder":
        """Show only nodes that use at least this much memory."""
        return self._set(min_bytes=min_bytes, min_peak_bytes=min_peak_bytes,
                         min_residual_bytes=min_residual_bytes, min_output_bytes=min_output_bytes)

    def with_min_execution_time(self, min_micros: int = 0, min_accelerator_micros: int = 0,
                                min_cpu_micros: int = 0) -> "ProfileOptionBuilder":
        """Show only nodes that take at least this much time."""
        return self._set(min_micros=min_micros, min_accelerator_micros=min_accelerator_micros,
                         min_cpu_micros=min_cpu_micros)

    def with_min_parameters(self, min_params: int) -> "ProfileOptionBuilder":
        """Show only nodes with at least this many parameters."""
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> "ProfileOptionBuilder":
        """Show only nodes that occur at least this many times."""
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> "ProfileOptionBuilder":
        """Show only nodes with at least this many float operations."""
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> "ProfileOptionBuilder":
        """Account only nodes one of whose types matches one of the regexes.

        The types of a node are its op, its device, and those of an op log.
        """
        return self._set(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(self, start_name_regexes: Optional[List[str]] = None,
                        show_name_regexes: Optional[List[str]] = None,
                        hide_name_regexes: Optional[List[str]] = None,
                        trim_name_regexes: Optional[List[str]] = None) -> "ProfileOptionBuilder":
        """Choose nodes by name; None leaves an option unchanged.

        The display starts at names that match `start`, omits names that do not
        match `show` or that match `hide`, and ends below names that match `trim`.
        """
        names = {"start_name_regexes": start_name_regexes, "show_name_regexes": show_name_regexes,
                 "hide_name_regexes": hide_name_regexes, "trim_name_regexes": trim_name_regexes}
        return self._set(**{key: copy.copy(value) for key, value in names.items()
                            if value is not None})

    def account_displayed_op_only(self, is_true: bool) -> "ProfileOptionBuilder":
        """Whether to add up only what is displayed."""
        return self._set(account_displayed_op_only=is_true)

    def with_step(self, step: int) -> "ProfileOptionBuilder":
        """Which step to show; -1 is the average over all steps."""
        return self._set(step=step)

    def order_by(self, attribute: str) -> "ProfileOptionBuilder":
        """Order siblings by name, micros, bytes, params, float_ops, ..."""
        return self._set(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> "ProfileOptionBuilder":
        """Which attributes to show: micros, bytes, params, float_ops, ..."""
        return self._set(select=copy.copy(attributes))

    # -- where it goes -------------------------------------------------------

    def with_empty_output(self) -> "ProfileOptionBuilder":
        """Produce no report, only the result message."""
        return self._set(output="none")

    def with_stdout_output(self) -> "ProfileOptionBuilder":
        """Write the report to stdout."""
        return self._set(output="stdout")

    def with_file_output(self, outfile: str) -> "ProfileOptionBuilder":
        """Write the report to a file."""
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> "ProfileOptionBuilder":
        """Write a timeline for a trace viewer to `timeline_file` + ``_<step>``."""
        return self._set(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> "ProfileOptionBuilder":
        """Write a profile for pprof to a file. Code view only."""
        return self._set(output=f"pprof:outfile={pprof_file}")

    def _set(self, **changes: Any) -> "ProfileOptionBuilder":
        self._options.update(changes)
        return self
