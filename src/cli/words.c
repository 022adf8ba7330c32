#include "words.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *flag, *word, *meaning;
} meanings[] = {
	{"select", "bytes", "memory requested"},
	{"select", "peak_bytes", "memory held at the peak"},
	{"select", "residual_bytes", "memory still held afterwards"},
	{"select", "output_bytes", "memory of the outputs"},
	{"select", "micros", "time: total, on accelerators and on cpu"},
	{"select", "accelerator_micros", "time on accelerators"},
	{"select", "cpu_micros", "time on cpu"},
	{"select", "params", "number of parameters (of variables)"},
	{"select", "float_ops", "number of float operations"},
	{"select", "occurrence", "how often it ran, how many nodes there are"},
	{"select", "tensor_value", "values out of the checkpoint (scope, graph)"},
	{"select", "device", "where it was placed"},
	{"select", "op_types", "its operation, device and types of your own"},
	{"select", "input_shapes", "shapes of its inputs"},
	{"order_by", "name", "A to Z"},
	{"order_by", "depth", "outermost first"},
	{"order_by", "occurrence", "most nodes first (op, code)"},
	{"output", "stdout", "the report, here"},
	{"output", "none", "nothing"},
	{"output", "file", "the report, into a file"},
	{"output", "timeline", "a trace for Perfetto or chrome://tracing (graph, scope, code)"},
	{"output", "pprof", "a profile for the pprof tool (code)"},
	{"output", "json", "the nodes shown, as JSON"},
	{"output", "csv", "the nodes shown, as comma-separated values"},
	{"fail_on", "none", "whatever is found, the status is 0"},
	{"fail_on", "notice", "something is worth knowing"},
	{"fail_on", "warning", "something is worth a look"},
	{"fail_on", "high", "something costs a lot"},
};

const char *word_meaning(const char *flag, const char *word)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (strcmp(meanings[i].flag, flag) == 0 && strcmp(meanings[i].word, word) == 0)
			return meanings[i].meaning;
	/* What is ordered by is what is selected. */
	return strcmp(flag, "order_by") == 0 ? word_meaning("select", word) : NULL;
}
