#include "load/xplane/op_text.h"

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* [A-Za-z0-9.][A-Za-z0-9_./>-]* */
static bool is_node_name(struct span s)
{
	if (!s.n || !(is_letter(s.at[0]) || is_digit(s.at[0]) || s.at[0] == '.'))
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!is_letter(s.at[i]) && !is_digit(s.at[i]) && !memchr("_./>-", s.at[i], 5))
			return false;
	return true;
}

/* [A-Z_][A-Za-z0-9_]* */
static bool is_node_type(struct span s)
{
	if (!s.n || !((s.at[0] >= 'A' && s.at[0] <= 'Z') || s.at[0] == '_'))
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!is_letter(s.at[i]) && !is_digit(s.at[i]) && s.at[i] != '_')
			return false;
	return true;
}

/* The length of [a-z_][a-z0-9_]* in [a-z_][a-z0-9_]*(\[.*\])?; 0 if it is not that. */
static size_t jax_type_length(struct span s)
{
	size_t n = 0;

	while (n < s.n &&
		((s.at[n] >= 'a' && s.at[n] <= 'z') || s.at[n] == '_' || (n && is_digit(s.at[n]))))
		n++;
	if (n == s.n || (n + 1 < s.n && s.at[n] == '[' && s.at[s.n - 1] == ']'))
		return n;
	return 0;
}

static struct span last_part(struct span name)
{
	const char *slash = name.n ? memrchr(name.at, '/', name.n) : NULL;
	size_t n, end;

	if (slash)
		name = (struct span){slash + 1, name.n - (size_t)(slash + 1 - name.at)};
	for (n = name.n; n && is_digit(name.at[n - 1]); n--)
		;
	end = n < name.n && n && name.at[n - 1] == '_' ? n - 1 : name.n;
	return (struct span){name.at, end};
}

struct span op_text_type(struct span name, struct span type)
{
	size_t n = jax_type_length(type);

	if (!type.n)
		return last_part(name);
	return n ? (struct span){type.at, n} : type;
}

bool op_text_parse(struct span text, struct op_text *op)
{
	const char *colon = text.n ? memchr(text.at, ':', text.n) : NULL;

	if (!colon || colon == text.at)
		return false;
	op->name = (struct span){text.at, (size_t)(colon - text.at)};
	op->type = (struct span){colon + 1, text.n - op->name.n - 1};
	if (is_node_name(op->name) && is_node_type(op->type))
		return true;
	if (op->type.n && !jax_type_length(op->type))
		return false;
	op->type = op_text_type(op->name, op->type);
	return true;
}
