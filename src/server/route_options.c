/* /api/options: the table of options, for the page's form. */
#include <string.h>

#include "server/routes.h"

static void put_words(const struct tfprof_option_info *info, struct json *out)
{
	if (!info->words)
		return;
	json_key(out, "words");
	json_open_array(out);
	for (size_t i = 0; info->words[i]; i++) {
		json_open_object(out);
		json_put_text(out, "word", info->words[i]);
		if (info->word_help && info->word_help[i])
			json_put_text(out, "help", info->word_help[i]);
		json_close_object(out);
	}
	json_close_array(out);
}

/* The advisor has a form of its own. */
static bool is_of_profiles(const struct tfprof_option_info *info)
{
	struct tfprof_question_info question;

	for (size_t i = 0; tfprof_question_get_info(i, &question); i++)
		if (question.takes == TFPROF_TAKES_PROFILE &&
			strcmp(question.name, "advise") != 0 &&
			tfprof_option_applies(info, question.name))
			return true;
	return false;
}

enum tfprof_status route_options(struct call *c, struct json *out, struct tfprof_error *err)
{
	const struct tfprof_option_info *info;

	json_open_array(out);
	for (size_t i = 0; (info = tfprof_option_get_info(i)); i++) {
		if (!is_of_profiles(info))
			continue;
		json_open_object(out);
		json_put_text(out, "name", info->name);
		json_put_text(out, "kind", info->kind);
		json_put_text(out, "default", info->default_value);
		json_put_text(out, "help", info->help);
		put_words(info, out);
		json_close_object(out);
	}
	json_close_array(out);
	return TFPROF_OK;
}
