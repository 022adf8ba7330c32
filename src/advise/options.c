#include "advise/options.h"

#include <math.h>
#include <stdlib.h>

#include "advise/advise.h"
#include "base/words.h"
#include "proto/decoder.h"
#include "query/output_option.h"

/* ---- lifetime ---------------------------------------------------------------- */

tfprof_advice_options *tfprof_advice_options_new(void)
{
	tfprof_advice_options *o = mem_zero(sizeof(*o));

	if (!o)
		return NULL;
	o->all = o->source_lines = true;
	o->output.format = FORMAT_STDOUT;
	return o;
}

static void clear(tfprof_advice_options *o)
{
	for (size_t i = 0; i < o->settings.n; i++)
		mem_free(o->settings.at[i].value);
	vec_clear(&o->settings);
	vec_clear(&o->chosen);
	buf_clear(&o->unknown);
	mem_free(o->output_text);
}

void tfprof_advice_options_free(tfprof_advice_options *o)
{
	if (!o)
		return;
	clear(o);
	mem_free(o);
}

static bool copy_settings(struct tfprof_advice_options *to,
	const struct tfprof_advice_options *from)
{
	for (size_t i = 0; i < from->settings.n; i++) {
		struct advice_setting setting = from->settings.at[i];

		setting.value = span_copy(span_of(setting.value));
		if (!setting.value)
			return false;
		if (!vec_push(&to->settings, setting)) {
			mem_free(setting.value);
			return false;
		}
	}
	for (size_t i = 0; i < from->chosen.n; i++)
		if (!vec_push(&to->chosen, from->chosen.at[i]))
			return false;
	return true;
}

struct tfprof_advice_options *advice_options_copy(const struct tfprof_advice_options *from)
{
	struct tfprof_advice_options *o = tfprof_advice_options_new();
	bool ok;

	if (!o)
		return NULL;
	o->all = from->all;
	o->named_all = from->named_all;
	o->source_lines = from->source_lines;
	o->tolerant = from->tolerant;
	buf_span(&o->unknown, buf_get(&from->unknown));
	ok = copy_settings(o, from) && !o->unknown.failed;
	if (ok && from->output_text)
		ok = tfprof_advice_options_set_output(o, from->output_text, NULL) == TFPROF_OK;
	if (ok)
		return o;
	tfprof_advice_options_free(o);
	return NULL;
}

/* ---- reading ----------------------------------------------------------------- */

bool advice_options_chosen(const struct tfprof_advice_options *o, size_t checker)
{
	for (size_t i = 0; i < o->chosen.n; i++)
		if (o->chosen.at[i] == checker)
			return true;
	return o->all;
}

const char *advice_options_value(const struct tfprof_advice_options *o, size_t checker,
	size_t option)
{
	for (size_t i = o->settings.n; i-- > 0;)
		if (o->settings.at[i].checker == checker && o->settings.at[i].option == option)
			return o->settings.at[i].value;
	return checker_get(checker)->info.options[option].default_value;
}

/* ---- setting ----------------------------------------------------------------- */

static bool is_number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return *text && *text != ' ' && !*end && isfinite(value);
}

bool advice_option_is_number(const struct tfprof_checker_option_info *info)
{
	return is_number(info->default_value);
}

/* What is wrong with a count, share or time, or NULL. */
static const char *find_fault(const char *text)
{
	if (!is_number(text))
		return "not a number";
	return strtod(text, NULL) < 0 ? "negative" : NULL;
}

static size_t find_checker(struct span name)
{
	size_t i = 0;

	while (checker_get(i) && !span_equal(span_of(checker_get(i)->info.name), name))
		i++;
	return i;
}

static enum tfprof_status checker_error(struct tfprof_error *err, struct span name)
{
	const char *names[64] = {"all"};

	for (size_t i = 0; checker_get(i) && i + 2 < sizeof(names) / sizeof(*names); i++)
		names[i + 1] = checker_get(i)->info.name;
	return words_error(err, "unknown checker", name, names);
}

static enum tfprof_status option_error(struct tfprof_error *err, const struct checker *checker,
	struct span option)
{
	struct buf expected = {0};
	enum tfprof_status status;

	for (size_t i = 0; checker->info.options[i].name; i++) {
		buf_text(&expected, i ? ", " : ": expected one of: ");
		buf_text(&expected, checker->info.options[i].name);
	}
	status =
		error_set(err, TFPROF_ARGUMENT, "unknown option '%.*s' of %s%s", ERROR_SPAN(option),
			checker->info.name, expected.n ? expected.at : ", which has none");
	buf_clear(&expected);
	return status;
}

static enum tfprof_status set_option(tfprof_advice_options *o, size_t id, struct span option,
	struct span value, struct tfprof_error *err)
{
	const struct checker *checker = checker_get(id);
	struct advice_setting setting = {.checker = id};
	const struct tfprof_checker_option_info *info = checker->info.options;
	const char *fault = NULL;

	while (info->name && !span_equal(span_of(info->name), option))
		info++;
	if (!info->name)
		return option_error(err, checker, option);
	setting.option = (size_t)(info - checker->info.options);
	setting.value = span_copy(value);
	if (!setting.value)
		return error_no_memory(err);
	if (advice_option_is_number(info))
		fault = find_fault(setting.value);
	if (fault) {
		mem_free(setting.value);
		return error_set(err, TFPROF_ARGUMENT, "%s: option %s: '%.*s' is %s",
			checker->info.name, info->name, ERROR_SPAN(value), fault);
	}
	if (!vec_push(&o->settings, setting)) {
		mem_free(setting.value);
		return error_no_memory(err);
	}
	return TFPROF_OK;
}

static enum tfprof_status choose(tfprof_advice_options *o, size_t id, struct tfprof_error *err)
{
	for (size_t i = 0; i < o->chosen.n; i++)
		if (o->chosen.at[i] == id)
			return TFPROF_OK;
	return vec_push(&o->chosen, id) ? TFPROF_OK : error_no_memory(err);
}

enum tfprof_status tfprof_advice_options_set(tfprof_advice_options *o, const char *checker,
	const char *option, const char *value, struct tfprof_error *err)
{
	bool all = strcmp(checker, "all") == 0;
	size_t id = find_checker(span_of(checker));
	enum tfprof_status status = TFPROF_OK;

	if (all && option)
		return error_set(err, TFPROF_ARGUMENT, "'all' has no options: name a checker");
	if (!all && !checker_get(id))
		return checker_error(err, span_of(checker));
	if (option)
		status = set_option(o, id, span_of(option), span_of(value ? value : ""), err);
	if (status == TFPROF_OK && !all)
		status = choose(o, id, err);
	if (status != TFPROF_OK)
		return status;
	/* Naming one replaces the default of all, unless "all" was named too. */
	o->all = all || (o->all && o->named_all);
	o->named_all |= all;
	return TFPROF_OK;
}

void tfprof_advice_options_set_source_lines(tfprof_advice_options *o, int source_lines)
{
	o->source_lines = source_lines != 0;
}

enum tfprof_status tfprof_advice_options_set_output(tfprof_advice_options *o, const char *output,
	struct tfprof_error *err)
{
	char *text = span_copy(span_of(output));
	struct output_option parsed;
	enum tfprof_status status =
		text ? output_option_parse(span_of(text), &parsed, err) : error_no_memory(err);

	if (status != TFPROF_OK) {
		mem_free(text);
		return status;
	}
	mem_free(o->output_text);
	o->output_text = text;
	o->output = parsed;
	return TFPROF_OK;
}

/* ---- AdvisorOptionsProto ------------------------------------------------------- */

static enum tfprof_status read_checker(tfprof_advice_options *o, struct decoder *d,
	struct span name, struct span message, struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct map_entry option;
	size_t id = find_checker(name);
	enum tfprof_status status;

	if (!checker_get(id)) {
		/* Ignored, with a note, as in TensorFlow's profiler. */
		buf_text(&o->unknown, "Unknown checker: ");
		buf_span(&o->unknown, name);
		buf_char(&o->unknown, '\n');
		return o->unknown.failed ? error_no_memory(err) : TFPROF_OK;
	}
	status = choose(o, id, err);
	while (status == TFPROF_OK &&
		decoder_find(d, &r, WIRE_LEN(ADVISOR_OPTIONS_CHECKER_OPTION_OPTIONS), &f)) {
		option = map_entry_read(d, f.bytes);
		if (d->failed)
			break;
		status = set_option(o, id, option.text_key, option.value, err);
	}
	return status;
}

/* Stops at the first invalid option, or where the message is malformed. */
static enum tfprof_status read_message(tfprof_advice_options *o, struct decoder *d,
	struct span message, struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct map_entry checker;
	enum tfprof_status status = TFPROF_OK;

	while (status == TFPROF_OK && !d->failed &&
		decoder_find(d, &r, WIRE_LEN(ADVISOR_OPTIONS_CHECKERS), &f)) {
		checker = map_entry_read(d, f.bytes);
		if (!d->failed)
			status = read_checker(o, d, checker.text_key, checker.value, err);
	}
	return status;
}

enum tfprof_status tfprof_advice_options_set_message(tfprof_advice_options *o, const void *bytes,
	size_t size, struct tfprof_error *err)
{
	struct span message = {bytes ? bytes : "", bytes ? size : 0};
	tfprof_advice_options fresh = {.tolerant = true};
	struct decoder d = {0};
	enum tfprof_status status = read_message(&fresh, &d, message, err);

	if (d.failed)
		status = error_set(err, TFPROF_FORMAT,
			"not an AdvisorOptionsProto: invalid at byte %zu",
			(size_t)(d.bad - message.at));
	if (status != TFPROF_OK) {
		clear(&fresh);
		return status;
	}
	clear(o);
	*o = fresh;
	return TFPROF_OK;
}
