#include "load/call_stacks.h"

#include "proto/wire_write.h"

/* Ids of texts from here on are ours: those of op logs are small. */
#define FIRST_ID (INT64_C(1) << 40)

bool call_stacks_init(struct call_stacks *s, const struct model *m)
{
	*s = (struct call_stacks){.first_id = FIRST_ID};
	while (model_find_trace_string(m, s->first_id) != NONE)
		s->first_id += INT64_C(1) << 32;
	return strings_init(&s->texts);
}

void call_stacks_clear(struct call_stacks *s)
{
	strings_clear(&s->texts);
	buf_clear(&s->code);
}

static void put_text_id(struct call_stacks *s, unsigned field, struct span text)
{
	uint32_t id = strings_alias(&s->texts, text);

	s->code.failed |= id == NONE;
	wire_put_int(&s->code, field, s->first_id + id);
}

void call_stacks_put(struct call_stacks *s, const struct frame *frame)
{
	size_t open = wire_open(&s->code, CODE_DEF_TRACES);

	wire_put_int(&s->code, CODE_DEF_TRACE_LINENO, frame->line);
	put_text_id(s, CODE_DEF_TRACE_FILE_ID, frame->file);
	put_text_id(s, CODE_DEF_TRACE_FUNCTION_ID, frame->function);
	put_text_id(s, CODE_DEF_TRACE_LINE_ID, frame->source);
	wire_close(&s->code, open);
}

enum tfprof_status call_stacks_keep(struct call_stacks *s, struct model *m,
	struct tfprof_error *err)
{
	size_t at = s->code.n;
	struct source source;
	enum tfprof_status status;

	for (uint32_t i = 0; i < s->texts.text.n; i++)
		buf_span(&s->code, strings_get(&s->texts, i));
	if (s->code.failed)
		return error_no_memory(err);
	if (!s->code.n)
		return TFPROF_OK;
	source = (struct source){.bytes = buf_get(&s->code), .owner = SOURCE_HEAP};
	status = model_keep(m, &source, err);
	if (status != TFPROF_OK)
		return status;
	s->code = (struct buf){0};
	for (uint32_t i = 0; i < s->texts.text.n; i++) {
		size_t n = strings_get(&s->texts, i).n;
		struct span text = {m->sources.at[m->sources.n - 1].bytes.at + at, n};

		if (!model_add_trace_string(m, s->first_id + i, text))
			return error_no_memory(err);
		at += n;
	}
	return TFPROF_OK;
}

bool call_stacks_slice(struct model *m, struct call_stack stack, struct slice *slice)
{
	const char *bytes = m->sources.at[m->sources.n - 1].bytes.at;

	return model_make_slice(m, slice, (struct span){bytes + stack.at, stack.n});
}

void call_stacks_set(struct model *m, uint32_t node, struct slice stack)
{
	m->nodes.trace[node] = stack;
	m->nodes.flags[node] |= NODE_HAS_TRACE | NODE_CHANGED;
	m->has_trace = true;
}
