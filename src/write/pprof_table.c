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

void pprof_flush(struct pprof_table *p)
{
	p->failed |= p->message.failed;
	sink_span(p->out, buf_get(&p->message));
	p->message.n = 0;
}

uint32_t pprof_string(struct pprof_table *p, struct span text)
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
	pprof_flush(p);
	return id;
}

void pprof_put_sample_type(struct pprof_table *p, const char *type, const char *unit)
{
	uint32_t type_id = pprof_string(p, span_of(type)), unit_id = pprof_string(p, span_of(unit));
	size_t open = wire_open(&p->message, PPROF_PROFILE_SAMPLE_TYPE);

	wire_put_int(&p->message, PPROF_VALUE_TYPE_TYPE, type_id);
	wire_put_int(&p->message, PPROF_VALUE_TYPE_UNIT, unit_id);
	wire_close(&p->message, open);
	pprof_flush(p);
}

uint64_t pprof_location(struct pprof_table *p, struct span name)
{
	uint32_t text = pprof_string(p, name);
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
	pprof_flush(p);
	return id;
}

void pprof_put_sample(struct pprof_table *p, const struct pprof_sample *sample)
{
	uint32_t keys[PPROF_MAX_LABELS], texts[PPROF_MAX_LABELS];
	size_t open, part;

	for (size_t i = 0; i < sample->n_labels; i++) {
		keys[i] = pprof_string(p, span_of(sample->labels[i].key));
		texts[i] = pprof_string(p, sample->labels[i].text);
	}
	open = wire_open(&p->message, PPROF_PROFILE_SAMPLE);
	if (sample->depth) {
		part = wire_open(&p->message, PPROF_SAMPLE_LOCATION_ID);
		for (size_t i = 0; i < sample->depth; i++)
			wire_put_varint(&p->message, sample->stack[i]);
		wire_close(&p->message, part);
	}
	part = wire_open(&p->message, PPROF_SAMPLE_VALUE);
	for (size_t i = 0; i < sample->n_values; i++)
		wire_put_varint(&p->message, (uint64_t)sample->values[i]);
	wire_close(&p->message, part);
	for (size_t i = 0; i < sample->n_labels; i++) {
		part = wire_open(&p->message, PPROF_SAMPLE_LABEL);
		wire_put_int(&p->message, PPROF_LABEL_KEY, keys[i]);
		wire_put_nonzero(&p->message, PPROF_LABEL_STR, texts[i]);
		wire_put_nonzero(&p->message, PPROF_LABEL_NUM, sample->labels[i].number);
		wire_close(&p->message, part);
	}
	wire_close(&p->message, open);
	pprof_flush(p);
}
