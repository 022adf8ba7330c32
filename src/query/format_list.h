/* The output formats of a query result, one entry each. They define the words of the
 * option output, their help and their writers.
 *
 *     id        FORMAT_id
 *     word      in the option output
 *     file      how its file is named and packed (enum format_file)
 *     metrics   the metrics it needs, selected or not
 *     refuse    function that rejects queries it cannot write, or no_refusal
 *     write     the writer (src/write/), or no_writer
 *     announce  function that reports the written file, or no_announcement
 *     meaning   help for the word
 */
#ifndef TFPROF_QUERY_FORMAT_LIST_H
#define TFPROF_QUERY_FORMAT_LIST_H

/* clang-format off */
#define OUTPUT_FORMATS(X)                                                      \
	X(ARROW, "arrow", PLAIN, 0, no_refusal, arrow_write, no_announcement,  \
		"the rows, as an Arrow file")                                  \
	X(COLLAPSED, "collapsed", BY_SUFFIX, 0, collapsed_refuse, collapsed_write, no_announcement, \
		"collapsed stacks for flame graphs (scope, code)")             \
	X(CSV, "csv", BY_SUFFIX, 0, no_refusal, csv_write, no_announcement,    \
		"the rows, as comma-separated values")                         \
	X(FILE, "file", PLAIN, 0, no_refusal, text_write, no_announcement,     \
		"the report, to a file")                                       \
	X(HTML, "html", BY_SUFFIX, 0, html_refuse, no_writer, no_announcement, \
		"a page of source code (annotate)")                            \
	X(JSON, "json", BY_SUFFIX, 0, no_refusal, json_write, no_announcement, \
		"the rows, as JSON")                                           \
	X(JSONL, "jsonl", BY_SUFFIX, 0, no_refusal, jsonl_write, no_announcement, \
		"the rows, as JSON Lines")                                     \
	X(MARKDOWN, "markdown", BY_SUFFIX, 0, no_refusal, markdown_write, no_announcement, \
		"the rows, as a table for a pull request")                     \
	X(NONE, "none", NOT, 0, no_refusal, no_writer, no_announcement,        \
		"no output")                                                   \
	X(PPROF, "pprof", GZIP, 0, pprof_refuse, pprof_write, pprof_announce,  \
		"a profile for the pprof tool")                                \
	X(PROMETHEUS, "prometheus", BY_SUFFIX, 0, no_refusal, prometheus_write, no_announcement, \
		"totals, for Prometheus")                                      \
	X(SPEEDSCOPE, "speedscope", BY_SUFFIX, 0, speedscope_refuse, speedscope_write, \
		no_announcement, "a profile for speedscope (scope, code)")     \
	X(STDOUT, "stdout", NOT, 0, no_refusal, text_write, no_announcement,   \
		"the report, to standard output")                              \
	X(TIMELINE, "timeline", BY_STEP, 1u << METRIC_MICROS, timeline_refuse, timeline_write, \
		timeline_announce,                                             \
		"a trace for Perfetto or chrome://tracing")
/* Internal: not for files. */
#define INNER_FORMATS(X)                                                       \
	X(MESSAGE, "message", NOT, ALL_METRICS, no_refusal, message_write, no_announcement, \
		"the nodes shown, as TensorFlow's result message")
/* clang-format on */

#define FORMATS(X) OUTPUT_FORMATS(X) INNER_FORMATS(X)

enum format {
#define X(id, ...) FORMAT_##id,
	FORMATS(X)
#undef X
		N_FORMATS
};

enum format_file {
	FILE_NOT, /* no file */
	FILE_PLAIN,
	FILE_BY_SUFFIX, /* compressed if its name ends in .gz */
	FILE_GZIP,      /* always compressed */
	FILE_BY_STEP,   /* like BY_SUFFIX; several steps are several files */
};

#endif
