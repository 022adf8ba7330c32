/* Any text as a command line, as a line of the shell, or as an OptionsProto: it is
 * understood or refused, completed, and a view that it asks for comes.
 *
 *     first byte: 0 a command line, its words between newlines; 1 a line of the shell;
 *                 2 an OptionsProto
 *     rest: the text
 */
#include "../../src/cli/complete.h"
#include "../../src/cli/redirect.h"

/* After the program's: its error_set() is a macro. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz.h"
#include "tiny_profile.h"

static tfprof_profile *profile(void)
{
	static tfprof_profile *p;

	if (!p)
		p = tiny_profile();
	return p;
}

static void query(enum tfprof_view view, const tfprof_options *options)
{
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};

	check(tfprof_ask(profile(), tfprof_view_get_name(view), options, NULL, &result, &err) ==
			TFPROF_OK ||
		err.text[0]);
	tfprof_result_free(result);
}

static void parse(const char *const *words, size_t n, enum command_where where)
{
	struct request r;
	struct tfprof_error err = {0};
	enum tfprof_status status = request_parse(&r, words, n, where, NULL, &err);

	check(status == TFPROF_OK || err.text[0]);
	if (status == TFPROF_OK && r.command && command_is_view(r.command->id))
		query((enum tfprof_view)r.command->id, r.options);
	request_clear(&r);
}

static void parse_line(const char *typed)
{
	struct redirect to = {0};
	struct line line = {0};
	struct candidates found = {0};
	struct tfprof_error err = {0};
	char *before = NULL;

	if (redirect_split(&to, typed, &before, &err) == TFPROF_OK) {
		check(line_split(&line, before));
		if (!line.open_quote && line.n)
			parse((const char *const *)line.words, line.n, IN_SHELL);
		line_clear(&line);
	}
	free(before);
	redirect_clear(&to);
	check(line_split(&line, typed));
	complete_line(&found, &line, profile());
	candidates_clear(&found);
	line_clear(&line);
}

static void parse_words(char *text)
{
	const char *words[64];
	size_t n = 0;
	char *rest = text, *word;

	while (n < 64 && (word = strsep(&rest, "\n")))
		words[n++] = word;
	parse(words, n, IN_PROGRAM);
}

static void parse_message(const uint8_t *data, size_t size)
{
	tfprof_options *options = tfprof_options_new();

	check(options != NULL);
	if (tfprof_options_set_message(options, data, size, NULL) == TFPROF_OK)
		query(TFPROF_SCOPE, options);
	tfprof_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	check(text != NULL);
	switch (data[0] % 3) {
	case 0: parse_words(text); break;
	case 1: parse_line(text); break;
	default: parse_message(data + 1, size - 1);
	}
	free(text);
	return 0;
}
