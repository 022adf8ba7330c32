#include "query/model_options.h"

#include <stdlib.h>

#include "base/words.h"
#include "query/option_info.h"

static const char *const model_order_words[] = {"layer", "name",
#define X(word, value) #word,
	MODEL_NUMBERS(X)
#undef X
		NULL};

static const struct model_device devices[] = {
#define X(name, flops, dtype, bandwidth) {name, flops, dtype, bandwidth},
	MODEL_DEVICES(X)
#undef X
};

const char *const model_device_words[] = {
#define X(name, flops, dtype, bandwidth) name,
	MODEL_DEVICES(X)
#undef X
		NULL};

static const struct tfprof_option_info infos[] = {
	MODEL_OPTIONS(OPTION_INFO) SHARED_MODEL_OPTIONS(OPTION_INFO)};

const struct tfprof_option_info *tfprof_model_option_get_info(size_t i)
{
	return i < N_MODEL_OPTIONS ? &infos[i] : NULL;
}

void tfprof_model_options_set_reading(tfprof_model_options *o, enum tfprof_reading reading)
{
	o->reading = reading;
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
#define X(word, value) {#word, AMOUNT_COUNT, false},
	MODEL_NUMBERS(X)
#undef X
		{"peak_activation_bytes", AMOUNT_COUNT, false},
	{NULL, AMOUNT_PLAIN, false}};

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
		return error_set(err, TFPROF_ARGUMENT,
			"-%s: '%.100s': expected a number of at least 1", infos[id].name, value);
	o->number[id] = number;
	return TFPROF_OK;
}

static enum tfprof_status read_bool(struct tfprof_model_options *o, int id, const char *value,
	struct tfprof_error *err)
{
	bool is_true = strcmp(value, "true") == 0 || strcmp(value, "True") == 0;

	if (!is_true && strcmp(value, "false") != 0 && strcmp(value, "False") != 0)
		return error_set(err, TFPROF_ARGUMENT, "-%s: '%.100s': expected true or false",
			infos[id].name, value);
	o->number[id] = is_true;
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
		word = words_find(model_order_words, text);
		if (!model_order_words[word])
			return words_error(err, "-order_by: unknown word", text, model_order_words);
		o->order = (enum model_order)word;
		return TFPROF_OK;
	case MODEL_OPT_DEVICE:
		word = words_find(model_device_words, text);
		if (!model_device_words[word])
			return words_error(err, "-device: unknown word", text, model_device_words);
		o->device = devices[word];
		return TFPROF_OK;
	case MODEL_OPT_FAIL_IF: return read_limits(o, value, err);
	case MODEL_OPT_ALLOW_UNCOUNTED: return read_bool(o, id, value, err);
	default: return TFPROF_OK;
	}
}

enum tfprof_status tfprof_model_options_set(tfprof_model_options *o, const char *name,
	const char *value, struct tfprof_error *err)
{
	size_t id = option_info_find(infos, N_MODEL_OPTIONS, name);
	enum tfprof_status status;
	char *copy;

	if (id == N_MODEL_OPTIONS)
		return error_set(err, TFPROF_ARGUMENT, "unknown model option '%.100s'", name);
	status = read_value(o, (int)id, value, err);
	if (status != TFPROF_OK)
		return status;
	copy = span_copy(span_of(value));
	if (!copy)
		return error_no_memory(err);
	mem_free(o->text[id]);
	o->text[id] = copy;
	return TFPROF_OK;
}
