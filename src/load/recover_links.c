/* What is left of a saved profile or an op log refers to nodes, texts and steps that may have
 * been dropped: inputs of such nodes and call stacks with such texts are left out, and steps
 * are what nodes ran in. Other kinds refer by name. */
#include <stdlib.h>

#include "load/recover.h"
#include "model/profile_fields.h"
#include "proto/decoder.h"
#include "proto/wire_write.h"

typedef VEC(int64_t) id_list;

struct links {
	id_list nodes, texts, steps;
	bool has_steps;
	struct recovered_links *dropped;
	struct buf *out;
	struct decoder decoder;
};

static int by_id(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(id_list *ids)
{
	size_t n = 0;

	if (ids->n)
		qsort(ids->at, ids->n, sizeof(*ids->at), by_id);
	for (size_t i = 0; i < ids->n; i++)
		if (!n || ids->at[n - 1] != ids->at[i])
			ids->at[n++] = ids->at[i];
	ids->n = n;
}

static bool has(const id_list *ids, int64_t id)
{
	return ids->n && bsearch(&id, ids->at, ids->n, sizeof(id), by_id);
}

static void add_steps(struct links *l, struct span node)
{
	struct wire_reader r = wire_reader(node);
	struct wire_field f;

	while (decoder_find(&l->decoder, &r, WIRE_LEN(PROFILE_NODE_EXECS), &f))
		decoder_alloc(&l->decoder,
			vec_push(&l->steps, map_entry_read(&l->decoder, f.bytes).key));
}

/* ---- what there is ---------------------------------------------------------- */

static void find_ids(struct links *l, struct span profile)
{
	struct wire_reader r = wire_reader(profile);
	struct wire_field f;

	while (!l->decoder.failed && decoder_next(&l->decoder, &r, &f)) {
		struct map_entry entry;

		if (f.tag >> 3 == PROFILE_STEPS)
			l->has_steps = true;
		if (f.tag != WIRE_LEN(PROFILE_NODES) && f.tag != WIRE_LEN(PROFILE_ID_TO_STRING))
			continue;
		entry = map_entry_read(&l->decoder, f.bytes);
		if (f.tag == WIRE_LEN(PROFILE_NODES)) {
			decoder_alloc(&l->decoder, vec_push(&l->nodes, entry.key));
			add_steps(l, entry.value);
		} else {
			decoder_alloc(&l->decoder, vec_push(&l->texts, entry.key));
		}
	}
}

static void find_texts(struct links *l, struct span log)
{
	struct wire_reader r = wire_reader(log);
	struct wire_field f;

	while (!l->decoder.failed &&
		decoder_find(&l->decoder, &r, WIRE_LEN(OP_LOG_ID_TO_STRING), &f))
		decoder_alloc(&l->decoder,
			vec_push(&l->texts, map_entry_read(&l->decoder, f.bytes).key));
}

/* ---- what refers to it ------------------------------------------------------- */

static bool has_texts_of_frame(struct links *l, struct span frame)
{
	struct wire_reader r = wire_reader(frame);
	struct wire_field f;
	int64_t file = 0, function = 0, line = 0;

	while (decoder_next(&l->decoder, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(CODE_DEF_TRACE_FILE): return true; /* it has its texts itself */
		case WIRE_VARINT(CODE_DEF_TRACE_FILE_ID): file = (int64_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_FUNCTION_ID): function = (int64_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_LINE_ID): line = (int64_t)f.value; break;
		}
	return has(&l->texts, file) && has(&l->texts, function) && has(&l->texts, line);
}

static bool has_texts(struct links *l, struct span stack)
{
	struct wire_reader r = wire_reader(stack);
	struct wire_field f;

	while (decoder_find(&l->decoder, &r, WIRE_LEN(CODE_DEF_TRACES), &f))
		if (!has_texts_of_frame(l, f.bytes))
			return false;
	return true;
}

static bool is_kept(struct links *l, const struct wire_field *f, uint32_t inputs, uint32_t stack)
{
	if (f->tag == inputs && !has(&l->nodes, map_entry_read(&l->decoder, f->bytes).number)) {
		l->dropped->n_inputs++;
		return false;
	}
	if (f->tag == stack && !has_texts(l, f->bytes)) {
		l->dropped->n_stacks++;
		return false;
	}
	return true;
}

/* Copies a message without fields of these tags that refer to what is not there. */
static void put_message(struct links *l, struct span message, uint32_t inputs, uint32_t stack)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	const char *begin = r.at;

	for (; decoder_next(&l->decoder, &r, &f); begin = r.at)
		if (is_kept(l, &f, inputs, stack))
			buf_put(l->out, begin, (size_t)(r.at - begin));
}

static void put_node(struct links *l, struct span message)
{
	struct map_entry entry = map_entry_read(&l->decoder, message);
	size_t open = wire_open(l->out, PROFILE_NODES), node;

	wire_put_int(l->out, MAP_KEY, entry.key);
	node = wire_open(l->out, MAP_VALUE);
	put_message(l, entry.value, WIRE_LEN(PROFILE_NODE_INPUTS), WIRE_LEN(PROFILE_NODE_TRACE));
	wire_close(l->out, node);
	wire_close(l->out, open);
}

static void put_entry(struct links *l, struct span message)
{
	size_t open = wire_open(l->out, OP_LOG_LOG_ENTRIES);

	put_message(l, message, 0, WIRE_LEN(OP_LOG_ENTRY_CODE_DEF));
	wire_close(l->out, open);
}

/* Writes the fields with this tag again, and copies all others. */
static void put_all(struct links *l, struct span message, uint32_t tag,
	void (*put)(struct links *, struct span))
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	const char *begin = r.at;

	for (; decoder_next(&l->decoder, &r, &f); begin = r.at)
		if (f.tag == tag)
			put(l, f.bytes);
		else
			buf_put(l->out, begin, (size_t)(r.at - begin));
}

static void put_steps(struct links *l)
{
	for (size_t i = 0; !l->has_steps && i < l->steps.n; i++)
		wire_put_int(l->out, PROFILE_STEPS, l->steps.at[i]);
	l->dropped->n_steps = l->has_steps ? 0 : l->steps.n;
}

bool recover_links(struct span message, enum input_kind kind, struct buf *out,
	struct recovered_links *dropped)
{
	struct links l = {.dropped = dropped, .out = out};
	bool ok;

	if (kind == INPUT_PROFILE)
		find_ids(&l, message);
	else if (kind == INPUT_OP_LOG)
		find_texts(&l, message);
	sort(&l.nodes);
	sort(&l.texts);
	sort(&l.steps);
	if (kind == INPUT_PROFILE) {
		put_all(&l, message, WIRE_LEN(PROFILE_NODES), put_node);
		put_steps(&l);
	} else if (kind == INPUT_OP_LOG) {
		put_all(&l, message, WIRE_LEN(OP_LOG_LOG_ENTRIES), put_entry);
	} else {
		buf_span(out, message);
	}
	ok = !l.decoder.failed && !out->failed;
	vec_clear(&l.nodes);
	vec_clear(&l.texts);
	vec_clear(&l.steps);
	return ok;
}
