#include "write/pprof_table.h"

#include "proto/fields.h"
#include "proto/wire_write.h"

void pprof_open(struct pprof_table *p, struct sink *out)
{
	*p = (struct pprof_table){.out = out};
	p->failed = !strings_init(&p->strings);
}

enum tfprof_status pprof_close(struct pprof_table *p, struct tfprof_error *err)
{
	bool failed = p->failed || p->message.failed;

	buf_clear(&p->message);
	strings_clear(&p->strings);
	vec_clear(&p->location_of);
	return failed ? error_no_memory(err) : TFPROF_OK;
}

static void flush(struct pprof_table *p)
{
	p->failed |= p->message.failed;
	sink_span(p->out, buf_get(&p->message));
	p->message.n = 0;
}

/* The index of a text. No message may be open: its own is written at once. */
static uint32_t string_of(struct pprof_table *p, struct span text)
{
	uint32_t id = p->failed ? NONE : strings_add(&p->strings, text);

	if (id == NONE) {
		p->failed = true;
		return 0;
	}
	for (; p->n_strings_written < p->strings.text.n; p->n_strings_written++) {
		wire_put_bytes(&p->message, PPROF_PROFILE_STRING_TABLE,
			strings_get(&p->strings, (uint32_t)p->n_strings_written));
		p->failed |= !vec_push(&p->location_of, 0);
	}
	flush(p);
	return id;
}

void pprof_put_sample_type(struct pprof_table *p, const char *type, const char *unit)
{
	uint32_t type_id = string_of(p, span_of(type)), unit_id = string_of(p, span_of(unit));
	size_t open = wire_open(&p->message, PPROF_PROFILE_SAMPLE_TYPE);

	wire_put_int(&p->message, PPROF_VALUE_TYPE_TYPE, type_id);
	wire_put_int(&p->message, PPROF_VALUE_TYPE_UNIT, unit_id);
	wire_close(&p->message, open);
	flush(p);
}

uint64_t pprof_location(struct pprof_table *p, struct span name)
{
	uint32_t text = string_of(p, name);
	size_t open, line;
	uint64_t id;

	if (p->failed)
		return 0;
	if (p->location_of.at[text])
		return p->location_of.at[text];
	id = p->location_of.at[text] = ++p->n_locations;
	open = wire_open(&p->message, PPROF_PROFILE_FUNCTION);
	wire_put_int(&p->message, PPROF_FUNCTION_ID, (int64_t)id);
	wire_put_int(&p->message, PPROF_FUNCTION_NAME, text);
	wire_close(&p->message, open);
	open = wire_open(&p->message, PPROF_PROFILE_LOCATION);
	wire_put_int(&p->message, PPROF_LOCATION_ID, (int64_t)id);
	line = wire_open(&p->message, PPROF_LOCATION_LINE);
	wire_put_int(&p->message, PPROF_LINE_FUNCTION_ID, (int64_t)id);
	wire_close(&p->message, line);
	wire_close(&p->message, open);
	flush(p);
	return id;
}

void pprof_put_sample(struct pprof_table *p, const uint64_t *stack, size_t n, int64_t value,
	const struct pprof_label *labels, size_t n_labels)
{
	enum { MOST = 8 };
	uint32_t keys[MOST], texts[MOST];
	size_t open, part;

	for (size_t i = 0; i < n_labels && i < MOST; i++) {
		keys[i] = string_of(p, span_of(labels[i].key));
		texts[i] = string_of(p, labels[i].text);
	}
	open = wire_open(&p->message, PPROF_PROFILE_SAMPLE);
	part = wire_open(&p->message, PPROF_SAMPLE_LOCATION_ID);
	for (size_t i = 0; i < n; i++)
		wire_put_varint(&p->message, stack[i]);
	wire_close(&p->message, part);
	part = wire_open(&p->message, PPROF_SAMPLE_VALUE);
	wire_put_varint(&p->message, (uint64_t)value);
	wire_close(&p->message, part);
	for (size_t i = 0; i < n_labels && i < MOST; i++) {
		part = wire_open(&p->message, PPROF_SAMPLE_LABEL);
		wire_put_int(&p->message, PPROF_LABEL_KEY, keys[i]);
		if (labels[i].text.n)
			wire_put_int(&p->message, PPROF_LABEL_STR, texts[i]);
		else
			wire_put_int(&p->message, PPROF_LABEL_NUM, labels[i].number);
		wire_close(&p->message, part);
	}
	wire_close(&p->message, open);
	flush(p);
}
