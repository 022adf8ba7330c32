/* What a query has to say besides its report. */
#include <math.h>

#include "ask/gaps.h"
#include "ask/view.h"
#include "base/spelling.h"
#include "query/renamed.h"
#include "query/regex.h"

/* ---- what is asked for and not there ----------------------------------------------- */

/* Graph view of a trace without data flow has no inputs to show. */
static bool is_flow_of_trace(const struct query *q)
{
	return q->kind == TFPROF_GRAPH && gap_get_reason(q->model, GAP_GRAPH);
}

/* Whether the graph says where a node is to run. */
static bool has_placement(const struct model *m)
{
	for (uint32_t node = 0; node < m->nodes.n; node++)
		if (m->nodes.placed[node])
			return true;
	return false;
}

static bool asks_for(const struct query *q, enum gap gap)
{
	const struct tfprof_options *o = q->options;
	/* A negative number makes the query look at all metrics, asked for or not. */
	unsigned metrics = q->model->has_negative ? 0 : query_metrics(q->model, o);

	switch (gap) {
	case GAP_RUNS:
		return metrics & ~(unsigned)(MODEL_METRICS_MASK | 1 << METRIC_OCCURRENCE) ||
			(options_select(o, SEL_DEVICE) && !has_placement(q->model));
	case GAP_GRAPH: return metrics & 1 << METRIC_PARAMS || is_flow_of_trace(q);
	case GAP_FLOAT_OPS: return metrics & 1 << METRIC_FLOAT_OPS;
	case GAP_SHAPES: return q->kind != TFPROF_CODE && options_select(o, SEL_INPUT_SHAPES);
	/* Code view without stacks is an error; tensor_value is noted in TensorFlow's API,
	 * too. */
	default: return false;
	}
}

/* Zeros alone do not tell. */
static void note_gaps(struct answer *a, const struct query *q)
{
	const char *last = NULL;

	for (int gap = 0; gap < N_GAPS; gap++) {
		const struct gap_info *what = gap_get((enum gap)gap);
		const char *reason = gap_get_reason(q->model, (enum gap)gap);

		if (!asks_for(q, (enum gap)gap) || !gap_is_open(q->model, (enum gap)gap) ||
			(reason && reason == last))
			continue;
		last = reason;
		if (reason)
			answer_note(a, what->id, "no %s in this trace: %s", what->what, reason);
		else
			answer_note(a, what->id, "no %s in this profile: add %s", what->what,
				what->remedy);
	}
}

/* A frozen graph has data flow, but no variables. */
static void note_parameters(struct answer *a, const struct query *q)
{
	const struct model *m = q->model;

	if (!options_select(q->options, SEL_PARAMS) || gap_is_open(m, GAP_GRAPH))
		return;
	for (uint32_t node = 0; node < m->nodes.n; node++)
		if (model_parameters(m, node))
			return;
	answer_note(a, "no_parameters",
		"no parameters in this profile: add the graph with its variables and their shapes, "
		"from as_graph_def(add_shapes=True), or a checkpoint");
}

/* A report has none of it, so only programs are told. */
static void note_not_saved(struct answer *a, const struct query *q)
{
	if (q->kind != TFPROF_OP || !model_is_saved_trace(q->model) ||
		!model_has_accelerator(q->model))
		return;
	answer_note(a, "not_saved",
		"a saved profile lacks kernels, and what kind of work they did: ask the trace that "
		"it was saved from");
	if (!a->failed)
		a->notes.at[a->notes.n - 1].is_in_text = true;
}

/* Only a trace tells what threads did. */
static void note_threads(struct answer *a, const struct query *q)
{
	static const enum select_id words[] = {SEL_BUSY, SEL_WAITING, SEL_THREADS};

	if (gap_is_open(q->model, GAP_RUNS) || q->model->execs.lanes.n ||
		model_is_recorded(q->model))
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (options_select(q->options, words[i])) {
			answer_note(a, "no_thread_times",
				"no times of threads in this profile: busy, waiting and threads "
				"need a trace (*.xplane.pb)");
			return;
		}
}

/* Only compiled programs have the shapes of all that they read and write. */
static void note_costs(struct answer *a, const struct query *q)
{
	unsigned words = SELECT(MATRIX_FLOAT_OPS) | SELECT(BYTES_ACCESSED);

	if (q->options->selected & words && !q->model->compiled.n_costs)
		answer_note(a, "no_costs",
			"no bytes accessed and matrix float operations in this profile: they are "
			"counted in programs that XLA compiled, which traces (*.xplane.pb) of JAX "
			"and of TensorFlow with jit_compile=True have");
}

/* ---- peaks of compiled programs ------------------------------------------------------ */

void view_note_peaks(struct answer *a, const struct model *m)
{
	const struct compiled *c = &m->compiled;

	if (!c->n_peaks)
		return;
	if (c->n_peak_programs > 1)
		answer_note(a, "peaks_of_programs",
			"peak bytes are those of %zu compiled programs, each at its own peak: "
			"their sum is not a peak",
			c->n_peak_programs);
	if (c->unplaced_bytes)
		answer_note(a, "unplaced_peak",
			"%.2fMB that compiled programs hold at their peaks are of no node",
			(double)c->unplaced_bytes / 1e6);
}

/* ---- regexes that match nothing ------------------------------------------------------ */

/* One of the lists, and the names that it is tried on. */
struct list {
	struct query *q;
	const char *option, *names;
	struct regexes *regexes;
	bool is_of_types;
};

/* Whether the regex is tried on this name, too: one that begins and ends with .* takes the square
 * of its length, at least. A second is enough for a note. */
static bool spend(double *budget, struct span name)
{
	*budget -= 100 + (double)name.n * (double)name.n;
	return *budget > 0;
}

static bool matches_label(const struct list *l, struct regexes *r, size_t i, double *budget)
{
	const struct tree *t = l->q->tree;

	for (uint32_t v = 1; v < t->n && !query_cancelled(l->q); v++)
		if (!spend(budget, tree_label(t, v)))
			return false;
		else if (regexes_match_one(r, i, tree_label(t, v)))
			return true;
	return false;
}

static bool matches_type(const struct list *l, struct regexes *r, size_t i, double *budget)
{
	const struct model *m = l->q->model;

	for (size_t k = 0; k < m->sets.at.n && !query_cancelled(l->q); k++)
		for (uint32_t n = 0; n < m->sets.at.at[k].n; n++) {
			struct span type = m->strings.text.at[m->sets.at.at[k].at[n]];

			if (!spend(budget, type))
				return false;
			if (regexes_match_one(r, i, type))
				return true;
		}
	return false;
}

static bool matches_any(const struct list *l, struct regexes *r, size_t i, double *budget)
{
	return l->is_of_types ? matches_type(l, r, i, budget) : matches_label(l, r, i, budget);
}

/* Whether .*X.* matches where X does not. */
static bool helps_to_widen(const struct list *l, struct span pattern)
{
	struct regexes *wider = NULL;
	struct buf wide = {0};
	struct span one;
	double budget = 2e9;
	bool helps = false;

	buf_printf(&wide, ".*%.*s.*", (int)pattern.n, pattern.at);
	one = buf_get(&wide);
	if (!wide.failed && regexes_new(&wider, l->option, &one, 1, NULL) == TFPROF_OK)
		helps = matches_any(l, wider, 0, &budget) && !regexes_failed(wider);
	regexes_free(wider);
	buf_clear(&wide);
	return helps;
}

static void note_regex(struct answer *a, const struct list *l, size_t i)
{
	struct span pattern = regexes_get_pattern(l->regexes, i);
	struct buf text = {0};

	buf_printf(&text, "%s: '%.*s' matches no %s", OPTION(l->option), ERROR_SPAN(pattern),
		l->names);
	if (!regexes_is_in_none(l->regexes, i) && helps_to_widen(l, pattern))
		buf_printf(&text, ": regexes match whole names: use '.*%.*s.*'",
			ERROR_SPAN(pattern));
	answer_note_lines(a, "regex_matches_nothing", &text);
}

/* Trying one on all names takes as long as the query did, so a list of thousands gets a
 * few notes and a last word. */
static void note_list(struct answer *a, const struct list *l)
{
	enum { MAX_TRIED = 16, MAX_NOTED = 5 };
	size_t n = regexes_count(l->regexes), i, n_tried = 0, n_noted = 0;
	double budget = INFINITY; /* the query has tried them, too */

	for (i = 0; i < n && n_tried < MAX_TRIED && n_noted < MAX_NOTED; i++) {
		/* Of several that match a name, the query tried only the first. */
		if (regexes_has_matched(l->regexes, i))
			continue;
		n_tried++;
		if (!regexes_matches_none(l->regexes, i) && matches_any(l, l->regexes, i, &budget))
			continue;
		if (query_cancelled(l->q))
			return;
		note_regex(a, l, i);
		n_noted++;
	}
	while (i < n && regexes_has_matched(l->regexes, i))
		i++;
	if (n_noted && i < n)
		answer_note(a, "regexes_match_nothing",
			"%s: more of its %zu regexes may match no %s", OPTION(l->option), n,
			l->names);
}

static void note_regexes(struct answer *a, struct query *q)
{
	const char *names = q->kind == TFPROF_OP ? "operation type"
		: q->kind == TFPROF_CODE         ? "line of code"
						 : "name";
	const struct list lists[] = {
		{q, "account_type_regexes", "type", q->account, true},
		{q, "start_name_regexes", names, q->start, false},
		{q, "trim_name_regexes", names, q->trim, false},
		{q, "show_name_regexes", names, q->show, false},
		{q, "hide_name_regexes", names, q->hide, false},
	};

	/* Without a name there is nothing to match. */
	if (q->tree->n <= 1)
		return;
	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++)
		if (lists[k].regexes && !regexes_accept_all(lists[k].regexes))
			note_list(a, &lists[k]);
}

/* Nothing but the root is shown, and nothing was said so far. */
static void note_empty(struct answer *a, const struct query *q)
{
	if (q->n > 1 || a->notes.n || q->options->number[OPT_MAX_DEPTH] <= 1)
		return;
	if (!q->model->nodes.n)
		answer_note(a, "no_nodes", "the profile has no nodes");
	else if (q->n_unlisted)
		answer_note(a, "scopes_not_listed",
			"no accounted node is shown: all_scopes lists the scopes that hold them");
	else
		answer_note(a, "nothing_shown", "no node passes all regexes and minimums");
}

/* ---- all of it -------------------------------------------------------------------- */

void view_note(struct answer *a, struct query *q)
{
	const struct tfprof_options *o = q->options;
	const struct word_list *words = &o->list[OPT_SELECT];
	struct buf text = {0};

	if (o->took_dump_to_file) {
		buf_text(&text,
			"-dump_to_file option is deprecated. Please use -output "
			"file:outfile=<filename>\n-output is overwritten with -output "
			"file:outfile=");
		buf_span(&text, o->output.outfile);
		answer_note_lines(a, "dump_to_file", &text);
	}
	for (size_t i = 0; i < words->n; i++)
		if (options_find_select(words->at[i]) == N_SELECTS) {
			buf_text(&text, "Unknown select: ");
			buf_span(&text, words->at[i]);
			answer_note_lines(a, "unknown_select", &text);
		}
	if (q->kind == TFPROF_CODE) {
		if (q->tree->n_lost_gradients)
			answer_note(a, "gradients_not_accounted",
				"%zu gradient nodes not accounted", q->tree->n_lost_gradients);
		if (options_select(o, SEL_TENSOR_VALUE))
			answer_note(a, "no_values_in_code",
				"code view has no tensor value to show");
	}
	if (query_has_groups(q) && q->kind != TFPROF_OP && o->number[OPT_ACCOUNT_DISPLAYED_OP_ONLY])
		answer_note(a, "option_ignored", "Note: %s view ignores account_displayed_op_only",
			tfprof_view_get_name(q->kind));
	if (q->kind != TFPROF_CODE && options_select(o, SEL_TENSOR_VALUE) && !q->model->checkpoint)
		answer_note(a, "no_checkpoint", "tensor_value needs a checkpoint: there is none");
	if (!o->tolerant) {
		note_gaps(a, q);
		note_parameters(a, q);
		note_threads(a, q);
		note_costs(a, q);
		if (query_asked_metrics(o) & 1u << METRIC_PEAK_BYTES)
			view_note_peaks(a, q->model);
		note_regexes(a, q);
		note_empty(a, q);
		note_not_saved(a, q);
	}
	renamed_note(q, &text);
	answer_note_lines(a, "ran_as_another", &text);
	if (q->saturated)
		answer_note(a, "too_large",
			"a number does not fit in 64 bits and is shown as the largest that does");
}
