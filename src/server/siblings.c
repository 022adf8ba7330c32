#include "server/siblings.h"

#include <stdlib.h>

#include "base/ascii.h"

/* Compares numbers of any length, ignoring leading zeros. */
static int compare_numbers(struct span a, struct span b)
{
	while (a.n && *a.at == '0')
		a = span_from(a, 1);
	while (b.n && *b.at == '0')
		b = span_from(b, 1);
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	return span_compare(a, b);
}

/* Byte order, in which all numbers are equal. */
static int compare_patterns(struct span a, struct span b)
{
	while (a.n && b.n) {
		size_t n = ascii_leading_digits(a), m = ascii_leading_digits(b);

		if (n && m) {
			a = span_from(a, n);
			b = span_from(b, m);
			continue;
		}
		if (*a.at != *b.at)
			return (unsigned char)*a.at < (unsigned char)*b.at ? -1 : 1;
		a = span_from(a, 1);
		b = span_from(b, 1);
	}
	return (a.n > 0) - (b.n > 0);
}

static int by_pattern(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return compare_patterns(x->name, y->name);
}

/* The i-th number of a name from its end; empty if there are fewer. */
static struct span number_from_end(struct span name, size_t i)
{
	size_t end = name.n;

	for (; end; end--) {
		size_t begin = end;

		while (begin && ascii_is_digit(name.at[begin - 1]))
			begin--;
		if (begin == end)
			continue;
		if (!i--)
			return (struct span){name.at + begin, end - begin};
		end = begin + 1;
	}
	return (struct span){name.at, 0};
}

static struct span before(const struct sibling *s)
{
	return (struct span){s->name.at, (size_t)(s->number.at - s->name.at)};
}

static struct span behind(const struct sibling *s)
{
	return span_from(s->name, before(s).n + s->number.n);
}

static int by_rest(const struct sibling *x, const struct sibling *y)
{
	int c = span_compare(before(x), before(y));

	return c ? c : span_compare(behind(x), behind(y));
}

static int by_fold(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;
	int c = by_rest(x, y);

	return c ? c : compare_numbers(x->number, y->number);
}

/* Finds the last number that is not the same in all names of a pattern. */
static void sort_alike(struct sibling *at, size_t n)
{
	size_t place = 0;
	struct span first;

	for (; (first = number_from_end(at->name, place)).n; place++) {
		size_t i = 1;

		while (i < n && span_equal(number_from_end(at[i].name, place), first))
			i++;
		if (i < n)
			break;
	}
	if (!first.n)
		return;
	for (size_t i = 0; i < n; i++)
		at[i].number = number_from_end(at[i].name, place);
	qsort(at, n, sizeof(*at), by_fold);
}

void siblings_sort(struct sibling *at, size_t n)
{
	if (!n)
		return;
	qsort(at, n, sizeof(*at), by_pattern);
	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && by_pattern(&at[begin], &at[end]) == 0;)
			end++;
		if (end - begin > MAX_ALIKE)
			sort_alike(at + begin, end - begin);
	}
}

size_t siblings_count_alike(const struct sibling *at, size_t n)
{
	size_t i = 1;

	while (i < n && at->number.n && at[i].number.n && at[i].parent == at->parent &&
		by_rest(&at[i], at) == 0)
		i++;
	return i;
}

void siblings_put_name(struct buf *b, const struct sibling *at, size_t n)
{
	const struct sibling *last = &at[n - 1];

	buf_span(b, before(at));
	buf_char(b, '[');
	buf_span(b, at->number);
	buf_char(b, '-');
	buf_span(b, last->number);
	buf_char(b, ']');
	buf_span(b, behind(at));
}

static struct span take_number(struct span *text)
{
	struct span number = {text->at, ascii_leading_digits(*text)};

	*text = span_from(*text, number.n);
	return number;
}

static bool take_char(struct span *text, char c)
{
	if (!text->n || *text->at != c)
		return false;
	*text = span_from(*text, 1);
	return true;
}

/* Whether the rest of a name matches that of a fold from its bracket on: "3/conv" and
 * "[0-4]/conv". */
static bool is_in_range(struct span fold, struct span name)
{
	struct span low, high = {0}, number = take_number(&name);
	bool is_range = take_char(&fold, '[') && (low = take_number(&fold)).n &&
		take_char(&fold, '-') && (high = take_number(&fold)).n && take_char(&fold, ']');

	return is_range && number.n && span_equal(fold, name) &&
		compare_numbers(low, number) <= 0 && compare_numbers(number, high) <= 0;
}

/* Names may have brackets of their own. */
bool siblings_is_in(struct span fold, struct span name)
{
	while (fold.n && name.n) {
		if (is_in_range(fold, name))
			return true;
		if (*fold.at != *name.at)
			return false;
		fold = span_from(fold, 1);
		name = span_from(name, 1);
	}
	return false;
}
