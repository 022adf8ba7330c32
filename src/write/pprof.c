/* Frames of the shown tree become calls:
 *
 *     _TFProfRoot
 *       train.py:10:main            line 10 of main calls …
 *         model.py:20:build         … build, whose line 20 calls …
 *           ops.py:30:conv          … conv
 *
 *     location = (file and line of the caller, name of the function called)
 *     function = (file, name, first line) of the function called
 *
 * Frames on the first level have no caller, so no location. */
#include "base/hash.h"
#include "base/spelling.h"
#include "base/strings.h"
#include "base/vec.h"
#include "proto/fields.h"
#include "proto/wire_write.h"
#include "write/pprof_rows.h"
#include "write/stack_rows.h"

/* The metric that is selected; N_METRICS if it is not one that can be sampled. */
static enum metric metric_of(const struct tfprof_options *o)
{
	enum metric metric = stack_metric(o);

	return metric < N_METRICS && metric_infos[metric].pprof ? metric : N_METRICS;
}

void pprof_refuse(const struct query *q, struct buf *why)
{
	/* Unknown words count too. */
	const struct word_list *select = &q->options->list[OPT_SELECT];

	if (q->kind != TFPROF_CODE && q->options->tolerant) {
		buf_text(why, "Only 'code' view supports pprof output now.");
	} else if (select->n != 1) {
		buf_text(why, "Can only select 1 attribute for pprof output.");
	} else if (metric_of(q->options) == N_METRICS) {
		buf_printf(why, "pprof doesn't support %sselect=",
			q->options->tolerant ? "-" : spell_dash());
		buf_span(why, select->at[0]);
	}
}

/* ---- tables -------------------------------------------------------------- */

struct function {
	uint32_t file, name; /* strings */
	int32_t line;
};

struct location {
	uint32_t file, name; /* of the caller; of the function called */
	int32_t line;
};

struct profile {
	struct query *q;
	enum metric metric;
	struct pprof_table out;
	struct buf text;
	VEC(struct function) functions;
	VEC(struct location) locations;
	struct hash_index function_index, location_index;
	uint64_t *calls; /* row → the location it is called from, 0: none */
	uint64_t *stack; /* locations of the sample at hand */
};

/* Functions and locations have the same key: two strings and a line. */
struct probe {
	const struct profile *profile;
	uint32_t file, name;
	int32_t line;
};

static uint64_t hash_of(const struct probe *p)
{
	return hash_mix(hash_mix(1, (uint64_t)p->file << 32 | p->name), (uint32_t)p->line);
}

static bool same_function(const void *context, uint32_t id)
{
	const struct probe *p = context;
	const struct function *f = &p->profile->functions.at[id];

	return f->file == p->file && f->name == p->name && f->line == p->line;
}

static bool same_location(const void *context, uint32_t id)
{
	const struct probe *p = context;
	const struct location *l = &p->profile->locations.at[id];

	return l->file == p->file && l->name == p->name && l->line == p->line;
}

/* "model:build" for function build of /home/me/model.py */
static struct span display_name(struct profile *p, struct span file, struct span function)
{
	const char *dot;

	file = span_after_last(file, '/');
	dot = file.n ? memrchr(file.at, '.', file.n) : NULL;
	if (dot)
		file.n = (size_t)(dot - file.at);
	p->text.n = 0;
	buf_span(&p->text, file);
	buf_char(&p->text, ':');
	buf_span(&p->text, function);
	p->out.failed |= p->text.failed;
	return buf_get(&p->text);
}

/* The name of a frame's function in the profile. */
static uint32_t name_of(struct profile *p, uint32_t v)
{
	const struct tree *t = p->q->tree;

	struct span function = tree_frame(t, v).function;

	if (!t->is_gradient[v])
		return pprof_string(&p->out, function);
	p->text.n = 0;
	buf_span(&p->text, function);
	buf_text(&p->text, " (gradient)");
	p->out.failed |= p->text.failed;
	return pprof_string(&p->out, buf_get(&p->text));
}

/* Ids start from 1. */
static uint64_t function_of(struct profile *p, uint32_t v)
{
	struct frame frame = tree_frame(p->q->tree, v);
	uint32_t name = name_of(p, v), shown;
	struct probe probe = {p, pprof_string(&p->out, frame.file), name, frame.function_line};
	uint32_t id = hash_find(&p->function_index, hash_of(&probe), same_function, &probe);
	size_t open;

	if (id != NONE || p->out.failed)
		return (uint64_t)id + 1;
	id = (uint32_t)p->functions.n;
	if (!hash_add(&p->function_index, hash_of(&probe), id) ||
		!vec_push(&p->functions, ((struct function){probe.file, name, probe.line}))) {
		p->out.failed = true;
		return 0;
	}
	shown = pprof_string(&p->out,
		display_name(p, frame.file, strings_get(&p->out.strings, name)));
	open = wire_open(&p->out.message, PPROF_PROFILE_FUNCTION);
	wire_put_int(&p->out.message, PPROF_FUNCTION_ID, (int64_t)id + 1);
	wire_put_int(&p->out.message, PPROF_FUNCTION_NAME, shown);
	wire_put_nonzero(&p->out.message, PPROF_FUNCTION_FILENAME, probe.file);
	wire_put_nonzero(&p->out.message, PPROF_FUNCTION_START_LINE, probe.line);
	wire_close(&p->out.message, open);
	pprof_flush(&p->out);
	return (uint64_t)id + 1;
}

/* The call from frame `caller` to frame `v`. */
static uint64_t location_of(struct profile *p, uint32_t caller, uint32_t v)
{
	struct frame frame = tree_frame(p->q->tree, caller);
	struct probe probe = {p, pprof_string(&p->out, frame.file), name_of(p, v), frame.line};
	uint32_t id = hash_find(&p->location_index, hash_of(&probe), same_location, &probe);
	uint64_t function;
	size_t open, line;

	if (id != NONE || p->out.failed)
		return (uint64_t)id + 1;
	id = (uint32_t)p->locations.n;
	if (!hash_add(&p->location_index, hash_of(&probe), id) ||
		!vec_push(&p->locations, ((struct location){probe.file, probe.name, probe.line}))) {
		p->out.failed = true;
		return 0;
	}
	function = function_of(p, v);
	open = wire_open(&p->out.message, PPROF_PROFILE_LOCATION);
	wire_put_int(&p->out.message, PPROF_LOCATION_ID, (int64_t)id + 1);
	line = wire_open(&p->out.message, PPROF_LOCATION_LINE);
	wire_put_int(&p->out.message, PPROF_LINE_FUNCTION_ID, (int64_t)function);
	wire_put_nonzero(&p->out.message, PPROF_LINE_LINE, probe.line);
	wire_close(&p->out.message, line);
	wire_close(&p->out.message, open);
	pprof_flush(&p->out);
	return (uint64_t)id + 1;
}

/* ---- samples ------------------------------------------------------------- */

/* Of a node called from the stack of `sample`. TensorFlow's profiler has only the first label. */
static void put_node(struct profile *p, uint32_t node, struct pprof_sample *sample)
{
	struct query *q = p->q;
	struct numbers numbers;

	metrics_of(q->model, node, q->options->number[OPT_STEP], &numbers);
	sample->values[1] = numbers.at[p->metric];
	sample->labels[0] = (struct pprof_label){"graph node:", model_name(q->model, node), 0};
	sample->n_labels = 1;
	if (!q->options->tolerant)
		sample->n_labels += pprof_label_node(q, node, sample->labels + 1);
	pprof_put_sample(&p->out, sample);
}

/* The graph nodes of the frames at or below a shown leaf that call nothing. */
static void put_leaf(struct profile *p, uint32_t row)
{
	struct pprof_sample sample = {.stack = p->stack, .values = {1}, .n_values = 2};
	struct query *q = p->q;
	const struct tree *t = q->tree;
	uint32_t top = q->view[row];

	for (; p->calls[row]; row = p->q->parent[row])
		p->stack[sample.depth++] = p->calls[row];
	for (uint32_t v = top; v < t->n && (v == top || t->parent[v] >= top) && !p->out.failed;
		v++) {
		bool calls = v + 1 < t->n && t->parent[v + 1] == v;

		for (uint32_t i = t->first_node[v]; !calls && i < t->first_node[v + 1]; i++)
			if (query_picks_node(q, t->nodes[i]))
				put_node(p, t->nodes[i], &sample);
	}
}

static void put_profile(struct profile *p)
{
	struct query *q = p->q;
	const struct metric_info *info = &metric_infos[p->metric];
	uint32_t comment;

	pprof_put_sample_type(&p->out, "count", "count");
	pprof_put_sample_type(&p->out, info->word, unit_names[info->unit]);
	comment = pprof_string(&p->out, span_of(info->pprof));
	wire_put_int(&p->out.message, PPROF_PROFILE_COMMENT, comment);
	pprof_flush(&p->out);
	p->calls[0] = 0;
	for (uint32_t row = 1; row < q->n && !p->out.failed && !query_cancelled(q); row++) {
		uint32_t caller = q->parent[row];

		/* Of calls with the same location, the first determines its
		 * function. */
		p->calls[row] = caller ? location_of(p, q->view[caller], q->view[row]) : 0;
		if (row + 1 == q->n || q->parent[row + 1] != row)
			put_leaf(p, row);
	}
}

static void clear(struct profile *p)
{
	buf_clear(&p->text);
	vec_clear(&p->functions);
	vec_clear(&p->locations);
	hash_clear(&p->function_index);
	hash_clear(&p->location_index);
}

enum tfprof_status pprof_write(const struct writing *w, struct tfprof_error *err)
{
	struct query *q = w->q;
	struct profile p = {.q = q, .metric = metric_of(q->options)};

	if (q->kind != TFPROF_CODE)
		return pprof_write_rows(w, err);
	p.calls = arena_array(&q->arena, q->n, sizeof(*p.calls));
	p.stack = arena_array(&q->arena, q->n, sizeof(*p.stack));
	pprof_open(&p.out, w->out);
	p.out.failed |= !p.calls || !p.stack;
	if (!p.out.failed)
		put_profile(&p);
	clear(&p);
	return pprof_close(&p.out, err);
}

void pprof_announce(const struct query *q, const char *path, struct buf *text)
{
	buf_printf(text, "\nRun pprof -png --nodecount=100 --sample_index=%d <%s>\n",
		q->kind == TFPROF_CODE, path);
}
