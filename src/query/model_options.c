#include "query/model_options.h"

#include <stdlib.h>

#include "base/words.h"

static const char *const order_words[] = {"layer", "name",
#define X(word, value) #word,
	MODEL_NUMBERS(X)
#undef X
		NULL};

static const struct model_device devices[] = {
#define X(name, flops, dtype, bandwidth) {name, flops, dtype, bandwidth},
	MODEL_DEVICES(X)
#undef X
};

static const char *const device_words[] = {
#define X(name, flops, dtype, bandwidth) name,
	MODEL_DEVICES(X)
#undef X
		NULL};

static const struct tfprof_option_info infos[] = {
#define X(id, name, kind, placeholder, value, help) \
	[MODEL_OPT_##id] = {name, value, help, kind, NULL, NULL, NULL, 0},
	MODEL_OPTIONS(X) SHARED_MODEL_OPTIONS(X)
#undef X
};

static const char *const placeholders[] = {
#define X(id, name, kind, placeholder, value, help) placeholder,
	MODEL_OPTIONS(X) SHARED_MODEL_OPTIONS(X)
#undef X
};

const struct tfprof_option_info *tfprof_model_option_get_info(size_t i)
{
	return i < N_MODEL_OPTIONS ? &infos[i] : NULL;
}

const char *const *tfprof_model_option_get_words(size_t i)
{
	return i == MODEL_OPT_DEVICE ? device_words : i == MODEL_OPT_ORDER_BY ? order_words : NULL;
}

const char *tfprof_model_option_get_placeholder(size_t i)
{
	return i < N_MODEL_OPTIONS ? placeholders[i] : NULL;
}

tfprof_model_options *tfprof_model_options_new(void)
{
	struct tfprof_model_options *o = mem_zero(sizeof(*o));

	if (o)
		o->number[MODEL_OPT_MAX_DEPTH] = 2;
	return o;
}

void tfprof_model_options_free(tfprof_model_options *o)
{
	if (!o)
		return;
	for (int i = 0; i < N_MODEL_OPTIONS; i++)
		mem_free(o->text[i]);
	limits_clear(&o->limits);
	mem_free(o);
}

/* ---- values --------------------------------------------------------------------- */

static const struct limit_word limit_words[] = {
#define X(word, value) {#word, AMOUNT_COUNT},
	MODEL_NUMBERS(X)
#undef X
		{"peak_activation_bytes", AMOUNT_COUNT},
	{NULL, AMOUNT_PLAIN}};

/* Limits given later replace those given before. */
static enum tfprof_status read_limits(struct tfprof_model_options *o, const char *value,
	struct tfprof_error *err)
{
	static const struct limit_rules rules = {"fail_if", limit_words, false};
	limits list = {0};
	enum tfprof_status status = limits_read(&list, &rules, span_of(value), err);

	if (status != TFPROF_OK) {
		limits_clear(&list);
		return status;
	}
	limits_clear(&o->limits);
	vec_take(&o->limits, &list);
	return TFPROF_OK;
}

static enum tfprof_status read_int(struct tfprof_model_options *o, int id, const char *value,
	struct tfprof_error *err)
{
	char *end;
	long long number = strtoll(value, &end, 10);

	if (end == value || *end || number < 1 || number > 1000000000000)
		return error_set(err, TFPROF_ARGUMENT, "-%s: '%.100s': expected a number from 1",
			infos[id].name, value);
	o->number[id] = number;
	return TFPROF_OK;
}

static enum tfprof_status read_value(struct tfprof_model_options *o, int id, const char *value,
	struct tfprof_error *err)
{
	struct span text = span_of(value);
	size_t word;

	switch (id) {
	case MODEL_OPT_BATCH_SIZE:
	case MODEL_OPT_TRIP_COUNT:
	case MODEL_OPT_MAX_DEPTH: return read_int(o, id, value, err);
	case MODEL_OPT_PEAK_FLOPS:
	case MODEL_OPT_PEAK_BANDWIDTH:
		if (limit_read_number(text, &o->real[id]) && o->real[id] > 0)
			return TFPROF_OK;
		return error_set(err, TFPROF_ARGUMENT,
			"-%s: '%.100s': expected a number such as 19.5T or 900G", infos[id].name,
			value);
	case MODEL_OPT_ORDER_BY:
		word = words_find(order_words, text);
		if (!order_words[word])
			return words_error(err, "-order_by: unknown word", text, order_words);
		o->order = (enum model_order)word;
		return TFPROF_OK;
	case MODEL_OPT_DEVICE:
		word = words_find(device_words, text);
		if (!device_words[word])
			return words_error(err, "-device: unknown word", text, device_words);
		o->device = devices[word];
		return TFPROF_OK;
	case MODEL_OPT_FAIL_IF: return read_limits(o, value, err);
	default: return TFPROF_OK;
	}
}

enum tfprof_status tfprof_model_options_set(tfprof_model_options *o, const char *name,
	const char *value, struct tfprof_error *err)
{
	for (int id = 0; id < N_MODEL_OPTIONS; id++) {
		enum tfprof_status status;
		char *copy;

		if (strcmp(infos[id].name, name) != 0)
			continue;
		status = read_value(o, id, value, err);
		copy = status == TFPROF_OK ? mem_alloc(strlen(value) + 1) : NULL;
		if (status == TFPROF_OK && !copy)
			return error_no_memory(err);
		if (!copy)
			return status;
		memcpy(copy, value, strlen(value) + 1);
		mem_free(o->text[id]);
		o->text[id] = copy;
		return TFPROF_OK;
	}
	return error_set(err, TFPROF_ARGUMENT, "unknown option of models '%.100s'", name);
}
