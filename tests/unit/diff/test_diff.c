/* Comparisons of sides made by hand, and of simulated runs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diff/budget.h"

static struct tfprof_error err;
static const rename_rules no_rules;

static void diff_init(struct diff *d, enum unit unit, bool guesses)
{
	*d = (struct diff){.n_metrics = 1, .metrics = {{"micros", unit, 0}}};
	d->settings = (struct diff_settings){.min_change = 0.05, .match = {&no_rules, guesses}};
	side_init(&d->base, 1, false);
	side_init(&d->new_side, 1, false);
}

/* Adds a row to the table begun last, under the row of its scope. */
static void add(struct side *s, const char *name, int64_t value, const char *type,
	const char *device)
{
	const char *slash = strrchr(name, '/');
	struct span scope = {name, slash ? (size_t)(slash - name) : 0};
	uint32_t parent = slash ? side_find(s, NONE, scope, 0) : 0, row;
	bool is_new;

	row = side_add(s, s->rows.n ? parent : NONE, span_of(name), &is_new);
	s->rows.at[row].type = hash_bytes(type, strlen(type));
	s->rows.at[row].device = span_of(device);
	side_add_value(s, row, 0, value);
}

static void run(struct diff *d)
{
	if (diff_run(d, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
}

static const struct diff_row *find(const struct diff *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (span_equal(diff_name(d, &d->rows[i]), span_of(name)))
			return &d->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void add_model(struct side *s, const char *scope, bool has_norm, int64_t conv)
{
	char name[64];

	side_begin_table(s, 8);
	add(s, "root", conv + 30 + (has_norm ? 5 : 0), "", "");
	snprintf(name, sizeof(name), "%s", scope);
	add(s, name, conv + 10, "", "");
	snprintf(name, sizeof(name), "%s/conv", scope);
	add(s, name, conv, "Conv2D", "gpu");
	snprintf(name, sizeof(name), "%s/relu", scope);
	add(s, name, 10, "Relu", "gpu");
	add(s, "dense", 20, "MatMul", "gpu");
	if (has_norm)
		add(s, "norm", 5, "LayerNorm", "gpu");
	side_end_run(s);
}

static void test_nothing_changed(void **state)
{
	struct diff d;

	diff_init(&d, UNIT_COUNT, true);
	add_model(&d.base, "a", true, 100);
	add_model(&d.new_side, "a", true, 100);
	run(&d);
	assert_int_equal(d.n, 6);
	assert_int_equal(d.n_of[DIFF_SAME], 5);
	for (size_t i = 0; i < d.n; i++) {
		assert_int_equal(diff_number(&d, i, 0)->verdict, VERDICT_EQUAL);
		assert_false(diff_is_notable(&d, i));
	}
	diff_clear(&d);
}

static void test_removed_and_grown(void **state)
{
	const struct diff_split *split;
	struct diff d;

	diff_init(&d, UNIT_COUNT, true);
	add_model(&d.base, "a", true, 100);
	add_model(&d.new_side, "a", false, 160);
	run(&d);
	assert_int_equal(d.n_of[DIFF_REMOVED], 1);
	assert_int_equal(d.n_of[DIFF_ADDED] + d.n_of[DIFF_RENAMED], 0);
	assert_int_equal(find(&d, "norm")->state, DIFF_REMOVED);
	assert_int_equal(diff_number(&d, 0, 0)->base, 135);
	assert_int_equal(diff_number(&d, 0, 0)->new_value, 190);
	split = &diff_number(&d, 0, 0)->split;
	assert_int_equal(split->grew, 60);
	assert_int_equal(split->shrank, 0);
	assert_int_equal(split->added, 0);
	assert_int_equal(split->removed, -5);
	/* by the size of the change, parents first */
	assert_int_equal(find(&d, "a") - d.rows, 1);
	assert_int_equal(find(&d, "a/conv") - d.rows, 2);
	assert_int_equal(find(&d, "norm") - d.rows, 4);
	diff_clear(&d);
}

static void test_renamed_scope(void **state)
{
	struct diff d;

	diff_init(&d, UNIT_COUNT, true);
	add_model(&d.base, "a", true, 100);
	add_model(&d.new_side, "block", true, 100);
	run(&d);
	assert_int_equal(d.n_of[DIFF_RENAMED], 3);
	assert_int_equal(d.n_guessed, 3);
	assert_int_equal(d.n_of[DIFF_ADDED] + d.n_of[DIFF_REMOVED], 0);
	assert_true(span_equal(diff_base_row(&d, find(&d, "block/conv"))->name, SPAN("a/conv")));
	diff_clear(&d);

	diff_init(&d, UNIT_COUNT, false);
	add_model(&d.base, "a", true, 100);
	add_model(&d.new_side, "block", true, 100);
	run(&d);
	assert_int_equal(d.n_of[DIFF_RENAMED], 0);
	assert_int_equal(d.n_of[DIFF_ADDED], 3);
	assert_int_equal(d.n_of[DIFF_REMOVED], 3);
	diff_clear(&d);
}

static void test_rename_rules(void **state)
{
	rename_rules rules = {0};
	struct diff d;

	assert_int_equal(rename_rules_read(&rules, SPAN("^a(/.*)?$=>x$1,^q=>r"), &err), TFPROF_OK);
	diff_init(&d, UNIT_COUNT, false);
	d.settings.match.rules = &rules;
	add_model(&d.base, "a", true, 100);
	add_model(&d.new_side, "x", true, 100);
	run(&d);
	assert_int_equal(d.n_of[DIFF_RENAMED], 3);
	assert_int_equal(d.n_guessed, 0);
	diff_clear(&d);
	rename_rules_clear(&rules);
	assert_int_equal(rename_rules_read(&rules, SPAN("a=b"), &err), TFPROF_ARGUMENT);
	assert_int_equal(rename_rules_read(&rules, SPAN("(=>b"), &err), TFPROF_REGEX);
	assert_int_equal(rename_rules_read(&rules, SPAN("a=>$1"), &err), TFPROF_ARGUMENT);
	rename_rules_clear(&rules);
}

static void test_moved_device(void **state)
{
	struct diff d;

	diff_init(&d, UNIT_COUNT, true);
	for (int side = 0; side < 2; side++) {
		struct side *s = side ? &d.new_side : &d.base;

		side_begin_table(s, 8);
		add(s, "root", 5, "", "");
		add(s, "dense", 5, "MatMul", side ? "cpu" : "gpu");
		side_end_run(s);
	}
	run(&d);
	assert_int_equal(d.n_moved, 1);
	assert_true(find(&d, "dense")->is_moved);
	assert_int_equal(d.n_of[DIFF_SAME], 1);
	diff_clear(&d);
}

/* ---- simulated runs ----------------------------------------------------------------- */

static uint64_t seed;

static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

enum { N_OPS = 40, N_STEPS = 3 };

/* Runs whose speed differs by 3 %, as measured (docs/diff.md), with steps that differ by as
 * much, now and then far more. */
static void add_runs(struct side *s, size_t n, double slowdown_of_all, double slowdown_of_one)
{
	for (size_t k = 0; k < n; k++) {
		double speed = exp(0.03 * normal());

		for (int step = 0; step < N_STEPS; step++) {
			int64_t total = 0, values[N_OPS];

			for (int i = 0; i < N_OPS; i++) {
				double tail = uniform() < 0.02 ? 1 + 0.3 * uniform() : 1;
				double slow = slowdown_of_all * (i == 7 ? slowdown_of_one : 1);

				values[i] = (int64_t)(10000 * (i + 1) * speed * tail * slow *
					exp(0.03 * normal()));
				total += values[i];
			}
			side_begin_table(s, 8);
			add(s, "root", total, "", "");
			for (int i = 0; i < N_OPS; i++) {
				char name[16];

				snprintf(name, sizeof(name), "Op%d", i);
				add(s, name, values[i], "Op", "");
			}
		}
		side_end_run(s);
	}
}

static enum diff_verdict verdict_of(const struct diff *d, const char *name)
{
	return diff_number(d, (size_t)(find(d, name) - d->rows), 0)->verdict;
}

struct outcome {
	int total, one, false_rows, budget;
};

static struct outcome simulate(int n_cases, size_t n_runs, double all, double one)
{
	struct limit_rules rules = {"fail_if", diff_limit_words(), true};
	struct outcome o = {0};
	limits list = {0};

	assert_int_equal(limits_read(&list, &rules, SPAN("Op7:micros>5%"), &err), TFPROF_OK);
	seed = 18;
	for (int i = 0; i < n_cases; i++) {
		budgets checked = {0};
		struct diff d;

		diff_init(&d, UNIT_MICROS, true);
		add_runs(&d.base, n_runs, 1, 1);
		add_runs(&d.new_side, n_runs, all, one);
		run(&d);
		assert_int_equal(budgets_check(&checked, &d, &list, &err), TFPROF_OK);
		o.total += diff_number(&d, 0, 0)->verdict == VERDICT_SLOWER;
		o.one += verdict_of(&d, "Op7") == VERDICT_SLOWER;
		o.budget += checked.at[0].state == BUDGET_OVER;
		for (size_t k = 1; k < d.n; k++)
			o.false_rows += diff_number(&d, k, 0)->verdict == VERDICT_SLOWER &&
				!span_equal(diff_name(&d, &d.rows[k]), SPAN("Op7"));
		vec_clear(&checked);
		diff_clear(&d);
	}
	limits_clear(&list);
	return o;
}

static void test_slowdown_is_found(void **state)
{
	struct outcome o = simulate(200, 5, 1.1, 1);

	printf("all 10 %% slower, 5 runs: total found in %d of 200\n", o.total);
	assert_true(o.total >= 160);
	o = simulate(200, 5, 1, 1.1);
	printf("one op 10 %% slower, 5 runs: its budget exceeded in %d of 200\n", o.budget);
	assert_true(o.budget >= 160);
	o = simulate(200, 10, 1, 1.1);
	printf("one op 10 %% slower, 10 runs: in the list in %d of 200\n", o.one);
	assert_true(o.one >= 160);
}

static void test_false_alarms_are_rare(void **state)
{
	struct outcome o = simulate(1000, 5, 1, 1);

	printf("nothing slower, 5 runs: total %d, budget %d, rows %d of 1000\n", o.total, o.budget,
		o.false_rows);
	assert_true(o.total <= 20);
	assert_true(o.budget <= 20);
	o = simulate(300, 10, 1, 1);
	printf("nothing slower, 10 runs: total %d, rows %d of 300 times %d\n", o.total,
		o.false_rows + o.one, N_OPS);
	assert_true(o.total <= 6);
}

/* Three against three never suffice, however far apart they are. */
static void test_too_few_runs(void **state)
{
	limits list = {0};
	budgets checked = {0};
	struct limit_rules rules = {"fail_if", diff_limit_words(), true};
	struct diff d;

	diff_init(&d, UNIT_MICROS, true);
	seed = 1;
	add_runs(&d.base, 3, 1, 1);
	add_runs(&d.new_side, 3, 2, 1);
	run(&d);
	assert_int_equal(diff_number(&d, 0, 0)->verdict, VERDICT_UNKNOWN);
	assert_int_equal(verdict_of(&d, "Op7"), VERDICT_UNKNOWN);
	assert_int_equal(limits_read(&list, &rules, SPAN("micros>5%,none:micros>5%,added>0"), &err),
		TFPROF_OK);
	assert_int_equal(budgets_check(&checked, &d, &list, &err), TFPROF_OK);
	assert_int_equal(checked.at[0].state, BUDGET_UNKNOWN);
	assert_int_equal(checked.at[1].state, BUDGET_UNKNOWN);
	assert_int_equal(checked.at[2].state, BUDGET_WITHIN);
	vec_clear(&checked);
	limits_clear(&list);
	diff_clear(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_changed),
		cmocka_unit_test(test_removed_and_grown),
		cmocka_unit_test(test_renamed_scope),
		cmocka_unit_test(test_rename_rules),
		cmocka_unit_test(test_moved_device),
		cmocka_unit_test(test_slowdown_is_found),
		cmocka_unit_test(test_false_alarms_are_rare),
		cmocka_unit_test(test_too_few_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
