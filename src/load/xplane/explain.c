#include "load/xplane/explain.h"

#include "base/debug.h"

enum { MOST_STEPS = 20, MOST_NAMES = 10 };

/* ---- steps --------------------------------------------------------------- */

static void print_numbers(const struct trace *t)
{
	struct buf text = {0};

	for (size_t i = 0; i < t->steps.n && i < MOST_STEPS; i++)
		buf_printf(&text, "%s%lld", i ? ", " : "", (long long)t->steps.at[i]);
	if (t->steps.n > MOST_STEPS)
		buf_printf(&text, " and %zu more", t->steps.n - MOST_STEPS);
	if (!text.failed && text.n)
		debug_print(DEBUG_STEPS, "numbers: %s", text.at);
	buf_clear(&text);
}

void trace_explain_markers(const struct trace *t)
{
	size_t n_calls = 0;

	if (!debug_is_on(DEBUG_STEPS))
		return;
	for (size_t i = 0; i < t->roots.n; i++)
		n_calls += t->roots.at[i].is_function_run;
	debug_print(DEBUG_STEPS,
		"found: %zu markers with a step_num, %zu steps recorded by devices, %zu root "
		"events, "
		"of which %zu are calls of functions",
		t->markers.n, t->device_steps.n, t->roots.n, n_calls);
}

void explain_steps(const struct trace *t, const char *path)
{
	static const char *const why[] = {
		[STEPS_MARKED] = "markers with a step_num",
		[STEPS_COUNTED] = "no marker has a step_num: root events, numbered in order",
		[STEPS_OF_CALLS] = "no markers: each call of a function is a step",
		[STEPS_NONE] = "neither markers nor calls of functions: all is one step",
	};

	if (!debug_is_on(DEBUG_STEPS))
		return;
	debug_print(DEBUG_STEPS, "%s: %s", path ? path : "memory", why[t->steps_from]);
	debug_print(DEBUG_STEPS,
		"result: %zu steps, %llu operations in them, %llu outside of all (%.3fms)",
		t->steps.n, (unsigned long long)t->n_inside, (unsigned long long)t->n_outside,
		(double)t->outside_ps / 1e9);
	print_numbers(t);
}

/* ---- joining with the graph ---------------------------------------------- */

/* Why an operation has the node that it has. */
enum reason { BY_NAME, BY_OTHER_NAME, BY_ORIGIN, BY_GRADIENT, BY_KERNEL, AMBIGUOUS, UNKNOWN };

static enum reason reason_of(const struct apply *a, size_t target)
{
	struct span name = strings_get(&a->trace->texts, a->trace->targets.at[target].name);

	if (a->is_fused && a->is_fused[target])
		return BY_KERNEL;
	if (a->origins[target] != NONE)
		return BY_ORIGIN;
	if (a->is_joined[target])
		return a->nodes[target] < a->first_new &&
				span_equal(model_name(a->model, a->nodes[target]), name)
			? BY_NAME
			: BY_OTHER_NAME;
	if (a->is_gradient && a->is_gradient[target])
		return BY_GRADIENT;
	return a->join.found[target].in.is_ambiguous ? AMBIGUOUS : UNKNOWN;
}

/* Names of operations that are no node of the graph: the usual cause of a wrong table. */
static void print_unknown(const struct apply *a, const size_t *counts)
{
	size_t left = MOST_NAMES;

	for (size_t i = 0; left && i < a->trace->targets.n; i++) {
		enum reason reason = reason_of(a, i);
		struct span name = strings_get(&a->trace->texts, a->trace->targets.at[i].name);

		if (reason != UNKNOWN && reason != AMBIGUOUS)
			continue;
		debug_print(DEBUG_JOIN, "%s: %.*s (%u operations)",
			reason == UNKNOWN ? "not in the graph" : "ambiguous in the graph",
			(int)(name.n < 300 ? name.n : 300), name.at, a->trace->targets.at[i].n_ops);
		left--;
	}
	if (counts[UNKNOWN] + counts[AMBIGUOUS] > MOST_NAMES)
		debug_print(DEBUG_JOIN, "… and %zu more",
			counts[UNKNOWN] + counts[AMBIGUOUS] - MOST_NAMES);
}

void explain_join(const struct apply *a)
{
	size_t counts[UNKNOWN + 1] = {0};

	if (!debug_is_on(DEBUG_JOIN))
		return;
	if (!a->first_new && !a->model->graphs.n) {
		debug_print(DEBUG_JOIN, "no graph to join with: %zu names become nodes",
			a->trace->targets.n);
		return;
	}
	for (size_t i = 0; i < a->trace->targets.n; i++)
		counts[reason_of(a, i)]++;
	debug_print(DEBUG_JOIN,
		"%zu names in the trace, %zu nodes and %zu graphs with functions before it",
		a->trace->targets.n, a->first_new, a->join.libraries.n);
	debug_print(DEBUG_JOIN,
		"found: %zu by their name, %zu in a function or a branch, %zu by the name that the "
		"compiler kept, %zu as fused kernels, %zu as gradients of a scope",
		counts[BY_NAME], counts[BY_OTHER_NAME], counts[BY_ORIGIN], counts[BY_KERNEL],
		counts[BY_GRADIENT]);
	debug_print(DEBUG_JOIN, "not found: %zu; ambiguous: %zu", counts[UNKNOWN],
		counts[AMBIGUOUS]);
	debug_print(DEBUG_JOIN,
		"time: %.3fms, of which %.3fms in nodes of the graph, %.3fms in gradients, %.3fms "
		"in "
		"fused kernels",
		(double)a->all_ps / 1e9, (double)a->joined_ps / 1e9, (double)a->gradient_ps / 1e9,
		(double)a->fused_ps / 1e9);
	print_unknown(a, counts);
}
