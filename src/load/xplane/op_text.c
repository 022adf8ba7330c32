#include "load/xplane/op_text.h"

#include "base/ascii.h"

/* [A-Za-z0-9.][A-Za-z0-9_./>-]* */
static bool is_node_name(struct span s)
{
	if (!s.n || !(ascii_is_letter(s.at[0]) || ascii_is_digit(s.at[0]) || s.at[0] == '.'))
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!ascii_is_letter(s.at[i]) && !ascii_is_digit(s.at[i]) &&
			!memchr("_./>-", s.at[i], 5))
			return false;
	return true;
}

/* [A-Z_][A-Za-z0-9_]* */
static bool is_node_type(struct span s)
{
	if (!s.n || !((s.at[0] >= 'A' && s.at[0] <= 'Z') || s.at[0] == '_'))
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!ascii_is_letter(s.at[i]) && !ascii_is_digit(s.at[i]) && s.at[i] != '_')
			return false;
	return true;
}

/* The length of [a-z_][a-z0-9_]* in [a-z_][a-z0-9_]*(\[.*\])?; 0 if the text does not match. */
static size_t jax_type_length(struct span s)
{
	size_t n = 0;

	while (n < s.n &&
		((s.at[n] >= 'a' && s.at[n] <= 'z') || s.at[n] == '_' ||
			(n && ascii_is_digit(s.at[n]))))
		n++;
	if (n == s.n || (n + 1 < s.n && s.at[n] == '[' && s.at[s.n - 1] == ']'))
		return n;
	return 0;
}

static struct span last_part(struct span name)
{
	size_t n;

	name = span_after_last(name, '/');
	n = name.n - ascii_trailing_digits(name);
	if (n < name.n && n && name.at[n - 1] == '_')
		name.n = n - 1;
	return name;
}

struct span op_text_type(struct span name, struct span type)
{
	size_t n = jax_type_length(type);

	if (!type.n)
		return last_part(name);
	return n ? (struct span){type.at, n} : type;
}

static bool split(struct span text, struct op_text *op)
{
	const char *colon = text.n ? memchr(text.at, ':', text.n) : NULL;

	if (!colon || colon == text.at)
		return false;
	op->name = (struct span){text.at, (size_t)(colon - text.at)};
	op->type = (struct span){colon + 1, text.n - op->name.n - 1};
	return true;
}

bool op_text_parse_node(struct span text, struct op_text *op)
{
	return split(text, op) && is_node_name(op->name) && is_node_type(op->type);
}

bool op_text_parse(struct span text, struct op_text *op)
{
	if (op_text_parse_node(text, op))
		return true;
	if (!split(text, op))
		return false;
	if (op->type.n && !jax_type_length(op->type))
		return false;
	op->type = op_text_type(op->name, op->type);
	return true;
}

struct span op_text_without_number(struct span name)
{
	size_t n = name.n;

	while (n && name.at[n - 1] >= '0' && name.at[n - 1] <= '9')
		n--;
	return n && n < name.n && name.at[n - 1] == '.' ? (struct span){name.at, n - 1} : name;
}
