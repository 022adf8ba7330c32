#include "diff/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- ranks ---------------------------------------------------------------------- */

/* Both samples, ranked. Ranks are doubled, so that those of ties are whole numbers. */
enum { MAX_EXACT = 40, MAX_EXACT_TIES = 12 };

struct ranks {
	uint32_t of[MAX_EXACT]; /* of each value, in ascending order */
	double sum;             /* of sample a, not doubled */
	double ties;            /* sum of t³ − t over groups of t ties */
};

struct item {
	int64_t value;
	bool is_a;
};

static int by_item(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void rank(struct item *items, size_t n, struct ranks *r)
{
	*r = (struct ranks){.sum = 0};
	qsort(items, n, sizeof(*items), by_item);
	for (size_t first = 0, end; first < n; first = end) {
		double tied;
		uint32_t doubled;

		for (end = first + 1; end < n && items[end].value == items[first].value;)
			end++;
		tied = (double)(end - first);
		r->ties += tied * tied * tied - tied;
		doubled = (uint32_t)(first + 1 + end);
		for (size_t i = first; i < end; i++) {
			if (i < MAX_EXACT)
				r->of[i] = doubled;
			if (items[i].is_a)
				r->sum += doubled / 2.0;
		}
	}
}

/* ---- exact ---------------------------------------------------------------------- */

/* Counts the ways to choose n_a of all ranks, by the sum of those chosen, and of these
 * how many are as far from the middle as the sum found. */
static double exact_p(const struct ranks *r, size_t n_a, size_t n)
{
	enum { MOST = MAX_EXACT * (MAX_EXACT + 1) + 1 };
	size_t most = n * (n + 1) + 1;
	double *ways = mem_zero_array((n_a + 1) * most, sizeof(*ways));
	double all = 0, far = 0, middle = (double)n_a * (double)(n + 1);
	double distance = fabs(2 * r->sum - middle);

	_Static_assert(MOST < 10000, "the table of counts stays small");
	if (!ways)
		return 1;
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1 < n_a ? i + 1 : n_a; k > 0; k--)
			for (size_t s = r->of[i]; s < most; s++)
				ways[k * most + s] += ways[(k - 1) * most + s - r->of[i]];
	for (size_t s = 0; s < most; s++) {
		double here = ways[n_a * most + s];

		all += here;
		if (fabs((double)s - middle) >= distance)
			far += here;
	}
	mem_free(ways);
	return far / all;
}

static double normal_p(const struct ranks *r, size_t n_a, size_t n_b)
{
	double a = (double)n_a, b = (double)n_b, n = a + b;
	double middle = a * (n + 1) / 2;
	double variance = a * b / 12 * (n + 1 - r->ties / (n * (n - 1)));
	double distance = fabs(r->sum - middle) - 0.5;

	if (!(variance > 0) || distance <= 0)
		return 1;
	return erfc(distance / sqrt(variance) / sqrt(2));
}

static double remembered_p(struct sample_memo *memo, const struct ranks *r, size_t n_a, size_t n_b)
{
	size_t i = (size_t)r->sum % (sizeof(memo->at) / sizeof(*memo->at));

	if (memo->at[i].n_a != n_a || memo->at[i].n_b != n_b ||
		fabs(memo->at[i].sum - r->sum) > 0.25) {
		memo->at[i].n_a = n_a;
		memo->at[i].n_b = n_b;
		memo->at[i].sum = r->sum;
		memo->at[i].p = exact_p(r, n_a, n_a + n_b);
	}
	return memo->at[i].p;
}

double sample_mann_whitney(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
	struct sample_memo *memo)
{
	struct item small[MAX_EXACT], *items = small;
	size_t n = n_a + n_b;
	struct ranks r;

	if (!n_a || !n_b || n == 2)
		return 1;
	if (n > MAX_EXACT)
		items = mem_array(n, sizeof(*items));
	if (!items)
		return 1;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct item){i < n_a ? a[i] : b[i - n_a], i < n_a};
	rank(items, n, &r);
	if (items != small)
		mem_free(items);
	if (n <= MAX_EXACT && !(r.ties > 0))
		return memo ? remembered_p(memo, &r, n_a, n_b) : exact_p(&r, n_a, n);
	return n <= MAX_EXACT_TIES ? exact_p(&r, n_a, n) : normal_p(&r, n_a, n_b);
}

double sample_smallest_p(size_t n_a, size_t n_b)
{
	double ways = 1;

	if (!n_a || !n_b)
		return 1;
	for (size_t i = 1; i <= n_a; i++)
		ways *= (double)(n_b + i) / (double)i;
	return ways > 2 ? 2 / ways : 1;
}

/* ---- many tests ----------------------------------------------------------------- */

struct ordered {
	double p;
	size_t i;
};

static int by_p(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

static bool are_alike(const double *p, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (p[i] > p[0] || p[i] < p[0])
			return false;
	return true;
}

bool sample_adjust(const double *p, double *adjusted, size_t n)
{
	struct ordered *order;
	double least = 1;

	if (are_alike(p, n)) { /* those of single runs always are */
		memcpy(adjusted, p, n * sizeof(*p));
		return true;
	}
	order = mem_array(n, sizeof(*order));
	if (!order)
		return false;
	for (size_t i = 0; i < n; i++)
		order[i] = (struct ordered){p[i], i};
	qsort(order, n, sizeof(*order), by_p);
	for (size_t k = n; k-- > 0;) {
		double here = order[k].p * (double)n / (double)(k + 1);

		least = here < least ? here : least;
		adjusted[order[k].i] = least;
	}
	mem_free(order);
	return true;
}
