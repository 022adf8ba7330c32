#include "generate.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum value_kind generate_value_kind(const struct flag *flag)
{
	if (!flag->value || flag->group == FLAG_PROGRAM)
		return VALUE_NONE;
	if (flag->group == FLAG_FILE)
		return strchr(flag->value, ',') ? VALUE_FILES : VALUE_FILE;
	if (strncmp(flag->value, "FILE", 4) == 0)
		return strchr(flag->value, ',') ? VALUE_FILES : VALUE_FILE;
	if (strcmp(flag->kind, "checker") == 0)
		return VALUE_CHECKER;
	if (strcmp(flag->kind, "output") == 0)
		return VALUE_OUTPUT;
	if (strcmp(flag->kind, "words") == 0)
		return VALUE_WORDS;
	return flag->words ? VALUE_WORD : VALUE_FREE;
}

static void put_name(struct buf *out, const char *name)
{
	buf_printf(out, "%s%s", out->n ? " " : "", name);
}

void generate_words(struct buf *out, const struct flag *flag)
{
	for (size_t i = 0; flag->words && flag->words[i]; i++)
		put_name(out, flag->words[i]);
}

void generate_checkers(struct buf *out)
{
	const struct tfprof_checker_info *info;

	for (size_t i = 0; (info = tfprof_checker_get_info(i)); i++)
		put_name(out, info->name);
}

void generate_outfiles(struct buf *out)
{
	struct flag flag;

	flag_find("output", 6, &flag);
	for (size_t i = 0; flag.words[i]; i++)
		if (strcmp(flag.words[i], "stdout") != 0 && strcmp(flag.words[i], "none") != 0)
			buf_printf(out, " %s:outfile=", flag.words[i]);
}

static enum tfprof_status read_template(struct buf *template, struct tfprof_error *err)
{
	char block[4096];
	size_t n;

	while ((n = fread(block, 1, sizeof(block), stdin)) > 0)
		buf_put(template, block, n);
	return ferror(stdin) ? error_set(err, TFPROF_IO, "cannot read: standard input") : TFPROF_OK;
}

enum tfprof_status generate(struct buf *out, const char *what, struct tfprof_error *err)
{
	static const struct {
		const char *what;
		void (*put)(struct buf *out);
	} files[] = {{"bash", generate_bash}, {"zsh", generate_zsh}, {"fish", generate_fish},
		{"python", generate_python}};
	struct buf template = {0};
	enum tfprof_status status;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (strcmp(files[i].what, what) == 0) {
			files[i].put(out);
			return TFPROF_OK;
		}
	if (strcmp(what, "man") != 0)
		return error_set(err, TFPROF_ARGUMENT,
			"cannot generate: %.200s: expected one of: bash, zsh, fish, man, python",
			what);
	status = read_template(&template, err);
	if (status == TFPROF_OK)
		generate_man(out, buf_get(&template).at);
	out->failed |= template.failed;
	buf_clear(&template);
	return status;
}
