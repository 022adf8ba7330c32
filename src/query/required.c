/* Only certain text counts: plain ASCII at the top level of a pattern, outside groups
 * and classes, not made optional by what follows. If a construct could change the
 * meaning of plain text (flags, quoting, counts), nothing is required. */
#include "query/required.h"

struct scan {
	struct span pattern;
	size_t i;
	size_t depth; /* of groups */
	size_t start; /* of the run of plain text that ends at i */
	struct span longest;
	bool unsure;
};

static bool is_next(const struct scan *s, struct span text)
{
	return span_starts((struct span){s->pattern.at + s->i, s->pattern.n - s->i}, text);
}

/* The run ends before `end`; a new one may begin after the byte at i. */
static void end_run(struct scan *s, size_t end)
{
	if (s->depth == 0 && end > s->start && end - s->start > s->longest.n)
		s->longest = (struct span){s->pattern.at + s->start, end - s->start};
	s->start = s->i + 1;
}

/* Moves to the last byte of an escape. Only character classes and escaped punctuation
 * are known. */
static void skip_escape(struct scan *s)
{
	static const char known[] = "dDsSwWbB./-+*?()[]{}|^$\\_:";

	s->i++;
	s->unsure |=
		s->i >= s->pattern.n || !s->pattern.at[s->i] || !strchr(known, s->pattern.at[s->i]);
}

/* Moves to the bracket that closes a class. */
static void skip_class(struct scan *s)
{
	struct span p = s->pattern;

	s->i++;
	if (s->i < p.n && p.at[s->i] == '^')
		s->i++;
	/* A leading `]` is a member. */
	if (s->i < p.n && p.at[s->i] == ']')
		s->i++;
	for (; s->i < p.n && p.at[s->i] != ']'; s->i++) {
		if (p.at[s->i] == '[')
			break; /* [:alpha:] */
		if (p.at[s->i] == '\\')
			skip_escape(s);
	}
	s->unsure |= s->i >= p.n || p.at[s->i] != ']';
}

static void open_group(struct scan *s)
{
	end_run(s, s->i);
	s->depth++;
	s->i++;
	if (is_next(s, SPAN("?:")))
		s->i += 2;
	s->unsure |= is_next(s, SPAN("?")) || is_next(s, SPAN("*"));
	s->i--;
}

static void close_group(struct scan *s)
{
	s->unsure |= s->depth == 0;
	s->depth -= s->depth != 0;
	s->start = s->i + 1;
}

static void read_byte(struct scan *s)
{
	size_t at = s->i;
	char c = s->pattern.at[at];

	switch (c) {
	case '(': open_group(s); break;
	case ')': close_group(s); break;
	case '[':
		skip_class(s);
		end_run(s, at);
		break;
	case '\\':
		skip_escape(s);
		end_run(s, at);
		break;
	case '|': s->unsure |= s->depth == 0; break;
	case '{': s->unsure = true; break;
	case '*':
	case '?': end_run(s, at > s->start ? at - 1 : at); break;
	case '+':
	case '.':
	case '^':
	case '$': end_run(s, at); break;
	default:
		if (c <= 0 || c > '~')
			end_run(s, at);
	}
}

struct span regex_required(struct span pattern)
{
	struct scan s = {.pattern = pattern, .longest = {pattern.at, 0}};

	for (; s.i < pattern.n && !s.unsure; s.i++)
		read_byte(&s);
	if (!s.unsure)
		end_run(&s, s.i);
	return s.unsure ? (struct span){pattern.at, 0} : s.longest;
}
