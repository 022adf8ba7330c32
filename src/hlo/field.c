#include "hlo/field.h"

void hlo_add_numbers(struct decoder *d, const struct wire_field *f, hlo_numbers *numbers)
{
	struct wire_reader packed;
	uint64_t number;

	if ((f->tag & 7) == WIRE_T_VARINT) {
		decoder_alloc(d, vec_push(numbers, f->value));
		return;
	}
	packed = wire_reader(f->bytes);
	while (!d->failed && decoder_next_packed(d, &packed, &number))
		decoder_alloc(d, vec_push(numbers, number));
}

void hlo_read_numbers(struct decoder *d, struct span message, uint32_t field, hlo_numbers *numbers)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	numbers->n = 0;
	while (!d->failed && decoder_next(d, &r, &f))
		if (f.tag == WIRE_VARINT(field) || f.tag == WIRE_LEN(field))
			hlo_add_numbers(d, &f, numbers);
}

struct span hlo_find_field(struct decoder *d, struct span message, uint32_t field)
{
	struct wire_reader r = wire_reader(message);
	struct span found = {"", 0};
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(field), &f))
		found = f.bytes;
	return found;
}

uint64_t hlo_find_number(struct decoder *d, struct span message, uint32_t field)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	uint64_t found = 0;

	while (decoder_find(d, &r, WIRE_VARINT(field), &f))
		found = f.value;
	return found;
}

/* ---- JSON ---------------------------------------------------------------- */

static void skip_any(struct span *text, const char *of)
{
	while (text->n && strchr(of, *text->at) && *text->at)
		*text = span_from(*text, 1);
}

struct span hlo_json_after(struct span json, struct span key)
{
	while (json.n) {
		size_t at = span_find(json, key);

		if (at == json.n)
			break;
		json = span_from(json, at + key.n);
		skip_any(&json, "\" \t\n");
		if (json.n && *json.at == ':')
			return span_from(json, 1);
	}
	return SPAN("");
}

int64_t hlo_json_take_number(struct span *json)
{
	enum { DIGITS = 18 };
	int64_t number = 0;
	int n = 0;

	skip_any(json, " \t\n,[{\"");
	for (; json->n && *json->at >= '0' && *json->at <= '9' && n < DIGITS; n++) {
		number = 10 * number + (*json->at - '0');
		*json = span_from(*json, 1);
	}
	skip_any(json, "\"");
	return n ? number : -1;
}
