#include "query/output_option.h"

#include <stdio.h>

#include "base/spelling.h"
#include "base/words.h"

const char *const output_words[] = {
#define X(id, word, ...) word,
	OUTPUT_FORMATS(X)
#undef X
		NULL,
};

static const char *const viewer_words[] = {"chrome", "perfetto", NULL};
static const char *const formula_words[] = {"raw", "text", NULL};

static enum format_file file_of(enum format format)
{
	static const enum format_file files[] = {
#define X(id, word, file, ...) FILE_##file,
		FORMATS(X)
#undef X
	};

	return files[format];
}

/* Only formats that are plain text may also go to standard output. */
static bool needs_file(enum format format)
{
	return file_of(format) != FILE_NOT && file_of(format) != FILE_BY_SUFFIX;
}

/* Whether a comma starts another setting: `,word=`. */
static bool starts_setting(const char *at, const char *end)
{
	const char *c = at + 1;

	while (c < end && ((*c >= 'a' && *c <= 'z') || *c == '_'))
		c++;
	return c > at + 1 && c < end && *c == '=';
}

static const char *settings_of(enum format format)
{
	if (format == FORMAT_TIMELINE)
		return "outfile=PATH, viewer=chrome or viewer=perfetto";
	if (format == FORMAT_CSV)
		return "outfile=PATH, formulas=raw or formulas=text";
	return file_of(format) != FILE_NOT ? "outfile=PATH" : "none";
}

/* If the setting is `name=WORD`, finds the word in a list; false if it is not there. */
static bool take_word(struct span setting, struct span name, const char *const *words, size_t *i)
{
	if (!span_starts(setting, name))
		return false;
	*i = words_find(words, (struct span){setting.at + name.n, setting.n - name.n});
	return words[*i];
}

static enum tfprof_status no_file_error(enum format format, struct tfprof_error *err)
{
	char setting[64];

	snprintf(setting, sizeof(setting), "%s:outfile=PATH", output_words[format]);
	return error_set(err, TFPROF_ARGUMENT, "%s: type %s needs a file: %s", OPTION("output"),
		output_words[format], SETTING("output", setting));
}

static enum tfprof_status parse_setting(struct span setting, struct output_option *o,
	struct tfprof_error *err)
{
	struct span outfile = SPAN("outfile=");
	size_t i;

	if (file_of(o->format) != FILE_NOT && span_starts(setting, outfile)) {
		o->outfile = (struct span){setting.at + outfile.n, setting.n - outfile.n};
		return o->outfile.n ? TFPROF_OK : no_file_error(o->format, err);
	}
	if (o->format == FORMAT_TIMELINE && take_word(setting, SPAN("viewer="), viewer_words, &i)) {
		o->viewer = (enum timeline_viewer)i;
		return TFPROF_OK;
	}
	if (o->format == FORMAT_CSV && take_word(setting, SPAN("formulas="), formula_words, &i)) {
		o->formulas_as_text = i;
		return TFPROF_OK;
	}
	return error_set(err, TFPROF_ARGUMENT,
		"%s: unknown setting '%.*s' of output type %s: expected %s", OPTION("output"),
		ERROR_SPAN(setting), output_words[o->format], settings_of(o->format));
}

/* A path may contain `=`, and commas that do not start another setting. */
enum tfprof_status output_option_parse(struct span text, struct output_option *o,
	struct tfprof_error *err)
{
	const char *colon = text.n ? memchr(text.at, ':', text.n) : NULL, *end = text.at + text.n;
	struct span word = {text.at, colon ? (size_t)(colon - text.at) : text.n};
	size_t i = text.n ? words_find(output_words, word) : FORMAT_STDOUT;
	enum tfprof_status status = TFPROF_OK;

	*o = (struct output_option){.outfile = {"", 0}};
	if (!output_words[i])
		return option_word_error(err, OPT_OUTPUT, word);
	o->format = (enum format)i;
	for (const char *at = colon ? colon + 1 : end, *next; status == TFPROF_OK && at < end;
		at = next + 1) {
		for (next = at; next < end; next++)
			if (*next == ',' && starts_setting(next, end))
				break;
		status = parse_setting((struct span){at, (size_t)(next - at)}, o, err);
	}
	if (status == TFPROF_OK && needs_file(o->format) && !o->outfile.n)
		status = no_file_error(o->format, err);
	return status;
}

void output_option_put(const struct output_option *o, struct buf *b)
{
	const char *separator = "";

	buf_text(b, output_words[o->format]);
	buf_char(b, ':');
	if (o->outfile.n) {
		buf_text(b, "outfile=");
		buf_span(b, o->outfile);
		separator = ",";
	}
	if (o->viewer != VIEWER_CHROME)
		buf_printf(b, "%sviewer=%s", separator, viewer_words[o->viewer]);
	if (o->formulas_as_text)
		buf_printf(b, "%sformulas=text", separator);
}
