#include "write/document.h"

static void put_option(const struct tfprof_options *o, size_t id, struct json *j)
{
	const struct tfprof_option_info *info = tfprof_option_get_info(id);
	const struct word_list *list = &o->list[id];

	json_key(j, info->name);
	if (id == OPT_MAX_DEPTH && !options_is_given(o, OPT_MAX_DEPTH)) {
		json_null(j); /* one that was not set has no effect */
	} else if (strcmp(info->kind, "int") == 0) {
		json_int(j, o->number[id]);
	} else if (strcmp(info->kind, "bool") == 0) {
		json_bool(j, o->number[id]);
	} else if (strcmp(info->kind, "words") == 0 || strcmp(info->kind, "regexes") == 0) {
		json_open_array(j);
		for (size_t i = 0; i < list->n; i++)
			json_string(j, list->at[i]);
		json_close_array(j);
	} else {
		json_string(j, list->n ? list->at[0] : (struct span){"", 0});
	}
}

void document_open(struct json *j, const char *question, const struct tfprof_options *options)
{
	json_open_object(j);
	json_key(j, "schema");
	json_open_string(j);
	json_add_text(j, "tfprof.");
	json_add_text(j, question);
	json_close_string(j);
	json_put_int(j, "version", DOCUMENT_VERSION);
	json_put_text(j, "question", question);
	json_line(j);
	json_key(j, "options");
	json_open_object(j);
	for (size_t id = 0; options && id < N_OPTIONS; id++)
		if (tfprof_option_applies(tfprof_option_get_info(id), question))
			put_option(options, id, j);
	json_close_object(j);
	json_line(j);
}
