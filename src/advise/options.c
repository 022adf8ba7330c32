#include "advise/options.h"

#include <math.h>
#include <stdlib.h>

#include "advise/advise.h"
#include "base/spelling.h"
#include "base/words.h"
#include "proto/decoder.h"

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

/* ---- reading ----------------------------------------------------------------- */

/* A setting in the list of the option: checker, option, value; the last two may be empty. */
enum { SETTING_CHECKER, SETTING_OPTION, SETTING_VALUE, N_SETTING };

static const struct span *setting_at(const struct tfprof_options *o, size_t i)
{
	const struct word_list *list = &o->list[OPT_CHECKER];

	return (i + 1) * N_SETTING <= list->n ? &list->at[i * N_SETTING] : NULL;
}

bool advice_options_chosen(const struct tfprof_options *o, size_t checker)
{
	struct span name = span_of(checker_get(checker)->info.name);
	const struct span *setting;
	size_t i = 0;

	for (; (setting = setting_at(o, i)); i++)
		if (span_equal(setting[SETTING_CHECKER], name) ||
			span_equal(setting[SETTING_CHECKER], SPAN("all")))
			return true;
	return !i && !o->tolerant;
}

const char *advice_options_value(const struct tfprof_options *o, size_t checker, size_t option)
{
	const struct tfprof_checker_info *info = &checker_get(checker)->info;
	const char *value = info->options[option].default_value;
	const struct span *setting;

	for (size_t i = 0; (setting = setting_at(o, i)); i++)
		if (span_equal(setting[SETTING_CHECKER], span_of(info->name)) &&
			span_equal(setting[SETTING_OPTION], span_of(info->options[option].name)))
			value = setting[SETTING_VALUE].at;
	return value;
}

void advice_options_put_unknown(const struct tfprof_options *o, struct buf *out)
{
	const struct span *setting;

	for (size_t i = 0; (setting = setting_at(o, i)); i++) {
		if (checker_get(find_checker(setting[SETTING_CHECKER])) ||
			span_equal(setting[SETTING_CHECKER], SPAN("all")))
			continue;
		buf_text(out, "Unknown checker: ");
		buf_span(out, setting[SETTING_CHECKER]);
		buf_char(out, '\n');
	}
}

/* ---- setting ----------------------------------------------------------------- */

/* Of a known checker. */
static enum tfprof_status check_option(size_t id, struct span option, struct span value,
	struct tfprof_error *err)
{
	const struct checker *checker = checker_get(id);
	const struct tfprof_checker_option_info *info = checker->info.options;
	const char *fault;
	char *text;

	while (info->name && !span_equal(span_of(info->name), option))
		info++;
	if (!info->name)
		return option_error(err, checker, option);
	if (!advice_option_is_number(info))
		return TFPROF_OK;
	text = span_copy(value);
	if (!text)
		return error_no_memory(err);
	fault = find_fault(text);
	mem_free(text);
	return fault ? error_set(err, TFPROF_ARGUMENT, "%s: option %s: '%.*s' is %s",
			       checker->info.name, info->name, ERROR_SPAN(value), fault)
		     : TFPROF_OK;
}

static enum tfprof_status add(struct tfprof_options *o, struct span checker, struct span option,
	struct span value, struct tfprof_error *err)
{
	struct span setting[N_SETTING] = {checker, option, value};
	bool all = span_equal(checker, SPAN("all"));
	size_t id = find_checker(checker);
	enum tfprof_status status = TFPROF_OK;

	if (all && option.n)
		return error_set(err, TFPROF_ARGUMENT, "'all' has no options: name a checker");
	if (!all && !checker_get(id))
		return checker_error(err, checker);
	if (option.n)
		status = check_option(id, option, value, err);
	if (status != TFPROF_OK)
		return status;
	return options_append(o, OPT_CHECKER, setting, N_SETTING) ? TFPROF_OK
								  : error_no_memory(err);
}

enum tfprof_status tfprof_options_add_checker(tfprof_options *o, const char *checker,
	const char *option, const char *value, struct tfprof_error *err)
{
	return add(o, span_of(checker), span_of(option ? option : ""), span_of(value ? value : ""),
		err);
}

/* The length of the next setting. Values may be lists, so a comma ends a setting only if NAME=
 * follows. */
static size_t setting_length(const char *at)
{
	for (const char *comma = strchr(at, ','); comma; comma = strchr(comma + 1, ',')) {
		size_t name = strspn(comma + 1, "abcdefghijklmnopqrstuvwxyz_");

		if (name && comma[1 + name] == '=')
			return (size_t)(comma - at);
	}
	return strlen(at);
}

enum tfprof_status advice_options_add(struct tfprof_options *o, const char *text,
	struct tfprof_error *err)
{
	size_t n = strcspn(text, ":"), n_before = o->list[OPT_CHECKER].n;
	struct span checker = {text, n};
	enum tfprof_status status = add(o, checker, SPAN(""), SPAN(""), err);

	for (const char *at = text[n] ? text + n + 1 : ""; status == TFPROF_OK && *at;) {
		size_t length = setting_length(at), name = strcspn(at, "=");

		if (name < length)
			status = add(o, checker, (struct span){at, name},
				(struct span){at + name + 1, length - name - 1}, err);
		else
			status = error_set(err, TFPROF_ARGUMENT,
				"no value given: %s=%.*s:%.*s: use %s=%.*s:%.*s=VALUE",
				OPTION("checker"), ERROR_SPAN(checker),
				ERROR_SPAN(((struct span){at, length})), OPTION("checker"),
				ERROR_SPAN(checker), ERROR_SPAN(((struct span){at, length})));
		at += length;
		at += *at == ',';
	}
	/* All or nothing. */
	if (status != TFPROF_OK)
		o->list[OPT_CHECKER].n = n_before;
	return status;
}

/* ---- AdvisorOptionsProto ------------------------------------------------------- */

static enum tfprof_status read_checker(tfprof_options *o, struct decoder *d, struct span name,
	struct span message, struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(message);
	struct span setting[N_SETTING] = {name, SPAN(""), SPAN("")};
	struct wire_field f;
	struct map_entry option;
	enum tfprof_status status = options_append(o, OPT_CHECKER, setting, N_SETTING)
		? TFPROF_OK
		: error_no_memory(err);

	/* Ignored, with a note, as in TensorFlow's profiler. */
	if (!checker_get(find_checker(name)))
		return status;
	while (status == TFPROF_OK &&
		decoder_find(d, &r, WIRE_LEN(ADVISOR_OPTIONS_CHECKER_OPTION_OPTIONS), &f)) {
		option = map_entry_read(d, f.bytes);
		if (d->failed)
			break;
		status = add(o, name, option.text_key, option.value, err);
	}
	return status;
}

/* Stops at the first invalid option, or where the message is malformed. */
static enum tfprof_status read_message(tfprof_options *o, struct decoder *d, struct span message,
	struct tfprof_error *err)
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

enum tfprof_status tfprof_options_set_advice_message(tfprof_options *o, const void *bytes,
	size_t size, struct tfprof_error *err)
{
	struct span message = {bytes ? bytes : "", bytes ? size : 0};
	tfprof_options *fresh = tfprof_options_new(), swap;
	struct decoder d = {0};
	enum tfprof_status status;

	if (!fresh)
		return error_no_memory(err);
	fresh->tolerant = true;
	fresh->number[OPT_SOURCE_LINES] = 0;
	status = read_message(fresh, &d, message, err);
	if (d.failed)
		status = error_set(err, TFPROF_FORMAT,
			"not an AdvisorOptionsProto: invalid at byte %zu",
			(size_t)(d.bad - message.at));
	if (status == TFPROF_OK) {
		swap = *o;
		*o = *fresh;
		*fresh = swap;
	}
	tfprof_options_free(fresh);
	return status;
}
