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
#include "base/strings.h"
#include "base/vec.h"
#include "proto/fields.h"
#include "proto/wire_write.h"
#include "write/pprof_rows.h"

/* Metrics that can be sampled: those with a comment. */
static const struct attribute {
	enum select_id select;
	enum metric metric;
	const char *name, *unit, *comment;
} attributes[] = {
#define PPROF_MICROS "microseconds"
#define PPROF_BYTES "bytes"
#define PPROF_COUNT "count"
#define X(id, word, column, selects, unit, graph, multi, option, value, header, tree, list, \
	meaning, minimum, doc, pprof)                                                       \
	{SEL_##id, METRIC_##id, word, PPROF_##unit, pprof},
	METRICS(X)
#undef X
};

/* The selected attribute, or NULL. */
static const struct attribute *attribute_of(const struct tfprof_options *o)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (attributes[i].comment && o->selected == 1u << attributes[i].select)
			return &attributes[i];
	return NULL;
}

void pprof_refuse(const struct query *q, struct buf *why)
{
	/* Unknown words count too. */
	const struct word_list *select = &q->options->list[OPT_SELECT];

	if (q->kind != TFPROF_CODE && q->options->tolerant) {
		buf_text(why, "Only 'code' view supports pprof output now.");
	} else if (select->n != 1) {
		buf_text(why, "Can only select 1 attribute for pprof output.");
	} else if (!attribute_of(q->options)) {
		buf_text(why, "pprof doesn't support -select=");
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
	const struct attribute *attribute;
	struct sink *out;
	struct buf message; /* written next */
	struct buf text;
	struct strings strings;
	size_t n_strings_written;
	VEC(struct function) functions;
	VEC(struct location) locations;
	struct hash_index function_index, location_index;
	uint64_t *calls; /* row → the location it is called from, 0: none */
	bool failed;     /* allocation failed */
};

/* Writes `message`, one field of the profile. */
static void flush(struct profile *p)
{
	p->failed |= p->message.failed;
	sink_span(p->out, buf_get(&p->message));
	p->message.n = 0;
}

/* The index of a text in the string table, which is written as it grows. */
static uint32_t string_of(struct profile *p, struct span text)
{
	uint32_t id = strings_add(&p->strings, text);
	struct buf field = {0};

	if (id == NONE) {
		p->failed = true;
		return 0;
	}
	for (; p->n_strings_written < p->strings.text.n; p->n_strings_written++)
		wire_put_bytes(&field, PPROF_PROFILE_STRING_TABLE,
			strings_get(&p->strings, (uint32_t)p->n_strings_written));
	p->failed |= field.failed;
	sink_span(p->out, buf_get(&field));
	buf_clear(&field);
	return id;
}

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
	const char *slash = file.n ? memrchr(file.at, '/', file.n) : NULL, *dot;

	if (slash) {
		file.n -= (size_t)(slash + 1 - file.at);
		file.at = slash + 1;
	}
	dot = file.n ? memrchr(file.at, '.', file.n) : NULL;
	if (dot)
		file.n = (size_t)(dot - file.at);
	p->text.n = 0;
	buf_span(&p->text, file);
	buf_char(&p->text, ':');
	buf_span(&p->text, function);
	p->failed |= p->text.failed;
	return buf_get(&p->text);
}

/* The name of a frame's function in the profile. */
static uint32_t name_of(struct profile *p, uint32_t v)
{
	const struct tree *t = p->q->tree;

	struct span function = tree_frame(t, v).function;

	if (!t->is_gradient[v])
		return string_of(p, function);
	p->text.n = 0;
	buf_span(&p->text, function);
	buf_text(&p->text, " (gradient)");
	p->failed |= p->text.failed;
	return string_of(p, buf_get(&p->text));
}

/* Ids start from 1. */
static uint64_t function_of(struct profile *p, uint32_t v)
{
	struct frame frame = tree_frame(p->q->tree, v);
	uint32_t name = name_of(p, v), shown;
	struct probe probe = {p, string_of(p, frame.file), name, frame.function_line};
	uint32_t id = hash_find(&p->function_index, hash_of(&probe), same_function, &probe);
	size_t open;

	if (id != NONE || p->failed)
		return (uint64_t)id + 1;
	id = (uint32_t)p->functions.n;
	if (!hash_add(&p->function_index, hash_of(&probe), id) ||
		!vec_push(&p->functions, ((struct function){probe.file, name, probe.line}))) {
		p->failed = true;
		return 0;
	}
	shown = string_of(p, display_name(p, frame.file, strings_get(&p->strings, name)));
	open = wire_open(&p->message, PPROF_PROFILE_FUNCTION);
	wire_put_int(&p->message, PPROF_FUNCTION_ID, (int64_t)id + 1);
	wire_put_int(&p->message, PPROF_FUNCTION_NAME, shown);
	wire_put_nonzero(&p->message, PPROF_FUNCTION_FILENAME, probe.file);
	wire_put_nonzero(&p->message, PPROF_FUNCTION_START_LINE, probe.line);
	wire_close(&p->message, open);
	flush(p);
	return (uint64_t)id + 1;
}

/* The call from frame `caller` to frame `v`. */
static uint64_t location_of(struct profile *p, uint32_t caller, uint32_t v)
{
	struct frame frame = tree_frame(p->q->tree, caller);
	struct probe probe = {p, string_of(p, frame.file), name_of(p, v), frame.line};
	uint32_t id = hash_find(&p->location_index, hash_of(&probe), same_location, &probe);
	uint64_t function;
	size_t open, line;

	if (id != NONE || p->failed)
		return (uint64_t)id + 1;
	id = (uint32_t)p->locations.n;
	if (!hash_add(&p->location_index, hash_of(&probe), id) ||
		!vec_push(&p->locations, ((struct location){probe.file, probe.name, probe.line}))) {
		p->failed = true;
		return 0;
	}
	function = function_of(p, v);
	open = wire_open(&p->message, PPROF_PROFILE_LOCATION);
	wire_put_int(&p->message, PPROF_LOCATION_ID, (int64_t)id + 1);
	line = wire_open(&p->message, PPROF_LOCATION_LINE);
	wire_put_int(&p->message, PPROF_LINE_FUNCTION_ID, (int64_t)function);
	wire_put_nonzero(&p->message, PPROF_LINE_LINE, probe.line);
	wire_close(&p->message, line);
	wire_close(&p->message, open);
	flush(p);
	return (uint64_t)id + 1;
}

/* ---- samples ------------------------------------------------------------- */

static void put_value_type(struct profile *p, const char *type, const char *unit)
{
	uint32_t type_id = string_of(p, span_of(type)), unit_id = string_of(p, span_of(unit));
	size_t open = wire_open(&p->message, PPROF_PROFILE_SAMPLE_TYPE);

	wire_put_int(&p->message, PPROF_VALUE_TYPE_TYPE, type_id);
	wire_put_int(&p->message, PPROF_VALUE_TYPE_UNIT, unit_id);
	wire_close(&p->message, open);
	flush(p);
}

/* The strings of a label, which must be in the table before the sample. */
struct label_ids {
	uint32_t key, text;
	int64_t number;
};

static struct label_ids label_ids(struct profile *p, const struct pprof_label *label)
{
	return (struct label_ids){string_of(p, span_of(label->key)), string_of(p, label->text),
		label->number};
}

static void put_label(struct profile *p, const struct label_ids *label)
{
	size_t open = wire_open(&p->message, PPROF_SAMPLE_LABEL);

	wire_put_int(&p->message, PPROF_LABEL_KEY, label->key);
	wire_put_nonzero(&p->message, PPROF_LABEL_STR, label->text);
	wire_put_nonzero(&p->message, PPROF_LABEL_NUM, label->number);
	wire_close(&p->message, open);
}

/* `stack` holds the packed locations, leaf first. TensorFlow's profiler has only the
 * first label. */
static void put_sample(struct profile *p, uint32_t node, struct span stack)
{
	struct query *q = p->q;
	struct pprof_label labels[1 + PPROF_NODE_LABELS] = {
		{"graph node:", model_name(q->model, node), 0}};
	struct label_ids ids[1 + PPROF_NODE_LABELS];
	size_t n = 1 + (q->options->tolerant ? 0 : pprof_label_node(q, node, labels + 1));
	struct numbers numbers;
	size_t open, part;

	for (size_t i = 0; i < n; i++)
		ids[i] = label_ids(p, &labels[i]);
	metrics_of(q->model, node, q->options->number[OPT_STEP], &numbers);
	open = wire_open(&p->message, PPROF_PROFILE_SAMPLE);
	if (stack.n)
		wire_put_bytes(&p->message, PPROF_SAMPLE_LOCATION_ID, stack);
	part = wire_open(&p->message, PPROF_SAMPLE_VALUE);
	wire_put_varint(&p->message, 1);
	wire_put_varint(&p->message, (uint64_t)numbers.at[p->attribute->metric]);
	wire_close(&p->message, part);
	for (size_t i = 0; i < n; i++)
		put_label(p, &ids[i]);
	wire_close(&p->message, open);
	flush(p);
}

static void put_stack(struct profile *p, uint32_t row, struct buf *stack)
{
	stack->n = 0;
	for (; p->calls[row]; row = p->q->parent[row])
		wire_put_varint(stack, p->calls[row]);
	p->failed |= stack->failed;
}

/* The graph nodes of the frames at or below a shown leaf that call nothing. */
static void put_leaf(struct profile *p, uint32_t row, struct buf *stack)
{
	struct query *q = p->q;
	const struct tree *t = q->tree;
	uint32_t top = q->view[row];

	put_stack(p, row, stack);
	for (uint32_t v = top; v < t->n && (v == top || t->parent[v] >= top) && !p->failed; v++) {
		bool calls = v + 1 < t->n && t->parent[v + 1] == v;

		for (uint32_t i = t->first_node[v]; !calls && i < t->first_node[v + 1]; i++)
			if (query_picks_node(q, t->nodes[i]))
				put_sample(p, t->nodes[i], buf_get(stack));
	}
}

static void put_profile(struct profile *p)
{
	struct query *q = p->q;
	struct buf stack = {0};
	uint32_t comment;

	put_value_type(p, "count", "count");
	put_value_type(p, p->attribute->name, p->attribute->unit);
	comment = string_of(p, span_of(p->attribute->comment));
	wire_put_int(&p->message, PPROF_PROFILE_COMMENT, comment);
	flush(p);
	p->calls[0] = 0;
	for (uint32_t row = 1; row < q->n && !p->failed && !query_cancelled(q); row++) {
		uint32_t caller = q->parent[row];

		/* Of calls with the same location, the first determines its
		 * function. */
		p->calls[row] = caller ? location_of(p, q->view[caller], q->view[row]) : 0;
		if (row + 1 == q->n || q->parent[row + 1] != row)
			put_leaf(p, row, &stack);
	}
	buf_clear(&stack);
}

static void clear(struct profile *p)
{
	buf_clear(&p->message);
	buf_clear(&p->text);
	strings_clear(&p->strings);
	vec_clear(&p->functions);
	vec_clear(&p->locations);
	hash_clear(&p->function_index);
	hash_clear(&p->location_index);
}

enum tfprof_status pprof_write(const struct writing *w, struct tfprof_error *err)
{
	struct query *q = w->q;
	struct profile p = {.q = q, .out = w->out, .attribute = attribute_of(q->options)};

	if (q->kind != TFPROF_CODE)
		return pprof_write_rows(w, err);
	p.calls = arena_array(&q->arena, q->n, sizeof(*p.calls));
	p.failed = !p.calls || !strings_init(&p.strings);
	if (!p.failed)
		put_profile(&p);
	clear(&p);
	return p.failed ? error_no_memory(err) : TFPROF_OK;
}

void pprof_announce(const struct query *q, const char *path, struct buf *text)
{
	buf_printf(text, "\nRun pprof -png --nodecount=100 --sample_index=%d <%s>\n",
		q->kind == TFPROF_CODE, path);
}
