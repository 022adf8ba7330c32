/* Any text as options of a question: each is set or refused with a reason, and the question is
 * answered or refused with one.
 *
 *     first byte: the question
 *     rest: lines NAME=VALUE
 */
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

/* Output would write files. */
static void set(tfprof_options *options, const char *question, char *line)
{
	char *value = strchr(line, '=');
	struct tfprof_error err = {0};

	if (!value)
		return;
	*value++ = '\0';
	if (strcmp(line, "output") != 0)
		check(tfprof_options_set_for(options, question, line, value, &err) == TFPROF_OK ||
			err.text[0]);
}

static void ask(const char *question, const tfprof_options *options)
{
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};
	void *bytes = NULL;
	size_t n;

	check(tfprof_ask(profile(), question, options, NULL, &result, &err) == TFPROF_OK ||
		err.text[0]);
	if (result) {
		check(tfprof_result_render(result, "json", &bytes, &n, &err) == TFPROF_OK ||
			err.text[0]);
		tfprof_bytes_free(bytes);
	}
	tfprof_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfprof_question_info question;
	tfprof_options *options;
	char *text, *next;

	if (!size || !tfprof_question_get_info(data[0] % 16, &question))
		return 0;
	text = malloc(size);
	options = tfprof_options_new();
	check(text && options);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		set(options, question.name, line);
	}
	ask(question.name, options);
	tfprof_options_free(options);
	free(text);
	return 0;
}
