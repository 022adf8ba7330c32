/* /api/command: the command line of what a page shows.
 * /api/check: whether an option accepts a value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/advice_call.h"
#include "server/diff_query.h"
#include "server/routes.h"
#include "server/start.h"
#include "server/table_json.h"

/* The inputs of a profile as NULL-terminated command-line words. An input whose kind was given
 * becomes a flag, which `flags` owns. */
struct command_inputs {
	VEC(const char *) words;
	VEC(char *) flags;
};

static void clear_inputs(struct command_inputs *in)
{
	for (size_t i = 0; i < in->flags.n; i++)
		free(in->flags.at[i]);
	vec_clear(&in->flags);
	vec_clear(&in->words);
}

static const char *flag_of(const char *kind)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (strcmp(info->name, kind) == 0)
			return info->flag;
	return kind;
}

static bool add_flag(struct command_inputs *in, const char *name, const char *value)
{
	char *flag;

	if (asprintf(&flag, "--%s=%s", name, value) < 0)
		return false;
	if (!vec_push(&in->flags, flag)) {
		free(flag);
		return false;
	}
	return vec_push(&in->words, flag);
}

static bool add_checker(void *context, const char *checker, const char *option, const char *value)
{
	struct command_inputs *in = context;
	char *setting;
	bool ok;

	if (asprintf(&setting, "%s:%s=%s", checker, option, value) < 0)
		return false;
	ok = add_flag(in, "checker", setting);
	free(setting);
	return ok;
}

/* Names all checkers if any has options; otherwise, none need be named. */
static enum tfprof_status list_checkers(const struct call *c, struct command_inputs *in,
	struct tfprof_error *err)
{
	tfprof_options *options;
	bool has_settings;
	enum tfprof_status status = advice_call_options(c, &options, &has_settings, err);

	if (status == TFPROF_OK && has_settings &&
		!(add_flag(in, "checker", "all") && advice_call_each(c, add_checker, in)))
		status = error_no_memory(err);
	tfprof_options_free(options);
	return status;
}

static bool add_reading(struct command_inputs *in, enum tfprof_reading reading)
{
	static const char *const words[] =
		{[TFPROF_READ_STRICT] = "--strict", [TFPROF_READ_RECOVER] = "--recover"};

	return reading == TFPROF_READ_AS_IS || vec_push(&in->words, words[reading]);
}

static enum tfprof_status list_inputs(const struct shown_profile *profile,
	struct command_inputs *in, struct tfprof_error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < profile->inputs.n; i++) {
		const struct shown_input *input = &profile->inputs.at[i];

		ok = input->kind ? add_flag(in, flag_of(input->kind), input->path)
				 : vec_push(&in->words, input->path);
	}
	ok = ok && add_reading(in, profile->reading);
	return ok ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status put_line(const char *name, tfprof_options *options,
	const struct command_inputs *inputs, struct json *out, struct tfprof_error *err)
{
	const char *command = tfprof_options_get_command(options, name, inputs->words.at);

	if (!command)
		return error_no_memory(err);
	json_open_object(out);
	json_put_text(out, "command", command);
	json_close_object(out);
	return TFPROF_OK;
}

static enum tfprof_status put_command(struct call *c, const char *name,
	const struct shown_profile *profile, struct json *out, struct tfprof_error *err)
{
	int view = tfprof_view_from_name(name);
	struct command_inputs inputs = {0};
	tfprof_options *options;
	enum tfprof_status status = view_given_options(c, &options, err);

	if (status == TFPROF_OK && view >= 0)
		status = start_at_root(c, (enum tfprof_view)view, profile, options, err);
	if (status == TFPROF_OK)
		status = list_inputs(profile, &inputs, err);
	if (status == TFPROF_OK && strcmp(name, "advise") == 0)
		status = list_checkers(c, &inputs, err);
	if (status == TFPROF_OK && !vec_push(&inputs.words, NULL))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = put_line(name, options, &inputs, out, err);
	tfprof_options_free(options);
	clear_inputs(&inputs);
	return status;
}

/* To the command, several files of a side are several runs; to the page, they are one. */
static enum tfprof_status list_sides(struct call *c, struct command_inputs *in,
	struct tfprof_error *err)
{
	const char *order = call_get(c, "order");
	enum tfprof_status status = TFPROF_OK;
	struct shown_profile *profile;
	bool ok = true;

	for (int64_t p = 0; p < MAX_PROFILES; p++) {
		status = store_get(c->store, p, &profile, err);
		if (status != TFPROF_OK)
			return status;
		if (profile->inputs.n != 1 || profile->inputs.at[0].kind)
			return error_set(err, TFPROF_UNSUPPORTED,
				"tfprof diff compares whole profiles: make one of these files with "
				"tfprof save OUT FILE...");
		ok = ok && vec_push(&in->words, profile->inputs.at[0].path);
	}
	ok = ok && add_reading(in, c->store->reading) && add_flag(in, "min_change", "0%") &&
		(!order || add_flag(in, "order_by", order));
	return ok && vec_push(&in->words, NULL) ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status put_diff_command(struct call *c, const char *view, struct json *out,
	struct tfprof_error *err)
{
	char name[32];
	struct command_inputs inputs = {0};
	tfprof_options *options;
	enum tfprof_status status = view_given_options(c, &options, err);

	snprintf(name, sizeof(name), "diff%s%s", strcmp(view, "model") == 0 ? "" : " ",
		strcmp(view, "model") == 0 ? "" : view);
	if (status == TFPROF_OK)
		status = list_sides(c, &inputs, err);
	if (status == TFPROF_OK)
		status = put_line(name, options, &inputs, out, err);
	tfprof_options_free(options);
	clear_inputs(&inputs);
	return status;
}

/* A view, or another question about a profile or a model. */
static bool is_question(const char *name)
{
	struct tfprof_question_info info;

	for (size_t i = 0; tfprof_question_get_info(i, &info); i++)
		if (info.takes != TFPROF_TAKES_SIDES && strcmp(info.name, name) == 0)
			return true;
	return false;
}

enum tfprof_status route_command(struct call *c, struct json *out, struct tfprof_error *err)
{
	const char *name = call_get(c, "view");
	struct shown_profile *profile;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status != TFPROF_OK)
		return status;
	if (!name || !is_question(name))
		return error_set(err, TFPROF_ARGUMENT, "view=%.100s: no such view",
			name ? name : "");
	if (diff_is_asked(c))
		return put_diff_command(c, name, out, err);
	return put_command(c, name, profile, out, err);
}

enum tfprof_status route_check(struct call *c, struct json *out, struct tfprof_error *err)
{
	const char *name = call_get(c, "name"), *value = call_get(c, "value");
	tfprof_options *options = tfprof_options_new();
	struct tfprof_error wrong;
	bool ok;

	if (!options)
		return error_no_memory(err);
	ok = tfprof_options_set(options, name ? name : "", value ? value : "", &wrong) == TFPROF_OK;
	tfprof_options_free(options);
	json_open_object(out);
	json_put_bool(out, "ok", ok);
	if (!ok)
		json_put_text(out, "text", wrong.text);
	json_close_object(out);
	return TFPROF_OK;
}
