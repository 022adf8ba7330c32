#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Scopes found in parallel are those of the names: each prefix once, whichever parts
 * it is in and however long it is. */
#include <stdlib.h>
#include <string.h>

#include <tfprof/tfprof.h>

#include "base/parallel.h"
#include "view/scope_list.h"

#include "draw.h"
#include "messages.h"
#include "parts.h"
#include "run_query.h"

enum { NODES = 60, LONGEST = 1200 };

/* Few components, so that names share prefixes; two are long enough to make names
 * long, and differ in one byte. */
static void draw_name(char *name)
{
	static char first[301], second[301];
	const char *const components[] = {"a", "b", "", "ab", first, second};
	size_t n = 0;

	memset(first, 'x', 300);
	memset(second, 'x', 300);
	second[299] = 'y';
	for (unsigned k = 1 + draw(6); k && n < LONGEST - 320; k--)
		n += (size_t)sprintf(name + n, "%s%s", n ? "/" : "", components[draw(6)]);
	if (!n || name[0] == '/')
		strcpy(name, "a");
}

static tfprof_profile *make_profile(char names[NODES][LONGEST])
{
	struct buf graph = {0};
	struct tfprof_input input;
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;

	for (int i = 0; i < NODES; i++) {
		draw_name(names[i]);
		put_graph_node(&graph, names[i], "Op", "");
	}
	input = tfprof_input_bytes(graph.at, graph.n);
	if (tfprof_profile_add(p, "graph", &input, 0, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	buf_clear(&graph);
	return p;
}

/* The prefixes of all names, each once, by brute force. */
static size_t count_prefixes(char names[NODES][LONGEST])
{
	static struct span seen[NODES * LONGEST];
	size_t n = 0;

	for (int i = 0; i < NODES; i++)
		for (const char *end = names[i];; end++) {
			struct span prefix = {names[i], (size_t)(end - names[i])};
			size_t k = 0;

			if (*end && *end != '/')
				continue;
			while (k < n && !span_equal(seen[k], prefix))
				k++;
			if (k == n)
				seen[n++] = prefix;
			if (!*end)
				break;
		}
	return n;
}

static tfprof_result *query_scopes(tfprof_profile *p)
{
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;

	assert_int_equal(tfprof_options_set(o, "select", "occurrence", &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "max_depth", "100", &err), TFPROF_OK);
	if (run_query(p, TFPROF_SCOPE, o, NULL, &r, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	tfprof_options_free(o);
	return r;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void test_scopes_of_all_parts(void **state)
{
	static char names[NODES][LONGEST];

	for (int round = 0; round < 200; round++) {
		char *expected = NULL;

		for (size_t parts = 1; parts <= PARALLEL_MAX; parts++) {
			tfprof_profile *p;
			tfprof_result *r;

			seed = (uint64_t)round;
			use_parts(parts);
			p = make_profile(names);
			r = query_scopes(p);
			if (!expected) {
				expected = strdup(tfprof_result_get_text(r, NULL));
				assert_int_equal(count_lines(strstr(expected, "_TFProfRoot")),
					count_prefixes(names) + 1);
			}
			assert_string_equal(tfprof_result_get_text(r, NULL), expected);
			tfprof_result_free(r);
			tfprof_profile_free(p);
		}
		free(expected);
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* However deep scopes are, nearly all hashes are distinct. */
static void test_hashes_of_nested_scopes_differ(void **state)
{
	enum { N = 300000 };
	struct scope_list list;
	struct buf name = {0};
	uint32_t *hashes;
	size_t n = 0, distinct = 0;

	buf_fill(&name, '/', N);
	assert_true(scope_list_init(&list, SPAN("root")));
	assert_int_equal(scope_list_make(&list, buf_get(&name)), N + 1);
	hashes = mem_array(list.index.n, sizeof(*hashes));
	for (size_t i = 0; i < list.index.places; i++)
		if (list.index.slots[i])
			hashes[n++] = list.index.slots[i] >> 32;
	assert_int_equal(n, N + 1);
	qsort(hashes, n, sizeof(*hashes), by_number);
	for (size_t i = 0; i < n; i++)
		distinct += !i || hashes[i] != hashes[i - 1];
	assert_true(distinct > n / 10 * 9);
	mem_free(hashes);
	scope_list_clear(&list);
	buf_clear(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scopes_of_all_parts),
		cmocka_unit_test(test_hashes_of_nested_scopes_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
