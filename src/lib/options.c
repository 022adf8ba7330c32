/* Setting options through the public API. What the option table cannot check by itself is
 * checked here, by those who will read it. */
#include <errno.h>
#include <stdio.h>

#include "advise/options.h"
#include "base/spelling.h"
#include "base/words.h"
#include "diff/options.h"

/* A file of limits has a few lines; one that never ends is a device. */
#define MAX_BUDGETS_BYTES 16000000

/* ---- limits of changes ------------------------------------------------------------ */

/* Limits add up, from the option and from files. */
static enum tfprof_status add_limits(tfprof_options *o, size_t id, struct span text,
	struct tfprof_error *err)
{
	struct limit_rules rules = {option_get_name(id), diff_limit_words(), true};
	limits list = {0};
	VEC(struct span) texts = {0};
	enum tfprof_status status = limits_read_lines(&list, &rules, text, err);
	bool ok = true;

	for (size_t i = 0; ok && i < list.n; i++)
		ok = vec_push(&texts, span_of(list.at[i].text));
	if (status == TFPROF_OK && !(ok && options_append(o, OPT_FAIL_IF, texts.at, texts.n)))
		status = error_no_memory(err);
	vec_clear(&texts);
	limits_clear(&list);
	return status;
}

static enum tfprof_status read_budgets(tfprof_options *o, size_t id, const char *path,
	struct tfprof_error *err)
{
	FILE *file = fopen(path, "r");
	struct buf text = {0};
	enum tfprof_status status;
	char block[4096];
	size_t n;
	bool ok;

	if (!file)
		return error_set(err, TFPROF_IO, "%s: %s: %s", OPTION("budgets"), path,
			strerror(errno));
	while (text.n <= MAX_BUDGETS_BYTES && (n = fread(block, 1, sizeof(block), file)) > 0)
		buf_put(&text, block, n);
	ok = !ferror(file);
	fclose(file);
	if (text.n > MAX_BUDGETS_BYTES)
		status = error_set(err, TFPROF_FORMAT,
			"%s: %.200s: longer than %d MB: expected a limit per line",
			OPTION("budgets"), path, MAX_BUDGETS_BYTES / 1000000);
	else if (!ok)
		status = error_set(err, TFPROF_IO, "%s: %s: cannot read", OPTION("budgets"), path);
	else if (text.failed)
		status = error_no_memory(err);
	else
		status = add_limits(o, id, buf_get(&text), err);
	buf_clear(&text);
	return status;
}

static enum tfprof_status set_rules(tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	rename_rules rules = {0};
	enum tfprof_status status = rename_rules_read(&rules, value, err);

	rename_rules_clear(&rules);
	return status == TFPROF_OK ? options_set(o, id, value, err) : status;
}

/* ---- any option --------------------------------------------------------------------- */

static enum tfprof_status unknown_option(const char *name, struct tfprof_error *err)
{
	const char *names[N_OPTIONS + 1] = {NULL}, *near;

	for (size_t id = 0; id < N_OPTIONS; id++)
		names[id] = option_get_name(id);
	near = words_nearest(names, span_of(name));
	return error_set(err, TFPROF_ARGUMENT, "unknown option '%s'%s%s%s", name,
		near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum tfprof_status tfprof_options_set_for(tfprof_options *o, const char *question, const char *name,
	const char *value, struct tfprof_error *err)
{
	size_t id = options_find(question, name);

	switch (id) {
	case N_OPTIONS:
		return !question || options_find(NULL, name) == N_OPTIONS
			? unknown_option(name, err)
			: error_set(err, TFPROF_ARGUMENT, "%s is not an option of %s", OPTION(name),
				  question);
	case OPT_FAIL_IF: return add_limits(o, id, span_of(value), err);
	case OPT_BUDGETS: return read_budgets(o, id, value, err);
	case OPT_RENAME: return set_rules(o, id, span_of(value), err);
	case OPT_CHECKER: return advice_options_add(o, value, err);
	default: return options_set(o, id, span_of(value), err);
	}
}

enum tfprof_status tfprof_options_set(tfprof_options *o, const char *name, const char *value,
	struct tfprof_error *err)
{
	return tfprof_options_set_for(o, NULL, name, value, err);
}
