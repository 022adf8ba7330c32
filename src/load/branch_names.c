#include "load/branch_names.h"

#include "base/ascii.h"
#include "base/buf.h"

void branch_names_clear(struct branch_names *b)
{
	strings_clear(&b->names);
	vec_clear(&b->nodes);
}

size_t branch_length(struct span text)
{
	static const char *const words[] = {"body", "cond", "then", "else", "branch"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = strlen(words[i]), digits;

		if (!span_starts(text, span_of(words[i])))
			continue;
		if (strcmp(words[i], "branch") == 0)
			n += ascii_leading_digits(span_from(text, n));
		if (!span_starts(span_from(text, n), SPAN("/_")))
			continue;
		n += 2;
		digits = ascii_leading_digits(span_from(text, n));
		if (digits && n + digits < text.n && text.at[n + digits] == '/')
			return n + digits + 1;
	}
	return 0;
}

/* Writes a name without its branches. Returns whether it has any. */
static bool put_name(struct buf *b, struct span name)
{
	bool has_branch = false;

	b->n = 0;
	for (size_t i = 0; i < name.n;) {
		size_t n = i && name.at[i - 1] == '/' ? branch_length(span_from(name, i)) : 0;

		has_branch |= n;
		if (!n)
			buf_char(b, name.at[i]);
		i += n ? n : 1;
	}
	return has_branch;
}

#define SEVERAL (NONE - 1)

static bool is_known(const struct model *m, uint32_t node)
{
	return node < SEVERAL && m->nodes.float_ops[node];
}

static bool add(struct branch_names *b, const struct model *m, struct span name, uint32_t node)
{
	uint32_t id = strings_add(&b->names, name);

	if (id == NONE)
		return false;
	while (b->nodes.n <= id)
		if (!vec_push(&b->nodes, NONE))
			return false;
	if (b->nodes.at[id] == NONE || (is_known(m, node) && !is_known(m, b->nodes.at[id])))
		b->nodes.at[id] = node;
	else if (!is_known(m, b->nodes.at[id]))
		b->nodes.at[id] = SEVERAL;
	return true;
}

bool branch_names_init(struct branch_names *b, const struct model *m)
{
	struct buf name = {0};
	bool ok;

	*b = (struct branch_names){0};
	ok = strings_init(&b->names);
	for (uint32_t node = 0; ok && node < m->nodes.n; node++) {
		struct span text = model_name(m, node);

		/* Few names have a branch. */
		if (span_contains(text, SPAN("/_")) && put_name(&name, text))
			ok = !name.failed && add(b, m, buf_get(&name), node);
	}
	buf_clear(&name);
	return ok;
}

uint32_t branch_names_find(const struct branch_names *b, struct span name)
{
	uint32_t id = strings_find(&b->names, name);

	return id < b->nodes.n && b->nodes.at[id] < SEVERAL ? b->nodes.at[id] : NONE;
}
