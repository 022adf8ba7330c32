#include "server/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/store.h"

const char arguments_help[] =
	"Usage: tfprof ui FILE... [-- FILE...] [OPTION...]\n"
	"\n"
	"Shows a profile in a browser: prints an address to open. With two files of the same\n"
	"kind, such as two saved profiles, the page also compares them; if each side has\n"
	"several files, separate the sides with --.\n"
	"\n"
	"  --port=PORT     the port to listen on, or the next free one (6117)\n"
	"  --host=ADDRESS  the address to listen on (127.0.0.1: this machine only)\n"
	"  --token=TOKEN   the token in the address; none turns it off (random)\n"
	"  --open          open the address in the default browser; --open=false: do not\n"
	"                  (on a desktop, from a terminal that is not one of ssh)\n"
	"  --strict        refuse files with anything that would be ignored\n"
	"  --recover       load the intact parts of damaged files, and say what was dropped\n"
	"  --verbose       print each request to stderr\n"
	"\n"
	"Inputs may also be given by kind, as for other commands: --graph_path=FILE and so on.\n"
	"Before all files, -- ends the options: names after it may begin with a dash.\n";

enum { DEFAULT_PORT = 6117 };

struct parser {
	struct arguments *a;
	struct store *store;
	char *why;
	bool after_dashes;      /* between the files of two profiles */
	bool has_ended_options; /* by dashes before all files */
};

static bool fail(struct parser *p, const char *format, const char *word)
{
	snprintf(p->why, 512, format, word);
	return false;
}

static bool add_input(struct parser *p, const char *kind, const char *path)
{
	size_t last = p->after_dashes ? 1 : 0;
	struct shown_input input = {.kind = kind, .path = path};

	if (p->store->n_profiles <= last)
		p->store->n_profiles = last + 1;
	return vec_push(&p->store->profiles[last].inputs, input) || fail(p, "%s", "out of memory");
}

/* The value of --name=value; NULL if it is another flag. */
static const char *value_of(const char *word, const char *name)
{
	size_t n = strlen(name);

	return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static bool parse_port(struct parser *p, const char *text)
{
	char *end;
	long port = strtol(text, &end, 10);

	if (end == text || *end || port < 0 || port > UINT16_MAX)
		return fail(p, "--port=%.100s: expected a number from 0 to 65535", text);
	p->a->port = (uint16_t)port;
	return true;
}

static bool parse_token(struct parser *p, const char *text)
{
	static const char allowed[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
	size_t n = strlen(text);

	if (n == 0 || n > 60 || strspn(text, allowed) != n)
		return fail(p, "--token=%.100s: expected up to 60 letters, digits, - and _", text);
	p->a->token = text;
	return true;
}

static bool parse_input_flag(struct parser *p, const char *flag)
{
	const struct tfprof_input_info *info;
	const char *value;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if ((value = value_of(flag, info->flag)))
			return add_input(p, info->name, value);
	return fail(p, "unknown option --%.100s (see tfprof ui --help)", flag);
}

static bool set_reading(struct parser *p, enum tfprof_reading reading)
{
	if (p->store->reading != TFPROF_READ_AS_IS && p->store->reading != reading)
		return fail(p, "%s", "--strict and --recover cannot be combined");
	p->store->reading = reading;
	return true;
}

static bool set_open(struct parser *p, const char *value)
{
	p->a->open = strcmp(value, "true") == 0 ? OPEN_ALWAYS : OPEN_NEVER;
	return p->a->open == OPEN_ALWAYS || strcmp(value, "false") == 0 ||
		fail(p, "--open=%.100s: expected true or false", value);
}

static bool parse_flag(struct parser *p, const char *flag)
{
	const char *value;

	if (strcmp(flag, "strict") == 0)
		return set_reading(p, TFPROF_READ_STRICT);
	if (strcmp(flag, "recover") == 0)
		return set_reading(p, TFPROF_READ_RECOVER);
	if (strcmp(flag, "open") == 0)
		return set_open(p, "true");
	if ((value = value_of(flag, "open")))
		return set_open(p, value);
	if (strcmp(flag, "verbose") == 0)
		return p->a->verbose = true;
	if ((value = value_of(flag, "port")))
		return parse_port(p, value);
	if ((value = value_of(flag, "token")))
		return parse_token(p, value);
	if ((value = value_of(flag, "host"))) {
		p->a->host = value;
		return true;
	}
	return parse_input_flag(p, flag);
}

static bool parse_word(struct parser *p, const char *word)
{
	if (strcmp(word, "--") == 0 && !p->has_ended_options && !p->store->n_profiles)
		return p->has_ended_options = true;
	if (strcmp(word, "--") == 0) {
		if (p->after_dashes || !p->store->n_profiles)
			return fail(p, "%s",
				"-- separates the files of two profiles: give it once, after the "
				"first files");
		p->after_dashes = true;
		return true;
	}
	if (word[0] == '-' && word[1] && !p->has_ended_options &&
		!(p->after_dashes && tfprof_input_exists(word)))
		return parse_flag(p, word + (word[1] == '-' ? 2 : 1));
	return add_input(p, NULL, word);
}

/* The kind of an input; NULL if its content does not tell. */
static const struct tfprof_input_info *recognize(const struct shown_input *input)
{
	struct tfprof_given given = {input->kind, tfprof_input_file(input->path), 0, NULL};
	const struct tfprof_input_info *info = NULL;

	if (tfprof_given_arrange(&given, 1, NULL) == TFPROF_OK)
		for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
			if (strcmp(info->name, given.kind) == 0)
				break;
	tfprof_given_release(&given, 1);
	return info;
}

static bool are_two_models(const char *a, const char *b)
{
	return tfprof_model_recognize(a) && tfprof_model_recognize(b);
}

/* Whether two files are profiles of their own, to be shown side by side. */
static bool are_two_profiles(const struct shown_profile *p)
{
	const struct tfprof_input_info *first;

	if (p->inputs.n != 2)
		return false;
	if (are_two_models(p->inputs.at[0].path, p->inputs.at[1].path))
		return true;
	first = recognize(&p->inputs.at[0]);
	return first && !(first->traits & (TFPROF_INPUT_EXTRA | TFPROF_INPUT_BY_STEP)) &&
		recognize(&p->inputs.at[1]) == first;
}

static bool split_profiles(struct parser *p)
{
	struct shown_profile *first = &p->store->profiles[0];

	if (p->after_dashes || !are_two_profiles(first))
		return true;
	p->after_dashes = true;
	first->inputs.n = 1;
	return add_input(p, first->inputs.at[1].kind, first->inputs.at[1].path);
}

enum arguments_status arguments_parse(struct arguments *a, struct store *store, int argc,
	char **argv, char why[512])
{
	struct parser p = {.a = a, .store = store, .why = why};

	*a = (struct arguments){.host = "127.0.0.1", .port = DEFAULT_PORT};
	for (int i = 1; i < argc; i++) {
		if (!p.has_ended_options &&
			(strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
			return ARGUMENTS_HELP;
		if (!parse_word(&p, argv[i]))
			return ARGUMENTS_WRONG;
	}
	if (!store->n_profiles) {
		fail(&p, "%s", "no input: give a profile, a trace, a model, or the files of a run");
		return ARGUMENTS_WRONG;
	}
	if (store->n_profiles == 1 && p.after_dashes) {
		fail(&p, "%s", "no files after --");
		return ARGUMENTS_WRONG;
	}
	return split_profiles(&p) ? ARGUMENTS_OK : ARGUMENTS_WRONG;
}

bool arguments_is_loopback(const struct arguments *a)
{
	return strncmp(a->host, "127.", 4) == 0 || strcmp(a->host, "::1") == 0;
}
