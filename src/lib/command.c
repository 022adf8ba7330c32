/* Options as the command line that sets them. */
#include "query/options.h"

#define SAFE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,+%@-"

/* A word as a POSIX shell reads it: bare if nothing in it is special. */
static void put_word(struct buf *b, const char *word)
{
	if (*word && !word[strspn(word, SAFE)]) {
		buf_char(b, ' ');
		buf_text(b, word);
		return;
	}
	buf_text(b, " '");
	for (; *word; word++)
		if (*word == '\'')
			buf_text(b, "'\\''");
		else
			buf_char(b, *word);
	buf_char(b, '\'');
}

/* Words of select are kept sorted, so the order that follows from the first one typed is
 * named, too. */
static bool is_needed(const tfprof_options *o, const char *command, enum option_id id)
{
	return options_is_given(o, id) ||
		(id == OPT_ORDER_BY && options_is_given(o, OPT_SELECT) &&
			strcmp(command, "op") == 0);
}

static void put_flags(struct buf *b, tfprof_options *o, const char *command)
{
	const struct tfprof_option_info *info;
	struct buf flag = {0};

	for (size_t i = 0; (info = tfprof_option_get_info(i)); i++) {
		if (!is_needed(o, command, (enum option_id)i))
			continue;
		flag.n = 0;
		buf_printf(&flag, "--%s=%s", info->name, tfprof_options_get(o, info->name));
		put_word(b, buf_get(&flag).at);
	}
	b->failed |= flag.failed;
	buf_clear(&flag);
}

const char *tfprof_options_get_command(tfprof_options *o, const char *command,
	const char *const *inputs)
{
	tfprof_options *ordered = tfprof_options_copy(o);
	struct buf *b = &o->echo;

	b->n = 0;
	if (!ordered || !options_choose_defaults(ordered, TFPROF_OP, true)) {
		tfprof_options_free(ordered);
		return NULL;
	}
	buf_text(b, "tfprof ");
	buf_text(b, command);
	for (; *inputs; inputs++)
		put_word(b, *inputs);
	put_flags(b, ordered, command);
	tfprof_options_free(ordered);
	return b->failed ? NULL : b->at;
}
