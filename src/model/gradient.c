#include "model/gradient.h"

#include "base/ascii.h"

size_t gradient_call_length(struct span name)
{
	static const char *const calls[] = {"StatefulPartitionedCall", "PartitionedCall"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		size_t n = strlen(calls[i]);

		if (!span_starts(name, span_of(calls[i])))
			continue;
		if (n < name.n && name.at[n] == '_')
			n += 1 + ascii_leading_digits(span_from(name, n + 1));
		if (n < name.n && name.at[n] == '/')
			return n + 1;
	}
	return 0;
}

/* What is looked for in every name. */
struct word {
	struct span text;
	/* By the byte at its end: how far it is to the next place where the word could be; 0: its
	 * length (Horspool's search). */
	unsigned char skip[256];
};

/* Where it is; name.n if it is nowhere. With memmem() instead, the first code view takes 20 %
 * longer. */
static size_t find(struct span name, const struct word *word)
{
	struct span text = word->text;

	for (size_t end = text.n; end <= name.n;) {
		char last = name.at[end - 1];
		unsigned char skip = word->skip[(unsigned char)last];

		if (last == text.at[text.n - 1] &&
			memcmp(name.at + end - text.n, text.at, text.n) == 0)
			return end - text.n;
		end += skip ? skip : text.n;
	}
	return name.n;
}

/* Whether some part of a name is a call. */
static bool has_call(struct span name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((!i || name.at[i - 1] == '/') && gradient_call_length(span_from(name, i)))
			return true;
	return false;
}

/* Where `word` first occurs in a name, if not before `from`; name.n if it does not. */
static size_t find_from(struct span name, struct span word, size_t from)
{
	struct span rest = {name.at + from, name.n - from};

	return from + (span_starts(rest, word) ? 0 : span_find(rest, word));
}

/* If the end comes before the start, the length in TensorFlow's profiler is negative
 * and, unsigned, huge: the name then extends to the end. */
static bool parse_node(struct span name, size_t from, struct gradient *g)
{
	static const struct word tail = {{"_grad/", 6},
		{['_'] = 5, ['g'] = 4, ['r'] = 3, ['a'] = 2, ['d'] = 1}};
	struct span head = SPAN("gradients/");
	size_t start = find_from(name, head, from), end;

	if (start == name.n)
		return false;
	end = find(name, &tail);
	if (end == name.n)
		return false;
	start += head.n;
	if (end == start)
		return false;
	if (end < start)
		end = name.n;
	*g = (struct gradient){.kind = GRADIENT_OF_NODE,
		.before = {"", 0},
		.forward = {name.at + start, end - start},
		.after = {"", 0},
		.is_called = has_call((struct span){name.at, from})};
	return true;
}

/* The last part is the backward operation's own. */
static bool parse_tape(struct span name, size_t from, struct gradient *g)
{
	struct span word = SPAN("gradient_tape/");
	size_t start = find_from(name, word, from), end = name.n;

	if (start == name.n || (start && name.at[start - 1] != '/'))
		return false;
	while (end > start + word.n && name.at[end - 1] != '/')
		end--;
	if (end <= start + word.n)
		return false;
	end--;
	*g = (struct gradient){GRADIENT_OF_TAPE, {name.at, start},
		{name.at + start + word.n, end - start - word.n}, {"", 0}, false};
	return true;
}

/* "jvp(A)" of "transpose(jvp(A))". */
static bool parse_transposed(struct span name, struct gradient *g)
{
	struct span word = SPAN("transpose(jvp(");
	size_t start = span_find(name, word), inner = start + sizeof("transpose(") - 1, end;
	int depth = 0;

	if (start == name.n)
		return false;
	for (end = inner; end < name.n; end++) {
		depth += (name.at[end] == '(') - (name.at[end] == ')');
		if (depth < 0)
			break;
	}
	*g = (struct gradient){GRADIENT_TRANSPOSED, {name.at, start},
		{name.at + inner, end - inner}, {name.at + end, 0}, false};
	if (end < name.n)
		g->after = (struct span){name.at + end + 1, name.n - end - 1};
	return true;
}

/* Code view asks for every node: most names are done with after two looks. */
bool gradient_parse(struct span name, struct gradient *g)
{
	static const struct word word = {{"gradient", 8},
		{['g'] = 7, ['r'] = 6, ['a'] = 5, ['d'] = 4, ['i'] = 3, ['e'] = 2, ['n'] = 1}};
	size_t from = find(name, &word);

	if (from < name.n && (parse_node(name, from, g) || parse_tape(name, from, g)))
		return true;
	return name.n && memchr(name.at, '(', name.n) && parse_transposed(name, g);
}

void gradient_put_forward(struct buf *b, const struct gradient *g)
{
	buf_span(b, g->before);
	buf_span(b, g->forward);
	buf_span(b, g->after);
}

void gradient_put_folded(struct buf *b, struct span name, const struct gradient *g)
{
	const char *rest = g->forward.at + g->forward.n, *end = name.at + name.n;
	size_t gap = g->kind == GRADIENT_OF_NODE ? sizeof("_grad/") - 1 : sizeof("/") - 1;

	gradient_put_forward(b, g);
	if (g->kind == GRADIENT_TRANSPOSED || (size_t)(end - rest) <= gap)
		return;
	buf_char(b, '/');
	buf_put(b, rest + gap, (size_t)(end - rest) - gap);
}

static uint32_t find_forward(const struct model *m, const struct gradient *g, struct buf *scratch)
{
	if (!g->before.n && !g->after.n)
		return model_find_node(m, g->forward);
	scratch->n = 0;
	gradient_put_forward(scratch, g);
	return scratch->failed ? NONE : model_find_node(m, buf_get(scratch));
}

uint32_t gradient_find_forward(const struct model *m, const struct gradient *g, struct buf *scratch)
{
	uint32_t node = find_forward(m, g, scratch);
	const char *slash = g->forward.n ? memrchr(g->forward.at, '/', g->forward.n) : NULL;
	struct gradient outer = *g;

	if (node != NONE || g->kind != GRADIENT_OF_TAPE || !slash)
		return node;
	outer.forward.n = (size_t)(slash - g->forward.at);
	return find_forward(m, &outer, scratch);
}
